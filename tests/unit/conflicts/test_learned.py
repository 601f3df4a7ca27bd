"""What is learned instead of ruled: records that replace each other, and statements reversed in other words."""

import pytest
from bench.conflicts.labels import SETS, load_speech

from holdfast.conflicts.learned_model import RECORDS, STATEMENTS, load_learned_model
from holdfast.conflicts.relate import FLAGGED, relate
from holdfast.core.memory import Memory, MemoryType
from holdfast.core.relation import MAY_REPLACE, SAME_MATTER, Kind, Relation

# Of each set, the least share of reversals that is flagged, and the most of those that only look alike.
BARS = {"tune": (0.75, 0.22), "held": (0.86, 0.2)}


def said(title: str, kind: MemoryType = MemoryType.DECISION, body: str = "") -> Memory:
    return Memory(id=title[:8], type=kind, title=title, body=body)


def judge(old: str, new: str) -> Relation:
    return relate(said(new), said(old))


@pytest.mark.parametrize("name", SETS)
def test_reversals_in_other_words_are_flagged_and_what_looks_alike_is_left_alone(name: str) -> None:
    flagged = {True: 0, False: 0}
    pairs = load_speech(name)
    for pair in pairs:
        flagged[pair.reversal] += relate(pair.new, pair.old).kind in FLAGGED

    least, most = BARS[name]
    assert flagged[True] >= least * sum(pair.reversal for pair in pairs)
    assert flagged[False] <= most * sum(not pair.reversal for pair in pairs)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Use stamina instead of tenacity", "Use tenacity instead of stamina"),
        ("We send the newsletter from our own server", "The newsletter goes out through Mailchimp"),
        ("Never push straight to main", "Everybody may push to main directly"),
        ("Charts are drawn with d3", "We went with Chart.js for charts"),
        ("Kafka carries the events of alpha1", "Rabbit for alpha1"),
    ],
)
def test_opposites_are_flagged(old: str, new: str) -> None:
    assert judge(old, new).kind in FLAGGED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Use stamina instead of tenacity", "We don't use tenacity here"),
        ("A bank statement is imported once", "Import crashed on a 400 MB statement"),
        ("Note 1: the deploy takes 5 minutes", "Note 2: the deploy takes 7 minutes"),
        ("Never log card numbers", "Always log the request id"),
    ],
)
def test_agreement_and_shared_words_are_no_conflict(old: str, new: str) -> None:
    assert judge(old, new).kind not in FLAGGED


def test_a_failure_is_held_against_nothing_by_likeness() -> None:
    failure = said("The newsletter went out through Mailchimp twice", MemoryType.FAILURE)

    assert relate(failure, said("We send the newsletter from our own SMTP server")).kind not in FLAGGED


def test_a_record_that_decides_the_same_is_asked_about_and_never_blocks_by_itself() -> None:
    old = said("Screen architecture", body=(
        "Screens hold their own state. A controller draws each screen. Every controller is tested alone. We like that. "
        "Navigation goes through the activity. Controllers stay small. Nothing else draws."
    ))  # fmt: skip
    new = said("Screen architecture and navigation", body=(
        "Controllers of screens grew. Their state was lost on rotation. A store holds the state of every screen now. "
        "Screens render what the store says. Effects run outside of screens. Tests feed the store. Reviews got shorter."
    ))  # fmt: skip

    found = relate(new, old)

    assert (found.kind, found.rule) == (Kind.SUPERSEDES, SAME_MATTER)
    assert 0.5 <= found.sure <= 1


def test_what_two_records_say_in_passing_is_no_conflict() -> None:
    old = said(
        "Image formats",
        body="We use PNG. " * 3 + "Never cache images. They are big. They change. They are many. That is so.",
    )
    new = said(
        "Search ranking",
        body="We rank by date. " * 2 + "Always cache images. Ranks are kept. They age. They sink. That is it.",
    )

    assert relate(new, old).kind not in FLAGGED


def test_the_weights_are_data_and_their_floors_in_order() -> None:
    for name in (RECORDS, STATEMENTS):
        model = load_learned_model(name)

        assert 0 < model.ask <= model.alone <= model.believe < 1
        assert model.sure(model.ask) == 0.5


def test_a_question_says_that_it_is_one() -> None:
    found = relate(said("The client formats numbers"), said("Numbers are formatted on the server"))

    assert found.rule in ("other stance", MAY_REPLACE)
    assert found.reason
