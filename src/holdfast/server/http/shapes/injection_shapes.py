"""What sessions were told, and a person's word on it."""

from typing import Literal

from pydantic import Field

from holdfast.records.injection_history import InjectionEvent, MemoryInjection
from holdfast.records.injection_marks import InjectionMark
from holdfast.server.http.shapes.base_shape import ApiBody, ApiView
from holdfast.server.http.shapes.derive import mirrors

VerdictName = Literal["wrong", "irrelevant", "always", "none"]


@mirrors(MemoryInjection)
class MemoryInjectionView(ApiView):
    """A memory that was told. `now` is the id it has today (a candidate that was accepted has another); empty: none.

    `title`, `status` and what is said of it are those of today.
    """

    now: str = ""
    title: str = ""
    status: str = ""


@mirrors(InjectionEvent)
class InjectionEventView(ApiView):
    """One time that a session was told something: `at` which event, `cause` how that came, `prompt` its words."""

    memories: list[MemoryInjectionView] = []


class SessionInjectionsView(ApiView):
    """All that a session was told, in order; `tokens`: of all that was not withheld."""

    session: str
    client: str
    tokens: int
    tellings: list[InjectionEventView]


class MarkInjectionBody(ApiBody):
    """A person's word on a memory that was told, and the session in which they saw it."""

    verdict: VerdictName
    session: str = Field(default="", max_length=500)


@mirrors(InjectionMark)
class InjectionMarkView(ApiView):
    """What is said of a memory now; `mark` names this one word, so that it alone can be undone."""

    mark: str
    id: str
    marked: str = ""
