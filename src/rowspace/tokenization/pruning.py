"""unigram: fitting with sentencepiece, on words whose bytes are written as letters."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable

import sentencepiece
from tokenizers import Tokenizer as Library
from tokenizers import decoders, models

from rowspace.tokenization.base import Tokenizer
from rowspace.tokenization.byte_level import ByteLevelTokenizer
from rowspace.tokenization.library import about, learned_from, too_large, with_specials
from rowspace.tokenization.pretokenization import LONGEST, Sections, byte_letters, byte_level, count_words, within
from rowspace.tokenization.unigram import UnigramOption

ALGORITHM = f"byte-level Unigram (sentencepiece {sentencepiece.__version__}): pruned by the likelihood's loss"
LONGEST_PIECE = 16
"""Bytes of the longest piece (sentencepiece's default)."""
LEARNED_FROM = 1 << 21
"""Bytes of different words that are learned from, the most frequent ones: sentencepiece needs some 15 s a megabyte."""
LONGEST_WORD = 8 * (LONGEST + 1)
"""Bytes beyond which sentencepiece would drop a word silently: no word has as many (4 bytes a character, each written
as a letter of at most 2)."""
UNREACHABLE = -1e9
"""Log probability of special tokens: no best path takes one (nor does the pre-tokenizer leave one whole)."""
RARER = 1.0
"""Nats by which a byte that the text lacks is less likely than the least likely piece."""


def unigram_tokenizer(
    option: UnigramOption, texts: Iterable[str], progress: Callable[[str, int, int], None] | None = None
) -> ByteLevelTokenizer:
    """V pieces: special tokens, 256 bytes, then the longer pieces by probability."""
    cut = byte_level(digits=option.digits, whitespace=option.whitespace)
    everything = count_words(Sections(vanishes=False, cut=cut).strings(texts), cut)
    words = within(everything, LEARNED_FROM)
    if progress is not None:
        progress("pruning pieces (sentencepiece, one thread)", 0, 1)
    letters = byte_letters()
    longer = option.vocab_size - option.smallest()
    learned = _learned(words, longer) if words else {}
    scores = {letter: learned.pop(letter) for letter in letters if letter in learned}
    if len(learned) < longer:
        raise too_large(option, option.smallest() + len(learned), "then no longer piece is left that occurs twice")
    rarest = min([*scores.values(), *learned.values()], default=0.0) - RARER
    pieces = [(special, UNREACHABLE) for special in option.special_tokens]
    pieces += [(letter, scores.get(letter, rarest)) for letter in letters]
    pieces += sorted(learned.items(), key=lambda entry: (-entry[1], entry[0]))
    library = Library(models.Unigram(pieces, unk_id=None, byte_fallback=False))
    library.pre_tokenizer = cut  # type: ignore[assignment]
    library.decoder = decoders.ByteLevel()  # type: ignore[assignment]
    return ByteLevelTokenizer(
        with_specials(library, option),
        name=option.name,
        behaviour={},
        about=about(option, ALGORITHM + learned_from(words, everything)),
    )


def unigram_words(option: UnigramOption, texts: Iterable[str]) -> dict[str, int]:
    """What the pieces are learned from: words in the 256 letters, with counts."""
    cut = byte_level(digits=option.digits, whitespace=option.whitespace)
    return within(count_words(Sections(vanishes=False, cut=cut).strings(texts), cut), LEARNED_FROM)


def scores_of(tokenizer: Tokenizer) -> dict[str, float]:
    """Natural log probability of each piece of a fitted unigram tokenizer, special tokens left out."""
    if not isinstance(tokenizer, ByteLevelTokenizer) or tokenizer.name != "unigram":
        raise TypeError("only a unigram tokenizer has scores")
    pieces = json.loads(tokenizer.json)["model"]["vocab"]
    return {piece: score for piece, score in pieces if piece not in tokenizer.special}


def _learned(words: dict[str, int], longer: int) -> dict[str, float]:
    """Pieces with log probabilities: every byte of the words, and at most so many longer pieces."""
    letters = set().union(*words)
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(f"{word}\t{count}" for word, count in words.items()),
        input_format="tsv",
        model_writer=model,
        model_type="unigram",
        vocab_size=max(longer, 1) + len(letters) + 1,  # its <unk>
        hard_vocab_limit=False,  # when the text gives fewer we say so ourselves, with the number
        num_threads=1,  # the result depends on it
        max_sentencepiece_length=LONGEST_PIECE,
        max_sentence_length=LONGEST_WORD,
        character_coverage=1.0,
        normalization_rule_name="identity",
        add_dummy_prefix=False,
        remove_extra_whitespaces=False,
        split_by_unicode_script=False,
        split_by_number=False,
        split_by_whitespace=False,
        treat_whitespace_as_suffix=False,
        unk_id=0,
        bos_id=-1,
        eos_id=-1,
        pad_id=-1,
        minloglevel=2,
    )
    trained = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    pieces = {trained.id_to_piece(i): trained.get_score(i) for i in range(1, len(trained))}
    longest_first = [piece for piece in pieces if len(piece) > 1][:longer]
    return {piece: score for piece, score in pieces.items() if len(piece) == 1 or piece in set(longest_first)}
