"""The records of a workspace as a team sees them: runs, ratings, cost; its own, and those that came from others.

What is its own is read where it lies and never changed here. `state/sync/records.json` remembers the sums of files
that did not move since; it can be deleted.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import sha256
from typing import Any

from holdfast.core.run import ELSEWHERE, RUN_NAME
from holdfast.llm.app_model import COSTS
from holdfast.llm.cost_ledger import CostEntry, entry_from_json
from holdfast.records.team_forms import (
    COST,
    EVENTS_FILE,
    LARGEST,
    RATING,
    RUN,
    RUN_FILE,
    build_cost_text,
    build_rating_text,
    build_run_texts,
    find_record_error,
    is_run_file,
    path_of,
    split_record_path,
)  # fmt: skip
from holdfast.system.folders import WritableFolder, open_folder
from holdfast.system.json_cache import read_json_cache
from holdfast.system.safe_write import lock_folder, put_file, read_file
from holdfast.workspace import App

__all__ = ["TeamRecords", "read_others_costs", "read_others_ratings"]

RUNS = "runs"
CACHE = os.path.join("state", "sync", "records.json")
OWN_RATINGS = "learning/signals/ratings.jsonl"
OTHERS: Mapping[str, str] = {
    RATING: "learning/signals/team-ratings.jsonl",
    COST: "learning/signals/team-costs.jsonl",
}
LARGEST_FILE = 256 << 20
Texts = dict[str, bytes]
Sums = dict[str, str]


class TeamRecords:
    """The records here. A group is what one file, or one run, holds; it is read again when its stamp moves."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._place = WritableFolder(root=app.folder, private=True)
        self._others: dict[str, Texts] = {}

    def sums(self) -> Sums:
        """Every record with its sum; none of those that are too large."""
        return {path: digest for path, digest in self._looked_at().items() if digest}

    def too_large(self) -> list[str]:
        """The records that stay here, for their size."""
        return [path for path, digest in self._looked_at().items() if not digest]

    def _looked_at(self) -> Sums:
        """Every record with its sum, empty of those that are too large."""
        known, now, found = self._known(), dict[str, list[Any]](), Sums()
        for group, stamp, read in self._groups():
            held = known.get(group)
            if held is None or held[0] != stamp:
                held = [stamp, {path: "" if _is_too_large(data) else _sum(data) for path, data in read().items()}]
            now[group] = held
            found |= held[1]
        if now != known:
            put_file(self._cache, json.dumps(now, ensure_ascii=False).encode())
        return found

    def read(self, paths: Iterable[str]) -> Texts:
        """The bodies of some; those that are gone are left out."""
        wanted, found = set(paths), Texts()
        kinds = {split_record_path(path)[0] for path in wanted}
        runs = {split_record_path(path)[1].partition("/")[0] for path in wanted if split_record_path(path)[0] == RUN}
        for group, _, read in self._groups():
            kind, _, name = group.partition(":")
            if kind in kinds and (kind != RUN or name in runs):
                found |= {path: data for path, data in read().items() if path in wanted and not _is_too_large(data)}
        return found

    def is_own(self, path: str) -> bool:
        """Whether this workspace is where it comes from."""
        kind, name = split_record_path(path)
        if kind != RUN:
            return path not in self._lines_of_others(kind)
        run = name.partition("/")[0]
        there = RUN_NAME.fullmatch(run) is not None and self._has(f"{RUNS}/{run}/{RUN_FILE}")
        return there and not self._has(f"{RUNS}/{run}/{ELSEWHERE}")

    def take(self, rows: Mapping[str, bytes], origin: str) -> dict[str, str]:
        """Keep records of others; those that are none, each with the reason. What is our own stays as it is."""
        wrong = {path: why for path, data in rows.items() if (why := find_record_error(path, data))}
        good = {path: data for path, data in rows.items() if path not in wrong}
        # The file by which a run is known comes last: one that was cut short is not shown.
        for path in sorted(good, key=lambda path: path.endswith(f"/{RUN_FILE}")):
            if split_record_path(path)[0] == RUN and not self.is_own(path):
                self._take_run(path, good[path], origin)
        for kind in OTHERS:
            self._add_lines(kind, {path: data for path, data in good.items() if split_record_path(path)[0] == kind})
        return wrong

    def drop(self, paths: Sequence[str]) -> None:
        """Drop records of others."""
        for path in paths:
            kind, name = split_record_path(path)
            if kind == RUN and is_run_file(name) and not self.is_own(path):
                self._drop_run(name)
        for kind in OTHERS:
            if gone := {path for path in paths if split_record_path(path)[0] == kind}:
                with self._changing(kind) as held:
                    for path in gone:
                        held.pop(path, None)

    # Runs

    def _run_names(self) -> list[str]:
        try:
            found = os.listdir(os.path.join(self._app.folder, RUNS))
        except OSError:
            return []
        return sorted(name for name in found if RUN_NAME.fullmatch(name) and self._has(f"{RUNS}/{name}/{RUN_FILE}"))

    def _run_texts(self, name: str) -> Texts:
        texts = {file: read_file(self._place, f"{RUNS}/{name}/{file}") for file in (RUN_FILE, EVENTS_FILE)}
        if not self._has(f"{RUNS}/{name}/{ELSEWHERE}"):
            return build_run_texts(name, texts[RUN_FILE] or b"", texts[EVENTS_FILE] or b"")
        found = {path_of(RUN, f"{name}/{file}"): data for file, data in texts.items() if data is not None}
        return {path: data for path, data in found.items() if not find_record_error(path, data)}

    def _take_run(self, path: str, data: bytes, origin: str) -> None:
        run, _, file = split_record_path(path)[1].partition("/")
        with open_folder(self._place, (RUNS, run), make=True):
            folder = os.path.join(self._app.folder, RUNS, run)
        if not self._has(f"{RUNS}/{run}/{ELSEWHERE}"):
            put_file(os.path.join(folder, ELSEWHERE), f"{origin}\n".encode("utf-8", "replace"))
        put_file(os.path.join(folder, file), data)

    def _drop_run(self, name: str) -> None:
        run, _, file = name.partition("/")
        with open_folder(self._place, (RUNS, run), make=True) as folder:
            for each in (file, *((ELSEWHERE,) if file == RUN_FILE else ())):
                with suppress(FileNotFoundError):
                    os.unlink(each, dir_fd=folder)
        with suppress(OSError):
            os.rmdir(os.path.join(self._app.folder, RUNS, run))

    # Lines of others

    def _lines_of_others(self, kind: str) -> Texts:
        if kind not in OTHERS:
            return {}
        if kind not in self._others:
            self._others[kind] = dict(_read_known_lines(self._app, kind))
        return self._others[kind]

    def _add_lines(self, kind: str, rows: Texts) -> None:
        if not rows:
            return
        with self._changing(kind) as held:
            own = self.read(path for path in rows if path not in held)
            held |= {path: data for path, data in rows.items() if path not in own}

    @contextmanager
    def _changing(self, kind: str) -> Iterator[Texts]:
        """The lines as they are now, to be changed: two syncs at once, with two servers, take turns."""
        with lock_folder(WritableFolder(root=os.path.dirname(self._cache), private=True)):
            self._others.pop(kind, None)
            held = dict(self._lines_of_others(kind))
            yield held
            if held != self._others[kind]:
                lines = b"".join(data + b"\n" for data in held.values())
                put_file(os.path.join(self._app.folder, OTHERS[kind]), lines)
            self._others[kind] = held

    # What is where

    def _groups(self) -> Iterator[tuple[str, str, Callable[[], Texts]]]:
        for name in self._run_names():
            files = (RUN_FILE, EVENTS_FILE, ELSEWHERE)
            stamp = " ".join(_stamp(os.path.join(self._app.folder, RUNS, name, file)) for file in files)
            yield f"{RUN}:{name}", stamp, partial(self._run_texts, name)
        for kind, path in OTHERS.items():
            stamp = _stamp(os.path.join(self._app.folder, path))
            yield f"{kind}:others", stamp, partial(self._lines_of_others, kind)
        yield f"{RATING}:own", _stamp(os.path.join(self._app.folder, OWN_RATINGS)), self._own_ratings
        for month in self._months():
            path = os.path.join(self._app.home, COSTS, month)
            yield f"{COST}:{month}", _stamp(path), partial(self._own_costs, path)

    def _own_ratings(self) -> Texts:
        lines = map(_parse_object, _lines(os.path.join(self._app.folder, OWN_RATINGS)))
        texts = dict(build_rating_text(line) for line in lines if line is not None)
        return {path: data for path, data in texts.items() if not find_record_error(path, data)}

    def _months(self) -> list[str]:
        try:
            return sorted(name for name in os.listdir(os.path.join(self._app.home, COSTS)) if name.endswith(".jsonl"))
        except OSError:
            return []

    def _own_costs(self, path: str) -> Texts:
        found = (entry_from_json(_parse_object(line)) for line in _lines(path))
        # The last line of an id counts.
        texts = dict(build_cost_text(each) for each in found if each and each.workspace == self._app.workspace_id)
        return {path: data for path, data in texts.items() if not find_record_error(path, data)}

    @property
    def _cache(self) -> str:
        return os.path.join(self._app.folder, CACHE)

    def _known(self) -> dict[str, list[Any]]:
        held = read_json_cache(self._cache)
        whole = all(isinstance(each, list) and len(each) == 2 and isinstance(each[1], dict) for each in held.values())
        return held if whole else {}

    def _has(self, path: str) -> bool:
        return os.path.lexists(os.path.join(self._app.folder, path))


def read_others_ratings(app: App) -> Texts:
    """The ratings that came from others, by path."""
    return dict(_read_known_lines(app, RATING))


def read_others_costs(app: App) -> list[CostEntry]:
    """What others of the team spent on this project."""
    found = (entry_from_json(_parse_object(data)) for _, data in _read_known_lines(app, COST))
    return [each for each in found if each is not None]


def _read_known_lines(app: App, kind: str) -> Iterator[tuple[str, bytes]]:
    """The records in a file of lines, each with its path; lines that are none are passed over."""
    for line in _lines(os.path.join(app.folder, OTHERS[kind])):
        held = _parse_object(line)
        spent = entry_from_json(held) if kind == COST else None
        path = (
            build_cost_text(spent)[0]
            if spent
            else build_rating_text(held)[0]
            if held is not None and kind == RATING
            else ""
        )
        if path and not find_record_error(path, line):
            yield path, line


def _lines(path: str) -> list[bytes]:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return []
    with open(fd, "rb") as file:
        return file.read(LARGEST_FILE).splitlines()


def _parse_object(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _is_too_large(data: bytes) -> bool:
    return len(data) > LARGEST


def _stamp(path: str) -> str:
    try:
        seen = os.lstat(path)
    except OSError:
        return ""
    return f"{seen.st_size}:{seen.st_mtime_ns}:{seen.st_ino}"


def _sum(data: bytes) -> str:
    return sha256(data).hexdigest()
