"""Remember, find, read back."""

from pathlib import Path
from typing import Any


def test_what_was_remembered_is_found_and_shown(holdfast: Any, folder: Path) -> None:
    kept = holdfast(
        "remember", "decision", "Use Textual for the TUI", "--choice", "Textual", "--question", "Which TUI toolkit?",
        "--rejected", "curses: no layout engine", "--because", "the team knows it", "--tag", "ui", "--json",
    ).json  # fmt: skip

    found = holdfast("search", "which tui toolkit", "--json")

    assert found.status == 0
    assert set(found.json) == {"query", "hits", "searched"}
    hit = found.json["hits"][0]
    assert hit["id"] == kept["id"]
    assert {"id", "type", "title", "score", "lanes", "path", "status"} <= set(hit)
    assert hit["lanes"]["words"]["rank"] == 1
    shown = holdfast("show", kept["id"], "--json").json["memories"][0]
    assert shown["choice"] == "Textual"
    assert shown["rejected"] == [{"option": "curses", "reason": "no layout engine"}]
    assert "the team knows it" in shown["body"]
    assert (folder / kept["path"]).is_file()


def test_nothing_found_is_said_and_has_its_own_status(holdfast: Any) -> None:
    holdfast("remember", "learning", "Tests need TZ=UTC")

    text = holdfast("search", "kubernetes")
    as_json = holdfast("search", "kubernetes", "--json")

    assert text.status == as_json.status == 1
    assert "Nothing found in 1 memory." in text.out
    assert as_json.json["hits"] == []
    assert as_json.json["searched"]["memories"] == 1


def test_could_not_look_is_not_nothing_found(bare: Any, folder: Path) -> None:
    (folder / ".holdfast").write_text("not a folder")

    looked = bare("search", "anything", "--json")

    assert looked.status == 2
    assert "is not a folder" in looked.err
    assert looked.json["error"]["family"] == "bad_request"
    assert "hits" not in looked.json


def test_the_spellings_of_an_identifier_find_each_other(holdfast: Any) -> None:
    spellings = ["getUserById", "get_user_by_id", "get user by id", "src/users/repo.py"]
    for spelling in spellings:
        holdfast("remember", "learning", f"About {spelling} there is much to say", "--title", "note")

    for spelling in spellings:
        assert len(holdfast("search", spelling, "--json").json["hits"]) == 4, spelling


def test_filters_narrow_what_is_found(holdfast: Any) -> None:
    here = holdfast("remember", "failure", "The pool ran dry", "--path", "src/db/**", "--tag", "db", "--json").json[
        "id"
    ]
    there = holdfast("remember", "learning", "The pool is green", "--path", "docs/**", "--json").json["id"]
    mine = holdfast("remember", "learning", "A pool is deep", "--scope", "user", "--json").json["id"]

    def ids(*more: str) -> set[str]:
        return {hit["id"] for hit in holdfast("search", "pool", *more, "--json").json["hits"]}

    assert ids() == {here, there, mine}
    assert ids("--type", "failure") == {here}
    assert ids("--tag", "db") == {here}
    assert ids("--path", "src/db/pool.py") == {here, mine}
    assert ids("--scope", "user") == {mine}
    assert ids("--since", "2000-01-01") == {here, there, mine}
    assert ids("--since", "2999-01-01") == set()


def test_as_of_shows_what_was_valid_then(holdfast: Any) -> None:
    old = holdfast(
        "remember", "decision", "Use Redis for the cache", "--valid-from", "2026-01-01", "--json"
    ).json["id"]  # fmt: skip
    new = holdfast(
        "remember", "decision", "Use Valkey for the cache", "--valid-from", "2026-03-01", "--supersedes", old, "--json"
    ).json["id"]  # fmt: skip

    def ids(*more: str) -> list[str]:
        return [hit["id"] for hit in holdfast("search", "cache", *more, "--json").json["hits"]]

    assert ids() == [new]
    assert ids("--as-of", "2026-02-01") == [old]
    assert ids("--as-of", "2025-02-01") == []
    assert holdfast("show", old, "--json").json["memories"][0]["superseded_by"] == new


def test_hand_edits_renames_and_deletions_are_seen_by_the_next_command(holdfast: Any, folder: Path) -> None:
    kept = holdfast("remember", "learning", "The build wants gcc", "--json").json
    file = folder / kept["path"]

    file.write_text(file.read_text().replace("gcc", "clang"))
    assert holdfast("search", "clang").status == 0
    assert holdfast("search", "gcc", "--recipe", "words").status == 1

    file.rename(file.with_name("other.md"))
    assert holdfast("search", "clang", "--json").json["hits"][0]["path"].endswith("other.md")

    file.with_name("other.md").unlink()
    assert holdfast("search", "clang").status == 1


def test_text_comes_from_standard_input_or_an_editor(holdfast: Any, folder: Path) -> None:
    piped = holdfast("remember", "pattern", "-", "--json", stdin="First line\n\nmore\n").json

    shown = holdfast("show", piped["id"], "--json").json["memories"][0]

    assert shown["title"] == "First line"
    assert shown["body"] == "First line\n\nmore"


def test_an_edit_by_flag_changes_nothing_else(holdfast: Any, folder: Path) -> None:
    path = folder / ".holdfast/memory/decisions.md"
    path.write_bytes(
        b"\xef\xbb\xbf# Ours\r\n\r\n---\r\nid: DEC-001   # kept\r\ntype: decision\r\nmine: 'x'\r\ntitle: Old\r\n"
        b"---\r\nBody\r\n"
        b"---\r\nid: DEC-002\r\ntype: decision\r\n---\r\nOther\r\n"
    )

    assert holdfast("edit", "DEC-001", "--title", "New").status == 0

    text = path.read_bytes()
    assert text.startswith(
        b"\xef\xbb\xbf# Ours\r\n\r\n---\r\nid: DEC-001   # kept\r\ntype: decision\r\nmine: 'x'\r\ntitle: New\r\n"
    )
    assert text.endswith(b"---\r\nBody\r\n---\r\nid: DEC-002\r\ntype: decision\r\n---\r\nOther\r\n")


def test_an_edit_in_the_editor_is_checked_before_it_is_written(holdfast: Any, folder: Path) -> None:
    kept = holdfast("remember", "learning", "Before", "--json").json
    good = folder / "good.sh"
    good.write_text("#!/bin/sh\nsed -i 's/Before/After/' \"$1\"\n")
    bad = folder / "bad.sh"
    bad.write_text("#!/bin/sh\nsed -i 's/^type: .*/type: nonsense/' \"$1\"\n")
    for script in (good, bad):
        script.chmod(0o755)

    done = holdfast("edit", kept["id"], env={"EDITOR": str(good)})
    refused = holdfast("edit", kept["id"], env={"EDITOR": str(bad)})

    assert done.status == 0
    assert refused.status == 2
    assert "nonsense" in refused.err
    assert "After" in (folder / kept["path"]).read_text()
    assert "type: learning" in (folder / kept["path"]).read_text()
    assert "nonsense" in Path(refused.err.split("'")[-2]).read_text()


def test_the_timeline_puts_memories_and_events_in_order(holdfast: Any) -> None:
    kept = holdfast("remember", "learning", "Something happened", "--json").json["id"]
    holdfast("forget", kept)
    other = holdfast("remember", "learning", "Something else", "--json").json["id"]

    items = holdfast("timeline", other, "--json").json["items"]

    assert [item["at"] for item in items] == sorted(item["at"] for item in items)
    assert other in {item["id"] for item in items}
    assert any("forgotten" in item["title"] for item in items)


def test_the_history_comes_from_git(holdfast: Any, git: Any) -> None:
    git("init", "-q")
    kept = holdfast("remember", "learning", "Versioned", "--json").json["id"]
    git("add", ".holdfast")
    git("commit", "-qm", "Keep it")

    shown = holdfast("show", kept, "--json").json["memories"][0]

    assert [commit["subject"] for commit in shown["history"]] == ["Keep it"]
    assert shown["history"][0]["author"] == "Ann"


def test_git_sees_memory_and_nothing_captured(holdfast: Any, git: Any) -> None:
    git("init", "-q")
    holdfast("remember", "learning", "Shared")
    holdfast("propose", "learning", "Not shared")
    holdfast("log", "Not shared either")

    git("add", ".")

    names = git("diff", "--cached", "--name-only").split()
    assert ".holdfast/.gitignore" in names
    assert [name.split("/")[1] for name in names if "gitignore" not in name] == ["memory"]


def test_outside_a_workspace_only_the_users_own_memory_is_there(bare: Any) -> None:
    assert bare("remember", "learning", "Nowhere").status == 3
    assert bare("log", "Nowhere").status == 3
    assert bare("remember", "learning", "Everywhere", "--scope", "user").status == 0
    assert bare("search", "everywhere", "--json").json["hits"][0]["scope"] == "user"
    assert bare("allow").status == 3
    assert "holdfast init" in bare("allow").err


def test_the_daily_log_keeps_lines(holdfast: Any) -> None:
    holdfast("log", "tried the pool")
    holdfast("log", "it ran dry")

    text = holdfast("log").out

    assert text.index("tried the pool") < text.index("it ran dry")
    assert len(holdfast("log", "--days", "--json").json["days"]) == 1
    assert "Nothing was logged" in holdfast("log", "--date", "2001-01-01").out
