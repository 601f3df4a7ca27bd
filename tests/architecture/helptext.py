"""docs/help.md, out of the commands' own help."""

import os
from pathlib import Path

from holdfast.cli.help import overview
from holdfast.cli.parse import build_parser, load_command
from holdfast.cli.table import FORMS, GROUPS, in_group

PAGE = Path(__file__).parents[2] / "docs" / "help.md"
HEAD = "# Help\n\nWritten by `./do docs` from the commands' own help; a test fails when it is behind.\n"


def helptext() -> str:
    """The help of every command, by group, as one page."""
    os.environ["COLUMNS"] = "110"
    parts = [HEAD, _block(overview())]
    for group, about in GROUPS.items():
        parts.append(f"\n## {group}: {about}\n")
        for command in in_group(group):
            calls = (command.name, *(f"{command.name} {form.word}" for form in FORMS.get(command.name, ())))
            parts += [f"\n### {call}\n{_block(build_parser(call, load_command(call)).format_help())}" for call in calls]
    return "".join(parts)


def _block(text: str) -> str:
    return f"\n```text\n{text.rstrip()}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(helptext(), encoding="utf-8")
