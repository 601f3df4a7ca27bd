"""Which files get a block: those that are there, those that clients in use need, those that were named."""

from collections.abc import Collection, Mapping, Sequence

from holdfast.clients.instruction_files import (
    AGENTS,
    CLAUDE,
    CLAUDE_INSIDE,
    CLINE,
    CLINE_FILE,
    DEVIN,
    MADE,
    READS,
    RULES,
    TARGETS,
    WINDSURF,
    Target,
)
from holdfast.core.value import Value

NO_FILE = "Aider reads .holdfast/context/active.md by itself: there is no block for it."


class ExistingTargets(Value):
    """What is there: ids of the files that exist, of those that another one brings in, and of client folders."""

    there: frozenset[str] = frozenset()
    covered: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()


class TargetChoice(Value):
    """The targets chosen, whether rules by path are written for Claude Code, and what the user should know."""

    targets: tuple[Target, ...]
    rules: bool = False
    notes: tuple[str, ...] = ()


def choose_for_all(seen: ExistingTargets, in_use: Sequence[str]) -> TargetChoice:
    """Files that are there, whatever clients are set up; and one for each client in use that reads none of them."""
    chosen = [target for target in TARGETS if target.id in seen.there - seen.covered]
    if CLAUDE in chosen:
        chosen = [target for target in chosen if target is not CLAUDE_INSIDE]
    notes: list[str] = []
    for client in (name for name in in_use if name in READS):
        if _is_served(client, chosen, seen):
            continue
        target = _new_target(client, seen)
        if target is AGENTS and seen.there & {CLAUDE.id, CLAUDE_INSIDE.id}:
            notes.append(f"{client} reads AGENTS.md, which is not there: `holdfast render --client {client}` makes it.")
        elif target not in chosen:
            chosen.append(target)
    rules = "claude-code" in in_use or not {CLAUDE, CLAUDE_INSIDE}.isdisjoint(chosen) or RULES in seen.there
    return TargetChoice(targets=_sort_targets(chosen), rules=rules, notes=tuple(notes))


def choose_for_clients(seen: ExistingTargets, named: Sequence[str]) -> TargetChoice:
    """The file of each client named: its own, or the one it shares, whether or not it is there."""
    chosen: list[Target] = []
    for client in (name for name in named if name in READS):
        own = [target for target in READS[client] if _is_own(client, target) and target.id in seen.there - seen.covered]
        chosen.append(own[0] if own else _new_target(client, seen))
    notes = (NO_FILE,) if "aider" in named else ()
    return TargetChoice(targets=_sort_targets(chosen), rules="claude-code" in named, notes=notes)


def _is_own(client: str, target: Target) -> bool:
    """Whether a target is the one to take for a client that was named."""
    return target in {MADE[client], CLAUDE, CLAUDE_INSIDE, CLINE_FILE, WINDSURF} and (
        client != "copilot" or target is MADE[client]
    )


def _is_served(client: str, chosen: Collection[Target], seen: ExistingTargets) -> bool:
    brought = {target.id for target in READS[client]} & seen.covered
    return bool(brought) or any(target in chosen for target in READS[client])


def _new_target(client: str, seen: ExistingTargets) -> Target:
    made = MADE[client]
    if made is CLINE and CLINE_FILE.id in seen.there:
        return CLINE_FILE
    return WINDSURF if made is DEVIN and WINDSURF.id in seen.folders and DEVIN.id not in seen.folders else made


def _sort_targets(chosen: Collection[Target]) -> tuple[Target, ...]:
    return tuple(target for target in TARGETS if target in chosen)


def imports_file(text: str, name: str) -> bool:
    """Whether a text of Claude Code's brings in a file by `@name`."""
    words = {word.rstrip(".,;:") for word in text.split()}
    return not words.isdisjoint({f"@{name}", f"@./{name}"})


def choose_listed(names: Sequence[str], targets: Mapping[str, Target]) -> TargetChoice:
    """Exactly the targets that a setting names."""
    chosen = _sort_targets([targets[name] for name in names if name != RULES])
    return TargetChoice(targets=chosen, rules=RULES in names or not {CLAUDE, CLAUDE_INSIDE}.isdisjoint(chosen))
