"""A capability lies in one folder: told by the names of modules, over the whole tree, and printed (`-s` shows it).

A module belongs to a capability when a word of its path is one of the capability's words. Doors (command line, server,
screen, hook), callers (the agent, the library) and the values of `core` are printed apart and not counted: they are
where capabilities are used or spoken of. Where a word means something else, `OTHER_SENSES` says what.
"""

from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.architecture.folders import SOURCE

DOORS = frozenset({"cli", "server", "tui", "hook"})
CALLERS = frozenset({"act", "library", "core"})
CAPABILITIES = {
    "backup": "backup backups",
    "badge": "badge",
    "batches and undo": "batch batches undo",
    "bootstrap": "bootstrap profile",
    "branches": "branch",
    "briefing": "briefing",
    "bundles": "bundle bundles",
    "changes of the system": "change_log system_changes",
    "check": "check enforce sarif",
    "citations": "citation citations",
    "conflicts": "conflict conflicts",
    "cost": "cost costs prices",
    "curate": "curate curator",
    "daily log": "daily",
    "distil": "distil distiller",
    "doctor": "diagnose doctor",
    "ecosystems": "ecosystems manifest manifests",
    "embed": "embed embedder embedders",
    "failures": "failure failures",
    "forget": "forget tombstones purge purged removal",
    "graph": "graph",
    "guard": "guard policy verdicts",
    "harvest": "harvest transcript",
    "history": "history git_versions",
    "hold-out": "holdout",
    "importers": "importer importers",
    "init": "init_workspace",
    "install": "install installed uninstall",
    "journal": "capture_event append_records compact_journal verify_journal",
    "lanes": "lane lanes",
    "lens": "lens lenses",
    "lineage": "lineage",
    "merge driver": "merge_driver git_merge git_driver",
    "models": "llm ledger",
    "packs": "pack packs",
    "phrases": "phrases triggers",
    "progress": "progress",
    "ratings": "ratings",
    "redaction": "redact secret secrets private",
    "registry": "registry",
    "rendered blocks": "render block blocks",
    "rerank": "rerank reranker",
    "sandbox": "sandbox sandboxes",
    "sessions": "sessions conversation",
    "settings": "settings",
    "stats": "stats effect",
    "status": "status",
    "sync": "sync",
    "synthesis": "synthesis",
    "teams": "team teams",
    "timeline": "timeline",
    "todo": "todo",
    "injection log": "injected session_log",
    "triples": "triple triples",
    "use": "use",
    "working buffer": "buffer",
    "work units": "work_unit work_criteria work_records",
}
# Where a word of a module's name means something else than the capability, and what.
OTHER_SENSES = {
    ("bootstrap/profile/formatter_settings", "settings"): "a formatter's",
    ("care/storage_use", "use"): "how much disk is used",
    ("ecosystems/install_commands", "install"): "packages that a command installs",
    ("config/secrets", "secrets"): "keys that settings name; nothing is redacted",
    ("distil/check_evidence", "check"): "whether a quote stands where it should",
    ("distil/distil_sessions", "sessions"): "which of them wait to be distilled",
    ("distil/model/render_conversation", "render"): "a conversation in words for a model",
    ("distil/tool_failures", "failures"): "errors of tools, which become candidates",
    ("exchange/bundles/text_ledger", "ledger"): "which texts came by bundles",
    ("project/manifest_facts", "manifest"): "what one says of its project",
    ("recall/citations/citation_status", "status"): "how cited code stands",
    ("recall/engine/lane_registry", "registry"): "lanes by name",
    ("records/harvest_sessions", "sessions"): "which of them are harvested",
    ("redact/key_blocks", "blocks"): "armoured keys",
    ("redact/secret_checks", "checks"): "what tells a secret from a word",
    ("render/stale_sessions", "sessions"): "clients that run while their files change",
    ("vault/render_memory", "render"): "a memory as the text of its file",
}


def modules_of(capability: str) -> list[str]:
    """The modules of a capability by its words, without those in which a word means something else."""
    words = set(CAPABILITIES[capability].split())
    return [
        module for module in _modules() if any((module, word) not in OTHER_SENSES for word in _told(module) & words)
    ]


def _modules() -> Iterator[str]:
    for path in sorted(SOURCE.rglob("*.py")):
        if path.name != "__init__.py":
            yield str(path.relative_to(SOURCE).with_suffix(""))


def _told(module: str) -> set[str]:
    """The words of a module's path: each name whole, and its parts."""
    return {part for name in module.split("/") for part in (name, *name.split("_"))}


def folders_of(capability: str) -> tuple[list[str], list[str]]:
    """Its own folders, and where it is used from or spoken of."""
    found = {Path(module).parts[0] for module in modules_of(capability)}
    return sorted(found - DOORS - CALLERS), sorted(found & (DOORS | CALLERS))


def test_a_capability_lies_in_one_folder_and_never_in_more_than_three() -> None:
    own = {capability: folders_of(capability)[0] for capability in CAPABILITIES}

    for capability, folders in own.items():
        print(f"{capability:<22} {', '.join(folders):<32} doors: {', '.join(folders_of(capability)[1])}")
    print(f"{len(own)} capabilities, median {median(map(len, own.values()))}")
    assert all(own.values()), [capability for capability, folders in own.items() if not folders]
    assert median(map(len, own.values())) == 1
    assert {capability: folders for capability, folders in own.items() if len(folders) > 3} == {}


def test_even_with_every_word_counted_capabilities_lie_close_together() -> None:
    plain = [
        len({Path(module).parts[0] for module in _modules() if _told(module) & set(words.split())} - DOORS - CALLERS)
        for words in CAPABILITIES.values()
    ]

    assert median(plain) <= 2
    assert max(plain) <= 4


def test_exceptions_are_about_modules_that_are_there() -> None:
    there = set(_modules())

    assert [(module, word) for module, word in OTHER_SENSES if module not in there or word not in _told(module)] == []


def test_every_folder_is_part_of_some_capability() -> None:
    # What every capability stands on, or is made for.
    ground = {"config", "system", "context", "project"}
    reached = {folder for capability in CAPABILITIES for folder in folders_of(capability)[0]}
    folders = {path.parent.name for path in SOURCE.glob("*/__init__.py")} - DOORS - CALLERS

    assert sorted(folders - reached - ground) == []
