"""`rowspace probe` and `rowspace generate` on a finished run: answers, and nothing of the run touched."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest
import yaml
from pyarrow import parquet

from tests.runs.conftest import TINY, run_folder, run_json
from tests.server import Client

QUICK = ("length.max_tokens=300", "length.resamples=100", "distance.texts=2", "distance.draws=2")


def contents(folder: Path) -> dict[str, str]:
    """Hash of every file but those that a probe may write."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.parent.name != "probes" and path.name != "probe.html"
    }


@pytest.fixture
def copied(finished: Path, tmp_path: Path) -> Path:
    """The finished run, to be written into."""
    return Path(shutil.copytree(finished, tmp_path / "run"))


def test_a_run_is_asked_and_keeps_every_bit_of_itself(rowspace: Client, copied: Path, tmp_path: Path) -> None:
    before = contents(copied)
    done = rowspace("probe", "run", "probes=[length,distance]", *QUICK, cwd=tmp_path)
    assert done.code == 0, done.stderr
    assert contents(copied) == before
    for said in ("bits per byte, windows that slide by 16", "rope_yarn afterwards", "tokens back"):
        assert said in done.stdout
    assert done.stdout.strip().endswith("page: run/probe.html")
    rows = parquet.read_table(copied / "probes" / "length.parquet").to_pylist()
    assert {(row["scheme"], row["windows"], row["factor"]) for row in rows} == {
        (scheme, windows, factor)
        for scheme in ("rope", "rope_pi", "rope_ntk", "rope_yarn")
        for windows in ("apart", "sliding")
        for factor in (1, 2, 4, 8)
    }
    answer = json.loads((copied / "probes" / "length.json").read_text())
    assert answer["settings"]["max_tokens"] == 300
    assert answer["sentence"] in (copied / "probe.html").read_text()


def test_the_block_list_of_a_run_masks_its_page_and_the_terminal(
    rowspace: Client, copied: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.json").write_text('{"words": ["Gradient"]}')
    written = yaml.safe_load((copied / "config.yaml").read_text())
    written["probes"]["blocked"] = str(tmp_path / "mine.json")
    (copied / "config.yaml").write_text(yaml.safe_dump(written))
    done = rowspace("probe", "run", "probes=distance", *QUICK, cwd=tmp_path)
    assert done.code == 0, done.stderr
    assert "gradient" not in done.stdout.lower()
    assert "■■■" in done.stdout
    page = (copied / "probe.html").read_text()
    shown = page[page.index("<main>") : page.index("</main>")]
    assert "■■■" in shown
    assert "gradient" not in shown.lower()


def test_a_wrong_name_no_run_and_a_folder_without_weights_are_one_sentence_each(
    rowspace: Client, copied: Path, tmp_path: Path
) -> None:
    shutil.rmtree(copied / "checkpoints")
    for words, said in (
        (["run", "probes=lenght"], "probes: 'lenght' was given; did you mean length?"),
        (["nowhere"], "nowhere does not exist; give a run folder, or a table"),
        (["run"], "there is no checkpoint at run/checkpoints/best.ckpt; train the run first"),
        (["run", "beside=[./run]"], "beside: ./run is asked already; each once"),
        (["run", "length.factors=[0]"], "length.factors.0: 0 was given"),
        ([], "path: has no value yet; give it as the first word, as in outputs/latest, or as path=VALUE"),
    ):
        done = rowspace("probe", *words, cwd=tmp_path)
        assert done.code == 2
        assert said in done.stderr
        assert "Traceback" not in done.stderr
    assert not (copied / "probe.html").exists()


def test_a_run_that_is_not_finished_is_asked_as_it_stands_and_the_page_says_so(
    rowspace: Client, copied: Path, tmp_path: Path
) -> None:
    (copied / "run.json").write_text(json.dumps({**run_json(copied), "status": "interrupted"}))
    done = rowspace("probe", "run", "probes=length", *QUICK, "length.scalings=[]", "length.factors=[2]", cwd=tmp_path)
    assert done.code == 0, done.stderr
    assert "run is interrupted; its best weights are those of step" in done.stderr
    assert "interrupted" in (copied / "probe.html").read_text()


def test_another_text_than_the_runs_is_refused(rowspace: Client, copied: Path, tmp_path: Path) -> None:
    run = run_json(copied)
    (copied / "run.json").write_text(json.dumps({**run, "data": {**run["data"], "sha256": "0" * 64}}))
    done = rowspace("probe", "run", "probes=length", *QUICK, cwd=tmp_path)
    assert done.code == 2
    assert "run: data=synthetic holds another text than at the time of the run" in done.stderr


@pytest.mark.slow
def test_a_text_that_is_gone_is_one_sentence(rowspace: Client, tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("".join(f"line {n} of a text that will go\n" for n in range(200)))
    text = ("data=text", "data.files=corpus.txt", "data.split_by=line", "probes=none", "trainer.max_steps=2")
    words = [word for word in TINY if not word.startswith(("data", "probes", "trainer.max_steps"))]
    done = rowspace("train", *words, *text, cwd=tmp_path)
    assert done.code == 0, done.stderr
    (tmp_path / "corpus.txt").unlink()
    done = rowspace("probe", str(run_folder(tmp_path)), "probes=length", *QUICK, cwd=tmp_path)
    assert done.code == 2
    assert "the text of this run cannot be read any more: data.files: 'corpus.txt' does not exist" in done.stderr
    assert "Traceback" not in done.stderr
    assert rowspace("generate", str(run_folder(tmp_path)), "prompt=line", "n=3", cwd=tmp_path).code == 0


@pytest.mark.parametrize("prompt", ["it's, so", "${oc.env:HOME} {a: [b]}", "-", "a\nb\t\x1b[31m", "=x,y"])
def test_a_hostile_prompt_comes_back_as_it_was_typed(
    rowspace: Client, finished: Path, tmp_path: Path, prompt: str
) -> None:
    done = rowspace("generate", str(finished), f"prompt={prompt}", "n=5", "stop=e", cwd=tmp_path)
    assert done.code == 0, done.stderr
    shown = "" if prompt == "-" else prompt
    assert done.stdout.startswith(shown)
    assert "e" not in done.stdout.removeprefix(shown)
