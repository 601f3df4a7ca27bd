"""The daily log: one Markdown file a day, one line an entry, for people to read."""

import re
from collections.abc import Iterator
from hashlib import sha256

from holdfast.core.errors import BadRequest
from holdfast.core.value import Value
from holdfast.system.folders import WritableFolder
from holdfast.system.safe_write import create_file, lock_folder, read_file, replace_file
from holdfast.vault.file_stamps import list_paths

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"[0-9]{2}:[0-9]{2}")
_LINE = re.compile(r"- (?P<time>[0-9]{2}:[0-9]{2}) (?P<text>.*)")
_INDENT = "  "


class NotADay(BadRequest):
    """A day or time that no log has."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text[:40]!r} is no day or time of a log.", "write a day as 2026-11-15 and a time as 09:30.")


class LogLine(Value):
    """One entry of a day: when, and what."""

    time: str
    text: str


def append_line(folder: str, date: str, time: str, text: str, *, private: bool = True) -> str:
    """Add an entry to a day's log, durable on return; the name of its file."""
    if not _TIME.fullmatch(time):
        raise NotADay(time)
    name, place = _name(date), WritableFolder(root=folder, private=private)
    entry = _format_entry(time, text)
    with lock_folder(place):
        data = read_file(place, name)
        if data is None:
            create_file(place, name, f"# {date}\n\n{entry}".encode())
        else:
            gap = b"" if data.endswith(b"\n") or not data else b"\n"
            replace_file(place, name, data + gap + entry.encode(), then=sha256(data).hexdigest())
    return name


def read_day(folder: str, date: str) -> tuple[LogLine, ...]:
    """The entries of a day, as they stand; none when there is no log."""
    data = read_file(WritableFolder(root=folder), _name(date))
    return () if data is None else tuple(_entries(data.decode(errors="replace")))


def list_days(folder: str) -> tuple[str, ...]:
    """The days that have a log, oldest first."""
    names = (path.removesuffix(".md") for path in list_paths(folder))
    return tuple(sorted(name for name in names if _DATE.fullmatch(name)))


def _name(date: str) -> str:
    if not _DATE.fullmatch(date):
        raise NotADay(date)
    return f"{date}.md"


def _format_entry(time: str, text: str) -> str:
    clean = text.encode(errors="replace").decode().replace("\r\n", "\n").strip()
    first, *rest = clean.split("\n")
    below = (f"{_INDENT}{line}" if line else "" for line in rest)
    return "".join(f"{line}\n" for line in (f"- {time} {first}", *below))


def _entries(text: str) -> Iterator[LogLine]:
    time, lines = "", list[str]()
    for line in text.replace("\r\n", "\n").split("\n"):
        if found := _LINE.fullmatch(line):
            if time:
                yield _line(time, lines)
            time, lines = found["time"], [found["text"]]
        elif not line or line.startswith(_INDENT):
            lines.append(line.removeprefix(_INDENT))
    if time:
        yield _line(time, lines)


def _line(time: str, lines: list[str]) -> LogLine:
    return LogLine(time=time, text="\n".join(lines).strip())
