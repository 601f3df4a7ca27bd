"""Holdfast: the memory of AI coding agents."""

# The hook starts here on every event and `typing` alone costs a third of bare Python: type checkers know this name.
MYPY = False
if MYPY:
    from typing import Any

    from holdfast.act.agent import Agent
    from holdfast.context.session_context import SessionContext
    from holdfast.core.run import RunOptions, Trust
    from holdfast.library.memory_files import MemoryFiles
    from holdfast.library.persistent_memory import MemoryContext, PersistentMemory, SyncResult, TaskMemoryContext

__all__ = [
    "Agent",
    "MemoryContext",
    "MemoryFiles",
    "PersistentMemory",
    "RunOptions",
    "SessionContext",
    "SyncResult",
    "TaskMemoryContext",
    "Trust",
]

_ELSEWHERE = {
    "Agent": "act.agent", "MemoryFiles": "library.memory_files", "RunOptions": "core.run",
    "SessionContext": "context.session_context", "Trust": "core.run",
}  # fmt: skip


def __getattr__(name: str) -> "Any":
    """Load the library only when it is asked for: the hook and the CLI start without it."""
    if name in __all__:
        from importlib import import_module

        return getattr(import_module(f"holdfast.{_ELSEWHERE.get(name, 'library.persistent_memory')}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
