"""What holds at some paths only, as rules of Claude Code: a file for each set of globs."""

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from hashlib import sha256

from holdfast.clients.instruction_files import RULES_FOLDER, RULES_PREFIX
from holdfast.core.memory import Memory
from holdfast.core.value import Value

MOST_RULES = 30
LONGEST_NAME = 40
_WORD = re.compile(r"[a-z0-9]+")


class RulesFile(Value):
    """A rules file: its path in the workspace, what stands above the block, and the memories of it."""

    path: str
    head: str
    memories: tuple[Memory, ...]


def rules_of(memories: Sequence[Memory]) -> list[RulesFile]:
    """The rules of the memories that hold at some paths; only so many, those with the most memories first."""
    groups: dict[tuple[str, ...], list[Memory]] = defaultdict(list)
    for memory in memories:
        if memory.paths:
            groups[tuple(sorted(set(memory.paths)))].append(memory)
    found = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))[:MOST_RULES]
    return [RulesFile(path=_path(globs), head=_head(globs), memories=tuple(each)) for globs, each in found]


def _path(globs: tuple[str, ...]) -> str:
    """A name that tells the place, and no other globs have: the frontmatter need never be changed."""
    words = "-".join(_WORD.findall(globs[0].lower()))[:LONGEST_NAME].strip("-")
    mark = sha256("\n".join(globs).encode("utf-8", "replace")).hexdigest()[:6]
    return f"{RULES_FOLDER}/{RULES_PREFIX}{'-'.join(filter(None, [words, mark]))}.md"


def _head(globs: tuple[str, ...]) -> str:
    lines = "".join(f"  - {json.dumps(glob)}\n" for glob in globs)
    return f"---\npaths:\n{lines}---\n"
