"""One-time links to Studio: a key in the address's fragment, which no log and no Referer holds.

A key is a file named by its sum in `HOLDFAST_HOME/serve`, so whoever may read the person's token may make one, and
no token is sent to a server to get a link. Loads no web library.
"""

import json
import secrets
import time
from hashlib import sha256

from holdfast.core.presence import STUDIO, Presence, presence_from_json, presence_json
from holdfast.core.value import replace
from holdfast.server.http.security.private_files import PrivateFolder

GOOD_FOR = 60.0
_MARK = "link-"
UNKNOWN = Presence(who="", how=STUDIO, proven=False, why="who made the link to Studio is not known")


def new_link(home: str, url: str, by: Presence = UNKNOWN) -> str:
    """A link that opens Studio once, within a minute. `by`: who asked for it, and so who decides in Studio."""
    key = secrets.token_urlsafe(24)
    PrivateFolder(home).create(_name(key), json.dumps(presence_json(by)).encode())
    return f"{url}/#key={key}"


def redeem(home: str, key: str) -> Presence | None:
    """Who asked for a link whose key is good; it is no more after this."""
    folder = PrivateFolder(home)
    kept = folder.read(_name(key))
    written = folder.take(_name(key))
    if kept is None or written is None or not -GOOD_FOR < time.time() - written < GOOD_FOR:
        return None
    return _read_presence(kept)


def _read_presence(kept: bytes) -> Presence:
    try:
        form = json.loads(kept)
    except ValueError:
        return UNKNOWN
    return replace(presence_from_json(form), how=STUDIO) if isinstance(form, dict) and form else UNKNOWN


def sweep(home: str) -> None:
    """Remove links that nobody followed."""
    folder = PrivateFolder(home)
    for name in folder.names(_MARK):
        if time.time() - folder.stamp(name)[1] / 1e9 > GOOD_FOR:
            folder.take(name)


def _name(key: str) -> str:
    return _MARK + sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
