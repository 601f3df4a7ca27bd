"""Top memories as files of Claude Code's own memory: a topic file each, and a line each in its index."""

import json
import re
from collections.abc import Sequence

from holdfast.core.memory import Memory
from holdfast.render.block_text import MADE
from holdfast.render.memory_lines import plain_line, words_for_agent

INDEX = "MEMORY.md"
PREFIX = "holdfast-"
MARK = "holdfast"
MOST = 20
LONGEST_BODY = 3000
LONGEST_HOOK = 150
_NAME = re.compile(r"[^a-z0-9]+")


def topic_name(memory: Memory) -> str:
    """The name of a memory's file."""
    return f"{PREFIX}{_NAME.sub('-', memory.id.lower()).strip('-')}.md"


def render_topic(memory: Memory) -> str:
    """A memory as a topic file. Our mark in the frontmatter says whose it is."""
    words = plain_line(words_for_agent(memory))
    body = [plain_line(line) for line in memory.body.strip()[:LONGEST_BODY].splitlines()]
    return "\n".join([
        "---", f"name: {topic_name(memory).removesuffix('.md')}",
        f"description: {json.dumps(words, ensure_ascii=False)}",
        "metadata:", "  node_type: memory", "  type: project", f"  {MARK}: {json.dumps(memory.id)}", "---",
        f"{words} ({memory.type} {memory.id})", *(["", *body] if body != [plain_line(memory.title)] else []), "",
    ])  # fmt: skip


def render_index(memories: Sequence[Memory]) -> str:
    """The lines of the index, for our block in it."""
    return "\n".join([MADE, *(f"- [{_title(memory)}]({topic_name(memory)}) - {_hook(memory)}" for memory in memories)])


def has_our_mark(text: str) -> bool:
    """Whether a topic file carries our mark."""
    head, found, _ = text.removeprefix("---").partition("\n---")
    return bool(found) and any(line.strip().startswith(f"{MARK}:") for line in head.splitlines())


def _title(memory: Memory) -> str:
    return plain_line(memory.title[:80]).replace("[", "(").replace("]", ")")


def _hook(memory: Memory) -> str:
    words = plain_line(words_for_agent(memory))
    return words if len(words) <= LONGEST_HOOK else words[:LONGEST_HOOK].rsplit(" ", 1)[0] + "…"
