"""Tokens: the person's own, readable by them alone, and further ones, kept as hashes and shown once.

`HOLDFAST_HOME/serve/token` is the person's own, with every right. `serve/tokens.json` has the others,
`serve/sessions.json` those of Studio. Loads no web library.
"""

import json
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import sha256
from hmac import compare_digest
from threading import Lock
from typing import Any

from holdfast.core.errors import BadRequest, Conflict, Damaged, NotFound
from holdfast.core.presence import KEY, Presence, presence_from_json, presence_json
from holdfast.core.value import Value, replace
from holdfast.server.http.security.callers import EVERY_RIGHT, Caller, Right
from holdfast.server.http.security.private_files import PrivateFolder

OWN = "token"
OTHERS = "tokens.json"
SESSIONS = "sessions.json"
MOST_SESSIONS = 200
OWNER = "owner"
PREFIX = "hfst_"
LONGEST_NAME = 40
LONGEST_TOKEN = 200
MOST = 1_000


class BadTokenName(BadRequest):
    """A name that cannot be one."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name[:60]!r} cannot name a token.",
            f"letters, digits, - and _, {LONGEST_NAME} at most; {OWNER!r} is your own.",
        )


class NameTaken(Conflict):
    """Two tokens of one name."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"There is a token {name!r} already.", f"`holdfast serve token remove {name}` first, or another name."
        )


class NoSuchToken(NotFound):
    """No token of that name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no token {name[:60]!r}.", "`holdfast serve token list` shows all.")


class BrokenTokens(Damaged):
    """A file of tokens that is not what we wrote."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(
            f"{path!r} cannot be read: {reason}.",
            "remove it; your own token is made again, others by `holdfast serve token add`.",
        )


class TokenRecord(Value):
    """A further token: never its text."""

    name: str
    sha256: str
    rights: frozenset[Right]
    created: str
    by: Presence | None = None


class TokenStore:
    """Who holds which token. A running server sees added and removed ones at once."""

    def __init__(self, home: str) -> None:
        self._folder = PrivateFolder(home)
        self._lock = Lock()
        self._stamp: object = None
        self._own = ""
        self._records: tuple[TokenRecord, ...] = ()
        self._sessions: dict[str, tuple[str, Presence]] = {}
        self.last_used: dict[str, str] = {}

    def own(self) -> str:
        """The person's own token, made where there is none."""
        self._folder.make()
        for _ in range(2):
            kept = self._folder.read(OWN)
            if kept is not None:
                return _check_own_token(kept, self._folder.path)
            self._folder.create(OWN, f"{new_token()}\n".encode())
        raise BrokenTokens(f"{self._folder.path}/{OWN}", "it went away as it was read")

    def caller(self, token: str) -> Caller | None:
        """Whose token this is. Every token is compared in full, so that time tells nothing."""
        with self._lock:
            self._look()
            given = _sum(token[:LONGEST_TOKEN])
            own = compare_digest(given, _sum(self._own))
            found = Caller(name=OWNER, rights=EVERY_RIGHT, key=given) if own else None
            for record in self._records:
                if compare_digest(given, record.sha256):
                    found = Caller(name=record.name, rights=record.rights, key=given, by=record.by)
            for sum_, (owner, by) in self._sessions.items():
                if compare_digest(given, sum_) and compare_digest(owner, _sum(self._own)):
                    found = Caller(name=OWNER, rights=EVERY_RIGHT, key=given, by=by)
            if found is not None:
                self.last_used[found.name] = _now()
            return found

    def begin_session(self, by: Presence) -> str:
        """A token for Studio, opened by a link of somebody's: good as long as the owner's is the same."""
        token = new_token()
        with self._lock, self._folder.locked():
            self._look()
            kept = list(self._sessions.items())[-MOST_SESSIONS + 1 :]
            self._sessions = {**dict(kept), _sum(token): (_sum(self._own), by)}
            rows = [
                {"sha256": key, "owner": own, "by": presence_json(who)} for key, (own, who) in self._sessions.items()
            ]
            self._folder.put(SESSIONS, (json.dumps({"version": 1, "sessions": rows}, indent=1) + "\n").encode())
            self._stamp = None
        return token

    def holds(self, caller: Caller) -> bool:
        """Whether a caller's token is still good, and for the same."""
        with self._lock:
            self._look()
            if caller.name == OWNER:
                session = self._sessions.get(caller.key)
                return _sum(self._own) in {caller.key, session[0] if session else ""}
            return any(
                (each.name, each.sha256, each.rights) == (caller.name, caller.key, caller.rights)
                for each in self._records
            )

    def records(self) -> tuple[TokenRecord, ...]:
        """The further tokens, by name."""
        with self._lock:
            self._look()
            return self._records

    def add(self, name: str, rights: Iterable[Right], by: Presence | None = None) -> str:
        """Make a further token; its text, which is shown once and kept nowhere. `by`: who gives it to a program."""
        if not _is_name(name):
            raise BadTokenName(name)
        token = new_token()
        every = frozenset(rights) | {Right.READ}
        made = TokenRecord(name=name, sha256=_sum(token), rights=every, created=_now(), by=by)
        with self._lock, self._folder.locked():
            self._look()
            if any(each.name == name for each in self._records):
                raise NameTaken(name)
            self._write((*self._records, made))
        return token

    def remove(self, name: str) -> None:
        """Have a token open nothing any more."""
        if name == OWNER:
            self._folder.take(OWN)
            return
        with self._lock, self._folder.locked():
            self._look()
            left = tuple(each for each in self._records if each.name != name)
            if len(left) == len(self._records):
                raise NoSuchToken(name)
            self._write(left)

    def _look(self) -> None:
        stamp = tuple(map(self._folder.stamp, (OWN, OTHERS, SESSIONS)))
        if stamp != self._stamp:
            self._own = self.own()
            self._sessions = _sessions(self._folder.read(SESSIONS))
            self._records = _records(self._folder.read(OTHERS), f"{self._folder.path}/{OTHERS}")
            self._stamp = tuple(map(self._folder.stamp, (OWN, OTHERS, SESSIONS)))

    def _write(self, records: tuple[TokenRecord, ...]) -> None:
        rows = [
            {"name": each.name, "sha256": each.sha256, "rights": sorted(each.rights), "created": each.created}
            | ({"by": presence_json(each.by)} if each.by else {})
            for each in sorted(records, key=lambda each: each.name)
        ]
        self._folder.put(OTHERS, (json.dumps({"version": 1, "tokens": rows}, indent=1) + "\n").encode())
        self._stamp = None


def new_token() -> str:
    """256 random bits, in a form that is known again where it should not stand."""
    return PREFIX + secrets.token_urlsafe(32)


def _check_own_token(kept: bytes, folder: str) -> str:
    token = kept.decode("ascii", "replace").strip()
    if not token.startswith(PREFIX) or len(token) < len(PREFIX) + 40 or not token.isascii():
        raise BrokenTokens(f"{folder}/{OWN}", "it holds no token of ours")
    return token


def _records(kept: bytes | None, path: str) -> tuple[TokenRecord, ...]:
    if kept is None:
        return ()
    try:
        rows: Any = json.loads(kept)["tokens"]
        return tuple(
            TokenRecord(
                name=str(row["name"]),
                sha256=str(row["sha256"]),
                rights=frozenset(map(Right, row["rights"])) | {Right.READ},
                created=str(row.get("created", "")),
                by=_presence_of_token(row),
            )
            for row in rows[:MOST]
        )
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise BrokenTokens(path, f"{type(error).__name__}") from error


def _presence_of_token(row: dict[str, Any]) -> Presence | None:
    """Whoever gave a token to a program stands for what the program decides with it."""
    form = row.get("by")
    return replace(presence_from_json(form), how=KEY, where=f"token {row['name']}") if isinstance(form, dict) else None


def _sessions(kept: bytes | None) -> dict[str, tuple[str, Presence]]:
    """Studio's sessions; none where the file is not what we wrote: then each asks for a new link."""
    try:
        rows: Any = json.loads(kept or b"{}").get("sessions", [])
        return {str(row["sha256"]): (str(row["owner"]), presence_from_json(row["by"])) for row in rows[-MOST_SESSIONS:]}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def _is_name(name: str) -> bool:
    plain = name.replace("-", "").replace("_", "")
    return name != OWNER and len(name) <= LONGEST_NAME and plain.isascii() and plain.isalnum()


def _sum(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
