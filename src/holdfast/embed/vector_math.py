"""What every embedder here does with texts before, and with vectors after its model."""

from collections.abc import Callable, Sequence

import numpy as np

from holdfast.core.embedder import Floats


def unit_rows(rows: Floats) -> Floats:
    """Rows of length one; a row of zeros stays."""
    long = np.linalg.norm(rows, axis=-1, keepdims=True)
    found: Floats = (rows / np.maximum(long, 1e-12)).astype(np.float32)
    return found


def drop_surrogates(text: str) -> str:
    """The text without halves of surrogate pairs, which no tokenizer and no endpoint takes."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def embed_rows(texts: Sequence[str], dims: int, run: Callable[[list[str]], Floats]) -> Floats:
    """A unit row per text: `run` gives those of the texts that are not blank, the others are zeros."""
    places = [place for place, text in enumerate(texts) if text.strip()]
    if not places:
        return np.zeros((len(texts), dims), np.float32)
    found = unit_rows(run([drop_surrogates(texts[place]) for place in places]))
    rows = np.zeros((len(texts), found.shape[1]), np.float32)
    rows[places] = found
    return rows


def pool_states(states: Floats, pooling: str) -> Floats:
    """One vector of a text out of its tokens' states."""
    found: Floats
    match pooling:
        case "first":
            found = states[0]
        case "last":
            found = states[-1]
        case "max":
            found = states.max(0)
        case _:
            found = states.mean(0)
    return found
