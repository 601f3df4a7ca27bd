"""Blocks of memory in clients' files, on disk: planned, written, checked against memory, taken out again.

What was rendered is noted in `state/rendered.json`. Without it nothing is renewed by itself, and nothing is lost.
"""

import os
import re
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from typing import Any

from holdfast.clients.targets import (
    AGENTS,
    CLAUDE,
    CLAUDE_INSIDE,
    DEVIN,
    GEMINI,
    RULES,
    RULES_FOLDER,
    RULES_PREFIX,
    TARGETS,
    WINDSURF,
    Target,
    target_of,
)
from holdfast.curate.render import place
from holdfast.curate.render.block import HEAD, SCOPED_HEAD, Block, as_in, block_of, useful_first
from holdfast.curate.render.choose import Choice, Seen, for_all, for_clients, imports, listed
from holdfast.curate.render.rules import rules_of
from holdfast.domain.errors import Conflict, HoldfastError, Refused
from holdfast.domain.memory import Memory, MemoryType, Scope
from holdfast.domain.search import Select
from holdfast.domain.value import Value, replace
from holdfast.recall.current import tellable
from holdfast.vault.disk import Place
from holdfast.vault.write import create_file, locked, read_file, remove_file, replace_file
from holdfast.wiring.app import App
from holdfast.wiring.derived import read_derived, write_derived
from holdfast.wiring.ours import Tracked
from holdfast.wiring.reach import for_agents
from holdfast.wiring.rendering import STATE
from holdfast.wiring.use import counts

NONE = "none"
BYTES_PER_TOKEN = 4
MARKERS = len(place.BEGIN) + len(place.END) + 4
TRIES = 3
_FRONTMATTER = re.compile(r"\s*(?:---\r?\n(?:[^\n]*\n)*?---\s*)?", re.ASCII)

Order = Callable[[str, list[Memory]], list[Memory]]


class LinkThere(Refused):
    """A link where a client's file should be: what it points to may lie anywhere."""

    def __init__(self) -> None:
        super().__init__("it is a link, or lies behind one.", "put the real file there, or name the one it points to.")


class NotAFile(Refused):
    """Something else than a file."""

    def __init__(self) -> None:
        super().__init__("it is not a file.", "move it away.")


class ReadOnly(Refused):
    """A file that its owner does not want changed."""

    def __init__(self) -> None:
        super().__init__("it is read-only.", "make it writable (chmod u+w), then run `holdfast render`.")


class NotText(Refused):
    """A file in another encoding."""

    def __init__(self) -> None:
        super().__init__("it is not UTF-8.", "save it as UTF-8, then run `holdfast render`.")


class NoRoom(Conflict):
    """A file that is full without us."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"there is no room: no more than {limit:,} bytes of it are read.", "shorten the file.")


class Change(Value):
    """A file of a target: its bytes now and then (None: no file), and the memories in its block."""

    root: str
    name: str
    target: str
    before: bytes | None
    after: bytes | None
    ids: tuple[str, ...] = ()
    dropped: int = 0

    @property
    def path(self) -> str:
        """Where it is."""
        return os.path.join(self.root, self.name)

    @property
    def news(self) -> bool:
        """Whether the file changes."""
        return self.before != self.after


class Left(Value):
    """A file that is left alone, and why."""

    name: str
    reason: str
    hint: str = ""


class Plan(Value):
    """What will be written. `targets` are the ids that are kept in step from then on."""

    changes: tuple[Change, ...] = ()
    left: tuple[Left, ...] = ()
    targets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    held: int = 0

    @property
    def news(self) -> tuple[Change, ...]:
        """The files that change."""
        return tuple(change for change in self.changes if change.news)


# Planning


def plan_render(app: App, named: Sequence[str], in_use: Sequence[str]) -> Plan:
    """The blocks for the clients named; without names, for the files that are there and the clients in use."""
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
    made, known = _state(app).get("made"), _has_state(app)
    makers = {str(name) for name in made} if isinstance(made, list) else set()
    changes, left = list[Change](), list[Left]()
    for name, target in _files(app, choice):
        with _leaving(name, left):
            before = _bytes(app.workspace, name)
            text = _text(before) if before is not None else ""
            rest = place.take(text)
            if before is None or rest == text:
                continue
            ours = target.own or name in makers or not known
            gone = ours and bool(_FRONTMATTER.fullmatch(rest) if target.own else not rest)
            after = None if gone else rest.encode()
            changes.append(Change(root=app.workspace, name=name, target=target.id, before=before, after=after))
    return Plan(changes=tuple(changes), left=tuple(left))


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
    try:
        done = _renewed(app)
    except (HoldfastError, OSError) as error:
        app.notices.append(f"The blocks in clients' files were not renewed: {error}")
        return
    app.notices.extend(f"The block in {each.name} was left alone: {each.reason} {each.hint}" for each in done.left)
    if done.news:
        from holdfast.wiring.restart import restart_words

        app.notices.append(f"Renewed the block in {', '.join(change.name for change in done.news)}.")
        app.notices.extend(restart_words(app, {change.target for change in done.news}))


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
    known = _state(app)
    ids = {str(each) for each in known.get("targets", ())}
    standing = tuple(target for target in TARGETS if target.id in ids and _has_block(app, target.path))
    plan = _planned(app, Choice(targets=standing, rules=RULES in ids))
    # Blocks that somebody took out are not put back, but stay known: the file may only be away for a while.
    plan = replace(plan, targets=tuple(sorted(ids)))
    if known.get("claude_memory"):
        plan = joined(plan, claude_memory_plan(app))
    del app.notices[notices:]
    return plan


def claude_memory_plan(app: App, *, removing: bool = False) -> Plan:
    """The top memories in Claude Code's own memory, or all of ours taken out of it."""
    from holdfast.wiring.claude_files import plan_files

    memories, held = ([], 0) if removing else _memories(app)
    return replace(plan_files(app, useful_first(memories, counts(app)), removing=removing), held=held)


def joined(plan: Plan, more: Plan) -> Plan:
    """Two plans as one."""
    return Plan(
        changes=plan.changes + more.changes,
        left=plan.left + more.left,
        targets=plan.targets + more.targets,
        notes=tuple(dict.fromkeys(plan.notes + more.notes)),
        held=max(plan.held, more.held),
    )


def _planned(app: App, choice: Choice) -> Plan:
    used = counts(app)
    memories, held = _memories(app)
    return replace(_with(app, choice, memories, lambda _, found: useful_first(found, used)), held=held)


def _with(app: App, choice: Choice, memories: list[Memory], order: Order) -> Plan:
    changes, left = list[Change](), list[Left]()
    for target in choice.targets:
        with _leaving(target.path, left):
            found = [memory for memory in memories if target.scoped or not memory.paths]
            changes.append(_filled(app, target, found, order))
    if choice.rules:
        for change in _rules(app, memories, order, left):
            changes.append(change)
    targets = [target.id for target in choice.targets] + ([RULES] if choice.rules else [])
    return Plan(changes=tuple(changes), left=tuple(left), targets=tuple(targets), notes=choice.notes)


def _rules(app: App, memories: list[Memory], order: Order, left: list[Left]) -> Iterator[Change]:
    """A file for each set of globs; those of globs that no memory has any more lose our block."""
    wanted = {rule.path: rule for rule in rules_of(order("", memories))}
    for name in sorted({*wanted, *_rule_files(app)}):
        with _leaving(name, left):
            if rule := wanted.get(name):
                yield _filled(app, _rule(name, rule.head), list(rule.memories), order, SCOPED_HEAD)
            elif (before := _bytes(app.workspace, name)) is not None:
                rest = place.take(_text(before))
                after = None if _FRONTMATTER.fullmatch(rest) else rest.encode()
                yield Change(root=app.workspace, name=name, target=RULES, before=before, after=after)


def _filled(app: App, target: Target, memories: list[Memory], order: Order, head: str = HEAD) -> Change:
    """A file with its block."""
    before = _bytes(app.workspace, target.path)
    text = target.head if before is None else _text(before)
    room, limit = _room(app, target, text)
    block: Block | None = block_of(order(place.inside(text) or "", memories), room, head=head)
    if block is None:
        raise NoRoom(limit)
    after = place.put(text, block.text).encode()
    return Change(
        root=app.workspace, name=target.path, target=target.id, before=before, after=after, ids=block.ids,
        dropped=block.dropped,
    )  # fmt: skip


def _room(app: App, target: Target, text: str) -> tuple[int, int]:
    """How many bytes the block may have, and the limit that says so."""
    limits = [(int(app.settings["render.budget_tokens"]) * BYTES_PER_TOKEN, target.file_bytes)]
    if target.block_bytes:
        limits.append((target.block_bytes - MARKERS, target.block_bytes))
    if target.file_bytes:
        limits.append((target.file_bytes - place.outside(text) - MARKERS, target.file_bytes))
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
        text = _text(_bytes(app.workspace, target.path) or b"")
        return any(imports(text, f"{up}{other.path}") for other in others)
    return False


def _files(app: App, choice: Choice) -> Iterator[tuple[str, Target]]:
    for target in choice.targets:
        if _is_there(app, target.path):
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
        data = _bytes(app.workspace, name)
        return data is not None and place.find(_text(data)) is not None
    except place.BrokenBlock:
        return True
    except (HoldfastError, OSError):
        return False


def _bytes(root: str, name: str) -> bytes | None:
    """The bytes of a file below a folder, which may be changed; None when there is none."""
    at = root
    for part in name.split("/"):
        at = os.path.join(at, part)
        try:
            found = os.lstat(at)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if stat.S_ISLNK(found.st_mode):
            raise LinkThere
    if not stat.S_ISREG(found.st_mode):
        raise NotAFile
    return read_file(Place(root=root), name)


def _text(data: bytes) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise NotText from None
    if "\0" in text:
        raise NotText
    return text


class _leaving:  # noqa: N801  # used as a word
    """What goes wrong with one file is noted, and the others go on."""

    def __init__(self, name: str, left: list[Left]) -> None:
        self._name, self._left = name, left

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: object, error: object, __: object) -> bool:
        if not isinstance(error, HoldfastError):
            return False
        self._left.append(Left(name=self._name, reason=str(error), hint=error.hint))
        return True


# Writing


def apply(app: App, plan: Plan, *, removing: bool = False) -> None:
    """Write what is planned, each file whole or not at all. Raises Moved for one that changed meanwhile."""
    with locked(Place(root=os.path.join(app.folder, "state"), private=True)):
        for change in plan.news:
            _write(change)
        _note(app, plan, removing=removing)


def _write(change: Change) -> None:
    place_ = Place(root=change.root)
    then = _sum(change.before)
    if change.after is None:
        remove_file(place_, change.name, then=then)
        _drop_folders(change)
    elif change.before is None:
        create_file(place_, change.name, change.after)
    else:
        if not os.stat(change.path).st_mode & 0o222:
            raise ReadOnly
        replace_file(place_, change.name, change.after, then=then)


def _drop_folders(change: Change) -> None:
    """Folders that are empty now: nobody but us had a file there."""
    folder = os.path.dirname(change.path)
    while folder != change.root and os.path.commonpath([folder, change.root]) == change.root:
        try:
            os.rmdir(folder)
        except OSError:
            return
        folder = os.path.dirname(folder)


def _sum(data: bytes | None) -> str:
    from hashlib import sha256

    return "" if data is None else sha256(data).hexdigest()


def _note(app: App, plan: Plan, *, removing: bool) -> None:
    known = _state(app)
    targets, made = ({str(each) for each in known.get(key, ())} for key in ("targets", "made"))
    gone = {change.target for change in plan.changes} if removing else set()
    targets = (targets | set(plan.targets)) - gone
    made |= {change.name for change in plan.news if change.before is None and change.root == app.workspace}
    made -= {change.name for change in plan.news if change.after is None}
    path = os.path.join(app.folder, STATE)
    if removing and not targets:
        with suppress(OSError):
            os.unlink(path)
        return
    from holdfast.wiring.claude_files import TARGET

    kept = {"v": 1, "targets": sorted(targets), "made": sorted(made), "claude_memory": TARGET in targets}
    if kept != known:
        write_derived(path, kept)


def _state(app: App) -> dict[str, Any]:
    return read_derived(os.path.join(app.folder, STATE))


def _has_state(app: App) -> bool:
    return os.path.exists(os.path.join(app.folder, STATE))


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
