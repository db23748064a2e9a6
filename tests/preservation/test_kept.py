"""Which ladder is which: the hash turns with all that decides a cell, and what is on disk is read or refused."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from rowspace.errors import ConfigError, MachineError
from rowspace.preservation.export import to_json
from rowspace.preservation.kept import (
    FILE,
    KnownRun,
    full_hash,
    know_run,
    known,
    name_of,
    refuse_run_folder,
    taken_back,
)
from tests.preservation.lines import recorded

TEXT = SimpleNamespace(data_sha256="d", tokenizer_sha256="t", tokenizer_name="bpe300")
RUN = KnownRun(Path("outputs/r"), "hash", "weights", "d", "t")


def test_the_hash_turns_with_settings_text_tokenizer_and_weights():
    other = [
        full_hash({"seed": 1}, TEXT, [RUN]),
        full_hash({"seed": 0}, SimpleNamespace(**{**vars(TEXT), "data_sha256": "e"}), [RUN]),
        full_hash({"seed": 0}, SimpleNamespace(**{**vars(TEXT), "tokenizer_sha256": "e"}), [RUN]),
        full_hash({"seed": 0}, TEXT, [KnownRun(RUN.path, "hash", "other", "d", "t")]),
        full_hash({"seed": 0}, TEXT, []),
    ]
    own = full_hash({"seed": 0}, TEXT, [RUN])
    assert len({own, *other}) == 6
    assert own == full_hash({"seed": 0}, TEXT, [KnownRun(Path("elsewhere"), "hash", "weights", "d", "t")])
    assert name_of("glosses", TEXT, own) == f"glosses_bpe300-{own[:8]}"


def test_a_run_of_another_text_or_tokenizer_is_refused_by_name():
    RUN.refuse_other(TEXT)
    for run, said in (
        (KnownRun(Path("outputs/r"), "h", "w", "other", "t"), "outputs/r was trained on another text"),
        (KnownRun(Path("outputs/r"), "h", "w", "d", "other"), "outputs/r has tokenizer other"),
    ):
        with pytest.raises(ConfigError, match=said):
            run.refuse_other(TEXT)


def test_a_folder_without_checkpoint_is_no_run_to_measure(tmp_path):
    with pytest.raises(ConfigError, match=r"no run\.json"):
        know_run(tmp_path, "best")
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"best\.ckpt cannot be read"):
        know_run(tmp_path, "best")


def test_the_same_ladder_is_found_and_another_is_refused(tmp_path):
    assert known(tmp_path, "x") is None
    record = recorded()
    (tmp_path / FILE).write_bytes(to_json(record))
    assert known(tmp_path, record["about"]["hash"]) == json.loads(to_json(record))
    with pytest.raises(ConfigError, match="another ladder"):
        known(tmp_path, "x")


def test_a_ladder_does_not_write_into_a_trained_run(tmp_path: Path) -> None:
    refuse_run_folder(tmp_path)
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"hydra\.run\.dir: .* holds a trained run"):
        refuse_run_folder(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"about": {"hash": "x"}}', '{"about": 1}', "[" * 100_000])
def test_a_damaged_matrix_is_one_sentence(tmp_path, text):
    (tmp_path / FILE).write_text(text)
    with pytest.raises(MachineError, match="damaged"):
        known(tmp_path, "x")


def test_tables_of_a_ladder_that_fails_are_taken_back_and_older_ones_stay(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        with taken_back(folder / "tables"):
            (folder / "tables").mkdir(parents=True, exist_ok=True)
            (folder / "tables" / "one_hot.safetensors").write_bytes(b"whole")
            raise ConfigError("above the rank")

    with pytest.raises(ConfigError, match="above the rank"):
        fail(tmp_path / "new")
    assert not (tmp_path / "new").exists()
    (tmp_path / "old" / "tables").mkdir(parents=True)
    (tmp_path / "old" / "tables" / "lsa.safetensors").write_bytes(b"of a ladder before")
    with pytest.raises(ConfigError, match="above the rank"):
        fail(tmp_path / "old")
    assert [path.name for path in (tmp_path / "old" / "tables").iterdir()] == ["lsa.safetensors"]
