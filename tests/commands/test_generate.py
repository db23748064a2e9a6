"""Continuations at the terminal: whole characters only, no steering, the stated seed, problems named."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from rowspace.commands import generate as command
from rowspace.config import Call
from rowspace.errors import ConfigError
from tests.parts import model, option, shape

SETTINGS = {
    "path": "run",
    "prompt": "né",
    "n": 20,
    "stop": None,
    "temperature": 1.0,
    "top_k": None,
    "top_p": None,
    "seed": 3,
    "weights": "best",
    "cache": True,
}


@pytest.fixture(scope="module")
def tokenizer():
    """The byte tokenizer, which splits characters."""
    return option("tokenizer", "byte").fit(["abc"])


@pytest.fixture
def trained(tokenizer, monkeypatch: pytest.MonkeyPatch):
    """A run that needs no folder."""
    lm = model(tokenizer.vocab_size, model=shape(n_ctx=32))
    config = SimpleNamespace(
        stream_seed=lambda stream: {"generation": 3}[stream],
        body=option("body", "decoder"),
        position=option("position", "rope"),
        probes=SimpleNamespace(blocked=None),
    )
    run = SimpleNamespace(tokenizer=tokenizer, model=lm, config=config)
    monkeypatch.setattr("rowspace.restore.restore", lambda path, weights: run)
    return run


def printed(capsys: pytest.CaptureFixture[str], **changes) -> str:
    """stdout of the command."""
    command.run(command.load({**SETTINGS, **changes}), Call(command=("rowspace", "generate")))
    return capsys.readouterr().out


def test_the_prompt_comes_first_and_a_seed_repeats_the_rest(trained, capsys):
    first = printed(capsys)
    assert first.startswith("né")
    assert first.endswith("\n")
    assert printed(capsys) == first
    assert printed(capsys, seed=4) != first
    assert printed(capsys, seed=None) == first


def test_an_empty_prompt_begins_a_document(trained, capsys):
    assert len(printed(capsys, prompt="")) > 1


def test_characters_wait_for_their_last_byte(tokenizer):
    start = [tokenizer.eos_id, *tokenizer.encode("a")]
    new = tokenizer.encode("é😀b")
    shown = list(command.pieces(tokenizer, start, new))
    assert shown == ["", "é", "", "", "", "😀", "b", ""]


def test_bytes_that_never_become_a_character_are_marked(tokenizer):
    half = tokenizer.encode("é")[:1]
    assert list(command.pieces(tokenizer, [tokenizer.eos_id], half)) == ["", "\ufffd"]
    assert "".join(command.pieces(tokenizer, [tokenizer.eos_id], [*half, *tokenizer.encode("b")])) == "\ufffdb"


def test_the_pieces_of_every_tokenizer_add_up_to_its_text():
    text = "the cat sat on the mat and the cat ran"
    for name in ("word", "char", "bpe"):
        fitted = option("tokenizer", name, vocab_size={"word": 7, "char": 265, "bpe": 262}[name]).fit([text] * 3)
        start, new = [fitted.eos_id, *fitted.encode("the cat")], fitted.encode(" sat on the mat")
        shown = fitted.decode(start) + "".join(command.pieces(fitted, start, new))
        assert shown == fitted.decode([*start, *new])


def test_a_terminal_is_not_steered_by_tokens_and_a_pipe_gets_the_text(monkeypatch, capsys):
    command.write("a\x1b[31mb\nc")
    assert capsys.readouterr().out == "a\x1b[31mb\nc"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    command.write("a\x1b[31mb\nc")
    assert capsys.readouterr().out == "a\\x1b[31mb\nc"


def test_a_reader_hears_how_a_prompt_was_read_and_of_one_longer_than_the_window():
    fitted = option("tokenizer", "word", vocab_size=5, lowercase=True).fit(["red, red, blue, blue"] * 3)
    start = [fitted.eos_id, *fitted.encode("Red unseen")]
    (note,) = command.notes(fitted, "Red unseen", start, 12)
    assert note == f"This run's word tokenizer reads the prompt as: {fitted.decode(start)}"
    assert "unseen" not in note
    assert any("the model sees the last 2" in note for note in command.notes(fitted, "Red unseen", start, 2))
    assert list(command.notes(fitted, "red", [fitted.eos_id, *fitted.encode("red")], 12)) == []


def test_bytes_that_are_not_utf8_are_refused():
    with pytest.raises(ConfigError, match="not UTF-8"):
        command.valid("a\udcff")


def test_every_problem_is_named_at_once():
    with pytest.raises(ConfigError) as error:
        command.load(
            {**SETTINGS, "n": 0, "temperature": -1.0, "top_k": 0, "top_p": 2.0, "seed": 2**31, "weights": "worst"}
        )
    message = str(error.value)
    assert all(f"{key}: " in message for key in ("n", "temperature", "top_k", "top_p", "seed", "weights"))


@pytest.mark.parametrize(
    ("texts", "stop", "shown"),
    [
        (["a b", "c. d"], ["."], "a bc"),
        (["one", ", ", "two; ", "three"], ["; "], "one, two"),
        (["ab", "c", "ab", "d"], ["abd"], "abc"),
        (["aab"], ["ab", "aa"], ""),
        (["x\n", "\ny"], ["\n\n"], "x"),
        (["a", "b"], ["abc"], "ab"),
        (["aaa", "ab"], ["aab"], "aa"),
        ([".", "x"], ["."], ""),
        (["a", "b"], [], "ab"),
        (["", "é", ""], ["é"], ""),
    ],
)
def test_a_continuation_ends_before_the_first_stop_text_however_it_is_cut(texts, stop, shown):
    assert "".join(command.until(texts, stop)) == shown
    assert "".join(command.until("".join(texts), stop)) == shown
    assert "".join(command.until(["".join(texts)], stop)) == shown


def test_text_is_shown_as_soon_as_it_cannot_become_a_stop_text_and_nothing_is_asked_for_after_one():
    asked = []

    def texts():
        for text in ["a", "b", "a", "b", "c", "more"]:
            asked.append(text)
            yield text

    assert list(command.until(texts(), ["abc"])) == ["", "", "ab", "", ""]
    assert "more" not in asked


def test_a_stop_text_ends_what_is_printed_and_may_be_one_text_or_several(trained, capsys):
    whole = printed(capsys).removesuffix("\n")
    character = whole[8]
    cut = whole[: whole.index(character, 2)]
    assert printed(capsys, stop=character) == cut + "\n"
    assert printed(capsys, stop=["not in it at all", character]) == cut + "\n"
    with pytest.raises(ConfigError, match="stop"):
        command.load({**SETTINGS, "stop": ""})


def test_the_text_is_the_same_with_and_without_the_cache(trained, capsys):
    for temperature in (0.0, 1.0):
        long = {"n": 80, "temperature": temperature}
        assert printed(capsys, **long) == printed(capsys, **long, cache=False)


def test_a_body_that_continues_no_text_is_refused_with_what_would_do(trained):
    trained.config.body = option("body", "encoder")
    with pytest.raises(ConfigError, match=r"run has body=encoder, which learned to fill gaps .* such as body=decoder"):
        command.run(command.load(SETTINGS), Call(command=("rowspace", "generate")))


def test_a_scheme_that_stretches_reads_the_whole_text_each_time_and_says_so(trained, capsys):
    trained.config.position = option("position", "rope_dynamic_ntk")
    command.run(command.load(SETTINGS), Call(command=("rowspace", "generate")))
    assert "position=rope_dynamic_ntk reads a longer text otherwise" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("texts", "cut"),
    [
        (["the c", "at", " sat"], ["the ", "", "cat ", "sat"]),
        (["caf", "\u00e9", "!"], ["", "", "caf\u00e9!", ""]),
        (["a1b"], ["a1", "b"]),
        ([], [""]),
    ],
)
def test_no_word_is_cut_in_two_so_that_it_is_masked_whole(texts, cut):
    assert list(command.whole_words(texts)) == cut


def test_words_of_the_runs_block_list_are_masked(trained, tmp_path, capsys):
    (tmp_path / "words.json").write_text('{"words": ["cat"]}')
    trained.config.probes.blocked = str(tmp_path / "words.json")
    assert printed(capsys, prompt="the cat, a category. ").startswith("the ■■■, a category. ")
