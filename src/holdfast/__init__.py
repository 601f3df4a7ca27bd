"""Holdfast: the memory of AI coding agents."""

# The hook starts here on every event and `typing` alone costs a third of bare Python: type checkers know this name.
MYPY = False
if MYPY:
    from typing import Any

    from holdfast.memory.persistent import MemoryContext, PersistentMemory, SyncResult, TaskMemoryContext
    from holdfast.memory.tool_files import MemoryFiles

__all__ = ["MemoryContext", "MemoryFiles", "PersistentMemory", "SyncResult", "TaskMemoryContext"]


def __getattr__(name: str) -> "Any":
    """Load the library only when it is asked for: the hook and the CLI start without it."""
    if name == "MemoryFiles":
        from holdfast.memory import tool_files

        return tool_files.MemoryFiles
    if name in __all__:
        from holdfast.memory import persistent

        return getattr(persistent, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
