"""What makes two failures the same, over sessions: a signature of the error, and how they are counted together."""

import re
from collections.abc import Iterable

from holdfast.core.memory import Evidence, Memory, MemoryType, Status
from holdfast.core.value import Value, replace
from holdfast.records.work_unit import one_line

KEY = "signature"
MOST_EVIDENCE = 20
_LONGEST = 120
_HEX = re.compile(r"\b0x[0-9a-f]+\b|\b[0-9a-f]{8,}\b", re.IGNORECASE)
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)
_QUOTED = re.compile(r"'[^']{0,200}'|\"[^\"]{0,200}\"")
_PATHS = re.compile(r"(?:[A-Za-z]:)?(?:[\w.~@-]*[/\\])+[\w.@-]+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_FLAG = re.compile(r"(?:^|\s)--?[\w-]+(?:=\S+)?")
_ASSIGNED = re.compile(r"(?:^|\s)[A-Za-z_]\w*=\S*")
_TYPED = re.compile(
    r"(?P<type>[A-Za-z_][\w.]*(?:Error|Exception|Timeout|Failure|Panic|"
    r"Warning))\b(?:\s*\[[\w.]+\])?:?\s*(?P<message>.*)$"
)
_MARKED = re.compile(
    r"\b(?P<type>error|fatal|panic|panicked)(?:\[(?P<code>\w+)\])?[:!]\s*(?P<message>.+)$", re.IGNORECASE
)


class MergedFailures(Value):
    """What a new failure does to what is known: candidates that change, and those that are new."""

    changed: tuple[Memory, ...] = ()
    fresh: tuple[Memory, ...] = ()


def parse_error(line: str) -> tuple[str, str]:
    """The type and the message of an error, out of the line that tells it."""
    typed = _TYPED.search(line)
    if typed:
        return typed["type"].rpartition(".")[2], typed["message"].strip() or line.strip()
    marked = _MARKED.search(line)
    if marked:
        return marked["code"] or marked["type"].lower(), marked["message"].strip()
    return "", line.strip()


def normalize_message(message: str) -> str:
    """A message without what differs from run to run: numbers, addresses, quoted values; of a path, the last part."""
    flat = _UUID.sub("#", message)
    flat = _QUOTED.sub("''", flat)
    flat = _PATHS.sub(lambda match: re.split(r"[/\\]", match[0])[-1], flat)
    flat = _NUMBER.sub("#", _HEX.sub("#", flat))
    return one_line(flat.lower(), _LONGEST)


def program_of(command: str) -> str:
    """A command as what it runs: without variables, flags and what comes before the last `&&`."""
    last = re.split(r"&&|;|\|\|", command)[-1 if "&&" in command or ";" in command else 0]
    bare = _FLAG.sub(" ", _ASSIGNED.sub(" ", last.partition("|")[0].partition(">")[0]))
    words = [word.rpartition("/")[2] if at == 0 else word for at, word in enumerate(bare.split())]
    return " ".join(words[:4])


def make_signature(error_type: str, message: str, command: str = "", file: str = "") -> str:
    """What two occurrences of one failure have in common."""
    return "|".join((error_type.lower(), normalize_message(message), program_of(command).lower(), file.lower()))


def signature_of(failure: Memory) -> str:
    """A failure's signature: as it was written down, or made of what the memory holds."""
    kept = failure.extra.get(KEY)
    if isinstance(kept, str) and kept:
        return kept
    return make_signature(failure.error_type, failure.error_message or failure.title, "", "")


def merge_failures(known: Iterable[Memory], new: Iterable[Memory]) -> MergedFailures:
    """New failures counted together with known ones of the same signature; the same event counts once."""
    there = {
        signature_of(one): one
        for one in known
        if one.type is MemoryType.FAILURE and one.status in (Status.ACCEPTED, Status.CANDIDATE)
    }
    changed: dict[str, Memory] = {}
    fresh: dict[str, Memory] = {}
    for failure in new:
        mark = signature_of(failure)
        old = changed.get(mark) or there.get(mark)
        if old is None:
            fresh[mark] = _add_failure(fresh[mark], failure) if mark in fresh else failure
        elif _is_counted(old, failure):
            continue
        elif old.status is Status.CANDIDATE:
            changed[mark] = _add_failure(old, failure)
        else:
            summed = _add_failure(old, failure)
            changed[mark] = replace(
                summed,
                id=failure.id,
                status=Status.CANDIDATE,
                supersedes=(old.id,),
                source=failure.source,
                said_by=failure.said_by,
            )
    return MergedFailures(changed=tuple(changed.values()), fresh=tuple(fresh.values()))


def _is_counted(old: Memory, failure: Memory) -> bool:
    events = {one.event for one in old.evidence}
    return bool(failure.evidence) and all(one.event in events for one in failure.evidence)


def _add_failure(old: Memory, failure: Memory) -> Memory:
    attempts = (old.attempts or 1) + (failure.attempts or 1)
    both: dict[tuple[str, str], Evidence] = {(one.event, one.quote): one for one in (*old.evidence, *failure.evidence)}
    return replace(
        old,
        attempts=attempts,
        evidence=tuple(both.values())[-MOST_EVIDENCE:],
        root_cause=failure.root_cause or old.root_cause,
        paths=tuple(dict.fromkeys((*old.paths, *failure.paths))),
        updated=failure.updated or old.updated,
    )
