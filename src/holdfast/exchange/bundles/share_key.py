"""The key that seals this user's bundles, and what we ourselves wrote down on the way."""

import hmac
import json
import os
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from holdfast.config.secrets import read_secret
from holdfast.exchange.bundle_format.seal import KEY_BYTES, parse_key
from holdfast.system.folders import WritableFolder
from holdfast.system.json_cache import read_json_cache
from holdfast.system.safe_write import lock_folder, put_file
from holdfast.workspace import App

KEY = os.path.join("share", "key")
_USE = b"holdfast own note 1\n"


def load_share_key(app: App) -> bytes:
    """The key that is set, else one of our own making."""
    if place := str(app.settings["share.key"]):
        return parse_key(read_secret(place, "share.key"), place)
    path = os.path.join(app.home, KEY)
    try:
        return _read(path)
    except FileNotFoundError:
        # Of two that need one at the same moment, `export - | import -`, one makes it.
        with lock_folder(WritableFolder(root=os.path.dirname(path), private=True)):
            if not os.path.exists(path):
                put_file(path, os.urandom(KEY_BYTES).hex().encode() + b"\n")
            return _read(path)


def _read(path: str) -> bytes:
    with open(path, encoding="ascii") as file:
        return parse_key(file.read(), path)


def write_signed(app: App, path: str, held: Mapping[str, Any]) -> None:
    """Put an object on disk that only this user can have written: a repository may bring any file it likes."""
    said = json.dumps(held)
    put_file(path, json.dumps({"said": said, "proof": _proof(app, path, said)}).encode())


def read_signed(app: App, path: str) -> dict[str, Any] | None:
    """The object that `write_own` put there; None where there is none, or none of ours."""
    held = read_json_cache(path)
    said, proof = str(held.get("said", "")), str(held.get("proof", ""))
    if not said or not proof.isascii() or not hmac.compare_digest(proof, _proof(app, path, said)):
        return None
    found = json.loads(said)
    return found if isinstance(found, dict) else None


def _proof(app: App, path: str, said: str) -> str:
    where = os.path.basename(os.path.dirname(path))
    return hmac.new(load_share_key(app), _USE + f"{where}\n{said}".encode(), sha256).hexdigest()
