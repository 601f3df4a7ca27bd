"""A session's context as far as we know it: what it was told, and whether it has lost that since.

Kept as lines (`state/told/`): an id for each thing told, and marks that begin with `!` for what happened to it.
Nothing is imported but values: a cold hook reads this at every prompt and before every tool.
"""

from collections.abc import Iterable

from holdfast.core.value import Value

MARK = "!"
STARTED, PROMPT, RENEWED = "!session_start", "!prompt", "!renewed"
QUIET_SECONDS = 12 * 60 * 60
# Where a prompt begins like this, a client or a person goes on from a summary: the words are not the user's own.
SUMMARIES = (
    "<summary>",
    "<state_snapshot>",
    "<conversation-summary>",
    "<conversation_summary>",
    "this session is being continued from ",
    "another language model started to solve this problem and produced a summary",
)
# They say that they compact and then nothing more. Gemini says so before every request, and means it only if asked.
_SAY_NO_MORE = frozenset({"cline", "copilot", "vscode", "gemini"})


class InjectedContext(Value):
    """What a context was told and still knows; `cut`: why it lost what was told before and needs its recovery."""

    injected: frozenset[str] = frozenset()
    cut: str = ""


def read_context(lines: Iterable[str], quiet_for: float = 0) -> InjectedContext:
    """The context after all these lines and so many seconds of silence."""
    told: set[str] = set()
    cut, renewed = "", False
    for line in lines:
        if not line.startswith(MARK):
            told.add(line)
            continue
        mark, _, rest = line.partition(" ")
        lost = _find_loss_reason(mark, rest, renewed=renewed)
        if lost or mark == STARTED:
            told = set()
        cut = "" if mark == STARTED else lost or cut
        renewed = rest == "compact" if mark == STARTED else renewed and mark == "!after_compact"
    if not cut and quiet_for > QUIET_SECONDS:
        return InjectedContext(cut="quiet")
    return InjectedContext(injected=frozenset(told), cut=cut)


def _find_loss_reason(mark: str, rest: str, *, renewed: bool) -> str:
    """Why what was told is lost with this mark; empty when it is not."""
    match mark:
        case "!before_compact":
            return _compaction_reason(rest)
        case "!after_compact":
            # Claude Code sends it after the start that follows a compaction.
            return "" if renewed else "compacted"
        case "!session_end":
            return "ended"
        case "!renewed":
            return "renewed"
    return ""


def goes_on_from_summary(prompt: str) -> bool:
    """Whether a prompt opens with the summary of a conversation that was cut."""
    return prompt[:200].lstrip().lower().startswith(SUMMARIES)


def _compaction_reason(rest: str) -> str:
    client, _, trigger = rest.partition(" ")
    meant = client in _SAY_NO_MORE and (client != "gemini" or trigger == "manual")
    return "compacted" if meant else ""
