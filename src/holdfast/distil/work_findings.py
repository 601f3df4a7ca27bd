"""What the work showed about the code base and its tools: found by the agent or by a command, borne out by a result."""

import re
from collections.abc import Iterator

from holdfast.core.conversation import Turn, TurnKind
from holdfast.core.memory import Evidence, Memory, MemoryType, SaidBy
from holdfast.core.word_lists import split_phrases
from holdfast.distil.episodes import Episode
from holdfast.distil.failure_signature import program_of
from holdfast.distil.make_candidate import build_candidate, find_paths, learning_category, make_title
from holdfast.distil.offers import says_yes
from holdfast.distil.tool_failures import last_passed_check, proof_of
from holdfast.distil.user_words import load_own_reader
from holdfast.phrases.prose import lines_of, mask_quotes, split_sentences
from holdfast.records.tool_steps import ToolStep
from holdfast.records.work_unit import error_line, one_line

_SET_UP = re.compile(
    r"command not found|: not found|No module named|is not recognized|not installed|ENOENT|Executable doesn't exist|"
    r"KeyError: '[A-Z][A-Z0-9_]+'|"
    r"environment variable|Missing script|could not find|No such file or directory|Connection refused|ECONNREFUSED|"
    r"cannot connect|permission denied",
    re.IGNORECASE,
)
_TURNS_OUT = re.compile(
    r"^(?:it )?(?:turns out|turned out|(?:the )?(?:root cause|(?:real |actual |underlying )?(?:problem|issue|culprit|"
    r"bug|reason)) (?:is|was))(?: to be)?[,:]? (?:that )?(?P<fact>\S.{10,200})$",
    re.IGNORECASE,
)
_CUES = split_phrases(
    "need|require|turns out|turned out|root cause|problem was|issue was|bug was|culprit|generated|defined in|"
    "depends on|expect|without|reason was|cause was|configured in|built by"
)
_TOKEN = re.compile(r"`([^`\n]{2,80})`|\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b|\b([\w.-]+(?:/[\w.-]+)+)")
_MEMORY = re.compile(
    r"\b(?:memory|holdfast|remembered|earlier session|previous session|you (?:said|told|mentioned|asked)|as noted|"
    r"constraints?)\b",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:might|may|maybe|perhaps|probably|possibly|seems?|likely|could|should|would|i think|i believe|not sure)\b",
    re.IGNORECASE,
)
_WITHIN = 8


def find_learnings(episode: Episode, following: Episode | None) -> Iterator[Memory]:
    """The learnings of an episode, each once: the agent's sentence where there is one, else what the commands show."""
    shown = _find_working_command(episode)
    told = list(_find_told(episode, following))
    if shown is not None:
        tokens = set(re.findall(r"[\w./-]{4,}", shown.title.lower()))
        about = [memory for memory in told if tokens & set(re.findall(r"[\w./-]{4,}", memory.title.lower()))]
        if not about:
            yield shown
    yield from told


def _find_working_command(episode: Episode) -> Memory | None:
    """A command that failed for want of set-up, and the one that did the same and passed, with no change between."""
    for at, step in enumerate(episode.steps):
        if not (step.failed and step.command and _SET_UP.search(step.output)):
            continue
        for later in episode.steps[at + 1 : at + _WITHIN]:
            if later.files and not later.check:
                break
            if not later.failed and later.command and _command_contains(later.command, step.command):
                return _command_learning(step, later)
    return None


def _command_contains(later: str, earlier: str) -> bool:
    core = program_of(earlier)
    return (
        bool(core)
        and " ".join(later.split()) != " ".join(earlier.split())
        and core.split()[0] in later.split()
        and all(word in later for word in core.split()[:2])
    )


def _command_learning(failed: ToolStep, passed: ToolStep) -> Memory:
    why = one_line(error_line(failed.output), 80)
    works, fails = one_line(_inner_command(passed.command), 80), one_line(_inner_command(failed.command), 60)
    fact = f"`{works}` works here; `{fails}` fails: {why}"
    return build_candidate(
        MemoryType.LEARNING,
        Turn(id=passed.event, kind=TurnKind.TOOL, ts=passed.at),
        _inner_command(passed.command)[:120],
        more=(Evidence(event=failed.event, quote=_inner_command(failed.command)[:120]),),
        title=one_line(fact, 100),
        fact=fact,
        body=fact,
        category="system",
        said_by=SaidBy.TOOL,
        confidence=0.7,
    )


def _inner_command(command: str) -> str:
    """What a shell was told to run: `bash -lc X` is X."""
    found = re.match(r"(?:/bin/)?(?:ba|z)?sh -l?c (.+)$", command, re.DOTALL)
    return found[1] if found else command


def _find_told(episode: Episode, following: Episode | None) -> Iterator[Memory]:
    """What the agent says it found, when a check passed or the user said yes."""
    proof = _proof(episode, following)
    if proof is None:
        return
    seen: set[str] = set()
    for answer in episode.answers:
        for sentence in _sentences_with_cue(answer.text):
            fact = _fact(sentence)
            if fact and fact not in seen and _is_shown_by_tool(fact, episode):
                seen.add(fact)
                yield _learning(answer, sentence, make_title(fact), proof)


def _proof(episode: Episode, following: Episode | None) -> Evidence | None:
    passed = last_passed_check(episode)
    if passed is not None:
        return proof_of(passed)
    yes = following.prompt if following and following.sentences else None
    return Evidence(event=yes.id, quote=yes.text.strip()[:80]) if yes and says_yes(yes.text) else None


def _learning(answer: Turn, sentence: str, fact: str, proof: Evidence) -> Memory:
    return build_candidate(
        MemoryType.LEARNING,
        answer,
        sentence,
        more=(proof,),
        title=fact,
        fact=fact,
        body=sentence,
        category=learning_category(fact),
        said_by=SaidBy.AGENT,
        confidence=0.65,
        paths=find_paths(sentence),
    )


def _sentences_with_cue(text: str) -> Iterator[str]:
    """The sentences of a text that hold a cue, looked for before they are cut."""
    low = text.lower()
    cues = [cue for cue in _CUES if cue in low]
    for line in lines_of(text) if cues else ():
        flat = line.lower()
        if any(cue in flat for cue in cues):
            yield from split_sentences(line)


def _fact(sentence: str) -> str:
    """What a sentence of an agent states about the code base; nothing of what it supposes, plans or was told."""
    if sentence.endswith("?") or _MEMORY.search(sentence) or _HEDGED.search(mask_quotes(sentence)):
        return ""
    turned = _TURNS_OUT.match(sentence)
    if turned:
        return (
            ""
            if re.match(r"(?:it|this|that|they|i|we)\b", turned["fact"], re.IGNORECASE)
            else turned["fact"].rstrip(" .")
        )
    for trigger in load_own_reader().read(sentence):
        if trigger.kind == "fact":
            return sentence.rstrip(" .")
    return ""


def _is_shown_by_tool(fact: str, episode: Episode) -> bool:
    """Whether a name that the fact gives stands in what a tool was given or gave back."""
    names = [next(filter(None, match.groups())) for match in _TOKEN.finditer(fact)]
    return any(name in _record(turn) for name in names for turn in episode.tools)


def _record(turn: Turn) -> str:
    given = " ".join(str(value)[:4000] for value in turn.input.values())
    return f"{given}\n{turn.output[:20_000]}"
