"""What the rules make of a conversation: fields, evidence, what is known already, and what never comes out."""

import pytest
from bench.distil.labels import SETS, load
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.budget import examples
from tests.unit.distil.talk import agent, bash, distil, edit, talk, tool, user

from holdfast.core.conversation import Turn
from holdfast.core.distilled import Known
from holdfast.core.memory import Memory, MemoryType, RejectedOption, SaidBy, Scope, Status
from holdfast.core.value import replace
from holdfast.distil.check_evidence import has_proof
from holdfast.distil.lasting_phrases import PATTERNS
from holdfast.distil.rule_distiller import MOST_CANDIDATES, RuleDistiller, run_id
from holdfast.distil.user_words import load_own_reader
from holdfast.vault.parse_memory import parse
from holdfast.vault.render_memory import render

QUEUE_FAILS = "E   sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 reached, at 0x7f12ab34\n1 failed"


def one(*turns: Turn) -> Memory:
    (memory,) = distil(*turns).candidates
    return memory


def struggle(times: int = 3, *, then: str = "") -> list[Turn]:
    turns = [user("Make the pool async so requests don't block.")]
    for _ in range(times):
        turns += [edit("src/pool.py"), bash("pytest tests/test_pool.py -q", QUEUE_FAILS, failed=True)]
    return (
        [*turns, agent(then), edit("src/pool.py"), bash("pytest tests/test_pool.py -q", "4 passed")] if then else turns
    )


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern[0])
def test_every_pattern_finds_its_examples(
    pattern: tuple[str, str, str, float, tuple[str, ...], str, tuple[str, ...]],
) -> None:
    name, kind, language, _, cues, _, examples = pattern

    assert name.startswith(f"{language}.")
    for example in examples:
        assert any(part in example.lower() for cue in cues for part in cue.split("&")), example
        assert kind in {trigger.kind for trigger in load_own_reader().read(example)}, example


def test_the_ids_of_patterns_are_unique() -> None:
    assert len({pattern[0] for pattern in PATTERNS}) == len(PATTERNS)


def test_a_decision_has_its_question_its_choice_and_the_reason_against_what_was_rejected() -> None:
    memory = one(user("let's use SQLite, not Redis, Redis is too much to run for us"))

    assert (memory.type, memory.status, memory.said_by) == (MemoryType.DECISION, Status.CANDIDATE, SaidBy.USER)
    assert (memory.title, memory.question, memory.choice) == (
        "Use SQLite, not Redis, Redis is too much to run for us",
        "SQLite or Redis?",
        "SQLite",
    )
    assert memory.rejected == (RejectedOption(option="Redis", reason="too much to run for us"),)
    assert (memory.evidence[0].event, memory.source) == ("e1", "s-1")


def test_a_pick_names_the_offer_and_the_answer_as_evidence() -> None:
    memory = one(user("keep sessions"), agent("Redis or SQLite?"), user("the second one, less to run"))

    assert (memory.choice, memory.rejected[0].option) == ("SQLite", "Redis")
    assert memory.body.endswith("Rationale: less to run.")
    assert [evidence.event for evidence in memory.evidence] == ["e3", "e2"]


def test_what_the_agent_proposed_and_the_user_took_is_the_agents_word() -> None:
    memory = one(user("go"), agent("Should I use date-fns instead of moment?"), user("yes please"))

    assert (memory.said_by, memory.choice, memory.rejected[0].option) == (SaidBy.AGENT, "date-fns", "moment")
    assert [evidence.event for evidence in memory.evidence] == ["e2", "e3"]


def test_an_agents_finding_counts_only_after_a_check_passed_or_a_yes() -> None:
    turns = [user("why"), bash("pytest", "E KeyError: 'BROKER_URL'\n1 failed", failed=True)]
    finding = agent("The root cause was that `BROKER_URL` is not set for the worker tests.")

    assert distil(*turns, finding).candidates == ()
    assert distil(*turns, finding, user("thanks, but no, that is wrong")).candidates == ()
    (confirmed,) = distil(*turns, finding, user("yes, exactly")).candidates
    assert (confirmed.said_by, confirmed.category) == (SaidBy.AGENT, "system")


def test_attempts_at_one_goal_are_one_failure() -> None:
    memory = one(*struggle(3, then="The root cause is that every request opens its own session."))

    assert (memory.type, memory.attempts, memory.error_type) == (MemoryType.FAILURE, 3, "TimeoutError")
    assert memory.root_cause == "every request opens its own session"
    assert memory.paths == ("src/pool.py",)
    assert memory.context.startswith("Make the pool async")


def test_the_same_command_again_without_a_change_is_no_attempt() -> None:
    failing = bash("pytest tests/test_pool.py -q", QUEUE_FAILS, failed=True)

    assert distil(user("run the tests"), failing, failing, failing).candidates == ()


def test_a_decision_that_is_taken_back_is_gone() -> None:
    turns = [user("Let's use Redis for the cache."), agent("Done."), user("scratch that")]

    assert distil(*turns).candidates == ()


def test_a_choice_that_a_later_one_rejects_is_gone() -> None:
    found = distil(
        user("Let's use Redis for the cache."), agent("Done."), user("Use SQLite instead of Redis.")
    ).candidates

    assert [memory.choice for memory in found] == ["SQLite"]


def test_what_is_known_is_not_proposed_again_whatever_became_of_it() -> None:
    turn = user("let's use SQLite, not Redis, Redis is too much to run for us")
    (memory,) = distil(turn).candidates

    for status in Status:
        assert distil(turn, known=Known(memories=(replace(memory, id="DEC-1", status=status),))).candidates == ()


def test_a_known_failure_is_counted_on() -> None:
    (first,) = distil(*struggle(3, then="The root cause is that every request opens its own session.")).candidates
    again = RuleDistiller().distil(
        talk(*(replace(t, id=f"x{n}") for n, t in enumerate(struggle(2)))), Known(memories=(first,))
    )

    (memory,) = again.candidates
    assert (memory.id, memory.attempts) == (first.id, 5)


def test_a_failure_without_a_cause_or_a_remedy_is_no_candidate() -> None:
    assert distil(*struggle(3)).candidates == ()
    assert distil(*struggle(3), agent("The root cause is that every request opens its own session.")).candidates == ()


def test_distilling_again_gives_the_same() -> None:
    turns = [user("Always use ruff. Never write to prod from tests."), *struggle(3)]

    assert distil(*turns) == distil(*turns)


def test_there_are_at_most_so_many_candidates() -> None:
    turns = [user(f"Let's use Tool{number} instead of Thing{number}.") for number in range(MOST_CANDIDATES + 20)]

    assert len(distil(*turns).candidates) == MOST_CANDIDATES


def test_no_escape_code_reaches_a_candidate() -> None:
    turns = [user("Make \x1b[31mit pass")]
    for _ in range(3):
        turns += [
            edit("src/a.py"),
            bash("pytest", "ValueError: \x1b]0;owned\x07 no lock is held\n1 failed", failed=True),
        ]
    turns += [agent("The root cause is \x1b[31m the missing lock."), edit("src/a.py"), bash("pytest", "1 passed")]

    found = distil(*turns, user("Use SQLite\x1b[2J instead of Redis.")).candidates

    assert {memory.type for memory in found} == {MemoryType.FAILURE, MemoryType.DECISION}
    assert not any(mark in repr(found) for mark in ("\\x1b", "\\x07"))


def test_candidates_are_files_that_come_back_the_same() -> None:
    for name in SETS:
        for snippet in load(name):
            for memory in RuleDistiller().distil(snippet.conversation, Known()).candidates:
                (entry,) = parse(render(memory).encode(), path="x.md", scope=Scope.WORKSPACE).entries

                assert entry.memory == memory


def test_a_run_is_named_for_its_time_and_session() -> None:
    assert run_id("d489281d-58b4", "2026-11-15T09:22:14.586Z") == "run-2026-11-15-092214-d489281d"
    assert run_id("../..", "") == "run-0000-00-00-000000-session"


def test_an_empty_conversation_gives_nothing() -> None:
    found = distil()

    assert (found.candidates, found.log, found.summary.title) == ((), "", "")


def turn_of(who: str, text: str) -> Turn:
    match who:
        case "user":
            return user(text)
        case "agent":
            return agent(text)
        case "tool":
            return tool("Write", {"file_path": text, "content": text}, text)
    return bash(text, text, failed=True)


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["user", "agent", "tool", "bash"]), st.text(max_size=300)), max_size=6))
def test_whatever_is_said_nothing_breaks_and_all_evidence_stands(spoken: list[tuple[str, str]]) -> None:
    conversation = talk(*(turn_of(who, text) for who, text in spoken), client="codex")

    found = RuleDistiller().distil(conversation, Known())

    turns = {turn.id: turn for turn in conversation.turns}
    assert all(has_proof(memory, turns) for memory in found.candidates)


WORDS = st.sampled_from(
    [
        "let's",
        "use",
        "SQLite",
        "instead",
        "of",
        "Redis",
        ",",
        ".",
        "never",
        "always",
        "write",
        "the",
        "tests",
        "need",
        "`X`",
        "because",
        "it",
        "is",
        "too",
        "slow",
        "or",
        "?",
        "we",
        "tried",
        "but",
        "no",
        "\n",
        ">",
        "```",
        '"',
        "Bob:",
        "don't",
        "mock",
        "prefer",
        "from",
        "now",
        "on",
        "all",
        "money",
        "is",
        "cents",
        "src/a.py",
        "assume",
        "that",
    ]
)


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(WORDS, max_size=40), st.lists(WORDS, max_size=30))
def test_sentences_of_telling_words_keep_their_evidence(asked: list[str], answered: list[str]) -> None:
    conversation = talk(
        user(" ".join(asked)), agent(" ".join(answered)), bash("pytest", "3 passed"), user(" ".join(asked[::-1]))
    )

    found = RuleDistiller().distil(conversation, Known())

    turns = {turn.id: turn for turn in conversation.turns}
    assert all(has_proof(memory, turns) and memory.title and len(memory.title) <= 110 for memory in found.candidates)


@pytest.mark.slow
def test_a_long_message_of_cues_takes_its_time_once() -> None:
    text = "let's use " * 3000 + "SQLite " * 3000 + "not never always because " * 2000

    hard = [
        "a" * 200_000,
        "(" * 50_000 + "let's use X",
        "<a>" * 100_000,
        "“" * 100_000,
        "Bob: " * 50_000,
        "> " * 99_999,
        "1. x\n" * 50_000,
    ]

    turns = [turn for words in (text, *hard) for turn in (user(words), agent(words), bash(words, words, failed=True))]

    assert distil(*turns).by == "rules"
