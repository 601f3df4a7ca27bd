"""What lies beside memory and may hold the words: answers kept, bundles on their way, what a sync had last time."""

import json
import os
import shutil
from typing import Any

from holdfast.forget.purge_proof import find_holding_files, list_files_below
from holdfast.forget.removal_query import ForgetQuery
from holdfast.system.json_cache import read_json_cache
from holdfast.system.safe_write import put_file
from holdfast.workspace import App

OUTBOX = os.path.join("state", "share", "outbox")
SYNC = os.path.join("state", "sync")
SIDE_FOLDERS = (
    ("journal", "torn"), ("state", "edits"), ("state", "models"), ("state", "batches"), ("state", "triples"),
    ("state", "imports"),
)  # fmt: skip


def drop_side_files(app: App, sought: ForgetQuery) -> None:
    """Take away the side files that hold it; each is rebuilt, or not needed any more."""
    # A bundle that waits to be sent holds everything, packed.
    shutil.rmtree(os.path.join(app.folder, OUTBOX), ignore_errors=True)
    for names in SIDE_FOLDERS:
        for path in find_holding_files(list_files_below(os.path.join(app.folder, *names)), sought):
            os.unlink(path)
    # A team's memory lies in a folder of its own, with what its syncs had.
    for folder in dict.fromkeys((app.folder, app.team.root if app.team else app.folder)):
        for path in list(list_files_below(os.path.join(folder, SYNC))):
            _strip(path, sought)


def _strip(path: str, sought: ForgetQuery) -> None:
    """What a sync had last time, without the files whose names hold the words; the rest is needed."""
    held = read_json_cache(path)
    bare = _strip_words(held, sought)
    if bare != held:
        # By a mark the next sync would look at news alone, and not see that the other side still has the file.
        bare |= {"marks": {}} if "marks" in bare else {}
        put_file(path, (json.dumps(bare, sort_keys=True) + "\n").encode())


def _strip_words(held: Any, sought: ForgetQuery) -> Any:
    if isinstance(held, list):
        return ["" if isinstance(each, str) and sought.holds(each) else _strip_words(each, sought) for each in held]
    if not isinstance(held, dict):
        return held
    return {
        name: _strip_words(value, sought)
        for name, value in held.items()
        if not sought.named(name) and not sought.holds(name) and not (isinstance(value, str) and sought.holds(value))
    }
