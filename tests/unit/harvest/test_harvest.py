"""What transcripts become, once, whatever happens to their files."""

import json
import os
import random
import time
from pathlib import Path

import pytest
from tests.transcripts import Claude, kept, lay_out, named, opencode, payloads, project_folder, put, reap

from holdfast.clients import payload as payload_of
from holdfast.core.errors import Conflict
from holdfast.harvest import harvest_transcripts as wiring
from holdfast.harvest import transcript_lines
from holdfast.journal import capture_event

STEPS = ("prompt", "answer", "after_tool", "tool_failed", "before_tool", "subagent_stop")


@pytest.fixture
def user() -> Path:
    return Path(os.environ["HOME"])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = (tmp_path / "project").resolve()
    (path / ".holdfast").mkdir(parents=True)
    return path


def tell(project: Path) -> None:
    """Let the hook take what it was told in the recorded sessions."""
    for payload in payloads(project):
        client = payload_of.detect_client(payload, {})
        event = payload_of.normalise_payload(client, payload)
        assert event is not None
        capture_event.capture_event(f"{project}/.holdfast", event)


def said(project: Path) -> list[tuple[str, ...]]:
    """Prompts, answers and tool steps, by what tells them apart."""
    found: list[tuple[str, ...]] = []
    for event in kept(project):
        data = event["data"]
        if event["name"] in STEPS and event["name"] != "before_tool":
            words = data.get("prompt") or data.get("answer") or json.dumps(data.get("input"))
            found.append((event["session"], event["name"], words, data.get("turn", "")))
    return found


def test_four_clients_histories_become_events(project: Path, user: Path) -> None:
    lay_out(project, user)

    found = reap(project)

    assert found.damaged == 0
    assert {event["client"] for event in kept(project)} == {"claude-code", "codex", "gemini", "opencode"}
    prompts = {event["data"]["prompt"] for event in kept(project) if event["name"] == "prompt"}
    assert {"hello", "say hi", '"say hi"', "hello there interactive"} <= prompts
    tools = named(project, "after_tool")
    assert {"Bash", "run_shell_command", "bash", "Agent"} <= {data["tool"] for data in tools}
    assert {"command": "echo hi"} in [data["input"] for data in tools]
    assert all(data["harvested"] for data in tools)
    assert [data["agent_type"] for data in named(project, "subagent_stop")] == ["Explore"]
    assert [data["trigger"] for data in named(project, "after_compact")] == ["manual"]
    assert not any("thinking" in json.dumps(event) for event in kept(project))


def test_events_keep_the_times_of_their_records(project: Path, user: Path) -> None:
    lay_out(project, user)
    reap(project)

    times = [event["ts"] for event in kept(project)]

    assert times == sorted(times)
    assert times[0].startswith("2026-11-15T07:")


def test_harvesting_twice_adds_nothing(project: Path, user: Path) -> None:
    lay_out(project, user)
    first = reap(project)

    again = reap(project)

    assert first.fresh > 30
    assert (again.fresh, again.read) == (0, 0)


def test_the_loss_of_the_cursors_means_reading_again_without_doubling(project: Path, user: Path) -> None:
    lay_out(project, user)
    first = reap(project)
    (project / ".holdfast/state/harvest.json").unlink()

    again = reap(project)

    assert again.read == first.read
    assert again.fresh == 0


def test_what_hooks_told_is_not_harvested_again(project: Path, user: Path) -> None:
    lay_out(project, user)
    tell(project)
    live = said(project)

    reap(project)

    added = said(project)[len(live) :]
    recorded = {session for session, *_ in live}
    # The recorded hooks of this session begin after its first turn, and OpenCode's are in another form.
    assert [each for each in added if each[0] in recorded] == []
    assert {"message", "subagent_prompt"} <= {event["name"] for event in kept(project)}


def test_hooks_that_come_after_a_harvest_find_their_events_there(project: Path, user: Path) -> None:
    lay_out(project, user)
    reap(project, clients=("claude-code",))
    harvested = said(project)

    tell(project)

    claude = [each for each in said(project) if each[0] in {session for session, *_ in harvested}]
    # A subagent's end has no key of its own; the conversation shows it once.
    assert [each for each in claude[len(harvested) :] if each[1] != "subagent_stop"] == []


def test_a_growing_file_is_read_from_where_it_was_left(project: Path, user: Path) -> None:
    session = Claude(project, user)
    session.prompt("first")
    session.says("one")
    reap(project)
    session.prompt("second")

    found = reap(project)

    assert found.lines == 1
    assert [data["prompt"] for data in named(project, "prompt")] == ["first", "second"]


def test_a_file_written_anew_is_read_from_its_beginning(project: Path, user: Path) -> None:
    session = Claude(project, user)
    session.prompt("first")
    session.says("one")
    reap(project)
    size = session.path.stat().st_size
    session.path.unlink()
    session.last = None
    session.prompt("instead")
    session.says("two " * size)

    reap(project)

    assert [data["prompt"] for data in named(project, "prompt")] == ["first", "instead"]


def test_a_last_line_that_is_still_being_written_waits(project: Path, user: Path) -> None:
    session = Claude(project, user)
    session.prompt("first")
    whole = json.dumps({"type": "user", "uuid": "u", "sessionId": session.session, "message": {"content": "second"}})
    session.write(whole[:40])

    found = reap(project)
    session.write(whole[40:] + "\n")
    reap(project)

    assert found.damaged == 0
    assert [data["prompt"] for data in named(project, "prompt")] == ["first", "second"]


def test_a_last_line_without_an_end_that_is_whole_is_read(project: Path, user: Path) -> None:
    session = Claude(project, user)
    session.prompt("first")
    session.path.write_text(session.path.read_text().rstrip("\n"))

    assert reap(project).names["prompt"] == 1
    assert reap(project).read == 0


def test_a_call_waits_for_its_result(project: Path, user: Path) -> None:
    session = Claude(project, user)
    session.prompt("run it")
    call = session.calls(command="make")
    os.utime(session.path)
    reap(project)
    before = named(project, "after_tool", "before_tool")
    session.gets(call, "built")

    reap(project)

    assert before == []
    [step] = named(project, "after_tool")
    assert (step["tool"], step["input"], step["output"]["stdout"]) == ("Bash", {"command": "make"}, "built")


def test_a_call_that_never_got_a_result_is_kept(project: Path, user: Path) -> None:
    session = Claude(project, user)
    session.prompt("run it")
    session.calls(command="make")
    session.prompt("never mind")

    reap(project)

    assert [data["input"] for data in named(project, "before_tool")] == [{"command": "make"}]


def test_words_are_an_answer_if_nothing_follows_in_their_turn(project: Path, user: Path) -> None:
    session = Claude(project, user)
    session.prompt("go")
    session.says("I look first.", stop=None)
    session.gets(session.calls(command="ls"))
    session.says("Done.", stop=None)
    session.prompt("thanks")

    reap(project)

    assert [data["text"] for data in named(project, "message")] == ["I look first."]
    assert [data["answer"] for data in named(project, "answer")] == ["Done."]


def test_broken_lines_are_told_and_passed_over(project: Path, user: Path) -> None:
    session = Claude(project, user)
    session.prompt("before")
    session.write('{"type":\n[1, 2]\n\n' + "[" * 100_000 + "\n")
    session.path.write_bytes(session.path.read_bytes() + b'{"type":"user","message":{"content":"so caf\xff it is"}}\n')
    session.prompt("after")

    found = reap(project)

    assert [(line.line, line.why) for line in found.broken] == [
        (2, "it is no JSON"),
        (3, "it is no JSON object"),
        (5, "it is nested too deep"),
    ]
    assert [data["prompt"] for data in named(project, "prompt")] == ["before", "so caf\ufffd it is", "after"]


def test_a_line_too_long_to_be_read_is_passed_over(project: Path, user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_lines, "LONGEST", 5000)
    session = Claude(project, user)
    session.prompt("x" * 9000)
    session.prompt("after")

    found = reap(project)

    assert [line.line for line in found.broken] == [1]
    assert [data["prompt"] for data in named(project, "prompt")] == ["after"]


@pytest.mark.parametrize(
    "message", ["text", 5, None, [], {"content": 7}, {"content": [1, {"type": 2}, {"type": "text"}]}]
)
def test_records_of_any_form_stop_nothing(project: Path, user: Path, message: object) -> None:
    session = Claude(project, user)
    for kind in ("user", "assistant", "system", "attachment", "x-y"):
        session.record(kind, message=message, attachment=message, toolUseResult=message)
    session.prompt("after")

    reap(project)

    assert [data["prompt"] for data in named(project, "prompt")] == ["after"]


def test_a_type_that_is_not_known_is_kept_under_its_own_name(project: Path, user: Path) -> None:
    session = Claude(project, user)
    session.record("shiny-new", what={"deep": ["x"]})

    reap(project)

    [data] = named(project, "shiny_new")
    assert data["extra"] == {"what": {"deep": ["x"]}}


def test_everything_is_redacted_before_it_is_written(project: Path, user: Path) -> None:
    key = "AKIA" + "IOSFODNN7" + "EXAMPLE"
    session = Claude(project, user)
    session.prompt(f"use {key} <private>my name</private>")
    session.says(f"I use {key}", stop="tool_use")
    session.gets(session.calls(command=f"export K={key}"), f"got {key}")
    session.record("shiny-new", what=key)
    session.record("user", isMeta=True, message={"content": f"<system-reminder>{key}</system-reminder>"})
    session.says(f"{key} works")

    reap(project)

    journal = b"".join(path.read_bytes() for path in (project / ".holdfast").rglob("*") if path.is_file())
    assert key.encode() not in journal
    assert b"my name" not in journal
    assert journal.count(b"[redacted:aws_access_key]") == 7


def test_private_text_reaches_over_events_and_ranges(
    project: Path, user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wiring, "CHUNK", 700)
    session = Claude(project, user)
    session.prompt("start <private> hidden")
    for number in range(10):
        session.says(f"secret answer {number} " + "word " * 50, stop="tool_use")
    session.prompt("still hidden </private> shown")
    session.says("plain")

    reap(project)

    journal = b"".join(path.read_bytes() for path in (project / ".holdfast/journal").glob("*.jsonl"))
    assert b"hidden" not in journal
    assert b"secret answer" not in journal
    assert b"plain" in journal


def test_long_outputs_are_cut_as_capture_cuts_them(project: Path, user: Path) -> None:
    text = "\n".join(f"line {number}" for number in range(9000))
    session = Claude(project, user)
    session.prompt("go")
    call = session.calls(command="cat")
    session.gets(call, text)
    live = {"cwd": str(project), "session_id": "other", "hook_event_name": "PostToolUse", "tool_name": "Bash"}
    given = {
        "tool_input": {"command": "cat"},
        "tool_response": {"stdout": text, "stderr": ""},
        "tool_use_id": "toolu_1234567",
    }
    event = payload_of.normalise_payload("claude-code", {**live, **given})
    assert event is not None

    reap(project)

    [step] = named(project, "after_tool")
    assert step["output"] == capture_event.redact_event(f"{project}/.holdfast", event)["output"]


def test_sessions_of_other_folders_stay_out(project: Path, user: Path) -> None:
    elsewhere = project.parent / "project-two"
    elsewhere.mkdir()
    Claude(elsewhere, user).prompt("not here")
    below = project / "src"
    below.mkdir()
    Claude(below, user).prompt("here")

    reap(project)

    assert [data["prompt"] for data in named(project, "prompt")] == ["here"]


def test_only_the_newest_sessions_or_those_since_a_time(project: Path, user: Path) -> None:
    for number in range(4):
        session = Claude(project, user)
        session.prompt(f"number {number}")
        os.utime(session.path, (1000 * number + 1000,) * 2)

    recent = reap(project, recent=1, dry_run=True)
    since = reap(project, since=3000.0)

    assert recent.names["prompt"] == 1
    assert sorted(data["prompt"] for data in named(project, "prompt")) == ["number 2", "number 3"]
    assert since.files == 2


def test_a_dry_run_writes_nothing(project: Path, user: Path) -> None:
    lay_out(project, user)

    found = reap(project, dry_run=True)

    assert found.fresh > 30
    assert list((project / ".holdfast").iterdir()) == []


def test_two_harvests_at_once_are_one(project: Path, user: Path) -> None:
    lay_out(project, user)

    with wiring._lock_harvest(str(project)), pytest.raises(Conflict, match="running already"):
        reap(project)

    assert reap(project).fresh > 30


def test_many_processes_find_what_one_finds(project: Path, user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(3)
    for _ in range(4):
        session = Claude(project, user)
        for number in range(30):
            session.prompt(f"prompt {number}")
            session.gets(session.calls(command=f"run {number}"), "x" * chance.randrange(3000))
            session.says(f"answer {number}", stop=chance.choice(["end_turn", None]))
    reap(project, workers=1)
    alone = kept(project)
    for path in (project / ".holdfast").glob("*/*"):
        path.unlink()
    monkeypatch.setattr(wiring, "CHUNK", 5000)
    monkeypatch.setattr(wiring, "ALONE", 0)
    monkeypatch.setattr(wiring, "COMMIT_EVENTS", 50)

    reap(project, workers=3)

    def bare(events: list[dict[str, object]]) -> list[str]:
        return sorted(json.dumps([event["key"], event["ts"], event["name"], event["data"]]) for event in events)

    assert bare(kept(project)) == bare(alone)


def test_opencodes_database_is_read_while_it_is_written_and_never_changed(project: Path, user: Path) -> None:
    database = opencode(project, user)
    folder = user / ".local/share/opencode"
    before = {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith("-shm")}
    database.execute("BEGIN IMMEDIATE")
    database.execute("UPDATE session SET title = 'changing'")

    found = reap(project, clients=("opencode",))

    database.commit()
    after = {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith("-shm")}
    assert found.unread == ()
    assert [data["prompt"] for data in named(project, "prompt")] == ['"say hi"']
    assert before["opencode.db"] == after["opencode.db"]
    assert set(before) == set(after)
    database.close()


def test_a_closed_database_gets_no_files_beside_it(project: Path, user: Path) -> None:
    opencode(project, user).close()
    folder = user / ".local/share/opencode"
    before = {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir()}

    reap(project)

    assert {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir()} == before


def test_a_database_that_is_none_is_told_and_stops_nothing(project: Path, user: Path) -> None:
    put(user / ".local/share/opencode/opencode.db", "this is no database " * 100)
    Claude(project, user).prompt("here")

    found = reap(project)

    assert [Path(each.path).name for each in found.unread] == ["opencode.db"]
    assert found.names["prompt"] == 1


def test_links_and_pipes_are_not_waited_for(project: Path, user: Path) -> None:
    folder = project_folder(project, user)
    folder.mkdir(parents=True)
    os.mkfifo(folder / "00000000-0000-0000-0000-000000000000.jsonl")
    (folder / "dangling.jsonl").symlink_to("nowhere")
    Claude(project, user).prompt("here")

    assert reap(project).names["prompt"] == 1


def test_a_rewind_of_gemini_begins_a_branch(project: Path, user: Path) -> None:
    def message(number: int, kind: str, text: str) -> str:
        at = f"2026-11-15T07:00:0{number}.000Z"
        return json.dumps({"id": f"m{number}", "timestamp": at, "type": kind, "content": [{"text": text}]})

    head = json.dumps({"sessionId": "g-1", "startTime": "2026-11-15T07:00:00.000Z", "kind": "main"})
    records = [
        head, message(1, "user", "first"), message(2, "gemini", "one"), message(3, "user", "second"),
        json.dumps({"$rewindTo": "m3"}), message(4, "user", "instead"),
    ]  # fmt: skip
    put(user / ".gemini/tmp/proj/chats/session-1.jsonl", "\n".join(records) + "\n")
    (user / ".gemini/projects.json").write_text(json.dumps({"projects": {str(project): "proj"}}))

    reap(project)

    [link] = named(project, "link")
    keys = {event["data"].get("prompt") or event["data"].get("answer"): event["key"] for event in kept(project)}
    assert (link["of"], link["parent"]) == (keys["instead"], keys["one"])


def test_young_records_without_a_hooks_key_wait_for_it(project: Path, user: Path) -> None:
    at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    head = json.dumps({"sessionId": "g-1", "startTime": at, "kind": "main"})
    said_now = json.dumps({"id": "m1", "timestamp": at, "type": "user", "content": [{"text": "just now"}]})
    put(user / ".gemini/tmp/proj/chats/session-1.jsonl", f"{head}\n{said_now}\n")
    (user / ".gemini/projects.json").write_text(json.dumps({"projects": {str(project): "proj"}}))

    reap(project)

    assert named(project, "prompt") == []


def without_folder(session: Claude) -> None:
    """Take out of a transcript where it ran."""
    lines = [json.loads(line) for line in session.path.read_text().splitlines()]
    put(session.path, "".join(json.dumps({k: v for k, v in line.items() if k != "cwd"}) + "\n" for line in lines))


def test_a_transcript_that_names_no_folder_is_found_by_its_own(project: Path, user: Path) -> None:
    session = Claude(project, user)
    session.prompt("keep the walrus")
    without_folder(session)

    found = reap(project)

    assert found.unread == ()
    assert [data["prompt"] for data in named(project, "prompt")] == ["keep the walrus"]


def test_a_folder_that_is_named_late_is_found(project: Path, user: Path) -> None:
    session = Claude(project, user)
    session.prompt("an endless beginning: " + "word " * 70_000)
    without_folder(session)
    session.prompt("here it says where")
    # A folder whose slug only begins alike, so that its name says nothing.
    other = session.path.parent.with_name(session.path.parent.name + "-old")
    session.path.parent.rename(other)

    reap(project)

    assert [data["prompt"] for data in named(project, "prompt")][1:] == ["here it says where"]


def test_where_another_folder_has_the_same_slug_a_nameless_transcript_is_told(project: Path, user: Path) -> None:
    session = Claude(project, user)
    session.prompt("whose am I?")
    without_folder(session)
    beside = Claude(project, user)
    beside.cwd = str(project.with_name("proj.ect"))
    beside.prompt("another project's")

    found = reap(project)

    assert [(each.path, each.why) for each in found.unread] == [
        (str(session.path), "it does not say in which folder it ran")
    ]
    assert named(project, "prompt") == []


def test_the_last_call_of_a_killed_session_arrives_and_its_result_if_it_comes(project: Path, user: Path) -> None:
    session = Claude(project, user)
    session.prompt("run it")
    call = session.calls(command="make deploy")
    os.utime(session.path, (time.time() - 60, time.time() - 60))

    reap(project)
    asked = named(project, "before_tool")
    again = reap(project)
    session.gets(call, "deployed")
    reap(project)

    assert [(data["call"], data["input"]) for data in asked] == [(call, {"command": "make deploy"})]
    assert again.fresh == 0
    assert [(data["call"], data["input"]) for data in named(project, "after_tool")] == [
        (call, {"command": "make deploy"})
    ]


def test_the_report_counts_what_was_left_taken_out_and_known(project: Path, user: Path) -> None:
    for number in range(3):
        session = Claude(project, user)
        session.prompt(f"number {number}")
        session.calls(command="deploy --password=hunter2-Xk29")
        os.utime(session.path, (1_794_730_000 + number,) * 2)
    (session.path.parent / "pipe.jsonl").mkdir()

    first = reap(project, recent=1)
    second = reap(project)

    assert (first.read, first.left_out, first.unchanged) == (1, 2, 0)
    assert (second.read, second.left_out, second.unchanged) == (2, 0, 1)
    assert second.redacted == {"password": 2}
    assert [each.why for each in second.unread] == ["it cannot be opened"]
    assert len(second.sessions) == 2


def test_only_sessions_that_no_hook_told_of_are_missed(project: Path, user: Path) -> None:
    lay_out(project, user)
    tell(project)
    heard = {event["session"] for event in kept(project)}
    session = Claude(project, user)
    session.prompt("nobody heard me")

    found = reap(project, only_missed=True)
    again = reap(project, only_missed=True)

    assert session.session in {each.session for each in found.sessions}
    assert heard.isdisjoint({each.session for each in found.sessions})
    assert (again.read, again.fresh) == (0, 0)
