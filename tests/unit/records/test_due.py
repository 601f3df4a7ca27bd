"""Sessions that are over and were told something wait to be judged."""

from tests.unit.records.test_follow import WORKSPACE, Story

from holdfast.records.record_builder import RecordBuilder


def told(session: str = "s1", name: str = "injected") -> Story:
    return Story().tell("prompt", session, prompt="hi").tell(name, session, "holdfast", ids=["DEC-1"])


def test_a_session_is_due_when_it_ends_and_not_before() -> None:
    story = told().tell("answer", answer="Done.")
    assert story.builder.due == []

    story.tell("session_end")

    [due] = story.builder.due
    assert (due.session, due.begin.offset, due.until) == ("s1", 0, story.builder.cursor)


def test_a_session_that_was_told_nothing_is_never_due_and_a_held_out_one_is() -> None:
    assert Story().tell("prompt", prompt="hi").tell("session_end").builder.due == []
    assert len(told(name="withheld").tell("session_end").builder.due) == 1


def test_an_end_that_comes_twice_counts_once_and_one_after_more_work_counts_again() -> None:
    story = told().tell("session_end").tell("session_end")
    assert len(story.builder.due) == 1

    story.tell("prompt", prompt="more").tell("session_end")

    assert len(story.builder.due) == 2


def test_a_quiet_session_is_due_by_age() -> None:
    story = told()
    story.builder.grow_old(story.later(hours=20).now)

    assert [due.session for due in story.builder.due] == ["s1"]


def test_the_second_client_s_echo_of_a_session_is_not_due() -> None:
    story = told().tell("prompt", "s2", "cursor", prompt="hi").tell("injected", "s2", "holdfast", ids=["DEC-1"])

    assert story.tell("session_end", "s2", "cursor").builder.due == []


def test_what_is_due_survives_in_the_state() -> None:
    builder = told().tell("session_end").builder

    assert RecordBuilder.from_state(WORKSPACE, builder.to_state()).due == builder.due
