"""What an agent is told, through the real hook on the payloads of a real client, against what it needed.

    ./do bench told                    our coding set, the half that nothing was learned from, and the goals of a shop
    python -m bench.told --half tune   the other half

A vault of one project (70 memories) hears its start and a prompt; one of 1,000 (four projects among decision records of
public repositories) a prompt alone. A prompt is one process, as the client starts it. Noise is what people typed in
sessions of other projects. Beside it: the best five by BM25, and a CLAUDE.md that holds everything. A second table says
how much of what `search` has among its first three a pack holds.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench import abstain
from bench.hook import payload, shim
from bench.recall import data
from bench.recall.encoders import static
from bench.recall.systems import Bm25, Ranked
from bench.relevance import SHARED, read_prompts, read_records
from bench.table import Row, table
from holdfast.core.memory import Memory, MemoryType, RejectedOption, Status
from holdfast.core.passage_store import MEMORY
from holdfast.core.value import Value
from holdfast.recall.engine.engine_values import PassageContext
from holdfast.recall.engine.find_passages import judge_candidates
from holdfast.recall.engine.fuse import rank_candidates
from holdfast.recall.engine.recipes import MEANING
from holdfast.recall.relevance import find_relevant
from holdfast.setup.init_workspace import init, plan_init
from holdfast.vault.render_memory import render

CHARACTERS_PER_TOKEN = 4
SETTLED = 2.2
TOP = 5
# What search shows first, and in vaults of up to so many memories a pack must hold it.
FIRST = 3
FEW = 100
COLUMNS = (
    "vault", "memories", "how", "asked", "told", "right of told", "tokens a start", "tokens a prompt",
    "noise", "silent", "p50 ms", "p95 ms",
)  # fmt: skip
_ID = re.compile(r"\[([A-Z]+-[A-Z0-9]+)\]")


class Vault(Value):
    """Memories, the prompts that need some of them, and whether a session's start counts too."""

    name: str
    memories: Sequence[Memory]
    asked: Sequence[tuple[str, frozenset[str]]]
    starts: bool


class Heard(Value):
    """What one prompt brought: ids, tokens of start and prompt, and how long the prompt took in milliseconds."""

    ids: frozenset[str]
    start: int
    prompt: int
    ms: float


def main(arguments: Sequence[str] = ()) -> None:
    """Print the table."""
    args = _arguments(arguments)
    noise = list(read_prompts(args.sessions, args.half))
    random.Random(11).shuffle(noise)
    every = list(vaults(args))
    rows = [row for vault in every for row in measure(vault, noise[: args.noise], args.most)]
    print(table("Told: through the hook", COLUMNS, rows))
    packs = [_pack_row(vault, vault.asked[: args.most or None]) for vault in every if len(vault.memories) <= FEW]
    print(
        table(
            "Packs beside search",
            ("vault", "memories", "asked", "in search's first three", "of these in a pack"),
            packs,
        )
    )


def _arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.told", description=__doc__)
    parser.add_argument("--half", default="test", choices=["tune", "test"], help="which half of our coding set")
    parser.add_argument("--most", type=int, default=0, metavar="N", help="only so many prompts of each vault")
    parser.add_argument("--noise", type=int, default=60, metavar="N", help="how many prompts of others")
    parser.add_argument("--data", default=os.path.join(SHARED, "bench-data"), metavar="DIR", help="the public sets")
    parser.add_argument("--sessions", default=os.path.join(SHARED, "sessions"), metavar="DIR", help="real sessions")
    return parser.parse_args(arguments)


def vaults(args: argparse.Namespace) -> Iterator[Vault]:
    """One project, the shop, and a thousand."""
    rows = [row for row in data.coding_rows("memories.jsonl") if row["half"] == args.half]
    questions = [row for row in data.coding_rows("questions.jsonl") if row["half"] == args.half and row["gold"]]
    first = rows[0]["project"]
    yield _vault(
        f"coding, {first}", [row for row in rows if row["project"] == first],
        [row for row in questions if row["project"] == first], [], starts=True,
    )  # fmt: skip
    kept = list(abstain.memories())
    goals = [(goal, frozenset({wanted})) for goal, wanted in abstain.goals() if wanted != abstain.NOTHING]
    yield Vault(name="goals of a shop", memories=kept, asked=goals, starts=True)
    records = list(read_records(args.data, args.half))
    random.Random(7).shuffle(records)
    others = [
        Memory(id=f"LRN-X{at:05}", type=MemoryType.LEARNING, title=record.title[:120], body=record.text)
        for at, record in enumerate(records[: 1000 - len(rows)])
    ]
    yield _vault("coding among records", rows, questions, others, starts=False)


def _vault(
    name: str, rows: Sequence[Mapping[str, Any]], questions: Sequence[Mapping[str, Any]], others: Sequence[Memory],
    *, starts: bool,
) -> Vault:  # fmt: skip
    asked = [(_with_path(row), frozenset(row["gold"])) for row in questions]
    return Vault(name=name, memories=[*map(_memory, rows), *others], asked=asked, starts=starts)


def _with_path(row: Mapping[str, Any]) -> str:
    """A prompt as it is typed where the question is asked of a path."""
    return f"{row['text']} (I am in {row['path']})" if row["path"] else str(row["text"])


def _memory(row: Mapping[str, Any]) -> Memory:
    rejected = tuple(RejectedOption(option=each["option"], reason=each["reason"]) for each in row["rejected"])
    names = ("title", "question", "choice", "body", "error_message", "root_cause", "updated")
    return Memory(
        id=row["id"], type=MemoryType(row["type"]), status=Status(row["status"]), rejected=rejected,
        paths=tuple(row["paths"]), supersedes=tuple(row["supersedes"]), **{name: row[name] for name in names},
    )  # fmt: skip


def measure(vault: Vault, noise: Sequence[str], most: int) -> Iterator[Row]:
    """The hook, then the two baselines."""
    asked = vault.asked[: most or None]
    with tempfile.TemporaryDirectory(prefix="holdfast-told-") as folder:
        place = lay_out(Path(folder), vault.memories)
        hook = shim()
        needed = [hear(hook, place, f"s{at}", text, starts=vault.starts) for at, (text, _) in enumerate(asked)]
        silent = [not hear(hook, place, f"n{at}", text, starts=False).ids for at, text in enumerate(noise)]
    told = [len(heard.ids & gold) / len(gold) for heard, (_, gold) in zip(needed, asked, strict=True)]
    right = [
        len(heard.ids & gold) / len(heard.ids) for heard, (_, gold) in zip(needed, asked, strict=True) if heard.ids
    ]
    times = sorted(heard.ms for heard in needed)
    yield (
        vault.name, str(len(vault.memories)), "Holdfast", str(len(asked)), _share(told), _share(right),
        f"{_mean([heard.start for heard in needed]):.0f}", f"{_mean([heard.prompt for heard in needed]):.0f}",
        str(len(noise)), _share(silent), f"{times[len(times) // 2]:.0f}", f"{times[len(times) * 19 // 20]:.0f}",
    )  # fmt: skip
    yield from _baselines(vault, asked)


def lay_out(folder: Path, memories: Sequence[Memory]) -> Path:
    """A workspace that holds memories, with their vectors, its files settled."""
    os.environ["HOLDFAST_HOME"] = str(folder / "home")
    place = folder / "project"
    place.mkdir()
    init(plan_init(str(place), named=True))
    for memory in memories:
        path = place / ".holdfast" / "memory" / f"{memory.type}s" / f"{memory.id}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(render(memory), encoding="utf-8")
    holdfast = str(Path(sys.executable).with_name("holdfast"))
    for words in (["allow"], ["doctor", "--embed"]):
        subprocess.run([holdfast, *words], cwd=place, check=True, stdout=subprocess.DEVNULL)
    time.sleep(SETTLED)
    return place


def hear(hook: str, place: Path, session: str, prompt: str, *, starts: bool) -> Heard:
    """A new session, its start where that counts, and a prompt."""
    start = _say(hook, place, session, "SessionStart", source="startup") if starts else ""
    begun = time.perf_counter()
    said = _say(hook, place, session, "UserPromptSubmit", prompt=prompt)
    took = (time.perf_counter() - begun) * 1000
    return Heard(
        ids=frozenset(_ID.findall(start + said)), start=-(-len(start) // CHARACTERS_PER_TOKEN),
        prompt=-(-len(said) // CHARACTERS_PER_TOKEN), ms=took,
    )  # fmt: skip


def _say(hook: str, place: Path, session: str, event: str, **more: object) -> str:
    sent = json.loads(payload(place, event, **more)) | {"session_id": session}
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(
        [hook], input=json.dumps(sent).encode(), cwd=place, env=environment, capture_output=True, check=True
    )
    out = done.stdout.decode()
    return str(json.loads(out)["hookSpecificOutput"].get("additionalContext", "")) if out.startswith("{") else out


def _baselines(vault: Vault, asked: Sequence[tuple[str, frozenset[str]]]) -> Iterator[Row]:
    holding = [memory for memory in vault.memories if memory.status is Status.ACCEPTED]
    texts = [f"{memory.title} {memory.question} {memory.choice} {memory.body}" for memory in holding]
    best = Ranked(Bm25(texts))
    told, right, tokens = [], [], []
    for text, gold in asked:
        chosen = best.rank(text, TOP)
        found = {holding[at].id for at in chosen}
        told.append(len(found & gold) / len(gold))
        right.append(len(found & gold) / TOP)
        tokens.append(sum(len(texts[at]) for at in chosen) / CHARACTERS_PER_TOKEN)
    size = str(len(vault.memories))
    yield (
        vault.name, size, "BM25, the best five", str(len(asked)), _share(told), _share(right), "0",
        f"{_mean(tokens):.0f}", "", "0.00", "", "",
    )  # fmt: skip
    whole = sum(len(text) for text in texts) // CHARACTERS_PER_TOKEN
    yield (
        vault.name,
        size,
        "CLAUDE.md with everything",
        str(len(asked)),
        "1.00",
        "",
        str(whole),
        "0",
        "",
        "1.00",
        "",
        "",
    )


def _pack_row(vault: Vault, asked: Sequence[tuple[str, frozenset[str]]]) -> Row:
    """Of the right memories that search has among its first three: how many a pack holds."""
    store, embedders = abstain.embedded_store(vault.memories)
    shelf, words = store.shelf(MEMORY), static()
    packed = []
    for text, gold in asked:
        judged = judge_candidates(
            text, shelf, words, embedders.encoder, MEANING, standing=PassageContext(memories=True)
        )
        best = [hit.row for hit in rank_candidates(judged, MEANING, TOP).hits if hit.answers][:FIRST]
        if gold & {entry.memory.id for entry in store.entries(best).values()}:
            answer = find_relevant(text, store, embedders=embedders)
            packed.append(bool(gold & {entry.memory.id for entry, _ in answer.pairs}))
    found = len(packed) / len(asked) if asked else 0.0
    return vault.name, str(len(vault.memories)), str(len(asked)), f"{found:.2f}", _share(packed)


def _share(values: Sequence[float]) -> str:
    return f"{_mean(values):.2f}"


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


if __name__ == "__main__":
    main(sys.argv[1:])
