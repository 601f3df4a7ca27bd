"""Lineage, sessions, signals, records, health and settings: each says what its command says."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.server.inside import Inside, inside, rich

from holdfast.app import build_app
from holdfast.core.event import Event
from holdfast.server.http.security.callers import Right
from holdfast.workspace import App

SID = "0a1b2c3d-1111-4222-8333-444455556666"
ESCAPE = "\x1b[31mred\x1b[0m <script>alert(1)</script>"


@pytest.fixture
def server(tmp_path: Path, home: Path) -> Iterator[Inside]:
    app = rich(tmp_path)
    talk(app, SID, 6)
    with inside(tmp_path, home) as made:
        yield made


def talk(app: App, session: str, turns: int) -> None:
    """A session of a client: prompts and answers."""
    for number in range(turns):
        asked = {"prompt": f"Please implement part {number} of the parser {ESCAPE}"}
        said = {"answer": f"Part {number} is done."}
        app.journal.append([
            Event(client="claude-code", session=session, name="prompt", data=asked),
            Event(client="claude-code", session=session, name="answer", data=said),
        ])  # fmt: skip


def run_folder(server: Inside, name: str, rows: list[dict[str, Any]]) -> None:
    folder = server.folder / ".holdfast" / "runs" / name
    folder.mkdir(parents=True)
    (folder / "lineage.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_files_have_a_story(server: Inside) -> None:
    row = {"path": "src/app.py", "what": "edit", "at": "2026-11-01T10:00:00Z", "session": SID, "client": "claude-code"}
    later = {**row, "at": "2026-11-02T10:00:00Z", "client": "codex", "asked": ESCAPE}
    run_folder(server, "2026-11-01-a", [row, {**row, "path": "old.py", "at": "2026-10-01T00:00:00Z"}])
    run_folder(server, "2026-11-02-b", [later, later, later])

    listed = server.get("lineage?limit=1")
    story = server.get("lineage/src/app.py").json()

    assert [(each["path"], each["editCount"], len(each["edits"])) for each in listed.json()] == [("src/app.py", 4, 3)]
    assert listed.headers["Holdfast-Total"] == "2"
    following = listed.headers["Link"].partition(">")[0].removeprefix("<")
    assert [each["path"] for each in server.get(following).json()] == ["old.py"]
    assert [each["client"] for each in story["edits"]] == ["claude-code", "codex", "codex", "codex"]
    assert (story["createdBy"], story["goalId"]) == ("claude-code", "2026-11-01-a")


def test_what_is_not_there_is_not_found(server: Inside) -> None:
    for path in ("nothing.py", "../../etc/passwd", "%2e%2e/secret", "/etc/passwd"):
        assert server.get(f"lineage/{path}").status_code == 404
    for path in ("sessions/nobody", f"sessions/{SID}?turn=01ABCDEF", "sessions/..%2f..%2fx"):
        assert server.get(path).status_code == 404


def test_sessions_are_listed_and_opened_as_conversations(server: Inside) -> None:
    listed = server.get("sessions?client=claude-code").json()
    detail = server.get(f"sessions/{SID}").json()
    short = server.get(f"sessions/{SID[:8]}").json()

    assert SID in [each["id"] for each in listed]
    assert server.get("sessions?client=nobody").json() == []
    assert (detail["id"], detail["client"], detail["total"]) == (SID, "claude-code", 12)
    said = [turn for turn in detail["turns"] if turn["kind"] in {"prompt", "answer", "tool"}]
    assert [each["turns"] for each in listed if each["id"] == SID] == [len(said)]
    assert [turn["kind"] for turn in detail["turns"][:2]] == ["prompt", "answer"]
    assert detail["turns"][1]["parent"] == detail["turns"][0]["id"]
    assert short == detail


def test_turns_come_in_pages_and_around_one(server: Inside) -> None:
    first = server.get(f"sessions/{SID}?limit=5")
    seen = [turn["id"] for turn in first.json()["turns"]]
    answer = first
    while "Link" in answer.headers:
        answer = server.get(answer.headers["Link"].partition(">")[0].removeprefix("<"))
        seen += [turn["id"] for turn in answer.json()["turns"]]
    around = server.get(f"sessions/{SID}?limit=4&turn={seen[7]}").json()["turns"]

    assert len(seen) == len(set(seen)) == 12
    assert [turn["id"] for turn in around] == seen[5:9]


def test_an_answer_is_rated(server: Inside) -> None:
    made = server.post("ratings", {"rating": 8, "comment": "good work", "session": SID})
    listed = server.get("ratings").json()
    refused = server.post("ratings", {"rating": 3}, headers=server.token(Right.READ))

    assert made.status_code == 201, made.text
    assert made.json()["rating"] == 8
    assert (listed[0]["rating"], listed[0]["comment"], listed[0]["source"]) == (8, "good work", "explicit")
    assert refused.status_code == 403
    assert [server.post("ratings", {"rating": each}).status_code for each in (0, 11, "8", None)] == [422] * 4


def test_signals_are_what_the_commands_say(server: Inside) -> None:
    stats = server.get("stats").json()
    synthesis = server.get("synthesis?kind=month").json()
    cost = server.get("cost?days=3").json()

    assert stats["sessions"] == json.loads(server.cli("stats", "--json").stdout)["sessions"]
    assert synthesis["period"]["period"] == "month"
    assert synthesis["found"]["prompts"] >= 6
    assert len(cost["days"]) == 3
    assert cost["total"]["requests"] == 0
    assert server.get("activity?days=7").json() == []
    assert server.get("activity?path=../..").json() == []
    assert server.get("synthesis?kind=year").status_code == 422
    assert server.get("synthesis?day=x").status_code == 400


def test_todos_are_added_ticked_and_dropped(server: Inside) -> None:
    made = server.post("todo", {"text": "ask Ada about the limit"})
    name = made.json()["id"]
    states = [server.post(f"todo/{name}", {"verb": verb}).json()["state"] for verb in ("done", "reopen", "drop")]

    assert made.status_code == 201
    assert states == ["done", "open", "dropped"]
    assert name not in [each["id"] for each in server.get("todo").json()]
    assert server.post("todo/T-NONE", {"verb": "done"}).status_code == 404
    assert server.post("todo", {"text": "x"}, headers=server.token(Right.READ)).status_code == 403


def test_records_are_listed(server: Inside) -> None:
    server.cli("log", "tried the new parser")

    log = server.get("log").json()
    work = server.get("work").json()

    assert [line["text"] for line in log["lines"]] == ["tried the new parser"]
    assert log["days"] == [log["day"]]
    assert server.get("log?day=nonsense").status_code == 400
    assert all({"name", "meta", "isc", "path"} == each.keys() for each in work)
    assert server.get("research?words=nothing+of+it").json() == []
    assert server.get("failures-log").json() == []
    assert isinstance(server.get("buffer").json(), list)


def test_the_guards_book_is_shown_newest_first(server: Inside) -> None:
    folder = server.folder / ".holdfast" / "security" / "2026-11"
    folder.mkdir(parents=True)
    row = {"session": SID, "client": "codex", "event": "e", "tool": "Bash", "action": "warn", "rule": "force-push"}
    lines = [json.dumps({**row, "ts": f"2026-11-0{day}T00:00:00Z", "reason": ESCAPE}) for day in (1, 2)]
    (folder / "security.jsonl").write_text("\n".join([*lines, "not json", ""]))

    found = server.get("security").json()

    assert [each["ts"][:10] for each in found] == ["2026-11-02", "2026-11-01"]
    assert found[0]["why"] == ESCAPE


def test_health_tells_everything_that_is_wrong(server: Inside) -> None:
    broken = server.folder / ".holdfast" / "memory" / "decisions" / "DEC-BROKEN-x.md"
    broken.write_text("---\nid: [\n---\nno\n")

    found = server.get("health").json()

    assert found["ok"] is False
    assert any("DEC-BROKEN" in each["path"] for each in found["problems"])
    assert any("DEC-BROKEN" in each["problem"] for each in found["findings"])
    assert found["journal"]["records"] >= 12
    assert found["index"]["memories"] >= 5
    assert {each["part"] for each in found["disk"]} >= {"memory", "journal", "index.db"}
    assert found["freeBytes"] > 0
    assert {"new", "old", "reason"} <= found["conflicts"][0].keys()
    assert "claude-code" in {each["id"] for each in server.get("clients").json()}


def test_verify_reads_every_record(server: Inside) -> None:
    good = server.post("health/verify").json()
    [segment, *_] = sorted((server.folder / ".holdfast" / "journal").glob("*.jsonl"))
    data = bytearray(segment.read_bytes())
    data[len(data) // 2] ^= 0xFF
    os.chmod(segment, 0o600)
    segment.write_bytes(data)
    bad = server.post("health/verify").json()

    assert good["ok"] is True
    assert good["records"] >= 12
    assert bad["ok"] is False
    assert bad["problems"]


def test_what_the_curator_finds_is_applied_dismissed_and_undone(server: Inside) -> None:
    found = server.get("curate").json()
    same = server.get("curate").json()
    health = server.get("health").json()["curator"]
    finding = next(each for each in found["findings"] if each["ways"])
    way = finding["default"] or finding["ways"][0]["name"]
    applied = server.post("curate/apply", {"findings": [f"{finding['id']}:{way}"]})
    left = server.get("curate").json()
    dismissed = server.post("curate/dismiss", {"findings": [left["findings"][0]["id"]]})
    after = server.get("curate").json()

    assert found == same
    assert health["findings"] == found["total"]
    assert applied.json()["done"] == [finding["id"]]
    assert finding["id"] not in [each["id"] for each in left["findings"]]
    assert any(row["type"] == "memory_changed" for row in server.told())
    assert dismissed.status_code == 204
    assert left["findings"][0]["id"] not in [each["id"] for each in after["findings"]]
    assert after["dismissed"] == left["dismissed"] + 1
    assert server.post("undo").status_code == 200
    assert server.post("curate/apply", {"findings": ["F00000"]}).status_code == 404
    assert server.post("curate/apply", {"findings": ["x"]}, headers=server.token(Right.READ)).status_code == 403


def test_a_setting_is_changed_in_the_users_own_file(server: Inside, home: Path) -> None:
    changed = server.ask("PUT", "settings/search.limit", json={"value": "25"})
    listed = {each["key"]: each for each in server.get("settings").json()}
    back = server.ask("PUT", "settings/search.limit", json={"value": None}).json()

    assert changed.json()["value"] == 25
    assert changed.json()["origin"] == str(home / "config.toml")
    assert listed["search.limit"]["value"] == 25
    assert listed["graph.triples"]["choices"] == ["none", "model"]
    assert (back["value"], back["origin"]) == (10, "default")
    assert any("search.limit" in each["what"] for each in server.get("changes").json())


REFUSED = [
    ("search.limit", "many", 400), ("search.limit", "-1", 400), ("no.such", "1", 400), ("serve.trust", "full", 403),
    ("run.gates", "x=rm -rf /", 403), ("editor", "sh -c evil", 403), ("run.trust", "full", 403),
    ("model_key", "sk-secret-itself", 400),
]  # fmt: skip


def test_what_may_not_be_set_is_refused(server: Inside, home: Path) -> None:
    for key, value, status in REFUSED:
        answer = server.ask("PUT", f"settings/{key}", json={"value": value})
        assert (key, answer.status_code) == (key, status)
        assert "sk-secret-itself" not in answer.text
    assert not (home / "config.toml").exists()
    reader = server.ask("PUT", "settings/search.limit", json={"value": "5"}, headers=server.token(Right.READ))
    assert reader.status_code == 403


def setting(server: Inside, key: str) -> dict[str, Any]:
    return next(each for each in server.get("settings").json() if each["key"] == key)


def put(server: Inside, key: str, **body: Any) -> Any:
    return server.ask("PUT", f"settings/{key}", json=body)


def test_a_setting_says_what_each_file_says_and_which_one_counts(server: Inside, home: Path) -> None:
    put(server, "search.limit", value="25")
    before = setting(server, "search.limit")
    changed = put(server, "search.limit", value="7", file="project", sha256=before["files"][1]["sha256"])
    after = setting(server, "search.limit")
    back = put(server, "search.limit", value=None, file="project", sha256=after["files"][1]["sha256"]).json()
    put(server, "search.limit", value=None)

    assert changed.status_code == 200, changed.text
    assert (before["source"], before["value"]) == ("user", 25)
    assert [(each["file"], each["value"]) for each in after["files"]] == [("user", 25), ("project", 7)]
    assert [each["path"] for each in after["files"]] == [
        str(home / "config.toml"), str(server.folder / ".holdfast" / "config.toml")
    ]  # fmt: skip
    assert (after["source"], after["value"], after["origin"]) == ("project", 7, after["files"][1]["path"])
    assert (back["source"], back["value"], back["files"][1]["value"]) == ("user", 25, None)
    assert setting(server, "search.limit")["source"] == "default"


def test_a_projects_file_is_changed_only_as_it_was_read(server: Inside) -> None:
    path = server.folder / ".holdfast" / "config.toml"
    read = setting(server, "search.limit")["files"][1]["sha256"]
    path.write_text("# ours\n[search]\nlimit = 5\n")
    unsaid = put(server, "search.limit", value="9", file="project")
    stale = put(server, "search.limit", value="9", file="project", sha256=read)
    now = setting(server, "search.limit")["files"][1]["sha256"]
    done = server.ask(
        "PUT", "settings/search.limit", json={"value": "9", "file": "project"}, headers={"If-Match": f'"{now}"'}
    )

    assert (unsaid.status_code, stale.status_code, done.status_code) == (400, 412, 200)
    assert path.read_text() == "# ours\n[search]\nlimit = 9\n"
    path.unlink()


def test_a_project_sets_harmless_settings_only(server: Inside) -> None:
    path = server.folder / ".holdfast" / "config.toml"
    path.write_text('model_key = "sk-secret-itself"\n[run]\ntrust = "full"\n')
    rows = {each["key"]: each for each in server.get("settings").json()}
    for key in ("run.trust", "model", "auto_accept", "serve.trust", "database.url"):
        now = rows[key]["files"][1]["sha256"]
        refused = put(server, key, value="full", file="project", sha256=now)
        assert (key, refused.status_code) == (key, 403)
        assert "repository" in refused.json()["detail"]
        assert "repository" in rows[key]["files"][1]["locked"]
    out = put(server, "run.trust", value=None, file="project", sha256=rows["run.trust"]["files"][1]["sha256"])

    assert (rows["run.trust"]["value"], rows["run.trust"]["files"][1]["value"]) == ("ask", "full")
    assert "terminal" in rows["run.trust"]["files"][0]["locked"]
    assert "sk-secret-itself" not in json.dumps(rows)
    assert out.status_code == 200
    assert path.read_text() == 'model_key = "sk-secret-itself"\n[run]\n'
    path.unlink()


@pytest.mark.parametrize("kind", ["broken", "pipe"])
def test_a_projects_file_that_cannot_be_read_is_told_and_left_alone(server: Inside, kind: str) -> None:
    path = server.folder / ".holdfast" / "config.toml"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.write_text("[search\nlimit =")
    row = setting(server, "search.limit")
    refused = put(server, "search.limit", value="9", file="project", sha256=row["files"][1]["sha256"] or "0" * 64)

    assert "cannot be read" in row["files"][1]["locked"]
    assert row["value"] == 10
    assert refused.status_code in {400, 412}
    path.unlink()


def test_a_socket_works_where_no_frames_are_taken(server: Inside) -> None:
    """Another server than ours carries one message at a time."""
    ticket = server.post("/api/tickets").json()["ticket"]
    with server.client.websocket_connect(f"{server.base}/events?ticket={ticket}") as socket:
        first = socket.receive_json()
        made = server.post("memory", {"type": "invariant", "text": "Every answer carries its request's id"}).json()
        told = socket.receive_json()

    assert first["type"] == "snapshot"
    assert (told["type"], told["data"]["ids"]) == ("memory_changed", [made["id"]])


def test_a_slow_look_is_made_once_until_something_changes(server: Inside) -> None:
    first = server.get("sessions")
    unchanged = server.get("sessions", headers={"If-None-Match": first.headers["ETag"]})
    talk(build_app(str(server.folder)), "another-session", 1)
    after = server.get("sessions").json()

    assert unchanged.status_code == 304
    assert "another-session" in [each["id"] for each in after]
