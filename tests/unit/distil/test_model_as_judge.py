"""A model as judge of what the rules proposed: what it is shown, what its verdicts do, a recorded answer by wire."""

import json
from pathlib import Path
from typing import Any

import pytest
from bench.distil.recorded_model import RecordedModel, fill_answer, mark_turns, read_place
from tests.unit.distil.talk import agent, bash, talk, tool, user
from tests.unit.llm.talking import DIALECTS, model_at, serving, streaming

from holdfast.core.conversation import Conversation, UserChoice
from holdfast.core.distilled import Distilled, Known
from holdfast.core.memory import Memory, MemoryType, SaidBy, Status
from holdfast.distil.model.answer_schema import SHAPE
from holdfast.distil.model.beside import name_proposal
from holdfast.distil.model.model_distiller import ModelDistiller
from holdfast.distil.rule_distiller import RuleDistiller
from holdfast.distil.session_pages import render_summary
from holdfast.llm.scripted_model import ScriptedModel, parse_line

RULE = "Always use Postgres for the job queue, never Redis, because it is already running."
PROPOSAL = "I would name the queue table `jobs`, and keep finished rows for a week."


def session(*more: Any) -> Conversation:
    return talk(
        user(RULE),
        bash("pytest", "KeyError: 'TZ'", failed=True),
        tool("Read", {"file_path": "src/queue.py"}, "secret of the file that nobody needs"),
        agent(PROPOSAL),
        user("Yes, do that please."),
        *more,
    )


def proposal() -> Memory:
    [found] = RuleDistiller().distil(session(), Known()).candidates
    return found


def judge(verdict: str, **more: str) -> dict[str, Any]:
    return {"verdicts": [{"id": name_proposal(proposal()), "verdict": verdict, **more}]}


def answer(**said: Any) -> dict[str, Any]:
    filled: dict[str, Any] = fill_answer(said, SHAPE.schema)
    return filled


def distil(
    said: dict[str, Any], conversation: Conversation | None = None, known: Known | None = None
) -> tuple[Distilled, str]:
    model = ScriptedModel([parse_line({"data": answer(**said)})], "scripted:x")
    made = ModelDistiller(model, RuleDistiller(), 24_000).distil(conversation or session(), known or Known())
    return made, model.asked[0].messages[0].text


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def test_a_model_is_shown_words_and_failures_and_no_tool_that_went_well() -> None:
    _, text = distil({})

    assert [row.get("tool", row["who"]) for row in rows(text) if "n" in row and "who" in row] == [
        "user", "Bash", "assistant", "user",
    ]  # fmt: skip
    assert "KeyError" in text
    assert "secret of the file" not in text


def test_what_the_rules_proposed_and_what_is_known_stand_beside() -> None:
    known = Memory(id="DEC-000001", type=MemoryType.DECISION, title="The job queue runs on Redis")
    far = Memory(id="DEC-000002", type=MemoryType.DECISION, title="Buttons are rounded")

    _, text = distil({}, known=Known(memories=(known, far)))

    beside = [row for row in rows(text) if "who" not in row]
    assert beside[0] == {"known": "DEC-000001", "status": "accepted", "type": "decision", "title": known.title}
    assert [row["proposed"] for row in beside[1:]] == [name_proposal(proposal())]
    assert (beside[1]["n"], beside[1]["said_by"]) == (1, "user")
    assert "DEC-000002" not in text


def test_what_the_user_chose_and_refused_is_shown_as_theirs() -> None:
    asked = tool(
        "AskUserQuestion",
        {},
        choices=(UserChoice(question="Which name?", choice="work items", options=("jobs", "work items")),),
    )
    refused = tool("Bash", {"command": "rm -rf x"}, refusal="never delete that folder yourself")
    said = {
        "candidates": [
            {
                "type": "decision",
                "title": "The table is named work items",
                "evidence": [{"turn": 5, "quote": "work items"}],
                "confidence": 0.9,
            }
        ]
    }

    made, text = distil(said, session(asked, refused))

    shown = [row for row in rows(text) if "who" in row and row["n"] in (5, 6)]
    assert shown[0]["chose"] == [{"question": "Which name?", "options": ["jobs", "work items"], "choice": "work items"}]
    assert (shown[1]["who"], shown[1]["refused"], shown[1]["text"]) == (
        "user",
        "Bash",
        "never delete that folder yourself",
    )
    [memory] = [each for each in made.candidates if "work items" in each.title]
    assert memory.said_by is SaidBy.USER


@pytest.mark.parametrize("said", [{}, judge("accept")])
def test_what_is_accepted_or_not_spoken_of_stays_as_it_is(said: dict[str, Any]) -> None:
    made, _ = distil(said)

    assert made.candidates == (proposal(),)
    assert made.set_aside == ()


def test_a_new_title_keeps_the_evidence_and_the_user_where_their_words_hold_it() -> None:
    made, _ = distil(judge("reword", title="The job queue is in Postgres, never in Redis"))

    [memory] = made.candidates
    assert memory.title == "The job queue is in Postgres, never in Redis"
    assert (memory.evidence, memory.said_by) == (proposal().evidence, SaidBy.USER)


def test_a_title_that_says_something_else_is_not_the_users() -> None:
    made, _ = distil(judge("reword", title="Deploy every evening without asking anybody"))

    [memory] = made.candidates
    assert memory.said_by is SaidBy.AGENT
    assert (memory.confidence or 0) <= 0.6


@pytest.mark.parametrize("verdict", ["reject", "supersede"])
def test_what_is_set_aside_is_no_candidate_and_is_said_on_the_page(verdict: str) -> None:
    made, _ = distil(judge(verdict, reason="an order\nof # this session"))

    assert made.candidates == ()
    assert made.set_aside == (f"{proposal().title}: an order of # this session",)
    assert f"## Set aside\n\n- {proposal().title}" in render_summary(made)


def test_a_verdict_on_something_else_does_nothing() -> None:
    made, _ = distil({"verdicts": [{"id": "c-000000", "verdict": "reject", "reason": "all of it"}]})

    assert made.candidates == (proposal(),)


def test_only_accepted_memories_are_replaced() -> None:
    old = Memory(id="DEC-000001", type=MemoryType.DECISION, title="Jobs are named tasks")
    waiting = Memory(id="CAND-00001", type=MemoryType.DECISION, status=Status.CANDIDATE, title="Rows stay a month")
    said = {
        "candidates": [
            {
                "type": "decision",
                "title": "The queue table is named jobs",
                "evidence": [{"turn": 3, "quote": "I would name the queue table `jobs`"}],
                "replaces": ["DEC-000001", "CAND-00001", "DEC-999999"],
            }
        ]
    }

    made, _ = distil(said, known=Known(memories=(old, waiting)))

    [memory] = [each for each in made.candidates if each.title == "The queue table is named jobs"]
    assert memory.supersedes == ("DEC-000001",)
    assert memory.said_by is SaidBy.AGENT


def test_what_the_user_only_gives_back_of_the_agents_words_is_not_theirs() -> None:
    words = "keep finished rows of the queue for a whole week"
    title = "Keep finished rows of the queue for a week"
    said = {
        "candidates": [
            {"type": "invariant", "title": title, "evidence": [{"turn": 2, "quote": words}], "confidence": 0.9}
        ]
    }

    pasted, _ = distil(said, talk(agent(f"I would **{words}**."), user(f"Do you mean this: {words}")))
    own, _ = distil(said, talk(agent("How long shall rows stay?"), user(f"Please {words}.")))

    [memory] = [each for each in pasted.candidates if each.title == title]
    assert (memory.said_by, memory.extra["doubt"]) == (SaidBy.AGENT, "the agent had said it before in the same words")
    assert [each.said_by for each in own.candidates if each.title == title] == [SaidBy.USER]


RECORDED: dict[str, Any] = {
    "candidates": [
        {"type": "decision", "title": "The queue table is named jobs and keeps finished rows for a week",
         "evidence": [{"turn": 3, "quote": PROPOSAL}, {"turn": 4, "quote": "Yes, do that please."}], "confidence": 0.6}
    ],
    "verdicts": [{"id": "", "verdict": "reword", "title": "The job queue uses Postgres, never Redis"}],
}  # fmt: skip


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A recorded answer to the request that this session makes, in a file."""
    _, text = distil({})
    part, of = read_place(text)
    verdicts = [{**RECORDED["verdicts"][0], "id": name_proposal(proposal())}]
    row = {
        "session": "s-1",
        "part": part,
        "of": of,
        "request": mark_turns(text),
        "answer": RECORDED | {"verdicts": verdicts},
    }
    (tmp_path / "answers.jsonl").write_text(json.dumps(row) + "\n")
    return tmp_path / "answers.jsonl"


def test_a_recorded_answer_goes_through_the_distiller(recorded: Path) -> None:
    model = RecordedModel(recorded)
    made = ModelDistiller(model, RuleDistiller(), 24_000).distil(session(), Known())

    assert [each.title for each in made.candidates] == [
        "The job queue uses Postgres, never Redis", "The queue table is named jobs and keeps finished rows for a week",
    ]  # fmt: skip
    assert (model.changed, len(model.asked)) == (0, 1)


def test_a_recorded_answer_finds_its_turns_again_where_the_request_changed(recorded: Path) -> None:
    model = RecordedModel(recorded)
    moved = talk(user(RULE), agent("Let me see."), agent(PROPOSAL), user("Yes, do that please."))
    made = ModelDistiller(model, RuleDistiller(), 24_000).distil(moved, Known())

    assert model.changed == 1
    assert len(made.candidates) == 2


def test_without_a_recorded_answer_the_rules_answer(recorded: Path) -> None:
    distiller = ModelDistiller(RecordedModel(recorded), RuleDistiller(), 24_000)
    made = distiller.distil(talk(user(RULE), session="s-2"), Known())

    assert made.by == "rules"
    assert "no recorded answer" in distiller.problem


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_recorded_answer_comes_over_every_wire(dialect: str, recorded: Path) -> None:
    row = json.loads(recorded.read_text())
    body = json.dumps(fill_answer(row["answer"], SHAPE.schema))
    with serving(streaming(DIALECTS[dialect][1](body), size=500)) as server:
        distiller = ModelDistiller(model_at(server, dialect), RuleDistiller(), 24_000)
        made = distiller.distil(session(), Known())

    assert distiller.problem == ""
    assert made.candidates[0].title == "The job queue uses Postgres, never Redis"
    sent = json.dumps(server.seen[0][2])
    assert "verdicts" in sent
    assert name_proposal(proposal()) in sent
