"""Tokenizers of transformers, by the package `tokenizers`."""

from collections.abc import Sequence

from tokenizers import Tokenizer

CHARACTERS = 16


class TransformerTokenizer:
    """Cuts texts into ids, with the marks a model wants at both ends, and no longer than it can hold."""

    def __init__(self, tokenizer: str, longest: int) -> None:
        self._tokenizer = Tokenizer.from_str(tokenizer)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(longest)
        self._longest = longest

    def ids(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text."""
        # One by one: the library's batches start threads, and then warn at every fork that follows. What lies far
        # behind the cut is not looked at.
        most = self._longest * CHARACTERS
        return [self._tokenizer.encode(text[:most]).ids for text in texts]
