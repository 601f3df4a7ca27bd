"""What altered the memory system itself: one line a change, appended to `changes/` of the workspace or of the user."""

import json
import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from holdfast.core.errors import HoldfastError
from holdfast.core.value import Value
from holdfast.system.folders import WritableFolder
from holdfast.system.safe_write import create_file, lock_folder, put_file, read_file, replace_file
from holdfast.workspace import App

FOLDER = "changes"
INDEX, PAGE = "index.json", "CHANGELOG.md"
TITLE = "# Changes of the memory system\n\nOne line a change; `holdfast log --system` reads them.\n\n"
USER, BY_HAND = "user", "by hand"
LONGEST = 300


class SystemChange(Value):
    """One change. `who`: the user, a client's agent, or somebody's editor. `own`: it concerns every workspace."""

    ts: str
    who: str
    kind: str
    what: str
    before: str = ""
    after: str = ""
    own: bool = False

    @property
    def words(self) -> str:
        """What happened, on one line."""
        arrow = f"{self.before or 'nothing'} → {self.after or 'nothing'}" if self.before else self.after
        return f"{self.kind} {self.what}: {arrow}"


class SystemChangeLog(Value):
    """The changes, oldest first, and the places that could not be read."""

    changes: tuple[SystemChange, ...]
    broken: tuple[str, ...] = ()


def note_change(
    app: App, kind: str, what: str, *, before: str = "", after: str = "", own: bool = False, who: str = ""
) -> None:
    """Append a change; where that cannot be written it is a notice, for the change itself is done."""
    ts = app.clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
    raw = {"ts": ts, "who": who or app.client or USER, "kind": kind, "what": what, "from": before, "to": after}
    form = {key: _to_plain_line(value) for key, value in raw.items()}
    root = app.home if own or not app.workspace else app.folder
    try:
        _append(os.path.join(root, FOLDER), form)
    except (HoldfastError, OSError) as error:
        app.notices.append(f"This change is not noted in {FOLDER}/: {error}")


def read_changes(app: App) -> SystemChangeLog:
    """Every change of this workspace and of the user's own set-up, in order."""
    keepers = [] if app.is_copy else [(app.home, True)]
    roots = keepers + ([(app.folder, False)] if app.workspace else [])
    found: list[SystemChange] = []
    broken: list[str] = []
    for root, own in roots:
        for path, line, raw in _lines(os.path.join(root, FOLDER)):
            change = _change(raw, own=own)
            if change is None:
                broken.append(f"{path}:{line}")
            else:
                found.append(change)
    return SystemChangeLog(changes=tuple(sorted(found, key=lambda change: change.ts)), broken=tuple(broken))


def notice_edits(app: App, who: str = BY_HAND) -> None:
    """Note what settings and rules say now and did not when we last looked, and another version of ours.

    The first look notes nothing.
    """
    own = {"setting": _settings(app.home), "rule": _policy(app.home), "migration": _version()}
    _note_edits(app, app.home, own, who, own=True)
    if app.workspace:
        _note_edits(app, app.folder, {"setting": _settings(app.folder)}, who, own=False)


def _note_edits(app: App, root: str, now: Mapping[str, Mapping[str, str]], who: str, *, own: bool) -> None:
    path = os.path.join(root, FOLDER, INDEX)
    if not os.path.isdir(root):
        return
    index = _index(os.path.join(root, FOLDER))
    seen = index.get("seen")
    if seen == now:
        return
    known: dict[str, Any] = seen if isinstance(seen, dict) else {}
    for kind, values in now.items() if known else ():
        then = _mapping(known.get(kind))
        for what in [*then, *(key for key in values if key not in then)]:
            before, after = str(then.get(what, "")), values.get(what, "")
            if before != after:
                note_change(app, kind, what, before=before or "default", after=after or "default", own=own, who=who)
    try:
        with lock_folder(_place(root)):
            put_file(path, _json({**_index(os.path.join(root, FOLDER)), "seen": now}))
    except (HoldfastError, OSError) as error:
        app.notices.append(f"{path!r} cannot be written: {error}")


def _version() -> dict[str, str]:
    from importlib.metadata import version

    return {"holdfast": version("holdfast")}


def _settings(root: str) -> dict[str, str]:
    from holdfast.config.settings import FILE
    from holdfast.config.toml_file import BrokenSettings, read_file

    try:
        return {key: _to_plain_line(value) for key, value in read_file(os.path.join(root, FILE)).items()}
    except BrokenSettings:
        return {FILE: "cannot be read"}


def _policy(root: str) -> dict[str, str]:
    """The guard's rules of the user's own, by a short sum: they are long, and may name what is private."""
    from holdfast.core.home import OWN_POLICY

    data = read_file(WritableFolder(root=root), OWN_POLICY)
    return {} if data is None else {OWN_POLICY: f"sha256 {sha256(data).hexdigest()[:12]}"}


def _append(folder: str, form: Mapping[str, str]) -> None:
    day = form["ts"][:10]
    line = json.dumps(form, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    told = SystemChange(
        ts=form["ts"], who=form["who"], kind=form["kind"], what=form["what"], before=form["from"], after=form["to"]
    )
    page = f"- {told.ts} {told.who}: {told.words}\n".encode("utf-8", "replace")
    place = WritableFolder(root=folder, private=True)
    with lock_folder(place):
        _add(place, f"{day[:4]}/{day[5:7]}/{day}.jsonl", line)
        _add(place, PAGE, page, TITLE.encode())
        index = _index(folder)
        days = _mapping(index.get("days"))
        put_file(
            os.path.join(folder, INDEX), _json({**index, "v": 1, "days": {**days, day: _count(days.get(day)) + 1}})
        )


def _add(place: WritableFolder, name: str, line: bytes, head: bytes = b"") -> None:
    data = read_file(place, name)
    if data is None:
        create_file(place, name, head + line)
    else:
        gap = b"" if not data or data.endswith(b"\n") else b"\n"
        replace_file(place, name, data + gap + line, then=sha256(data).hexdigest())


def _lines(folder: str) -> Iterator[tuple[str, int, bytes]]:
    place = WritableFolder(root=folder)
    for year in _list_numbered(folder, 4):
        for month in _list_numbered(os.path.join(folder, year), 2):
            for name in sorted(_list_change_files(os.path.join(folder, year, month))):
                path = f"{year}/{month}/{name}"
                for number, line in enumerate((read_file(place, path) or b"").splitlines(), 1):
                    yield os.path.join(folder, path), number, line


def _list_numbered(folder: str, digits: int) -> list[str]:
    return sorted(name for name in _list_folder(folder) if len(name) == digits and name.isascii() and name.isdigit())


def _list_change_files(folder: str) -> list[str]:
    return [name for name in _list_folder(folder) if name.endswith(".jsonl") and not name.startswith(".")]


def _list_folder(folder: str) -> list[str]:
    try:
        return [] if os.path.islink(folder) else os.listdir(folder)
    except OSError:
        return []


def _change(raw: bytes, *, own: bool) -> SystemChange | None:
    try:
        form = json.loads(raw)
        texts = {key: str(form[key]) for key in ("ts", "who", "kind", "what")}
        return SystemChange(**texts, before=str(form.get("from", "")), after=str(form.get("to", "")), own=own)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _index(folder: str) -> dict[str, Any]:
    try:
        found = json.loads(read_file(WritableFolder(root=folder), INDEX) or b"{}")
    except (ValueError, RecursionError, HoldfastError):
        return {}
    return _mapping(found)


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def _place(root: str) -> WritableFolder:
    return WritableFolder(root=os.path.join(root, FOLDER), private=True)


def _json(form: Mapping[str, Any]) -> bytes:
    return (json.dumps(form, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")


def _to_plain_line(value: object) -> str:
    """A value on one line, without secrets."""
    from holdfast.redact.clean import clean

    words = " ".join(str(clean(str(value)).value).split())
    return words if len(words) <= LONGEST else f"{words[:LONGEST]}…"
