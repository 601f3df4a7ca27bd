"""Ids for things that have none of their own: where they stand and how they begin, so that small edits keep them."""

import re

from holdfast.importers.foreign_text import split_tokens

WORDS = 5


class ImportKeys:
    """Gives each thing of one source an id that no other of it has."""

    def __init__(self) -> None:
        self._given: dict[str, int] = {}

    def of(self, place: str, heading: str, text: str) -> str:
        """The id of a text below a heading in a file."""
        begin = "-".join(split_tokens(text)[:WORDS])
        return self.own(f"{place}#{heading_slug(heading)}/{begin}" if heading else f"{place}#{begin}")

    def own(self, key: str) -> str:
        """An id of the source's own, with a number behind it where it stands twice."""
        count = self._given[key] = self._given.get(key, 0) + 1
        return key if count == 1 else f"{key}~{count}"


def heading_slug(text: str) -> str:
    """A heading as part of an id."""
    return re.sub(r"-+", "-", "-".join(split_tokens(text)))[:60]
