"""Blocks of memory in clients' files, on disk: planned, written, checked against memory, taken out again.

What was rendered is noted in `state/rendered.json`. Without it nothing is renewed by itself, and nothing is lost.
"""

import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from typing import Any

from holdfast.clients.install.marked_text import BEGIN, END
from holdfast.clients.instruction_files import (
    AGENTS,
    CLAUDE,
    CLAUDE_INSIDE,
    DEVIN,
    GEMINI,
    RULES,
    RULES_FOLDER,
    RULES_PREFIX,
    TARGETS,
    TOPICS,
    WINDSURF,
    Target,
    target_of,
)
from holdfast.core.errors import Conflict, HoldfastError, Refused
from holdfast.core.memory import Memory, MemoryType, Scope
from holdfast.core.search import Select
from holdfast.core.value import replace
from holdfast.recall.packable import packable_filter
from holdfast.records.memory_use import read_use_counts
from holdfast.render import STATE, place_block
from holdfast.render.block_text import HEAD, SCOPED_HEAD, Block, build_block, sort_as_in_block, sort_by_use
from holdfast.render.choose_files import (
    ExistingTargets,
    TargetChoice,
    choose_for_all,
    choose_for_clients,
    choose_listed,
    imports_file,
)
from holdfast.render.client_files import (
    ClientFileChange,
    RenderPlan,
    SkipOnFailure,
    SkippedClientFile,
    bytes_of,
    check_writable,
    join_plans,
    text_of,
    try_write,
)
from holdfast.render.path_rules import rules_of
from holdfast.system.folders import WritableFolder
from holdfast.system.json_cache import read_json_cache, write_json_cache
from holdfast.system.safe_write import lock_folder
from holdfast.trust.visibility import filter_visible_to_agents, find_registration
from holdfast.workspace import App

NONE = "none"
BYTES_PER_TOKEN = 4
MARKERS = len(BEGIN) + len(END) + 4
TRIES = 3
_FRONTMATTER = re.compile(r"\s*(?:---\r?\n(?:(?!---)[^\n]*\n)*---\s*)?", re.ASCII)

Order = Callable[[str, list[Memory]], list[Memory]]


class NoRoomForBlock(Conflict):
    """A file that is full without us."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"there is no room: no more than {limit:,} bytes of it are read.", "shorten the file.")


class RenderNotAllowed(Refused):
    """Somebody else's memory: a block of it would be empty, and could replace one that is not."""

    def __init__(self) -> None:
        super().__init__(
            "The memory of this workspace may not reach agents yet.", "look at it, then run `holdfast allow`."
        )


# Planning


def plan_render(app: App, named: Sequence[str], in_use: Sequence[str]) -> RenderPlan:
    """The blocks for the clients named; without names, for the files that are there and the clients in use."""
    known_as = find_registration(app)
    if known_as is None or not known_as.allowed:
        raise RenderNotAllowed
    seen = scan_client_files(app)
    wanted = _read_target_setting(app)
    if named:
        choice = choose_for_clients(seen, named)
    elif wanted:
        choice = wanted
    else:
        choice = choose_for_all(seen, in_use)
    return _plan_choice(app, choice)


def plan_remove(app: App, named: Sequence[str] = ()) -> RenderPlan:
    """Every block taken out; with names, those in the files of some clients."""
    choice = choose_for_clients(scan_client_files(app), named) if named else TargetChoice(targets=TARGETS, rules=True)
    made, known = _read_noted(app, "made"), os.path.exists(os.path.join(app.folder, STATE))
    changes, left = list[ClientFileChange](), list[SkippedClientFile]()
    for name, target in _files(app, choice):
        with SkipOnFailure(name, left):
            before = bytes_of(app.workspace, name)
            text = text_of(before) if before is not None else ""
            rest = place_block.remove_block(text)
            if before is None or rest == text:
                continue
            ours = target.own or name in made or not known
            gone = ours and bool(_FRONTMATTER.fullmatch(rest) if target.own else not rest)
            after = None if gone else rest.encode()
            check_writable(app.workspace, name)
            changes.append(
                ClientFileChange(root=app.workspace, name=name, target=target.id, before=before, after=after)
            )
    forgotten = _ids(choice) if named else (*_ids(choice), *_read_noted(app, "targets"))
    return RenderPlan(changes=tuple(changes), left=tuple(left), targets=forgotten)


def plan_check(app: App) -> RenderPlan:
    """The blocks that stand here as memory would have them: of all memory, for a check tells no agent anything."""
    memories, _ = _memories(app, everyone=True)
    there = {
        target.id for name, target in _files(app, TargetChoice(targets=TARGETS, rules=True)) if _has_block(app, name)
    }
    wanted = _read_target_setting(app) or TargetChoice(targets=())
    targets = tuple(target for target in TARGETS if target.id in there or target in wanted.targets)
    rules = wanted.rules or RULES in there or not {CLAUDE, CLAUDE_INSIDE}.isdisjoint(targets)
    return _plan_memories(app, TargetChoice(targets=targets, rules=rules), memories, sort_as_in_block)


def plan_refresh(app: App) -> RenderPlan:
    """The blocks that stand here, as memory would have them now."""
    notices = len(app.notices)
    ids = _read_noted(app, "targets")
    standing = tuple(target for target in TARGETS if target.id in ids and _has_block(app, target.path))
    plan = _plan_choice(app, TargetChoice(targets=standing, rules=RULES in ids))
    # Blocks that somebody took out are not put back, but stay known: the file may only be away for a while.
    plan = replace(plan, targets=tuple(sorted(ids)))
    if TOPICS in ids:
        plan = join_plans(plan, plan_claude_memory(app))
    del app.notices[notices:]
    return plan


def plan_claude_memory(app: App, *, removing: bool = False) -> RenderPlan:
    """The top memories in Claude Code's own memory, or all of ours taken out of it."""
    from holdfast.render.claude_files import plan_files

    memories, held = ([], 0) if removing else _memories(app)
    return replace(plan_files(app, sort_by_use(memories, read_use_counts(app)), removing=removing), held=held)


def _plan_choice(app: App, choice: TargetChoice) -> RenderPlan:
    used = read_use_counts(app)
    memories, held = _memories(app)
    return replace(_plan_memories(app, choice, memories, lambda _, found: sort_by_use(found, used)), held=held)


def _plan_memories(app: App, choice: TargetChoice, memories: list[Memory], order: Order) -> RenderPlan:
    changes, left = list[ClientFileChange](), list[SkippedClientFile]()
    for target in choice.targets:
        with SkipOnFailure(target.path, left):
            found = [memory for memory in memories if target.scoped or not memory.paths]
            changes.append(_fill_block(app, target, found, order))
    if choice.rules:
        changes += _plan_rule_files(app, memories, order, left)
    return RenderPlan(changes=tuple(changes), left=tuple(left), targets=_ids(choice), notes=choice.notes)


def _ids(choice: TargetChoice) -> tuple[str, ...]:
    return (*(target.id for target in choice.targets), *((RULES,) if choice.rules else ()))


def _plan_rule_files(
    app: App, memories: list[Memory], order: Order, left: list[SkippedClientFile]
) -> Iterator[ClientFileChange]:
    """A file for each set of globs; those of globs that no memory has any more lose our block."""
    wanted = {rule.path: rule for rule in rules_of(order("", memories))}
    for name in sorted({*wanted, *_rule_files(app)}):
        with SkipOnFailure(name, left):
            if rule := wanted.get(name):
                yield _fill_block(app, _rule(name, rule.head), list(rule.memories), order, SCOPED_HEAD)
            elif (before := bytes_of(app.workspace, name)) is not None:
                text = text_of(before)
                rest = place_block.remove_block(text)
                after = None if _FRONTMATTER.fullmatch(rest) else rest.encode()
                if rest != text:
                    yield ClientFileChange(root=app.workspace, name=name, target=RULES, before=before, after=after)


def _fill_block(app: App, target: Target, memories: list[Memory], order: Order, head: str = HEAD) -> ClientFileChange:
    """A file with its block."""
    before = bytes_of(app.workspace, target.path)
    text = target.head if before is None else text_of(before)
    room, limit = _measure_room(app, target, text)
    block: Block | None = build_block(order(place_block.block_text(text) or "", memories), room, head=head)
    if block is None:
        raise NoRoomForBlock(limit)
    after = place_block.put_block(text, block.text).encode()
    if before not in (None, after):
        check_writable(app.workspace, target.path)
    return ClientFileChange(
        root=app.workspace, name=target.path, target=target.id, before=before, after=after, ids=block.ids,
        dropped=block.dropped,
    )  # fmt: skip


def _measure_room(app: App, target: Target, text: str) -> tuple[int, int]:
    """How many bytes the block may have, and the limit that says so."""
    limits = [(int(app.settings["render.budget_tokens"]) * BYTES_PER_TOKEN, 0)]
    if target.block_bytes:
        limits.append((target.block_bytes - MARKERS, target.block_bytes))
    if target.file_bytes:
        limits.append((target.file_bytes - place_block.count_foreign_bytes(text) - MARKERS, target.file_bytes))
    return min(limits)


def _memories(app: App, *, everyone: bool = False) -> tuple[list[Memory], int]:
    """Accepted memory of the workspace that holds and may reach agents; and how many may not."""
    types = set(_types(app))
    stands = packable_filter(app.index)
    found = [
        entry
        for entry in app.index.select(Select())
        if entry.scope is Scope.WORKSPACE
        and entry.path.startswith("memory/")
        and entry.memory.type in types
        and stands(entry)
    ]
    reach = found if everyone else filter_visible_to_agents(app, found)
    return [entry.memory for entry in reach], len(found) - len(reach)


def _types(app: App) -> list[MemoryType]:
    words = str(app.settings["render.types"]).replace(",", " ").split()
    return [kind for kind in MemoryType if kind in {word.lower().removesuffix("s") for word in words}]


# What is there


def scan_client_files(app: App) -> ExistingTargets:
    """Which files of clients are there, and which of them bring in another."""
    there = frozenset(target.id for target in TARGETS if _is_there(app, target.path))
    covered = frozenset(target.id for target in TARGETS if target.id in there and _is_covered(app, target, there))
    rules = {RULES} if any(_has_block(app, name) for name in _rule_files(app)) else set()
    folders = {
        target.id
        for target in (DEVIN, WINDSURF)
        if os.path.isdir(os.path.join(app.workspace, os.path.dirname(target.path)))
    }
    return ExistingTargets(there=there | rules, covered=covered, folders=frozenset(folders))


def _is_there(app: App, name: str) -> bool:
    path = os.path.join(app.workspace, name)
    return os.path.lexists(path) and not os.path.isdir(path)


def _is_covered(app: App, target: Target, there: Collection[str]) -> bool:
    """Whether a file is a link to another client's, or imports it."""
    others = [other for other in (AGENTS, CLAUDE) if other is not target and other.id in there]
    path = os.path.join(app.workspace, target.path)
    real = [os.path.join(app.workspace, other.path) for other in others]
    if os.path.islink(path):
        return any(not os.path.islink(other) and os.path.realpath(path) == os.path.realpath(other) for other in real)
    if target not in (CLAUDE, CLAUDE_INSIDE, GEMINI) or _has_block(app, target.path):
        return False
    up = "../" if target is CLAUDE_INSIDE else ""
    with suppress(HoldfastError, OSError):
        text = text_of(bytes_of(app.workspace, target.path) or b"")
        return any(imports_file(text, f"{up}{other.path}") for other in others)
    return False


def _files(app: App, choice: TargetChoice) -> Iterator[tuple[str, Target]]:
    for target in choice.targets:
        if _is_there(app, target.path) and not os.path.islink(os.path.join(app.workspace, target.path)):
            yield target.path, target
    for name in _rule_files(app) if choice.rules else ():
        yield name, _rule(name)


def _rule(name: str, head: str = "") -> Target:
    return Target(id=RULES, path=name, head=head, own=True)


def _rule_files(app: App) -> list[str]:
    folder = os.path.join(app.workspace, RULES_FOLDER)
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    ours = [name for name in names if name.startswith(RULES_PREFIX) and name.endswith(".md")]
    return [f"{RULES_FOLDER}/{name}" for name in ours]


def _has_block(app: App, name: str) -> bool:
    """Whether a block of ours stands in a file, whole or broken."""
    try:
        data = bytes_of(app.workspace, name)
        return data is not None and place_block.find_block(text_of(data)) is not None
    except place_block.BrokenBlock:
        return True
    except (HoldfastError, OSError):
        return False


# Writing


def apply_plan(app: App, plan: RenderPlan, *, removing: bool = False) -> None:
    """Write what is planned, each file whole or not at all. Raises Moved for one that changed meanwhile.

    One that cannot be written does not stop the others.
    """
    with lock_folder(WritableFolder(root=os.path.join(app.folder, "state"), private=True)):
        failed = {change.name: error for change in plan.changed_files if (error := try_write(change))}
        done = tuple(change for change in plan.changes if change.name not in failed)
        _note(app, replace(plan, changes=done), removing=removing)
    for error in failed.values():
        raise error


def _note(app: App, plan: RenderPlan, *, removing: bool) -> None:
    """Keep which targets are to be renewed, and which files were made for a block."""
    targets, made = _read_noted(app, "targets"), _read_noted(app, "made")
    targets = targets - set(plan.targets) if removing else targets | set(plan.targets)
    made |= {change.name for change in plan.changed_files if change.before is None and change.root == app.workspace}
    made -= {change.name for change in plan.changed_files if change.after is None}
    path = os.path.join(app.folder, STATE)
    if removing and not targets:
        with suppress(OSError):
            os.unlink(path)
        return
    kept = {"v": 1, "targets": sorted(targets), "made": sorted(made)}
    if kept != read_json_cache(path):
        write_json_cache(path, kept)


def list_kept_targets(app: App) -> list[str]:
    """The targets whose blocks are kept up to date."""
    return sorted(_read_noted(app, "targets"))


def _read_noted(app: App, key: str) -> set[str]:
    found: Any = read_json_cache(os.path.join(app.folder, STATE)).get(key)
    return set(map(str, found)) if isinstance(found, list) else set()


def read_setting(app: App) -> str:
    """Which files the user wants blocks in, as the setting says it."""
    return str(app.settings["render.targets"]).strip()


def _read_target_setting(app: App) -> TargetChoice | None:
    """What `render.targets` names; None where it leaves the choice to us."""
    names = read_setting(app).replace(",", " ").split()
    if not names:
        return None
    if names == [NONE]:
        return TargetChoice(targets=(), notes=("render.targets is none: name a client, or unset it.",))
    found = {name: target_of(name) for name in names if name != RULES}
    return choose_listed(names, found)
