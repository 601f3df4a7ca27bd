"""What every place of a team promises: PostgreSQL, and a server over HTTP."""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from holdfast.core.event import Event
from holdfast.exchange.http.http_peer import HttpPeer
from holdfast.exchange.peer import GONE, Peer, PeerRefused, Swap
from holdfast.exchange.postgres.change_feed import KEPT
from holdfast.exchange.postgres.database import DatabaseSpace
from holdfast.exchange.postgres.postgres_peer import PostgresPeer
from holdfast.records.team_forms import build_rating_text
from holdfast.vault.memory_text import MarkdownTexts

MEMORY = "memory/decisions/DEC-7K2MQ4.md"
TEXT = b"---\nid: DEC-7K2MQ4\ntype: decision\ntitle: Use Textual\n---\n"


@pytest.fixture(params=["postgres", "server"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Peer]:
    if request.param == "postgres":
        yield PostgresPeer(request.getfixturevalue("space"), MarkdownTexts())
        return
    from tests.server.conftest import new_workspace, threaded

    workspace = new_workspace(tmp_path / "project", tmp_path / "home")
    with threaded(tmp_path / "home") as served:
        yield HttpPeer(served.url, served.token, workspace)


def total(data: bytes) -> str:
    return sha256(data).hexdigest()


def rating(number: int) -> Swap:
    line = {"ts": f"2026-11-15T09:22:{number % 60:02}Z", "session": f"s{number}", "rating": 7, "source": "explicit",
            "comment": "ok ß", "confidence": 0.9}  # fmt: skip
    path, data = build_rating_text(line)
    return Swap(path=path, data=data, then="")


def test_a_file_is_put_once_and_changed_only_as_it_was_seen(shared: Peer) -> None:
    assert shared.swap(MEMORY, TEXT, "") == ""
    assert shared.fetch([MEMORY]) == {MEMORY: TEXT}
    assert shared.files()[MEMORY].sha256 == total(TEXT)

    assert shared.swap(MEMORY, b"other", "") == total(TEXT)
    assert shared.swap(MEMORY, None, total(b"other")) == total(TEXT)
    assert shared.swap(MEMORY, None, total(TEXT)) == ""
    assert shared.swap(MEMORY, None, total(TEXT)) == GONE
    assert shared.fetch([MEMORY]) == {}


def test_records_are_put_by_the_handful_and_each_answers_for_itself(shared: Peer) -> None:
    swaps = [rating(number) for number in range(250)]

    assert set(shared.put(swaps)) == {""}
    assert {*shared.files()} >= {swap.path for swap in swaps}
    assert shared.fetch([*(swap.path for swap in swaps), "records/rating/none"]) == {s.path: s.data for s in swaps}

    again = Swap(path=swaps[0].path, data=None, then=total(b"x"))
    gone = Swap(path=swaps[1].path, data=None, then=total(swaps[1].data or b""))
    assert list(shared.put([again, gone])) == [total(swaps[0].data or b""), ""]
    assert shared.fetch([swaps[1].path]) == {}


def test_what_did_not_move_is_not_listed_again(shared: Peer) -> None:
    first = shared.since("")
    assert first.files is None

    assert shared.since(first.mark).files == {}
    shared.swap(MEMORY, TEXT, "")
    moved = shared.since(first.mark)
    assert moved.mark != first.mark
    assert moved.files is None or [*moved.files] == [MEMORY]
    assert shared.since(moved.mark).files == {}


@pytest.mark.parametrize("mark", ["x", "99:1", "-1:", "0:1", "9" * 40, "1", ":", "\0"])
def test_a_mark_that_is_none_is_not_known(shared: Peer, mark: str) -> None:
    shared.swap(MEMORY, TEXT, "")

    assert shared.since(mark).files is None


@pytest.mark.parametrize("shared", ["server"], indirect=True)
@pytest.mark.parametrize(
    "path",
    [
        "records/none/x", "records/cost/../../x", "records/run/../x/run.json", "records/run/x/lock", "records/",
        "records/run/run-2026-11-15-092214-abcdefgh/elsewhere", "records/rating/" + "0" * 32, "other/x",
    ],
)  # fmt: skip
def test_a_server_puts_no_record_where_none_can_be(shared: Peer, path: str) -> None:
    with pytest.raises(PeerRefused):
        shared.put([Swap(path=path, data=b"{}", then="")])


def test_an_event_is_taken_once_however_large(shared: Peer) -> None:
    large = Event(client="codex", session="s", name="after_tool", key="large", data={"output": "ß" * 2_500_000})
    small = Event(client="codex", session="s", name="prompt", key="small", data={"prompt": "hello"})

    first = shared.append([large, small])
    again = shared.append([small, large])

    assert sum(receipt.fresh for receipt in first) == 2
    assert sum(receipt.fresh for receipt in again) == 0


@pytest.mark.parametrize("kind", ["file_removed", "purged"])
def test_a_feed_that_was_trimmed_or_blanked_says_that_it_does_not_know(space: DatabaseSpace, kind: str) -> None:
    shared = PostgresPeer(space, MarkdownTexts())
    shared.swap(MEMORY, TEXT, "")
    mark = shared.since("").mark
    shared.swap(MEMORY, None, total(TEXT))
    with space.writing("files") as cursor:
        blanked = "UPDATE feed SET data = %s, kind = %s WHERE space = %s AND n = 2"
        cursor.execute(blanked, (json.dumps({}), kind, space.id))
    assert shared.since(mark).files is None

    with space.writing("files") as cursor:
        cursor.execute("UPDATE counter SET value = %s WHERE space = %s AND name = 'feed'", (KEPT * 2 - 1, space.id))
    shared.swap(MEMORY, TEXT, "")
    assert shared.since(mark).files is None


def test_a_database_put_back_from_a_backup_is_looked_at_whole(space: DatabaseSpace) -> None:
    shared = PostgresPeer(space, MarkdownTexts())
    shared.swap(MEMORY, TEXT, "")
    mark = shared.since("").mark
    with space.writing("files") as cursor:
        # Another history of the same length.
        cursor.execute("UPDATE feed SET at = at - interval '1 day' WHERE space = %s", (space.id,))

    assert shared.since(mark).files is None
