"""What a session gave: candidates, a summary, a briefing, lineage, observations."""

from enum import StrEnum

from holdfast.core.memory import Memory
from holdfast.core.value import Value


class Progress(StrEnum):
    """How far a session's work came."""

    NOT_STARTED = "not_started"
    IN_PROGRESS = "in_progress"
    BLOCKED = "blocked"
    COMPLETE = "complete"


class FileChange(Value):
    """A file that was changed, and what for."""

    path: str
    why: str = ""


class Summary(Value):
    """A session in lines: what was asked, looked at, learned, done, and what is next."""

    title: str = ""
    request: tuple[str, ...] = ()
    investigated: tuple[str, ...] = ()
    learned: tuple[str, ...] = ()
    completed: tuple[str, ...] = ()
    next: tuple[str, ...] = ()
    files: tuple[FileChange, ...] = ()


class Briefing(Value):
    """What the next session must know."""

    mission: str = ""
    status: Progress = Progress.NOT_STARTED
    progress: str = ""
    hazards: tuple[str, ...] = ()
    hot_files: tuple[str, ...] = ()
    next_action: str = ""
    predicted_skills: tuple[str, ...] = ()


class Lineage(Value):
    """One change of a file: what, by which tool call, for which prompt."""

    path: str
    what: str
    event: str
    prompt: str = ""
    asked: str = ""
    at: str = ""
    tool: str = ""
    agent: str = ""
    model: str = ""


class Observation(Value):
    """One tool step that taught something, in one line."""

    event: str
    at: str
    kind: str
    text: str
    paths: tuple[str, ...] = ()


class Learned(Value):
    """A learning as a record: `system` (tools, set-up) or `algorithm` (how the work is done)."""

    category: str
    text: str
    event: str
    at: str = ""


class Known(Value):
    """What is there already: memories and candidates of every status, and the page of overview."""

    memories: tuple[Memory, ...] = ()
    overview: str = ""


class Distilled(Value):
    """All that a distiller makes of one conversation. `by` is its name; `log` a line for the day.

    `shared`: whether later sessions may be told of it; not where nobody knows that it was said.
    `unread` says which part of it a model did not see, and why; `set_aside` what the rules proposed and a model judged
    not worth keeping, each with its reason.
    """

    session: str
    client: str
    by: str
    run: str = ""
    started: str = ""
    ended: str = ""
    candidates: tuple[Memory, ...] = ()
    summary: Summary = Summary()
    briefing: Briefing = Briefing()
    lineage: tuple[Lineage, ...] = ()
    observations: tuple[Observation, ...] = ()
    learnings: tuple[Learned, ...] = ()
    log: str = ""
    unread: str = ""
    set_aside: tuple[str, ...] = ()
    shared: bool = True
