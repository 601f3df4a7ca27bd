"""Holdfast: the memory of AI coding agents."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast.memory.persistent import PersistentMemory, SyncResult

__all__ = ["PersistentMemory", "SyncResult"]


def __getattr__(name: str) -> Any:
    """Load the library only when it is asked for: the hook and the CLI start without it."""
    if name in __all__:
        from holdfast.memory import persistent

        return getattr(persistent, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
