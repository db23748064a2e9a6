"""A run's model as the plain callables that probes take: states of every layer, nats of continuations, spans of text.

Sequences of unequal length are read together, padded on the right. A body that looks back does not see the padding;
for one that sees the whole window it is a segment of its own, to which nothing attends. Every text begins with <eos>,
as documents do in training. Reads the model as it is, without gradients, and draws nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from rowspace.model.body import Transformer
from rowspace.model.encoder_decoder import EncoderDecoder
from rowspace.model.language_model import LanguageModel
from rowspace.probes.cloze import Nats, Question
from rowspace.probes.targets import Spans
from rowspace.probing.base import RunSubject

TOKENS = 8192
"""Tokens in one batch, padding included."""
Ids = Sequence[Sequence[int]]


def spans_of(subject: RunSubject) -> Spans:
    """Ids, first bytes and ends of the tokens of texts."""

    def spans(texts: Sequence[str]) -> list[tuple[Sequence[int], Sequence[int], Sequence[int]]]:
        encoded, starts, ends = subject.tokenizer.spans([text.encode() for text in texts])
        cuts = [slice(int(a), int(b)) for a, b in zip(encoded.offsets[:-1], encoded.offsets[1:], strict=True)]
        return [(encoded.ids[cut].tolist(), starts[cut].tolist(), ends[cut].tolist()) for cut in cuts]

    return spans


def unusable_ids(subject: RunSubject) -> frozenset[int]:
    """Ids that stand for no text of their own."""
    unknown = subject.tokenizer.unk_id
    return frozenset(subject.tokenizer.special.values()) | (frozenset() if unknown is None else {unknown})


def longest_text(subject: RunSubject) -> int:
    """Tokens of a text that fit behind its <eos> into a window as long as in training."""
    return subject.config.model.n_ctx - 1


def read_states(subject: RunSubject, texts: Ids) -> list[np.ndarray]:
    """States of every layer from h0 to the final one (which the head reads): each (N, d) float32, the tokens of all
    texts one after another. The <eos> before each is read and left out. Of an encoder-decoder: its encoder's."""
    model, eos = subject.model, subject.tokenizer.eos_id
    sequences = [[eos, *ids] for ids in texts]
    layers: list[list[np.ndarray]] = []
    for batch in _batches(sequences):
        states = _states(model, *_padded(model, [sequences[place] for place in batch]))
        kept = _mask([len(texts[place]) for place in batch], states[0].shape[1], first=1)
        for place, h in enumerate(states):
            if place == len(layers):
                layers.append([])
            layers[place].append(h[kept.to(h.device)].float().cpu().numpy())
    return [np.concatenate(parts) for parts in layers]


def rows_of(subject: RunSubject, ids: Sequence[int]) -> np.ndarray:
    """Rows of E as they enter the model, before any position: (n, d) float32."""
    with torch.no_grad():
        rows = subject.model.embedding(torch.tensor(list(ids), device=subject.model.embedding.weight.device))
    return rows.float().cpu().numpy()


def nats_of(subject: RunSubject) -> Nats:
    """-ln p(continuation | <eos> prompt), the sum over its pieces. A body that continues text is needed."""
    return lambda questions: _nats(subject, questions)


def top_of(subject: RunSubject, prompts: Ids, top: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """What each layer's state of each prompt's last token would predict, read by the final norm and the head.

    For every layer ids and probabilities, (prompts, top) each, likeliest first; the last is the real prediction.
    """
    model, eos = subject.model, subject.tokenizer.eos_id
    found: list[tuple[list[Tensor], list[Tensor]]] = []
    with torch.no_grad():
        for prompt in prompts:
            states = model.states(torch.tensor([[eos, *prompt]], device=model.embedding.weight.device))
            for layer, h in enumerate(states):
                last = h[:, -1] if layer == len(states) - 1 else model.body.norm(h[:, -1])
                p, ids = model.logits(last).double().softmax(-1).topk(min(top, model.vocab_size))
                if layer == len(found):
                    found.append(([], []))
                found[layer][0].append(ids[0].cpu())
                found[layer][1].append(p[0].cpu())
    return [(torch.stack(ids).numpy(), torch.stack(p).numpy()) for ids, p in found]


def _nats(subject: RunSubject, questions: Sequence[Question]) -> np.ndarray:
    model, eos = subject.model, subject.tokenizer.eos_id
    read = [(eos, *before, *behind[:-1]) for before, behind in questions]
    sequences = list(dict.fromkeys(read))
    place_of = {sequence: place for place, sequence in enumerate(sequences)}
    wanted: dict[int, list[tuple[int, int, int]]] = {}  # sequence -> (position, target, question)
    for number, (sequence, (before, behind)) in enumerate(zip(read, questions, strict=True)):
        asked = wanted.setdefault(place_of[sequence], [])
        asked += [(len(before) + step, target, number) for step, target in enumerate(behind)]
    total = np.zeros(len(questions))
    for batch in _batches(sequences):
        ids, mask = _padded(model, [sequences[place] for place in batch])
        h = _states(model, ids, mask)[-1]
        asked = [(row, *one) for row, place in enumerate(batch) for one in wanted[place]]
        rows, positions, targets, numbers = (torch.tensor(column) for column in zip(*asked, strict=True))
        with torch.no_grad():
            nats = model.head.token_nats(h[rows.to(h.device), positions.to(h.device)], targets.to(h.device))
        np.add.at(total, numbers.numpy(), nats.double().cpu().numpy())
    return total


def _states(model: LanguageModel, ids: Tensor, mask: Tensor) -> list[Tensor]:
    with torch.no_grad():
        body = model.body
        if isinstance(body, EncoderDecoder):
            model.position.reach(ids.shape[1])
            h = model.position.add(model.embedding(ids), None)
            return body.encoder(h, model.position, None, mask.long())
        sees_all = isinstance(body, Transformer) and not body.causal
        return model.states(ids, segments=mask.long() if sees_all else None)


def _padded(model: LanguageModel, sequences: Ids) -> tuple[Tensor, Tensor]:
    """Ids (B, T), and which of them are padding (B, T) bool."""
    T = max(len(sequence) for sequence in sequences)
    ids = np.zeros((len(sequences), T), dtype=np.int64)
    for row, sequence in enumerate(sequences):
        ids[row, : len(sequence)] = sequence
    device = model.embedding.weight.device
    mask = _mask([len(sequence) for sequence in sequences], T, first=0)
    return torch.from_numpy(ids).to(device), ~mask.to(device)


def _mask(lengths: Sequence[int], T: int, *, first: int) -> Tensor:
    """The places first..first + length - 1 of each row, (B, T) bool."""
    places = torch.arange(T)[None]
    return (places >= first) & (places < first + torch.tensor(list(lengths))[:, None])


def _batches(sequences: Ids) -> Iterator[list[int]]:
    """Places of sequences in order, as many at once as fit."""
    batch: list[int] = []
    longest = 0
    for place, sequence in enumerate(sequences):
        longest = max(longest, len(sequence))
        if batch and (len(batch) + 1) * longest > TOKENS:
            yield batch
            batch, longest = [], len(sequence)
        batch.append(place)
    if batch:
        yield batch
