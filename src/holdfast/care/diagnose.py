"""Doctor: every problem it can find, explained, and fixed where that loses nothing."""

import os
import stat
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta

from holdfast.care.last_result import KeptFinding, save_result
from holdfast.clients.client_table import CLIENTS
from holdfast.clients.manage_clients import ClientState, list_client_states
from holdfast.core.errors import HoldfastError
from holdfast.core.ids import random_part
from holdfast.core.memory import PREFIXES, Entry, Status
from holdfast.core.search import Select
from holdfast.core.value import Value, replace
from holdfast.exchange.bundles.backup_age import read_backup_age
from holdfast.guard.guard_log import find_policy_problem
from holdfast.index.entries import candidate_id, is_candidate, to_vault_entry, vault_of
from holdfast.index.maintenance import verify
from holdfast.journal.capture_event import LOST
from holdfast.journal.spool import DAMAGED, count_spooled, spool_path
from holdfast.records.vouch_sessions import find_unvouched
from holdfast.review.conflict_pairs import find_few_conflict_pairs
from holdfast.review.subjects import find_doubled_subjects
from holdfast.setup.init_workspace import IGNORE, build_ignore_text
from holdfast.setup.merge_driver import is_driver_asked_for
from holdfast.setup.merge_driver import read_driver_state as git_driver
from holdfast.system.leftovers import sweep_leftovers
from holdfast.system.safe_write import put_file
from holdfast.trust.allow import find_registration, mark_as_own, read_visibility_status, register
from holdfast.vault.entry_json import parse_moment
from holdfast.workspace import App

AHEAD = timedelta(minutes=10)
OTHERS = stat.S_IRWXG | stat.S_IRWXO


class DoctorFinding(Value):
    """One problem: what it is, what it means, what to do, and how we fix it where we can."""

    check: str
    problem: str
    remedy: str
    fix: Callable[[], str] | None = None


def examine(app: App) -> list[DoctorFinding]:
    """Run every check; one that fails itself is a finding, not the end.

    In a server's copy of a team's project, those of the keeper's own set-up are nobody else's.
    """
    sweep_leftovers(app.folder)
    found: list[DoctorFinding] = []
    for check in [each for each in CHECKS if not (app.is_copy and each in OWN_CHECKS)]:
        try:
            found.extend(check(app))
        except (HoldfastError, OSError) as error:
            hint = error.hint if isinstance(error, HoldfastError) else "check permissions and free space."
            found.append(DoctorFinding(check=check.__name__.strip("_"), problem=str(error), remedy=hint))
    # What stands in the way of several checks is one problem.
    return list({(finding.problem, finding.remedy): finding for finding in reversed(found)}.values())[::-1]


def fix_findings(findings: Sequence[DoctorFinding]) -> list[tuple[DoctorFinding, str]]:
    """Fix what can be fixed; each with what was done or why it was not."""
    done = []
    for finding in findings:
        if finding.fix is None:
            continue
        try:
            done.append((finding, finding.fix()))
        except (HoldfastError, OSError) as error:
            done.append((finding, f"could not be fixed: {error}"))
    return done


def save_findings(app: App, left: Sequence[DoctorFinding], mended: Sequence[tuple[DoctorFinding, str]] = ()) -> None:
    """Keep the result for `status`: what is left, and what was fixed and is gone."""
    problems = {finding.problem for finding in left}
    gone = [finding for finding, _ in mended if finding.problem not in problems]
    kept = [(finding, True) for finding in gone] + [(finding, False) for finding in left]
    save_result(app, [KeptFinding(check=f.check, problem=f.problem, remedy=f.remedy, mended=done) for f, done in kept])


def _strays(app: App) -> Iterator[DoctorFinding]:
    """Files in a client's history folder that came while no client ran."""
    for each in find_unvouched(app).strays if app.workspace else ():
        yield DoctorFinding(
            check="strays",
            problem=f"{each.path!r} came into the history of {each.client} while no client ran: somebody may have put "
            "it there. What it says is told to no other session.",
            remedy="`holdfast harvest --vouch` if the session is yours, else `holdfast harvest --no-vouch`.",
        )


def _registration(app: App) -> Iterator[DoctorFinding]:
    if not app.workspace:
        return
    if find_registration(app) is None:
        yield DoctorFinding(
            check="registration",
            problem="This workspace is not in your registry: nothing is captured here and its memory reaches no agent.",
            remedy="run `holdfast init` to make it yours, or `holdfast allow` to let its memory reach agents.",
        )
        return
    stand = read_visibility_status(app)
    if not stand.allowed:
        yield DoctorFinding(
            check="registration",
            problem=f"{_files(stand.new)} not written by you: no agent is told what is in there.",
            remedy="read them (`holdfast list`), then run `holdfast allow`.",
        )
    elif stand.new:
        yield DoctorFinding(
            check="registration",
            problem=f"{_files(stand.new)} not written by you since {stand.allowed_at}.",
            remedy="`holdfast allow --list` shows them; `holdfast allow` lets them reach agents.",
        )


def _files(some: Sequence[str]) -> str:
    return "1 memory file" if len(some) == 1 else f"{len(some)} memory files"


def _token(app: App) -> Iterator[DoctorFinding]:
    path = os.path.join(app.folder, "state", "workspace.json")
    if app.workspace and find_registration(app) and not os.path.exists(path):

        def write() -> str:
            register(app, allowed=False)
            return "written again"

        yield DoctorFinding(
            check="state",
            problem="state/workspace.json is missing: a move of this folder would not be noticed.",
            remedy="it can be written again.",
            fix=write,
        )


def _ignore_file(app: App) -> Iterator[DoctorFinding]:
    if not app.workspace:
        return
    path = os.path.join(app.folder, ".gitignore")
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except (OSError, UnicodeDecodeError):
        text = ""
    if IGNORE.partition("\n")[2] not in text:

        def write() -> str:
            put_file(path, build_ignore_text(app).encode(), private=False)
            return "written again"

        yield DoctorFinding(
            check="gitignore",
            problem=".holdfast/.gitignore does not keep captured text out of git.",
            remedy="it can be written again; lines you added to it would go.",
            fix=write,
        )


def _stored(app: App) -> Iterator[DoctorFinding]:
    verdict = verify(app)
    for problem in verdict.problems:
        where = f"{problem.path}:{problem.line}" if problem.line else problem.path
        torn = "torn tail" in problem.reason
        yield DoctorFinding(
            check="journal" if problem.path.startswith("journal/") else "files",
            problem=f"{where}: {problem.reason}",
            remedy=problem.hint or ("the torn part is kept in journal/torn/." if torn else "fix the file by hand."),
            fix=(lambda: f"cut into {', '.join(app.journal.recover()) or 'nothing'}") if torn else None,
        )
    for side_file in verdict.journal.torn:
        yield DoctorFinding(
            check="journal",
            problem=f"A write was cut short once; its bytes are in {side_file}. Nothing acknowledged was in it.",
            remedy="look at it, and remove it when you no longer want it.",
        )


def _same_ids(app: App) -> Iterator[DoctorFinding]:
    by_id: dict[str, list[Entry]] = defaultdict(list)
    for entry in app.index.select(Select()):
        by_id[entry.memory.id].append(entry)
    for memory_id, entries in by_id.items():
        for later in entries[1:]:
            yield DoctorFinding(
                check="ids",
                problem=f"{memory_id} stands in {entries[0].path}:{entries[0].line} and {later.path}:{later.line}.",
                remedy="the second one can get a new id.",
                fix=lambda later=later: _give_new_id(app, later),  # type: ignore[misc]  # a default binds the loop's value
            )


def _give_new_id(app: App, entry: Entry) -> str:
    new = f"{PREFIXES[entry.memory.type]}-{random_part()}"
    if is_candidate(entry):
        new = candidate_id(new)
    changed = vault_of(app, entry).rewrite(to_vault_entry(entry), replace(entry.memory, id=new))
    mark_as_own(app, changed, before=entry.sha256)
    app.refresh()
    return f"{entry.path}:{entry.line} is now {new}"


def _loops(app: App) -> Iterator[DoctorFinding]:
    newer = {link.old: link.new for link in app.index.links()[0]}
    told: set[str] = set()
    for start in sorted(newer):
        chain = [start]
        while chain[-1] in newer and newer[chain[-1]] not in chain:
            chain.append(newer[chain[-1]])
        if newer.get(chain[-1]) == start and start not in told:
            told.update(chain)
            yield DoctorFinding(
                check="links",
                problem=f"{', '.join(chain)} supersede each other, so none of them is valid.",
                remedy=f"take one link out: holdfast edit {start}",
            )


def _clock(app: App) -> Iterator[DoctorFinding]:
    last = app.index.events("9999", 1, 0)
    then = parse_moment(last[-1].ts) if last else None
    if then and then > app.clock.now() + AHEAD:
        yield DoctorFinding(
            check="clock",
            problem=f"The newest event is of {last[-1].ts}, which is ahead of this machine's clock.",
            remedy="set the clock right; the order of events does not depend on it.",
        )


def _modes(app: App) -> Iterator[DoctorFinding]:
    for name in ("journal", "candidates", "state"):
        path = os.path.join(app.folder, name)
        if os.path.isdir(path) and stat.S_IMODE(os.stat(path).st_mode) & OTHERS:

            def close(path: str = path) -> str:
                os.chmod(path, 0o700)
                return f"{path} is yours alone now"

            yield DoctorFinding(
                check="permissions",
                problem=f"{path} can be read by other users of this machine.",
                remedy="it holds captured text: close it.",
                fix=close,
            )


def _spool(app: App) -> Iterator[DoctorFinding]:
    """Events that a hook could not put into the journal in time."""
    if not app.workspace:
        return
    left, damaged = count_spooled(app.home, app.folder)
    if left:
        yield DoctorFinding(
            check="spool",
            problem=f"{count_events(left)} cannot come into the journal and wait in "
            f"{spool_path(app.home, app.folder)}.",
            remedy="look for a stopped holdfast process and end it, or for what the journal's folder lacks; nothing is "
            "lost, and the next command takes them in.",
        )
    if damaged:
        yield DoctorFinding(
            check="spool",
            problem=f"{count_events(damaged)} in {spool_path(app.home, app.folder)} are damaged: their files end in "
            f"'{DAMAGED}' and are not in the journal.",
            remedy="read what is left of them, then remove the files.",
        )


def count_events(number: int) -> str:
    """A number of events."""
    return "1 event" if number == 1 else f"{number} events"


def _hook_log(app: App) -> Iterator[DoctorFinding]:
    try:
        with open(os.path.join(app.home, "logs", "hook.log"), encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return
    lost = sum(line.endswith(LOST) for line in lines)
    if lost:
        yield DoctorFinding(
            check="hook",
            problem=f"{count_events(lost)} {'was' if lost == 1 else 'were'} lost to the hook's time limit.",
            remedy="the client's own history may have them: `holdfast harvest`. The lines are in logs/hook.log in your "
            "home folder of Holdfast.",
        )
    if lines:
        yield DoctorFinding(
            check="hook",
            problem=f"The hook had trouble {len(lines)} times; the last was {lines[-1]}",
            remedy="fix what it names, then remove logs/hook.log in your home folder of Holdfast.",
            fix=lambda: _drop_hook_log(app),
        )


def _drop_hook_log(app: App) -> str:
    path = os.path.join(app.home, "logs", "hook.log")
    os.replace(path, path + ".1")
    return f"set aside as {path}.1"


def _clients(app: App) -> Iterator[DoctorFinding]:
    for client in list_client_states(app):
        if client.trusted is False:
            yield DoctorFinding(
                check="clients",
                problem=f"{client.title} does not run our hooks: they are not trusted there.",
                remedy="open it, type /hooks, and trust those of holdfast.",
            )
        elif client.silent and app.workspace:
            yield _silence(client)
        if client.installed and not client.complete:
            yield DoctorFinding(
                check="clients",
                problem=f"The files that set up {client.title} are not what `holdfast init` would write now.",
                remedy=f"run `holdfast init --client {client.id}`.",
            )


def _silence(client: ClientState) -> DoctorFinding:
    """A client that should have been heard, and what may be the reason."""
    reasons = " ".join(note for known in CLIENTS if known.id == client.id for note in known.notes)
    if client.used:
        when = client.used[:16].replace("T", " ")
        problem = (
            f"{client.title} was used here at {when}, by its own files, and nothing of it came: its hooks do not run."
        )
    else:
        problem = f"{client.title} is set up, and no event of it came to this workspace."
    remedy = "start a new session there; sessions that ran before `holdfast init` know nothing of it."
    return DoctorFinding(check="clients", problem=problem, remedy=f"{remedy} {reasons}".strip())


def _settings(app: App) -> Iterator[DoctorFinding]:
    for refused in app.settings.refused:
        yield DoctorFinding(
            check="settings", problem=refused, remedy="remove the key from the repository's config.toml."
        )


def _guard(app: App) -> Iterator[DoctorFinding]:
    if problem := find_policy_problem(app):
        yield DoctorFinding(check="guard", problem=problem, remedy="fix the file, then run `holdfast guard policy`.")


def _merge_driver(app: App) -> Iterator[DoctorFinding]:
    if not is_driver_asked_for(app):
        return
    found = git_driver(app)
    if not found.runs:
        has = "has one whose Python is gone" if found.command else "has none"
        yield DoctorFinding(
            check="git",
            problem=f"The repository asks for our merge driver, and this clone {has}: git merges memory line by line.",
            remedy="run `holdfast init --merge-driver`.",
        )


def _backup(app: App) -> Iterator[DoctorFinding]:
    if warning := read_backup_age(app).warning:
        problem, _, remedy = warning.partition(": ")
        yield DoctorFinding(check="backup", problem=f"{problem}.", remedy=f"run `{remedy}`.")


def _conflicts(app: App) -> Iterator[DoctorFinding]:
    for pair in find_few_conflict_pairs(app, app.index.select(Select())).conflicting:
        new, old = pair.new.memory, pair.old.memory
        yield DoctorFinding(
            check="conflicts",
            problem=f"{new.id} and {old.id} contradict each other: {pair.reason}.",
            remedy=f"say which holds: holdfast resolve {new.id} {old.id} --supersede (or --keep-old, --narrow GLOB, "
            "--keep-both --because WHY).",
        )


def _uncompared(app: App) -> Iterator[DoctorFinding]:
    """What nobody has compared yet: not to be taken for a look that found nothing."""
    left = find_few_conflict_pairs(app, app.index.select(Select())).unseen
    if left:
        yield DoctorFinding(
            check="conflicts",
            problem=f"{left} of the memories that hold have not been compared with the others since they changed.",
            remedy="run `holdfast check --memories`: it compares all of them.",
        )


def _subjects(app: App) -> Iterator[DoctorFinding]:
    said = {
        frozenset((pair.new.memory.id, pair.old.memory.id))
        for pair in find_few_conflict_pairs(app, app.index.select(Select())).conflicting
    }
    doubled = find_doubled_subjects(app, app.index.select(Select(statuses=(Status.ACCEPTED,))))
    for each in doubled.found:
        new, old = each.new.memory.id, each.old.memory.id
        if {new, old} not in said:
            yield DoctorFinding(
                check="subjects",
                problem=f"{new} and {old} both hold on {each.subject!r}, and say different things: {each.reason}.",
                remedy=f"say which holds: holdfast resolve {new} {old} --supersede (or --keep-both --because WHY).",
            )
    if doubled.unseen:
        yield DoctorFinding(
            check="subjects",
            problem=f"{doubled.unseen} subjects with more than one memory were not compared in the time there was.",
            remedy="`holdfast list --by subject` shows them.",
        )


CHECKS = (
    _registration,
    _strays,
    _token,
    _ignore_file,
    _modes,
    _spool,
    _hook_log,
    _clients,
    _settings,
    _guard,
    _stored,
    _same_ids,
    _loops,
    _conflicts,
    _uncompared,
    _subjects,
    _merge_driver,
    _backup,
    _clock,
)
OWN_CHECKS = (_strays, _hook_log, _clients, _settings, _guard, _backup)
