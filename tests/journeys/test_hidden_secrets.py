"""No code and no unseen character carries a secret past capture; nor does the name of a session."""

import os
import subprocess
from pathlib import Path
from typing import Any

from tests.journeys.hooking import Client

TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def _kept(folder: Path) -> bytes:
    """Every byte below the workspace's own folder, names of files too."""
    files = [path for path in (folder / ".holdfast").rglob("*") if path.is_file()]
    return b"\n".join([os.fsencode(path.name) + b"\n" + path.read_bytes() for path in files])


def _nothing_of_it(folder: Path) -> bool:
    return not [at for at in range(4, len(TOKEN) - 16) if TOKEN[at : at + 16].encode() in _kept(folder)]


def test_what_grep_colours_is_redacted(holdfast: Any, folder: Path, tmp_path: Path) -> None:
    secrets = tmp_path / "secrets.env"
    secrets.write_text(f"GITHUB={TOKEN}\n")
    grep = ["grep", "--color=always", "gh" + "p_", str(secrets)]
    printed = subprocess.run(grep, capture_output=True, check=True).stdout.decode()
    assert "\x1b[" in printed
    assert TOKEN not in printed

    Client(folder).send("PostToolUse", tool_name="Bash", tool_input={"command": "grep"}, tool_response=printed)

    assert b"[redacted:github_token]" in _kept(folder)
    assert _nothing_of_it(folder)


def test_a_character_of_no_width_hides_nothing(holdfast: Any, folder: Path) -> None:
    Client(folder).says(f"Take {TOKEN[:20]}\u200b{TOKEN[20:]} for it.")

    assert b"[redacted:github_token]" in _kept(folder)
    assert _nothing_of_it(folder)


def test_a_session_is_named_without_a_secret(holdfast: Any, folder: Path) -> None:
    client = Client(folder, session=f"s-{TOKEN}")

    client.start()
    client.says("Use tabs for indentation, always.")
    client.send("SessionEnd", reason="exit")

    assert _nothing_of_it(folder)
    assert b'"session":"s-[redacted:github_token]"' in _kept(folder)
    assert holdfast("doctor", "--verify").status == 0


def test_what_is_remembered_proposed_or_edited_holds_no_secret(holdfast: Any, folder: Path) -> None:
    long = "A line that is as long as a title may be, and has its secret where the title is cut:"
    kept = holdfast("remember", "decision", f"Deploy with {TOKEN} from CI", "--rejected", f"A key: {TOKEN}")
    holdfast("remember", "learning", f"{long} {TOKEN}")
    holdfast("propose", "learning", f"Take {TOKEN}", "--tag", TOKEN)
    agent = holdfast("remember", "learning", f"Agents take {TOKEN}", env={"CLAUDECODE": "1"})
    [decision] = holdfast("list", "--type", "decision", "--json").json["memories"]
    edited = holdfast("edit", decision["id"], "--body", f"Not {TOKEN}, but {TOKEN}")

    for said in (kept, agent, edited):
        assert (said.status, "github_token" in said.err, "--as-is" in said.err) == (0, True, True)
    assert b"[redacted:github_token]" in _kept(folder)
    assert _nothing_of_it(folder)
    assert TOKEN[4:20].lower().encode() not in _kept(folder)


def test_a_person_keeps_what_only_looks_like_a_secret(holdfast: Any, folder: Path) -> None:
    fixture = holdfast("remember", "learning", f"The tests' own token is {TOKEN}", "--as-is", "--json")
    holdfast("edit", fixture.json["id"], "--tag", "tests")
    agent = holdfast("propose", "learning", f"Another {TOKEN}", "--as-is", env={"CLAUDECODE": "1"})

    assert "left out" not in fixture.err
    assert TOKEN in holdfast("show", fixture.json["id"]).out
    assert agent.status == 2
    assert "Another" not in holdfast("list", "--candidates").out
