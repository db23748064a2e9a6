"""The figure of margins: sorted, frequency beside, failures marked by shape, hostile prompts as text."""

import json

from rowspace.figures.cloze import MOST, draw_margins


def row(margin, prompt="The cat sat on the", unigram=0.1, word="mat"):
    return {"prompt": prompt, "margin": margin, "unigram_margin": unigram, "likely": [word], "unlikely": ["banana"]}


def test_the_worst_prompt_is_at_the_bottom_and_failures_have_a_mark_of_their_own():
    found = draw_margins([row(2.0, "best"), row(-1.0, "worst"), row(0.0, "tied"), row(None, "left out")])
    frequency, likely, unlikely = found.data
    assert list(found.layout.yaxis.ticktext) == ["worst", "tied", "best"]
    assert list(likely.x) == [2.0]
    assert list(unlikely.x) == [-1.0, 0.0]
    assert likely.marker.symbol != unlikely.marker.symbol
    assert list(frequency.x) == [0.1] * 3
    assert frequency.marker.color == "#8a8a8a"


def test_unknown_frequencies_are_not_drawn():
    assert draw_margins([row(1.0, unigram=None)]).data[0].name == "likely first"


def test_of_many_prompts_the_worst_and_the_best_are_drawn():
    found = draw_margins([row(float(n)) for n in range(3 * MOST)])
    assert len(found.layout.yaxis.ticktext) == MOST
    drawn = [*found.data[1].x, *found.data[2].x]
    assert min(drawn) == 0
    assert max(drawn) == 3 * MOST - 1


def test_markup_and_hidden_characters_are_shown_as_text():
    found = draw_margins([row(1.0, "<b>x\u202e", word="<a href=x>\u202e")])
    text = json.dumps(found.to_plotly_json(), default=list, ensure_ascii=False)
    assert "<b>x" not in text
    assert "<a href" not in text
    assert "\u202e" not in text
    assert "bdata" not in text
