"""Patches: unified diffs and the `*** Begin Patch` form, read into one shape and carried out on texts."""

import re
from collections.abc import Iterator, Sequence

from holdfast.core.errors import BadRequest, Conflict
from holdfast.core.value import Value
from holdfast.guard.touched_paths import PATCH

MOST_FILES = 200
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPED = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
NO_END = "\\ No newline at end of file"


class BadPatch(BadRequest):
    """A patch that cannot be read."""

    def __init__(self, why: str, line: int = 0) -> None:
        where = f" (line {line} of the patch)" if line else ""
        super().__init__(
            f"The patch cannot be read: {why}{where}.",
            f"give a unified diff with file headers, or the form that starts with '{PATCH}'.",
        )


class DoesNotFit(Conflict):
    """A hunk whose lines are not in the file."""

    def __init__(self, path: str, hunk: int, wanted: Sequence[str]) -> None:
        first = next((line for line in wanted if line.strip()), "")
        super().__init__(
            f"Hunk {hunk} does not fit '{path}': its lines are not there, from {first[:120]!r} on.",
            "read the file again; nothing of the patch was applied.",
        )


class Hunk(Value):
    """Lines that go and lines that come. `at`: the line it names, if it does; `after`: what stands above it.

    `bare`: the new last line has no line end, where that is said; `end`: its lines stand at the file's end.
    """

    old: tuple[str, ...]
    new: tuple[str, ...]
    at: int | None = None
    after: str = ""
    bare: bool | None = None
    end: bool = False


class FilePatch(Value):
    """What a patch does to one file. `path` empty: the file is new; `new_path` empty: it goes."""

    path: str
    new_path: str
    hunks: tuple[Hunk, ...] = ()
    mode: int | None = None


def read_patch(text: str) -> tuple[FilePatch, ...]:
    """The files of a patch. Raises BadPatch."""
    plain = text.replace("\r\n", "\n")
    found = tuple(_codex(plain.split("\n")) if PATCH in plain else _Unified(plain.split("\n")).files())
    if not found:
        raise BadPatch("it names no file")
    if len(found) > MOST_FILES:
        raise BadPatch(f"it names {len(found)} files; at most {MOST_FILES} are taken")
    return found


def apply_hunks(text: str, patch: FilePatch) -> str:
    """A file's text after its hunks. Raises DoesNotFit. Line ends are those of the lines around."""
    lines, crlf = text.split("\n"), 2 * text.count("\r\n") > text.count("\n")
    ends = lines[-1] == ""
    lines = lines[:-1] if ends else lines
    cursor, grown = 0, 0
    for number, hunk in enumerate(patch.hunks, start=1):
        place = _place(lines, hunk, cursor, grown)
        if place is None:
            raise DoesNotFit(patch.path or patch.new_path, number, hunk.old)
        new = _build_new_lines(lines[place : place + len(hunk.old)], hunk, crlf=crlf)
        last = place + len(hunk.old) == len(lines)
        lines[place : place + len(hunk.old)] = new
        if last and hunk.bare is not None:
            ends = not hunk.bare
        cursor, grown = place + len(new), grown + len(new) - len(hunk.old)
    return "\n".join(lines) + ("\n" if ends and lines else "")


def _build_new_lines(had: Sequence[str], hunk: Hunk, *, crlf: bool) -> list[str]:
    """The new lines: those that stay keep their very bytes."""
    stay = {line.rstrip("\r"): line for line in had}
    return [stay.get(line, f"{line}\r" if crlf else line) for line in hunk.new]


def _place(lines: Sequence[str], hunk: Hunk, cursor: int, grown: int) -> int | None:
    if hunk.after:
        above = [at for at in range(cursor, len(lines)) if lines[at].strip() == hunk.after.strip()]
        if not above and not hunk.old:
            return None
        cursor = above[0] + 1 if above else cursor
    if not hunk.old:
        wanted = cursor if hunk.after else len(lines)
        return wanted if hunk.at is None else min(len(lines), max(cursor, hunk.at + grown))
    stated = (hunk.at or 1) - 1 + grown
    for same in (_matches_exactly, _matches_loosely):
        places = [at for at in range(cursor, len(lines) - len(hunk.old) + 1) if same(lines, at, hunk.old)]
        if hunk.end:
            places = [at for at in places if at + len(hunk.old) == len(lines)] or places[-1:]
        if places:
            return min(places, key=lambda at: abs(at - stated)) if hunk.at is not None else places[0]
    return None


def _matches_exactly(lines: Sequence[str], at: int, old: Sequence[str]) -> bool:
    return all(lines[at + each].rstrip("\r") == line for each, line in enumerate(old))


def _matches_loosely(lines: Sequence[str], at: int, old: Sequence[str]) -> bool:
    return all(lines[at + each].rstrip() == line.rstrip() for each, line in enumerate(old))


# `*** Begin Patch`


def _codex(lines: Sequence[str]) -> Iterator[FilePatch]:
    begin = next(at for at, line in enumerate(lines) if line.strip() == PATCH or PATCH in line)
    at = begin + 1
    while at < len(lines):
        line = lines[at]
        if line.startswith("*** End Patch"):
            return
        head, _, path = line.partition(": ")
        body = at + 1
        at = body
        while at < len(lines) and not _is_head(lines[at]):
            at += 1
        if not line.strip():
            continue
        yield _codex_file(head, path.strip(), lines[body:at], body)
    raise BadPatch("'*** End Patch' is missing", len(lines))


def _is_head(line: str) -> bool:
    return line.startswith(("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** End Patch"))


def _codex_file(head: str, path: str, body: Sequence[str], number: int) -> FilePatch:
    if head == "*** Delete File" and path:
        return FilePatch(path=path, new_path="")
    if head == "*** Add File" and path:
        if wrong := next((line for line in body if line and not line.startswith("+")), ""):
            raise BadPatch(f"a line of a new file starts with {wrong[0]!r}, not '+'", number)
        return FilePatch(path="", new_path=path, hunks=(Hunk(old=(), new=tuple(line[1:] for line in body if line)),))
    if head != "*** Update File" or not path:
        raise BadPatch(f"{head[:60]!r} is no header", number)
    to = path
    if body and body[0].startswith("*** Move to: "):
        to, body = body[0].partition(": ")[2].strip(), body[1:]
    return FilePatch(path=path, new_path=to, hunks=tuple(_codex_hunks(body, number)))


def _codex_hunks(body: Sequence[str], number: int) -> Iterator[Hunk]:
    after, end = "", False
    held: list[str] = []
    while body and not body[-1]:
        body = body[:-1]
    for line in [*body, "@@"]:
        if line.startswith("@@"):
            if held:
                yield _codex_hunk(held, after, number, end=end)
                held = []
            after, end = line[2:].strip().removesuffix("@@").strip(), False
        elif line.startswith("*** End of File"):
            end = True
        else:
            held.append(line)


def _codex_hunk(lines: Sequence[str], after: str, number: int, *, end: bool) -> Hunk:
    if wrong := next((line for line in lines if line and line[0] not in " +-"), ""):
        raise BadPatch(f"a line starts with {wrong[0]!r}, not with ' ', '+' or '-'", number)
    old = tuple(line[1:] for line in lines if not line.startswith("+"))
    new = tuple(line[1:] for line in lines if not line.startswith("-"))
    return Hunk(old=old, new=new, after=after, end=end)


# Unified diffs


class _Unified:
    """Reads a unified diff, one file after the other, counting through the hunks."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0

    def files(self) -> Iterator[FilePatch]:
        """Every file of the diff."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith("diff --git "):
                yield from self._git_file()
            elif line.startswith("--- ") and self._peek(1).startswith("+++ "):
                yield self._headed(None, "", "")
            elif _HUNK.match(line):
                raise BadPatch("a hunk stands before any file header", self._at + 1)
            else:
                self._at += 1

    def _peek(self, more: int) -> str:
        return self._lines[self._at + more] if self._at + more < len(self._lines) else ""

    def _git_file(self) -> Iterator[FilePatch]:
        """A file with git's own header lines; one that is only renamed or changes its mode has no hunk."""
        old = new = ""
        mode: int | None = None
        added = gone = False
        first = self._lines[self._at]
        self._at += 1
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith("--- "):
                yield self._headed(mode, old, new)
                return
            if line.startswith("diff --git ") or not line.strip():
                break
            key, _, value = line.rpartition(" ")
            if key in {"new mode", "new file mode"}:
                mode, added = _mode(value, self._at + 1), added or key == "new file mode"
            gone = gone or key == "deleted file mode"
            if line.startswith("rename from "):
                old = _name(line[12:])
            elif line.startswith("rename to "):
                new = _name(line[10:])
            elif line.startswith(("GIT binary patch", "Binary files ")):
                raise BadPatch("it holds binary files", self._at + 1)
            self._at += 1
        path = old or _read_git_path(first)
        yield FilePatch(path="" if added else path, new_path="" if gone else new or path, mode=mode)

    def _headed(self, mode: int | None, old: str, new: str) -> FilePatch:
        before, after = (_header(self._peek(more)) for more in (0, 1))
        if not self._peek(1).startswith("+++ "):
            raise BadPatch("a '---' line has no '+++' line after it", self._at + 1)
        self._at += 2
        before, after = _strip_prefixes(before, after)
        hunks = []
        while _HUNK.match(self._peek(0)):
            hunks.append(self._hunk())
        if not hunks and not old:
            raise BadPatch("a file has no hunk", self._at + 1)
        return FilePatch(path=old or before, new_path=new or after, hunks=tuple(hunks), mode=mode)

    def _hunk(self) -> Hunk:
        match = _HUNK.match(self._lines[self._at])
        assert match is not None
        start, left, coming = int(match[1]), int(match[2] or 1), int(match[4] or 1)
        at = start if left else start + 1
        self._at += 1
        old: list[str] = []
        new: list[str] = []
        bare = False
        while left > 0 or coming > 0 or self._peek(0) == NO_END:
            if self._at >= len(self._lines):
                raise BadPatch("it ends in the middle of a hunk", self._at)
            line = self._lines[self._at]
            self._at += 1
            match line[:1]:
                case "-":
                    old.append(line[1:])
                    left -= 1
                case "+":
                    new.append(line[1:])
                    coming -= 1
                case " " | "":
                    old.append(line[1:])
                    new.append(line[1:])
                    left, coming = left - 1, coming - 1
                case "\\":
                    bare = not self._lines[self._at - 2].startswith("-")
                case _:
                    raise BadPatch(f"a line of a hunk starts with {line[0]!r}", self._at)
        if left or coming:
            raise BadPatch("a hunk has more lines than its header says", self._at)
        # A hunk that only adds says after which line; ours say before which.
        return Hunk(old=tuple(old), new=tuple(new), at=at if old else at - 1, bare=bare)


def _header(line: str) -> str:
    return _name(line[4:].partition("\t")[0].rstrip())


def _strip_prefixes(before: str, after: str) -> tuple[str, str]:
    """Names without git's `a/` and `b/`, and without `/dev/null`."""
    cut = all(name == "/dev/null" or name.startswith(mark) for name, mark in ((before, "a/"), (after, "b/")))
    names = ["" if name == "/dev/null" else name[2:] if cut else name for name in (before, after)]
    return names[0], names[1]


def _read_git_path(line: str) -> str:
    names = line.removeprefix("diff --git ")
    half = len(names) // 2
    old = names[:half]
    return _name(old).removeprefix("a/")


def _name(name: str) -> str:
    """A path as git writes it: plain, or in quotes with C's escapes."""
    if not (len(name) > 1 and name[0] == name[-1] == '"'):
        return name
    raw = _ESCAPED.sub(
        lambda found: bytes([int(found[1], 8) & 255]) if len(found[1]) == 3 else _ESCAPES.get(found[1], found[1]),
        name[1:-1].encode("utf-8", "surrogateescape"),
    )
    return raw.decode("utf-8", "surrogateescape")


def _mode(value: str, line: int) -> int:
    if value not in {"100644", "100755"}:
        raise BadPatch(f"it makes a file of mode {value[:10]!r}; only plain files are made", line)
    return int(value[3:], 8)
