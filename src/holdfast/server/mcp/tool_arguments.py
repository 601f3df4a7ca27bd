"""What each tool takes. The types are the input schemas; what does not fit is refused before anything is done."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from holdfast.core.errors import BadRequest

LONGEST_TEXT = 20_000
LONGEST_WORDS = 4_000
MOST_IDS = 20
MOST_LISTED = 50

Type = Literal["decision", "assumption", "invariant", "failure", "learning", "pattern"]
Status = Literal["candidate", "accepted", "rejected", "superseded", "deprecated"]
Id = Annotated[str, Field(min_length=1, max_length=64)]
Line = Annotated[str, Field(max_length=500)]
Words = Annotated[str, Field(max_length=LONGEST_WORDS)]
Text = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
Lines = Annotated[list[Annotated[str, Field(min_length=1, max_length=500)]], Field(max_length=MOST_LISTED)]
Count = Annotated[int, Field(ge=0, le=MOST_LISTED)]
Limit = Annotated[int, Field(ge=1, le=MOST_LISTED, description="how many at most")]
Cursor = Annotated[str, Field(max_length=100, description="`next_cursor` of the page before")]
Path = Annotated[Line, Field(description="a path of the workspace; only what holds there")]
Tags = Annotated[Lines, Field(description="single words to find it by")]
Paths = Annotated[Lines, Field(description="where it applies, as globs: src/db/**; empty: everywhere")]
Supersedes = Annotated[Lines, Field(description="ids of memories that this replaces")]
Cites = Annotated[Lines, Field(description="code it speaks of: src/app.py or src/app.py:10-24")]
Because = Annotated[Words, Field(description="the reason")]
Quote = Annotated[Words, Field(description="the user's own words that it rests on, verbatim; they are looked up")]


class BadArguments(BadRequest):
    """Arguments that do not fit a tool."""

    def __init__(self, tool: str, error: ValidationError) -> None:
        found = error.errors(include_url=False, include_input=False, include_context=False)
        said = "; ".join(f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {each['msg']}" for each in found[:5])
        super().__init__(f"The arguments of {tool!r} do not fit: {said[:1000]}.", "its input schema says what does.")


class Arguments(BaseModel):
    """Named arguments; others are refused, so that a misspelt one is noticed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SearchArguments(Arguments):
    """Words, and what narrows them."""

    query: Annotated[str, Field(min_length=1, max_length=1000, description="words, identifiers or paths")]
    type: Annotated[list[Type], Field(max_length=6, description="only these types")] = []
    tag: Annotated[Lines, Field(description="only with these tags")] = []
    path: Path = ""
    since: Annotated[Line, Field(description="only what changed since this date")] = ""
    as_of: Annotated[Line, Field(description="what was valid on this date, not now")] = ""
    status: Annotated[list[Status], Field(max_length=5, description="of these statuses; without: valid now")] = []
    limit: Limit = 10
    cursor: Cursor = ""


class TimelineArguments(Arguments):
    """A point in time."""

    around: Annotated[Line, Field(description="id of a memory or event, or a date; without: the latest")] = ""
    before: Annotated[Count, Field(description="how many before it")] = 5
    after: Annotated[Count, Field(description="how many from it on")] = 5


class ShowArguments(Arguments):
    """Some memories."""

    ids: Annotated[list[Id], Field(min_length=1, max_length=MOST_IDS, description="from search, pack or timeline")]
    start: Annotated[int, Field(ge=0, le=10_000_000, description="go on with a body that was cut from here")] = 0
    as_of: Annotated[Line, Field(description="a date: whether it held then, and its text of then as git has it")] = ""


class PackArguments(Arguments):
    """Something about to be done."""

    goal: Annotated[str, Field(min_length=1, max_length=2000, description="what you are about to do")]
    path: Annotated[Line, Field(description="a path of the workspace it will touch")] = ""
    task: Annotated[Line, Field(description="the kind of one task (testing, refactoring): what binds it only")] = ""
    as_of: Annotated[Line, Field(description="a date like 2026-03-01: what held then, not now")] = ""
    budget: Annotated[int, Field(ge=0, le=8000, description="tokens at most; 0: as the user set it")] = 0


class CheckPlanArguments(Arguments):
    """A plan, before it is carried out."""

    plan: Annotated[
        str, Field(min_length=1, max_length=LONGEST_TEXT, description="what you are about to do, with its commands")
    ]
    paths: Annotated[Lines, Field(description="paths of the workspace that it will touch")] = []


class RememberArguments(Arguments):
    """Any memory."""

    type: Type
    text: Annotated[Text, Field(description="what should be remembered, in full sentences")]
    title: Annotated[Line, Field(description="one line; without: the first line of the text")] = ""
    because: Because = ""
    quote: Quote = ""
    category: Annotated[Line, Field(description="learnings: system, algorithm, or a word of the domain")] = ""
    tags: Tags = []
    paths: Paths = []
    cites: Cites = []
    supersedes: Supersedes = []


class RejectedChoice(Arguments):
    """What was not chosen."""

    option: Annotated[str, Field(min_length=1, max_length=500)]
    reason: Line = ""


class DecisionArguments(Arguments):
    """A choice between options."""

    question: Annotated[Line, Field(min_length=1, description="what was to be decided")]
    choice: Annotated[Line, Field(min_length=1, description="what was chosen")]
    because: Because = ""
    quote: Quote = ""
    rejected: Annotated[list[RejectedChoice], Field(max_length=20, description="what was not chosen, and why")] = []
    title: Line = ""
    tags: Tags = []
    paths: Paths = []
    cites: Cites = []
    supersedes: Supersedes = []


class FailureArguments(Arguments):
    """What was tried and did not work."""

    text: Annotated[Text, Field(description="what was tried, and what happened")]
    root_cause: Annotated[Words, Field(description="why it did not work, if that is known")] = ""
    error_type: Line = ""
    error_message: Words = ""
    context: Annotated[Words, Field(description="the circumstances that mattered")] = ""
    attempts: Annotated[int, Field(ge=1, le=1000, description="how often it was tried")] = 1
    quote: Quote = ""
    title: Line = ""
    tags: Tags = []
    paths: Paths = []


class BriefingArguments(Arguments):
    """Nothing."""


class ReviewArguments(Arguments):
    """A page of the candidates, or one of them to be decided."""

    decide: Annotated[str, Field(max_length=64, description="a candidate that the user shall decide about")] = ""
    limit: Limit = 10
    cursor: Cursor = ""
