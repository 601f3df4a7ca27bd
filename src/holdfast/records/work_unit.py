"""A work unit: what a person asked for, how far it came, and the files that say so."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.core.value import Value, as_dict, replace
from holdfast.records import work_criteria as criteria
from holdfast.records.content_words import content_words
from holdfast.records.effects import PutFile
from holdfast.records.tool_steps import ToolStep
from holdfast.records.work_criteria import Isc

OPEN, COMPLETED, ABANDONED = "open", "completed", "abandoned"
MOST_FILES = 100
LONGEST_TITLE = 120
_TUPLES = ("files", "children")
_SHARED = 2
_CHECK_WORDS = {
    "test": frozenset({"test", "tests", "tested", "pytest", "suite"}),
    "build": frozenset({"build", "builds", "compile", "compiles"}),
    "lint": frozenset({"lint", "linter", "format", "formatted", "style"}),
    "types": frozenset({"type", "types", "typed", "mypy", "typecheck", "typechecks"}),
}


class Unit(Value):
    """One work unit. `items` and `checks` number its files; `setback` is the first check that failed."""

    id: str
    title: str
    session: str
    client: str
    created: str
    isc: Isc
    status: str = OPEN
    effort: str = "standard"
    updated: str = ""
    closed: str = ""
    closed_by: str = ""
    prompts: int = 0
    answers: int = 0
    tools: int = 0
    items: int = 0
    checks: int = 0
    lookups: int = 0
    files: tuple[str, ...] = ()
    parent: str = ""
    continues: str = ""
    children: tuple[str, ...] = ()
    setback: str = ""
    recovered: str = ""
    opened_by: str = ""

    @property
    def folder(self) -> str:
        """Where its files lie, below `.holdfast`."""
        return f"work/{self.id}"

    def shares_words(self, text: str) -> bool:
        """Whether a text speaks of the same thing, as far as words tell."""
        own = content_words(" ".join([self.title, str(self.isc.get("ideal", "")), *self.files]))
        own |= content_words(" ".join(str(one.get("text", "")) for one in self.isc.get("criteria", [])))
        return bool(own & content_words(text)) or not content_words(text)


def open_unit(unit_id: str, text: str, event: str, at: str, session: str, client: str) -> Unit:
    """A unit that a prompt opens."""
    isc = criteria.isc_from(text, event, at)
    title = str(isc["ideal"] or text.strip().splitlines()[0])[:LONGEST_TITLE]
    return Unit(
        id=unit_id,
        title=" ".join(title.split()).removesuffix("."),
        session=session,
        client=client,
        created=at,
        updated=at,
        isc=isc,
        effort=criteria.estimate_effort(text),
        opened_by=event,
    )


def extend_unit(unit: Unit, text: str, event: str, at: str) -> Unit:
    """The unit after an order that belongs to it: its criteria are added."""
    more = criteria.isc_from(text, event, at)
    added = [one["text"] for one in more["criteria"]]
    forbidden = [one["text"] for one in more["antiCriteria"]]
    if not added and not forbidden:
        return unit
    isc = criteria.update_isc(unit.isc, now=at, event_id=event, added=added, forbidden=forbidden)
    return replace(unit, isc=isc, updated=at)


def check_unit(unit: Unit, steps: Iterable[ToolStep], answer: str, event: str, at: str) -> Unit:
    """The unit after a turn: what its checks say about the criteria, and what was changed."""
    steps = tuple(steps)
    verdicts: dict[str, bool] = {}
    for step in steps:
        if step.files and not step.failed:
            verdicts = {key: passed for key, passed in verdicts.items() if not passed}
        if step.check:
            verdicts |= {one["id"]: not step.failed for one in criteria_named_by(unit, step)}
    failed = next((step for step in steps if step.check and step.failed), None)
    last = next((step for step in reversed(steps) if step.check), None)
    setback = unit.setback or (describe_failure(failed) if failed else "")
    return replace(
        unit,
        isc=criteria.update_isc(
            unit.isc,
            now=at,
            event_id=event,
            reopened=_outdated_criteria(unit, steps, verdicts),
            verified=[key for key, passed in verdicts.items() if passed],
            failed=[key for key, passed in verdicts.items() if not passed],
            summary=first_sentence(answer),
        ),
        updated=at,
        tools=unit.tools + len(steps),
        setback=setback,
        recovered=_recovery_command(unit, setback, last),
        files=tuple(dict.fromkeys([*unit.files, *(f for s in steps for f in s.files if not s.failed)]))[:MOST_FILES],
    )


def _outdated_criteria(unit: Unit, steps: tuple[ToolStep, ...], verdicts: Mapping[str, bool]) -> list[str]:
    """Criteria that were verified before this turn changed files, and that no check named since."""
    if not any(step.files and not step.failed for step in steps):
        return []
    held = [one for one in unit.isc.get("criteria", []) if one.get("status") == criteria.VERIFIED]
    return [str(one["id"]) for one in held if one["id"] not in verdicts and not one.get("byPerson")]


def _recovery_command(unit: Unit, setback: str, last: ToolStep | None) -> str:
    """The command of the check that passed in the end, after one had failed."""
    if not setback or last is None:
        return unit.recovered
    return "" if last.failed else last.command


def criteria_named_by(unit: Unit, step: ToolStep) -> list[dict[str, Any]]:
    """The criteria a check names: by its kind, or by two of their telling words."""
    words = content_words(f"{step.command} {' '.join(unit.files)}")
    found = []
    for one in unit.isc.get("criteria", []):
        low = {word.strip(".,:;!?()'\"`") for word in str(one["text"]).lower().split()}
        if low & _CHECK_WORDS.get(step.check, frozenset()) or len(content_words(one["text"]) & words) >= _SHARED:
            found.append(one)
    return found


def close_unit(unit: Unit, at: str, by: str, status: str = "") -> Unit:
    """The unit when its session closes, or a person closes it."""
    reached = status or (COMPLETED if unit.answers else ABANDONED)
    return replace(unit, status=reached, closed=at, closed_by=by, isc=criteria.finish_isc(unit.isc, at))


def reopen_unit(unit: Unit) -> Unit:
    """The unit when its session goes on."""
    return replace(unit, status=OPEN, closed="", closed_by="")


def unit_metadata(unit: Unit) -> dict[str, Any]:
    """What META.yaml says."""
    verified, total = criteria.count_verified(unit.isc)
    return {
        "id": unit.id,
        "title": unit.title,
        "status": unit.status,
        "effort": unit.effort,
        "session": unit.session,
        "client": unit.client,
        "created": unit.created,
        "updated": unit.updated,
        "closed": unit.closed or None,
        "closed_by": unit.closed_by or None,
        "satisfied": verified,
        "criteria": total,
        "prompts": unit.prompts,
        "answers": unit.answers,
        "tools": unit.tools,
        "files": list(unit.files),
        "lineage": {
            "parent": unit.parent or None,
            "continues": unit.continues or None,
            "children": list(unit.children),
        },
    }


def files_of(unit: Unit) -> list[PutFile]:
    """META.yaml and ISC.json as they stand now."""
    return [
        PutFile(path=f"{unit.folder}/META.yaml", text=to_yaml(unit_metadata(unit))),
        PutFile(path=f"{unit.folder}/ISC.json", text=_isc_text(unit.isc)),
    ]


def _isc_text(isc: Isc) -> str:
    spread = json.dumps(isc, ensure_ascii=False, indent=1)
    fits = len(spread.encode("utf-8", "replace")) < criteria.LIMIT
    return (spread if fits else json.dumps(isc, ensure_ascii=False)) + "\n"


def to_yaml(data: Mapping[str, Any]) -> str:
    """A mapping as YAML, each value in JSON's spelling, which YAML understands."""
    return "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in data.items())


def read_yaml(text: str) -> dict[str, Any]:
    """What `yaml` wrote; lines of another form are passed over."""
    found: dict[str, Any] = {}
    for line in text.splitlines():
        key, colon, value = line.partition(": ")
        try:
            found |= {key: json.loads(value)} if colon else {}
        except ValueError:
            continue
    return found


def to_state(unit: Unit) -> dict[str, Any]:
    """The unit as JSON."""
    return as_dict(unit)


def from_state(data: Mapping[str, Any]) -> Unit:
    """The unit that `to_state` gave."""
    fields: dict[str, Any] = {name: tuple(value) if name in _TUPLES else value for name, value in data.items()}
    return Unit(**fields)


_ADVISES = re.compile(
    r"https?:|\b(?:curl|wget|sudo|npx?|pip|sh|bash|eval|fix(?:ed)? (?:by|with|it)|please|always|never|"
    r"you (?:must|should|need|can)|must be run|ignore|disregard|instead|instructions?|remember|run|re-?run|install|"
    r"execute|use|try|to fix|solution|hint|tip)\b|\bfix\s*:|`",
    re.IGNORECASE,
)


def describe_failure(step: ToolStep) -> str:
    """A failed check in a few words: the command, and the line that says why."""
    why = quote_output(step.output)
    return f"`{one_line(step.command, 80)}`" + (f"; {why}" if why else "")


def quote_output(output: str) -> str:
    """What a tool printed of its failure, marked as its words; nothing where they tell somebody what to do.

    Sessions after this one are told it: an output may hold anything, and advice in it is nobody's word.
    """
    why = error_line(output)
    return f"it printed “{why}”" if why and not _ADVISES.search(why) else ""


def error_line(output: str) -> str:
    """The line of an output that says best what went wrong."""
    lines = [line.strip() for line in output.splitlines() if line.strip(" -=_*")]
    for marks in (("Error", "Exception", "error:", "error[", "panic"), ("FAILED", "FAIL", "failed", "error")):
        found = [line for line in lines if any(mark in line for mark in marks) and not line.startswith("Exit")]
        if found:
            return one_line(found[-1].removeprefix("E "), 140)
    return one_line(lines[-1], 140) if lines else ""


def first_sentence(text: str) -> str:
    """The first sentence of an answer, for a summary."""
    line = next((line.strip(" #*-") for line in text.splitlines() if line.strip(" #*-")), "")
    return one_line(line.partition(". ")[0], 240).removesuffix(".")


def one_line(text: str, most: int) -> str:
    """Text on one line, cut by words where it is too long."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[:most].rsplit(" ", 1)[0] + "…"
