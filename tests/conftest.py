"""What every test shares: a home of its own, no client's marks, and the flags --heavy and --fast."""

import os
import signal
from pathlib import Path

import pytest
from tests import budget

from holdfast.config.person_key import keep_key

# What clients set in what they start, and what Holdfast reads: nothing of it comes from whoever runs the tests.
CLIENT_MARKS = (
    "CLAUDE", "CODEX", "GEMINI", "OPENCODE", "CURSOR", "COPILOT", "CLINE", "AUGMENT", "ANTIGRAVITY", "AI_AGENT",
    "AGENT", "HOLDFAST",
)  # fmt: skip
CACHE = Path(__file__).parents[1] / ".venv" / "cache"
KEY = "hfpk_the-key-that-the-person-of-every-test-holds"
LEFT_OUT = ("heavy", "slow", "server")


# A shell's background job has Ctrl-C ignored, and so would every process that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--heavy", action="store_true", help="run the heavy tests too: thousands of kills, large vaults")
    parser.addoption("--fast", action="store_true", help="leave out what is slow or needs a server; few examples")


def pytest_configure(config: pytest.Config) -> None:
    budget.begin(fast=config.getoption("--fast"))


# Last: what marks an item while it is collected has done so.
@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--fast"):
        left_out = [item for item in items if any(map(item.get_closest_marker, LEFT_OUT))]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    if config.getoption("--heavy"):
        return
    heavy = pytest.mark.skip(reason="heavy: run with --heavy")
    for item in items:
        if "heavy" in item.keywords:
            item.add_marker(heavy)


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of the test's own, in an environment that no client marked."""
    for name in list(os.environ):
        if name.startswith(CLIENT_MARKS):
            monkeypatch.delenv(name)
    own = tmp_path_factory.mktemp("own")
    path, user, config = own / "home", own / "user", own / "config"
    for folder in (path, user, config):
        folder.mkdir()
    monkeypatch.setenv("HOLDFAST_HOME", str(path))
    # No terminal is here: what a test does in the person's name it does with their key; other fresh homes take it up.
    monkeypatch.setenv("HOLDFAST_KEY", KEY)
    keep_key(str(path), KEY)
    # Nothing goes on behind a test that did not ask for it.
    monkeypatch.setenv("HOLDFAST_DISTIL_AUTO", "false")
    monkeypatch.setenv("HOLDFAST_EMBED_AUTO", "false")
    # Clients' files are looked for below the user's home: the tests have one of their own.
    monkeypatch.setenv("HOME", str(user))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(config))
    # What is made of a model's file is made once for all tests.
    monkeypatch.setenv("XDG_CACHE_HOME", str(CACHE))
    return path
