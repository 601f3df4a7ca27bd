"""A look at all of memory, one that compares nothing, and applying what was shown: seconds of one core."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.cold import workspace
from bench.table import Row, table
from holdfast.app import open_memory
from holdfast.curator.curate import (
    CurationReport,
    CurationRequest,
    FindingKind,
    apply_findings,
    choose_findings,
    curate,
    curate_again,
)
from holdfast.workspace import App

HEAD = ("memories", "what", "CPU s", "ms a memory")
ALONE = (FindingKind.STALE, FindingKind.EVIDENCE, FindingKind.ORPHANS, FindingKind.OVER_LONG)
PAIR = "---\nid: {id}\ntype: learning\ntitle: The user prefers dark mode\nupdated: 2026-11-01\n---\nIn every editor.\n"


def main(sizes: Sequence[int]) -> None:
    """Print the table."""
    print(table("Curate", HEAD, [row for size in sizes for row in rows(size)]), flush=True)


def rows(size: int) -> list[Row]:
    """The figures at one size: a person looks, narrows, and applies what was shown."""
    with workspace(size) as place:
        for name in ("LRN-ONE000", "LRN-TWO000"):
            Path(place, ".holdfast", "memory", f"{name}.md").write_text(PAIR.format(id=name), encoding="utf-8")
        app = open_memory(str(place))
        app.index.sources()
        whole: list[CurationReport] = []
        return [
            _row(size, "all of it", lambda: whole.append(curate(app))),
            _row(size, "stale, evidence, orphans, over-long", lambda: curate(app, CurationRequest(kinds=ALONE))),
            _row(size, "--apply of one finding", lambda: _apply(app, whole[0])),
        ]


def _apply(app: App, shown: CurationReport) -> None:
    wanted = [found.id for found in shown.findings if found.kind is FindingKind.DUPLICATES]
    again = curate_again(app, CurationRequest(), wanted)
    apply_findings(app, again, choose_findings(again, wanted))


def _row(size: int, name: str, work: Callable[[], object]) -> Row:
    begun = time.process_time()
    work()
    took = time.process_time() - begun
    return f"{size:,}", name, f"{took:.1f}", f"{took / size * 1000:.2f}"
