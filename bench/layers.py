"""What it costs to find something by three layers, against reading the full texts of the same hits.

An agent asks `search` (ids and titles), looks at the `timeline` around the best hit, and has `show` give that one in
full. Counted is what the MCP server answers, whole, as JSON (most clients show their model that) and as text; four
characters are a token on both sides. Memories are made up; their sizes are those of a short note (60 words) and of
decision records in public repositories (1,129 counted: quartiles 2,450, 4,480 and 8,030 characters).
"""

import json
import os
import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.made import Generator, write
from bench.table import Row, table
from holdfast.review.agent_access import open_for_agent
from holdfast.server.mcp import memory_tools, tool_arguments
from holdfast.server.mcp.answer_texts import format_answer
from holdfast.setup.init_workspace import init, plan_init
from holdfast.workspace import App

MEMORIES = 1000
QUERIES = 40
HITS = (10, 20, 50)
AT_ONCE = 5
CHARACTERS_PER_TOKEN = 4
SIZES: Mapping[str, Sequence[int]] = {"notes": (0,), "decision records": (1800, 2450, 4480, 8030, 12_000)}
HEAD = (
    "memories of the size of",
    "hits",
    "search",
    "timeline",
    "show",
    "three layers",
    "full texts",
    "ratio",
    "as text",
)

Answer = Mapping[str, Any]


def main() -> None:
    """Print the table."""
    print(table("Three layers against full texts, tokens a question", HEAD, list(rows())), flush=True)


def rows() -> Iterator[Row]:
    """The mean over some questions, for each size of memory and number of hits."""
    for name, sizes in SIZES.items():
        with tempfile.TemporaryDirectory(prefix="holdfast-bench-") as folder:
            app, make = _opened(folder, sizes)
            queries = [make.query() for _ in range(QUERIES * 3)]
            for hits in HITS:
                found = [asked for query in queries if (asked := _asked(app, query, hits))][:QUERIES]
                yield _row(name, hits, found)


def _row(name: str, hits: int, found: Sequence[Mapping[str, Sequence[int]]]) -> Row:
    def mean(layer: str, form: int) -> float:
        return sum(asked[layer][form] for asked in found) / len(found)

    def ratio(form: int) -> str:
        return f"{mean('full', form) / sum(mean(layer, form) for layer in layers):.1f} ×"

    layers = ("search", "timeline", "show")
    figures = [mean(layer, 0) for layer in layers]
    told = (*figures, sum(figures), mean("full", 0))
    return (name, str(hits), *(f"{figure:,.0f}" for figure in told), ratio(0), ratio(1))


def _opened(folder: str, sizes: Sequence[int]) -> tuple[App, Generator]:
    """A workspace with memories of some sizes."""
    os.environ["HOLDFAST_HOME"] = os.path.join(folder, "home")
    place = Path(folder, "project")
    place.mkdir()
    make, chance = Generator(), random.Random(7)
    init(plan_init(str(place), named=True))
    write(str(place / ".holdfast"), [_grown(make, number, chance.choice(sizes)) for number in range(MEMORIES)])
    return open_for_agent(str(place)), make


def _grown(make: Generator, number: int, size: int) -> tuple[str, str, str]:
    """A memory, with more words up to a size."""
    path, title, body = make.memory(number)
    while len(body) < size:
        body += "\n\n" + " ".join(make.words(60))
    return path, title, body


def _asked(app: App, query: str, hits: int) -> Mapping[str, Sequence[int]] | None:
    """Tokens of each layer and of the full texts, as JSON and as text; nothing where fewer were found."""
    found = memory_tools.search(app, tool_arguments.SearchArguments(query=query, limit=hits), "")
    ids = [hit["id"] for hit in found["hits"]]
    if len(ids) < hits:
        return None
    around = memory_tools.timeline(app, tool_arguments.TimelineArguments(around=ids[0]), "")
    full = [
        _tokens("show", memory_tools.show(app, tool_arguments.ShowArguments(ids=ids[at : at + AT_ONCE]), ""))
        for at in range(0, len(ids), AT_ONCE)
    ]
    return {
        "search": _tokens("search", found),
        "timeline": _tokens("timeline", around),
        "show": _tokens("show", memory_tools.show(app, tool_arguments.ShowArguments(ids=ids[:1]), "")),
        "full": [sum(each) for each in zip(*full, strict=True)],
    }


def _tokens(tool: str, answer: Answer) -> tuple[int, int]:
    texts = (json.dumps(answer, ensure_ascii=False), format_answer(tool, answer))
    return len(texts[0]) // CHARACTERS_PER_TOKEN, len(texts[1]) // CHARACTERS_PER_TOKEN


if __name__ == "__main__":
    main()
