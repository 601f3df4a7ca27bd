"""Following the journal: what sessions ask for in work, ratings, todos, research and log."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from holdfast.core.event import Cursor, JournalRecord
from holdfast.records.effects import AppendLine, AppendLog, DumpSession, Effect, PutFile, ReplaceTodos
from holdfast.records.record_builder import RecordBuilder

E = TypeVar("E", bound=Effect)
WORKSPACE = "/home/dev/proj"
START = datetime(2026, 11, 15, 9, 22, 14, tzinfo=UTC)
ORDER = "Add a retry to the upload client. The tests must pass and it must not retry on 4xx."
UNIT = "2026-11-15-092214_add-a-retry-to-the-upload-client-the"


class Story:
    """Events told one after the other, and what they asked for."""

    def __init__(self) -> None:
        self.builder = RecordBuilder(WORKSPACE)
        self.effects: list[Effect] = []
        self.records: list[JournalRecord] = []
        self.now = START

    def tell(self, event: str, /, session: str = "s1", client: str = "claude-code", **data: Any) -> "Story":
        at = len(self.records) + 1
        record = JournalRecord(
            id=f"{at:026d}",
            kind="event",
            version=1,
            ts=self.now.strftime("%Y-%m-%dT%H:%M:%S.123Z"),
            data={"client": client, "session": session, "name": event, "key": "", "data": data},
            after=Cursor(segment=1, offset=at * 100),
        )
        self.records.append(record)
        self.effects += self.builder.take(record)
        return self

    def later(self, **much: float) -> "Story":
        self.now += timedelta(**much)
        return self

    def of(self, kind: type[E]) -> list[E]:
        return [effect for effect in self.effects if isinstance(effect, kind)]

    def file(self, path: str) -> str:
        """A file as it was written last."""
        return next((put.text for put in reversed(self.of(PutFile)) if put.path == path), "")

    def paths(self) -> list[str]:
        return list(dict.fromkeys(put.path for put in self.of(PutFile)))

    def bash(self, command: str, output: str = "", *, failed: bool = False, session: str = "s1") -> "Story":
        name, result = ("tool_failed", {"error": output}) if failed else ("after_tool", {"output": {"stdout": output}})
        return self.tell(name, session, tool="Bash", input={"command": command}, **result)

    def edit(self, path: str, session: str = "s1") -> "Story":
        given = {"file_path": f"{WORKSPACE}/{path}", "old_string": "a", "new_string": "b"}
        return self.tell("after_tool", session, tool="Edit", input=given, output={})


def meta(story: Story, unit: str = UNIT) -> dict[str, Any]:
    lines = story.file(f"work/{unit}/META.yaml").splitlines()
    return {key: json.loads(value) for key, _, value in (line.partition(": ") for line in lines)}


def isc(story: Story, unit: str = UNIT) -> dict[str, Any]:
    return dict(json.loads(story.file(f"work/{unit}/ISC.json")))


def test_an_order_opens_a_unit_with_its_criteria_and_its_words() -> None:
    story = Story().tell("prompt", prompt=ORDER)

    assert meta(story)["status"] == "open"
    assert [one["text"] for one in isc(story)["criteria"]] == ["The tests must pass"]
    assert [one["text"] for one in isc(story)["antiCriteria"]] == ["it must not retry on 4xx."]
    assert ORDER in story.file(f"work/{UNIT}/items/001-prompt.md")
    assert f'event: "{story.records[0].id}"' in story.file(f"work/{UNIT}/items/001-prompt.md")


def test_a_question_opens_none() -> None:
    story = Story().tell("prompt", prompt="How does the upload client work?").tell("answer", answer="Like so.")

    assert story.effects == []


def test_closing_the_session_completes_the_unit_and_the_end_says_by_what() -> None:
    story = Story().tell("prompt", prompt=ORDER).tell("answer", answer="Done.").later(minutes=1).tell("session_end")

    assert (meta(story)["status"], meta(story)["closed_by"]) == ("completed", "session_end")
    assert meta(story)["closed"] == "2026-11-15T09:23:14Z"
    assert "Done." in story.file(f"work/{UNIT}/items/002-answer.md")


def test_a_unit_without_any_answer_is_abandoned() -> None:
    story = Story().tell("prompt", prompt=ORDER).tell("session_end")

    assert meta(story)["status"] == "abandoned"


def test_a_check_that_passes_after_the_last_edit_verifies_what_it_names() -> None:
    story = Story().tell("prompt", prompt=ORDER).edit("src/upload.py").bash("pytest -q", "4 passed")

    story.tell("answer", answer="Done.")

    assert [one["status"] for one in isc(story)["criteria"]] == ["VERIFIED"]
    assert "4 passed" in story.file(f"work/{UNIT}/verification/001-test-passed.md")


def test_an_edit_after_the_check_leaves_the_criterion_open() -> None:
    story = Story().tell("prompt", prompt=ORDER).bash("pytest -q", "4 passed").edit("src/upload.py")

    story.tell("answer", answer="Done.")

    assert [one["status"] for one in isc(story)["criteria"]] == ["PENDING"]


def test_a_check_that_fails_last_fails_the_criterion_and_the_log_says_failed() -> None:
    story = Story().tell("prompt", prompt=ORDER).edit("src/upload.py")

    story.bash("pytest -q", "Exit code 1\nE   AssertionError: retried on 404\n1 failed", failed=True)
    story.tell("answer", answer="It fails.")

    assert [one["status"] for one in isc(story)["criteria"]] == ["FAILED"]
    assert [log.text for log in story.of(AppendLog)] == [
        (
            "failed: Add a retry to the upload client: `pytest -q`; it printed “AssertionError: retried on 404” "
            "(claude-code)"
        )
    ]


def test_what_failed_and_then_passed_is_tried_and_done_and_proposes_a_learning() -> None:
    story = Story().tell("prompt", prompt=ORDER).edit("src/upload.py")

    story.bash("pytest -q", "Exit code 1\nE   AssertionError: retried on 404", failed=True).edit("src/upload.py")
    story.bash("pytest -q", "4 passed").tell("answer", answer="Done.").tell("session_end")

    assert [log.text.partition(":")[0] for log in story.of(AppendLog)] == ["tried", "done"]
    [learned] = [file.text for file in story.of(PutFile) if file.path.startswith("learning/")]
    assert "retried on 404" in learned
    assert "Files: src/upload.py" in learned


def test_a_turn_that_only_looked_leaves_no_line_in_the_log() -> None:
    story = Story().tell("prompt", prompt=ORDER)

    story.tell("after_tool", tool="Read", input={"file_path": f"{WORKSPACE}/a.py"}, output="x")
    story.tell("answer", answer="I looked.")

    assert story.of(AppendLog) == []


def test_a_later_order_about_the_same_thing_adds_its_criteria() -> None:
    story = Story().tell("prompt", prompt=ORDER).tell("answer", answer="Done.")

    story.tell("prompt", prompt="Now add logging to the upload client. Every retry must be logged with its delay.")

    assert len([path for path in story.paths() if path.endswith("META.yaml")]) == 1
    assert "Every retry must be logged with its delay." in [one["text"] for one in isc(story)["criteria"]]


def test_an_order_about_something_else_is_split_off_as_a_child() -> None:
    story = Story().tell("prompt", prompt=ORDER).tell("answer", answer="Done.").later(seconds=5)

    story.tell("prompt", prompt="Write a migration that renames the customers table and implement its rollback.")

    child = meta(story)["lineage"]["children"][0]
    assert meta(story, child)["lineage"]["parent"] == UNIT
    assert f"work/{UNIT}/children/{child}.yaml" in story.paths()
    story.tell("answer", answer="Done too.").tell("session_end")
    assert (meta(story)["status"], meta(story, child)["status"]) == ("completed", "completed")


def test_a_session_that_goes_on_after_its_end_opens_its_unit_again() -> None:
    story = Story().tell("prompt", prompt=ORDER).tell("answer", answer="Done.").tell("session_end")

    story.tell("session_start", source="resume").tell("prompt", prompt="and the upload docs?")

    assert meta(story)["status"] == "open"
    assert meta(story)["prompts"] == 2


def test_the_next_start_closes_a_session_that_was_quiet_and_leaves_a_live_one() -> None:
    story = Story().tell("prompt", "old", prompt=ORDER).tell("answer", "old", answer="Done.").later(minutes=40)
    story.tell("prompt", "live", prompt="Implement the invoice export for accounting customers.")

    story.later(minutes=1).tell("session_start", "new", source="startup")

    assert (meta(story)["status"], meta(story)["closed_by"]) == ("completed", "start")
    assert meta(story, story.builder.sessions["live"].unit)["status"] == "open"


def test_age_closes_a_session_whose_end_never_came() -> None:
    story = Story().tell("prompt", prompt=ORDER).tell("answer", answer="Done.")

    story.effects += story.builder.grow_old(story.now + timedelta(hours=13))

    assert (meta(story)["status"], meta(story)["closed_by"]) == ("completed", "age")


def test_a_bad_rating_is_a_line_a_dump_a_log_line_and_a_learning_in_the_users_words() -> None:
    story = Story().tell("prompt", prompt=ORDER).tell("answer", answer="All done.").later(minutes=2)

    story.tell("prompt", prompt="2/10 - you ignored the timeout that I asked for")

    [line] = story.of(AppendLine)
    [dump] = story.of(DumpSession)
    [learned] = [file.text for file in story.of(PutFile) if file.path.startswith("learning/")]
    assert line.path == "learning/signals/ratings.jsonl"
    assert {key: json.loads(line.text)[key] for key in ("session", "work", "rating", "source")} == {
        "session": "s1", "work": UNIT, "rating": 2, "source": "explicit",
    }  # fmt: skip
    assert dump.folder == "learning/failures/2026-11/2026-11-15-092414_add-a-retry-to-the-upload-client-the"
    assert ORDER in dump.context
    assert "All done." in dump.context
    assert dump.sentiment.keys() == {"rating", "confidence", "analysis"}
    assert "you ignored the timeout that I asked for" in learned
    assert [log.text.split(":")[0] for log in story.of(AppendLog)] == ["failed"]


def test_a_good_rating_is_only_the_signal() -> None:
    story = Story().tell("prompt", prompt="Explain it.").tell("answer", answer="So.").tell("prompt", prompt="9/10")

    assert [type(effect) for effect in story.effects] == [AppendLine]
    assert story.builder.tallies.streaks()["good"] == 1


def test_a_number_before_any_answer_rates_nothing() -> None:
    assert Story().tell("prompt", prompt="2/10").effects == []


def test_todos_come_from_the_clients_list_and_only_when_it_changed() -> None:
    listed = {"todos": [{"content": "Read it", "status": "completed"}, {"content": "Mend it", "status": "pending"}]}
    story = Story().tell("after_tool", tool="TodoWrite", input=listed, output={})

    story.tell("after_tool", tool="TodoWrite", input=listed, output={})

    [todos] = story.of(ReplaceTodos)
    assert todos.now.items == (("Read it", True), ("Mend it", False))


def test_tasks_that_are_created_and_updated_one_by_one_are_a_list_too() -> None:
    story = Story().tell("after_tool", tool="TaskCreate", input={"subject": "Read it"}, output={"task": {"id": "1"}})
    story.tell("after_tool", tool="TaskCreate", input={"subject": "Mend it"}, output={"task": {"id": "2"}})

    story.tell("after_tool", tool="TaskUpdate", input={"taskId": "1", "status": "completed"}, output={})

    assert story.of(ReplaceTodos)[-1].now.items == (("Read it", True), ("Mend it", False))


def test_a_subagents_answer_is_research_and_stands_with_its_work_once() -> None:
    story = Story().tell("prompt", prompt=ORDER)
    story.tell("before_tool", tool="Agent", input={"subagent_type": "Explore", "prompt": "Find all callers"})

    for _ in range(2):
        story.tell("subagent_stop", agent="a1", agent_type="Explore", answer="In src/a.py.")

    name = "2026-11-15-092214_AGENT-Explore_find-all-callers.md"
    assert story.paths().count(f"research/2026-11/{name}") == 1
    assert "In src/a.py." in story.file(f"work/{UNIT}/agents/{name}")


def test_a_subagent_without_a_type_is_the_clients_own_compaction() -> None:
    assert Story().tell("subagent_stop", agent="a1", agent_type="", answer="A summary.").effects == []


def test_what_was_looked_up_and_what_was_drafted_stand_with_the_work() -> None:
    story = Story().tell("prompt", prompt=ORDER)

    story.tell("after_tool", tool="WebFetch", input={"url": "https://docs.invalid/retry"}, output="Use backoff.")
    story.tell("after_tool", tool="Write", input={"file_path": "/elsewhere/../plan.md", "content": "# Plan"}, output={})

    assert "Use backoff." in story.file(f"work/{UNIT}/research/001-docs-invalid-retry.md")
    assert story.file(f"work/{UNIT}/scratch/plan.md") == "# Plan"


def test_the_same_prompt_through_two_clients_is_one_unit_one_rating_one_line() -> None:
    story = Story().tell("prompt", "s1", prompt=ORDER).tell("prompt", "c1", client="cursor", prompt=ORDER)
    for session, client in (("s1", "claude-code"), ("c1", "cursor")):
        story.edit("src/upload.py", session).tell("answer", session, client=client, answer="Done.")

    assert len([path for path in story.paths() if path.endswith("META.yaml")]) == 1
    assert len(story.of(AppendLog)) == 1


def test_the_same_prompt_in_two_sessions_of_one_client_is_two_units() -> None:
    story = Story().tell("prompt", "s1", prompt=ORDER).tell("prompt", "s2", prompt=ORDER)

    assert len([path for path in story.paths() if path.endswith("META.yaml")]) == 2


def test_the_state_as_json_goes_on_where_it_was() -> None:
    story = Story().tell("prompt", prompt=ORDER).edit("src/upload.py")
    story.tell("after_tool", tool="TodoWrite", input={"todos": [{"content": "x", "status": "pending"}]}, output={})
    story.tell("progress.started", client="holdfast", name="sso", goal="sign-on", steps=["a"])
    whole = Story()
    whole.records = [*story.records]
    whole.builder = RecordBuilder.from_state(WORKSPACE, json.loads(json.dumps(story.builder.to_state())))

    for each in (story, whole):
        each.effects = []
        each.bash("pytest -q", "4 passed").tell("answer", answer="Done.").tell("session_end")

    assert whole.builder.to_state() | {"cursor": 0} == story.builder.to_state() | {"cursor": 0}
    assert [type(effect) for effect in whole.effects] == [type(effect) for effect in story.effects]


def test_the_same_events_give_the_same_effects() -> None:
    story = Story().tell("prompt", prompt=ORDER).edit("a.py").bash("pytest -q", "1 passed").tell("answer", answer="Ok.")
    again = RecordBuilder(WORKSPACE)

    assert [effect for record in story.records for effect in again.take(record)] == story.effects


def test_a_person_closes_a_unit_and_verifies_a_criterion() -> None:
    story = Story().tell("prompt", prompt=ORDER)
    [criterion] = isc(story)["criteria"]

    story.tell("work.verified", client="holdfast", id=UNIT, criterion=criterion["id"], passed=True)
    story.tell("work.closed", client="holdfast", id=UNIT, status="abandoned")

    assert (meta(story)["status"], meta(story)["closed_by"], meta(story)["satisfied"]) == ("abandoned", "person", 1)


def test_a_goal_gathers_the_units_that_speak_of_it() -> None:
    story = Story().tell("progress.started", client="holdfast", name="uploads", goal="A retry for the upload client")

    story.tell("prompt", prompt=ORDER).tell("progress.noted", client="holdfast", name="uploads", text="half way")

    goal = story.builder.progress.goals["uploads"]
    assert (goal["works"], goal["sessions"]) == ([UNIT], ["s1"])
    assert [note["text"] for note in goal["notes"]] == ["half way"]


def test_events_of_any_shape_are_taken_without_harm() -> None:
    story = Story()
    for name in ("prompt", "after_tool", "answer", "subagent_stop", "session_end", "rated", "todo.done", "nonsense"):
        for client in ("claude-code", "holdfast"):
            story.tell(name, client=client, prompt=None, tool=7, input=[1], answer=None, agent_type=3, rating=5, of=2)
            story.tell(name, client=client)


def test_what_a_short_order_demands_is_a_criterion_and_a_later_edit_opens_it_again() -> None:
    story = Story().tell("prompt", prompt="Add a walrus page. The tests must pass.").edit("a.py")
    unit = story.builder.latest
    story.bash("pytest -q", "1 passed").tell("answer", answer="Done.")
    assert [one["status"] for one in isc(story, unit)["criteria"]] == ["VERIFIED"]

    story.tell("prompt", prompt="and the walrus header too").edit("a.py").tell("answer", answer="Done.")

    assert [one["status"] for one in isc(story, unit)["criteria"]] == ["PENDING"]


def test_a_build_that_must_pass_is_not_verified_by_tests() -> None:
    story = Story().tell("prompt", prompt="Create a walrus page. The build must pass.").edit("a.py")

    story.bash("pytest -q", "1 passed").tell("answer", answer="Done.")

    assert [one["status"] for one in isc(story, story.builder.latest)["criteria"]] == ["PENDING"]
