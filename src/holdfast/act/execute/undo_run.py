"""A run taken back: every path as it was before the run's first change of it, or nothing at all."""

import stat
from collections.abc import Iterable, Sequence

from holdfast.act.execute.edit_log import FOLDER as HOLDFAST
from holdfast.act.execute.edit_log import LOG, RUNS, BadRun, EditLog, LoggedEdit
from holdfast.act.execute.text_files import diff
from holdfast.act.execute.tree_sums import CACHE
from holdfast.core.errors import Conflict, HoldfastError, NotFound
from holdfast.core.file_names import ID
from holdfast.core.run import ELSEWHERE
from holdfast.core.value import Value
from holdfast.system.safe_fs import FILE, FOLDER, LINK, Parts, PathState, SafeFolder

LISTED = 10
_OWNER = 0o700


class RunChangedNothing(NotFound):
    """A run that changed nothing, or that there is no log of."""

    def __init__(self, run: str, why: str) -> None:
        super().__init__(
            f"Run '{run}' cannot be undone: {why}.", "`holdfast runs` lists the runs and what they changed."
        )


class ChangedElsewhere(RunChangedNothing):
    """A run that another machine carried: what it changed is there."""

    def __init__(self, run: str) -> None:
        NotFound.__init__(
            self, f"What run '{run}' changed is on another machine, which carried it.", "look at it, or undo it, there."
        )


class FilesChangedSince(Conflict):
    """Files that somebody changed after the run."""

    def __init__(self, run: str, paths: Sequence[str]) -> None:
        self.paths = tuple(paths)
        more = f" and {len(paths) - LISTED} more" if len(paths) > LISTED else ""
        super().__init__(
            f"Run '{run}' is not undone: changed since, by somebody else: {', '.join(paths[:LISTED])}{more}.",
            "put them back or move them away; or undo by force, and lose what was changed since.",
        )


class CannotRestore(Conflict):
    """Files whose bytes before the run were not kept."""

    def __init__(self, run: str, paths: Sequence[str]) -> None:
        self.paths = tuple(paths)
        super().__init__(
            f"Run '{run}' is not undone: the bytes before it were not kept of {', '.join(paths[:LISTED])}.",
            "restore them from git; or undo by force, which leaves these as they are.",
        )


class NetChange(Value):
    """What a run did to one path in all. `whole`: nobody else changed it in between."""

    path: str
    before: PathState | None
    after: PathState | None
    tasks: tuple[str, ...] = ()
    whole: bool = True


class RunUndoResult(Value):
    """What came of an undo: paths restored, paths left as they are, and what else cannot be vouched for."""

    run: str
    restored: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def net_changes(changes: Iterable[LoggedEdit]) -> tuple[NetChange, ...]:
    """What changes come to, path by path; without those that cancel out."""
    found: dict[str, NetChange] = {}
    for change in changes:
        had = found.get(change.path)
        tasks = dict.fromkeys([*(had.tasks if had else ()), *([change.task] if change.task else [])])
        found[change.path] = NetChange(
            path=change.path, before=had.before if had else change.before, after=change.after, tasks=tuple(tasks),
            whole=had is None or (had.whole and had.after == change.before),
        )  # fmt: skip
    # What was left out of the run's account and went is not missed: tools fill it again.
    return tuple(
        net
        for _, net in sorted(found.items())
        if net.before != net.after and not (net.before is not None and net.before.kind == CACHE)
    )


def undo_run(root: str, run: str, *, force: bool = False) -> RunUndoResult:
    """Restore what a run changed. Raises ChangedSince or CannotRestore before anything is touched; can be repeated."""
    below = SafeFolder(root)
    try:
        log = _open_log(below, run)
        try:
            if log.undone:
                raise RunChangedNothing(run, "it is undone already")
            nets = net_changes(log.changes)
            if not nets:
                raise RunChangedNothing(run, "it changed nothing")
            return _Undo(below, log, nets, force=force).made()
        finally:
            log.close()
    finally:
        below.close()


def diff_run(root: str, run: str) -> str:
    """All that a run changed, as one unified diff; also while it goes on."""
    below = SafeFolder(root)
    try:
        return diff_log(_open_log(below, run, reading=True))
    finally:
        below.close()


def diff_log(log: EditLog) -> str:
    """All that a run changed so far, as one unified diff."""
    return "".join(_show_change(log, net) for net in net_changes(log.changes))


def _open_log(below: SafeFolder, run: str, *, reading: bool = False) -> EditLog:
    if not ID.fullmatch(run):
        raise BadRun(run)
    if below.status((HOLDFAST, RUNS, run, ELSEWHERE)) is not None:
        raise ChangedElsewhere(run)
    if below.status((HOLDFAST, RUNS, run, LOG)) is None:
        raise RunChangedNothing(run, "it has no edit log")
    return EditLog(below, run, reading=reading)


def _show_change(log: EditLog, net: NetChange) -> str:
    kinds = {state.kind for state in (net.before, net.after) if state is not None}
    if kinds != {FILE}:
        return (
            ""
            if kinds <= {FOLDER, CACHE}
            else f"{net.path}: {_describe_state(net.before)} → {_describe_state(net.after)}\n"
        )
    head = ""
    if net.before is not None and net.after is not None and net.before.mode != net.after.mode:
        head = f"{net.path}: mode {net.before.mode:04o} → {net.after.mode:04o}\n"
    try:
        texts = [b"" if state is None else log.bytes_of(state) for state in (net.before, net.after)]
    except HoldfastError:
        texts = [None, None]
    if None in texts:
        return f"{head}{net.path}: too large to show\n"
    before, after = (
        None if state is None else text for state, text in zip((net.before, net.after), texts, strict=True)
    )
    return head + diff(net.path, before, after)


def _describe_state(state: PathState | None) -> str:
    if state is None:
        return "nothing"
    return f"link to {state.target}" if state.kind == LINK else state.kind


class _Undo:
    def __init__(self, below: SafeFolder, log: EditLog, nets: Sequence[NetChange], *, force: bool) -> None:
        self._below, self._log, self._force = below, log, force
        self._nets = {net.path: net for net in nets}
        self._left: list[str] = []

    def made(self) -> RunUndoResult:
        """Check all, then restore all."""
        nets = self._checked()
        if not self._log.undoing:
            self._log.mark("undoing")
        for net in sorted(nets, key=lambda net: net.path, reverse=True):
            self._cleared(net)
        for net in nets:
            self._put_back(net)
        # Last, innermost first: a folder that nobody may write to is filled before.
        for net in sorted(nets, key=lambda net: net.path, reverse=True):
            if net.before is not None and net.before.kind == FOLDER:
                self._below.set_mode(_parts(net.path), net.before.mode)
        self._log.mark("undone", left=self._left)
        return RunUndoResult(
            run=self._log.run, restored=tuple(net.path for net in nets), left=tuple(self._left),
            notes=tuple(self._log.notes),
        )  # fmt: skip

    def _checked(self) -> list[NetChange]:
        moved, lost = [], []
        nets = []
        for net in self._nets.values():
            now = self._now(net.path)
            if not (net.whole and self._is(now, net.after)) and not self._is(now, net.before):
                moved.append(net.path)
            elif net.before is not None and now != net.before and not self._has(net.before):
                lost.append(net.path)
                continue
            nets.append(net)
        moved += self._strangers()
        if moved and not self._force:
            raise FilesChangedSince(self._log.run, sorted(set(moved)))
        lost += [net.path for net in nets if net.path in moved and net.before and not self._has(net.before)]
        if lost and not self._force:
            raise CannotRestore(self._log.run, sorted(lost))
        self._left = sorted(set(lost))
        return [net for net in nets if net.path not in self._left]

    def _now(self, path: str) -> PathState | None:
        try:
            return self._below.state(_parts(path))
        except (Conflict, NotFound):
            return None
        except HoldfastError:
            # Something that is no folder stands in the way.
            return None

    def _is(self, now: PathState | None, then: PathState | None) -> bool:
        if now == then or (now is not None and then is not None and now.kind == FOLDER and then.kind == CACHE):
            return True
        if now is not None and then is not None and now.kind == then.kind == FOLDER and now.mode == _OWNER:
            # Made, and killed before it got its mode.
            return True
        if not self._log.undoing:
            return False
        # An undo that was cut short may have cleared a place, or opened a folder to fill it.
        return now is None or (then is not None and now.kind == then.kind == FOLDER)

    def _has(self, state: PathState) -> bool:
        if state.kind == FILE:
            return self._log.bytes_of(state) is not None
        return state.kind in {FOLDER, LINK}

    def _strangers(self) -> list[str]:
        """What lies in a folder that is to go, and is not the run's."""
        found = []
        for net in self._nets.values():
            goes = net.before is None or net.before.kind != FOLDER
            now = self._now(net.path)
            if goes and now is not None and now.kind == FOLDER and not _is_cache(net):
                names = (f"{net.path}/{name}" for name, _ in self._below.names(_parts(net.path)))
                found += [path for path in names if path not in self._nets]
        return found

    def _cleared(self, net: NetChange) -> None:
        """Take away what must not stand there."""
        now = self._now(net.path)
        if now is None or now == net.before or (net.before and now.kind == net.before.kind == FOLDER):
            return
        if net.before is not None and now.kind == net.before.kind == FILE:
            return  # put back in one step
        with self._writable(net.path):
            if now.kind == FOLDER and (self._force or _is_cache(net)):
                self._emptied(_parts(net.path))
            self._below.remove(_parts(net.path))

    def _emptied(self, parts: Parts) -> None:
        with _Writable(self._below, parts):
            for name, status in self._below.names(parts):
                if stat.S_ISDIR(status.st_mode):
                    self._emptied((*parts, name))
                self._below.remove((*parts, name))

    def _put_back(self, net: NetChange) -> None:
        state, parts = net.before, _parts(net.path)
        if state is None or self._now(net.path) == state:
            return
        with self._writable(net.path):
            if state.kind == FOLDER:
                self._below.make_folder(parts, state.mode | _OWNER)
            elif state.kind == LINK:
                self._below.put_link(parts, state.target)
            else:
                self._put_file(parts, state)

    def _put_file(self, parts: Parts, state: PathState) -> None:
        now = self._below.state(parts)
        if now is not None and now.kind == FILE and now.sha256 == state.sha256:
            self._below.set_mode(parts, state.mode)
            return
        data = self._log.bytes_of(state)
        assert data is not None
        self._below.put(parts, data, mode=state.mode, was=self._below.status(parts))

    def _writable(self, path: str) -> "_Writable":
        return _Writable(self._below, _parts(path)[:-1])


class _Writable:
    """The folder around a path, open to its owner for a moment."""

    def __init__(self, below: SafeFolder, parts: Parts) -> None:
        self._below, self._parts = below, parts
        self._mode: int | None = None

    def __enter__(self) -> None:
        state = self._below.state(self._parts) if self._parts else None
        if state is not None and state.kind == FOLDER and state.mode & _OWNER != _OWNER:
            self._mode = state.mode
            self._below.set_mode(self._parts, state.mode | _OWNER)

    def __exit__(self, *_: object) -> None:
        if self._mode is not None:
            self._below.set_mode(self._parts, self._mode)


def _is_cache(net: NetChange) -> bool:
    return net.after is not None and net.after.kind == CACHE


def _parts(path: str) -> Parts:
    return tuple(path.split("/"))
