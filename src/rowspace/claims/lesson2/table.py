"""Lesson 2, its table: what is learned, what is configuration, what is state."""

from __future__ import annotations

from rowspace.claims.base import Asked, Verdict, at_most, claim
from rowspace.model.ledger import CHAPTER, find_disagreements, quantities
from rowspace.training.costs import sizes


@claim(
    "Lesson 2, table",
    "Tokenizer and sizes are configuration, tables that are trained are learned, ids and inputs are state.",
    by="model.ledger.find_disagreements",
)
def kinds_of_numbers_are_those_of_the_table(asked: Asked) -> Verdict:
    config, model = asked.subject.config, asked.subject.model
    rows = quantities(model, asked.subject.tokenizer, sizes=sizes(config.model, config.position))
    wrong = find_disagreements(rows)
    held = [name for name in CHAPTER if name in {row["quantity"] for row in rows}]
    why = f"{len(held)} of the table's quantities are in the ledger of this run ({', '.join(held)})"
    return at_most(
        len(wrong), 0, what="quantities of another kind", why=f"{why}; otherwise: {', '.join(wrong) or 'none'}."
    )
