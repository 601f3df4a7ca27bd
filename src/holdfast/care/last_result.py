"""Doctor's last result: `state/integrity/doctor.json`. Deleting it loses nothing."""

import json
import os
from collections.abc import Sequence

from holdfast.core.errors import HoldfastError
from holdfast.core.value import Value, as_dict
from holdfast.system.folders import WritableFolder, open_folder
from holdfast.system.peek import read_json_object
from holdfast.system.safe_write import put_file
from holdfast.vault.entry_json import now, parse_moment
from holdfast.workspace import App

FOLDERS = ("state", "integrity")


class KeptFinding(Value):
    """A finding as it is kept."""

    check: str
    problem: str
    remedy: str
    mended: bool


class LastDoctorResult(Value):
    """When doctor last looked, and how many findings were left then."""

    ts: str
    left: int


def save_result(app: App, findings: Sequence[KeptFinding]) -> None:
    """Keep what doctor found. Where that cannot be written, its answer is still good."""
    form = {"ts": now(app), "findings": [as_dict(finding) for finding in findings]}
    text = json.dumps(form, ensure_ascii=False, indent=1) + "\n"
    if not os.path.isdir(app.folder):
        return
    try:
        # A repository may bring a link of that name; what it points to is not ours to write.
        with open_folder(WritableFolder(root=app.folder, private=True), FOLDERS, make=True):
            put_file(_path(app), text.encode("utf-8", "replace"))
    except HoldfastError as error:
        app.notices.append(f"What doctor found is not kept: {error}")


def read_last_result(app: App) -> LastDoctorResult | None:
    """What doctor found last; None where it never looked or its result cannot be read."""
    found = read_json_object(_path(app))
    ts, findings = found.get("ts"), found.get("findings")
    if not isinstance(ts, str) or not parse_moment(ts) or not isinstance(findings, list):
        return None
    left = [each for each in findings if isinstance(each, dict) and each.get("mended") is not True]
    return LastDoctorResult(ts=ts, left=len(left))


def _path(app: App) -> str:
    return os.path.join(app.folder, *FOLDERS, "doctor.json")
