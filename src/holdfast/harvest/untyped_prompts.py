"""Prompts that a hook heard, and of which the client's own transcript says that nobody typed them."""

import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from holdfast.harvest import transcript_pieces as of
from holdfast.harvest.hook_events import SessionHookEvents
from holdfast.harvest.read_chunk import READERS, ChunkTask, read_chunk
from holdfast.harvest.transcript_pieces import TranscriptPiece

CHUNK = 4 * 1024 * 1024


class UntypedPrompt(NamedTuple):
    """A prompt by its record, and why it is nobody's."""

    event: str
    why: str


def find_untyped_prompts(
    client: str, path: str, session: str, heard: SessionHookEvents, *, most: int = 0, limits: Mapping[str, int] = {}
) -> list[UntypedPrompt]:
    """The prompts among those that hooks heard; of a long transcript only the last `most` bytes are read."""
    found: list[UntypedPrompt] = []
    for piece in _read_pieces(client, path, session, most, tuple(limits.items())) if client in READERS else ():
        if piece.kind == of.PROMPT:
            heard.prompt(piece.turn, piece.words, piece.ts)
        elif piece.kind == of.FOREIGN and piece.name != "subagent":
            told = heard.find_foreign(piece, piece.ts)
            found += [UntypedPrompt(told, piece.name)] if told and heard.has_words(told, piece) else []
    return found


def _read_pieces(
    client: str, path: str, session: str, most: int, limits: tuple[tuple[str, int], ...]
) -> Iterator[TranscriptPiece]:
    try:
        size = os.stat(path).st_size
    except (OSError, ValueError):
        return
    start = max(0, size - most) if most and path.endswith(".jsonl") else 0
    while start < size:
        end = min(size, start + CHUNK)
        yield from read_chunk(ChunkTask(client, path, start, end, 0, session, "", 0, limits)).pieces
        start = end
