"""The user's own rule for candidates that need no look: `auto_accept`. Only what the user said can qualify."""

from collections.abc import Iterator, Sequence

from holdfast.distil.distil import DistilJob, DistilResult, distil_sessions
from holdfast.index.entries import NoSuchId
from holdfast.review.accept import AcceptedCandidate, accept
from holdfast.review.auto_rule import KEY, collect_facts, may_qualify, read_rule
from holdfast.review.expression import BadRule, CandidateRule
from holdfast.review.queue import find_candidate
from holdfast.review.relations import RelationFinder
from holdfast.trust.tracked_files import TrackedFiles
from holdfast.workspace import App

# Given by whoever runs the command: inside a client that may be the agent.
GIVEN_BY_ANYBODY = ("environment", "flag")


def distil_and_accept(app: App, chosen: Sequence[DistilJob]) -> Iterator[DistilResult]:
    """Distil these, one after the other; what the user's rule lets through of each is accepted."""
    for each in distil_sessions(app, chosen):
        accept_by_rule(app, each.fresh)
        yield each


def accept_by_rule(app: App, ids: Sequence[str]) -> tuple[AcceptedCandidate, ...]:
    """Accept those of some new candidates that the user's rule lets through; what contradicts a memory never is."""
    rule = _rule(app)
    if rule is None or not ids:
        return ()
    user = app.open_other(app.workspace)
    # The rule is the person's own word, also where a client's session started this.
    user.client = ""
    try:
        chosen = _choose_ids(user, rule, ids)
        done = accept(user, chosen, verb=KEY).accepted if chosen else ()
    except BadRule as error:
        app.notices.append(f"{error} Nothing was accepted by it.")
        return ()
    finally:
        user.close()
        app.refresh()
    app.notices += [*user.notices, *(f"Accepted by your rule: {each.entry.memory.id} (holdfast undo)" for each in done)]
    return done


def _rule(app: App) -> CandidateRule | None:
    text = str(app.settings[KEY]).strip()
    if not text:
        return None
    if app.client and app.settings.origins.get(KEY) in GIVEN_BY_ANYBODY:
        app.notices.append(f"Inside {app.client} the setting {KEY} counts only from your own config.toml.")
        return None
    try:
        return read_rule(text)
    except BadRule as error:
        app.notices.append(f"{error} Nothing was accepted by it.")
        return None


def _choose_ids(app: App, rule: CandidateRule, ids: Sequence[str]) -> list[str]:
    look, others = RelationFinder(app), TrackedFiles(app)
    found = []
    for wanted in ids:
        try:
            entry = find_candidate(app, wanted)
        except NoSuchId:
            continue
        if may_qualify(entry.memory) and not others.holds(entry.path):
            kinds = [each.relation.kind for each in look.at(entry)]
            found += [entry.memory.id] if rule.holds(collect_facts(entry.memory, kinds)) else []
    return found
