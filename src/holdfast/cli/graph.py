"""holdfast graph"""

import argparse
import re
from collections.abc import Iterator

from holdfast.cli.common import open_app, parse_count
from holdfast.cli.output import Output, fit, make_inert, one_line
from holdfast.recall.graph.graph_around import DEEPEST, MOST, Edge, Graph, GraphVertex, find_graph_around

EXAMPLES = """\
  holdfast graph --around DEC-7K2MQ4
  holdfast graph --around src/users/repo.py --depth 2
  holdfast graph --around redis --limit 20
  holdfast graph --around DEC-7K2MQ4 --dot | dot -Tsvg > graph.svg
  holdfast graph --around DEC-7K2MQ4 --mermaid    for a Markdown page
"""
STATUS = "0 shown · 2 bad request · 3 nothing is called so · 5, 6 could not look"
# Read from the end where it stands: `A ←supersedes B` is B supersedes A.
BACK = {"mentions": "mentioned by", "supersedes": "superseded by", "follows": "followed by", "evidence": "evidence of"}
LABEL = 60
FACT = "fact"
SHAPES = {"memory": "box", "event": "note", "page": "note", "file": "folder", "person": "oval"}
_ODD = re.compile(r"[^\w .,:;/@()+=*-]")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--around", required=True, metavar="WHAT", help="a memory, an event, a file or a name")
    parser.add_argument(
        "--depth", type=parse_count, default=1, metavar="N", help=f"how many steps far, up to {DEEPEST}"
    )
    parser.add_argument(
        "-n", "--limit", type=parse_count, default=40, metavar="N", help=f"how many nodes, up to {MOST}"
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--dot", action="store_true", help="print it for Graphviz")
    form.add_argument("--mermaid", action="store_true", help="print it for Mermaid")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show what is connected."""
    app = open_app(args, anywhere=True)
    found = find_graph_around(app, args.around, args.depth, args.limit)
    if out.as_json:
        out.json({
            "around": found.nodes[0].key,
            "nodes": [{"key": n.key, "kind": n.kind, "id": n.id, "title": n.title} for n in found.nodes],
            "edges": [{"kind": e.kind, "from": e.one, "to": e.other, "why": e.why} for e in found.edges],
            "full": found.full,
        })  # fmt: skip
    lines = _dot(found) if args.dot else _mermaid(found) if args.mermaid else _tree(found)
    for line in lines:
        out.line(line if args.dot or args.mermaid else fit(line, out.width))
    out.notices(app.notices)
    return 0


def _tree(found: Graph) -> Iterator[str]:
    """Every node once, under the first that led to it; other edges to it are told beside it."""
    nodes = {node.key: node for node in found.nodes}
    yield _named(found.nodes[0])
    if not found.edges:
        yield "  nothing stands beside it"
    shown = {found.nodes[0].key: ""}
    yield from _below(found.nodes[0].key, nodes, found.edges, shown, 1)
    for edge in found.edges:
        # Two names that one memory states something of stand beside each other, not one under the other.
        if edge.kind == FACT and shown[edge.one] != edge.other and shown[edge.other] != edge.one:
            yield f"  {_named(nodes[edge.one])} {_told(edge, back=False)} {_named(nodes[edge.other])}"
    if found.full:
        yield f"These are {len(found.nodes)} nodes, and there may be more: --limit."


def _below(
    key: str, nodes: dict[str, GraphVertex], edges: tuple[Edge, ...], shown: dict[str, str], depth: int
) -> Iterator[str]:
    how: dict[str, list[str]] = {}
    for edge in edges:
        if key in (edge.one, edge.other):
            other = edge.other if edge.one == key else edge.one
            how.setdefault(other, []).append(_told(edge, back=edge.one != key))
    mine = [other for other in nodes if other in how and other not in shown]
    shown.update(dict.fromkeys(mine, key))
    for other in mine:
        yield f"{'  ' * depth}{', '.join(dict.fromkeys(how[other]))}: {_named(nodes[other])}"
        yield from _below(other, nodes, edges, shown, depth + 1)


def _told(edge: Edge, *, back: bool) -> str:
    """How an edge reads from one of its ends. What a model read stands in quotes."""
    if edge.kind == FACT:
        return f"{'← ' if back else ''}“{one_line(edge.why)}”"
    word = BACK.get(edge.kind, edge.kind) if back else edge.kind
    return f"{word} {edge.why}".rstrip()


def _on_line(edge: Edge) -> str:
    return f"“{edge.why}”" if edge.kind == FACT else edge.kind


def _named(node: GraphVertex) -> str:
    title = one_line(node.title)
    if node.kind in {"memory", "event"}:
        return f"{node.id}  {title}"
    return title if node.kind == "page" else f"{node.kind} {title}"


def _dot(found: Graph) -> Iterator[str]:
    yield "digraph holdfast {"
    yield "  rankdir=LR;"
    for node in found.nodes:
        yield f"  {_quoted(node.key)} [label={_quoted(_label(node))}, shape={SHAPES.get(node.kind, 'ellipse')}];"
    for edge in found.edges:
        yield f"  {_quoted(edge.one)} -> {_quoted(edge.other)} [label={_quoted(_on_line(edge))}];"
    yield "}"


def _mermaid(found: Graph) -> Iterator[str]:
    numbers = {node.key: f"n{number}" for number, node in enumerate(found.nodes)}
    yield "graph LR"
    for node in found.nodes:
        # Mermaid reads HTML, quotes and brackets in a label: only plain characters are kept.
        yield f'  {numbers[node.key]}["{_ODD.sub(" ", _label(node))}"]'
    for edge in found.edges:
        label = _ODD.sub(" ", edge.why) if edge.kind == FACT else edge.kind
        yield f"  {numbers[edge.one]} -->|{label}| {numbers[edge.other]}"


def _label(node: GraphVertex) -> str:
    label = _named(node)
    return label if len(label) <= LABEL else label[: LABEL - 1] + "…"


def _quoted(text: str) -> str:
    """A string of Graphviz."""
    plain = make_inert(" ".join(text.split())).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{plain}"'
