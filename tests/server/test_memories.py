"""Memories over HTTP: lists, one in full, and what a person does with them."""

import hashlib
import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.server.inside import Inside, inside, rich

from holdfast.app import open_memory
from holdfast.core.memory import Citation, Memory, MemoryType, Scope
from holdfast.server.http.security.callers import Right

SUM = "0" * 64


@pytest.fixture
def server(tmp_path: Path, home: Path) -> Iterator[Inside]:
    rich(tmp_path)
    with inside(tmp_path, home) as made:
        yield made


def file_of(server: Inside, name: str) -> Path:
    return next((server.folder / ".holdfast" / "memory").rglob(f"{name}*.md"))


def ids(answer: object) -> list[str]:
    assert isinstance(answer, list)
    return [row["id"] for row in answer]


# Lists


def test_the_list_has_what_holds_newest_first(shared: Inside) -> None:
    found = shared.get("memory/entries").json()

    assert ids(found) == [
        "INV-NEW000", "DEC-PGPG00", "LRN-TZTZ00", "INV-OLD000", "DEC-TOML00", "FAIL-POOL00", "ASM-LOAD00", "PAT-REPO00",
    ]  # fmt: skip
    assert {row["status"] for row in found} == {"accepted"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("type=failure&type=pattern", ["FAIL-POOL00", "PAT-REPO00"]),
        ("status=superseded", ["DEC-JSON00"]),
        ("asOf=2026-03-05&type=decision", ["DEC-JSON00"]),
        ("asOf=2025-01-01", []),
        ("tag=style", ["PAT-REPO00"]),
        ("tag=style&tag=other", []),
        ("path=src/db/pool.py&type=failure", ["FAIL-POOL00"]),
        ("path=src/ui/a.ts&type=failure", []),
        ("q=SETTINGS", ["DEC-TOML00"]),
        ("scope=user", []),
        ("status=rejected", []),
        ("type=decision&sort=title", ["DEC-TOML00", "DEC-PGPG00"]),
        ("type=decision&status=all&sort=title", ["DEC-JSON00", "DEC-TOML00", "DEC-PGPG00"]),
    ],
)
def test_the_list_is_narrowed_and_ordered(shared: Inside, query: str, expected: list[str]) -> None:
    answer = shared.get(f"memory/entries?{query}")

    assert ids(answer.json()) == expected
    assert answer.headers["Holdfast-Total"] == str(len(expected))


@pytest.mark.parametrize(
    ("query", "status"),
    [("type=opinion", 422), ("asOf=yesterday", 400), ("sort=age", 422), ("status=odd", 422), ("scope=all", 422),
     ("q=" + "x" * 301, 422)],
)  # fmt: skip
def test_a_list_that_cannot_be_is_refused(shared: Inside, query: str, status: int) -> None:
    answer = shared.get(f"memory/entries?{query}")

    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"


def test_each_type_has_the_fields_that_it_is_known_by(shared: Inside) -> None:
    decision = shared.get("memory/decisions").json()[1]
    failure = shared.get("memory/failures").json()[0]
    learning = shared.get("memory/learnings").json()[0]

    assert (decision["choice"], decision["rationale"]) == ("TOML", "people write comments.")
    assert decision["supersedes"] == ["DEC-JSON00"]
    assert (failure["errorType"], failure["rootCause"], failure["attempts"]) == (
        "TimeoutError",
        "nested transactions",
        3,
    )
    assert failure["description"] == "A pool of one connection deadlocks under load."
    assert (learning["fact"], learning["timestamp"]) == ("Tests need TZ=UTC.", "2026-10-01T09:00:00Z")
    for kind in ("assumptions", "invariants", "patterns"):
        assert shared.get(f"memory/{kind}").json()[0]["body"]


def test_one_of_a_type_is_found_by_its_id_and_no_other(shared: Inside) -> None:
    assert shared.get("memory/decisions/DEC-TOML00").json()["title"] == "Settings are TOML"
    assert shared.get("memory/decisions/dec-toml").json()["id"] == "DEC-TOML00"
    assert shared.get("memory/failures/DEC-TOML00").status_code == 404
    assert shared.get("memory/decisions/DEC-NONE00").status_code == 404
    assert shared.get("memory/decisions/DEC").status_code == 400
    assert shared.get("memory/team").json() == {"decisions": [], "failures": [], "patterns": []}


def test_a_memory_leaves_the_list_when_its_time_is_over(server: Inside) -> None:
    class Clock:
        at = datetime(2036, 11, 15, 9, 0, tzinfo=UTC)

        def now(self) -> datetime:
            return self.at

    open_memory(str(server.folder)).vaults[Scope.WORKSPACE].create(
        Memory(
            id="LRN-SOON00", type=MemoryType.LEARNING, title="Until ten", body="Until ten.",
            valid_from="2036-11-15T08:00Z",
            valid_until="2036-11-15T10:00Z",
        )
    )  # fmt: skip
    server.get("memory")
    loaded = server.serving.workspaces.loaded(server.wid)
    assert loaded is not None
    clock = loaded._app.clock = Clock()  # type: ignore[assignment]  # a clock in our hands

    before = ids(server.get("memory/learnings").json())
    clock.at = datetime(2036, 11, 15, 10, 1, tzinfo=UTC)
    after = ids(server.get("memory/learnings").json())

    assert "LRN-SOON00" in before
    assert "LRN-SOON00" not in after


# One in full


def test_a_memory_in_full_has_its_text_life_and_relations(shared: Inside) -> None:
    found = shared.get("memory/DEC-JSON00").json()

    assert found["memory"]["status"] == "superseded"
    assert found["memory"]["supersededBy"] == "DEC-TOML00"
    assert found["markdown"].startswith("---\n")
    assert "Settings are JSON." in found["markdown"]
    assert found["life"]["holds"] is False
    assert found["life"]["supersededBy"] == "DEC-TOML00"
    assert ids(found["related"])[0] == "DEC-TOML00"
    assert found["use"]["sessions"] == 0
    assert found["asOf"] is None


def test_memories_that_clash_say_so(shared: Inside) -> None:
    (relation,) = shared.get("memory/INV-NEW000").json()["relations"]

    assert (relation["id"], relation["relation"]) == ("INV-OLD000", "contradicts")


def test_citations_say_how_the_code_stands(server: Inside) -> None:
    code = server.folder / "src" / "app.py"
    cited = Citation(path="src/app.py", sha256=hashlib.sha256(code.read_bytes()).hexdigest())
    open_memory(str(server.folder)).vaults[Scope.WORKSPACE].create(
        Memory(id="LRN-CITE00", type=MemoryType.LEARNING, title="Main returns one", body="It does.", cites=(cited,))
    )

    assert server.get("memory/LRN-CITE00").json()["memory"]["cites"][0]["state"] == "same"
    code.unlink()
    gone = server.get("memory/LRN-CITE00").json()["memory"]["cites"][0]
    assert (gone["state"], gone["words"]) == ("gone", "cited code is gone")


def test_a_memory_as_of_a_day_has_the_text_of_then(server: Inside) -> None:
    def git(*words: str) -> None:
        given = ["git", "-c", "user.name=A", "-c", "user.email=a@example.com", *words]
        when = {
            "GIT_COMMITTER_DATE": "2026-03-01T12:00:00Z",
            "GIT_AUTHOR_DATE": "2026-03-01T12:00:00Z",
            "PATH": os.environ["PATH"],
        }
        subprocess.run(given, cwd=server.folder, check=True, capture_output=True, env=when)

    git("init", "-q")
    git("add", "-A", "-f", ".holdfast/memory")
    git("commit", "-qm", "memory")
    path = file_of(server, "DEC-JSON00")
    path.write_text(path.read_text().replace("Settings are JSON.", "Settings were JSON once."))

    now, then = server.get("memory/DEC-JSON00").json(), server.get("memory/DEC-JSON00?asOf=2026-03-05").json()

    assert now["memory"]["body"] == "Settings were JSON once."
    assert then["memory"]["body"] == "Settings are JSON."
    assert then["asOf"]["held"] is True
    assert server.get("memory/DEC-JSON00?asOf=2026-08-01").json()["asOf"]["held"] is False
    assert [step["what"] for step in now["life"]["changes"]][-1] == "added"
    assert all(step["when"] for step in now["life"]["changes"])
    assert now["life"]["changes"][0]["fields"]["body"] == ["Settings are JSON.", "Settings were JSON once."]
    assert server.get("memory/DEC-JSON00?asOf=soon").status_code == 400


def test_evidence_stands_in_its_conversation(shared: Inside) -> None:
    (quoted,) = shared.get("memory/CAND-SQL000").json()["evidence"]

    assert quoted["quote"] == "Use SQLite for storage."
    assert [turn["kind"] for turn in quoted["turns"]] == ["prompt", "answer", "prompt", "answer", "prompt"]
    assert quoted["at"] == quoted["turns"][2]["id"]


def test_text_that_no_json_can_hold_is_shown_as_far_as_it_can(server: Inside) -> None:
    vault = open_memory(str(server.folder)).vaults[Scope.WORKSPACE]
    entry = vault.create(Memory(id="LRN-ODD000", type=MemoryType.LEARNING, title="Odd", body="Odd"))
    path = server.folder / ".holdfast" / "memory" / entry.path
    text = path.read_text().replace("title: Odd", 'title: Odd\nconfidence: .nan\nmade: {nan: .inf, esc: "\\e[31m"}')
    path.write_text(text)

    answers = [server.get("memory/LRN-ODD000"), server.get("memory/entries"), server.get("memory/learnings")]

    assert {answer.status_code for answer in answers} <= {200, 404}
    assert answers[1].status_code == 200


# Changes


def test_a_memory_is_kept_and_told(server: Inside) -> None:
    answer = server.post(
        "memory",
        {
            "type": "decision", "text": "Queues are Redis streams.", "because": "we run it",
            "title": "Queues are Redis", "choice": "Redis streams", "tags": ["queue"],
            "rejected": [{"option": "Kafka", "reason": "heavy"}], "cites": ["src/app.py"], "supersedes": ["DEC-PGPG00"],
        },
    )  # fmt: skip
    made = answer.json()

    assert answer.status_code == 201
    assert answer.headers["Location"] == f"{server.base}/memory/{made['id']}"
    assert made["rationale"] == "we run it"
    assert made["rejected"] == [{"option": "Kafka", "reason": "heavy"}]
    assert made["cites"][0]["path"] == "src/app.py"
    assert "Queues are Redis" in file_of(server, made["id"]).read_text()
    assert server.get("memory/DEC-PGPG00").json()["memory"]["supersededBy"] == made["id"]
    assert made["id"] in server.told()[-1]["data"]["ids"]


def test_a_proposal_waits_and_the_same_again_is_that_one(server: Inside) -> None:
    body = {"type": "learning", "text": "The build needs Node 20.", "candidate": True}

    first, again = server.post("memory", body), server.post("memory", body)

    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["status"] == "candidate"
    assert first.json()["id"] == again.json()["id"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"type": "learning"}, 422),
        ({"type": "opinion", "text": "x"}, 422),
        ({"type": "learning", "text": "x", "colour": "red"}, 422),
        ({"type": "learning", "text": 7}, 422),
        ({"type": "learning", "text": "x" * 100_001}, 422),
        ({"type": "learning", "text": "   "}, 400),
        ({"type": "learning", "text": "a\0b"}, 400),
        ({"type": "learning", "text": "x", "cites": ["../../etc/passwd"]}, 400),
        ({"type": "learning", "text": "x", "cites": ["src/app.py:90-99"]}, 400),
        ({"type": "learning", "text": "x", "supersedes": ["DEC-NONE00"]}, 404),
        ({"type": "learning", "text": "x", "tags": [""]}, 400),
        ([], 422),
    ],
)
def test_a_memory_that_cannot_be_is_refused(shared: Inside, body: object, status: int) -> None:
    before = shared.get("memory/entries").headers["Holdfast-Total"]

    answer = shared.post("memory", body)

    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert shared.get("memory/entries").headers["Holdfast-Total"] == before


def test_an_edit_changes_the_file_and_can_be_undone(server: Inside) -> None:
    before = file_of(server, "DEC-TOML00").read_bytes()
    read = server.get("memory/DEC-TOML00")
    text = read.json()["markdown"].replace("people write comments", "people write many comments")

    changed = server.ask(
        "PUT", "memory/DEC-TOML00", json={"markdown": text}, headers={"If-Match": read.headers["ETag"]}
    )

    assert changed.status_code == 200, changed.text
    assert changed.json()["rationale"] == "people write many comments."
    assert b"many comments" in file_of(server, "DEC-TOML00").read_bytes()
    assert server.get("undo").json()["verb"] == "edit"
    assert server.post("undo").json()["ids"] == ["DEC-TOML00"]
    assert file_of(server, "DEC-TOML00").read_bytes() == before


def test_an_edit_of_fields_changes_those_alone(server: Inside) -> None:
    sha256 = server.get("memory/FAIL-POOL00").json()["memory"]["sha256"]

    fields = {"rootCause": "nested locks", "attempts": "4", "tags": ["db", "load"], "confidence": "0.5"}
    changed = server.ask("PUT", "memory/FAIL-POOL00", json={"sha256": sha256, "fields": fields})

    found = changed.json()
    assert (found["rootCause"], found["attempts"], found["tags"], found["confidence"]) == (
        "nested locks", 4, ["db", "load"], 0.5,
    )  # fmt: skip
    assert found["errorType"] == "TimeoutError"
    assert found["sha256"] != sha256
    assert changed.headers["ETag"] == f'"{found["sha256"]}"'


def test_an_edit_of_what_changed_meanwhile_is_refused_with_the_sum_of_now(server: Inside) -> None:
    read = server.get("memory/DEC-TOML00").json()
    path = file_of(server, "DEC-TOML00")
    path.write_text(path.read_text() + "\nAnd a word by hand.\n")
    now = hashlib.sha256(path.read_bytes()).hexdigest()

    body = {"sha256": read["memory"]["sha256"], "markdown": read["markdown"]}
    answer = server.ask("PUT", "memory/DEC-TOML00", json=body)

    assert answer.status_code == 412
    assert now in answer.json()["detail"]
    assert answer.headers["ETag"] == f'"{now}"'
    assert "by hand" in path.read_text()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"fields": {"title": "x"}}, 400),
        ({"sha256": "{sum}"}, 400),
        ({"sha256": "{sum}", "fields": {"title": "x"}, "markdown": "y"}, 400),
        ({"sha256": "{sum}", "fields": {"id": "DEC-OTHER0"}}, 400),
        ({"sha256": "{sum}", "fields": {"evidence": ["x"]}}, 400),
        ({"sha256": "{sum}", "fields": {"title": ["x"]}}, 400),
        ({"sha256": "{sum}", "fields": {"tags": "x"}}, 400),
        ({"sha256": "{sum}", "fields": {"confidence": "much"}}, 400),
        ({"sha256": "{sum}", "fields": {"confidence": "7"}}, 400),
        ({"sha256": "{sum}", "fields": {"title": ""}}, 400),
        ({"sha256": "{sum}", "fields": {"status": "odd"}}, 400),
        ({"sha256": "{sum}", "fields": {"validUntil": "1999-01-01"}}, 400),
        ({"sha256": "{sum}", "fields": {"supersedes": ["DEC-TOML00"]}}, 409),
        ({"sha256": "{sum}", "markdown": "no frontmatter"}, 400),
        ({"sha256": "{sum}", "markdown": "---\nid: DEC-OTHER0\ntype: decision\ntitle: x\n---\nx\n"}, 400),
        ({"sha256": SUM, "fields": {"title": "x"}}, 412),
        ({"sha256": "short", "fields": {"title": "x"}}, 422),
        ({"sha256": "{sum}", "fields": {"title": 7}}, 422),
    ],
)
def test_an_edit_that_cannot_be_changes_nothing(shared: Inside, body: dict[str, object], status: int) -> None:
    path = file_of(shared, "DEC-TOML00")
    before = path.read_bytes()
    if body.get("sha256") == "{sum}":
        body = {**body, "sha256": hashlib.sha256(before).hexdigest()}

    answer = shared.ask("PUT", "memory/DEC-TOML00", json=body)

    assert answer.status_code == status, answer.text
    assert path.read_bytes() == before


def test_a_memory_is_forgotten_with_a_tombstone(server: Inside) -> None:
    path = file_of(server, "DEC-TOML00")
    refused = server.ask("DELETE", "memory/DEC-TOML00", headers={"If-Match": f'"{SUM}"'})
    assert (refused.status_code, path.exists()) == (412, True)

    gone = server.ask("DELETE", "memory/DEC-TOML00")

    assert (gone.status_code, gone.content, path.exists()) == (204, b"", False)
    assert server.get("memory/DEC-TOML00").status_code == 404
    assert server.ask("DELETE", "memory/DEC-TOML00").status_code == 404
    assert server.told()[-1]["data"] == {"ids": [], "removed": ["DEC-TOML00"]}
    assert "memory.forgotten" in server.cli("timeline", "--json").stdout


def test_nothing_to_undo_is_not_found(shared: Inside) -> None:
    assert shared.get("undo").json() == {"id": "", "verb": "", "at": "", "ids": []}
    assert shared.post("undo").status_code == 404


def test_two_entries_of_one_id_are_a_conflict(server: Inside) -> None:
    path = file_of(server, "DEC-TOML00")
    (path.parent / "copy.md").write_text(path.read_text())

    answer = server.get("memory/DEC-TOML00")

    assert answer.status_code == 409
    assert "doctor --fix" in answer.json()["hint"]


# Rights


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "memory"), ("PUT", "memory/DEC-TOML00"), ("DELETE", "memory/DEC-TOML00"), ("POST", "undo"),
        ("POST", "candidates"), ("POST", "candidates/CAND-SQL000/accept"), ("POST", "candidates/CAND-SQL000/reject"),
        ("POST", "candidates/CAND-SQL000/merge"), ("POST", "candidates/CAND-SQL000/edit"),
        ("POST", "candidates/CAND-SQL000/resolve"), ("POST", "/api/workspaces"),
    ],
)  # fmt: skip
def test_who_may_only_read_or_run_changes_nothing(shared: Inside, method: str, path: str) -> None:
    for rights in ((Right.READ,), (Right.RUN,)):
        answer = shared.ask(method, path, json={}, headers=shared.token(*rights))
        assert answer.status_code == 403, answer.text


def test_who_may_not_run_names_no_folder_of_the_machine(
    shared: Inside, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("elsewhere")

    for make in (True, False):
        body = {"path": str(folder), "init": make}
        answer = shared.ask("POST", "/api/workspaces", json=body, headers=shared.token(Right.REVIEW))
        assert (answer.status_code, "right to run" in answer.json()["detail"]) == (403, True)
    assert list(folder.iterdir()) == []


def test_who_may_read_reads(shared: Inside) -> None:
    headers = shared.token(Right.READ)

    assert shared.get("memory/entries", headers=headers).status_code == 200
    assert shared.ask("POST", "search", json={"query": "settings"}, headers=headers).status_code == 200


def test_what_looks_like_a_secret_is_left_out_and_that_is_said(server: Inside) -> None:
    token = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    kept = server.post("memory", {"type": "decision", "text": f"Deploy with {token}", "tags": [token]})
    proposed = server.post("memory", {"type": "learning", "text": f"Take {token}", "candidate": True})
    named = kept.json()["id"]
    change = {"fields": {"body": f"Not {token}"}, "sha256": kept.json()["sha256"]}
    edited = server.ask("PUT", f"memory/{named}", json=change)
    plain = server.post("memory", {"type": "learning", "text": "Nothing to hide"})

    for answer in (kept, proposed, edited):
        assert answer.status_code in {200, 201}
        assert "github_token" in answer.json()["notices"][0]
    assert plain.json()["notices"] == []
    assert edited.json()["body"] == "Not [redacted:github_token]"
    files = [path for path in (server.folder / ".holdfast").rglob("*") if path.is_file()]
    assert [
        path.name for path in files if token[4:].encode() in path.read_bytes() or token[4:].lower() in path.name
    ] == []
