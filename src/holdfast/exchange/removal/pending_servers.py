"""Servers that were away when something was to be purged: the same command may tell them the words later.

`state/owed.json` holds no words: sums of them, salted by this workspace alone.
"""

import json
import os
from hashlib import sha256

from holdfast.config.remotes import Remote
from holdfast.core.ids import random_part
from holdfast.forget.removal_query import ForgetQuery
from holdfast.system.json_cache import read_json_cache
from holdfast.system.safe_write import put_file
from holdfast.workspace import App

STATE = os.path.join("state", "owed.json")
SALT = 26


def is_pending(app: App, remote: Remote, sought: ForgetQuery) -> bool:
    """Whether a server was to purge this, and did not answer then."""
    salt, owed = _read_pending(app)
    return _sum(salt, remote, sought) in owed


def note_pending(app: App, remote: Remote, sought: ForgetQuery, *, owed: bool) -> None:
    """Keep that a server is still to be asked for some words, or that it was."""
    salt, before = _read_pending(app)
    after = before | {_sum(salt, remote, sought)} if owed else before - {_sum(salt, remote, sought)}
    if after != before and sought.by_words:
        put_file(os.path.join(app.folder, STATE), json.dumps({"salt": salt, "owed": sorted(after)}).encode())


def _read_pending(app: App) -> tuple[str, frozenset[str]]:
    held = read_json_cache(os.path.join(app.folder, STATE))
    owed = held.get("owed")
    salt = str(held.get("salt") or random_part(SALT))
    return salt, frozenset(map(str, owed)) if isinstance(owed, list) else frozenset()


def _sum(salt: str, remote: Remote, sought: ForgetQuery) -> str:
    words = json.dumps([salt, remote.url, remote.workspace, sought.text, sought.subject])
    return sha256(words.encode("utf-8", "surrogatepass")).hexdigest()
