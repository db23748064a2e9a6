"""`rowspace trace`: where the page goes, what is printed, and what is refused in one sentence."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from rowspace.commands import trace as command
from rowspace.composition import hydra_words
from rowspace.config import Call
from rowspace.errors import ConfigError, MachineError
from rowspace.runfolder import RunFolder
from tests.parts import model, names, option, shape
from tests.report.traced import counts, tokenizer

SETTINGS = {"path": "run", "text": "the cat sat", "ends": False, "top": 5, "weights": "best", "output": None}


@pytest.fixture
def run(tmp_path, monkeypatch: pytest.MonkeyPatch):
    """A run that was never trained; `run.body` can be changed."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text('{"status": "finished", "metrics": {"val/bpb": 1.5}}')
    fitted = tokenizer()
    config = SimpleNamespace(body=option("body", "decoder"), position=option("position", "rope"))
    config.probes = SimpleNamespace(blocked=None)
    config.model_dump = lambda mode: {"body": {"name": "decoder"}, "tokenizer": {"name": "bpe"}}
    restored = SimpleNamespace(
        folder=RunFolder(tmp_path / "run"),
        config=config,
        tokenizer=fitted,
        model=model(fitted.vocab_size, model=shape(n_ctx=32)),
        step=40,
        table=lambda which: SimpleNamespace(counts=counts(fitted)),
    )
    monkeypatch.setattr("rowspace.restore.restore", lambda path, weights: restored)
    return restored


def traced(folder: Path | None = None, **changes) -> None:
    """The command, as if typed."""
    command.run(command.load({**SETTINGS, **changes}), Call(command=("rowspace", "trace", "text=it's"), folder=folder))


def test_the_page_goes_into_the_runs_folder_and_its_path_is_the_last_line(run, capsys):
    traced()
    lines = capsys.readouterr().out.splitlines()
    page = run.folder.path / "trace.html"
    assert lines[-1] == f"page: {page}"
    assert lines[0].startswith("3 tokens, 11 bytes: ")
    assert "rowspace trace &#39;text=it&#39;" in page.read_text()
    assert [path.name for path in run.folder.path.iterdir()] == ["run.json", "trace.html"]


def test_the_page_goes_where_it_is_asked_for(run, tmp_path, capsys):
    (tmp_path / "pages").mkdir()
    traced(output=str(tmp_path / "pages" / "cat.html"))
    traced(folder=tmp_path / "hydra")
    assert (tmp_path / "pages" / "cat.html").exists()
    assert (tmp_path / "hydra" / "trace.html").exists()
    assert not (run.folder.path / "trace.html").exists()
    assert capsys.readouterr().out.count("page: ") == 2


def test_a_page_that_cannot_be_written_is_the_machines_fault(run, tmp_path):
    with pytest.raises(MachineError, match="cannot write"):
        traced(output=str(tmp_path / f"{'long' * 80}.html"))


@pytest.mark.parametrize("nowhere", ["no/such/trace.html", "file/trace.html", "no/trace.html"])
def test_no_folder_is_made_for_a_page(run, tmp_path, nowhere: str, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"output: .* was given; a file in a folder that exists"):
        traced(output=nowhere)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "run"]


@pytest.mark.parametrize("taken", [".", "..", "folder", "run.json", "best.ckpt"])
def test_only_a_page_is_written_over(run, taken: str, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name in ("run.json", "best.ckpt"):
        (tmp_path / name).write_text("kept")
    with pytest.raises(ConfigError, match=r"output: .* was given; a file whose name ends in \.html"):
        traced(output=taken)
    assert {path.name: path.is_file() and path.read_text() for path in tmp_path.iterdir() if path.name != "run"} == {
        "folder": False,
        "run.json": "kept",
        "best.ckpt": "kept",
    }


@pytest.mark.parametrize("body", [name for name in names("body") if not option("body", name).continues])
def test_a_body_that_does_not_continue_text_is_refused_with_one_that_does(run, body: str):
    run.config.body = option("body", body)
    with pytest.raises(ConfigError) as error:
        traced()
    assert str(error.value).startswith(f"path: the run's body={body} gives no probability to each next token")
    assert "body=decoder" in str(error.value)


@pytest.mark.parametrize("body", [name for name in names("body") if option("body", name).continues])
def test_every_body_that_continues_text_is_traced(run, body: str, capsys):
    run.config.body = option("body", body)
    run.model = model(run.tokenizer.vocab_size, model=shape(n_ctx=32), body=body, position="none")
    traced()
    out = capsys.readouterr().out
    assert "each layer" in out
    assert "position=rope" in out


def test_an_empty_text_and_bytes_that_are_not_utf8_are_refused(run):
    with pytest.raises(ConfigError, match="text: has no token in this run's bpe tokenizer"):
        traced(text="")
    with pytest.raises(ConfigError, match="text: holds bytes that are not UTF-8"):
        traced(text="a\udcff")


def test_every_problem_is_named_at_once():
    with pytest.raises(ConfigError) as error:
        command.load({**SETTINGS, "top": 0, "weights": "worst", "ends": "maybe", "output": "", "text": None})
    message = str(error.value)
    assert all(f"{key}: " in message for key in ("top", "weights", "ends", "output", "text"))


def test_a_text_is_taken_as_it_is_typed():
    words = hydra_words("trace", ["outputs/latest", "text=it's, a = test"])
    assert words == ["path='outputs/latest'", "text='it\\'s, a = test'"]


def test_words_of_the_runs_block_list_are_masked_on_the_page_and_in_the_terminal(run, tmp_path, capsys):
    (tmp_path / "words.json").write_text('{"words": ["sat"]}')
    run.config.probes.blocked = str(tmp_path / "words.json")
    command.run(command.Trace(**{**SETTINGS, "path": str(tmp_path / "run")}), Call(("rowspace", "trace")))
    shown, page = capsys.readouterr().out, (tmp_path / "run" / "trace.html").read_text()
    assert "sat" not in shown.split("page:")[0]
    assert "■■■" in shown
    assert "■■■" in page
    assert ">␣sat<" not in page
