"""The answer of `holdfast search --in …`: words that were said or written down."""

import argparse
from typing import Any

from holdfast.cli.common import format_count
from holdfast.cli.output import Output, fit, one_line
from holdfast.core.search import SpokenHit
from holdfast.recall.transcripts import search_transcripts
from holdfast.workspace import App

SNIPPET = 240
LEAD = 60


def run_said(app: App, text: str, args: argparse.Namespace, out: Output) -> int:
    """Find it, print it."""
    heard = search_transcripts(app, text, args.place, args.limit or int(app.settings["search.limit"]))
    if out.as_json:
        out.json({
            "query": text,
            "hits": [_form(said) for said in heard.hits],
            "searched": {"passages": heard.passages, "terms": list(heard.terms), "in": args.place},
        })  # fmt: skip
    for said in heard.hits:
        _print(said, heard.terms, out)
    if not heard.hits:
        out.line(f"Nothing found in {format_count(heard.passages, 'passage')}.")
    out.notices(app.notices)
    return 0 if heard.hits else 1


def _form(said: SpokenHit) -> dict[str, Any]:
    spoken = said.spoken
    return {
        "kind": spoken.kind,
        "id": spoken.id,
        "session": spoken.group if spoken.kind == "turn" else None,
        "client": spoken.client or None,
        "said_by": spoken.said_by or None,
        "ts": spoken.ts,
        "score": round(said.score, 6),
        "text": spoken.text,
        "before": said.before[-SNIPPET:],
        "after": said.after[:SNIPPET],
    }


def _print(said: SpokenHit, terms: tuple[str, ...], out: Output) -> None:
    spoken = said.spoken
    who = f"{spoken.said_by} in {spoken.client}" if spoken.kind == "turn" else spoken.kind
    out.cut(f"{spoken.ts[:16].replace('T', ' ')}  {who}  {spoken.id}")
    out.line(fit(f"    {_snippet(spoken.text, terms)}", out.width))


def _snippet(text: str, terms: tuple[str, ...]) -> str:
    """The piece of a text around the first word that was looked for."""
    flat = one_line(text)
    low = flat.lower()
    places = [at for term in terms if (at := low.find(term)) >= 0]
    start = max(0, min(places, default=0) - LEAD)
    return ("…" if start else "") + flat[start : start + SNIPPET]
