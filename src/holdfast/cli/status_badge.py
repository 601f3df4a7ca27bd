"""holdfast status --badge"""

import argparse
import os
import sys

from holdfast.cli.badge_line import claudes_folder, here
from holdfast.cli.output import Output
from holdfast.review.badge import ReviewBadge, read_badge

EXAMPLES = """\
  holdfast status --badge                 3 to review
  holdfast status --badge --claude        the same as a status line of Claude Code; in a terminal, how to set that up
  holdfast status --badge --starship      what to put into starship.toml
  holdfast status --badge --shell zsh     what to put into .zshrc
"""
STATUS = "0 always"
SHELLS = ("bash", "zsh", "fish")
CLAUDE = """\
Put this into ~/.claude/settings.json:

  "statusLine": {"type": "command", "command": "holdfast status --badge --claude"}
"""
STARSHIP = """\
[custom.holdfast]
command = "holdfast status --badge"
when = true
format = "[($output )]($style)"
style = "yellow"
"""
FUNCTION = """\
__holdfast_badge() {
  local waiting; waiting=$(command holdfast status --badge 2>/dev/null)
  [ -n "$waiting" ] && printf '[%s] ' "$waiting"
}
"""
SNIPPETS = {
    "bash": FUNCTION + "PS1='$(__holdfast_badge)'\"$PS1\"\n",
    "zsh": FUNCTION + "setopt PROMPT_SUBST\nPROMPT='$(__holdfast_badge)'\"$PROMPT\"\n",
    "fish": """\
function fish_right_prompt
    set -l waiting (command holdfast status --badge 2>/dev/null)
    test -n "$waiting"; and echo "[$waiting]"
end
""",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--claude", action="store_true", help="Claude Code's status line; its JSON comes on stdin")
    how.add_argument("--starship", action="store_true", help="print the snippet for starship.toml")
    how.add_argument(
        "--shell", nargs="?", const="", choices=["", *SHELLS], metavar="SHELL", help="print the snippet for a shell"
    )


def run(args: argparse.Namespace, out: Output) -> int:
    """Print what waits, or how to have it in a prompt."""
    if args.starship:
        out.line(STARSHIP.rstrip())
    elif args.shell is not None:
        out.line(SNIPPETS[args.shell or _own_shell()].rstrip())
    elif args.claude and sys.stdin.isatty():
        out.line(CLAUDE.rstrip())
    else:
        found = read_badge(args.workspace or (claudes_folder() if args.claude else "") or here())
        if out.as_json:
            out.json(_json(found))
        elif found.words:
            out.line(found.words)
    return 0


def _own_shell() -> str:
    name = os.path.basename(os.environ.get("SHELL", ""))
    return name if name in SHELLS else "bash"


def _json(found: ReviewBadge) -> dict[str, object]:
    return {
        "workspace": found.workspace, "waiting": found.waiting, "more": found.more, "conflicts": found.conflicts,
        "text": found.words,
    }  # fmt: skip
