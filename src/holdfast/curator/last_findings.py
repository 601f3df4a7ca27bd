"""What the curator last found: `state/curate.json`. Deleting it forgets only what a person dismissed."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.core.errors import HoldfastError
from holdfast.core.value import Value
from holdfast.curator.curator_finding import CurationFinding
from holdfast.system.folders import WritableFolder, open_folder
from holdfast.system.peek import read_json_object
from holdfast.system.safe_write import put_file
from holdfast.vault.entry_json import now, parse_moment
from holdfast.workspace import App

FILE = ("state", "curate.json")
LISTED = 200
MOST_IDS = 40
MOST_DISMISSED = 1000


class LastCuration(Value):
    """When the curator last looked at all of it, how much wanted care, and the score."""

    ts: str
    findings: int
    score: int | None


def read_last_curation(app: App) -> LastCuration | None:
    """What the last look at all of it found; None where there was none, or it cannot be read."""
    found = read_json_object(_path(app))
    ts, total, score = found.get("ts"), found.get("total"), found.get("score")
    if not isinstance(ts, str) or not parse_moment(ts) or not isinstance(total, int):
        return None
    return LastCuration(ts=ts, findings=total, score=score if isinstance(score, int) else None)


def save_curation(app: App, findings: Sequence[CurationFinding], memories: int, score: int | None) -> None:
    """Keep what a look at all of it found."""
    rows = [
        {"id": f.id, "kind": f.kind, "ids": list(f.ids[:MOST_IDS]), "reason": f.reason[:200]} for f in findings[:LISTED]
    ]
    form = {"ts": now(app), "score": score, "memories": memories, "total": len(findings), "findings": rows}
    _write(app, {**form, "dismissed": read_dismissed(app)})


def drop_findings(app: App, ids: Sequence[str], *, for_good: bool = False) -> None:
    """Findings that are fixed, or that a person does not want to see again."""
    form = read_json_object(_path(app))
    aside = read_dismissed(app)
    if for_good:
        aside |= {name: now(app) for name in ids}
    total, rows = form.get("total"), form.get("findings")
    if isinstance(total, int) and isinstance(rows, list):
        kept = [row for row in rows if isinstance(row, Mapping) and row.get("id") not in ids]
        form |= {"total": max(len(kept), total - len(ids)), "findings": kept}
    _write(app, {**form, "dismissed": aside})


def find_memories_of(app: App, names: Sequence[str]) -> frozenset[str]:
    """The memories that findings of the last look are about; none where one of them is not listed whole."""
    rows = read_json_object(_path(app)).get("findings")
    known = (
        {str(row.get("id")): row.get("ids") for row in rows if isinstance(row, Mapping)}
        if isinstance(rows, list)
        else {}
    )
    lists = [known.get(name) for name in names]
    if not all(isinstance(each, list) and len(each) < MOST_IDS for each in lists):
        return frozenset()
    return frozenset(str(name) for each in lists for name in each or ())


def read_dismissed(app: App) -> dict[str, str]:
    """The findings that a person dismissed, and when."""
    found = read_json_object(_path(app)).get("dismissed")
    kept = {str(name): str(when) for name, when in found.items()} if isinstance(found, Mapping) else {}
    return dict(sorted(kept.items(), key=lambda each: each[1])[-MOST_DISMISSED:])


def _write(app: App, form: Mapping[str, Any]) -> None:
    """Where it cannot be written, the answer is still good."""
    if not os.path.isdir(app.folder):
        return
    text = json.dumps({"v": 1, **form}, ensure_ascii=False, indent=1) + "\n"
    try:
        # A repository may bring a link of that name; what it points to is not ours to write.
        with open_folder(WritableFolder(root=app.folder, private=True), FILE[:-1], make=True):
            put_file(_path(app), text.encode("utf-8", "replace"))
    except HoldfastError as error:
        app.notices.append(f"What the curator found is not kept: {error}")


def _path(app: App) -> str:
    return os.path.join(app.folder, *FILE)
