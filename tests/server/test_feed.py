"""Messages in order: kept, grouped, followed from any place, through cuts anywhere."""

import asyncio
import json
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.waiting import LONG

pytest.importorskip("fastapi", reason="the server is an extra")

from websockets.frames import Frame, Opcode

from holdfast.server.http.streams import message_feed as feeds
from holdfast.server.http.streams.message_feed import (
    Feed,
    FeedSubscriber,
    MessageGroup,
    SubscriberTooSlow,
    encode_frame,
)
from holdfast.server.http.streams.workspace_stream import Hub


def numbers(messages: Any) -> list[int]:
    return [json.loads(each.text)["data"]["n"] for each in messages]


def since(hub: Hub, cursor: str) -> list[Any] | None:
    """What followed a cursor, if all of it is still there."""
    place = hub.place(cursor)
    return None if place is None else hub.after(place)


def filled(count: int, most: int = 1000) -> Hub:
    hub = Hub(most)
    for number in range(1, count + 1):
        hub.publish("x", {"n": number})
    return hub


def test_a_cursor_gives_what_followed_and_nothing_else() -> None:
    hub = filled(10)

    assert numbers(since(hub, hub.cursor(7))) == [8, 9, 10]
    assert since(hub, hub.cursor(10)) == []


@pytest.mark.parametrize(
    "cursor", ["", "x", "{epoch}.", "{epoch}.-1", "{epoch}.11", "{epoch}.1e3", "00000000.3", "{epoch}.٣"]
)
def test_a_cursor_that_is_none_of_this_epoch_gives_nothing(cursor: str) -> None:
    hub = filled(10)

    assert since(hub, cursor.format(epoch=hub.epoch)) is None


def test_what_is_too_old_is_said_to_be_gone() -> None:
    hub = filled(50, most=10)

    assert since(hub, hub.cursor(5)) is None
    assert numbers(since(hub, hub.cursor(45))) == [46, 47, 48, 49, 50]


def test_large_messages_do_not_pile_up() -> None:
    hub = Hub(most=1000, most_bytes=10_000)
    for _ in range(100):
        hub.publish("x", {"n": "y" * 1000})

    kept = since(hub, hub.cursor(98))

    assert kept is not None
    assert len(kept) == 2
    assert since(hub, hub.cursor(50)) is None


def test_a_message_is_json_whatever_it_holds() -> None:
    hub = Hub()
    hub.publish("x", {"text": "half \ud800 \u2028 </script> é"})
    [message] = since(hub, hub.cursor(0)) or []

    assert json.loads(message.text)["data"]["text"].startswith("half ?")


@pytest.mark.parametrize("size", [0, 1, 125, 126, 65_535, 65_536, 200_000])
def test_a_frame_is_what_the_library_would_write(size: int) -> None:
    text = b"a" * size

    assert encode_frame(text) == Frame(Opcode.TEXT, text).serialize(mask=False)


def test_those_at_one_place_share_one_group() -> None:
    hub = filled(10)

    first, second = hub.group(4), hub.group(4)

    assert first is second
    assert isinstance(first, MessageGroup)
    assert (len(first.texts), first.last) == (6, 10)
    assert first.frames == b"".join(map(encode_frame, first.texts))


def test_a_group_has_a_size() -> None:
    hub = Hub()
    for number in range(40):
        hub.publish("x", {"n": number, "text": "y" * 10_000})

    group = hub.group(0)

    assert group is not None
    assert len(group.frames) < 2 * feeds.MOST_GROUP
    rest = hub.group(group.last)
    assert rest is not None
    assert json.loads(rest.texts[0])["data"]["n"] == group.last


def test_a_place_that_is_gone_is_too_slow() -> None:
    with pytest.raises(SubscriberTooSlow):
        filled(100, most=10).group(3)


@given(
    kept=st.integers(5, 60),
    steps=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 12)), min_size=1, max_size=60),
)
def test_no_cut_anywhere_loses_or_repeats_a_message(kept: int, steps: list[tuple[int, int]]) -> None:
    """Each step: so many are published, then a socket opens with its last cursor, reads some, and is cut."""
    hub, cursor, seen, published = Hub(kept), "", [], 0
    for more, read in steps:
        for _ in range(more):
            published += 1
            hub.publish("x", {"n": published})
        place = hub.place(cursor)
        if place is None:
            # A snapshot stands for all before it.
            place = hub.last
            seen = list(range(1, published + 1))
            cursor = hub.cursor(place)
        left = read
        while left > 0 and (group := hub.group(place)) is not None:
            for text in group.texts[:left]:
                message = json.loads(text)
                seen.append(message["data"]["n"])
                cursor = message["cursor"]
            left -= len(group.texts)
            place = group.last
    missed = since(hub, cursor)

    assert missed is not None
    assert seen + numbers(missed) == list(range(1, published + 1))


def test_followers_on_one_loop_get_what_threads_publish() -> None:
    hub = Hub()

    def publish(of: int) -> None:
        for number in range(200):
            hub.publish("x", {"n": number, "of": of})

    async def follow(subscriber: FeedSubscriber, total: int) -> list[bytes]:
        found: list[bytes] = []
        while len(found) < total:
            group = hub.group(subscriber.place)
            if group is None:
                await asyncio.wait_for(subscriber.more.wait(), LONG)
                subscriber.more.clear()
            else:
                found += group.texts
                subscriber.place = group.last
        return found

    async def run() -> list[list[bytes]]:
        threads = [threading.Thread(target=publish, args=(of,)) for of in range(3)]
        with hub.subscribe(0) as one, hub.subscribe(0) as other:
            for thread in threads:
                thread.start()
            got = await asyncio.gather(follow(one, 600), follow(other, 600))
        for thread in threads:
            thread.join()
        return list(got)

    one, other = asyncio.run(run())

    assert one == other
    cursors = [json.loads(text)["cursor"] for text in one]
    assert cursors == [hub.cursor(number) for number in range(1, 601)]


def test_who_is_stuck_in_sending_and_falls_behind_is_given_up() -> None:
    hub = Hub()

    async def stuck(subscriber: FeedSubscriber) -> None:
        subscriber.sending = True
        await asyncio.Event().wait()

    async def run(count: int) -> bool:
        with hub.subscribe(hub.last) as subscriber:
            task = subscriber.task = asyncio.create_task(stuck(subscriber))
            await asyncio.sleep(0)
            for number in range(count):
                hub.publish("x", {"n": number})
            done, _ = await asyncio.wait({task}, timeout=0.5)
            task.cancel()
            assert bool(done) is subscriber.slow
            return subscriber.slow

    assert asyncio.run(run(feeds.MOST_BEHIND + 10))
    assert not asyncio.run(run(10))


def test_a_feed_may_skip_numbers() -> None:
    feed = Feed()
    feed.begin(10)
    for number in (12, 14, 15):
        feed.add(number, "x", str(number).encode())

    assert [message.number for message in feed.after(12) or []] == [14, 15]
    assert feed.after(9) is None
