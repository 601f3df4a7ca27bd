"""The desk: what is done first, and what is left undone."""

from pathlib import Path
from threading import Event

import pytest
from tests.unit.tui.workspace import workspace
from tests.waiting import LONG

from holdfast.core.errors import NotFound
from holdfast.tui.worker_thread import JobThread, Urgency
from holdfast.workspace import App


@pytest.fixture
def app(tmp_path: Path) -> App:
    return workspace(tmp_path)


def test_what_a_person_asks_for_comes_first(app: App) -> None:
    desk, begin, done = JobThread(app), Event(), []
    desk.ask(lambda _: begin.wait(LONG))
    jobs = [
        desk.ask(lambda _: done.append("behind"), Urgency.BEHIND),
        desk.ask(lambda _: done.append("shown"), Urgency.SHOWN),
        desk.ask(lambda _: done.append("asked")),
        desk.ask(lambda _: done.append("asked later")),
    ]

    begin.set()
    for job in jobs:
        job.result(LONG)

    assert done == ["asked", "asked later", "shown", "behind"]


def test_what_is_cancelled_in_time_is_not_done(app: App) -> None:
    desk, begin, done = JobThread(app), Event(), []
    desk.ask(lambda _: begin.wait(LONG))
    stale = desk.ask(lambda _: done.append("stale"), Urgency.SHOWN)

    assert stale.cancel()
    begin.set()
    desk.ask(lambda _: done.append("next"), Urgency.BEHIND).result(LONG)

    assert done == ["next"]


def test_what_goes_wrong_is_told_to_who_asked_and_the_desk_goes_on(app: App) -> None:
    def wrong(_: App) -> None:
        raise NotFound("gone")

    desk = JobThread(app)

    with pytest.raises(NotFound, match="gone"):
        desk.ask(wrong).result(LONG)
    assert desk.ask(lambda asked: asked).result(LONG) is app


def test_closing_waits_for_a_decision_and_for_no_look(app: App) -> None:
    desk, begin, done = JobThread(app), Event(), []
    desk.ask(lambda _: begin.wait(LONG))
    decision = desk.ask(lambda _: done.append("decided"))
    look = desk.ask(lambda _: done.append("looked"), Urgency.SHOWN)

    begin.set()
    desk.close()

    assert decision.done()
    assert done == ["decided"]
    with pytest.raises(BaseException):  # noqa: B017, PT011  # CancelledError is no Exception
        look.result(LONG)
