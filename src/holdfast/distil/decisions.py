"""Decisions: what was chosen, over what, and why; in the user's words, or offered by the agent and taken."""

import re
from collections.abc import Callable, Iterable, Iterator

from holdfast.core.conversation import Turn
from holdfast.core.memory import Evidence, Memory, MemoryType, RejectedOption, SaidBy
from holdfast.core.value import Value
from holdfast.core.word_lists import word_set
from holdfast.distil import decision_wording
from holdfast.distil.episodes import Episode
from holdfast.distil.make_candidate import (
    LONGEST_QUOTE,
    LONGEST_TITLE,
    answer_title,
    build_candidate,
    find_paths,
    make_title,
    strip_lead,
)
from holdfast.distil.offers import OfferPick, find_pick, find_proposal, question_topic, says_yes
from holdfast.distil.reasons import Reasons, find_reasons, reasons_after_pick, reasons_behind_pick
from holdfast.distil.statement_vetoes import asks_of_process, find_veto, names_subject, subject_terms
from holdfast.distil.user_words import UserSentence, typed_text
from holdfast.phrases.triggers import Trigger
from holdfast.records.work_unit import one_line

# Patterns whose sentences decide something that outlives the task.
_CHOOSES = word_set(
    "en.lets-with en.lets-from en.go-with en.we-will-use en.decided en.it-is en.it-is-because en.went-with "
    "en.lets-replace en.use-for en.arch-with-as en.id-go en.i-choose en.use-not en.use-instead-of en.instead-use "
    "en.were-dropping en.no-need en.lets-drop en.lets-not en.wont en.scope en.no-more en.do-it-with en.arch-store "
    "en.arch-talks en.use-instead de.lass-uns de.wechsel de.nicht-sondern de.nimm-nicht de.entschieden "
    "de.architektur fr.on-part fr.pas fr.decide fr.archi es.vamos es.no-sino es.decidido es.arquitectura "
    "zh.jiu-yong zh.bushi-ershi zh.jiagou"
)
# The sentence itself is the decision: "Decision: one repo per service".
_WHOLE = word_set("en.decision-label en.arch-label en.arch-style en.arch-split en.plan-is")
_CORRECTS = word_set(
    "en.use-not en.use-instead-of en.use-instead en.instead-use de.nicht-sondern de.nimm-nicht fr.pas es.no-sino "
    "zh.bushi-ershi"
)
_PRONOUN = re.compile(r"\b(?:it|them|this|that|these|those)\b", re.IGNORECASE)
# Of one place in one task: names, lines, and the like.
_LOCAL = re.compile(
    r"\b(?:variable|in (?:this|that) function|(?:this|that) (?:line|test|pr)|the typo|typo|paragraph|in this file|"
    r"in line \d|for this run|this time|just this once|for the demo|in this commit|the name|temporar\w+|rename|px|"
    r"diese zeile|cette ligne|esta línea)\b|\dpx\b",
    re.IGNORECASE,
)
# "suggestions to go with the soup", "let's see what happens if we use …": nothing was chosen.
_PASSING = re.compile(
    r"(?<!going )(?<!decided )(?<!want )(?<!agreed )(?<!like )(?<!chose )(?<!need )\bto go (?:with|for)\b|"
    r"\bi(?:'d| would) like to know\b|^let's (?:see|make sure|take a look|check|find out|look)\b|^i want the \w+ to\b",
    re.IGNORECASE,
)
_I_USE = re.compile(r"\bi(?:'ll| will) use\b", re.IGNORECASE)
_TAKES_BACK = re.compile(
    r"^(?:actually,? |no[,.]? |wait,? |sorry,? |hm+,? )*(?:or no\b|no wait\b|on second thought|"
    r"scratch that|strike that|never ?mind|actually,? no\b|"
    r"forget (?:that|it|what i)|disregard|doch nicht|laisse tomber|olvida eso)",
    re.IGNORECASE,
)
_PARTS_OF_A_TASK = word_set("last first next rest test tests part step line")
_LESS_SURE = 0.2
# Two titles that share so much of their words speak of one thing.
_ALIKE = 0.6
# An option that is only the next thing to do.
_STEP = re.compile(
    r"(?:start|do|fix|green|draft|write up|capture|confirm|add tests|run|clean up|proceed|continue|leave|apply|"
    r"either)\b",
    re.IGNORECASE,
)
# A longer reply says more than which option it takes.
_LONGEST_PICK = 160
# An option of fewer words is a name.
_FEW = 3


def _counts_always(_: UserSentence) -> bool:
    return True


class DecisionDraft(Value):
    """A decision before it is a candidate."""

    sentence: UserSentence
    title: str
    why: Reasons
    confidence: float
    choice: str = ""
    rejected: tuple[str, ...] = ()
    question: str = ""
    more: tuple[Evidence, ...] = ()
    tags: tuple[str, ...] = ()
    said_by: SaidBy = SaidBy.USER


def find_decisions(
    before: list[Episode], episode: Episode, counts: Callable[[UserSentence], bool] = _counts_always
) -> Iterator[Memory]:
    """The decisions of an episode's prompt. `before` are the episodes that came earlier; `counts` says which sentences
    are worth it.
    """
    pick = _draft_pick(before, episode)
    drafts = [pick] if pick else []
    said = [one for one in episode.sentences[len(drafts) :] if counts(one)]
    drafts += [draft for one in said if (draft := _decision(one, before, episode))]
    if not drafts and (accepted := _draft_accepted(episode)):
        drafts = [accepted]
    yield from map(_draft_to_memory, drafts)


def is_decision(trigger: Trigger) -> bool:
    """Whether what a pattern sees is a decision."""
    return trigger.pattern in _CHOOSES or trigger.pattern in _WHOLE


def takes_back(episode: Episode) -> bool:
    """Whether the prompt takes back what the one before it said."""
    return any(_TAKES_BACK.match(one.text) for one in episode.sentences[:2])


def drop_overruled(found: Iterable[Memory]) -> list[Memory]:
    """The decisions without those that a later one of the session rejects."""
    kept: list[Memory] = []
    for memory in found:
        rejected = {option.option.lower() for option in memory.rejected}
        kept = [one for one in kept if not (one.choice and one.choice.lower() in rejected)]
        kept.append(memory)
    return kept


def drop_restated(found: Iterable[Memory]) -> list[Memory]:
    """What was said, without what a later sentence of the session says again or otherwise: the last word counts."""
    kept: list[Memory] = []
    for memory in found:
        terms = subject_terms(memory.title)
        kept = [one for one in kept if one.type is not memory.type or not _is_alike(subject_terms(one.title), terms)]
        kept.append(memory)
    return kept


def _is_alike(one: set[str], other: set[str]) -> bool:
    return len(one & other) >= _ALIKE * max(len(one), len(other), 1)


def _decision(one: UserSentence, before: list[Episode], episode: Episode) -> DecisionDraft | None:
    trigger = next((trigger for trigger in one.triggers if is_decision(trigger)), None)
    if trigger is None or _LOCAL.search(one.text) or _PASSING.search(one.text):
        return None
    if trigger.pattern in _WHOLE:
        return _draft_whole_sentence(one, trigger)
    choice, rejected = (
        decision_wording.strip_article(trigger.choice),
        decision_wording.name_rejected(one.text, trigger.rejected),
    )
    if not choice and not rejected:
        choice, rejected = decision_wording.parse_decision(one.text)
    more: tuple[Evidence, ...] = ()
    sure = trigger.confidence
    if choice and decision_wording.is_vague(choice):
        choice, more = _resolve_reference(before, episode)
        sure -= _LESS_SURE
        if not choice:
            return None
    rejected = "" if decision_wording.is_vague(rejected) else rejected
    if not _is_worth_it(one, trigger, choice, rejected):
        return None
    return _draft(one, trigger, choice, rejected, sure, more)


def _is_worth_it(one: UserSentence, trigger: Trigger, choice: str, rejected: str) -> bool:
    """Whether what was chosen or rejected can be kept: it is named, and no mere step of the task."""
    if rejected:
        if choice.lower().startswith("to "):
            return trigger.pattern == "en.instead-use"
        return bool(choice) or not _is_order(one.text, rejected)
    if not choice or _PRONOUN.search(choice) or trigger.pattern in _CORRECTS:
        return False
    return trigger.pattern != "en.we-will-use" or not _I_USE.search(one.text)


def _draft(
    one: UserSentence, trigger: Trigger, choice: str, rejected: str, sure: float, more: tuple[Evidence, ...]
) -> DecisionDraft:
    options = (rejected,) if rejected else ()
    why = find_reasons(one.text[_end_of_choice(one.text, choice, rejected) :], one.after, choice, options)
    role = decision_wording.find_role(one.text, choice)
    turned = decision_wording.instead_title(one.text, rejected) if trigger.pattern == "en.instead-use" else ""
    whole = strip_lead(one.text)
    words = (
        turned
        or (make_title(whole) if len(whole) <= LONGEST_TITLE else "")
        or (
            decision_wording.choice_title(choice, rejected, role)
            if choice
            else decision_wording.rejection_title(one.text, rejected)
        )
    )
    return DecisionDraft(
        sentence=one,
        title=words,
        why=why,
        confidence=round(sure, 2),
        choice=re.sub(r"^(?:to|on|in|from|with|via) (?:the )?", "", choice),
        rejected=options,
        question=decision_wording.infer_question(choice, options, role),
        more=(*more, *_next_evidence(one, why)),
        tags=("correction",) if trigger.kind == "correction" else (),
    )


def _draft_to_memory(draft: DecisionDraft) -> Memory:
    against = dict(draft.why.against)
    others = (name for name in against if name not in draft.rejected and name.lower() != draft.choice.lower())
    rationale = f"\nRationale: {draft.why.rationale}." if draft.why.rationale else ""
    return build_candidate(
        MemoryType.DECISION,
        draft.sentence.turn,
        draft.sentence.text,
        more=draft.more,
        title=one_line(draft.title, LONGEST_TITLE),
        body=f"Decision: {draft.title}.{rationale}",
        question=draft.question,
        choice=draft.choice,
        rejected=tuple(
            RejectedOption(option=name, reason=against.get(name, "")) for name in (*draft.rejected, *others)
        ),
        confidence=draft.confidence,
        said_by=draft.said_by,
        paths=find_paths(draft.sentence.text),
        tags=draft.tags,
    )


def _draft_whole_sentence(one: UserSentence, trigger: Trigger) -> DecisionDraft | None:
    words = make_title(decision_wording.strip_label(one.text))
    if (
        len(words.split()) < 2
        or decision_wording.is_vague(words)
        or _PRONOUN.match(words)
        or words.lower().startswith("i ")
    ):
        return None
    why = find_reasons(one.text, one.after, words, ())
    return DecisionDraft(
        sentence=one, title=words, why=why, confidence=round(trigger.confidence - 0.05, 2), choice=words,
        more=_next_evidence(one, why),
    )  # fmt: skip


def _draft_pick(before: list[Episode], episode: Episode) -> DecisionDraft | None:
    """A choice between what an answer had offered: the one before, or an earlier one where the prompt takes back."""
    if not episode.sentences:
        return None
    first = episode.sentences[0]
    taken_back = _TAKES_BACK.match(first.text)
    offers = [episode.before, *(one.before for one in reversed(before) if taken_back)]
    if len(typed_text(first.turn)) > _LONGEST_PICK:
        return None
    words = first.text[taken_back.end() :].lstrip(" ,.!") if taken_back else first.text
    for answer in filter(None, offers):
        pick = find_pick(words, answer.text)
        if pick is not None:
            return _pick_to_draft(pick, first, answer) if _says_what_was_picked(pick) else None
    return None


def _says_what_was_picked(pick: OfferPick) -> bool:
    """Whether a pick means something to who did not see the offer, and is no step of the work."""
    if _LOCAL.search(pick.choice):
        return False
    stated = f"{(pick.asked or pick.about).rstrip('? ')} {pick.choice}".strip()
    if asks_of_process(stated) or find_veto(stated.replace("—", ","), least=1):
        return False
    if not pick.asked and _STEP.match(pick.choice):
        return False
    return bool(pick.asked or pick.about) or names_subject(pick.choice)


def _pick_to_draft(pick: OfferPick, first: UserSentence, answer: Turn) -> DecisionDraft:
    why = (
        reasons_behind_pick(pick.rest, pick.choice, pick.others)
        if pick.rest
        else reasons_after_pick(first.after, pick.choice, pick.others)
    )
    offered = pick.asked or _find_line(answer.text, pick.choice)
    shown = (Evidence(event=answer.id, quote=offered[:LONGEST_QUOTE]),) if offered else ()
    return DecisionDraft(
        sentence=first, title=_pick_title(pick), why=why, confidence=0.9, choice=pick.choice, rejected=pick.others,
        question=_pick_question(pick), more=(*shown, *_next_evidence(first, why)),
    )  # fmt: skip


def _draft_accepted(episode: Episode) -> DecisionDraft | None:
    """A design the agent proposed and the user said yes to: the agent's words, so the agent said it."""
    if episode.before is None or not episode.sentences or not says_yes(episode.sentences[0].turn.text):
        return None
    proposal = find_proposal(episode.before.text)
    if proposal is None or decision_wording.is_vague(proposal.text) or _PRONOUN.match(proposal.text):
        return None
    if asks_of_process(proposal.text) or find_veto(proposal.text):
        return None
    options = (proposal.rejected,) if proposal.rejected else ()
    return DecisionDraft(
        sentence=UserSentence(turn=episode.before, text=proposal.quote),
        title=make_title(decision_wording.to_imperative(proposal.text)),
        why=find_reasons(proposal.text, "", proposal.choice, options),
        confidence=0.7,
        choice=proposal.choice,
        rejected=options,
        more=(Evidence(event=episode.sentences[0].turn.id, quote=episode.sentences[0].text),),
        said_by=SaidBy.AGENT,
    )


def _resolve_reference(before: list[Episode], episode: Episode) -> tuple[str, tuple[Evidence, ...]]:
    """What "that" stands for: the thing the user had asked about, when the answer spoke of it."""
    last = before[-1] if before else None
    if last is None or last.prompt is None or episode.before is None:
        return "", ()
    for one in reversed(last.sentences):
        about = question_topic(one.text)
        if about and about.lower() in episode.before.text.lower():
            return about, (Evidence(event=last.prompt.id, quote=one.text),)
    return "", ()


def _next_evidence(one: UserSentence, why: Reasons) -> tuple[Evidence, ...]:
    """The next sentence, where the reason stands in it."""
    words = (why.rationale or (why.against[0][1] if why.against else "")).lower()
    if words and words not in one.text.lower() and words in one.after.lower():
        return (Evidence(event=one.turn.id, quote=one.after[:LONGEST_QUOTE]),)
    return ()


def _end_of_choice(text: str, *named: str) -> int:
    """Where what was chosen and rejected ends in the sentence."""
    low = text.lower()
    return max((low.find(words.lower()) + len(words) for words in named if words and words.lower() in low), default=0)


def _is_order(text: str, rejected: str) -> bool:
    """Whether "drop the last paragraph" is a step of the task at hand and no decision."""
    words = rejected.lower().split()
    before = text[: max(0, text.lower().find(rejected.lower()))].rstrip().rpartition(" ")[2].lower()
    return words[0] in _PARTS_OF_A_TASK or (before in ("the", "that", "this", "those", "these") and len(words) < 2)


def _pick_question(pick: OfferPick) -> str:
    return one_line(pick.asked or pick.about or f"{' or '.join((pick.choice, *pick.others))}?", 160)


def _pick_title(pick: OfferPick) -> str:
    """What was chosen, after the question where there was one: an option alone says little."""
    if pick.asked:
        return answer_title(pick.asked, pick.choice)
    if pick.about:
        return one_line(f"{decision_wording.capitalize_first(pick.about)}: {pick.choice}", LONGEST_TITLE)
    return decision_wording.choice_title(pick.choice, "", "") if len(pick.choice.split()) < _FEW else pick.choice


def _find_line(text: str, words: str) -> str:
    low = words.lower()
    return next(
        (line.strip() for line in text.splitlines() if low in line.replace("**", "").replace("`", "").lower()), ""
    )
