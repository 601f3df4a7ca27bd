"""holdfast list --unproven"""

import argparse

from holdfast.cli.common import entry_line, open_app
from holdfast.cli.output import Output
from holdfast.core.presence import presence_json
from holdfast.core.search import Select
from holdfast.trust.acceptances import describe_acceptance, list_unproven
from holdfast.vault.entry_json import entry_json

EXAMPLES = """\
  holdfast list --unproven              what was accepted, and by nobody proven to be a person
  holdfast allow LRN-7K2MQ4             it was you: agents may be told of it
  holdfast forget LRN-7K2MQ4            it was not
"""
STATUS = "0 also when there is none · 5, 6 could not look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments: none."""


def run(args: argparse.Namespace, out: Output) -> int:
    """List the memories that nobody proven to be a person accepted: no agent is told of them."""
    app = open_app(args, anywhere=True)
    found = list_unproven(app, app.index.select(Select()))
    if out.as_json:
        rows = [entry_json(app, entry) | {"by": presence_json(by.by) if by else None} for entry, by in found]
        out.json({"memories": rows})
    for entry, by in found:
        out.line(entry_line(entry, out))
        if by is not None:
            out.cut(f"    {describe_acceptance(by)}")
    if found:
        out.line("It was you: holdfast allow ID…   It was not: holdfast forget ID, or holdfast undo")
    else:
        out.line("Whoever accepted what is here is proven to be a person, or wrote it by hand.")
    out.notices(app.notices)
    return 0
