"""One-time links to Studio: a key in the address's fragment, which no log and no Referer holds.

A key is a file named by its sum in `HOLDFAST_HOME/serve`, so whoever may read the person's token may make one, and
no token is sent to a server to get a link. Loads no web library.
"""

import secrets
import time
from hashlib import sha256

from holdfast.server.http.security.private_files import PrivateFolder

GOOD_FOR = 60.0
_MARK = "link-"


def new_link(home: str, url: str) -> str:
    """A link that opens Studio once, within a minute."""
    key = secrets.token_urlsafe(24)
    PrivateFolder(home).create(_name(key), b"")
    return f"{url}/#key={key}"


def redeem(home: str, key: str) -> bool:
    """Whether a key is good; it is no more after this."""
    written = PrivateFolder(home).take(_name(key))
    return written is not None and -GOOD_FOR < time.time() - written < GOOD_FOR


def sweep(home: str) -> None:
    """Remove links that nobody followed."""
    folder = PrivateFolder(home)
    for name in folder.names(_MARK):
        if time.time() - folder.stamp(name)[1] / 1e9 > GOOD_FOR:
            folder.take(name)


def _name(key: str) -> str:
    return _MARK + sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
