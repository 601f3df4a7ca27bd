"""The files of a workspace that clients read as instructions, in which memory may stand as a block of ours.

Where the facts come from: docs/formats/blocks.md.
"""

from collections.abc import Mapping

from holdfast.core.errors import NotFound
from holdfast.core.value import Value

# Codex reads no more of all its instruction files together.
CODEX_BYTES = 32_768
# Copilot's review reads no more of a file; the chat reads all.
COPILOT_BYTES = 4_000
WINDSURF_BYTES = 12_000
RULES = "claude-rules"
TOPICS = "claude-memory"
RULES_FOLDER = ".claude/rules"
RULES_PREFIX = "holdfast-"


class Target(Value):
    """A file that clients read. `head` stands above our block where the file is new.

    `own`: it is there for us alone. `file_bytes` is how much of the whole file is read, `block_bytes` how long our
    block may be at most (0: no such limit). `scoped`: what holds at some paths only stands there too.
    """

    id: str
    path: str
    head: str = ""
    own: bool = False
    file_bytes: int = 0
    block_bytes: int = 0
    scoped: bool = True


AGENTS = Target(id="agents", path="AGENTS.md", file_bytes=CODEX_BYTES)
# Claude Code has rules by path: what holds at some paths only stands in those.
CLAUDE = Target(id="claude", path="CLAUDE.md", scoped=False)
CLAUDE_INSIDE = Target(id="claude-inside", path=".claude/CLAUDE.md", scoped=False)
GEMINI = Target(id="gemini", path="GEMINI.md")
COPILOT = Target(id="copilot", path=".github/copilot-instructions.md", block_bytes=COPILOT_BYTES)
CURSOR = Target(
    id="cursor",
    path=".cursor/rules/holdfast.mdc",
    head="---\ndescription: Project memory\nalwaysApply: true\n---\n",
    own=True,
)
CLINE = Target(id="cline", path=".clinerules/holdfast.md", own=True)
CLINE_FILE = Target(id="cline-file", path=".clinerules")
# Beside `holdfast.md` of `holdfast init`, which only points at the pack.
DEVIN = Target(
    id="devin",
    path=".devin/rules/holdfast-memory.md",
    head="---\ntrigger: always_on\n---\n",
    own=True,
    file_bytes=WINDSURF_BYTES,
)
WINDSURF = Target(
    id="windsurf",
    path=".windsurf/rules/holdfast-memory.md",
    head="---\ntrigger: always_on\n---\n",
    own=True,
    file_bytes=WINDSURF_BYTES,
)
TARGETS = (AGENTS, CLAUDE, CLAUDE_INSIDE, GEMINI, COPILOT, CURSOR, CLINE_FILE, CLINE, DEVIN, WINDSURF)

# By client: the files it reads, its own first. The first that is no other client's too is made where none is there.
READS: Mapping[str, tuple[Target, ...]] = {
    "claude-code": (CLAUDE, CLAUDE_INSIDE, AGENTS),
    "codex": (AGENTS,),
    "gemini": (GEMINI,),
    "opencode": (AGENTS, CLAUDE),
    "cursor": (CURSOR, AGENTS),
    "copilot": (COPILOT, AGENTS, CLAUDE, CLAUDE_INSIDE),
    "cline": (CLINE_FILE, CLINE, AGENTS),
    "windsurf": (WINDSURF, DEVIN, AGENTS),
}
# What is made for a client that has no file yet. A CLAUDE.md would hide an AGENTS.md from Claude Code.
MADE: Mapping[str, Target] = {
    "claude-code": AGENTS,
    "codex": AGENTS,
    "gemini": GEMINI,
    "opencode": AGENTS,
    "cursor": CURSOR,
    "copilot": COPILOT,
    "cline": CLINE,
    "windsurf": DEVIN,
}
# How a running session comes to read a changed file. The others read theirs again with every prompt.
ANEW: Mapping[str, str] = {
    "claude-code": "start a new session, or type /clear",
    "codex": "start a new session",
    "gemini": "type /memory reload (in older versions /memory refresh)",
    "copilot": "start a new session of Copilot CLI; VS Code reads it by itself",
}


class UnknownTarget(NotFound):
    """A file that is no client's."""

    def __init__(self, name: str) -> None:
        known = ", ".join([*(target.id for target in TARGETS), RULES])
        super().__init__(f"No client reads {name!r} as instructions.", f"the targets are {known}, or their paths.")


def target_of(name: str) -> Target:
    """The target of this id or path."""
    for target in TARGETS:
        if name in {target.id, target.path}:
            return target
    raise UnknownTarget(name)


def list_readers(target: str) -> tuple[str, ...]:
    """The clients that read a target, by its id."""
    if target in {RULES, TOPICS}:
        return ("claude-code",)
    return tuple(client for client, found in READS.items() if any(each.id == target for each in found))
