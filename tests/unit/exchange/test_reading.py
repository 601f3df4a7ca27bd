"""Bundles that others made: whatever is wrong with one, it is refused by name, and nothing of it counts."""

import io
import os
import tarfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.bundle_made import (
    KEY,
    head_member,
    made,
    manifest_member,
    member,
    packed,
    raw_tar,
    resummed,
    seal_member,
)

from holdfast.core.errors import HoldfastError
from holdfast.exchange.bundle_format import bundle_paths
from holdfast.exchange.bundle_format.bundle_values import (
    BadBundle,
    BundleLimits,
    FutureVersion,
    NoBundle,
    TooMuch,
    UnsafeBundle,
)
from holdfast.exchange.bundle_format.compression import BundleKeys, BundleRecipients, CannotDecrypt
from holdfast.exchange.bundle_format.read_bundle import Unpacked, unpack

FILE = "workspace/memory/decisions/DEC-1.md"
DATA = b"some words"
NO_KEYS = BundleKeys()


def row(path: str = FILE, data: bytes = DATA, **more: Any) -> dict[str, Any]:
    return {"path": path, "kind": "memory", "size": len(data), "sha256": sha256(data).hexdigest(), **more}


def read(raw: bytes, folder: Path, limits: BundleLimits | None = None, keys: BundleKeys = NO_KEYS) -> Unpacked:
    return unpack(io.BytesIO(raw), str(folder), keys, (KEY,), limits or BundleLimits())


def whole(*files: tuple[bytes, bytes], rows: list[dict[str, Any]]) -> bytes:
    return packed(raw_tar([head_member(), *files, manifest_member(rows), seal_member()]))


def test_a_bundle_reads_back_as_it_was_written(tmp_path: Path) -> None:
    found = read(made({"memory/decisions/DEC-1.md": DATA, "log/2026-11-15.md": b"line\n"}), tmp_path)

    assert found.proven
    assert {path: Path(place).read_bytes() for path, place in found.places.items()} == {
        FILE: DATA, "workspace/log/2026-11-15.md": b"line\n",
    }  # fmt: skip


def test_any_tar_reads_a_bundle(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    long = "work/" + "/".join(["a-part-of-a-long-path" * 3] * 6) + "/x.md"
    raw = zstandard.ZstdDecompressor().stream_reader(made({"memory/x.md": DATA, long: b"far"})).read()

    with tarfile.open(fileobj=io.BytesIO(raw)) as found:
        names = found.getnames()

    assert names == ["holdfast.json", "workspace/memory/x.md", "long/00000001", "manifest.json", "seal.json"]
    assert (
        Path(read(made({"memory/x.md": DATA, long: b"far"}), tmp_path).places[f"workspace/{long}"]).read_bytes()
        == b"far"
    )


def test_another_key_proves_nothing(tmp_path: Path) -> None:
    assert not read(made({"memory/x.md": DATA}, key=bytes(32)), tmp_path).proven


def test_a_manifest_changed_after_the_seal_is_not_ours(tmp_path: Path) -> None:
    assert not read(whole(member(FILE, DATA), rows=[row()]), tmp_path).proven


HOSTILE_PATHS = [
    "workspace/memory/../../../etc/x.md", "/etc/x.md", "workspace/memory//x.md", "workspace/memory/./x.md",
    "workspace/../x.md", "workspace/memory/.hidden.md", "workspace/memory/a\\b.md", "workspace/memory/a\x1bb.md",
    "workspace/memory/\u202ex.md", "elsewhere/memory/x.md", "workspace/state/x.md", "workspace/hook.py",
    "workspace/journal/../config.toml", "workspace/memory/x.sh", "user/share/key", "workspace/team/x.md",
    "workspace/memory/" + "x" * 250 + ".md", "workspace/memory/" + "y/" * 520 + "x.md",
]  # fmt: skip


@pytest.mark.parametrize("path", HOSTILE_PATHS)
def test_a_path_that_leads_elsewhere_is_refused(tmp_path: Path, path: str) -> None:
    raw = whole(member("long/00000000", DATA), rows=[row(path, name="long/00000000")])

    with pytest.raises(UnsafeBundle):
        read(raw, tmp_path)


@pytest.mark.parametrize("name", ["../../x", "/etc/x"])
def test_a_tar_name_never_names_a_file_of_ours(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "in"
    inside.mkdir()

    with pytest.raises(HoldfastError):
        read(whole(member(name, DATA), rows=[row()]), inside)

    assert sorted(os.listdir(tmp_path)) == ["in"]


@pytest.mark.parametrize("kind", [b"1", b"2", b"3", b"4", b"5", b"6", b"7", b"L", b"K", b"x", b"g", b"S", b"\0"])
def test_all_but_plain_files_are_refused(tmp_path: Path, kind: bytes) -> None:
    header, data = member(FILE, DATA)
    bent = resummed(header[:156] + kind + header[157:])

    with pytest.raises(UnsafeBundle, match="plain files"):
        read(whole((bent, data), rows=[row()]), tmp_path)


def test_what_the_standard_library_writes_for_a_link_is_refused(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as made_by_tar:
        link = tarfile.TarInfo("workspace/memory/x.md")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        made_by_tar.addfile(link)

    with pytest.raises(UnsafeBundle):
        read(packed(raw_tar([head_member()])[:-1024] + out.getvalue()), tmp_path)


def test_two_names_that_differ_by_case_are_refused(tmp_path: Path) -> None:
    other = "workspace/memory/decisions/dec-1.md"

    with pytest.raises(UnsafeBundle, match="one name on some disks"):
        read(whole(member(FILE, DATA), member(other, DATA), rows=[row(), row(other)]), tmp_path)


def test_two_names_that_differ_by_spelling_are_refused(tmp_path: Path) -> None:
    one, other = "workspace/memory/caf\u00e9.md", "workspace/memory/cafe\u0301.md"

    with pytest.raises(UnsafeBundle, match="one name on some disks"):
        read(whole(member(one, DATA), member(other, DATA), rows=[row(one), row(other)]), tmp_path)


def test_a_file_that_is_anothers_folder_is_refused(tmp_path: Path) -> None:
    one, other = "workspace/work/a.md", "workspace/work/a.md/b.md"

    with pytest.raises(UnsafeBundle, match="below a file"):
        read(
            whole(member(one, DATA), member(other, DATA), rows=[row(one, kind="record"), row(other, kind="record")]),
            tmp_path,
        )


def test_one_name_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnsafeBundle, match="twice"):
        read(whole(member(FILE, DATA), member(FILE, DATA), rows=[row()]), tmp_path)


def test_one_row_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadBundle):
        read(whole(member(FILE, DATA), rows=[row(), row()]), tmp_path)


def test_a_bad_sum_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadBundle, match="bad sum"):
        read(whole(member(FILE, b"other word"), rows=[row()]), tmp_path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadBundle, match="missing"):
        read(whole(rows=[row()]), tmp_path)


def test_a_file_that_the_manifest_does_not_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadBundle):
        read(whole(member(FILE, DATA), rows=[]), tmp_path)


def test_every_cut_is_noticed(tmp_path: Path) -> None:
    raw = made({"memory/x.md": DATA * 50})
    for count, end in enumerate(range(1, len(raw) - 4, 7)):
        folder = tmp_path / str(count)
        folder.mkdir()
        with pytest.raises(HoldfastError):
            read(raw[:end], folder)


def test_every_changed_byte_is_noticed_or_harmless(tmp_path: Path) -> None:
    raw = made({"memory/x.md": DATA * 50})
    for count, at in enumerate(range(0, len(raw), 5)):
        folder = tmp_path / str(count)
        folder.mkdir()
        bent = raw[:at] + bytes([raw[at] ^ 0x41]) + raw[at + 1 :]
        try:
            found = read(bent, folder)
        except HoldfastError:
            continue
        assert {Path(place).read_bytes() for place in found.places.values()} == {DATA * 50}


@pytest.mark.parametrize("tail", [b"x", bytes(512), made({"memory/y.md": DATA})])
def test_what_follows_the_end_is_refused(tmp_path: Path, tail: bytes) -> None:
    with pytest.raises((BadBundle, UnsafeBundle)):
        read(made({"memory/x.md": DATA}) + tail, tmp_path)


def test_what_follows_the_end_inside_is_refused(tmp_path: Path) -> None:
    raw = raw_tar([head_member(), member(FILE, DATA), manifest_member([row()]), seal_member()])

    with pytest.raises(BadBundle, match="follows its end"):
        read(packed(raw + b"more"), tmp_path)


def test_a_file_behind_the_manifest_is_refused(tmp_path: Path) -> None:
    raw = packed(raw_tar([head_member(), manifest_member([row()]), member(FILE, DATA), seal_member()]))

    with pytest.raises(BadBundle, match="follows its manifest"):
        read(raw, tmp_path)


def test_a_bundle_without_a_seal_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadBundle, match="no seal"):
        read(packed(raw_tar([head_member(), manifest_member([])])), tmp_path)


@pytest.mark.parametrize("version", [2, 99])
def test_a_later_version_is_refused_before_anything_is_unpacked(tmp_path: Path, version: int) -> None:
    with pytest.raises(FutureVersion, match=str(version)):
        read(packed(raw_tar([head_member(version), member(FILE, DATA)])), tmp_path)

    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("raw", [b"", b"PK\x03\x04 a zip", b"{}", packed(b""), packed(raw_tar([member("x", b"y")]))])
def test_something_else_is_no_bundle(tmp_path: Path, raw: bytes) -> None:
    with pytest.raises((NoBundle, BadBundle)):
        read(raw, tmp_path)


def test_a_bomb_is_refused_by_its_ratio(tmp_path: Path) -> None:
    raw = made({"work/x.md": bytes(8_000_000)})

    with pytest.raises(TooMuch, match="times its size"):
        read(raw, tmp_path, BundleLimits(floor=1_000_000))


def test_a_bomb_is_refused_by_its_size(tmp_path: Path) -> None:
    with pytest.raises(TooMuch, match="unpacks to more"):
        read(made({"work/x.md": os.urandom(200_000)}), tmp_path, BundleLimits(bytes=100_000))


def test_a_large_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TooMuch, match="has 2,000 bytes"):
        read(made({"work/x.md": bytes(2_000)}), tmp_path, BundleLimits(file_bytes=1_000))


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TooMuch, match="more than 3 files"):
        read(made({f"work/{n}.md": DATA for n in range(4)}), tmp_path, BundleLimits(files=3))


def test_a_manifest_that_fills_memory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TooMuch, match="manifest"):
        read(
            packed(raw_tar([head_member(), member("manifest.json", b" " * 5000)])),
            tmp_path,
            BundleLimits(manifest_bytes=4000),
        )


@pytest.mark.parametrize("counts", [{"memory": 2}, {}, {"memory": 1, "events": 5}, {"memory": 1, "nonsense": 3}])
def test_a_manifest_that_lies_about_numbers_is_refused(tmp_path: Path, counts: dict[str, int]) -> None:
    lying = manifest_member([row()], counts=counts)

    with pytest.raises(BadBundle, match="another number"):
        read(packed(raw_tar([head_member(), member(FILE, DATA), lying, seal_member()])), tmp_path)


@pytest.mark.parametrize("number", [float("inf"), float("nan"), -1, "1", None, True, 1.0])
def test_numbers_that_are_none_are_refused(tmp_path: Path, number: object) -> None:
    for table in ("counts", "redaction"):
        lying = manifest_member([row()], **{table: {"memory": number}})
        with pytest.raises(BadBundle):
            read(packed(raw_tar([head_member(), member(FILE, DATA), lying, seal_member()])), tmp_path)
        for left in tmp_path.iterdir():
            left.unlink()


def test_events_are_counted_by_their_lines(tmp_path: Path) -> None:
    journal = "journal/00000001.jsonl"

    assert read(made({journal: b"{}\n{}\n"}), tmp_path).manifest.counts == {"events": 2}


def test_a_manifest_of_empty_rows_does_not_fill_memory(tmp_path: Path) -> None:
    many = member("manifest.json", b'{"files":[' + b"{}," * 2_000_000 + b"{}]}")

    with pytest.raises(TooMuch, match=r"manifest\.json"):
        read(packed(raw_tar([head_member(), many, seal_member()])), tmp_path)


@pytest.mark.parametrize("name", ["holdfast.json", "seal.json"])
def test_small_files_that_are_large_are_refused(tmp_path: Path, name: str) -> None:
    large = member(name, b" " * 70_000)
    start = [] if name == "holdfast.json" else [head_member(), manifest_member([])]

    with pytest.raises(TooMuch):
        read(packed(raw_tar([*start, large])), tmp_path)


def test_names_with_escape_codes_are_told_without_them(tmp_path: Path) -> None:
    name = "workspace/memory/\x1b[2J\x1b]0;x\x07.md"

    with pytest.raises(UnsafeBundle) as told:
        read(whole(member("long/00000000", DATA), rows=[row(name, name="long/00000000")]), tmp_path)

    assert "\x1b" not in str(told.value)
    assert "\x07" not in str(told.value)


@pytest.mark.parametrize(
    "path", ["team/candidates/CAND-1.md", "team/work/x.md", "team/config.toml", "team/ledger.jsonl"]
)
def test_of_a_team_nothing_but_memory_comes(tmp_path: Path, path: str) -> None:
    kind = bundle_paths.kind_of(path.removeprefix("team/"))

    with pytest.raises(UnsafeBundle, match="no place"):
        read(whole(member(path, DATA), rows=[row(path, kind=kind)]), tmp_path)


@pytest.mark.parametrize(
    "bend",
    [
        {"mtime": 10**30},
        {"mtime": -1},
        {"size": 10**30},
        {"size": "10"},
        {"size": -1},
        {"sha256": 3},
        {"path": None},
        {"kind": "journal"},
        {"kind": "nonsense"},
        {"mtime": 0.5},
    ],
)
def test_rows_that_are_not_in_our_form_are_refused(tmp_path: Path, bend: dict[str, Any]) -> None:
    with pytest.raises((BadBundle, UnsafeBundle)):
        read(whole(member(FILE, DATA), rows=[row() | bend]), tmp_path)


@pytest.mark.slow
def test_a_passphrase_closes_a_bundle(tmp_path: Path) -> None:
    raw = made({"memory/x.md": DATA}, locks=BundleRecipients(passphrase="correct horse"))

    assert DATA not in raw
    for wrong in (BundleKeys(), BundleKeys(passphrase="other words")):
        with pytest.raises(CannotDecrypt):
            read(raw, tmp_path, keys=wrong)
    assert read(raw, tmp_path, keys=BundleKeys(passphrase="correct horse")).proven


def test_recipients_open_a_bundle_and_nobody_else(tmp_path: Path) -> None:
    age = pytest.importorskip("pyrage")
    ours, other = age.x25519.Identity.generate(), age.x25519.Identity.generate()
    raw = made({"memory/x.md": DATA}, locks=BundleRecipients(recipients=(str(ours.to_public()),)))

    with pytest.raises(CannotDecrypt):
        read(raw, tmp_path)
    with pytest.raises(BadBundle, match="decrypt"):
        read(raw, tmp_path, keys=BundleKeys(identities=(str(other),)))
    assert read(raw, tmp_path, keys=BundleKeys(identities=(f"# comment\n{ours}\n",))).proven


def test_a_changed_byte_of_a_closed_bundle_is_noticed(tmp_path: Path) -> None:
    ours = pytest.importorskip("pyrage").x25519.Identity.generate()
    raw = made({"memory/x.md": os.urandom(3000)}, locks=BundleRecipients(recipients=(str(ours.to_public()),)))
    bent = raw[:-200] + bytes([raw[-200] ^ 1]) + raw[-199:]

    with pytest.raises(BadBundle):
        read(bent, tmp_path, keys=BundleKeys(identities=(str(ours),)))
