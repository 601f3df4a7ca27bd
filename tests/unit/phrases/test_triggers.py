"""What the patterns find in labelled sentences, what they must leave alone, and what they take out of a sentence."""

from collections import Counter
from pathlib import Path

import pytest

from holdfast.phrases.phrase_tables import PATTERNS
from holdfast.phrases.triggers import QUOTE_LIMIT, Trigger, find_triggers

DATA = Path(__file__).parents[2] / "data/triggers.tsv"
NOTHING = "-"
KINDS = ("correction", "decision", "architecture", "priority", "blocker", "next_step", "preference", "value")


def labelled() -> list[tuple[str, frozenset[str], str]]:
    rows = [line.split("\t") for line in DATA.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [(language, frozenset(kinds.split("|")), text.replace("\\n", "\n")) for language, kinds, text in rows]


class Tally:
    def __init__(self) -> None:
        self.right, self.found, self.wanted = Counter[str](), Counter[str](), Counter[str]()

    def count(self, group: str, wanted: frozenset[str], found: set[str]) -> None:
        self.right[group] += len(found & wanted)
        self.found[group] += len(found)
        self.wanted[group] += wanted != {NOTHING}

    def precision(self, group: str) -> float:
        return self.right[group] / self.found[group] if self.found[group] else 1.0

    def recall(self, group: str) -> float:
        return self.right[group] / self.wanted[group] if self.wanted[group] else 1.0


def tally() -> Tally:
    scores = Tally()
    for language, wanted, text in labelled():
        found = {trigger.kind for trigger in find_triggers(text)}
        scores.count("all", wanted, found)
        scores.count(language, wanted, found)
        for kind in KINDS:
            if kind in wanted or kind in found:
                scores.count(kind, wanted & {kind} or frozenset({NOTHING}), found & {kind})
    return scores


def one(text: str) -> Trigger:
    (trigger,) = find_triggers(text)
    return trigger


def test_precision_and_recall_on_the_labelled_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    scores = tally()

    with capsys.disabled():
        print()
        for group in ("all", "en", "de", "fr", "es", "zh", *KINDS):
            precision, recall = scores.precision(group), scores.recall(group)
            print(f"{group:12} precision {precision:.3f}  recall {recall:.3f}  of {scores.wanted[group]}")
    assert all(scores.precision(group) >= 0.95 for group in ("all", "en", "de", "fr", "es", "zh"))
    assert all(scores.recall(group) >= 0.8 for group in ("all", "en", "de", "fr", "es", "zh"))


def test_the_labelled_set_is_large_and_half_near_misses() -> None:
    rows = labelled()
    by_language = Counter(language for language, _, _ in rows)
    near = sum(kinds == {NOTHING} for _, kinds, _ in rows)

    assert by_language["en"] >= 200
    assert all(by_language[language] >= 15 for language in ("de", "fr", "es", "zh"))
    assert 0.35 <= near / len(rows) <= 0.6


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern[0])
def test_every_pattern_finds_its_examples(
    pattern: tuple[str, str, str, float, tuple[str, ...], str, tuple[str, ...]],
) -> None:
    name, kind, language, confidence, cues, _, examples = pattern

    assert kind in KINDS
    assert name.startswith(f"{language}.")
    assert 0 < confidence <= 1
    assert cues
    assert examples
    for example in examples:
        assert kind in {trigger.kind for trigger in find_triggers(example)}, example


def test_the_ids_of_patterns_are_unique() -> None:
    assert len({pattern[0] for pattern in PATTERNS}) == len(PATTERNS)


@pytest.mark.parametrize(
    ("text", "choice", "rejected"),
    [
        ("Use tabs not spaces.", "tabs", "spaces"),
        ("Please use `httpx`, not `requests`.", "httpx", "requests"),
        ("Let's go with Postgres instead of MySQL for the prototype.", "Postgres", "MySQL"),
        ("Switch from npm to pnpm.", "pnpm", "npm"),
        ("We're moving from REST to gRPC because of streaming.", "gRPC", "REST"),
        ("Instead of a class, use a plain function.", "plain function", "class"),
        ("I prefer composition over inheritance.", "composition", "inheritance"),
        ("Nimm pnpm statt npm.", "pnpm", "npm"),
        ("Utilise pnpm au lieu de npm.", "pnpm", "npm"),
        ("Usa pnpm en vez de npm.", "pnpm", "npm"),
        ("使用 Postgres 而不是 MySQL。", "Postgres", "MySQL"),
        ("Let's drop support for Python 3.9.", "", "support"),
    ],
)
def test_what_was_chosen_and_what_was_rejected(text: str, choice: str, rejected: str) -> None:
    trigger = one(text)

    assert (trigger.choice, trigger.rejected) == (choice, rejected)


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("The staging URL is https://staging.example.com/app.", "staging URL", "https://staging.example.com/app"),
        ("The branch is feature/login-v2.", "branch", "feature/login-v2"),
        ("The API listens on port 8081.", "API", "8081"),
        ("We're on Python 3.12.", "Python", "3.12"),
        ("Set MAX_RETRIES to 5.", "MAX_RETRIES", "5"),
        ("The database is called `Harbor_Prod`.", "database", "Harbor_Prod"),
        ("Der Branch heißt feature/login.", "Branch", "feature/login"),
        ("端口是 5433。", "端口", "5433"),
    ],
)
def test_a_value_comes_with_its_name(text: str, name: str, value: str) -> None:
    trigger = one(text)

    assert trigger.kind == "value"
    assert (trigger.name, trigger.value) == (name, value)


def test_the_quote_is_the_sentence_verbatim() -> None:
    triggers = find_triggers("Thanks!  OK, let’s go with **Postgres**. The port is 5433; the rest is fine.")

    assert [trigger.quote for trigger in triggers] == ["OK, let’s go with **Postgres**.", "The port is 5433;"]


def test_a_quote_has_a_limit() -> None:
    trigger = one("Let's go with Postgres, " + "because it is the one that we all know " * 20)

    assert len(trigger.quote) == QUOTE_LIMIT


def test_a_sentence_gives_one_statement_and_one_value() -> None:
    triggers = find_triggers("No, use Postgres instead of MySQL, the port is 5433.")

    assert [trigger.kind for trigger in triggers] == ["correction", "value"]


def test_pasted_text_between_own_words_is_passed_over() -> None:
    pasted = "```\nuse tabs not spaces\n```\n<log>\nlet's use Kafka\n</log>\n> We decided to use Go."
    text = f"Let's go with Redis.\n{pasted}\nNever commit to main."

    assert [trigger.kind for trigger in find_triggers(text)] == ["decision", "preference"]


def test_text_after_an_announced_paste_is_not_the_users() -> None:
    assert find_triggers("Here is what the log says:\nuse TLS not SSL\nalways verify the host") == ()


def test_bullets_and_numbers_are_no_part_of_the_sentence() -> None:
    triggers = find_triggers("- Use tabs not spaces\n2. Let's go with Postgres")

    assert [trigger.quote for trigger in triggers] == ["Use tabs not spaces", "Let's go with Postgres"]


def test_what_is_said_twice_is_found_once() -> None:
    assert len(find_triggers("Use tabs not spaces.\nUse tabs not spaces.")) == 1
