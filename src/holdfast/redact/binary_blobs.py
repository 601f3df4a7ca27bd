"""Binary data inside a text: data URIs and long runs of base64, also wrapped into lines."""

import re
from collections.abc import Callable

_DATA = r"data:[\w.+-]{0,64}/?[\w.+-]{0,64}(?:;[\w=.+-]{1,64}){0,4};base64,[A-Za-z0-9+/=_%-]{64,}"
_RUN = r"[A-Za-z0-9+/_-]{48,}={0,2}(?:(?:\r?\n|\\r\\n|\\n)[A-Za-z0-9+/_-]{40,}={0,2})*"
_LIST_OF_DIGESTS = re.compile(r"[0-9a-f]{48,128}(?:\r?\n[0-9a-f]{40,128})+")
_RUN_CHARACTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"
_BLOBS = re.compile(rf"{_DATA}|{_RUN}", re.ASCII)


def replace_blobs(text: str, marker: Callable[[str, str], str], least: int) -> str:
    """The text with each blob of at least so many characters replaced by its marker."""
    if _is_one_run(text, least):
        return marker("binary", text)
    return _BLOBS.sub(lambda found: marker("binary", found[0]) if _is_blob(found[0], least) else found[0], text)


def _is_one_run(text: str, least: int) -> bool:
    """Whether a text is nothing but one long run, told faster than by searching it."""
    bare = text.rstrip("=")
    if len(text) < least or len(text) - len(bare) > 2 or not bare.isascii():
        return False
    return not bare.encode("ascii").translate(None, _RUN_CHARACTERS)


def _is_blob(found: str, least: int) -> bool:
    return found.startswith("data:") or (len(found) >= least and not _LIST_OF_DIGESTS.fullmatch(found))
