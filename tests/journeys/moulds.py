"""Workspaces made once and copied: what a test starts from need not be made by the command each time."""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.conftest import CLIENT_MARKS, KEY

from holdfast.app import build_app
from holdfast.setup.init_workspace import init, plan_init
from holdfast.trust.allow import allow


def environment(home: Path) -> dict[str, str]:
    """A person's environment with a home of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(CLIENT_MARKS)}
    user = home.parent / (home.name + "-user")
    user.mkdir(exist_ok=True)
    return {
        **kept, "HOLDFAST_HOME": str(home), "HOLDFAST_KEY": KEY, "HOLDFAST_DISTIL_AUTO": "false", "HOME": str(user),
        "XDG_CONFIG_HOME": str(user / ".config"),
    }  # fmt: skip


@contextmanager
def being(env: Mapping[str, str]) -> Iterator[None]:
    """This process with another environment, for what the library does."""
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(env)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def set_up(folder: Path) -> None:
    """What `holdfast init --yes --client none` does, without a process."""
    app = plan_init(str(folder), named=True)
    init(app)
    # A process would have ended, and left the index whole.
    app.close()


def cast(mould: Path, folder: Path) -> None:
    """The same workspace elsewhere, in this environment's home, allowed there."""
    shutil.copytree(mould, folder, symlinks=True, dirs_exist_ok=True)
    (folder / ".holdfast/state/workspace.json").unlink(missing_ok=True)
    set_up(folder)
    app = build_app(str(folder))
    allow(app)
    app.close()
