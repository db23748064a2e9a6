"""trace.html and the terminal's lines as text: the answer first, every step, escaped, light."""

import re
from math import exp

import pytest

from rowspace.figures.blocked import Blocked, hash_word
from rowspace.report.trace import find_notes, find_scale, render, say_headline, say_probability, write
from rowspace.report.trace_facts import MOST_TOKENS, masked
from rowspace.report.trace_lines import summary
from rowspace.report.trace_steps import find_positions, find_row_lines, say_other_rows
from tests.parts import model, option, shape
from tests.report.traced import about, tokenizer, traced

TEXT = "the cat sat, it's late"
HOSTILE = "</script><script>window.hacked=1</script><b>x</b> <eos> \x1b[31m\x00\u202eabc \u05d0\u05d1 'q' = {{ 7*7 }}"


def wide(name: str):
    """A model whose window holds more than a page."""
    return model(tokenizer(name).vocab_size, model=shape(n_ctx=400, layers=6))


@pytest.fixture(scope="module")
def trace():
    return traced(TEXT)


@pytest.fixture(scope="module")
def page(trace) -> str:
    return render(trace, about())


def text_of(page: str) -> str:
    """What a reader sees, roughly."""
    return re.sub(r"\s+", " ", re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", page, flags=re.S))


def test_a_blocked_word_is_masked_where_several_pieces_spell_it():
    words = Blocked([hash_word("sat")])
    made = traced(TEXT, tokenizer("char"))
    shown = masked(made, words)
    assert [piece.text for piece in shown.pieces[9:12]] == ["■■■"] * 3
    assert [piece.text for piece in shown.targets[8:11]] == ["■■■"] * 3
    assert [piece.text for piece in shown.pieces[:9]] == [piece.text for piece in made.pieces[:9]]
    assert shown.vocabulary == made.vocabulary  # a letter alone tells nothing
    assert "■■■" in text_of(render(made, about(), words))
    assert masked(made, Blocked([])).vocabulary == made.vocabulary


def test_the_first_sentence_is_the_result_and_names_the_most_surprising_piece(trace, page):
    counted, cost, piece, bits = say_headline(trace)
    assert counted == f"{trace.tokens} tokens, 22 bytes"
    assert cost == f"{trace.bpb:.2f} bits per byte"
    seen = text_of(page)
    assert f"{counted}: {cost} . The most surprising piece is {piece} : {bits}" in seen
    assert "frequencies" in seen
    assert "blind guess" in seen
    assert "On its validation text this model needs 1.500 bits per byte" in seen


def test_steps_come_in_the_order_of_the_walk_and_each_is_linked(page):
    names = ["answer", "text", "rows", "position", "layers", "scores", "loss", "back", "credit"]
    places = [page.index(f'id="{name}"') for name in names]
    assert places == sorted(places)
    assert all(f'href="#{name}"' in page for name in names)


def test_hostile_text_is_shown_and_never_markup():
    trace = traced(HOSTILE, tokenizer("char"), lm=wide("char"))
    assert trace.left_out == 0
    page = render(trace, about(command=HOSTILE, folder=HOSTILE, name=HOSTILE))
    assert re.findall(r"<script\b[^>]*>", page) == ["<script>"]
    assert HOSTILE not in page
    assert "\x1b" not in page
    assert "\x00" not in page
    assert "\u202e" not in page
    assert "<b>x" not in page
    assert "&lt;b&gt;x" in page


def test_hostile_text_does_not_steer_a_terminal():
    lines = "\n".join(summary(traced(HOSTILE, tokenizer("char"), lm=wide("char")), about()))
    assert all(character.isprintable() or character == "\n" for character in lines)
    assert "<0x1B>" in lines


def test_the_policy_allows_one_known_script_and_no_network(page):
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1].replace("&#39;", "'")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert re.fullmatch(r"'sha256-[A-Za-z0-9+/=]{44}'", rules["script-src"])
    assert not re.findall(r'(?:src|href)="(?!#)', page)


def test_the_longest_walk_is_a_light_page():
    trace = traced("x y z " * 100, tokenizer("byte"), lm=wide("byte"))
    assert trace.T == MOST_TOKENS
    assert len(render(trace, about()).encode()) < 3_000_000


def test_every_position_says_what_was_expected_and_what_came(trace):
    for entry in find_positions(trace):
        lines = entry["lines"]
        assert [line["p"] for line in lines[:4]] == sorted((line["p"] for line in lines[:4]), reverse=True)
        if entry["target"] is None:
            assert not any(line["hit"] for line in lines)
            continue
        (hit,) = [line for line in lines if line["hit"]]
        assert hit["id"] == entry["target"].id
        assert hit["p"] == pytest.approx(exp(-trace.walk.nats[entry["at"]]))
        assert hit["pull"] == pytest.approx(hit["p"] - 1)
        assert hit["rank"] == entry["rank"]
        assert all(line["pull"] == line["p"] for line in lines if line is not hit)
        assert entry["lens"][-1]["target_p"] == pytest.approx(hit["p"])


def test_the_bars_are_this_model_frequencies_and_a_blind_guess(trace):
    names, values, places = zip(*find_scale(trace), strict=True)
    assert names == ("this model", "frequencies", "blind guess")
    assert values[0] == pytest.approx(trace.bpb)
    assert max(places) < 1
    assert places[0] / places[2] == pytest.approx(values[0] / values[2])


def test_tied_and_untied_rows_tell_their_sides_apart():
    tied, untied = (traced(TEXT, head=option("head", "linear", tie=tie)) for tie in (True, False))
    V, read = tied.V, len({piece.id for piece in tied.pieces[:-1]})
    assert say_other_rows(tied).startswith(f"{V} of {V} rows get a gradient: {read} because they were looked up")
    assert f"Of the {V} rows of E {read} get a gradient" in say_other_rows(untied)
    for line in find_row_lines(untied):
        assert line["whole"] == pytest.approx(line["input"])
        assert (line["input"] > 0) is bool(line["read"] and line["id"] != untied.pieces[-1].id)
    unread = [line for line in find_row_lines(tied) if not line["held"]]
    assert len(unread) == 5
    assert all(line["input"] == 0 < line["output"] == line["whole"] for line in unread)
    assert "(row of U)" in render(untied, about())


def test_added_positions_are_shown_beside_the_rows_and_rotations_are_said(page):
    assert "length of P" not in page
    added = text_of(render(traced(TEXT, position="learned"), about()))
    assert "length of P" in added
    assert "times as long as the position on average" in added
    assert "positions" in added


def test_what_is_missing_is_said_on_the_page_and_in_the_terminal():
    unknown = traced("the zebra", tokenizer("word"))
    long = traced("cat sat " * 100, tokenizer("byte"))
    for trace, said in (
        (unknown, "Bits per byte do not exist here: the text decodes"),
        (long, "768 more are left out"),
    ):
        assert any(said in note for note in find_notes(trace))
        assert said in text_of(render(trace, about())).replace("&#39;", "'")
        assert said in "\n".join(summary(trace, about()))
    assert "bits per token" in say_headline(unknown)[1]
    assert "1 piece is <unk>: the vocabulary does not have that text" in "\n".join(find_notes(unknown))


def test_the_terminal_says_the_same_in_lines(trace):
    lines = summary(trace, about())
    assert lines[0].startswith(f"{trace.tokens} tokens, 22 bytes: {trace.bpb:.2f} bits per byte; the most surprising")
    text = "\n".join(lines)
    for part in ("each position", "each layer", "gradient of the summed loss at each row", "perplexity", "attention"):
        assert part in text


def test_many_layers_fit_a_terminal_with_the_first_and_the_last():
    lines = "\n".join(summary(traced("cat", tokenizer("byte"), lm=wide("byte")), about())).split("\n")
    head = next(line for line in lines if line.startswith("t  piece  cos"))
    assert [depth for depth in range(7) if f"H{depth}" in head] == [0, 2, 4, 6]
    assert max(map(len, lines)) < 200


def test_one_token_has_no_most_surprising_one():
    trace = traced("t", tokenizer("byte"))
    assert say_headline(trace)[:2] == ("1 token, 1 byte", f"{trace.bpb:.2f} bits per byte")
    assert say_headline(trace)[2] == ""
    assert "most surprising piece" not in text_of(render(trace, about()))


@pytest.mark.parametrize(
    ("p", "said"),
    [
        (0.0, "0"),
        (1e-15, "1 in 1e+15"),
        (1e-7, "1 in 10 M"),
        (1 / 52469, "1 in 52,000"),
        (0.00021, "0.021 %"),
        (0.12345, "12.3 %"),
        (1.0, "100 %"),
    ],
)
def test_probabilities_are_said_for_people(p: float, said: str):
    assert say_probability(p) == said


def test_the_page_is_written_whole_where_it_is_asked_for(trace, tmp_path):
    file = write(tmp_path / "new" / "page.html", trace, about())
    assert file.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [path.name for path in file.parent.iterdir()] == ["page.html"]
