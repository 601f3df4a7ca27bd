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
from holdfast.recall.tellable import tellable
from holdfast.records.memory_use import counts
from holdfast.render import place_block
from holdfast.render.block_text import HEAD, SCOPED_HEAD, Block, as_in, block_of, useful_first
from holdfast.render.choose_files import Choice, Seen, for_all, for_clients, imports, listed
from holdfast.render.client_files import Change, Left, Plan, bytes_of, check_writable, joined, leaving, text_of, tried
from holdfast.render.path_rules import rules_of
from holdfast.render.refresh import STATE
from holdfast.system.folders import Place
from holdfast.system.json_cache import read_derived, write_derived
from holdfast.system.safe_write import locked
from holdfast.trust.tracked_files import Tracked
from holdfast.trust.visibility import for_agents, registered
from holdfast.workspace import App

NONE = "none"
BYTES_PER_TOKEN = 4
MARKERS = len(BEGIN) + len(END) + 4
TRIES = 3
_FRONTMATTER = re.compile(r"\s*(?:---\r?\n(?:(?!---)[^\n]*\n)*---\s*)?", re.ASCII)

Order = Callable[[str, list[Memory]], list[Memory]]


class NoRoom(Conflict):
    """A file that is full without us."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"there is no room: no more than {limit:,} bytes of it are read.", "shorten the file.")


class NotAllowed(Refused):
    """Somebody else's memory: a block of it would be empty, and could replace one that is not."""

    def __init__(self) -> None:
        super().__init__(
            "The memory of this workspace may not reach agents yet.", "look at it, then run `holdfast allow`."
        )


# Planning


def plan_render(app: App, named: Sequence[str], in_use: Sequence[str]) -> Plan:
    """The blocks for the clients named; without names, for the files that are there and the clients in use."""
    known_as = registered(app)
    if known_as is None or not known_as.allowed:
        raise NotAllowed
    seen = look(app)
    wanted = _listed(app)
    if named:
        choice = for_clients(seen, named)
    elif wanted:
        choice = wanted
    else:
        choice = for_all(seen, in_use)
    return _planned(app, choice)


def plan_remove(app: App, named: Sequence[str] = ()) -> Plan:
    """Every block taken out; with names, those in the files of some clients."""
    choice = for_clients(look(app), named) if named else Choice(targets=TARGETS, rules=True)
    made, known = _noted(app, "made"), os.path.exists(os.path.join(app.folder, STATE))
    changes, left = list[Change](), list[Left]()
    for name, target in _files(app, choice):
        with leaving(name, left):
            before = bytes_of(app.workspace, name)
            text = text_of(before) if before is not None else ""
            rest = place_block.take(text)
            if before is None or rest == text:
                continue
            ours = target.own or name in made or not known
            gone = ours and bool(_FRONTMATTER.fullmatch(rest) if target.own else not rest)
            after = None if gone else rest.encode()
            check_writable(app.workspace, name)
            changes.append(Change(root=app.workspace, name=name, target=target.id, before=before, after=after))
    forgotten = _ids(choice) if named else (*_ids(choice), *_noted(app, "targets"))
    return Plan(changes=tuple(changes), left=tuple(left), targets=forgotten)


def plan_check(app: App) -> Plan:
    """The blocks that stand here as memory would have them: of all memory, for a check tells no agent anything."""
    memories, _ = _memories(app, everyone=True)
    there = {target.id for name, target in _files(app, Choice(targets=TARGETS, rules=True)) if _has_block(app, name)}
    wanted = _listed(app) or Choice(targets=())
    targets = tuple(target for target in TARGETS if target.id in there or target in wanted.targets)
    rules = wanted.rules or RULES in there or not {CLAUDE, CLAUDE_INSIDE}.isdisjoint(targets)
    return _with(app, Choice(targets=targets, rules=rules), memories, as_in)


def renew(app: App) -> None:
    """Bring what was rendered in step with memory; trouble is a notice."""
    if Tracked(app).holds(STATE.replace(os.sep, "/")) or _setting(app) == NONE:
        return
    from holdfast.render.stale_sessions import restart_words

    try:
        done = _renewed(app)
        words = restart_words(app, {change.target for change in done.news})
    except (HoldfastError, OSError) as error:
        app.notices.append(f"The blocks in clients' files were not renewed: {error}")
        return
    app.notices.extend(f"The block in {each.name} was left alone: {each.reason} {each.hint}" for each in done.left)
    if done.news:
        app.notices.append(f"Renewed the block in {', '.join(change.name for change in done.news)}.")
    app.notices.extend(words)


def _renewed(app: App) -> Plan:
    """Plan and write, again if a file changed between the two."""
    for tries in range(TRIES):
        plan = _plan_renewal(app)
        if plan.held:
            app.notices.append(
                "The blocks in clients' files stay as they are, for some memory is held back: look at it, then "
                "`holdfast allow` and `holdfast render`."
            )
            return Plan()
        try:
            apply(app, plan)
        except Conflict:
            if tries + 1 == TRIES:
                raise
        else:
            return plan
    return Plan()


def _plan_renewal(app: App) -> Plan:
    notices = len(app.notices)
    ids = _noted(app, "targets")
    standing = tuple(target for target in TARGETS if target.id in ids and _has_block(app, target.path))
    plan = _planned(app, Choice(targets=standing, rules=RULES in ids))
    # Blocks that somebody took out are not put back, but stay known: the file may only be away for a while.
    plan = replace(plan, targets=tuple(sorted(ids)))
    if TOPICS in ids:
        plan = joined(plan, claude_memory_plan(app))
    del app.notices[notices:]
    return plan


def claude_memory_plan(app: App, *, removing: bool = False) -> Plan:
    """The top memories in Claude Code's own memory, or all of ours taken out of it."""
    from holdfast.render.claude_files import plan_files

    memories, held = ([], 0) if removing else _memories(app)
    return replace(plan_files(app, useful_first(memories, counts(app)), removing=removing), held=held)


def _planned(app: App, choice: Choice) -> Plan:
    used = counts(app)
    memories, held = _memories(app)
    return replace(_with(app, choice, memories, lambda _, found: useful_first(found, used)), held=held)


def _with(app: App, choice: Choice, memories: list[Memory], order: Order) -> Plan:
    changes, left = list[Change](), list[Left]()
    for target in choice.targets:
        with leaving(target.path, left):
            found = [memory for memory in memories if target.scoped or not memory.paths]
            changes.append(_filled(app, target, found, order))
    if choice.rules:
        changes += _rules(app, memories, order, left)
    return Plan(changes=tuple(changes), left=tuple(left), targets=_ids(choice), notes=choice.notes)


def _ids(choice: Choice) -> tuple[str, ...]:
    return (*(target.id for target in choice.targets), *((RULES,) if choice.rules else ()))


def _rules(app: App, memories: list[Memory], order: Order, left: list[Left]) -> Iterator[Change]:
    """A file for each set of globs; those of globs that no memory has any more lose our block."""
    wanted = {rule.path: rule for rule in rules_of(order("", memories))}
    for name in sorted({*wanted, *_rule_files(app)}):
        with leaving(name, left):
            if rule := wanted.get(name):
                yield _filled(app, _rule(name, rule.head), list(rule.memories), order, SCOPED_HEAD)
            elif (before := bytes_of(app.workspace, name)) is not None:
                text = text_of(before)
                rest = place_block.take(text)
                after = None if _FRONTMATTER.fullmatch(rest) else rest.encode()
                if rest != text:
                    yield Change(root=app.workspace, name=name, target=RULES, before=before, after=after)


def _filled(app: App, target: Target, memories: list[Memory], order: Order, head: str = HEAD) -> Change:
    """A file with its block."""
    before = bytes_of(app.workspace, target.path)
    text = target.head if before is None else text_of(before)
    room, limit = _room(app, target, text)
    block: Block | None = block_of(order(place_block.inside(text) or "", memories), room, head=head)
    if block is None:
        raise NoRoom(limit)
    after = place_block.put(text, block.text).encode()
    if before not in (None, after):
        check_writable(app.workspace, target.path)
    return Change(
        root=app.workspace, name=target.path, target=target.id, before=before, after=after, ids=block.ids,
        dropped=block.dropped,
    )  # fmt: skip


def _room(app: App, target: Target, text: str) -> tuple[int, int]:
    """How many bytes the block may have, and the limit that says so."""
    limits = [(int(app.settings["render.budget_tokens"]) * BYTES_PER_TOKEN, 0)]
    if target.block_bytes:
        limits.append((target.block_bytes - MARKERS, target.block_bytes))
    if target.file_bytes:
        limits.append((target.file_bytes - place_block.outside(text) - MARKERS, target.file_bytes))
    return min(limits)


def _memories(app: App, *, everyone: bool = False) -> tuple[list[Memory], int]:
    """Accepted memory of the workspace that holds and may reach agents; and how many may not."""
    types = set(_types(app))
    stands = tellable(app.index)
    found = [
        entry
        for entry in app.index.select(Select())
        if entry.scope is Scope.WORKSPACE
        and entry.path.startswith("memory/")
        and entry.memory.type in types
        and stands(entry)
    ]
    reach = found if everyone else for_agents(app, found)
    return [entry.memory for entry in reach], len(found) - len(reach)


def _types(app: App) -> list[MemoryType]:
    words = str(app.settings["render.types"]).replace(",", " ").split()
    return [kind for kind in MemoryType if kind in {word.lower().removesuffix("s") for word in words}]


# What is there


def look(app: App) -> Seen:
    """Which files of clients are there, and which of them bring in another."""
    there = frozenset(target.id for target in TARGETS if _is_there(app, target.path))
    covered = frozenset(target.id for target in TARGETS if target.id in there and _is_covered(app, target, there))
    rules = {RULES} if any(_has_block(app, name) for name in _rule_files(app)) else set()
    folders = {
        target.id
        for target in (DEVIN, WINDSURF)
        if os.path.isdir(os.path.join(app.workspace, os.path.dirname(target.path)))
    }
    return Seen(there=there | rules, covered=covered, folders=frozenset(folders))


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
        return any(imports(text, f"{up}{other.path}") for other in others)
    return False


def _files(app: App, choice: Choice) -> Iterator[tuple[str, Target]]:
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
        return data is not None and place_block.find(text_of(data)) is not None
    except place_block.BrokenBlock:
        return True
    except (HoldfastError, OSError):
        return False


# Writing


def apply(app: App, plan: Plan, *, removing: bool = False) -> None:
    """Write what is planned, each file whole or not at all. Raises Moved for one that changed meanwhile.

    One that cannot be written does not stop the others.
    """
    with locked(Place(root=os.path.join(app.folder, "state"), private=True)):
        failed = {change.name: error for change in plan.news if (error := tried(change))}
        done = tuple(change for change in plan.changes if change.name not in failed)
        _note(app, replace(plan, changes=done), removing=removing)
    for error in failed.values():
        raise error


def _note(app: App, plan: Plan, *, removing: bool) -> None:
    """Keep which targets are to be renewed, and which files were made for a block."""
    targets, made = _noted(app, "targets"), _noted(app, "made")
    targets = targets - set(plan.targets) if removing else targets | set(plan.targets)
    made |= {change.name for change in plan.news if change.before is None and change.root == app.workspace}
    made -= {change.name for change in plan.news if change.after is None}
    path = os.path.join(app.folder, STATE)
    if removing and not targets:
        with suppress(OSError):
            os.unlink(path)
        return
    kept = {"v": 1, "targets": sorted(targets), "made": sorted(made)}
    if kept != read_derived(path):
        write_derived(path, kept)


def targets_kept(app: App) -> list[str]:
    """The targets whose blocks are kept in step."""
    return sorted(_noted(app, "targets"))


def _noted(app: App, key: str) -> set[str]:
    found: Any = read_derived(os.path.join(app.folder, STATE)).get(key)
    return set(map(str, found)) if isinstance(found, list) else set()


def _setting(app: App) -> str:
    return str(app.settings["render.targets"]).strip()


def _listed(app: App) -> Choice | None:
    """What `render.targets` names; None where it leaves the choice to us."""
    names = _setting(app).replace(",", " ").split()
    if not names:
        return None
    if names == [NONE]:
        return Choice(targets=(), notes=("render.targets is none: name a client, or unset it.",))
    found = {name: target_of(name) for name in names if name != RULES}
    return listed(names, found)
