"""Lesson 2, 4c: rotary positions, what they depend on, what they leave alone, and how far they carry."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import torch

from rowspace.claims.base import Asked, Verdict, at_least, at_most, claim, not_asked
from rowspace.claims.materials import BASE, rehearsed, scheme, window, with_scheme
from rowspace.errors import ConfigError
from rowspace.model.wiring import Turned, measure_turned
from rowspace.position.certificate import NOTICED, tolerance
from rowspace.position.frequencies import RopeOption
from rowspace.position.invariance import FAR, NEAR, measure_content_error, measure_effect
from rowspace.position.laws import find_broken_laws, measure_frequencies, measure_slowdown
from rowspace.position.scheme import PositionScheme
from rowspace.position.signatures import find_end
from rowspace.registry import options

PLACE = "Lesson 2, 4c"
STRETCH = 4.0
EXTENSIONS: dict[str, dict[str, Any]] = {
    "rope_pi": {},
    "rope_ntk": {},
    "rope_yarn": {"ramp": "index", "beta_fast": 32.0, "beta_slow": 1.0},
}
WHAT = "change of a score, of its scale"


@claim(
    PLACE,
    "Rotary scores depend on the offset alone: positions 10 and 15 are as 1010 and 1015.",
    by="position.invariance.measure_content_error",
)
def rotary_scores_depend_on_the_offset(asked: Asked) -> Verdict:
    _, made, said = scheme(asked, "rope")
    sizes = asked.subject.config.model
    if measure_effect(made, d=sizes.d, heads=sizes.heads, n=min(16, sizes.n_ctx)) <= NOTICED:
        return Verdict("failed", 0.0, WHAT, "above 0 between offsets", f"The scheme of {said} turns nothing.")
    return at_most(_moved(asked, made), tolerance(torch.float32), what=WHAT, why=f"{NEAR} against {FAR}, in {said}.")


@claim(
    PLACE,
    "Schemes that are added lack that: the same offset scores otherwise elsewhere.",
    by="position.invariance.measure_content_error",
)
def added_scores_depend_on_the_place(asked: Asked) -> Verdict:
    found = {}
    for name, changes in (("sinusoidal", {}), ("learned", {"n_max": FAR[1] + 1, "std": 0.04})):
        _, made, said = scheme(asked, name, **changes)
        found[name] = _moved(asked, made)
    why = f"{NEAR} against {FAR}: {', '.join(f'{name} {change:.2g}' for name, change in found.items())}; {said}."
    return at_least(min(found.values()), tolerance(torch.float32), what=f"{WHAT}, the smaller", why=why)


@claim(
    PLACE,
    "Rotary positions have no parameters, and training leaves their frequencies as they are.",
    by="position.laws.measure_frequencies",
)
def rotary_frequencies_are_fixed(asked: Asked) -> Verdict:
    option, made, said = scheme(asked, "rope")
    sizes = asked.subject.config.model
    count = sum(p.numel() for p in made.parameters())
    if not isinstance(option, RopeOption):
        return not_asked(said)
    where = {"heads": sizes.heads, "d_head": sizes.d // sizes.heads, "length": sizes.n_ctx}
    if made is not asked.subject.model.position:
        return at_most(count, 0, what="numbers to train", why=f"Of {said}.")
    after = rehearsed(asked).model.position
    change = float(abs(measure_frequencies(made, **where) - measure_frequencies(after, **where)).max())
    slower = measure_slowdown(measure_frequencies(made, **where), base=option.base)
    if slower >= 1:
        return Verdict(
            "failed", slower, "share by which a pair is slower", "below 1", f"The scheme of {said} turns nothing."
        )
    why = f"{count} numbers to train; pairs are as in plain rope to {slower:.1e}, in {said}."
    return at_most(change + count, 0, what="change of a frequency in training steps", why=why)


@claim(
    PLACE,
    "Turning keeps the length of queries and keys.",
    by="model.wiring.measure_turned",
    by_design="a scaling with an attention factor multiplies lengths by it.",
)
def rotation_keeps_lengths(asked: Asked) -> Verdict:
    layers, said = _turned(asked)
    why = f"{len(layers)} layers on a text of the run, with {said}."
    return at_most(max(one.lengths for one in layers), NOTICED, what="change of a length, of itself", why=why)


@claim(
    PLACE,
    "Queries and keys are turned in every layer, and values in none.",
    by="model.wiring.measure_turned",
)
def values_are_not_turned(asked: Asked) -> Verdict:
    layers, said = _turned(asked)
    least = min(min(one.queries, one.keys) for one in layers)
    values = max(one.values for one in layers)
    held = values == 0 and least > NOTICED
    why = f"Queries and keys change by {least:.2g} of their scale at the least, in {len(layers)} layers with {said}."
    return Verdict("held" if held else "failed", values, "change of a value", "0, and queries and keys turned", why)


@claim(
    PLACE,
    "So rotary positions carry over to longer texts than were trained on.",
    by="probing.length.Length",
    by_design="scores see offsets alone, but offsets beyond the trained length were never seen: the loss rises there.",
)
def rotary_positions_carry_over(asked: Asked) -> Verdict:
    if not isinstance(asked.subject.config.position, RopeOption):
        return not_asked(f"this run was trained with position={asked.subject.config.position.name}")
    rows = [row for row in asked.answer("length").rows["length"] if row["windows"] == "sliding"]
    trained, longest = (next(r for r in rows if r["factor"] == f) for f in (1, max(r["factor"] for r in rows)))
    unit = "bits per byte" if longest["bpb"] is not None else "nats a token"
    key = "bpb" if longest["bpb"] is not None else "loss"
    if longest["change"] is None:
        raise ConfigError(longest["reason"] or "no longer window could be read")
    why = (
        f"{longest['tokens']:,} targets cost {trained[key]:.3f} {unit} in windows of {trained['length']:,} tokens, the "
        f"trained length, and {longest[key]:.3f} in windows of {longest['length']:,}."
    )
    bound = f"at most 0 within {longest['change_low']:+.3g} to {longest['change_high']:+.3g}"
    worse = longest["change_low"] > 0
    return Verdict("failed" if worse else "held", longest["change"], f"change, {unit}", bound, why)


@claim(
    PLACE,
    "Ways to read longer texts rescale these frequencies.",
    by="position.laws.find_broken_laws",
)
def extensions_rescale_frequencies(asked: Asked) -> Verdict:
    sizes = asked.subject.config.model
    own, _, _ = scheme(asked, "rope")
    plain: Any = options("position")["rope"].model_validate({"name": "rope", "base": getattr(own, "base", BASE)})
    where = {"heads": sizes.heads, "d_head": sizes.d // sizes.heads}
    slowed, broken = {}, []
    for name, values in EXTENSIONS.items():
        option = plain.rescaled(name, n_ctx=sizes.n_ctx, factor=STRETCH, **values)
        if where["d_head"] < 2 * option.fewest_pairs:
            raise ConfigError(f"heads of a width of {where['d_head']} have too few pairs for {name}")
        made = option.build(d=sizes.d, heads=sizes.heads, n_ctx=sizes.n_ctx, generator=None)
        broken += [f"{name}: {law}" for law in find_broken_laws(option, made, n_ctx=sizes.n_ctx, **where)]
        slowed[name] = measure_slowdown(measure_frequencies(made, length=sizes.n_ctx, **where), base=plain.base)
    said = ", ".join(f"{name} {change:.1%}" for name, change in slowed.items())
    why = f"For texts {STRETCH:g} times as long the slowest pair is slower by {said}; laws broken: {len(broken)}."
    least = min(slowed.values())
    held = not broken and least > NOTICED
    what = "share by which a pair is slower, in the scheme that changes least"
    return Verdict("held" if held else "failed", least, what, "above 0, all laws kept", why)


def _moved(asked: Asked, made: PositionScheme) -> float:
    """Largest change of a score between tokens of the run that are moved together."""
    rows = asked.subject.model.embedding.sample(256)
    if (end := find_end(made, most=FAR[1] + 1)) is not None:
        raise ConfigError(f"it has {end} positions, and {FAR} were asked")
    return measure_content_error(deepcopy(made), rows, heads=asked.subject.config.model.heads)


def _turned(asked: Asked) -> tuple[list[Turned], str]:
    """What rotation does in each layer of the run's weights, and whose it is."""
    _, made, said = scheme(asked, "rope")
    return asked.kept("turned", lambda: measure_turned(with_scheme(asked.subject.model, made), window(asked))), said
