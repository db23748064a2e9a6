"""A run folder as a run leaves it, with tokens that try to take over the page."""

from pathlib import Path
from typing import Any

import yaml

from rowspace import answers
from rowspace.answers import Findings, Score, Shown
from rowspace.figures.map import draw_map
from rowspace.figures.scores import draw_score
from rowspace.runfolder import RunFolder
from rowspace.table import Missing
from tests.figures.rows import HOSTILE, frequency_rows, map_rows, metric_rows, spectrum_rows

CONFIG = {
    "data": {"name": "glosses"},
    "tokenizer": {"name": "bpe", "vocab_size": 8192},
    "model": {"d": 128, "layers": 2},
    "position": {"name": "rope"},
    "body": {"name": "decoder"},
    "head": {"name": "linear", "tie": True},
    "trainer": {"max_steps": 600},
    "seed": 0,
}

COST = {
    "parameters": 1447296,
    "parameters_E": 1048576,
    "parameters_position": 0,
    "parameters_blocks": 397000,
    "parameters_norms": 1720,
    "parameters_U": 0,
    "parameters_bias": 0,
    "tokens_seen": 2457600,
    "bytes_seen": 9_400_000,
    "seconds": 161.0,
    "peak_memory_bytes": 1.2e9,
    "flops_per_token": 8772096,
    "flops": {
        "embedding": 0,
        "body": 794000,
        "attention": 33280,
        "attention_full": 65536,
        "head": 2097152,
        "forward": 2924432,
        "train": 8773296,
        "train_full": 8870064,
        "two_P": 2894592,
        "six_P": 8683776,
        "because": [[-10320, "gains and biases scale and shift"], [99840, "queries meet keys and weights meet values"]],
    },
    "logits_bytes": {"flat": 67108864, "buffer": 33554432},
    "expected_memory": {
        "parameters": 5789184,
        "gradients": 5789184,
        "optimizer": 11578368,
        "activations": 163000000,
        "backward": 12000000,
        "loss": 33554432,
        "program": 700000000,
    },
    "expected_memory_bytes": 931711168,
    "flops_per_step": 17967710208,
    "tokens_per_step": 2048,
    "steps": 600,
    "matrix_rate": 150e9,
    "share": 0.7,
    "expected_seconds": 102.7,
}


def ledger_rows() -> list[dict[str, Any]]:
    """Tables, blocks, values and states."""

    def row(quantity: str, category: str, shape: str, count: int, value: str | None = None) -> dict[str, Any]:
        named = {"quantity": quantity, "category": category, "part": "", "shape": shape, "value": value}
        return {**named, "count": count, "bytes": 4 * count, "sha256": "ef" * 32 if category == "LEARNED" else None}

    return [
        row("V", "CONFIG", "", 0, "8,192"),
        row("E", "LEARNED", "(8192, 128)", 1048576),
        *(row(f"blocks.{i}.feedforward.down.weight", "LEARNED", "(128, 512)", 65536) for i in range(2)),
        row("H0", "STATE", "(64, 128)", 8192),
    ]


def neighbour_rows() -> list[dict[str, Any]]:
    """Every verdict, a word without a row, and a hostile neighbour."""

    def row(
        word: str, rank: int, neighbour: str | None, verdict: str, rule: str, policy: str = "one piece"
    ) -> dict[str, Any]:
        return {
            "step": 600,
            "word": word,
            "policy": policy,
            "token": f" {word}",
            "token_id": len(word),
            "count": 90,
        } | {
            "decile": 8,
            "rank": rank,
            "neighbour": neighbour,
            "neighbour_id": rank or None,
            "neighbour_count": 40 if rank else None,
            "cosine": 0.9 - rank / 50 if rank else None,
            "verdict": verdict,
            "rule": rule,
        }

    rows = [
        row("king", 1, " queen", "success", "both are in: royalty"),
        row("king", 2, HOSTILE, "failure", "not in: royalty"),
        row("king", 3, " rare", "under-trained", "'rare' was seen 2 times, fewer than 20"),
        row("king", 4, " same", "tie", "another token is exactly as close: the order means nothing"),
        row("king", 5, "king", "unjudged", "the same word, spelled otherwise: counted neither way"),
        row("unicorn", 0, None, "unjudged", "missing: the vocabulary has no piece for it"),
        row("word", 1, " other", "unjudged", "no list holds the word", "drawn from tenth 9 of 10"),
    ]
    return [*rows, *(row(f"w{i}", 1, " red", "failure", "not in: royalty") for i in range(130))]


def answer_findings(hostile: str) -> Findings:
    """An answer with both standings, verdicts, a folded table and a hostile word in each place that shows text."""

    def score(key: str, value: float | Missing) -> Score:
        return Score(f"probe/pairs/{key}", f"near? {key} {hostile}", value, 50.0, 40.0, 60.0, 29, 124)

    rows = [[f"{hostile} - two", "99.2", "✓ success"], *([f"far {n}", "12.5", "✗ failure"] for n in range(60))]
    head = ["pair", f"percentile {hostile}", "verdict"]
    return Findings(
        question=f"Do partners lie near? {hostile}",
        sentence=f"They do {hostile}.",
        scores=[score("percentile", 80.0), score("percentile_matched", 50.0)],
        rows={"pairs": [{"pair": hostile}]},
        shown=[Shown(f"pairs {hostile}", head, rows), Shown("folded", head, rows, folded=True)],
        draw=lambda: {"pairs": draw_score([], "probe/pairs/percentile", hostile, share=False)},
        reading=f"Above 50 is near {hostile}.",
        notes=[f"A note {hostile}."],
    )


def make(path: Path, *, tables: tuple[str, ...] = ("E",), hostile: str = HOSTILE, **run: Any) -> RunFolder:
    """A finished run; fields of run.json are replaced by `run`."""
    path.mkdir(parents=True)
    (path / "run.json").write_text("{}")
    folder = RunFolder(path)
    facts: dict[str, Any] = {
        "status": "finished",
        "study": "default",
        "host": "laptop",
        "attempt": 1,
        "started": 1_796_000_000.0,
        "ended": 1_796_000_161.0,
        "total_steps": 600,
        "metrics": {"test/bpb": 1.4172, "test/loss": 3.97, "val/bpb": 1.408, "val/loss": 3.95},
        "audit": {"test/bpb": "exact", "val/bpb": "exact"},
        "reasons": {},
        "floors": {"uniform_bpb": 3.21, "unigram_bpb": 2.31, "uniform_loss": 9.01, "unigram_loss": 6.48},
        "phases": {"text": 1.9, "training": 139.0},
        "cost": COST,
        "certificates": {
            "bytes": {"verdict": "exact", "detail": "1,834,221 bytes add up"},
            "closure": {"verdict": "open", "detail": f"{hostile} does not come back"},
            "tie": {"verdict": "tied", "detail": "head.weight is embedding.weight"},
            "position": {"verdict": "not measured", "detail": ""},
        },
        "data": {
            "name": "glosses",
            "sha256": "ab" * 32,
            "attribution": "CC BY 4.0",
            "notes": [hostile],
            "documents": 9,
            "bytes": 99,
        },
        "command": f"rowspace train 'tokenizer=bpe' {hostile}",
        "hash": "cd" * 32,
        "versions": {"torch": "2.13.0"},
    }
    folder.update(**(facts | run))
    folder.write_text("config.yaml", yaml.safe_dump(CONFIG))
    for row in metric_rows(tables):
        folder.append_metrics(row)
    folder.write_table("neighbours", neighbour_rows())
    folder.write_table("spectrum", spectrum_rows(tables))
    folder.write_table("frequency", frequency_rows(tables))
    folder.write_table(
        "truth_card",
        [
            {"key": key, "value": value, "unit": "", "better": "neither", "note": note}
            for key, value, note in (
                ("closure", "CLOSED", hostile),
                ("sha256", "ab" * 32, ""),
                ("algorithm", "byte-level BPE: the most frequent pair first, equal counts by the smaller pair", ""),
                ("bytes_per_token", 3.84, "bytes of the text over tokens: higher is shorter sequences " * 2),
            )
        ],
    )
    folder.write_table(
        "pieces",
        [{"id": i, "piece": piece, "bytes": 3, "special": i == 0} for i, piece in enumerate(["<eos>", " a", hostile])],
    )
    folder.write_table("ledger", ledger_rows())
    about = {"step": 600, "command": None, "runs": [], "settings": {}}
    for probe in ("pairs", "head"):
        answers.write(folder.answers, probe, answer_findings(hostile), about)
    for table in tables:
        folder.write_table(f"map_{table}", map_rows())
        folder.write_figure(f"map_{table}", draw_map(map_rows(), table=table, share=0.07, named=[3]))
    return folder
