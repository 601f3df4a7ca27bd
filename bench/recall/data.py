"""The sets of questions, all in one form: passages in groups, questions with the passages or groups that answer them.

Nothing of them is kept here. Each loader takes the folder they lie in; official files and parts of them read alike.
"""

import gzip
import io
import json
import os
import re
import tarfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import zstandard

from holdfast.core.path_scope import applies_to
from holdfast.core.value import Value

CODING = os.path.join(os.path.dirname(os.path.abspath(__file__)), "coding")
LONGEST_PASSAGE = 1000
QUERY_CHARACTERS = 1200
LOCOMO_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}

_STATUS = re.compile("(?i)supersed|status|replaced by|replaces|deprecated|obsolete|amend")
_NUMBERED = re.compile(r"(?i)\b(adr|rfc|rfd|pep|kep)[-_ #]*\d+\b")
_TITLE_NUMBER = re.compile(r"(?i)^\s*(adr|rfc|rfd)?[-_ #]*\d+\s*[:.–-]?\s*")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)


class Passage(Value):
    """A piece of text that can be found, in the order it was said."""

    text: str
    group: int
    said_by: str = ""
    when: str = ""
    title: str = ""
    ts: str = ""
    paths: tuple[str, ...] = ()

    @property
    def head(self) -> str:
        """What stands before the text."""
        return self.title or (f"({self.when}) {self.said_by}:" if self.said_by else "")

    @property
    def whole(self) -> str:
        """Head and text."""
        return f"{self.head} {self.text}".strip()


class Asked(Value):
    """A question, when it is asked (ISO 8601, if known), and what answers it; `banned` groups may not be answers.

    Without gold nothing answers. `wrong` passages said so once and are no longer true; `hidden` are those that the
    filters of a memory would not show: superseded ones, and those of other paths than the one asked for. `part` names
    what belongs together when questions are split; `path` is where the question comes from; `earlier` groups gave
    another rule on the same.
    """

    text: str
    store: int
    passages: tuple[int, ...] = ()
    groups: tuple[int, ...] = ()
    category: str = ""
    banned: tuple[int, ...] = ()
    now: str = ""
    path: str = ""
    wrong: tuple[int, ...] = ()
    hidden: frozenset[int] = frozenset()
    earlier: tuple[int, ...] = ()
    part: str = ""


class Task(Value):
    """Questions over one or more stores that do not know each other."""

    name: str
    stores: Sequence[Sequence[Passage]]
    asked: Sequence[Asked]


def locomo(folder: str) -> Task:
    """Long conversations: a passage is a turn, a group a session."""
    stores: list[list[Passage]] = []
    asked: list[Asked] = []
    for sample in _json(_first(folder, "locomo-part.json", "locomo10.json")):
        turns = list(_turns(sample["conversation"]))
        stores.append([passage for _, passage in turns])
        places = {name: place for place, (name, _) in enumerate(turns)}
        asked += _locomo_questions(sample["qa"], places, stores)
    return Task(name="LoCoMo", stores=stores, asked=asked)


def longmemeval(folder: str) -> Task:
    """Sessions with an assistant, all pooled in one store: a group is a session. Questions to abstain from are out."""
    questions = _json(_first(folder, "longmemeval-oracle-part.json.gz", "longmemeval_oracle.json"))
    sessions: dict[str, tuple[str, Any]] = {}
    for question in questions:
        haystack = zip(question["haystack_dates"], question["haystack_sessions"], strict=True)
        for name, session in zip(question["haystack_session_ids"], haystack, strict=True):
            sessions.setdefault(name, session)
    groups = {name: group for group, name in enumerate(sessions)}
    store = [
        Passage(text=piece, group=groups[name], said_by=turn["role"], when=when, ts=iso(when))
        for name, (when, session) in sessions.items()
        for turn in session
        for piece in (pieces(turn["content"]) if turn["role"] == "assistant" else [turn["content"]])
    ]
    asked = [
        Asked(
            text=question["question"],
            store=0,
            groups=tuple(groups[name] for name in question["answer_session_ids"]),
            category=question["question_type"],
            now=iso(question.get("question_date", "")),
        )
        for question in questions
        if not question["question_id"].endswith("_abs")
    ]
    return Task(name="LongMemEval", stores=[store], asked=asked)


def multihop(folder: str, name: str) -> Task:
    """Encyclopedia passages; a question needs two to four of them together."""
    path = _first(folder, f"multihop/{name.lower()}_hipporag_train100.json", f"{name.lower()}.json")
    found = _json(path)
    store = [Passage(text=doc["text"], title=doc["title"], group=place) for place, doc in enumerate(found["docs"])]
    asked = [
        Asked(text=question["question"], store=0, passages=gold, groups=gold, category=question.get("type", ""))
        for question in found["questions"]
        for gold in [tuple(question["gold"])]
    ]
    return Task(name=name, stores=[store], asked=asked)


def memorycode(folder: str, most_sessions: int = 100) -> Task:
    """Dialogues of a mentor who gives coding rules and changes some; a task is asked for, and the session that gave the
    latest rule for it answers. A group is a session; those that said so before are `earlier`.
    """
    stores: list[list[Passage]] = []
    asked: list[Asked] = []
    for dialogue, topics in _memorycode(_first(folder, "memorycode.tar.zst", "memorycode")):
        if len(dialogue["sessions"]) > most_sessions:
            continue
        store = len(stores)
        stores.append(
            [
                Passage(text=turn.strip(), group=number, said_by=turn.partition(":")[0].strip())
                for number, session in enumerate(dialogue["sessions"])
                for turn in session["text"].split("\n\n")
                if turn.strip()
            ]
        )
        given: dict[int, list[int]] = defaultdict(list)
        for number, rules in enumerate(dialogue["instructions"]):
            for rule in rules if rules != [-1] else ():
                given[rule[0]].append(number)
        for rule, sessions in given.items():
            updated = len(sessions) > 1
            asked.append(
                Asked(
                    text=f"Write a {topics[rule]['eval_query']}.", store=store, groups=(sessions[-1],),
                    category="updated" if updated else "given once", part=str(store),
                    earlier=tuple(sorted(set(sessions) - {sessions[-1]})),
                )
            )  # fmt: skip
    return Task(name="MemoryCode, asked as a task", stores=stores, asked=asked)


def _memorycode(path: str) -> Iterator[tuple[Mapping[str, Any], Mapping[int, Mapping[str, Any]]]]:
    """Every dialogue, with the rules by their ids; from the packed file or an unpacked folder."""
    if os.path.isdir(path):
        files = {name: Path(path, name).read_bytes() for name in _below(path)}
    else:
        with open(path, "rb") as packed:
            whole = zstandard.ZstdDecompressor().stream_reader(packed).read()
        with tarfile.open(fileobj=io.BytesIO(whole)) as archive:
            files = {m.name: f.read() for m in archive.getmembers() if (f := archive.extractfile(m)) is not None}
    rules = next(json.loads(text) for name, text in files.items() if name.endswith("topics.json"))["instructions"]
    topics = {rule["id"]: rule for rule in rules}
    for name in sorted(name for name in files if "dialogue_" in name):
        yield json.loads(files[name]), topics


def _below(folder: str) -> Iterator[str]:
    for top, _, names in os.walk(folder):
        yield from (os.path.relpath(os.path.join(top, name), folder) for name in names if name.endswith(".json"))


def devmembench(folder: str) -> Task:
    """Sessions of a developer: a group is a session. Questions to abstain from have no gold."""
    sessions = _json(os.path.join(folder, "devmembench", "sessions.json"))
    groups = {session["sessionId"]: group for group, session in enumerate(sessions)}
    store = [
        Passage(
            text=piece, group=groups[session["sessionId"]], said_by=message["role"], when=session["metadata"]["date"],
            ts=f"{session['metadata']['date']}T00:00:00Z",
        )
        for session in sessions
        for message in session["messages"]
        for piece in pieces(message["content"])
    ]  # fmt: skip
    asked = [
        Asked(
            text=question["question"], store=0, category=question["questionType"],
            groups=tuple(groups[name] for name in question["haystackSessionIds"]),
        )
        for question in _json(os.path.join(folder, "devmembench", "questions.json"))
    ]  # fmt: skip
    return Task(name="DevMemBench", stores=[store], asked=asked)


def decisions(folder: str) -> Task:
    """Decision records of one repository each: given a new record without its status, which one does it supersede?"""
    docs, places = read_records(folder)
    stores = [
        [passage for group, (title, text) in enumerate(records) for passage in _pieces_of(text, title, group)]
        for records in docs.values()
    ]
    olds: dict[tuple[str, str], list[int]] = defaultdict(list)
    for pair in _json(os.path.join(folder, "decisions", "superseded.json")):
        olds[pair["repo"], pair["new"]].append(places[pair["repo"], pair["old"]])
    asked = [
        Asked(
            text=f"{title}\n{text[:QUERY_CHARACTERS]}",
            store=list(docs).index(repo),
            groups=tuple(gold),
            category="supersedes",
            banned=(places[repo, new],),
        )
        for (repo, new), gold in olds.items()
        for title, text in [docs[repo][places[repo, new]]]
    ]
    return Task(name="Decisions", stores=stores, asked=asked)


def problems(folder: str) -> Task:
    """All decision records in one store: find the record by the question it says it answers, taken out of its text."""
    docs, _ = read_records(folder)
    store: list[Passage] = []
    asked: list[Asked] = []
    for group, (title, text) in enumerate(record for records in docs.values() for record in records):
        question = _own_question(text)
        store += _pieces_of(text.replace(question, " ") if question else text, title, group)
        if question:
            asked.append(Asked(text=question, store=0, groups=(group,), category="question"))
    return Task(name="Decision questions", stores=[store], asked=asked)


def coding(half: str, *, apart: bool = False) -> Task:
    """Our own set: memories of four projects in one store, or a store for each. See coding/README.md."""
    memories = [row for row in coding_rows("memories.jsonl") if row["half"] == half]
    questions = [row for row in coding_rows("questions.jsonl") if row["half"] == half]
    names = list(dict.fromkeys(row["project"] if apart else half for row in memories))
    held = [[row for row in memories if name in (row["project"], half)] for name in names]
    places = [{row["id"]: place for place, row in enumerate(store)} for store in held]
    asked = [
        _coding_question(row, store, held[store], places[store])
        for row in questions
        for store in [names.index(row["project"]) if apart else 0]
    ]
    stores = [[_memory(place, row) for place, row in enumerate(store)] for store in held]
    return Task(name=f"Coding, {half}" + (", a store per project" if apart else ""), stores=stores, asked=asked)


def pieces(text: str, longest: int = LONGEST_PASSAGE) -> list[str]:
    """A long text cut at paragraphs, or at words where a paragraph is too long."""
    cut: list[str] = []
    for paragraph in _short_paragraphs(text, longest):
        if cut and len(cut[-1]) + len(paragraph) < longest:
            cut[-1] += "\n\n" + paragraph
        else:
            cut.append(paragraph)
    return cut or [""]


def iso(when: str) -> str:
    """A date in one of the sets' own forms as ISO 8601; empty where it is none."""
    for form in ("%Y/%m/%d (%a) %H:%M", "%I:%M %p on %d %B, %Y"):
        try:
            return datetime.strptime(when, form).replace(tzinfo=UTC).isoformat()
        except ValueError:
            continue
    return ""


def coding_rows(name: str) -> Iterator[dict[str, Any]]:
    """The rows of a file of our own set."""
    with open(os.path.join(CODING, name), encoding="utf-8") as opened:
        yield from map(json.loads, opened)


def _memory(place: int, row: Mapping[str, Any]) -> Passage:
    """A memory as one text: what was asked, chosen and rejected, what went wrong and why, then the rest."""
    options = (f"Not {each['option']}: {each['reason']}" for each in row["rejected"])
    said = (row["question"] and f"{row['question']}?", row["choice"], *options, row["error_message"], row["root_cause"])
    text = " ".join(_sentence(each) for each in (*said, row["body"]) if each)
    return Passage(text=text, title=row["title"], group=place, ts=row["updated"], paths=tuple(row["paths"]))


def _sentence(text: str) -> str:
    return text if text[-1] in ".?!" else f"{text}."


def _coding_question(
    row: Mapping[str, Any], store: int, held: Sequence[Mapping[str, Any]], places: Mapping[str, int]
) -> Asked:
    gold = tuple(places[name] for name in row["gold"])
    hidden = (
        place
        for place, memory in enumerate(held)
        if memory["status"] != "accepted" or (row["path"] and not applies_to(memory["paths"], row["path"]))
    )
    return Asked(
        text=row["text"],
        store=store,
        passages=gold,
        groups=gold,
        category=row["kind"],
        path=row["path"],
        wrong=tuple(places[name] for name in row["wrong"]),
        hidden=frozenset(hidden),
        part=row["project"],
    )


def _short_paragraphs(text: str, longest: int) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text):
        rest = paragraph.strip()
        while len(rest) > longest:
            end = rest.rfind(" ", longest // 4, longest)
            end = end if end > 0 else longest
            yield rest[:end]
            rest = rest[end:].strip()
        if rest:
            yield rest


def _turns(conversation: Mapping[str, Any]) -> Iterator[tuple[str, Passage]]:
    numbers = sorted(int(key.split("_")[1]) for key in conversation if re.fullmatch(r"session_\d+", key))
    for group, number in enumerate(numbers):
        for turn in conversation[f"session_{number}"]:
            caption = f" [shared image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            yield (
                turn["dia_id"],
                Passage(
                    text=turn["text"] + caption,
                    group=group,
                    said_by=turn["speaker"],
                    when=(when := conversation.get(f"session_{number}_date_time", "")),
                    ts=iso(when),
                ),
            )


def _locomo_questions(
    found: Iterable[Mapping[str, Any]], places: Mapping[str, int], stores: Sequence[Sequence[Passage]]
) -> Iterator[Asked]:
    for question in found:
        named = dict.fromkeys(name for said in question["evidence"] for name in re.findall(r"D\d+:\d+", said))
        gold = tuple(places[name] for name in named if name in places)
        if gold:
            yield Asked(
                text=question["question"],
                store=len(stores) - 1,
                passages=gold,
                groups=tuple(sorted({stores[-1][place].group for place in gold})),
                category=LOCOMO_CATEGORIES[question["category"]],
            )


def read_records(folder: str) -> tuple[dict[str, list[tuple[str, str]]], dict[tuple[str, str], int]]:
    docs: dict[str, list[tuple[str, str]]] = defaultdict(list)
    places: dict[tuple[str, str], int] = {}
    for record in _json(os.path.join(folder, "decisions", "index.json")):
        repo, file = record["repo"], record["file"]
        path = os.path.join(folder, "decisions", "docs", repo.replace("/", "+"), file)
        with open(path, encoding="utf-8", errors="replace") as opened:
            text = _without_status(opened.read())
        places[repo, file] = len(docs[repo])
        docs[repo].append((_TITLE_NUMBER.sub("", record["title"] or ""), text))
    return docs, places


def _without_status(text: str) -> str:
    kept = [line for line in _FRONT_MATTER.sub("", text).split("\n") if not _STATUS.search(line)]
    return _NUMBERED.sub("", "\n".join(kept))


def _pieces_of(text: str, title: str, group: int) -> list[Passage]:
    return [Passage(text=piece, title=title, group=group) for piece in pieces(text)]


def _own_question(text: str) -> str:
    for found in re.finditer(r"(?m)(?:^|(?<=[.!:] ))[A-Z][^.?!\n#|]{30,250}\?", text[:4000]):
        return found.group()
    return ""


def _first(folder: str, *names: str) -> str:
    paths = [os.path.join(folder, name) for name in names]
    return next((path for path in paths if os.path.exists(path)), paths[0])


def _json(path: str) -> Any:
    if path.endswith(".gz"):
        with gzip.open(path, "rt", encoding="utf-8") as packed:
            return json.load(packed)
    with open(path, encoding="utf-8") as opened:
        return json.load(opened)
