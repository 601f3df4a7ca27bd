"""What can be called, set or read is written down."""

import ast
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.waiting import LONG

import holdfast
from holdfast.cli.parse import load_command
from holdfast.cli.table import COMMANDS, EVERY_DAY, GROUPS, calls, entry
from holdfast.config.settings import SETTINGS

ROOT = Path(__file__).parents[2]
# What is needed rarely, or by the way of few, is loaded then: a hook, a badge and a warm search start in milliseconds.
LOADED_WHEN_NEEDED = """
    __init__.py
    app.py
    check/rule_cache.py
    conflicts/rejected_twin.py
    curator/gather_input.py
    distil/open_distiller.py
    embed/app_embedders.py
    exchange/database_removal.py
    exchange/open_database.py
    exchange/open_store.py
    exchange/postgres/space_index.py
    hook/run_hook.py
    importers/find_readers.py
    index/open_index.py
    index/sqlite/sqlite_index.py
    index/sqlite/sqlite_shelf.py
    inject/answer.py
    inject/ask.py
    inject/briefing_parts.py
    inject/buffer_file.py
    inject/select.py
    inject/tool_warnings.py
    journal/append_records.py
    journal/capture_event.py
    journal/change_log.py
    journal/journal_folder.py
    journal/lazy_journal.py
    journal/spool.py
    llm/app_model.py
    recall/engine/relevance.py
    recall/find.py
    recall/graph/app_graph.py
    recall/rank.py
    recall/rerank_hits.py
    recall/scope_cache.py
    recall/triples/app_triples.py
    records/refresh_records.py
    redact/clean.py
    redact/elide.py
    render/block_files.py
    render/refresh.py
    render/stale_sessions.py
    review/near_memories.py
    system/folders.py
    trust/allow.py
    trust/visibility.py
    vault/lazy_vault.py
    workspace.py
"""


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="argparse words its help differently in each version")
def test_the_help_page_is_in_step() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from tests.architecture.helptext import helptext; print(helptext(), end='')"],
        cwd=ROOT, capture_output=True, text=True, timeout=LONG,
    )  # fmt: skip

    assert done.stdout == (ROOT / "docs/help.md").read_text(encoding="utf-8"), "run ./do docs"


def test_every_command_and_form_has_a_module_with_examples_and_exit_status() -> None:
    for call in calls():
        module = load_command(call)
        name, _, form = call.partition(" ")
        examples = module.EXAMPLES.splitlines()
        assert any(line.strip().startswith(f"holdfast {name}") and form in line for line in examples), call
        assert module.STATUS
        assert module.run.__doc__


def test_every_command_is_in_a_group_and_has_a_line() -> None:
    assert {entry(name).group for name in COMMANDS} == set(GROUPS)  # type: ignore[union-attr]  # a command has one
    assert set(EVERY_DAY) <= set(COMMANDS)
    assert not set(GROUPS) & set(COMMANDS), "`help NAME` must mean one thing"
    assert all(entry(call).about and not entry(call).about.endswith(".") for call in calls())


def test_every_command_is_among_the_features_and_every_form_in_the_guide() -> None:
    features = (ROOT / "docs/features.md").read_text(encoding="utf-8")
    guide = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs/guide").glob("*.md"))

    assert [name for name in COMMANDS if not re.search(rf"\b{name}\b", features)] == []
    assert [call for call in calls() if not _is_shown(call, guide)] == []


def _is_shown(call: str, guide: str) -> bool:
    name, _, form = call.partition(" ")
    return bool(re.search(rf"holdfast {name}\b[^\n`]*{form}", guide) or re.search(rf"`{name} [^`]*{form}", guide))


def test_every_harmless_setting_is_in_the_guide() -> None:
    guide = (ROOT / "docs/guide/README.md").read_text(encoding="utf-8")

    assert [key for key, setting in SETTINGS.items() if setting.harmless and f"`{key}`" not in guide] == []


def test_what_the_package_exports_is_there() -> None:
    for name in holdfast.__all__:
        assert getattr(holdfast, name)


def test_importing_the_package_loads_nothing_of_ours() -> None:
    code = "import sys, holdfast; print([m for m in sys.modules if m.startswith('holdfast.')])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=LONG)

    assert done.stdout.strip() == "[]"


def test_no_other_module_hides_an_import_in_a_function() -> None:
    """Commands load what they need when they run. The import contracts count these imports like all others."""
    found = {
        str(path.relative_to(ROOT / "src/holdfast"))
        for path in (ROOT / "src/holdfast").rglob("*.py")
        if path.parent.name != "cli" and _hides_an_import(path)
    }

    assert found == set(LOADED_WHEN_NEEDED.split())


def _hides_an_import(path: Path) -> bool:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return any(isinstance(inner, ast.Import | ast.ImportFrom) for node in functions for inner in ast.walk(node))


def test_no_lock_file_names_an_address() -> None:
    for name in ("constraints.txt", "pyproject.toml"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert "://" not in text
        assert "index-url" not in text


def test_a_warm_search_loads_no_parser_and_no_journal_machinery(tmp_path: Path) -> None:
    def run(*words: str) -> str:
        code = (
            "import sys\nfrom holdfast.cli.main import run_command\n"
            "run_command(sys.argv[1], sys.argv[2:])\nprint(sorted(sys.modules), file=sys.stderr)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, text=True, timeout=LONG
        )
        return done.stderr

    run("init", "--yes")
    run("remember", "learning", "A warm search is fast")
    time.sleep(2.1)  # a younger file is read again, since its stamp could hide an edit
    run("search", "warm")

    loaded = run("search", "warm")

    for module in (
        "yaml",
        "subprocess",
        "dataclasses",
        "inspect",
        "tomllib",
        "holdfast.journal.file_journal",
        "sqlite3",
    ):
        assert f"'{module}'" not in loaded, module
