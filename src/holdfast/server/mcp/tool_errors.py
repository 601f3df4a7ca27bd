"""Failures as the model and the client see them: what happened, the hint, and the family."""

from collections.abc import Mapping

from mcp import types

from holdfast.core.errors import BadRequest, Conflict, Damaged, HoldfastError, NotFound, Refused, Unavailable
from holdfast.review.agent_access import make_inert

LONGEST = 2_000
FAMILIES: Mapping[type[HoldfastError], str] = {
    BadRequest: "bad_request",
    Refused: "refused",
    NotFound: "not_found",
    Conflict: "conflict",
    Damaged: "damaged",
    Unavailable: "unavailable",
}


def translate_error(error: Exception) -> HoldfastError:
    """Any failure as one of ours. What a crash says itself stays here: it may hold paths and text."""
    match error:
        case HoldfastError():
            return error
        case UnicodeError():
            return BadRequest("Some text given is not valid UTF-8.")
        case OSError():
            return Unavailable(
                f"The file system refused: {error.strerror}.", "the user should look: `holdfast doctor`."
            )
        case _:
            hint = "this is a mistake in Holdfast; the server's standard error has the details."
            return HoldfastError(f"Holdfast failed ({type(error).__name__}).", hint)


def format_error(error: HoldfastError) -> str:
    """What happened, and the hint."""
    hint = f"\nHint: {error.hint}" if error.hint else ""
    return make_inert(f"{error}{hint}")[:LONGEST]


def find_family(error: HoldfastError) -> str:
    """The family's name."""
    return next((name for kind, name in FAMILIES.items() if isinstance(error, kind)), "error")


def build_error_result(error: HoldfastError) -> types.CallToolResult:
    """A failure of a tool: the model reads it and can do better."""
    return types.CallToolResult(
        content=[types.TextContent(text=format_error(error))],
        is_error=True,
        _meta={"holdfast/family": find_family(error)},
    )
