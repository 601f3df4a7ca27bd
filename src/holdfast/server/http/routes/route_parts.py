"""What routes share: the prefix, the answers that every one may give, and filters of lists."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query

from holdfast.server.http.etags import TaggedRoute
from holdfast.server.http.paging import NEXT
from holdfast.server.http.problems import ANSWERS
from holdfast.server.http.security.rights import Caller, Right, require_right

PREFIX = "/api/workspace/{wid}"
LONGEST_ID = 200
Reads = Annotated[Caller, Depends(require_right(Right.READ))]
Reviews = Annotated[Caller, Depends(require_right(Right.REVIEW))]
Runs = Annotated[Caller, Depends(require_right(Right.RUN))]
MemoryId = Annotated[
    str, Path(min_length=1, max_length=LONGEST_ID, description="A memory's id, or enough of its beginning.")
]
CandidateId = Annotated[
    str, Path(min_length=1, max_length=LONGEST_ID, description="A candidate's id, or enough of its beginning.")
]
AsOf = Annotated[
    str, Query(alias="asOf", max_length=40, description="What held then: a date (its end) or a time; empty: now.")
]
AtPath = Annotated[str, Query(max_length=4096, description="Only what holds at this path of the workspace.")]
LISTED: dict[int | str, dict[str, Any]] = {200: {"headers": NEXT}}


def make_router(tag: str, prefix: str = PREFIX) -> APIRouter:
    """A router of a subject: its answers carry tags, and all problems are documented."""
    return APIRouter(prefix=prefix, tags=[tag], route_class=TaggedRoute, responses=ANSWERS)
