"""What a user said through a tool: their answers in a form, and their words when they refused a call.

Clients hand both to the agent as a tool's result, so nothing of it is a prompt; it is the user's all the same.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from holdfast.core.conversation import UserChoice

# Tools that put questions to the user, in every client that has one.
ASKING = frozenset({"askuserquestion", "request_user_input", "question", "ask_user", "askquestion", "ask_question"})
_REFUSED = re.compile(
    r"The user doesn't want to (?:proceed with this tool use|take this action)[^\n]*?the user said:\s*\n?(?P<words>.+)",
    re.DOTALL,
)
# What clients put behind or instead of the user's words.
_NOT_THEIRS = re.compile(
    r"\n\s*(?:Note: The user's next message|IMPORTANT:|This means they may|<system-reminder>).*|"
    r"^The user wants to clarify.*",
    re.DOTALL,
)
_PAIR = re.compile(r'"(?P<question>(?:[^"\\]|\\.)+)"\s*=\s*"(?P<answer>(?:[^"\\]|\\.)*)"')
# What a client says behind an answer.
_BEHIND = re.compile(r"""\\?"\s*(?:selected preview:|\.\s*(?:Read the answers|You can now)).*$""", re.DOTALL)
_RECOMMENDED = re.compile(r"\s*\((?:recommended|default)\)\s*$", re.IGNORECASE)
LONGEST = 2000
MOST = 20


def read_refusal(output: str) -> str:
    """The words that a user refused a call with; empty where they gave none."""
    found = _REFUSED.search(output[: LONGEST * 4])
    return _NOT_THEIRS.sub("", found["words"]).strip()[:LONGEST] if found else ""


def read_choices(tool: str, given: Mapping[str, Any], result: object, output: str) -> tuple[UserChoice, ...]:
    """What the user answered in a form, question by question."""
    if tool.lower().rpartition("__")[2] not in ASKING:
        return ()
    answers = dict(_read_answers(result) or _read_answers(_parse(output)) or _read_pairs(output))
    notes = _read_notes(result)
    return tuple(_match_questions(given, answers, notes))[:MOST]


def describe_choice(choice: UserChoice) -> str:
    """A question with its answer, in one line."""
    note = f" ({choice.note})" if choice.note else ""
    return f"{choice.question} → {choice.choice}{note}"


def _match_questions(
    given: Mapping[str, Any], answers: Mapping[str, str], notes: Mapping[str, str]
) -> Iterator[UserChoice]:
    asked = _list(given, "questions") or ([given] if given.get("question") else [])
    for question in asked:
        text = _text(question, "question") or _text(question, "prompt") or _text(question, "header")
        names = (text, _text(question, "id"), _text(question, "header"))
        answer = next((answers[name] for name in names if name in answers), "")
        if not answer and len(asked) == 1 and len(answers) == 1:
            answer = next(iter(answers.values()))
        if text and answer:
            options = tuple(
                _bare(_text(option, "label") or _text(option, "name") or str(option if isinstance(option, str) else ""))
                for option in _list(question, "options")
            )
            yield UserChoice(
                question=text[:LONGEST], choice=_bare(answer)[:LONGEST], options=tuple(filter(None, options)),
                note=notes.get(text, "")[:LONGEST],
            )  # fmt: skip


def _read_answers(value: object) -> Iterator[tuple[str, str]] | Sequence[tuple[str, str]]:
    """The answers of a result: a map by question or id, or a list of rows."""
    held = value.get("answers") if isinstance(value, Mapping) else None
    if isinstance(held, Mapping):
        return [(str(name), text) for name, answer in held.items() if (text := _words(answer))]
    if isinstance(held, list):
        rows = [row for row in held if isinstance(row, Mapping)]
        return [
            (_text(row, "question") or _text(row, "id") or _text(row, "header"), text)
            for row in rows
            if (text := _words(row.get("answer", row.get("answers", row.get("value")))))
        ]
    return ()


def _read_pairs(output: str) -> list[tuple[str, str]]:
    return [(pair["question"], pair["answer"]) for pair in _PAIR.finditer(output[: LONGEST * 10]) if pair["answer"]]


def _read_notes(result: object) -> dict[str, str]:
    """What the user wrote beside an option; a preview that the client shows is the agent's."""
    held = result.get("annotations") if isinstance(result, Mapping) else None
    rows = held.items() if isinstance(held, Mapping) else ()
    return {str(name): _text(row, "notes") or _text(row, "note") for name, row in rows if isinstance(row, Mapping)}


def _words(value: object) -> str:
    match value:
        case str():
            return value.strip()
        case list():
            return ", ".join(filter(None, map(_words, value)))
        case {"answers": inner} | {"answer": inner} | {"label": inner} | {"value": inner}:
            return _words(inner)
        case _:
            return ""


def _bare(words: str) -> str:
    return _RECOMMENDED.sub("", " ".join(_BEHIND.sub("", words).split()))


def _parse(output: str) -> object:
    try:
        return json.loads(output) if output.lstrip().startswith("{") else None
    except ValueError:
        return None


def _text(row: object, name: str) -> str:
    value = row.get(name) if isinstance(row, Mapping) else None
    return value.strip() if isinstance(value, str) else ""


def _list(row: object, name: str) -> list[Any]:
    value = row.get(name) if isinstance(row, Mapping) else None
    return value if isinstance(value, list) else []
