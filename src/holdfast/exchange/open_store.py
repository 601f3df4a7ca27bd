"""The store that an address names."""

import os
import re

from holdfast.core.errors import BadRequest
from holdfast.core.home import read_environment
from holdfast.exchange.object_store import Objects
from holdfast.exchange.open_database import NoDriver

REMOTE = ("s3://", "gs://", "az://", "http://", "https://")
DATABASES = ("postgresql://", "postgres://")
FILE = "file://"
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")


class UnknownStoreKind(BadRequest):
    """An address of a kind that we do not speak."""

    def __init__(self, url: str) -> None:
        shown = re.sub(r"//[^/@]*@", "//", url)[:200]
        known = ", ".join((*REMOTE[:3], DATABASES[0], FILE))
        super().__init__(f"{shown!r} is no store that is known here.", f"{known} are; a folder is written ./NAME.")


def is_address(text: str) -> bool:
    """Whether a text names a store by its address, and no file or folder."""
    return ADDRESS.match(text) is not None


def join_address(url: str, name: str) -> str:
    """The address of an object in a store; what follows a database's `?` stays at the end."""
    base, mark, query = url.partition("?") if url.startswith(DATABASES) else (url, "", "")
    return f"{base.rstrip('/')}/{name}{mark}{query}"


def split_address(place: str) -> tuple[str, str]:
    """The store and the last name of an address."""
    base, mark, query = place.partition("?") if place.startswith(DATABASES) else (place, "", "")
    folder, _, name = base.rpartition("/")
    return f"{folder}{mark}{query}", name


def open_store(url: str) -> Objects:
    """The store at an address, or in a folder."""
    if url.startswith(REMOTE):
        from holdfast.exchange.objects.cloud_store import RemoteObjects

        return RemoteObjects(url.rstrip("/"), read_environment())
    if url.startswith(DATABASES):
        return _open_database_store(url)
    if is_address(url) and not url.startswith(FILE):
        raise UnknownStoreKind(url)
    from holdfast.exchange.objects.folder_store import FolderObjects

    return FolderObjects(os.path.expanduser(url.removeprefix(FILE)))


def _open_database_store(url: str) -> Objects:
    try:
        from holdfast.exchange.postgres.database_store import PostgresObjects
    except ImportError as error:
        raise NoDriver from error
    return PostgresObjects(url)
