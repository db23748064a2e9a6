"""The list of metrics: unique, complete sentences, and able to find every key that is logged."""

import re

from rowspace.metrics.catalogue import METRICS, find_metric


def test_keys_are_unique_and_patterns_do_not_overlap():
    keys = [metric.key for metric in METRICS]
    assert len(keys) == len(set(keys))
    for metric in METRICS:
        filled = metric.key.replace("{table}", "E").replace("{split}", "test").replace("{decile}", "10")
        filled = filled.replace("{component}", "block_2_attention").replace("{count}", "100")
        assert [other.key for other in METRICS if re.fullmatch(other.pattern, filled)] == [metric.key]
        assert find_metric(filled) is metric


def test_every_metric_has_a_direction_a_null_a_unit_and_a_meaning():
    for metric in METRICS:
        assert metric.better in ("lower", "higher", "neither")
        assert metric.null
        assert metric.unit
        assert metric.meaning.endswith(".")


def test_a_null_belongs_to_the_key_that_has_one_and_to_no_other():
    assert find_metric("geometry/U/mean_cosine_raw/null").key == "geometry/{table}/mean_cosine_raw"
    assert find_metric("geometry/U/mean_cosine_raw/null_sd") is not None
    assert find_metric("val/loss/null") is None
    assert find_metric("geometry/X/mean_cosine_raw") is None
    assert find_metric("geometry/E/row_norm_decile_11") is None
    assert find_metric("made/up") is None
