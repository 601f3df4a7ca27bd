"""Bad input gets a clear error and loses nothing."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import LONG


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["remember", "opinion", "x"], 2, "There is no memory type 'opinion'"),
        (["remember", "decision", ""], 2, "no text to remember"),
        (["remember", "decision", "   \n\t "], 2, "no text to remember"),
        (["remember", "decision"], 2, "no text to remember"),
        (["remember", "decision", "x", "--confidence", "7"], 2, "a number from 0 to 1"),
        (["remember", "decision", "x", "--valid-until", "soon"], 2, "a date like"),
        (["remember", "decision", "x", "--cite", "/etc/passwd"], 2, "a file of this workspace"),
        (["remember", "decision", "x", "--path", "../../etc"], 2, "a glob inside the project"),
        (["propose", "decision", "x", "--path", "src/../../etc/**"], 2, "a glob inside the project"),
        (["config", "embedder", "nosuch"], 2, "There is no embedder 'nosuch'"),
        (["config", "embedder", "folder"], 2, "is not of the form 'folder:PATH'"),
        (["config", "model", "nosuch:x"], 2, "is none that Holdfast knows"),
        (["config", "model", "client:nosuch"], 2, "is none that Holdfast knows"),
        (["remember", "decision", "x", "--rejected", ": reason"], 2, "option: reason"),
        (
            ["remember", "decision", "x", "--valid-from", "2027-01-01", "--valid-until", "2026-01-01"],
            2,
            "after valid_from",
        ),
        (["remember", "decision", "x", "--title", "  "], 2, "some words"),
        (["remember", "decision", "x", "--tag", ""], 2, "not empty"),
        (["remember", "decision", "x", "--supersedes", "NOPE-1"], 3, "Nothing has the id 'NOPE-1'"),
        (["remember", "decision", "x", "--attempts", "-3"], 2, "0 or more"),
        (["search", "x", "-n", "99999999999999999999"], 2, "from 1 to"),
        (["timeline", "--before", "99999999999999999999"], 2, "from 1 to"),
        (["doctor", "--compact", "--set", "journal.keep_days=99999999999999999999"], 2, "a whole number from 0"),
        (["config", "search.limit", "0"], 2, "a whole number from 1"),
        (["log", "x", "--date", "2026-01-01"], 2, "today's log only"),
        (["edit", "DEC-ZZZZZZ"], 3, "Nothing has the id"),
        (["show", "\udcff"], 3, "Nothing has the id"),
        (["search", "  "], 2, "nothing to search for"),
        (["search", "x", "--as-of", "yesterday-ish"], 2, "takes a date"),
        (["search", "x", "--limit", "-1"], 2, "from 1 to"),
        (["show", "DEC-ZZZZZZ"], 3, "Nothing has the id 'DEC-ZZZZZZ'"),
        (["show", "x"], 3, "Nothing has the id 'x'"),
        (["accept", "CAND-ZZZZZZ"], 3, "Nothing has the id"),
        (["forget", "DEC-ZZZZZZ"], 3, "Nothing has the id"),
        (["forget"], 2, "Say what to forget"),
        (["forget", "--text", "x"], 2, "too short"),
        (["timeline", "DEC-ZZZZZZ"], 3, "Nothing has the id"),
        (["log", "--date", "2026-13-45"], 2, "is not a date"),
        (["config", "no.such"], 2, "There is no setting 'no.such'"),
        (["config", "search.limit", "many"], 2, "a whole number"),
        (["list", "--set", "search.limit"], 2, "KEY=VALUE"),
        (["list", "-C", "/no/such/folder"], 3, "There is no folder"),
        (["serch", "x"], 2, "did you mean `holdfast search x`"),
        (["search", "--nonsense", "x"], 2, "Unrecognized arguments: --nonsense"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_it_is_said_what_is_wrong(holdfast: Any, words: list[str], status: int, says: str) -> None:
    done = holdfast(*words)

    assert done.status == status
    assert says in done.err
    assert "Traceback" not in done.err


def test_the_empty_workspace_answers_everything(holdfast: Any) -> None:
    for words in (
        ["list"],
        ["list", "--candidates"],
        ["timeline"],
        ["status"],
        ["doctor", "--verify"],
        ["doctor"],
        ["log"],
        ["config"],
    ):
        done = holdfast(*words, "--json")
        assert done.status == 0, words
        assert isinstance(done.json, dict)


def test_a_broken_file_is_named_with_its_line_and_the_others_load(holdfast: Any, folder: Path) -> None:
    holdfast("remember", "learning", "Whole and sound")
    (folder / ".holdfast/memory/broken.md").write_text("---\nid: DEC-001\ntype: decision\ntags: [open\n---\nBody\n")

    state = holdfast("status", "--json").json
    checked = holdfast("doctor", "--verify", "--json")

    assert state["counts"]["learning"] == 1
    assert len(state["problems"]) == 1
    assert state["problems"][0]["path"].endswith("memory/broken.md")
    assert state["problems"][0]["line"] in {4, 5}
    assert checked.status == 5
    assert holdfast("search", "sound").status == 0
    assert (folder / ".holdfast/memory/broken.md").read_text().endswith("tags: [open\n---\nBody\n")


def test_two_entries_with_one_id_are_both_shown_and_the_doctor_parts_them(holdfast: Any, folder: Path) -> None:
    memory = folder / ".holdfast/memory"
    (memory / "a.md").write_text("---\nid: DEC-001\ntype: decision\n---\nThe first\n")
    (memory / "b.md").write_text("---\nid: DEC-001\ntype: decision\n---\nThe second\n")

    assert [m["body"] for m in holdfast("show", "DEC-001", "--json").json["memories"]] == ["The first", "The second"]
    assert holdfast("edit", "DEC-001", "--title", "x").status == 4
    found = holdfast("doctor", "--json")
    assert found.status == 1
    assert found.json["findings"][0]["fixable"]

    assert holdfast("doctor", "--fix").status == 0

    assert [m["body"] for m in holdfast("show", "DEC-001", "--json").json["memories"]] == ["The first"]
    assert len(holdfast("list", "--json").json["memories"]) == 2


def test_holdfast_being_a_file_is_said_by_every_command(bare: Any, folder: Path) -> None:
    (folder / ".holdfast").write_text("mine")

    for words in (["init", "--yes"], ["remember", "learning", "x"], ["list"], ["status"]):
        done = bare(*words)
        assert done.status == 2
        assert "is not a folder" in done.err
    assert (folder / ".holdfast").read_text() == "mine"


def test_a_link_in_place_of_the_vault_is_not_followed(bare: Any, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (folder / ".holdfast").mkdir()
    (folder / ".holdfast/memory").symlink_to(outside)

    assert bare("init", "--yes").status != 0 or bare("remember", "learning", "x").status != 0
    assert list(outside.iterdir()) == []


def test_escape_codes_are_shown_and_not_obeyed(holdfast: Any) -> None:
    evil = "Red \x1b[31malert\x1b]0;owned\x07 \u202egnp.exe\x9b2J"
    kept = holdfast("remember", "learning", "-", "--json", stdin=evil).json["id"]

    for words in (["show", kept], ["list"], ["search", "red"], ["timeline"], ["search", "red", "--json"]):
        done = holdfast(*words)
        assert done.status == 0
        assert not any(c in done.out for c in "\x1b\x07\x9b\u202e"), words

    assert "\\x1b[31malert" in holdfast("show", kept).out
    assert holdfast("show", kept, "--json").json["memories"][0]["body"] == evil


def test_text_with_a_nul_is_refused(holdfast: Any) -> None:
    refused = holdfast("remember", "learning", "-", stdin="a\0b")

    assert refused.status == 2
    assert "NUL" in refused.err


def test_text_that_is_not_utf8_is_refused(holdfast: Any) -> None:
    refused = holdfast("remember", "learning", "-", stdin=b"caf\xe9")

    assert refused.status == 2
    assert "not valid UTF-8" in refused.err


@pytest.mark.parametrize("columns", [20, 40, 200])
def test_a_terminal_of_any_width_is_filled_and_not_overrun(holdfast: Any, folder: Path, columns: int) -> None:
    holdfast("remember", "decision", "A title that is a good deal longer than twenty columns, 数据库 too")

    lines = _on_a_terminal(["list"], folder, columns) + _on_a_terminal(["search", "columns"], folder, columns)

    assert lines
    assert all(len(line) + line.count("数据库") * 3 <= columns for line in lines), lines


def _on_a_terminal(words: list[str], folder: Path, columns: int) -> list[str]:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    command = [sys.executable, "-m", "holdfast.cli.main", *words]
    done = subprocess.run(command, cwd=folder, stdout=theirs, stderr=subprocess.PIPE, stdin=theirs, timeout=LONG)
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        text += part
    os.close(ours)
    assert done.returncode == 0, done.stderr
    return text.decode().splitlines()


def test_a_reader_that_goes_away_is_no_error(holdfast: Any, folder: Path) -> None:
    for number in range(30):
        holdfast("remember", "learning", f"Fact number {number} of many")

    command = f"{sys.executable} -m holdfast.cli.main list | head -1"
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, timeout=LONG)

    assert done.stderr == b""
    assert done.stdout.count(b"\n") == 1


def test_every_command_explains_itself(bare: Any) -> None:
    shown = bare("help", "all", "--json").json["groups"]
    commands = {each["call"].split()[1] for group in shown for each in group["commands"]}

    assert len(commands) >= 20
    for command in commands:
        done = bare(command, "--help")
        assert done.status == 0
        assert "examples:" in done.out
        assert "exit status:" in done.out


def test_completion_knows_commands_options_types_and_ids(holdfast: Any) -> None:
    kept = holdfast("remember", "decision", "Complete me", "--json").json["id"]

    assert "search" in holdfast("--complete", "se").out.split()
    assert "--as-of" in holdfast("--complete", "search", "--as").out.split()
    assert holdfast("--complete", "remember", "dec").out.split() == ["decision"]
    assert holdfast("--complete", "show", kept[:5].lower()).out.split() == [kept]
    for shell in ("bash", "zsh", "fish"):
        assert "holdfast --complete" in holdfast("completion", shell).out


@pytest.mark.parametrize("words", [["search", "--bogus", "x"], ["nosuch"], ["remember"], ["search", "x", "-n", "abc"]])
def test_every_error_is_one_json_document_where_json_is_asked_for(holdfast: Any, words: list[str]) -> None:
    done = holdfast(*words, "--json")

    assert done.status == 2
    assert done.json["error"]["family"] == "bad_request"


def test_cited_lines_must_be_there(holdfast: Any, folder: Path) -> None:
    (folder / "app.py").write_text("one\ntwo\nthree\n")

    assert holdfast("remember", "learning", "Fine", "--cite", "app.py:2-3").status == 0
    assert holdfast("remember", "learning", "Not fine", "--cite", "app.py:2-9").status == 2
    assert holdfast("remember", "learning", "Not fine", "--cite", "app.py:3-2").status == 2


def test_a_chain_of_supersession_cannot_bite_its_tail(holdfast: Any, folder: Path) -> None:
    first = holdfast("remember", "decision", "First", "--json").json["id"]
    second = holdfast("remember", "decision", "Second", "--supersedes", first, "--json").json["id"]

    assert holdfast("edit", first, "--supersedes", first).status == 4
    assert holdfast("edit", first, "--supersedes", second).status == 4

    path = next((folder / ".holdfast/memory/decisions").glob(f"{first}*"))
    path.write_text(path.read_text().replace("said_by", f"supersedes: [{second}]\nsaid_by"))
    assert "supersede each other" in holdfast("doctor").out


def test_closed_and_full_streams_are_told_and_lose_nothing(holdfast: Any, folder: Path) -> None:
    command = f"{sys.executable} -m holdfast.cli.main"
    for tail in (
        "remember learning 'Kept all the same' > /dev/full",
        "list > /dev/full",
        "remember learning - <&-",
        "list >&-",
    ):
        done = subprocess.run(f"{command} {tail}", shell=True, cwd=folder, capture_output=True, timeout=LONG)
        assert b"Traceback" not in done.stderr, tail

    assert holdfast("search", "kept").status == 0


def test_output_in_a_narrow_encoding_is_escaped(holdfast: Any) -> None:
    holdfast("remember", "learning", "naïve café")

    done = holdfast("list", env={"PYTHONIOENCODING": "ascii"})

    assert done.status == 0
    assert "na\\xefve caf\\xe9" in done.out


def test_a_pipe_in_place_of_a_file_is_not_waited_for(holdfast: Any, folder: Path) -> None:
    holdfast("remember", "learning", "Before the pipe")
    os.mkfifo(folder / ".holdfast/config.toml")
    os.mkfifo(folder / ".holdfast/journal/00000009.jsonl")

    assert holdfast("search", "pipe").status == 0
    assert holdfast("doctor", "--verify").status in {5, 6}


def test_an_edit_that_meets_a_change_keeps_the_users_words(holdfast: Any, folder: Path) -> None:
    kept = holdfast("remember", "learning", "Original", "--json").json
    script = folder / "editor.sh"
    script.write_text(
        f"#!/bin/sh\nsed -i 's/Original/Mine/' \"$1\"\nsed -i 's/Original/Theirs/' '{folder / kept['path']}'\n"
    )
    script.chmod(0o755)

    done = holdfast("edit", kept["id"], env={"EDITOR": str(script)})

    assert done.status == 4
    assert "Mine" in Path(done.err.split("'")[-2]).read_text()
    assert "Theirs" in (folder / kept["path"]).read_text()


def test_a_line_break_in_a_title_cannot_forge_output(holdfast: Any) -> None:
    kept = holdfast("remember", "learning", "x", "--title", "a\nstatus: rejected", "--json").json["id"]

    assert holdfast("show", kept, "--json").json["memories"][0]["title"] == "a status: rejected"


def test_what_a_killed_writer_left_is_swept_by_the_next_command(holdfast: Any, folder: Path) -> None:
    old, young = (folder / ".holdfast/memory" / f".holdfast-tmp-{name}" for name in ("1-aa", "2-bb"))
    for path in (old, young):
        path.write_text("half of")
    os.utime(old, (0, 0))

    holdfast("status")

    assert "half-written" not in holdfast("doctor").out

    assert (old.exists(), young.exists()) == (False, True)


@pytest.mark.parametrize("verb", ["remember", "propose"])
def test_a_memory_of_more_than_a_mebibyte_is_refused_with_the_limit(holdfast: Any, verb: str) -> None:
    most = 1024 * 1024
    refused = holdfast(verb, "learning", "-", stdin="word " * most)
    kept = holdfast(verb, "learning", "-", stdin="x" * most)

    assert (refused.status, "at most 1,048,576 (1 MiB)" in refused.err) == (2, True)
    assert kept.status == 0


@pytest.mark.parametrize(
    ("key", "value"),
    [("embedder", "none"), ("embedder", "openai:some"), ("model", "client:claude:opus"), ("model", "ollama:x")],
)
def test_a_model_that_may_come_later_can_be_named(holdfast: Any, key: str, value: str) -> None:
    assert holdfast("config", key, value).status == 0


def test_a_broken_settings_file_is_one_finding(holdfast: Any) -> None:
    holdfast("remember", "learning", "anything")
    Path(os.environ["HOLDFAST_HOME"], "config.toml").write_text("a = [")

    found = holdfast("doctor", "--json").json["findings"]

    assert len(found) == len({(one["problem"], one["remedy"]) for one in found})
    assert sum("config.toml" in one["problem"] for one in found) == 1


def test_the_doctor_names_files_as_they_open_from_the_project(holdfast: Any, folder: Path) -> None:
    holdfast("remember", "decision", "Use Textual")
    (folder / ".holdfast/memory/decisions/x.md").write_text("x")
    os.mkfifo(folder / ".holdfast/memory/decisions/fifo.md")
    (folder / ".holdfast/candidates").mkdir(exist_ok=True)
    (folder / ".holdfast/candidates/y.md").write_text("y")

    found = [one["problem"] for one in holdfast("doctor", "--json").json["findings"] if one["check"] == "files"]
    places = {problem.partition(": ")[0].partition(":")[0] for problem in found}

    inside = ".holdfast/memory/decisions"
    assert places == {f"{inside}/x.md", f"{inside}/fifo.md", ".holdfast/candidates/y.md"}
    assert all(os.path.lexists(folder / place) for place in places)


def test_nothing_found_counts_the_memories_that_were_asked(holdfast: Any) -> None:
    holdfast("remember", "learning", "The tests need UTC")
    holdfast("propose", "learning", "The disk is slow")

    assert holdfast("search", "zebra").out == "Nothing found in 1 memory.\n"


def test_an_edit_says_which_tags_it_takes_away(holdfast: Any) -> None:
    kept = holdfast("remember", "learning", "The tests need UTC", "--tag", "a", "--tag", "b", "--json").json["id"]

    done = holdfast("edit", kept, "--tag", "b", "--tag", "z")

    assert "No longer in tags: a." in done.err
    assert "No longer" not in holdfast("edit", kept, "--title", "UTC").err
    assert "takes the place" in holdfast("edit", "--help").out


def test_log_add_adds_the_words(holdfast: Any) -> None:
    holdfast("log", "add", "tried the async pool")
    holdfast("log", "add a test")

    lines = [line["text"] for line in holdfast("log", "--json").json["lines"]]

    assert lines[-2:] == ["tried the async pool", "add a test"]


def test_allow_takes_yes(holdfast: Any) -> None:
    assert holdfast("allow", "--yes").status == 0
