"""The hook before a tool that writes or installs: cold, 10,000 memories, each decision with rejected options."""

import json
import time
from pathlib import Path

from bench.cold import SETTLED, workspace
from bench.hook import payload, shim, timed
from bench.made import Generator, write
from bench.table import Row, table

ROUNDS = 21
ENFORCED = {
    "forbid_dependency": ["urwid", "left-pad"], "forbid_import": ["urwid", "app.db"], "forbid_path": ["legacy/**"],
}  # fmt: skip
SOURCE = "import os\nimport json\n\n" + "def one(x: int) -> int:\n    return x + 1\n\n" * 60


def main(count: int = 10_000) -> None:
    """Print the table."""
    print(table("Hook: before a tool that writes", ("call", "memories", "p50 ms", "p95 ms"), rows(count)))


def rows(count: int) -> list[Row]:
    """Calls that break nothing, and calls that do."""
    with workspace(0) as place:
        _fill(place, count)
        hook = shim()
        timed([hook], payload(place, "SessionStart", source="startup"), place)
        time.sleep(SETTLED)
        made: list[Row] = []
        for name, tool, given in _calls(place):
            sent = payload(place, "PreToolUse", tool_name=tool, tool_input=given)
            timed([hook], sent, place)
            found = sorted(timed([hook], sent, place) for _ in range(ROUNDS))
            made.append((name, f"{count:,}", f"{found[10]:.0f}", f"{found[19]:.0f}"))
    return made


def _calls(place: Path) -> list[tuple[str, str, dict[str, str]]]:
    manifest = '[project]\nname = "x"\ndependencies = ["textual", "urwid"]\n'

    def file(name: str, **more: str) -> dict[str, str]:
        return {"file_path": str(place / name), **more}

    return [
        ("a command that installs nothing", "Bash", {"command": "git status"}),
        ("a file that is only read", "Read", file("src/db/users.py")),
        ("an edit of a file", "Edit", file("src/db/users.py", old_string="", new_string="x = 1")),
        ("a Python file, nothing broken", "Write", file("src/new.py", content=SOURCE)),
        ("a Python file, an import forbidden", "Write", file("src/n.py", content="import urwid\n" + SOURCE)),
        ("a manifest, a dependency forbidden", "Write", file("pyproject.toml", content=manifest)),
        ("a command that installs what is forbidden", "Bash", {"command": "pip install urwid"}),
    ]


def _fill(place: Path, count: int) -> None:
    make = Generator()
    write(str(place / ".holdfast"), [make.memory(number) for number in range(count)])
    for at, file in enumerate(sorted((place / ".holdfast/memory/decisions").glob("*.md"))):
        rejected = f"rejected: [{{option: package-{at}, reason: slow}}, {{option: tool{at}}}]\n"
        enforced = f"enforce: {json.dumps(ENFORCED)}\n" if at < 40 else ""
        file.write_text(file.read_text().replace("---\n", f"---\n{rejected}{enforced}", 1))
    time.sleep(SETTLED)


if __name__ == "__main__":
    main()
