"""What the agent says was the cause of something, borne out by a check that passed or by the user's yes."""

import re
from collections.abc import Iterator

from holdfast.core.conversation import Turn
from holdfast.core.memory import Evidence, Memory, MemoryType, SaidBy
from holdfast.core.word_lists import split_phrases
from holdfast.distil.episodes import Episode
from holdfast.distil.make_candidate import build_candidate, find_paths, learning_category, make_title
from holdfast.distil.offers import says_yes
from holdfast.distil.tool_failures import last_passed_check, proof_of
from holdfast.phrases.prose import lines_of, mask_quotes, split_sentences

_TURNS_OUT = re.compile(
    r"^(?:it )?(?:turns out|turned out|(?:the )?(?:root cause(?: was|:)|(?:real |actual |underlying )?(?:problem|issue|"
    r"culprit|bug|reason) was))(?: to be)?[,:]? (?:that )?(?P<fact>\S.{10,200})$",
    re.IGNORECASE,
)
_CUES = split_phrases("turns out|turned out|root cause|problem was|issue was|bug was|culprit was|reason was")
_TOKEN = re.compile(r"`([^`\n]{2,80})`|\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b|\b([\w.-]+(?:/[\w.-]+)+)")
_POINTS_BACK = re.compile(r"(?:it|this|that|they|i|we)\b", re.IGNORECASE)
_MEMORY = re.compile(
    r"\b(?:memory|holdfast|remembered|earlier session|previous session|you (?:said|told|mentioned|asked)|as noted|"
    r"constraints?)\b",
    re.IGNORECASE,
)
_HEDGED = re.compile(
    r"\b(?:might|may|maybe|perhaps|probably|possibly|seems?|likely|could|should|would|i think|i believe|not sure)\b",
    re.IGNORECASE,
)


def find_learnings(episode: Episode, following: Episode | None) -> Iterator[Memory]:
    """The causes that an agent names in an episode, each once, when a check passed afterwards or the user said yes."""
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
    if turned is None or _POINTS_BACK.match(turned["fact"]):
        return ""
    return turned["fact"].rstrip(" .")


def _is_shown_by_tool(fact: str, episode: Episode) -> bool:
    """Whether a name that the fact gives stands in what a tool was given or gave back."""
    names = [next(filter(None, match.groups())) for match in _TOKEN.finditer(fact)]
    return any(name in _record(turn) for name in names for turn in episode.tools)


def _record(turn: Turn) -> str:
    given = " ".join(str(value)[:4000] for value in turn.input.values())
    return f"{given}\n{turn.output[:20_000]}"
