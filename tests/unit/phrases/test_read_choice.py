"""What a sentence sets over what, and for what."""

import pytest

from holdfast.phrases.read_choice import read_choice


@pytest.mark.parametrize(
    ("sentence", "choice", "rejected", "role"),
    [
        ("We decided: always use SQLite for the job queue, never Redis, because it is one box.", "SQLite", "Redis",
         "the job queue"),
        ("Decision: job queue is SQLite, not Redis", "SQLite", "Redis", "job queue"),
        ("Always pnpm for the web packages, never npm.", "pnpm", "npm", "the web packages"),
        ("Never use Redis for the job queue, use SQLite; it needs no server.", "SQLite", "Redis", "the job queue"),
        ("For the job queue we use SQLite instead of Redis.", "SQLite", "Redis", "the job queue"),
        ("Replace moment with date-fns because moment is unmaintained.", "date-fns", "moment", ""),
        ("No ORM in the ledger service, plain SQL", "plain SQL", "ORM", "the ledger service"),
        ("We store money as integer cents, never floats.", "integer cents", "floats", "money"),
        ("Actually no, go back to tenacity, the loop hides errors.", "tenacity", "", ""),
        ("We tried Celery for the job queue and dropped it.", "", "Celery", "the job queue"),
    ],
)  # fmt: skip
def test_what_was_chosen_over_what(sentence: str, choice: str, rejected: str, role: str) -> None:
    found = read_choice(sentence)

    assert found is not None
    assert (found.choice, ", ".join(found.rejected), found.role) == (choice, rejected, role)


def test_several_things_are_set_aside() -> None:
    found = read_choice("Use SQLite for the queue, not Redis or RabbitMQ, since it needs no server.")

    assert found is not None
    assert found.rejected == ("Redis", "RabbitMQ")
    assert "needs no server" in found.tail


@pytest.mark.parametrize(
    "sentence",
    ["Don't use it, use that.", "I want you to fix this, not explain it.", "We use Go.", "The snapshot goes to a.db"],
)
def test_what_names_no_two_things_gives_nothing(sentence: str) -> None:
    assert read_choice(sentence) is None


def test_a_long_sentence_takes_no_long_time() -> None:
    assert read_choice("use " + "a b, not " * 4000) is not None
