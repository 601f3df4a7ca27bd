"""What a new memory is to an old one."""

import re
import time
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from bench.conflicts.labels import SETS, load
from bench.conflicts.score import score

from holdfast.conflicts.read_memory import read_memory
from holdfast.conflicts.relate import relate, relate_readings, unknown_nearness
from holdfast.core.memory import Memory, MemoryType, RejectedOption, Status
from holdfast.core.relation import Kind, Reach, Relation

NOW = datetime(2026, 11, 15, tzinfo=UTC)
# How many pairs the rules may get wrong, and no more, per set.
MOST_FAULTS = {"tune": 8, "held": 9}


def decision(title: str, choice: str = "", **fields: object) -> Memory:
    return Memory(**{"id": "DEC-1", "type": MemoryType.DECISION, "title": title, "choice": choice, **fields})  # type: ignore[arg-type]  # by name


def rule(title: str, **fields: object) -> Memory:
    return Memory(**{"id": "INV-1", "type": MemoryType.INVARIANT, "title": title, **fields})  # type: ignore[arg-type]  # by name


@pytest.mark.parametrize("name", SETS)
def test_the_labelled_pairs_are_judged_as_well_as_before(name: str) -> None:
    counts = score(load(name), unknown_nearness)

    assert len(counts.faults) <= MOST_FAULTS[name], "\n".join(counts.faults)
    assert counts.precision(Kind.CONTRADICTS) >= 0.9
    assert counts.recall(Kind.CONTRADICTS) >= 0.9


def test_there_are_pairs_of_every_relation_in_both_sets() -> None:
    pairs = {name: load(name) for name in SETS}

    assert sum(map(len, pairs.values())) >= 220
    assert all({pair.want for pair in found} == set(Kind) for found in pairs.values())
    assert len({pair.id for found in pairs.values() for pair in found}) == sum(map(len, pairs.values()))


def test_a_clash_names_its_rule_its_reason_and_both_texts() -> None:
    old = decision(
        "Use Postgres for storage", "Postgres", rejected=(RejectedOption(option="SQLite", reason="one writer"),)
    )

    found = relate(decision("Use SQLite for storage", "SQLite", id="CAND-2"), old, now=NOW)

    assert (found.new, found.old, found.kind, found.rule) == (
        "CAND-2",
        "DEC-1",
        Kind.CONTRADICTS,
        "chosen and rejected",
    )
    assert found.reason == "takes 'SQLite', which the other turned down (one writer)"
    assert (found.new_text, found.old_text) == ("Use SQLite for storage", "SQLite: one writer")
    assert 0.5 <= found.sure <= 1


def test_what_failed_before_says_how_often_and_why() -> None:
    failure = Memory(
        id="FAIL-1",
        type=MemoryType.FAILURE,
        title="Async SQLAlchemy pool",
        attempts=3,
        root_cause="the loop was closed",
    )

    found = relate(decision("Use the async SQLAlchemy pool", "async SQLAlchemy pool"), failure, now=NOW)

    assert found.kind is Kind.CONTRADICTS
    assert found.reason == "this failed 3×: the loop was closed"


def test_a_failure_that_is_learned_later_clashes_with_the_decision_too() -> None:
    failure = Memory(id="FAIL-1", type=MemoryType.FAILURE, title="Sharing one SQLite connection between threads")

    found = relate(failure, decision("Share one SQLite connection between threads", "one shared connection"), now=NOW)

    assert found.kind is Kind.CONTRADICTS
    assert found.new_text == "Sharing one SQLite connection between threads"


@pytest.mark.parametrize(
    ("mine", "theirs", "reach", "kind"),
    [
        ((), (), Reach.SAME, Kind.CONTRADICTS),
        (("web/a/**",), ("web/**",), Reach.INSIDE, Kind.CONTRADICTS),
        (("web/**",), ("web/a/**",), Reach.AROUND, Kind.CONTRADICTS),
        (("web/a/**",), (), Reach.INSIDE, Kind.CONTRADICTS),
        ((), ("web/**",), Reach.AROUND, Kind.CONTRADICTS),
        (("**/*.py", "x/**"), ("web/**",), Reach.SOME, Kind.CONTRADICTS),
        (("web/*.ts",), ("web/*.py",), Reach.APART, Kind.UNRELATED),
        (("api/**",), ("web/**",), Reach.APART, Kind.UNRELATED),
        (("src/{a,b}/**",), ("src/b/x.py",), Reach.AROUND, Kind.CONTRADICTS),
        (("src/{a,b}/**",), ("src/c/**",), Reach.APART, Kind.UNRELATED),
    ],
)
def test_rules_clash_only_where_both_hold(
    mine: tuple[str, ...], theirs: tuple[str, ...], reach: Reach, kind: Kind
) -> None:
    found = relate(
        rule("Use tabs for indentation", paths=mine), rule("Use spaces for indentation", paths=theirs), now=NOW
    )

    assert (found.scope.paths, found.kind) == (reach, kind)


def test_the_same_rule_for_other_paths_is_a_refinement() -> None:
    found = relate(rule("Use tabs", paths=("a/**",)), rule("Use tabs", paths=("b/**",)), now=NOW)

    assert (found.kind, found.rule) == (Kind.REFINES, "other paths")


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({}, Kind.CONTRADICTS),
        ({"valid_until": "2026-11-14"}, Kind.UNRELATED),
        ({"valid_until": "2027-01-01"}, Kind.CONTRADICTS),
        ({"status": Status.SUPERSEDED}, Kind.UNRELATED),
        ({"status": Status.REJECTED}, Kind.UNRELATED),
    ],
)
def test_what_no_longer_holds_contradicts_nothing(fields: dict[str, object], kind: Kind) -> None:
    found = relate(rule("Sessions last 30 minutes"), rule("Sessions last 2 hours", **fields), now=NOW)

    assert found.kind is kind
    assert found.scope.time is (kind is Kind.CONTRADICTS)


def test_units_are_understood() -> None:
    same = relate(rule("Sessions last 1 hour"), rule("Sessions last 60 minutes"), now=NOW)
    other = relate(rule("Uploads are limited to 2 GB"), rule("Uploads are limited to 500 MB"), now=NOW)

    assert same.kind is Kind.DUPLICATES
    assert (other.kind, other.reason) == (Kind.CONTRADICTS, "other numbers: 2 GB and 500 MB")


@pytest.mark.parametrize("text", ["Replaces ADR 12.", "This supersedes ADR-012 and more.", "It obsoletes adr #12"])
def test_an_id_behind_a_word_of_replacing_is_a_link(text: str) -> None:
    found = relate(decision("Event sourcing", body=text), decision("A table of balances", id="ADR-012"), now=NOW)

    assert (found.kind, found.rule, found.sure) == (Kind.SUPERSEDES, "link", 1.0)


def test_an_id_that_is_only_mentioned_is_no_link() -> None:
    found = relate(decision("Event sourcing", body="See ADR 12."), decision("Balances", id="ADR-012"), now=NOW)

    assert found.kind is Kind.UNRELATED


def test_a_pair_that_a_person_kept_is_not_reported_again() -> None:
    kept = {"keep_both": [{"id": "INV-2", "because": "the tray has no socket"}]}
    new, old = rule("Polling is fine", extra=kept), rule("Never use polling", id="INV-2")

    assert relate(new, old, now=NOW).reason == "both are kept, because the tray has no socket"
    assert relate(old, new, now=NOW).kind is Kind.UNRELATED


def relations(new: Memory, *others: Memory) -> Sequence[Relation]:
    return relate_readings(read_memory(new), [read_memory(other) for other in others], now=NOW)


def test_what_a_spelled_number_tells_apart_is_no_relation() -> None:
    one, three = (Memory(id=f"LRN-{word}", type=MemoryType.LEARNING, title=f"Fact {word}") for word in ("one", "three"))

    assert relate(three, one).kind is Kind.UNRELATED


def test_relations_come_in_the_order_that_matters() -> None:
    new = rule("Never commit secrets to the repository", id="CAND-1")
    others = [
        rule("The printer needs a reboot", id="A"),
        rule("Never commit secrets to the repository of the app, and rotate those that were", id="B"),
        rule("Secrets must never be committed to the repo", id="C"),
        rule("Committing secrets to the repository is fine", id="D"),
    ]

    found = relations(new, *others)

    assert [(each.old, each.kind) for each in found] == [
        ("D", Kind.CONTRADICTS), ("C", Kind.DUPLICATES), ("B", Kind.REFINES), ("A", Kind.UNRELATED),
    ]  # fmt: skip


def test_nearness_tells_duplicates_in_other_words_but_makes_no_contradiction() -> None:
    new, old = rule("Answers of the gateway come back quickly"), rule("The gateway answers come quickly back again")
    other = rule("Paint the bike shed green")

    assert relate(new, old, lambda _one, _other: 0.99, now=NOW).kind is Kind.DUPLICATES
    assert relate(new, other, lambda _one, _other: 0.99, now=NOW).kind is Kind.UNRELATED


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "\x00\x1b[31m", "no " * 5000, "from " * 3000, "replace " * 3000, "a" * 200_000, "9" * 5000,
        "9." * 4000, "{" * 5000, "instead of " * 2000, "x, not " * 3000, "\ud800",
        "数据库 使用 Postgres", "не использовать Redis",
        "only " * 3000, "is is " * 3000, "prefer " * 2000 + " over " * 2000, "v1 " * 5000, "keep " * 4000,
    ],
)  # fmt: skip
def test_no_text_is_too_odd_or_takes_long(text: str) -> None:
    odd = decision(text, text, question=text, body=text, paths=(text[:2000],), rejected=(RejectedOption(option=text),))
    plain = decision("Use Redis instead of Postgres", "Redis", paths=("src/**",), id="DEC-2")
    begun = time.process_time()

    found = (*relations(odd, plain), *relations(plain, odd))

    assert all(0 <= each.sure <= 1 for each in found)
    assert time.process_time() - begun < 5


def test_globs_that_could_blow_up_do_not() -> None:
    many = tuple(f"{'*a' * 60}/{'**/' * 20}{{a,b}}{{c,d}}{{e,f}}{{g,h}}{number}" for number in range(60))
    begun = time.process_time()

    relate(rule("Use tabs", paths=many), rule("Use spaces", paths=tuple(reversed(many[:50]))), now=NOW)

    assert time.process_time() - begun < 10


def test_every_reason_is_plain_text_on_one_line() -> None:
    for name in SETS:
        for pair in load(name):
            reason = relate(pair.new, pair.old, now=NOW).reason
            assert reason
            assert not re.search(r"[\n\r]", reason)


def test_two_of_one_title_and_other_texts_are_not_called_the_same() -> None:
    old = rule("Screens work at eighty columns", body="Measured on the oldest terminals we have.")

    same = relate(rule(old.title, id="CAND-1", body=f"{old.body}\n"), old, now=NOW)
    other = relate(rule(old.title, id="CAND-1", body="A hundred would do as well."), old, now=NOW)

    assert (same.kind, same.reason) == (Kind.DUPLICATES, "both say the same")
    assert (other.kind, other.reason) == (
        Kind.DUPLICATES, "the titles say the same; what stands below them differs",
    )  # fmt: skip
