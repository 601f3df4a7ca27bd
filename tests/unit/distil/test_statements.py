"""Which sentences of a user are statements to keep, and what is said of them."""

import pytest
from tests.unit.distil.talk import agent, distil, talk, tool, user

from holdfast.core.conversation import Turn, TurnKind, UserChoice
from holdfast.core.memory import MemoryType, SaidBy
from holdfast.core.value import replace
from holdfast.distil.episodes import split_episodes
from holdfast.distil.make_candidate import answer_title, cut_at_clause, strip_lead
from holdfast.distil.statement_features import opens_with_statements
from holdfast.distil.statement_score import load_statement_model
from holdfast.distil.statement_vetoes import asks_of_process, find_veto
from holdfast.distil.statements import find_topic


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("should the index be global or per project?", "a question"),
        ("I want to add two images to the README", "a wish of the moment"),
        ("This should be a real time in the database", "does not say what it is about"),
        ("go with option B then, the outbox table", "names an option of a list"),
        ("let's say we would move every ref into a prefix", "only imagined"),
        ("my colleague said the API should always be versioned", "not their own or last word"),
        ("rename the variable total in the parser of invoices", "a detail of the task"),
        ("handler.go:120 leaks the process and its file descriptor", "pasted"),
        ("the debug log is in /Users/sam/work/logs/today.txt", "of this machine or session"),
        ("fix finding 3 of the storage review", "a step of the task"),
        ("I ran the migration on the staging database", "tells what happened"),
        ("let's use those to create the second pair of fixtures", "does not say what it is about"),
        ("evaluate the import provider against the export provider", "orders a piece of work"),
        ("update the changelog of the parser", "orders a piece of work"),
        ("the README of the parser is out of date", "reports a fault"),
        ("take 6, 14, 28 of the storage list", "names an option of a list"),
        ("use it there", "does not say what it is about"),
        ("word " * 120, "too long for one statement"),
    ],
)  # fmt: skip
def test_a_veto_says_why(text: str, why: str) -> None:
    assert find_veto(text) == why


def test_the_agents_own_words_are_not_the_users() -> None:
    said = "the importer should write its cursor before the batch is acknowledged"

    assert find_veto(said) == ""
    assert find_veto(said, f"I would say: {said}, do you agree") == "the agent's own words"


@pytest.mark.parametrize(
    "text",
    [
        "stripping leading markdown belongs in the SPI utils, not in a provider",
        "the web API is at ../specstory-sync",
        "search results are ordered by recency, not by BM25",
        "update every changelog of the parser before its release",
        "drop the parser rewrite, the old parser reads the corpus",
    ],
)  # fmt: skip
def test_what_names_its_subject_and_lasts_has_no_veto(text: str) -> None:
    assert find_veto(text) == ""


def test_how_work_is_handed_in_is_no_decision() -> None:
    assert asks_of_process("How should I update the PR with this fix?")
    assert not asks_of_process("Estimate from commit count, never probe")


@pytest.mark.parametrize(
    ("said", "statement"),
    [
        ("yeah, let's limit cloud to 500 too", "limit cloud to 500 too"),
        ("let's NOT take on user naming", "do not take on user naming"),
        ("ok", "ok"),
        ("We keep the monolith", "We keep the monolith"),
        ("no ORM in the ledger service", "no ORM in the ledger service"),
        ("no, ORM is fine in the ledger service", "ORM is fine in the ledger service"),
        ("fine-grained locks guard the index", "fine-grained locks guard the index"),
        ("good names beat comments", "good names beat comments"),
        ("ok then let's keep YAML", "keep YAML"),
    ],
)  # fmt: skip
def test_a_statement_begins_where_it_begins(said: str, statement: str) -> None:
    assert strip_lead(said) == statement


def test_a_short_statement_says_what_it_answers_to() -> None:
    answer = "Build is green. The JSON keys are snake_case today. Should the JSON keys become camelCase?"

    assert find_topic("let's switch to camelCase", answer) == "Should the JSON keys become camelCase?"
    assert find_topic("we keep the rate limit counters of uploads in redis because of six replicas", answer) == ""


def _form(choice: str, question: str = "Where should the session cache of the API live?") -> Turn:
    answered = UserChoice(question=question, choice=choice, options=("SQLite file", "Redis server"))
    return replace(tool("AskUserQuestion", {}), choices=(answered,))


def test_an_answer_in_a_form_is_a_decision_with_what_was_rejected() -> None:
    [memory] = distil(user("add a cache"), _form("SQLite file")).candidates

    assert (memory.type, memory.said_by, memory.choice) == (MemoryType.DECISION, SaidBy.USER, "SQLite file")
    assert [each.option for each in memory.rejected] == ["Redis server"]
    assert "session cache" in memory.title


@pytest.mark.parametrize(
    "turn",
    [
        _form("Decide later"), _form("what do you recommend?"),
        _form("Push both commits", "How should I deliver the fixes to the PR?"),
    ],
)  # fmt: skip
def test_an_answer_that_decides_nothing_lasting_is_none(turn: Turn) -> None:
    assert distil(user("add a cache"), turn).candidates == ()


def test_words_of_a_refusal_are_the_users_own() -> None:
    refused = replace(
        tool("Edit", {"file_path": "a.go"}), failed=True,
        refusal="We use slog everywhere, not our own logger, because it is in the standard library.",
    )  # fmt: skip

    [memory] = distil(user("add logging"), agent("I will add a logger."), refused).candidates

    assert memory.said_by is SaidBy.USER
    assert refused.kind is TurnKind.TOOL


@pytest.mark.parametrize(
    "text",
    [
        "can you look at this:\n\nWe use Redis, not SQLite, for the cache because it is shared.",
        "## Review\n\nWe use Redis, not SQLite, for the cache because it is shared.",
        "hm\n[11:28 AM] We use Redis, not SQLite, for the cache because it is shared.",
    ],
)  # fmt: skip
def test_what_was_handed_over_is_nobodys_word(text: str) -> None:
    assert distil(user(text)).candidates == ()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Remember: CHANGELOG.md must be updated with every visible change", "CHANGELOG.md must be updated"),
        ("Important: never log the request body", "Never log the request body"),
        ("We picked Postgres over MySQL because of JSONB.", "We picked Postgres over MySQL"),
        ("We tried HTTP/3 and gave up, the proxy drops UDP", "HTTP/3"),
        ("Actually no, go back to tenacity", "Go back to tenacity"),
        ("from now on write the docs in British English", "write the docs in British English"),
        ("all timestamps are UTC", "All timestamps are UTC"),
    ],
)  # fmt: skip
def test_what_a_new_user_says_plainly_is_proposed(text: str, title: str) -> None:
    [memory] = distil(user(text)).candidates

    assert title.lower() in memory.title.lower()
    assert memory.said_by is SaidBy.USER


@pytest.mark.parametrize(
    "text",
    ["run the tests again", "go on", "what does this function do?", "fix the typo in line 3", "back to work then"],
)
def test_what_asks_for_nothing_lasting_is_not(text: str) -> None:
    assert distil(user(text)).candidates == ()


@pytest.mark.parametrize(
    ("text", "choice", "rejected", "why"),
    [
        ("We decided: always use SQLite for the job queue, never Redis, because one less server to run.",
         "SQLite", [("Redis", "")], "one less server to run"),
        ("Always pnpm for the web packages, never npm, because the lockfile drifts.", "pnpm", [("npm", "")],
         "the lockfile drifts"),
        ("Don't use moment, use date-fns, because moment is unmaintained.", "date-fns",
         [("moment", "unmaintained")], "unmaintained"),
        ("Never use Redis for the job queue, use SQLite; it needs no server.", "SQLite", [("Redis", "")], ""),
        ("SQLite over Redis for the job queue: one less thing to run.", "SQLite", [("Redis", "")],
         "one less thing to run"),
    ],
)  # fmt: skip
def test_what_is_set_over_what_is_a_decision_with_its_parts(
    text: str, choice: str, rejected: list[tuple[str, str]], why: str
) -> None:
    [memory] = distil(user(text)).candidates

    assert memory.type is MemoryType.DECISION
    assert (memory.choice, [(one.option, one.reason) for one in memory.rejected]) == (choice, rejected)
    assert memory.question
    assert why in memory.body


def test_a_way_back_says_what_is_chosen() -> None:
    [memory] = distil(user("Actually no, go back to tenacity, the retry loop hides errors")).candidates

    assert memory.choice == "tenacity"


PROMPT = "please add a parser for the new export of the ledger"
OFFER = """Three calls before I begin.

1. **Migration approach.** Options:
   - **(a) Hard switch**: old scripts change silently
   - **(b) Deprecation alias**: prints a warning
   - **(c) Removal**: errors out

2. **Both flags at once** should error out, yes?"""


def test_a_pick_says_what_it_chose_between() -> None:
    (one,) = distil(user(PROMPT), agent(OFFER), user("do b")).candidates

    assert one.title == "Migration approach: Deprecation alias"
    assert [option.option for option in one.rejected] == ["Hard switch", "Removal"]


def test_a_way_back_overrules_an_earlier_pick() -> None:
    turns = (user(PROMPT), agent(OFFER), user("a"), agent("Going with it then."), user("or no, do c"))

    assert [one.title for one in distil(*turns).candidates] == ["Migration approach: Removal"]


def test_a_bare_option_that_names_nothing_is_no_candidate() -> None:
    assert not distil(user(PROMPT), agent("1. p\n2. q\n\nWhich key?"), user("1")).candidates


@pytest.mark.parametrize(
    ("question", "answer", "title"),
    [
        ("Where should the probe live?", "On HTTPConn", "Where should the probe live? On HTTPConn"),
        (
            "It has rules. How should the old `extra_patterns` feature (users' own, from the settings) be handled?",
            "Drop it", "How should the old `extra_patterns` feature be handled? Drop it",
        ),
    ],
)  # fmt: skip
def test_an_answer_is_titled_by_the_question_and_no_more(question: str, answer: str, title: str) -> None:
    assert answer_title(question, answer) == title


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (
            "10k gives an error, 5k works again, so I guess we should stick to 5k batches in the mirror of the team",
            "we should stick to 5k batches in the mirror of the team",
        ),
        (
            "we used to publish the builds to the other repository of the team, but this one is the repository now",
            "this one is the repository now",
        ),
        (
            "allow both flags of the exporter to be given together, the redundancy does no harm to any of us",
            "allow both flags of the exporter to be given together",
        ),
    ],
)  # fmt: skip
def test_a_long_title_ends_where_a_clause_does_and_turns_nothing_round(said: str, title: str) -> None:
    assert cut_at_clause(said, 90) == title


def test_who_opens_a_session_with_a_statement_is_judged_by_other_weights() -> None:
    (stated,), (asked,) = (split_episodes(talk(user(text))) for text in ("We ship on Tuesdays.", "Can you ship it?"))
    model = load_statement_model()

    assert opens_with_statements(stated)
    assert not opens_with_statements(asked)
    assert model.weights_for(opening=True) is model.opening is not model.amid_work
