"""What the list of measures says may not change a number does not, and what must change it does."""

import numpy as np
import pytest
from scipy.stats import ortho_group

from rowspace.geometry.anatomy import Asking, measure_all
from rowspace.geometry.measures import MEASURES
from rowspace.metrics.catalogue import find_metric
from rowspace.table import Missing

ASKING = Asking(all_rows=10_000, queries=10_000, seed=0)
KEYS = [measure.key for measure in MEASURES]
HILL = (
    "stable_rank_uncentred",
    "participation_ratio_uncentred",
    "effective_rank_lambda_uncentred",
    "effective_rank_sigma_uncentred",
)


def matrices() -> list[np.ndarray]:
    """100 random tables: plain, leaning, rank-deficient, with V < d, a zero row, width 1, one row, equal rows."""
    random, found = np.random.default_rng(0), []
    for number in range(10):
        V, d = int(random.integers(30, 90)), int(random.integers(2, 30))
        plain = random.standard_normal((V, d)) * random.gamma(2.0, size=(V, 1))
        zero_row = plain + 0.3
        zero_row[number] = 0
        found += [
            plain,
            plain + random.standard_normal(d),
            plain * np.geomspace(1, 1e-2, d),
            random.standard_normal((V, 2)) @ random.standard_normal((2, d + 2)),
            random.standard_normal((max(d // 2, 3), d + 2)),
            zero_row,
            random.standard_normal((V, 1)) + 0.5,
            random.standard_normal((1, d)),
            np.tile(random.standard_normal(d), (V, 1)),
            plain + 2.0,
        ]
    return found


def measured(table: np.ndarray) -> dict[str, float | Missing]:
    return dict(measure_all(table, ASKING, searched=True).numbers)


def assert_same(one: dict, two: dict, keys: list[str], why: str) -> None:
    for key in keys:
        if isinstance(one[key], Missing) or isinstance(two[key], Missing):
            assert type(one[key]) is type(two[key]), (why, key, one[key], two[key])
        else:
            assert two[key] == pytest.approx(one[key], rel=1e-4, abs=1e-6), (why, key)


@pytest.mark.parametrize("part", range(10))
def test_a_hundred_tables_keep_the_order_of_hill_and_every_invariance(part):
    for number, table in enumerate(matrices()[part::10]):
        d = table.shape[1]
        numbers = measured(table)
        assert set(numbers) == set(KEYS)
        assert all(isinstance(value, Missing) or np.isfinite(value) for value in numbers.values())
        counts = [numbers[key] for key in HILL]
        if not any(isinstance(count, Missing) for count in counts):
            rank = float(np.linalg.matrix_rank(table))
            assert all(a <= b * (1 + 1e-9) for a, b in zip(counts, [*counts[1:], rank], strict=True)), counts
        turn = ortho_group.rvs(d, random_state=number) if d > 1 else np.array([[-1.0]])
        changes = {"rotation": table @ turn, "scale": table * 64.0, "shift": table + np.linspace(1, 2, d)}
        for change, other in changes.items():
            kept = [measure.key for measure in MEASURES if getattr(measure, change)]
            assert_same(numbers, measured(other), kept, f"table {part}, {change}")


@pytest.mark.parametrize("scale", [1e-150, 1e-30, 1e30, 1e150])
def test_very_small_and_very_large_tables_have_the_same_numbers(scale):
    table = np.random.default_rng(1).standard_normal((60, 8)) + 0.4
    assert_same(measured(table), measured(table * scale), KEYS, f"times {scale}")


@pytest.mark.parametrize("change", ["rotation", "shift"])
def test_a_number_that_is_not_called_invariant_really_changes(change):
    random = np.random.default_rng(2)
    table = random.standard_normal((300, 24)) * np.geomspace(1, 0.3, 24) + 0.4
    turn = ortho_group.rvs(24, random_state=3)
    numbers, other = measured(table), measured(table @ turn if change == "rotation" else table + 1.0)
    for measure in MEASURES:
        if not getattr(measure, change):
            assert other[measure.key] != pytest.approx(numbers[measure.key], rel=1e-3), measure.key


def test_the_gauge_of_an_untied_model_moves_no_number_that_is_called_invariant():
    random = np.random.default_rng(4)
    E, U = random.standard_normal((200, 16)) + 0.2, random.standard_normal((200, 16))
    turn, common = ortho_group.rvs(16, random_state=5), 3 * random.standard_normal(16)
    scores, moved = E @ U.T, (E @ turn) @ (U @ turn + common).T
    shares = [np.exp(side - side.max(1, keepdims=True)) for side in (scores, moved)]
    np.testing.assert_allclose(*(share / share.sum(1, keepdims=True) for share in shares), rtol=1e-9)
    both = [measure.key for measure in MEASURES if measure.rotation and measure.shift]
    assert_same(measured(E), measured(E @ turn), [m.key for m in MEASURES if m.rotation], "E turned")
    assert_same(measured(U), measured(U @ turn + common), both, "U turned and shifted")
    assert len(both) >= 9


def test_each_measure_is_declared_under_its_key_and_says_what_it_means():
    assert len(set(KEYS)) == len(KEYS)
    for measure in MEASURES:
        assert find_metric(f"probe/geometry/{measure.key}") is not None
        assert find_metric(f"probe/geometry/{measure.key}/frequency_null_sd") is not None
        assert measure.label
        assert measure.says
    assert {m.key for m in MEASURES if not m.rotation} == {f"rogue_share_{n}" for n in (1, 2, 3)}
    assert next(m for m in MEASURES if m.key == "isoscore").invariances == "rotation, shift, scale"
