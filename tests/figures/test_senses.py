"""Figures of senses: both cues, the band of chance in grey, and plain lists."""

import json

from rowspace.figures.senses import draw_accuracy, draw_silhouette, draw_similarity

ROWS = [
    {"layer": layer, "cue": cue, "accuracy": 0.4 + 0.1 * layer, "accuracy_chance": 0.4, "accuracy_low": 0.3}
    | {"accuracy_high": 0.5, "self_similarity_adjusted": 0.9, "intra_sentence_adjusted": 0.1, "mev_adjusted": None}
    | {"baseline_cosine": 0.05, "silhouette": -0.1 + 0.1 * layer, "silhouette_chance": -0.02}
    | {"silhouette_low": -0.05, "silhouette_high": 0.04}
    for layer in range(3)
    for cue in ("before", "after")
]


def test_both_cues_are_drawn_over_the_band_of_chance():
    found = draw_accuracy(ROWS)
    names = [trace.name for trace in found.data if trace.name]
    assert names == ["chance", "cue before the word", "cue behind the word"]
    assert list(found.data[1].y) == [0.5] * 3
    assert found.data[1].fill == "tonexty"
    assert found.layout.title.text.endswith("?")


def test_the_silhouette_stands_over_its_own_band():
    low, high, chance, before, _ = draw_silhouette(ROWS).data
    assert (list(low.y), list(high.y), list(chance.y)) == ([-0.05] * 3, [0.04] * 3, [-0.02] * 3)
    assert list(before.y) == [-0.1, 0.0, 0.1]


def test_one_cue_alone_has_its_chance_too():
    found = draw_accuracy([row for row in ROWS if row["cue"] == "after"])
    assert [trace.name for trace in found.data if trace.name] == ["chance", "cue behind the word"]
    assert len(draw_similarity([row for row in ROWS if row["cue"] == "after"]).data) == 4


def test_what_random_words_have_is_drawn_in_grey_and_everything_is_plain_lists():
    found = draw_similarity(ROWS)
    assert found.data[-1].line.color == "#8a8a8a"
    assert list(found.data[-1].y) == [0.05] * 3
    for figure in (found, draw_accuracy(ROWS)):
        assert "bdata" not in json.dumps(figure.to_plotly_json(), default=list)
        assert figure.layout.meta["alt"]
