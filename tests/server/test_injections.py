"""What sessions were told, over HTTP: as it was heard, with its reasons; and a person's word on it, undone too."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.server.inside import Inside, inside, rich

from holdfast.app import build_app
from holdfast.core.event import Event
from holdfast.records.injection_marks import read_marks
from holdfast.server.http.security.callers import Right
from holdfast.workspace import App

SID = "0a1b2c3d-1111-4222-8333-444455556666"
SLASHED = "shop/main/7f"
SILENT = "5e5e5e5e-silent"
MEMORY = "FAIL-POOL00"
GOAL = "Why does the pool of one connection deadlock?"


@pytest.fixture
def server(tmp_path: Path, home: Path) -> Iterator[Inside]:
    app = rich(tmp_path)
    talk(app, SID)
    talk(app, SLASHED, source="compact")
    app.journal.append([Event(client="codex", session=SILENT, name="prompt", data={"prompt": "hello"})])
    with inside(tmp_path, home) as made:
        yield made


def talk(app: App, session: str, source: str = "startup") -> None:
    """A session that is told something at its start and at a prompt, and from which something is withheld."""
    client = "claude-code"
    start, prompt, tool = app.journal.append([
        Event(client=client, session=session, name="session_start", data={"source": source}),
        Event(client=client, session=session, name="prompt", data={"prompt": f"{GOAL}\n\x1b[31m<b>red</b>"}),
        Event(client=client, session=session, name="before_tool", data={"tool": "Edit", "input": {}}),
    ])  # fmt: skip
    about = {MEMORY: {"type": "failure", "tokens": 12, "why": "relevant 0.93"}}
    app.journal.append([
        Event(client="holdfast", session=session, name=name, data=data)
        for name, data in (
            ("injected", {"ids": ["DEC-TOML00"], "tokens": 20, "for": start.id, "at": "session_start", "told": "TOML"}),
            ("injected", {"ids": [MEMORY, "DEC-GONE00"], "tokens": 30, "for": prompt.id, "at": "prompt",
                          "told": "- A pool deadlocks [FAIL-POOL00]", "about": about}),
            ("withheld", {"ids": [], "tokens": 400, "for": tool.id, "at": "before_tool", "told": "x"}),
        )
    ])  # fmt: skip


def told(server: Inside, session: str = SID) -> Any:
    answer = server.get(f"injections/{session}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def said_of(server: Inside, memory: str = MEMORY) -> tuple[bool, bool, int, str]:
    [found] = [each for telling in told(server)["tellings"] for each in telling["memories"] if each["id"] == memory]
    return found["wrong"], found["always"], found["irrelevant"], found["marked"]


def mark(server: Inside, verdict: str, memory: str = MEMORY) -> Any:
    answer = server.post(f"memory/{memory}/injection-marks", {"verdict": verdict, "session": SID})
    assert answer.status_code == 201, answer.text
    return answer.json()


def undo(server: Inside, marked: Any) -> Any:
    answer = server.ask("DELETE", f"memory/{marked['id']}/injection-marks/{marked['mark']}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_session_shows_each_telling_with_its_event_and_its_memories(server: Inside) -> None:
    found = told(server)

    assert (found["session"], found["client"], found["tokens"]) == (SID, "claude-code", 50)
    start, prompt, tool = found["tellings"]
    assert (start["at"], start["cause"], start["prompt"], start["text"]) == ("session_start", "startup", "", "TOML")
    assert (prompt["at"], prompt["withheld"], tool["withheld"]) == ("prompt", False, True)
    assert prompt["prompt"].startswith(GOAL)
    assert (tool["at"], tool["cause"]) == ("before_tool", "Edit")
    known, gone = prompt["memories"]
    assert (known["title"], known["type"], known["status"]) == (
        "A pool of one connection deadlocks", "failure", "accepted",
    )  # fmt: skip
    assert (known["why"], known["tokens"], known["marked"]) == ("relevant 0.93", 12, "")
    assert (gone["id"], gone["title"], gone["status"]) == ("DEC-GONE00", "", "")


def test_a_candidate_that_was_accepted_since_is_shown_as_the_memory_it_became(server: Inside) -> None:
    waiting = server.get("candidates").json()
    name = next(each["id"] for each in waiting if not each["blocked"])
    app = build_app(str(server.folder))
    data = {"ids": [name], "tokens": 9, "at": "prompt", "told": "x"}
    app.journal.append([Event(client="holdfast", session=SILENT, name="injected", data=data)])
    before = told(server, SILENT)["tellings"][0]["memories"][0]
    [accepted] = server.post(f"candidates/{name}/accept").json()["accepted"]
    mark(server, "always", accepted["memory"]["id"])

    after = told(server, SILENT)["tellings"][0]["memories"][0]

    assert (before["now"], before["status"]) == (name, "candidate")
    assert (after["id"], after["now"], after["status"]) == (name, accepted["memory"]["id"], "accepted")
    assert (after["always"], after["marked"]) == (True, "always")


def test_the_command_line_says_the_same(server: Inside) -> None:
    said = json.loads(server.cli("session", "told", SID, "--json").stdout)
    found = told(server)

    assert said["tokens"] == found["tokens"]
    assert [each["text"] for each in said["tellings"]] == [each["text"] for each in found["tellings"]]
    assert [each["cause"] for each in said["tellings"]] == [each["cause"] for each in found["tellings"]]


def test_a_session_with_slashes_in_its_id_and_a_beginning_of_one_are_found(server: Inside) -> None:
    assert told(server, SLASHED)["session"] == SLASHED
    assert told(server, SLASHED)["tellings"][0]["cause"] == "compact"
    assert told(server, SID[:8])["session"] == SID


def test_a_session_that_was_told_nothing_has_an_empty_list_and_an_unknown_one_is_404(server: Inside) -> None:
    assert told(server, SILENT) == {"session": SILENT, "client": "codex", "tokens": 0, "tellings": []}
    for path in ("injections/nobody", "injections/..%2f..%2fx", "injections/0000"):
        assert server.get(path).status_code == 404
    assert server.get("injections/").status_code == 422
    assert "was told nothing" in server.cli("session", "told", SILENT).stdout


def test_the_list_of_sessions_says_how_many_tokens_each_was_told(server: Inside) -> None:
    rows = {each["id"]: each["injectedTokens"] for each in server.get("sessions").json()}

    assert (rows[SID], rows[SLASHED], rows[SILENT]) == (50, 50, 0)


def test_a_word_is_kept_and_shown_and_the_command_line_knows_it(server: Inside) -> None:
    marked = mark(server, "irrelevant")

    assert (marked["id"], marked["irrelevant"], marked["marked"]) == (MEMORY, 1, "not relevant 1×")
    assert said_of(server) == (False, False, 1, "not relevant 1×")
    said = json.loads(server.cli("session", "told", SID, "--json").stdout)["tellings"][1]["memories"][0]
    assert said["marked"] == "not relevant 1×"

    server.cli("session", "told", "--wrong", MEMORY)
    assert said_of(server) == (True, False, 1, "wrong, not relevant 1×")


def test_ranking_learns_from_a_word_and_from_its_undoing(server: Inside) -> None:
    def is_packed() -> bool:
        by_words = MEMORY in server.post("pack", {"goal": GOAL}).json()["prompt"]
        by_path = MEMORY in server.post("pack", {"goal": "Tidy up", "path": "src/db/pool.py"}).json()["prompt"]
        assert by_words is by_path
        return by_words

    assert is_packed()
    marked = mark(server, "wrong")
    assert not is_packed()
    undo(server, marked)
    assert is_packed()


def test_undoing_takes_back_one_word_and_no_other(server: Inside) -> None:
    mark(server, "irrelevant")
    mark(server, "always")
    second = mark(server, "irrelevant")
    wrong = mark(server, "wrong")

    assert undo(server, wrong)["marked"] == "always, not relevant 2×"
    assert undo(server, second)["marked"] == "always, not relevant 1×"
    assert undo(server, second)["marked"] == "always, not relevant 1×"
    assert said_of(server) == (False, True, 1, "always, not relevant 1×")


def test_taking_all_back_can_be_undone_too(server: Inside) -> None:
    mark(server, "irrelevant")
    cleared = mark(server, "none")

    assert cleared["marked"] == ""
    assert undo(server, cleared)["marked"] == "not relevant 1×"


def test_words_are_counted_anew_from_the_journal_without_those_that_were_undone(server: Inside) -> None:
    mark(server, "irrelevant")
    undo(server, mark(server, "wrong"))
    before = said_of(server)
    (server.folder / ".holdfast/state/injection_marks.json").unlink()

    assert read_marks(build_app(str(server.folder)))[MEMORY].describe() == "not relevant 1×"
    assert said_of(server) == before


@pytest.mark.parametrize(
    ("memory", "body", "status"),
    [
        ("DEC-NOBODY", {"verdict": "wrong"}, 404),
        (MEMORY, {"verdict": "perhaps"}, 422),
        (MEMORY, {"verdict": 1}, 422),
        (MEMORY, {}, 422),
        (MEMORY, {"verdict": "wrong", "more": True}, 422),
        (MEMORY, {"verdict": "wrong", "session": "s" * 501}, 422),
    ],
)
def test_what_cannot_be_said_is_refused_and_nothing_is_kept(
    server: Inside, memory: str, body: dict[str, Any], status: int
) -> None:
    assert server.post(f"memory/{memory}/injection-marks", body).status_code == status
    assert read_marks(build_app(str(server.folder))) == {}


def test_a_mark_that_is_not_there_or_of_another_memory_cannot_be_undone(server: Inside) -> None:
    marked = mark(server, "wrong")

    for path in (f"memory/{MEMORY}/injection-marks/01ABC", f"memory/DEC-TOML00/injection-marks/{marked['mark']}"):
        assert server.ask("DELETE", path).status_code == 404
    assert said_of(server)[0] is True


def test_reading_needs_the_right_to_read_and_a_word_the_right_to_review(server: Inside) -> None:
    reads, runs = server.token(Right.READ), server.token(Right.READ, Right.RUN)
    marked = mark(server, "always")
    path = f"memory/{MEMORY}/injection-marks"

    assert server.get(f"injections/{SID}", headers=reads).status_code == 200
    for headers in (reads, runs):
        assert server.post(path, {"verdict": "wrong"}, headers=headers).status_code == 403
        assert server.ask("DELETE", f"{path}/{marked['mark']}", headers=headers).status_code == 403
    assert server.post(path, {"verdict": "wrong"}, headers={"Authorization": "Bearer no"}).status_code == 401
    assert server.get(f"injections/{SID}", headers={"Authorization": "Bearer no"}).status_code == 401
    assert said_of(server) == (False, True, 0, "always")


def test_a_server_that_an_agent_started_takes_no_word(server: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")

    answer = server.post(f"memory/{MEMORY}/injection-marks", {"verdict": "wrong"})

    assert answer.status_code == 403


def test_a_page_of_another_site_cannot_speak_for_the_person(server: Inside) -> None:
    headers = {"Origin": "https://evil.example"}

    assert server.post(f"memory/{MEMORY}/injection-marks", {"verdict": "wrong"}, headers=headers).status_code == 403


def test_an_answer_stands_until_something_is_said(server: Inside) -> None:
    first = server.get(f"injections/{SID}")
    same = server.get(f"injections/{SID}", headers={"If-None-Match": first.headers["ETag"]})
    mark(server, "wrong")
    after = server.get(f"injections/{SID}", headers={"If-None-Match": first.headers["ETag"]})

    assert (same.status_code, after.status_code) == (304, 200)
