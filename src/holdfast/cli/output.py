"""What people and programs see: text made inert, fitted to the terminal; JSON; trouble on stderr."""

import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

from holdfast.core.errors import HoldfastError, Unavailable
from holdfast.core.plain_text import make_inert, one_line
from holdfast.core.unseen_text import find_unseen

__all__ = ["Output", "Unprintable", "count_columns", "fit", "make_inert", "one_line"]


class Unprintable(Unavailable):
    """Standard output that takes no more. What was asked for is done."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The answer could not be printed: {reason}.", "the command itself was carried out.")


FAMILIES = {2: "bad_request", 3: "not_found", 4: "conflict", 5: "damaged", 6: "unavailable"}
NARROWEST = 20
# GitHub reads the first at the start of a line, after spaces; Azure, TeamCity and GitHub the others anywhere.
_LOG_COMMAND = re.compile(r"(?m)^[ \t]*::(?=[\w-])|##(?=\[|vso\[|teamcity\[)|\bsection_(?=(?:start|end):\d)")


class Output:
    """One command's voice."""

    def __init__(self, *, as_json: bool, stdout: TextIO | None = None, stderr: TextIO | None = None) -> None:
        self.as_json = as_json
        self._stdout = stdout or sys.stdout
        self._stderr = stderr or sys.stderr
        self._held: Mapping[str, Any] | Sequence[Any] | None = None

    @property
    def width(self) -> int:
        """Columns of the terminal; wide when piped."""
        if not self.interactive:
            return 120
        return max(NARROWEST, os.get_terminal_size(self._stdout.fileno()).columns)

    @property
    def interactive(self) -> bool:
        """Whether a person's terminal reads us."""
        return self._stdout.isatty()

    def json(self, document: Mapping[str, Any] | Sequence[Any]) -> None:
        """The one JSON document; printed at the end, so that an error which comes after it is inside."""
        self.close()
        self._held = document

    def close(self) -> None:
        """Print what is held."""
        document, self._held = self._held, None
        if document is not None:
            self._print(_inert_json(json.dumps(document, ensure_ascii=False, indent=2)))

    def json_line(self, document: Mapping[str, Any]) -> None:
        """One of many JSON documents, each on a line of its own, there at once."""
        self._print(_inert_json(json.dumps(document, ensure_ascii=False)))
        self._stdout.flush()

    def line(self, text: str = "") -> None:
        """A line for people; only where no JSON is asked for."""
        if not self.as_json:
            self._print(hide_log_commands(make_inert(text)))

    def _print(self, text: str) -> None:
        try:
            print(text, file=self._stdout)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise Unprintable(error.strerror or str(error)) from error

    def cut(self, text: str) -> None:
        """A line for people, cut to the terminal's width; its indent stays."""
        indent = text[: len(text) - len(text.lstrip(" "))]
        self.line(fit(indent + one_line(text), self.width))

    def notices(self, notices: Sequence[str]) -> None:
        """What the user should know although the command succeeded."""
        for notice in notices:
            print(f"note: {hide_log_commands(one_line(notice))}", file=self._stderr)

    def error(self, error: HoldfastError) -> None:
        """What went wrong, on stderr; as JSON too where that is asked for."""
        print(f"error: {hide_log_commands(make_inert(str(error)))}", file=self._stderr)
        if error.hint:
            print(f"hint: {hide_log_commands(make_inert(error.hint))}", file=self._stderr)
        if self.as_json:
            family = FAMILIES.get(error.exit_status, "error")
            done = self._held if isinstance(self._held, Mapping) else {}
            self._held = {**done, "error": {"family": family, "message": str(error), "hint": error.hint}}
            self.close()

    def confirm(self, question: str, *, default: bool = False) -> bool:
        """Ask a person; no without a terminal. `default`: what Enter alone means."""
        if not sys.stdin.isatty():
            return False
        print(f"{make_inert(question)} {'[Y/n]' if default else '[y/N]'} ", end="", file=self._stderr, flush=True)
        said = sys.stdin.readline()
        return said.strip().lower() in {"y", "yes"} or (default and said == "\n")

    def typed(self, question: str, word: str) -> bool:
        """Have a person type a word; no without a terminal."""
        return self.answer(question) == word

    def answer(self, question: str) -> str:
        """What a person answers; nothing without a terminal."""
        if not self.asking:
            return ""
        print(f"{make_inert(question)} ", end="", file=self._stderr, flush=True)
        return sys.stdin.readline().strip()

    @property
    def asking(self) -> bool:
        """Whether a person can be asked."""
        return sys.stdin.isatty()


def hide_log_commands(text: str) -> str:
    """Text in which no line is a command to what keeps the log of a build: `::error::x`, `##[group]`, `##vso[x]`."""
    return _LOG_COMMAND.sub(lambda found: f"{found[0][:-1]} {found[0][-1]}", text)


def fit(text: str, width: int) -> str:
    """Text cut to a number of columns, with an ellipsis where it was cut."""
    if count_columns(text) <= width:
        return text
    kept, used = [], 1
    for character in text:
        used += count_columns(character)
        if used > width:
            break
        kept.append(character)
    return "".join(kept) + "…"


def count_columns(text: str) -> int:
    """How many terminal columns a text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def _inert_json(text: str) -> str:
    if "##" in text:
        # The same text to who parses it, and no command to who keeps the log.
        text = text.replace("##", "#\\u0023")
    if text.isascii():
        return text
    unseen = set(find_unseen(text))
    return "".join(
        c if at not in unseen and (c.isprintable() or c in "\n\u200c\u200d") else json.dumps(c)[1:-1]
        for at, c in enumerate(text)
    )
