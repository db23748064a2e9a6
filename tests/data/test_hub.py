"""A Hub dataset offline: local folders take the same path, and the network is played by a function."""

import json
import os
from pathlib import Path

import datasets
import pytest
from datasets import Dataset, DatasetDict

from rowspace.data import hub
from rowspace.data.hub import Hub
from rowspace.errors import ConfigError, MachineError

ROWS = ["first\r\n", "", "zweite é", "third\n\nline", "2020-01-01"]
KEPT = [row.encode() for row in ROWS if row]


def option(path, **changed):
    values = {
        "name": "hub", "path": str(path), "config": None, "split": "train", "column": "text", "revision": None,
        "documents": "packed", "val_fraction": 0.05, "test_fraction": 0.05, "take": None,
    }  # fmt: skip
    return Hub(**(values | changed))


@pytest.fixture(autouse=True)
def quiet(tmp_path, monkeypatch):
    """Nothing outside the test's folder is written, and progress bars of the library stay as they were."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "hf")
    yield
    datasets.enable_progress_bars()


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "dataset"
    folder.mkdir()
    return folder


def table():
    return Dataset.from_dict({"text": ROWS, "label": list(range(len(ROWS)))})


@pytest.mark.parametrize("take", [None, 4])
@pytest.mark.parametrize("kind", ["save_to_disk", "splits", "parquet", "jsonl"])
def test_a_local_dataset_folder_takes_the_same_path(folder, cache, kind, take):
    if kind == "save_to_disk":
        table().save_to_disk(str(folder))
    elif kind == "splits":
        DatasetDict({"train": table(), "test": table().select([0])}).save_to_disk(str(folder))
    elif kind == "parquet":
        table().to_parquet(str(folder / "train-00000-of-00001.parquet"))
        table().select([0]).to_parquet(str(folder / "test-00000-of-00001.parquet"))
    else:
        rows = [json.dumps({"text": row}) for row in ROWS]
        # a date alone in the column would be taken for a timestamp by the library
        (folder / "train.jsonl").write_text("\n".join(rows) + "\n")
    found = option(folder, take=take).load(cache=cache)
    expected = KEPT if take is None else KEPT[:3]
    assert list(found.texts) == expected
    assert "1 rows without a text were left out" in found.notes
    assert str(folder) in found.attribution


def test_another_split_is_another_corpus(folder, cache):
    DatasetDict({"train": table(), "test": table().select([0])}).save_to_disk(str(folder))
    assert list(option(folder, split="test").load(cache=cache).texts) == KEPT[:1]
    with pytest.raises(ConfigError, match=r"data.split: 'dev'; .* has test, train"):
        option(folder, split="dev").load(cache=cache)


def test_a_changed_file_of_the_same_size_and_time_is_read_anew(folder, cache):
    path = folder / "train.jsonl"
    path.write_text('{"text": "one"}\n')
    stat = path.stat()
    assert list(option(folder).load(cache=cache).texts) == [b"one"]
    path.write_text('{"text": "two"}\n')
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert list(option(folder).load(cache=cache).texts) == [b"two"]


@pytest.mark.parametrize("take", [None, 3])
def test_a_column_that_does_not_exist_names_those_that_do(folder, cache, take):
    table().to_parquet(str(folder / "train.parquet"))
    with pytest.raises(ConfigError, match=r"data.column: 'body'; .* has the columns 'text', 'label'"):
        option(folder, column="body", take=take).load(cache=cache)


def test_a_column_of_numbers_is_no_text(folder, cache):
    table().to_parquet(str(folder / "train.parquet"))
    for take in (None, 3):
        with pytest.raises(ConfigError, match=r"data.column: 'label' of .* holds int(64)?, not text"):
            option(folder, column="label", take=take).load(cache=cache)


def test_a_split_or_file_that_does_not_exist_is_one_line(folder, cache):
    table().to_parquet(str(folder / "train.parquet"))
    with pytest.raises(ConfigError, match=r"cannot be read: .*dev.*") as caught:
        option(folder, split="dev").load(cache=cache)
    assert "\n" not in str(caught.value)
    with pytest.raises(ConfigError, match=r"'./none' is no folder; give one that exists, or a name on the Hub"):
        option("./none").load(cache=cache)


def test_without_a_network_a_hub_name_is_refused_in_seconds_in_one_line(cache, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")  # nothing listens on the discard port
    with pytest.raises(
        MachineError, match=r"'owner/name' is on the Hugging Face Hub, and .* cannot be reached"
    ) as caught:
        option("owner/name").load(cache=cache)
    assert "\n" not in str(caught.value)
    assert "data=glosses" in str(caught.value)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(MachineError, match=r"HF_HUB_OFFLINE is set"):
        option("owner/name").load(cache=cache)


@pytest.fixture
def network(monkeypatch):
    """A Hub with one dataset at commit `c1`; `calls` are the loads that reached it, `state` can cut the network."""
    calls: list[dict] = []
    state = {"why": None}

    def load_dataset(path, *, name, split, revision, streaming, cache_dir):
        assert state["why"] is None
        calls.append({"path": path, "name": name, "split": split, "revision": revision, "streaming": streaming})
        return table().to_iterable_dataset() if streaming else table()

    monkeypatch.setattr(datasets, "load_dataset", load_dataset)
    monkeypatch.setattr(hub, "_why_offline", lambda: state["why"])
    monkeypatch.setattr(hub, "_resolve", lambda path, revision: "c1" if revision is None else revision)
    return calls, state


def test_a_hub_dataset_is_fetched_once_at_its_commit(cache, network):
    calls, _ = network
    first = option("owner/name", config="small").load(cache=cache)
    second = option("owner/name", config="small").load(cache=cache)
    assert list(first.texts) == list(second.texts) == KEPT
    assert first.sha256 == second.sha256
    assert calls == [{"path": "owner/name", "name": "small", "split": "train", "revision": "c1", "streaming": False}]
    assert "owner/name at commit c1" in first.attribution


def test_take_streams_and_is_stored_apart_by_number_and_commit(cache, network):
    calls, _ = network
    assert list(option("owner/name", take=3).load(cache=cache).texts) == KEPT[:2]
    assert list(option("owner/name", take=4).load(cache=cache).texts) == KEPT[:3]
    assert list(option("owner/name", take=4, revision="c2").load(cache=cache).texts) == KEPT[:3]
    assert [call["streaming"] for call in calls] == [True] * 3
    assert [call["revision"] for call in calls] == ["c1", "c1", "c2"]


def test_without_a_network_what_was_fetched_before_is_used_and_said(cache, network):
    _, state = network
    option("owner/name").load(cache=cache)
    state["why"] = "the cable is out"
    found = option("owner/name").load(cache=cache)
    assert list(found.texts) == KEPT
    assert found.notes[0] == "the cable is out: the copy of owner/name that was fetched before is used"
    with pytest.raises(MachineError, match=r"the cable is out"):
        option("owner/name", take=3).load(cache=cache)
    assert not any(path.is_dir() for path in Path(cache, "texts").glob(".building*"))


def test_a_dataset_that_is_not_there_is_said_in_one_line(cache, network, monkeypatch):
    def absent(*_, **__):
        raise datasets.exceptions.DatasetNotFoundError("Dataset 'owner/name' doesn't exist\non the Hub")

    monkeypatch.setattr(datasets, "load_dataset", absent)
    with pytest.raises(ConfigError, match=r"'owner/name' cannot be read: Dataset 'owner/name' doesn't exist$"):
        option("owner/name").load(cache=cache)


def test_a_file_is_answered_with_the_option_that_reads_it(tmp_path, cache):
    (tmp_path / "my.txt").write_text("text")
    with pytest.raises(ConfigError, match=r"is a file; data=text data.files=.*my.txt reads it"):
        option(tmp_path / "my.txt").load(cache=cache)
