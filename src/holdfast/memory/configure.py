"""Changing settings: only in the user's own file, only by a person."""

import os

from holdfast.config.settings import FILE, fitting
from holdfast.config.toml_edit import set_key, unset_key
from holdfast.curate.auto import KEY as AUTO_ACCEPT
from holdfast.curate.auto import read_rule
from holdfast.memory.open import need_person
from holdfast.vault.write import put_file
from holdfast.wiring.app import App
from holdfast.wiring.changes import USER, notice_edits


def set_value(app: App, key: str, value: str) -> None:
    """Set a key in the home folder's config.toml."""
    need_person(app, f"config {key} {value}")
    fitted = fitting(key, value, "command line")
    if key == AUTO_ACCEPT and value.strip():
        read_rule(value)
    notice_edits(app)
    path, text = _own_file(app)
    _write(app, path, set_key(text, key, fitted, path))
    if key == "candidates.commit":
        app.notices.append("Run `holdfast init` again in each workspace: it brings .holdfast/.gitignore in step.")
    if key == "embedder":
        app.notices.append("Search takes it up by itself; `holdfast embed` gives every passage its vector now.")


def unset_value(app: App, key: str) -> None:
    """Take a key out of the home folder's config.toml."""
    need_person(app, f"config --unset {key}")
    notice_edits(app)
    path, text = _own_file(app)
    _write(app, path, unset_key(text, key, path))


def _own_file(app: App) -> tuple[str, str]:
    path = os.path.join(app.home, FILE)
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return path, file.read()
    except FileNotFoundError:
        return path, ""


def _write(app: App, path: str, text: str) -> None:
    put_file(path, text.encode())
    app.__dict__.pop("settings", None)
    notice_edits(app, USER)
