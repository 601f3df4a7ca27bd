"""How answers read as text, for clients that show a model text alone: short, inside the fence."""

import json
from collections.abc import Mapping
from typing import Any

from holdfast.review.agent_access import fence_text

LONGEST = 100_000
ELSEWHERE = ("id", "type", "title", "status", "body", "cut", "updated", "line", "sha256")
NOT_FENCED = ("remember", "record_decision", "record_failure")


def format_answer(tool: str, answer: Mapping[str, Any]) -> str:
    """An answer as text. What comes from memory stands inside the fence; what we say ourselves does not."""
    said = "\n".join(f"Notice: {notice}" for notice in answer["notices"])
    words = _READ[tool](answer)
    if tool in NOT_FENCED:
        return "\n".join(filter(None, [words, said]))
    return "\n".join(filter(None, [fence_text(words, LONGEST), _more(answer), said]))


def _more(answer: Mapping[str, Any]) -> str:
    cursor = answer.get("next_cursor")
    return f'There is more: the same with cursor "{cursor}".' if cursor else ""


def _search(answer: Mapping[str, Any]) -> str:
    if not answer["hits"]:
        many = answer["searched"]
        return f"Nothing found in {many} {'memory' if many == 1 else 'memories'}."
    return "\n".join(map(_line, answer["hits"]))


def _line(listed: Mapping[str, Any]) -> str:
    mark = "" if listed["status"] == "accepted" else f" ({listed['status']})"
    stale = f"  ({listed['stale']})" if listed.get("stale") else ""
    return f"{listed['id']}  {listed['type']}{mark}  {listed['title']}  {listed['updated'][:10]}".rstrip() + stale


def _timeline(answer: Mapping[str, Any]) -> str:
    rows = [f"{item['at'][:16]}  {item['id']}  {item['title']}" for item in answer["items"]]
    return "\n".join(rows) or "Nothing happened there."


def _show(answer: Mapping[str, Any]) -> str:
    return "\n\n".join(map(format_memory, answer["memories"])) or "Nothing that may be shown."


def format_memory(form: Mapping[str, Any]) -> str:
    """A memory in full."""
    lines = [_line({"updated": "", **form})]
    for name, value in form.items():
        if name not in ELSEWHERE and value not in ("", [], {}, None):
            lines.append(f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}")
    cut = [f"(cut here: {', '.join(form['cut'])}; `start` goes on with the body)"] if form.get("cut") else []
    return "\n".join([*lines, "", form["body"], *cut])


def _pack(answer: Mapping[str, Any]) -> str:
    return str(answer["prompt"]) or "Nothing that is kept matters to this."


def _check(answer: Mapping[str, Any]) -> str:
    if not answer["findings"]:
        return f"Nothing that is kept is broken, of {answer['checked']} memories."
    return "\n".join(map(_format_violation, answer["findings"]))


def _format_violation(found: Mapping[str, Any]) -> str:
    line = f"line {found['line']}: " if found["line"] else ""
    sure = "" if found["confidence"] == 1 else f" ({found['confidence']:.0%} sure)"
    words = f"{line}{found['severity']} {found['memory']} {found['reason']}{sure}. {found['title']}"
    return "\n".join([words, *(f"    {way}" for way in found["resolve"])])


def _format_kept(answer: Mapping[str, Any]) -> str:
    words = f"{answer['id']} ({answer['status']}) in {answer['path']}."
    return f"{words} The user accepts it with: {answer['accept']}" if answer["accept"] else words


def _briefing(answer: Mapping[str, Any]) -> str:
    return str(answer["text"]) or "Nothing is kept yet."


def _review(answer: Mapping[str, Any]) -> str:
    rows = [f"{_line(each)}\n    {each['said_by']}: {each['text']}" for each in answer["candidates"]]
    return "\n".join([*rows, f"{answer['waiting']} wait."]) if rows else "Nothing waits for review."


_READ = {
    "search": _search,
    "timeline": _timeline,
    "show": _show,
    "pack": _pack,
    "check_plan": _check,
    "remember": _format_kept,
    "record_decision": _format_kept,
    "record_failure": _format_kept,
    "briefing": _briefing,
    "review": _review,
}
