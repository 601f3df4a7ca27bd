"""Stores that obstore speaks to: S3 and what is like it, Google, Azure; a web address to read from.

Credentials come from each vendor's usual variables, and from nowhere else of ours.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from holdfast.core.errors import BadRequest, Unavailable
from holdfast.core.extras import extra_command
from holdfast.exchange.object_store import (
    ABSENT,
    ANY,
    SMALL,
    ByteSource,
    Lost,
    NoBucket,
    NotLetIn,
    Stored,
    Unreachable,
    read_whole,
)
from holdfast.exchange.objects.store_credentials import require_credentials

RETRIES = {
    "max_retries": 3,
    "retry_timeout": timedelta(seconds=20),
    "backoff": {"init_backoff": timedelta(milliseconds=200), "max_backoff": timedelta(seconds=3), "base": 2},
}
_COUNTS = re.compile(r" in [0-9.]+[mµn]?s\b|, after [0-9]+ retries, max_retries: [0-9]+, retry_timeout: [0-9]+s")
_ENDPOINTS = {
    "s3": ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"),
    "gs": ("GOOGLE_BASE_URL",),
    "az": ("AZURE_STORAGE_ENDPOINT", "AZURE_ENDPOINT"),
}


# What services say of a bucket or container that is not there.
NO_BUCKET = ("NoSuchBucket", "ContainerNotFound", "The specified bucket does not exist")


class ObstoreMissing(Unavailable):
    """The library is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "Stores need the package 'obstore', which is not installed.", f"install it: {extra_command('share')}"
        )


class BadStoreAddress(BadRequest):
    """An address that is no store's."""

    def __init__(self, url: str, reason: str) -> None:
        super().__init__(
            f"{url!r} is no store: {reason[:300]}.", "name a folder, s3://BUCKET/PATH, gs://BUCKET/PATH or az://…."
        )


class RemoteObjects:
    """Objects in a service."""

    def __init__(self, url: str, environment: Mapping[str, str]) -> None:
        try:
            self._obstore: Any = import_module("obstore")
            self._errors: Any = import_module("obstore.exceptions")
            stores: Any = import_module("obstore.store")
        except ImportError:
            raise ObstoreMissing from None
        self._url = _strip_user(url)
        require_credentials(self._url, environment)
        try:
            self._store = stores.from_url(url, retry_config=RETRIES, **_options(url, environment))
        except Exception as error:
            raise BadStoreAddress(self._url, _words(error)) from error

    @property
    def url(self) -> str:
        """The address, without a password in it."""
        return self._url

    def get(self, name: str, most: int = SMALL) -> tuple[bytes, str] | None:
        """A small object and its tag."""
        with self._told():
            try:
                found = self._obstore.get(self._store, name)
            except (self._errors.NotFoundError, FileNotFoundError):
                return None
            tag = str(found.meta.get("e_tag") or "")
            source = _Stream(iter(found.stream(min_chunk_size=1 << 16)), self)
        return read_whole(source, name, most), tag

    def open(self, name: str) -> ByteSource | None:
        """An object to read in turn."""
        with self._told():
            try:
                found = self._obstore.get(self._store, name)
            except (self._errors.NotFoundError, FileNotFoundError):
                return None
            return _Stream(iter(found.stream(min_chunk_size=1 << 20)), self)

    def put(self, name: str, data: bytes, tag: str | None = ANY) -> str:
        """Keep bytes; the service itself compares the tag."""
        mode: Any = "overwrite" if tag is ANY else "create" if tag == ABSENT else {"e_tag": tag}
        with self._told():
            try:
                done = self._obstore.put(self._store, name, data, mode=mode, use_multipart=False)
            except (self._errors.AlreadyExistsError, self._errors.PreconditionError) as error:
                raise Lost(name) from error
            return str(done.get("e_tag") or "")

    def list(self, prefix: str) -> Sequence[Stored]:
        """The objects whose names begin so."""
        folder, _, start = prefix.rpartition("/")
        with self._told():
            rows = [row for batch in self._obstore.list(self._store, folder or None) for row in batch]
        found = [
            Stored(
                name=str(row["path"]), size=int(row["size"]), modified=row["last_modified"].isoformat("T", "seconds")
            )
            for row in rows
        ]
        whole = f"{folder}/{start}" if folder else start
        return sorted((each for each in found if each.name.startswith(whole)), key=lambda each: each.name)

    def delete(self, names: Sequence[str]) -> None:
        """Take objects away."""
        for name in names:
            with self._told():
                try:
                    self._obstore.delete(self._store, name)
                except (self._errors.NotFoundError, FileNotFoundError):
                    continue

    @contextmanager
    def _told(self) -> Iterator[None]:
        refused = (self._errors.PermissionDeniedError, self._errors.UnauthenticatedError)
        try:
            yield
        except refused as error:
            raise NotLetIn(self._url, _words(error)) from error
        except (self._errors.BaseError, OSError) as error:
            words = _words(error)
            if any(mark in words for mark in ("403 Forbidden", "401 Unauthorized")):
                raise NotLetIn(self._url, words) from error
            if any(mark in words for mark in NO_BUCKET):
                raise NoBucket(self._url) from error
            raise Unreachable(self._url, words) from error


class _Stream:
    """Pieces of any size, read by the number of bytes."""

    def __init__(self, pieces: Iterator[Any], store: RemoteObjects) -> None:
        self._pieces, self._store, self._left = pieces, store, b""

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        while not self._left:
            with self._store._told():  # noqa: SLF001  # the same module
                piece = next(self._pieces, None)
            if piece is None:
                return b""
            self._left = bytes(piece)
        size = len(self._left) if size < 0 else size
        data, self._left = self._left[:size], self._left[size:]
        return data


def _options(url: str, environment: Mapping[str, str]) -> dict[str, Any]:
    client: dict[str, Any] = {"timeout": timedelta(seconds=300), "connect_timeout": timedelta(seconds=5)}
    names = _ENDPOINTS.get(url.partition("://")[0], ())
    endpoint = next((environment[name] for name in names if environment.get(name)), "")
    if url.startswith("http://") or endpoint.startswith("http://"):
        client["allow_http"] = True
    options: dict[str, Any] = {"client_options": client}
    if url.startswith("s3://"):
        options["config"] = _s3_options(environment, endpoint)
    return options


def _s3_options(environment: Mapping[str, str], endpoint: str) -> dict[str, str]:
    """What the library does not look for itself."""
    found = {"region": environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION") or "us-east-1"}
    return found | ({"endpoint": endpoint} if endpoint else {})


def _strip_user(url: str) -> str:
    parts = urlsplit(url)
    return url.replace(f"{parts.netloc}", parts.netloc.rpartition("@")[2], 1) if "@" in parts.netloc else url


def _words(error: BaseException) -> str:
    """What went wrong, on one line and without the library's inner debug form."""
    return _COUNTS.sub("", " ".join(str(error).partition("Debug source:")[0].split()))[:400]
