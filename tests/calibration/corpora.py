"""Synthetic corpora of the suite: text of a known process, and the same words dealt anew over all its sentences.

To the generator's training documents come some with homographs of the suite's own, whose senses nothing but one word
tells, another in each sentence: "the cat plim red .", "the doctor plim two .". The generator's own have frames beside
("the red crane drives ..."), which a body that never learned may tell apart.

Shuffled, every word but the full stop changes places with any other of its split. How often each word comes, how long
sentences are and where documents end stays as it was; which words stand together is gone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rowspace.data import grammar, lexicon
from rowspace.data.grammar import Grammar
from rowspace.data.process import STOP
from rowspace.data.splitting import split
from rowspace.data.stream import TokenStream, open_or_build
from tests.parts import option

SIZE = 6000
"""Documents: 190,000 words of 464 kinds, of which about 18 come in none of them."""
HOMOGRAPHS = {
    "plim": ("animal", "job"),
    "dask": ("vehicle", "furniture"),
    "vorn": ("money", "water"),
    "zeth": ("person", "substance"),
}
"""Classes of the words before, which tell the sense: others for each, since words that stand in the same sentences are
right or wrong by the same luck."""
BEHIND = ("color", "number")
"""Classes of the words behind, in the order of the senses."""
SETS = 8
"""Words before, of each class, and sentences that are asked of each sense."""
ENTRIES = 500
"""Documents of four sentences with homographs."""
VOCABULARY = 467 + len(HOMOGRAPHS)
"""Words, the full stop inside a document, <eos> and <unk>: every word of the lexicon has a row, seen or not."""
SPLITS = ("train", "val", "test")


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents as token streams by split, and what is true of their words.

    `nats` -ln P of the documents of each split under the process that wrote them; of shuffled ones nobody knows it.
    """

    noise: float
    seed: int
    tokenizer: Any
    streams: Mapping[str, TokenStream]
    truth: Mapping[str, Any]
    nats: Mapping[str, np.ndarray]

    @cached_property
    def counts(self) -> np.ndarray:
        """(V,) occurrences of each id in training."""
        return self.streams["train"].counts(self.tokenizer.vocab_size)


def write_corpora(cache: Path, *, noise: float, seed: int) -> tuple[Corpus, Corpus]:
    """The corpus of a seed, and the same shuffled."""
    data = option("data", "synthetic", noise=noise, seed=seed, size=SIZE)
    documents = data.load(cache=cache)
    splits = split(documents, data)
    texts = {name: list(getattr(splits, name).texts) for name in SPLITS}
    fitted_on = [text.decode() for text in (*texts["train"][:50], *documents.fit_only)]
    tokenizer = option("tokenizer", "word", vocab_size=VOCABULARY).fit([*fitted_on, f"the {' '.join(HOMOGRAPHS)} the"])
    generator = np.random.default_rng((seed, round(100 * noise), 7))
    texts["train"] += write_entries(documents.truth["classes"], noise, generator)
    nats = {name: documents.truth["nats"][getattr(splits, name).indices] for name in SPLITS}
    dealt = {name: deal(own, generator) for name, own in texts.items()}

    def made(texts: Mapping[str, Sequence[bytes]], nats: Mapping[str, np.ndarray]) -> Corpus:
        streams = {name: open_or_build(tokenizer, own, cache=cache) for name, own in texts.items()}
        return Corpus(noise, seed, tokenizer, streams, documents.truth, nats)

    return made(texts, nats), made(dealt, {})


def write_entries(classes: Mapping[str, str], noise: float, generator: np.random.Generator) -> list[bytes]:
    """Documents with homographs; with noise, the words beside them are any but rare ones."""
    words = members(classes)
    every = sorted(set(classes) - set(lexicon.read("course").rare_words))

    def drawn(name: str, most: int) -> str:
        return str(generator.choice(every if generator.random() < noise else words[name][:most]))

    def sentence() -> str:
        homograph, sense = str(generator.choice(list(HOMOGRAPHS))), int(generator.integers(2))
        return f"the {drawn(HOMOGRAPHS[homograph][sense], SETS)} {homograph} {drawn(BEHIND[sense], 3)} ."

    return [" ".join(sentence() for _ in range(4)).encode() for _ in range(ENTRIES)]


def find_senses(classes: Mapping[str, str]) -> dict[str, Any]:
    """Questions for the probe of senses: in each sentence another word tells; cue behind, the same words before."""
    words = members(classes)

    def asked(homograph: str, before: str, behind: str) -> dict[str, list[str]]:
        return {
            "before": [f"the {words[before][n]} {homograph} ." for n in range(SETS)],
            "after": [f"the {homograph} {words[behind][n]} ." for n in range(SETS)],
        }

    return {
        "words": {
            word: {before: asked(word, before, behind) for before, behind in zip(senses, BEHIND, strict=True)}
            for word, senses in HOMOGRAPHS.items()
        }
    }


def members(classes: Mapping[str, str]) -> dict[str, list[str]]:
    """Words of each class."""
    return {name: [word for word, own in classes.items() if own == name] for name in dict.fromkeys(classes.values())}


def write_grammar(noise: float) -> Grammar:
    """The process behind the corpora."""
    return grammar.compose(lexicon.read("course"), noise=noise, zipf=1.0, homographs=0.5)


def deal(texts: Sequence[bytes], generator: np.random.Generator) -> list[bytes]:
    """The same words, full stops left where they stand, over the places of all documents."""
    documents = [text.split() for text in texts]
    words = np.array([word for document in documents for word in document], dtype=object)
    free = words != STOP.encode()
    words[free] = generator.permutation(words[free])
    ends = np.cumsum([len(document) for document in documents])
    return [b" ".join(words[start:end]) for start, end in zip([0, *ends[:-1]], ends, strict=True)]
