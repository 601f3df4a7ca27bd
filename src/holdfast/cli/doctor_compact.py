"""holdfast doctor --compact"""

import argparse

from holdfast.cli.common import open_app
from holdfast.cli.output import Output
from holdfast.index.maintenance import compact

EXAMPLES = """\
  holdfast doctor --compact --dry-run
  holdfast doctor --compact
  holdfast doctor --compact --set journal.keep_days=90      retire events older than 90 days, this once
"""
STATUS = "0 done, with the proof · 5 the journal is damaged · 6 the disk refuses"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--dry-run", action="store_true", help="only show what would go")


def run(args: argparse.Namespace, out: Output) -> int:
    """Take deleted and retired events off the disk."""
    app = open_app(args, anywhere=True)
    done = compact(app, dry_run=args.dry_run)
    removed = sum(len(segment.removed) for segment in done)
    if out.as_json:
        out.json({
            "dry_run": args.dry_run,
            "removed": removed,
            "segments": [
                {
                    "segment": s.segment, "before": s.before, "after": s.after,
                    "removed": list(s.removed), "kept": s.kept, "kept_sha256": s.kept_sha256,
                }
                for s in done
            ],
        })  # fmt: skip
    for s in done:
        out.line(f"{s.segment}: {len(s.removed)} records gone, {s.kept} kept unchanged (sha256 {s.kept_sha256[:12]}…)")
    if not removed:
        out.line("Nothing is to be removed.")
    elif args.dry_run:
        out.line(f"{removed} records would go. Nothing was changed.")
    out.notices(app.notices)
    return 0
