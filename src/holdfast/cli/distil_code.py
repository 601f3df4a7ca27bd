"""holdfast distil --code"""

import argparse

from holdfast.bootstrap.bootstrap import BootstrapResult, ProposedPattern, bootstrap, bootstrap_json
from holdfast.cli.common import format_count, open_app
from holdfast.cli.output import Output

EXAMPLES = """\
  holdfast distil --code                 propose patterns: naming, style, tests, frameworks, commits
  holdfast distil --code --dry-run       only show them
  holdfast distil --code packages/web    one folder of the workspace
"""
STATUS = "0 also when there is nothing new · 2 bad request · 3 no such folder, no workspace · 6 the disk refuses"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("path", nargs="?", default="", metavar="PATH", help="a folder of the workspace (default: all)")
    parser.add_argument("--dry-run", action="store_true", help="show what would be proposed, and write nothing")


def run(args: argparse.Namespace, out: Output) -> int:
    """Read how the code base is written and propose patterns."""
    app = open_app(args)
    found = bootstrap(app, args.path, dry_run=args.dry_run)
    if out.as_json:
        out.json(bootstrap_json(found))
    else:
        _shown(found, out, dry_run=args.dry_run)
    out.notices(app.notices)
    return 0


def _shown(found: BootstrapResult, out: Output, *, dry_run: bool) -> None:
    profile = found.profile
    if not profile.files and not found.proposed and not found.updated and not found.known:
        out.line("There is no Python, TypeScript or JavaScript here that tells how it is written.")
        return
    files = ", ".join(f"{count} {language}" for language, count in profile.files.items()) or "no"
    left = f", {profile.skipped} left out" if profile.skipped else ""
    sample = ", a sample" if profile.samples else ""
    out.line(f"Read {files} files in {found.seconds} s{left}{sample}.")
    for heading, several in (
        ("Proposed" if not dry_run else "Would propose", found.proposed),
        ("Changed", found.updated),
    ):
        if several:
            out.line(f"{heading}: {format_count(several, 'pattern')}")
        for each in several:
            _line(each, out)
    if found.known:
        out.line(f"Known already: {format_count(found.known, 'pattern')}")
    if not found.proposed and not found.updated:
        out.line("Nothing new.")
    elif not dry_run:
        out.line("They are candidates: holdfast list --candidates, holdfast accept ID")


def _line(each: ProposedPattern, out: Output) -> None:
    old = f", in place of {each.supersedes}" if each.supersedes else ""
    out.cut(f"  {each.id or '-'}  {each.title}{old}")
    out.cut(f"      {each.evidence}")
