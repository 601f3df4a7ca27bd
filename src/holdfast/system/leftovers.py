"""What a killed writer left half-written: nothing refers to it, and it may hold captured text."""

import os
import time
from collections.abc import Iterator

from holdfast.system.safe_write import TEMPORARY

# A write takes milliseconds. Whose process we cannot see (another machine's, on a shared disk) has an hour.
SOON, LATE = 5.0, 3600.0


def sweep_leftovers(folder: str) -> int:
    """Remove the temporary files below a folder whose writers are dead; how many there were."""
    swept = 0
    for path in _find_leftovers(folder):
        try:
            os.unlink(path)
        except OSError:
            continue
        swept += 1
    return swept


def _find_leftovers(folder: str) -> Iterator[str]:
    now = time.time()
    for parent, _, names in os.walk(folder):
        for name in names:
            if name.startswith(TEMPORARY) and _is_left(os.path.join(parent, name), now):
                yield os.path.join(parent, name)


def _is_left(path: str, now: float) -> bool:
    try:
        age = now - os.lstat(path).st_mtime
    except OSError:
        return False
    writer = os.path.basename(path).removeprefix(TEMPORARY).partition("-")[0]
    return age > LATE or (age > SOON and not _is_alive(writer))


def _is_alive(writer: str) -> bool:
    if not writer.isdigit():
        return True
    try:
        os.kill(int(writer), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
