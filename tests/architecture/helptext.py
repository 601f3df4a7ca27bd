"""docs/help.md, out of the commands' own help."""

import os
from pathlib import Path

from holdfast.cli.main import COMMANDS, load, parser_of

PAGE = Path(__file__).parents[2] / "docs" / "help.md"
HEAD = "# Help\n\nWritten by `./do docs` from the commands' own help; a test fails when it is behind.\n"


def helptext() -> str:
    """The help of every command, as one page."""
    os.environ["COLUMNS"] = "110"
    parts = [HEAD]
    for name in COMMANDS:
        text = parser_of(name, load(name)).format_help()  # type: ignore[arg-type]  # a module stands for the protocol
        parts.append(f"\n## {name}\n\n```text\n{text.rstrip()}\n```\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(helptext(), encoding="utf-8")
