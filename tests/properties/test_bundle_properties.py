"""Bundles merge to the same memory in whatever order and however often they come."""

import io
import json
import os
import tempfile
from collections.abc import Mapping
from itertools import permutations
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.budget import examples
from tests.bundle_made import made, memory_text

from holdfast.app import build_app
from holdfast.core.memory import Status
from holdfast.exchange.bundle_format.merge_texts import read_text_version
from holdfast.exchange.bundles.export_import import BundleKeys, load_share_key, open_import
from holdfast.setup.init_workspace import init, plan_init
from holdfast.vault.candidate_files import FileCandidates
from holdfast.vault.file_vault import FileVault
from holdfast.workspace import App

IDS = ("DEC-AAAAAA", "DEC-BBBBBB", "CAND-AAAAAA")
TITLES = ("Redis", "Postgres", "SQLite")
TIMES = ("2026-01-01T00:00:00Z", "2026-01-02", "")
STATUSES = {"DEC": (Status.ACCEPTED,), "CAND": (Status.CANDIDATE, Status.REJECTED)}


@st.composite
def bundles(draw: st.DrawFn) -> Mapping[str, bytes]:
    """The files of one bundle: some of few memories, in one of few texts, and what was forgotten."""
    files: dict[str, bytes] = {}
    for name in draw(st.sets(st.sampled_from(IDS))):
        prefix = name.partition("-")[0]
        status = draw(st.sampled_from(STATUSES[prefix]))
        text = memory_text(name, draw(st.sampled_from(TITLES)), draw(st.sampled_from(TIMES)), status=status)
        files[f"{'candidates' if prefix == 'CAND' else 'memory'}/{name}.md"] = text
    for line in draw(st.lists(st.sampled_from([b"- one\n", b"- two\n"]), max_size=2, unique=True)):
        files["log/2026-01-01.md"] = files.get("log/2026-01-01.md", b"") + line
    if draw(st.booleans()):
        files["briefing.json"] = draw(st.sampled_from([b"{}", b"[]"]))
    gone = draw(st.sets(st.sampled_from(IDS[:2]), max_size=1))
    rows = [{"id": each, "gone": True} for each in gone if f"memory/{each}.md" not in files]
    files["ledger.jsonl"] = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    return files


def state(app: App) -> object:
    """All that memory is: which text stands under which id, what waits, and the records' lines."""
    vault = FileVault(os.path.join(app.folder, "memory"), app.scope)
    kept = [entry for path in vault.stamps() if (file := vault.read(path)) for entry in file.entries]
    waiting = FileCandidates(os.path.join(app.folder, "candidates")).all()
    log, brief = Path(app.folder, "log", "2026-01-01.md"), Path(app.folder, "briefing.json")
    lines = sorted(log.read_bytes().splitlines()) if log.exists() else []
    told = brief.read_bytes() if brief.exists() else b""
    return (
        {entry.memory.id: read_text_version(entry.memory).sum for entry in kept}, len(kept),
        {entry.memory.id: (read_text_version(entry.memory).sum, entry.memory.status) for entry in waiting}, lines, told,
    )  # fmt: skip


def brought(raws: list[tuple[bytes, bool]]) -> object:
    with tempfile.TemporaryDirectory() as folder:
        init(plan_init(folder, named=True))
        for raw, mine in raws:
            with open_import(build_app(folder), io.BytesIO(raw), BundleKeys(), mine=mine) as bundle:
                bundle.go()
        return state(build_app(folder))


@settings(max_examples=examples(12), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(bundles(), min_size=2, max_size=3), st.randoms(use_true_random=False))
def test_the_order_of_bundles_does_not_count(found: list[Mapping[str, bytes]], chance: object) -> None:
    with tempfile.TemporaryDirectory() as folder:
        key = load_share_key(build_app(folder))
    raws = [(made(files, key=key), False) for files in found]
    other = list(raws)
    chance.shuffle(other)  # type: ignore[attr-defined]  # a Random
    other += other[:1]

    assert brought(raws) == brought(other)


def test_texts_of_a_candidate_go_with_it_when_it_was_accepted_elsewhere() -> None:
    with tempfile.TemporaryDirectory() as folder:
        key = load_share_key(build_app(folder))
    texts = [memory_text("CAND-AAAAAA", "Redis", day, status=Status.CANDIDATE) for day in TIMES[:2]]
    waiting = [made({"candidates/CAND-AAAAAA.md": text}, key=key) for text in texts]
    accepted = made({"memory/DEC-AAAAAA.md": memory_text("DEC-AAAAAA", "Redis")}, key=key)
    orders = permutations([*waiting, accepted])

    assert len({repr(brought([(raw, False) for raw in order])) for order in orders}) == 1


@settings(max_examples=examples(8), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(bundles(), st.booleans()), min_size=2, max_size=2))
def test_nor_where_some_are_others(found: list[tuple[Mapping[str, bytes], bool]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        key = load_share_key(build_app(folder))
    # What was forgotten elsewhere, or turned down, is only believed of one's own: such bundles are for the test above.
    plain = [({p: d for p, d in files.items() if p.startswith("memory/")}, ours) for files, ours in found]
    raws = [(made(files, key=key if ours else bytes(32)), False) for files, ours in plain]

    assert brought(raws) == brought(raws[::-1]) == brought(raws * 2)
