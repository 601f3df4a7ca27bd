"""Failures that the tools show: attempts at one goal that ended in the same error, as one candidate."""

import re
from collections.abc import Iterator

from holdfast.core.conversation import Turn, TurnKind
from holdfast.core.memory import Evidence, Memory, MemoryType, SaidBy
from holdfast.core.value import Value, replace
from holdfast.core.word_lists import word_set
from holdfast.distil.episodes import Episode
from holdfast.distil.failure_signature import KEY, make_signature, normalize_message, parse_error, program_of
from holdfast.distil.make_candidate import build_candidate, make_title
from holdfast.distil.user_words import load_own_reader
from holdfast.phrases.prose import split_sentences
from holdfast.phrases.triggers import Trigger
from holdfast.records.tool_steps import ToolStep, files_of
from holdfast.records.work_unit import error_line, one_line

_MENDED = "It passed in the end"
# A message of fewer words ("FAIL") names no error.
_FEWEST = 3
_ENOUGH = 2
_FEW = 2
_MANY = 3
# Their failing says that something is not there, and no more.
_QUIET = word_set(
    "grep rg egrep ag ls cat test [ diff find which head tail wc stat file cd pwd echo kill pgrep pkill ping sleep "
    "git jq"
)
_CAUSE = re.compile(
    r"(?:\b(?:root cause|the (?:real |actual |underlying )?(?:problem|issue|culprit|reason|cause|bug)(?: here)? "
    r"(?:is|was|turned out to be)|turns out|"
    r"turned out|caused by|due to|it fails because|fails?,? because|failed because|(?:die )?ursache (?:ist|war)|das "
    r"problem (?:ist|war)|le problème "
    r"(?:est|était|vient)|el problema (?:es|era))\b[:,]?\s*(?:is |was |that |dass |que |because "
    r")*)(?P<cause>[^.!?\n][^!?\n]{5,220})",
    re.IGNORECASE,
)
_BECAUSE = re.compile(r"\b(?:because|since|weil|parce que|porque)\s+(?P<cause>[^.!?\n]{6,220})", re.IGNORECASE)
_CANNOT = re.compile(
    r"^(?P<cause>(?!i\b|we\b|it\b|this\b|that\b|you\b)[^!?\n]{3,120}?\b(?:is not compatible|isn't compatible|"
    r"incompatible|does not support|doesn't support|"
    r"requires|needs|lacks|cannot|can't|is missing|has no|no longer)\b[^!?\n]{3,140})$",
    re.IGNORECASE,
)


class FailingRun(Value):
    """Failing runs of one command: the steps, and the files that were changed between them."""

    steps: tuple[ToolStep, ...]
    files: tuple[str, ...] = ()
    attempts: int = 1
    passed: ToolStep | None = None
    episode: int = 0


def find_failures(found: list[Episode]) -> Iterator[Memory]:
    """What failed again and again; and what the agent says it tried in vain, when a check passed later."""
    told: set[int] = set()
    for run in _runs(found):
        memory = _failure(run, found)
        if memory is not None:
            told.add(run.episode)
            yield memory
    for number, episode in enumerate(found):
        if number not in told:
            yield from _find_tried(episode)


def teaches(failure: Memory) -> bool:
    """Whether a failure is worth a candidate of its own: the user tells it, or its cause is known and it was mended."""
    if failure.said_by is SaidBy.USER:
        return True
    named = bool(failure.error_type) or len(failure.error_message.split()) >= _FEWEST
    if failure.said_by is SaidBy.TOOL and not (named and _MENDED in failure.body):
        return False
    return bool(failure.root_cause)


def last_passed_check(episode: Episode) -> ToolStep | None:
    """The check that passed last in an episode, when none failed after it."""
    checks = [step for step in episode.steps if step.check]
    return checks[-1] if checks and not checks[-1].failed else None


def proof_of(passed: ToolStep) -> Evidence:
    """The evidence that a check passed: the last line it printed."""
    lines = [line.strip() for line in passed.output.splitlines() if line.strip()]
    return Evidence(event=passed.event, quote=lines[-1][:200] if lines else passed.command[:120])


def find_cause(text: str) -> tuple[str, str]:
    """The root cause that a text states, and the sentence that states it."""
    said = list(split_sentences(text))
    for pattern in (_CAUSE, _BECAUSE):
        for sentence in said:
            match = pattern.search(sentence)
            if match:
                return match["cause"].strip(" .,:"), sentence
    return "", ""


def _runs(found: list[Episode]) -> list[FailingRun]:
    """Runs of failing commands: from the first failure to the pass, or to the end."""
    open_runs: dict[str, FailingRun] = {}
    done: list[FailingRun] = []
    edited: list[str] = []
    since: dict[str, int] = {}
    for number, episode in enumerate(found):
        for step in episode.steps:
            if step.files and not step.failed and not step.check:
                edited += step.files
                continue
            key = _key(step) if step.failed or open_runs else ""
            if not key:
                continue
            if step.failed:
                run = open_runs.get(key)
                fresh = edited[since.get(key, max(0, len(edited) - 3)) :]
                files = tuple(dict.fromkeys((*(run.files if run else ()), *fresh)))
                more = 1 if run and fresh else 0
                open_runs[key] = (
                    replace(run, steps=(*run.steps, step), files=files, attempts=run.attempts + more, episode=number)
                    if run
                    else FailingRun(steps=(step,), files=files, episode=number)
                )
                since[key] = len(edited)
            elif key in open_runs:
                done.append(replace(open_runs.pop(key), passed=step))
                since.pop(key, None)
    return [*done, *open_runs.values()]


def _key(step: ToolStep) -> str:
    if not step.command:
        return ""
    name = program_of(step.command)
    first = name.split(" ", 1)[0]
    return "" if first in _QUIET else f"{step.check}:{name}" if step.check else f"run:{name}"


def _failure(run: FailingRun, found: list[Episode]) -> Memory | None:
    lines = [error_line(step.output) for step in run.steps]
    errors = [parse_error(line) for line in lines]
    same = [
        number
        for number, (kind, text) in enumerate(errors)
        if (kind, normalize_message(text)) == (errors[-1][0], normalize_message(errors[-1][1]))
    ]
    if run.attempts < _ENOUGH or (len(same) < _ENOUGH and run.attempts < _MANY):
        return None
    last = run.steps[-1]
    kind, message = errors[-1]
    if not message:
        return None
    cause, quote, speaker = _cause(run, found)
    goal = _goal(found, run.episode)
    more = (Evidence(event=speaker.id, quote=quote),) if speaker else ()
    how = f" {_MENDED}, after changes in {', '.join(run.files[:5])}." if run.passed and run.files else ""
    file = run.files[-1] if run.files else ""
    return build_candidate(
        MemoryType.FAILURE,
        Turn(id=last.event, kind=TurnKind.TOOL, ts=last.at),
        _shown_words(last, lines[-1]),
        more=more,
        title=make_title(
            f"{one_line(message if not kind else f'{kind}: {message}', 70)} (`{program_of(last.command)}`)"
        ),
        body=f"`{one_line(last.command, 200)}` failed {run.attempts}×"
        + (f" while at “{goal}”." if goal else ".")
        + how,
        error_type=kind,
        error_message=one_line(message, 300),
        root_cause=cause,
        context=goal,
        attempts=run.attempts,
        paths=run.files[:10],
        said_by=SaidBy.TOOL,
        confidence=0.8 if cause else 0.65,
        extra={KEY: make_signature(kind, message, last.command, file)},
    )


def _shown_words(step: ToolStep, line: str) -> str:
    """The words of the output that tell the error, as they stand there."""
    return next((one.strip() for one in step.output.splitlines() if line[:60].rstrip("…") in one), line)[:300]


def _cause(run: FailingRun, found: list[Episode]) -> tuple[str, str, Turn | None]:
    """The root cause as the user or the agent states it after the last failure."""
    episode = found[run.episode]
    following = found[run.episode + 1] if run.episode + 1 < len(found) else None
    if following and following.prompt:
        for one in following.sentences[:3]:
            match = _CAUSE.search(one.text)
            if match:
                return match["cause"].strip(" .,:"), one.text, one.turn
    for answer in reversed(episode.answers):
        cause, quote = find_cause(answer.text)
        if cause:
            return one_line(cause, 220), quote, answer
    if run.passed is None and episode.answers:
        last = episode.answers[-1]
        for sentence in split_sentences(last.text):
            match = _CANNOT.match(sentence)
            if match:
                return one_line(match["cause"].strip(" ."), 220), sentence, last
    return "", "", None


def _find_tried(episode: Episode) -> Iterator[Memory]:
    """ "I tried X, but Y" of an agent, in an episode whose last check passed."""
    passed = last_passed_check(episode)
    if passed is None:
        return
    for answer in episode.answers:
        for sentence in split_sentences(answer.text) if "tried" in answer.text else ():
            for trigger in load_own_reader().read(sentence):
                if trigger.kind == "failure" and trigger.choice and trigger.reason:
                    yield _tried_to_failure(episode, answer, sentence, trigger, proof_of(passed))


def _tried_to_failure(episode: Episode, answer: Turn, sentence: str, trigger: Trigger, proof: Evidence) -> Memory:
    return build_candidate(
        MemoryType.FAILURE,
        answer,
        sentence,
        more=(proof,),
        title=make_title(f"{trigger.choice}: {trigger.reason}"),
        body=sentence,
        context=_goal([episode], 0),
        root_cause=trigger.reason.strip(" ."),
        attempts=1,
        said_by=SaidBy.AGENT,
        confidence=0.6,
        paths=files_of(episode.steps)[:5],
    )


def _goal(found: list[Episode], at: int) -> str:
    """What was asked: the prompt of the episode, or of the last one before that asked for something."""
    for episode in reversed(found[: at + 1]):
        if len(episode.wish.split()) > _FEW:
            return one_line(episode.wish, 120)
    return ""
