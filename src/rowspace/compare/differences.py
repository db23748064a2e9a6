"""Every arm against a base, with verdicts that hold together.

Where the base is named beforehand, verdicts are held to 5 % over its pairs; where it is the arm that came out best,
over all pairs of arms, since any of them might have been it. Margins work alike, at 2.5 %: stricter than the usual two
one-sided tests.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence
from typing import Literal

from rowspace.compare.arms import samples
from rowspace.compare.axes import order_of
from rowspace.compare.base import Arm, Difference, Interval, Verdict
from rowspace.compare.intervals import FEW, LEVEL, Estimate, holm, paired, welch
from rowspace.table import Missing

Better = Literal["lower", "higher", "neither"]
Values = dict[Hashable, float]


def differences(
    arms: Sequence[Arm], base: Arm, metric: str, *, better: Better, margin: float | None, named: bool
) -> tuple[Difference, ...]:
    """Every other arm less the base. `named`: the user chose the base before looking."""
    values = [samples(arm, metric) for arm in arms]
    known_orders: dict[Hashable, int] = {}  # comparing numbers is cheap where there are many pairs
    orders = [known_orders.setdefault(frozenset(map(order_of, arm.runs)), len(known_orders)) for arm in arms]
    at = next(number for number, arm in enumerate(arms) if arm is base)
    pairs = [(i, at) for i in range(len(arms)) if i != at]
    if not named and any(len(own) > 1 for own in values):
        pairs += [(i, j) for i, j in itertools.combinations(range(len(arms)), 2) if at not in (i, j)]
    alike = {(i, j): is_paired(values[i], values[j]) and orders[i] == orders[j] for i, j in pairs}
    found = {pair: gap(values[pair[0]], values[pair[1]], pairing=alike[pair]) for pair in pairs}
    known = [pair for pair in pairs if found[pair] is not None]
    zero = dict(zip(known, holm([_of(found, pair).p_zero for pair in known]), strict=True))
    beyond = {}
    if margin is not None:
        beyond = dict(zip(known, holm([_of(found, pair).p_beyond(margin) for pair in known]), strict=True))
    out = []
    for i in (number for number in range(len(arms)) if number != at):
        estimate = found[i, at]
        interval = _lone(arms[i], base) if estimate is None else estimate.interval
        verdict = _verdict(interval.mean, zero.get((i, at)), beyond.get((i, at)), better)
        out.append(Difference(arms[i], base, interval, alike[i, at], margin, verdict))
    return tuple(out)


def is_paired(ours: Values, theirs: Values) -> bool:
    """Whether the same seeds were run, two or more."""
    return ours.keys() == theirs.keys() and len(ours) > 1


def gap(ours: Values, theirs: Values, *, pairing: bool) -> Estimate | None:
    """Ours less theirs; None where either has one seed."""
    if pairing:
        return paired(list(ours.values()), [theirs[seed] for seed in ours])
    return welch(list(ours.values()), list(theirs.values()))


def _of(found: dict[tuple[int, int], Estimate | None], pair: tuple[int, int]) -> Estimate:
    estimate = found[pair]
    assert estimate is not None
    return estimate


def _lone(arm: Arm, base: Arm) -> Interval:
    return Interval(arm.result.mean - base.result.mean, Missing(FEW), Missing(FEW), 1, Missing(FEW))


def _verdict(mean: float, zero: float | None, beyond: float | None, better: Better) -> Verdict:
    """From p-values that were adjusted for all pairs; None where there are none."""
    if beyond is not None and beyond <= LEVEL / 2:
        return "the same"
    if zero is None or zero > LEVEL or mean == 0:
        return "undecided"
    if better == "neither":
        return "higher" if mean > 0 else "lower"
    return "better" if (mean > 0) == (better == "higher") else "worse"
