"""The hook, for those who call it by hand."""

from holdfast.hook.run_hook import main as take_payload

__all__ = ["take_payload"]
