"""The texts of the records: items, evidence, research, log lines, failures, learnings."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from holdfast.core.tool_text import text_of
from holdfast.records.answer_ratings import AnswerRating
from holdfast.records.effects import AppendLog, Effect, PutFile
from holdfast.records.learning_topic import category_of
from holdfast.records.session_state import TrackedSession
from holdfast.records.tool_steps import ToolStep, files_of
from holdfast.records.work_criteria import prompt_slug
from holdfast.records.work_unit import Unit, describe_failure, one_line, to_yaml

UNNAMED = "a task"
LONGEST_LOOKUP = 8000
MOST_NAMED = 5
LONGEST_ANSWER = 6000
_SUBSTANCE = 4


def file_stamp(at: str) -> str:
    """A time for a file's name: 2026-11-15-092214, UTC."""
    return f"{at[:10]}-{at[11:19].replace(':', '')}"


def render_item(kind: str, text: str, event: str, at: str) -> str:
    """A prompt or an answer, as a file."""
    return _with_frontmatter({"kind": kind, "event": event, "at": at}, text)


def render_evidence(step: ToolStep, criteria: Sequence[Mapping[str, Any]]) -> str:
    """A check that ran: what, how it ended, what it speaks for."""
    head = {
        "check": step.check,
        "outcome": "failed" if step.failed else "passed",
        "at": step.at,
        "event": step.event,
        "criteria": [str(one["id"]) for one in criteria],
    }
    named = "".join(f"- {one['text']}\n" for one in criteria)
    spoken = f"\nSpeaks for:\n\n{named}" if named else ""
    return _with_frontmatter(head, f"{_fence_text(step.command)}{spoken}\n{_fence_text(step.output)}")


def web_lookup_file(unit: Unit, data: Mapping[str, Any], event: str, at: str) -> PutFile:
    """What was looked up on the web."""
    given = data.get("input")
    asked = ""
    if isinstance(given, Mapping):
        asked = str(given.get("url") or given.get("query") or given.get("prompt") or "")
    answer = text_of(data.get("output"))[:LONGEST_LOOKUP]
    head = {"tool": str(data.get("tool", "")), "asked": one_line(asked, 500), "event": event, "at": at}
    name = f"{unit.lookups:03d}-{_slug(asked)}.md"
    return PutFile(path=f"{unit.folder}/research/{name}", text=_with_frontmatter(head, _fence_text(answer)))


def draft_files(unit: Unit, step: ToolStep, data: Mapping[str, Any]) -> Iterator[Effect]:
    """What the agent wrote outside the workspace: its own notes and tries."""
    given = data.get("input")
    if step.failed or not step.outside or not isinstance(given, Mapping):
        return
    text = next((given[key] for key in ("content", "file_text", "contents") if isinstance(given.get(key), str)), "")
    if text:
        name = file_name(step.outside[0])
        yield PutFile(path=f"{unit.folder}/scratch/{name}", text=text)


def research_files(kind: str, task: str, answer: str, session: TrackedSession, event: str, at: str) -> Iterator[Effect]:
    """What a subagent answered: a record of its own, and a copy with its work."""
    head = {
        "agent": kind,
        "task": one_line(task, 500),
        "session": session.id,
        "client": session.client,
        "work": session.unit or None,
        "event": event,
        "at": at,
    }
    page = _with_frontmatter(head, answer)
    slug = prompt_slug(task or answer)
    name = f"{file_stamp(at)}_AGENT-{file_name(kind)}_{slug}.md"
    yield PutFile(path=f"research/{at[:7]}/{name}", text=page)
    if session.unit:
        yield PutFile(path=f"work/{session.unit}/agents/{name}", text=page)


def turn_log_lines(session: TrackedSession, steps: Sequence[ToolStep], at: str) -> Iterator[Effect]:
    """The daily log's lines for a turn: done, tried, failed. What it was about, only in the user's own words."""
    checks = [step for step in steps if step.check]
    files = files_of(steps)
    if not checks and not files:
        return
    about = one_line(session.task or UNNAMED, 120)
    last = checks[-1] if checks else None
    by = f" ({session.client})"
    for step in checks[:-1]:
        if step.failed and last and not last.failed:
            yield AppendLog(at=step.at, text=f"tried: {describe_failure(step)}; later it passed{by}")
            break
    if last and last.failed:
        yield AppendLog(at=at, text=f"failed: {about}: {describe_failure(last)}{by}")
    else:
        named = ", ".join(files[:MOST_NAMED]) + (
            f" and {len(files) - MOST_NAMED} more" if len(files) > MOST_NAMED else ""
        )
        passed = f"; `{one_line(last.command, 60)}` passed" if last else ""
        yield AppendLog(at=at, text=f"done: {about}" + (f" [{named}]" if named else "") + f"{passed}{by}")


def rating_line(rating: AnswerRating, session: TrackedSession, event: str, at: str) -> str:
    """One line of ratings.jsonl."""
    return json.dumps(
        {
            "ts": at,
            "session": session.id,
            "work": session.unit or None,
            "rating": rating.rating,
            "source": rating.source,
            "comment": rating.comment,
            "confidence": rating.confidence,
            "event": event,
        },
        ensure_ascii=False,
    )


def bad_rating_line(rating: AnswerRating, session: TrackedSession) -> str:
    """The daily log's line for a bad rating."""
    remark = f": “{one_line(rating.comment, 100)}”" if rating.comment else ""
    return f"failed: {one_line(session.task or UNNAMED, 120)}: rated {rating.rating}/10{remark} ({session.client})"


def failure_folder(session: TrackedSession, at: str) -> str:
    """Where a failure's dump lies."""
    return f"learning/failures/{at[:7]}/{file_stamp(at)}_{prompt_slug(session.prompt)}"


def render_failure_context(
    rating: AnswerRating, session: TrackedSession, unit: Unit | None, event: str, at: str
) -> str:
    """CONTEXT.md: a failure as a person reads it."""
    head = {
        "rating": rating.rating,
        "source": rating.source,
        "confidence": rating.confidence,
        "session": session.id,
        "client": session.client,
        "work": session.unit or None,
        "event": event,
        "at": at,
    }
    files = "".join(f"- {path}\n" for path in (unit.files if unit else ())) or "None that is known.\n"
    setback = f"\nThe first check that failed: {unit.setback}\n" if unit and unit.setback else ""
    return _with_frontmatter(
        head,
        f"# Rated {rating.rating} of 10\n\n{_quote_text(rating.comment or 'No words were given.')}\n"
        f"## What was asked\n\n{_fence_text(session.prompt)}\n## What was answered\n\n"
        f"{_fence_text(session.answer[:LONGEST_ANSWER])}\n## What was changed\n\n{files}{setback}\n"
        f"## How it was told\n\n{(rating.analysis or 'By the words').capitalize()} "
        f"({rating.source}, confidence {rating.confidence}).\n\n"
        "The whole session up to here: transcript.jsonl. Its tool calls: tool-calls.json.\n",
    )


def learning_from_rating(rating: AnswerRating, session: TrackedSession, event: str, at: str) -> Iterator[Effect]:
    """A page of what a bad rating teaches. What the user said with it is distilled, like all they say."""
    asked = one_line(session.task, 120)
    substance = len(rating.comment.split()) >= _SUBSTANCE
    about = f" (said of the answer to “{asked}”)" if asked else ""
    words = one_line(rating.comment, 300)
    fact = f"{words}{about}" if substance else f"The answer to “{asked}” was rated {rating.rating} of 10."
    category = category_of(f"{rating.comment}\n{asked}")
    text = f"Asked: {asked}\n\nRated {rating.rating} of 10 ({rating.source}): “{rating.comment or 'no words'}”\n"
    yield _learning_page(category, prompt_slug(session.prompt), f"# {fact}\n\n{text}", session.unit, event, at)


def learning_from_work(unit: Unit) -> Iterator[Effect]:
    """A page of completed work of weight: what failed first and what it took, or what came of it.

    Nothing is proposed: of what work itself shows, people kept nothing.
    """
    named = ", ".join(unit.files[:MOST_NAMED])
    if unit.recovered:
        fact = f"{unit.setback} failed first; it passed after changes in {named or 'no file that is known'}."
    else:
        fact = str(unit.isc["current"].get("summary") or f"Completed: {unit.title}")
    event = unit.opened_by
    text = f"# {one_line(fact, 300)}\n\nWork: {unit.title}\n\nFiles: {named or 'none known'}\n"
    category = category_of(fact)
    yield _learning_page(category, prompt_slug(unit.title), text, unit.id, event, unit.closed)


def tool_call_json(data: Mapping[str, Any], ts: str) -> dict[str, Any]:
    """One entry of tool-calls.json."""
    return {
        "tool": data.get("tool", ""),
        "input": data.get("input"),
        "output": data.get("output"),
        "error": data.get("error", ""),
        "ts": ts,
    }


def _learning_page(category: str, words: str, text: str, work: str, event: str, at: str) -> PutFile:
    path = f"learning/{category}/{at[:7]}/{file_stamp(at)}_{words}.md"
    return PutFile(path=path, text=_with_frontmatter({"work": work or None, "event": event, "at": at}, text))


def _with_frontmatter(head: Mapping[str, Any], text: str) -> str:
    return f"---\n{to_yaml(head)}---\n\n{text.rstrip()}\n"


def _fence_text(text: str) -> str:
    """Text in a fence longer than any it holds."""
    ticks = "```"
    while ticks in text:
        ticks += "`"
    return f"{ticks}\n{text.rstrip()}\n{ticks}\n"


def _quote_text(text: str) -> str:
    return "".join(f"> {line}\n" for line in text.splitlines() or [""]) + "\n"


def _slug(text: str) -> str:
    bare = text.partition("://")[2] or text
    return prompt_slug(bare.replace("/", " ").replace(".", " "))[:60]


def file_name(path: str) -> str:
    """The last part of a path, as a name that is safe everywhere."""
    name = path.rstrip("/").rpartition("/")[2]
    safe = "".join(char if char.isalnum() or char in "-_." else "-" for char in name).strip("-.")
    return safe[:80] or "untitled"
