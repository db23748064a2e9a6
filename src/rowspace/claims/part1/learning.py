"""Part 1, 12.8: how the loss trains the table."""

from __future__ import annotations

from rowspace.callbacks.credit import find_without_gradient
from rowspace.claims.base import Asked, Verdict, at_least, at_most, claim
from rowspace.claims.evidence import gradients
from rowspace.claims.part1.projection import final_states
from rowspace.errors import ConfigError
from rowspace.model.laws import ScoreGradient, measure_score_gradient

STATES = 16


@claim(
    "Part 1, 12.8",
    "The loss's gradient at the scores is the probabilities less 1 at the target.",
    by="model.laws.measure_score_gradient",
)
def gradient_is_p_minus_one_hot(asked: Asked) -> Verdict:
    found = score_gradient(asked)
    return at_most(
        found.error,
        1e-12,
        what="largest difference of a number of the gradient",
        why=f"The gradient that training takes at {found.n} states, all {asked.model.vocab_size:,} scores, in float64.",
    )


@claim(
    "Part 1, 12.8",
    "The target's score is pushed up, all others down in proportion to their probability.",
    by="model.laws.measure_score_gradient",
)
def only_the_target_is_pushed_up(asked: Asked) -> Verdict:
    found = score_gradient(asked)
    return at_least(
        found.alone / found.n,
        1.0,
        what="share of states in which the target alone has a negative gradient",
        why=f"{found.n} states; the target's gradient is {found.target:+.2f} on average.",
    )


@claim(
    "Part 1, 12.8",
    "The gradient of a row is the sum over all occurrences of its id.",
    by="callbacks.sides.pass_back",
)
def occurrences_add_up(asked: Asked) -> Verdict:
    found = gradients(asked)
    ids, often = found.ids.unique(return_counts=True)
    most = int(often.max())
    return at_most(
        found.scatter_error(),
        1e-12,
        what="largest difference, as a share of the largest number",
        why=f"{len(found.ids):,} look-ups of {len(ids)} ids in one batch; the commonest id stands there {most} times.",
    )


@claim(
    "Part 1, 12.8",
    "Rows whose id is not in the batch get no gradient from the input side.",
    by="callbacks.sides.pass_back",
)
def absent_rows_get_none_from_the_input(asked: Asked) -> Verdict:
    found = gradients(asked)
    part = found.parts["E", "input"].abs().sum(1) > 0
    absent = part.clone().fill_(True)
    absent[found.ids] = False
    return at_most(
        int((part & absent).sum()),
        0,
        what="rows that do not occur and got an input-side gradient",
        why=f"{int(part.sum()):,} of {len(part):,} rows got one, those of the batch.",
    )


@claim(
    "Part 1, 12.8",
    "Tied, every row also gets a gradient from the output side; untied, only the batch's rows get any.",
    by="callbacks.sides.pass_back",
)
def tied_gradient_reaches_every_row(asked: Asked) -> Verdict:
    found, tie = gradients(asked), asked.subject.config.head.tie
    share = float((found.whole("E").abs().sum(1) > 0).double().mean())
    own = len(found.ids.unique()) / asked.model.vocab_size
    what = "share of the rows of E with a gradient"
    if tie:
        return at_least(share, 1.0, what=what, why=f"head.tie=true: the batch holds {own:.1%} of the ids.")
    return at_most(share, own, what=what, why="head.tie=false: the bound is the share of ids in the batch.")


@claim(
    "Part 1, 12.8",
    "The same loss also updates attention, feed-forward nets, norms and head: every learned part gets a gradient.",
    by="callbacks.credit.find_without_gradient",
)
def every_learned_part_gets_a_gradient(asked: Asked) -> Verdict:
    none, n = find_without_gradient(asked.wide, asked.batch)
    return at_most(
        len(none),
        0,
        what="learned parameters that one batch gives no gradient",
        why=f"Of {n}{': ' + ', '.join(none[:3]) if none else ''}.",
    )


@claim(
    "Part 1, 12.8",
    "A learned position table gets a gradient; sinusoids and RoPE have nothing to update.",
    by="position.base.PositionOption.learned, callbacks.credit.find_without_gradient",
)
def fixed_positions_have_nothing_to_update(asked: Asked) -> Verdict:
    option = asked.subject.config.position
    trained = [name for name, p in asked.model.position.named_parameters() if p.requires_grad]
    if not option.learned:
        why = f"position={option.name} has numbers, if any, that a formula gives."
        return at_most(len(trained), 0, what="parameters of the position scheme", why=why)
    none, _ = find_without_gradient(asked.wide, asked.batch)
    reached = [name for name in trained if f"position.{name}" not in none]
    why = f"position={option.name}: one batch gives its {' and '.join(trained)} a gradient."
    return at_least(len(reached), max(len(trained), 1), what="position parameters with a gradient", why=why)


def score_gradient(asked: Asked) -> ScoreGradient:
    """Of the first states of a window, at the tokens that follow."""
    h, targets = final_states(asked), asked.batch.targets[0, :STATES]
    scored = targets >= 0
    if not scored.any():
        raise ConfigError("no target stands in the first places of the window")
    return asked.kept("scores", lambda: measure_score_gradient(asked.wide.head, h[scored], targets[scored]))
