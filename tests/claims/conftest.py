"""The run that claims are asked of, and what is planted in it."""

from __future__ import annotations

from tests.claims.lesson2.conftest import ask, questions, run

__all__ = ["ask", "questions", "run"]
