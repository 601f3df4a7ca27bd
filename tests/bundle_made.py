"""Bundles for tests: made of given files, and then bent."""

import io
import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from holdfast.core.memory import Memory, MemoryType, Status
from holdfast.exchange.bundle_format import bundle_paths, tar_stream
from holdfast.exchange.bundle_format.bundle_values import Head
from holdfast.exchange.bundle_format.compression import BundleRecipients, open_packer
from holdfast.exchange.bundle_format.tar_stream import Member
from holdfast.exchange.bundle_format.write_bundle import open_bundle_writer
from holdfast.vault.edit_entry import render_new_file

KEY = bytes(range(32))
Bend = Callable[[list[tuple[bytes, bytes]]], list[tuple[bytes, bytes]]]


def memory_text(memory_id: str, title: str, updated: str = "2026-01-01T00:00:00Z", **more: Any) -> bytes:
    fields = {"type": MemoryType.DECISION, "status": Status.ACCEPTED, "body": f"{title}.", **more}
    return render_new_file(Memory(id=memory_id, title=title, updated=updated, **fields)).encode()


def made(
    files: Mapping[str, bytes],
    *,
    key: bytes = KEY,
    locks: BundleRecipients | None = None,
    name: str = "01M7GN30W9NSFGR0TZHT9R1AD0",
) -> bytes:
    """A whole bundle with these files below `workspace/`."""
    out = io.BytesIO()
    head = Head(id=name, created="2026-11-15T12:00:00Z", workspace={"name": "made"}, scopes=("workspace",), contains=())
    with open_bundle_writer(out, head, locks or BundleRecipients()) as writer:
        for path, data in files.items():
            writer.add(
                f"workspace/{path}", bundle_paths.kind_of(path), io.BytesIO(data), len(data), mtime=1_700_000_000
            )
        writer.finish(key)
    return out.getvalue()


def packed(raw: bytes) -> bytes:
    """A tar, packed as bundles are."""
    out = io.BytesIO()
    with open_packer(out, BundleRecipients()) as place:
        place.write(raw)
    return out.getvalue()


def raw_tar(members: list[tuple[bytes, bytes]]) -> bytes:
    """Headers and bytes, put together as they are given."""
    body = b"".join(header + data + tar_stream.pad_block(len(data)) for header, data in members)
    return body + tar_stream.ZEROS * 2


def member(name: str, data: bytes) -> tuple[bytes, bytes]:
    return tar_stream.build_header(Member(name=name, size=len(data), mtime=0)), data


def resummed(header: bytes) -> bytes:
    """A header whose own sum is right again."""
    raw = bytearray(header)
    raw[148:156] = b" " * 8
    raw[148:156] = b"%06o\0 " % sum(raw)
    return bytes(raw)


def head_member(version: int = 1) -> tuple[bytes, bytes]:
    told = {"format": "holdfast-bundle", "version": version, "id": "X", "created": "", "workspace": {}}
    return member("holdfast.json", json.dumps(told).encode())


def manifest_member(files: list[dict[str, Any]], **more: Any) -> tuple[bytes, bytes]:
    counts = Counter(row["kind"] for row in files if row.get("kind") in bundle_paths.COUNTED)
    told = {
        "format": "holdfast-bundle", "version": 1, "id": "X", "created": "", "workspace": {}, "scopes": [],
        "contains": [], "counts": counts, "redaction": {}, "files": files, **more,
    }  # fmt: skip
    return member("manifest.json", json.dumps(told).encode())


def seal_member() -> tuple[bytes, bytes]:
    return member("seal.json", b"{}")
