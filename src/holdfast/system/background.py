"""A command of ours that goes on after this process ends, and ends by itself or with its folder."""

import os
import subprocess
import sys
import threading
import time

from holdfast.core.home import read_environment
from holdfast.system.package_files import package_root

LOG = os.path.join("logs", "work.log")
_BODY = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from holdfast.system.background import end_with_folder
end_with_folder(sys.argv.pop(1))
from holdfast.cli.entry import main
main()
"""
_LOOK_SECONDS = 2
_LONGEST_LOG = 1024 * 1024
_started: list[subprocess.Popen[bytes]] = []


def start_background(home: str, folder: str, *words: str) -> None:
    """Run `holdfast WORDS…` in a folder, on its own. What it says goes to logs/work.log in our home."""
    # A server lives on, and must not keep what it started as zombies.
    _started[:] = [each for each in _started if each.poll() is None]
    log = _open_log(home)
    try:
        _started.append(
            subprocess.Popen(
                [sys.executable, "-I", "-c", _BODY, package_root(), folder, *words],
                cwd=folder,
                env={**read_environment(), "HOLDFAST_HOME": home},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        )
    finally:
        os.close(log)


def end_with_folder(folder: str) -> None:
    """End this process soon after its folder is gone: nothing that it makes is wanted then."""
    threading.Thread(target=_watch_folder, args=(folder,), daemon=True).start()


def _watch_folder(folder: str) -> None:
    while os.path.isdir(folder):
        time.sleep(_LOOK_SECONDS)
    # Every file of ours is written whole or not at all, so it may end anywhere.
    os._exit(0)


def _open_log(home: str) -> int:
    path = os.path.join(home, LOG)
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    if os.path.exists(path) and os.path.getsize(path) > _LONGEST_LOG:
        os.replace(path, f"{path}.1")
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
