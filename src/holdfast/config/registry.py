"""The registry of workspaces in our home folder: what the user initialised, and which memory they allowed.

`workspaces/<id>.json` says what the workspace is; `workspaces/<id>.known` lists the sha256 of every memory file
that the user wrote through us or allowed, one a line, appended; `workspaces/<id>.held` likewise those that an agent
wrote, so that they stay held back when the journal no longer tells; `workspaces/<id>.unproven` those that somebody
accepted who was not proven to be a person, until a person confirms them; `workspaces/<id>.accepted` who accepted what;
`workspaces/<id>.proposed` lists those of the candidates that Holdfast wrote here;
`workspaces/<id>.vouched` which sessions that no hook heard a person vouched for.
"""

import json
import os
from collections.abc import Iterable
from typing import Any

from holdfast.core.errors import Damaged
from holdfast.core.value import Value, as_dict
from holdfast.system.safe_write import put_file

FOLDER = "workspaces"
KNOWN, HELD, UNPROVEN, ACCEPTED, PROPOSED = "known", "held", "unproven", "accepted", "proposed"
VOUCHED = "vouched"


class BrokenRegistry(Damaged):
    """A registry file that is not what we wrote."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"Registry file {path!r} cannot be read: {reason}.",
            "remove the file, then run `holdfast init` and `holdfast allow` in that workspace.",
        )


class RegisteredWorkspace(Value):
    """What we know of a workspace. `foreign`: what stood in its `.holdfast` before it was one, and waits for a word."""

    workspace_id: str
    path: str
    token: str = ""
    initialised: str = ""
    allowed_at: str = ""
    capture: bool = False
    foreign: tuple[str, ...] = ()

    @property
    def allowed(self) -> bool:
        """Whether the user let this workspace's memory reach agents."""
        return bool(self.allowed_at)


class Registry:
    """One file per workspace, below the home folder."""

    def __init__(self, home: str) -> None:
        self._folder = os.path.join(home, FOLDER)

    def get(self, workspace_id: str) -> RegisteredWorkspace | None:
        """What we know of a workspace, or None."""
        path = self._path(workspace_id)
        try:
            with open(path, encoding="utf-8") as file:
                return _parse_registered(json.load(file))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise BrokenRegistry(path, str(error)) from error
        except OSError as error:
            raise BrokenRegistry(path, error.strerror or str(error)) from error

    def stat(self, workspace_id: str) -> list[tuple[int, ...]]:
        """Numbers that move when a workspace's entry or what it proposed does; those of the folder without an entry."""
        found = [_stat_numbers(path) for path in (self._path(workspace_id), self._sums_path(workspace_id, PROPOSED))]
        return list(filter(None, found if found[0] else [_stat_numbers(self._folder)]))

    def put(self, entry: RegisteredWorkspace) -> None:
        """Keep what we know; durable on return."""
        text = json.dumps(as_dict(entry), indent=1, ensure_ascii=False) + "\n"
        put_file(self._path(entry.workspace_id), text.encode())

    def by_token(self, token: str) -> RegisteredWorkspace | None:
        """The workspace that carries this token: how a moved folder is known again."""
        for name in self.ids():
            entry = self.get(name)
            if entry and entry.token and entry.token == token:
                return entry
        return None

    def drop(self, workspace_id: str) -> None:
        """Forget a workspace."""
        kept = (self._sums_path(workspace_id, kind) for kind in (KNOWN, HELD, UNPROVEN, ACCEPTED, PROPOSED, VOUCHED))
        for path in (self._path(workspace_id), *kept):
            if os.path.exists(path):
                os.unlink(path)

    def known(self, workspace_id: str) -> frozenset[str]:
        """The sha256 of every memory file that the user wrote or allowed."""
        return self._sums(self._sums_path(workspace_id))

    def learn(self, workspace_id: str, sums: Iterable[str]) -> None:
        """Note files that the user wrote or allowed, so that they are not new to them."""
        self._add_sums(self._sums_path(workspace_id), sums)

    def held(self, workspace_id: str) -> frozenset[str]:
        """The sha256 of every memory file that an agent wrote; those that are known too were allowed since."""
        return self._sums(self._sums_path(workspace_id, HELD))

    def hold(self, workspace_id: str, sums: Iterable[str]) -> None:
        """Note files that an agent wrote."""
        self._add_sums(self._sums_path(workspace_id, HELD), sums)

    def unproven(self, workspace_id: str) -> frozenset[str]:
        """The sha256 of every memory file that was accepted, and not proven to be so by a person."""
        return self._sums(self._sums_path(workspace_id, UNPROVEN))

    def doubt(self, workspace_id: str, sums: Iterable[str]) -> None:
        """Note files that somebody accepted who was not proven to be a person."""
        self._add_sums(self._sums_path(workspace_id, UNPROVEN), sums)

    def confirm(self, workspace_id: str, sums: Iterable[str]) -> None:
        """Note that a person stands for some files now."""
        before, path = self.unproven(workspace_id), self._sums_path(workspace_id, UNPROVEN)
        left = before.difference(sums)
        if left != before:
            put_file(path, "".join(f"{each}\n" for each in sorted(left)).encode())

    def proposed(self, workspace_id: str) -> frozenset[str] | None:
        """The sha256 of every candidate's file that Holdfast wrote; None where nobody has kept them yet."""
        path = self._sums_path(workspace_id, PROPOSED)
        return self._sums(path) if os.path.lexists(path) else None

    def note_proposed(self, workspace_id: str, sums: Iterable[str]) -> None:
        """Note candidates' files that Holdfast wrote."""
        self._add_sums(self._sums_path(workspace_id, PROPOSED), sums)

    def begin_proposed(self, workspace_id: str) -> None:
        """From now on, what is not noted as written by Holdfast is none of its candidates."""
        if self.proposed(workspace_id) is None:
            put_file(self._sums_path(workspace_id, PROPOSED), b"")

    def acceptances(self, workspace_id: str) -> str:
        """Who accepted what, as `trust/acceptances.py` writes it: one JSON object a line, oldest first."""
        return self._lines(workspace_id, ACCEPTED)

    def add_acceptance(self, workspace_id: str, line: str) -> None:
        """Note one acceptance; durable on return."""
        self._add_sums(self._sums_path(workspace_id, ACCEPTED), [line])

    def vouchings(self, workspace_id: str) -> str:
        """Who vouched for which sessions, as `trust/vouchings.py` writes it: one JSON object a line, oldest first."""
        return self._lines(workspace_id, VOUCHED)

    def add_vouching(self, workspace_id: str, line: str) -> None:
        """Note who vouched for some sessions, or took it back; durable on return."""
        self._add_sums(self._sums_path(workspace_id, VOUCHED), [line])

    def _lines(self, workspace_id: str, kind: str) -> str:
        try:
            with open(self._sums_path(workspace_id, kind), encoding="utf-8", errors="replace") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return ""

    def _sums(self, path: str) -> frozenset[str]:
        try:
            with open(path, encoding="ascii") as file:
                return frozenset(file.read().split())
        except (FileNotFoundError, NotADirectoryError):
            return frozenset()
        except (OSError, UnicodeDecodeError) as error:
            raise BrokenRegistry(path, str(error)) from error

    def _add_sums(self, path: str, sums: Iterable[str]) -> None:
        lines = "".join(f"{each}\n" for each in sums)
        if not lines or not os.path.isdir(self._folder):
            return
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            os.write(file, lines.encode())
            os.fsync(file)
        finally:
            os.close(file)

    def _path(self, workspace_id: str) -> str:
        return os.path.join(self._folder, workspace_id + ".json")

    def _sums_path(self, workspace_id: str, kind: str = KNOWN) -> str:
        return os.path.join(self._folder, f"{workspace_id}.{kind}")

    def ids(self) -> list[str]:
        """The ids of all workspaces."""
        try:
            return sorted(name.removesuffix(".json") for name in os.listdir(self._folder) if name.endswith(".json"))
        except OSError:
            return []


def _stat_numbers(path: str) -> tuple[int, ...]:
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_ctime_ns


def _parse_registered(data: Any) -> RegisteredWorkspace:
    return RegisteredWorkspace(
        workspace_id=str(data["workspace_id"]),
        path=str(data["path"]),
        token=str(data.get("token", "")),
        initialised=str(data.get("initialised", "")),
        allowed_at=str(data.get("allowed_at", "")),
        capture=data.get("capture") is True,
        foreign=tuple(map(str, data.get("foreign", ()))),
    )
