"""The queue out of what is loaded: what waits, what expired, and the questions, each made once for an hour's files."""

from collections.abc import Mapping, Sequence

from holdfast.core.memory import Entry, Status
from holdfast.review.expiry import split_expired
from holdfast.review.queue_groups import QueueGroup, group_queue
from holdfast.server.http.open_workspace import OpenWorkspace


def list_waiting(workspace: OpenWorkspace) -> Sequence[Entry]:
    """The candidates in the queue, newest first. For `do`."""
    return _split(workspace)[0]


def list_expired(workspace: OpenWorkspace) -> Sequence[Entry]:
    """The candidates that nobody reviewed in time, newest first. For `do`."""
    return _split(workspace)[1]


def list_groups(workspace: OpenWorkspace) -> Sequence[QueueGroup]:
    """The questions of the queue, best first. For `do`."""
    waiting = list_waiting(workspace)
    return workspace.held(("groups", _hour(workspace)), lambda _: group_queue(waiting))


def find_group(workspace: OpenWorkspace, entry: Entry) -> QueueGroup:
    """The question that a candidate belongs to; itself, where it waits no more. For `do`."""
    return _by_member(workspace).get(entry.memory.id) or QueueGroup(lead=entry, topic=entry.memory.id)


def _by_member(workspace: OpenWorkspace) -> Mapping[str, QueueGroup]:
    groups = list_groups(workspace)
    return workspace.held(
        ("members", _hour(workspace)), lambda _: {each.memory.id: group for group in groups for each in group.entries}
    )


def _split(workspace: OpenWorkspace) -> tuple[list[Entry], list[Entry]]:
    waiting = [each for each in workspace.candidates if each.memory.status is Status.CANDIDATE]
    return workspace.held(("waiting", _hour(workspace)), lambda app: split_expired(app, waiting))


def _hour(workspace: OpenWorkspace) -> str:
    """The hour: what expires meanwhile is noticed at the next."""
    return workspace.now().strftime("%Y-%m-%dT%H")
