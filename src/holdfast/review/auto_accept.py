"""The user's own rule for candidates that need no look: `auto_accept`. Only what the user said can qualify."""

from collections.abc import Iterator, Sequence
from hashlib import sha256

from holdfast.config.settings import GIVEN_BY_ANYBODY
from holdfast.core.presence import RULE, Presence
from holdfast.distil.distil import DistilJob, DistilResult, distil_sessions
from holdfast.index.entries import NoSuchId
from holdfast.review.accept import AcceptedCandidate, accept
from holdfast.review.auto_rule import KEY, collect_facts, may_qualify, read_rule
from holdfast.review.expression import BadRule, CandidateRule
from holdfast.review.queue import find_candidate
from holdfast.review.relations import RelationFinder
from holdfast.trust.presence import find_presence, find_user_name
from holdfast.trust.tracked_files import TrackedFiles
from holdfast.workspace import App

SHOWN = 12


def distil_and_accept(app: App, chosen: Sequence[DistilJob]) -> Iterator[DistilResult]:
    """Distil these, one after the other; what the user's rule lets through of each is accepted."""
    for each in distil_sessions(app, chosen):
        if each.distilled is None or each.distilled.shared:
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
    user.presence = Presence(who=find_user_name(), how=RULE, where=f"{KEY} {digest_rule(app)}")
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


def digest_rule(app: App) -> str:
    """The beginning of the sum of the user's rule: which one it was when something was accepted by it."""
    return sha256(str(app.settings[KEY]).strip().encode()).hexdigest()[:SHOWN]


def _rule(app: App) -> CandidateRule | None:
    text = str(app.settings[KEY]).strip()
    if not text:
        return None
    if app.settings.origins.get(KEY) in GIVEN_BY_ANYBODY and not (by := find_presence(app)).proven:
        app.notices.append(f"The setting {KEY} counts only from your own config.toml here ({by.why}).")
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
        if may_qualify(entry.memory) and not others.holds_candidate(entry):
            kinds = [each.relation.kind for each in look.at(entry)]
            found += [entry.memory.id] if rule.holds(collect_facts(entry.memory, kinds)) else []
    return found
