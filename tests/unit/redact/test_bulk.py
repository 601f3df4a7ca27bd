"""Bulk work asks RE2 first; every answer is the gate's all the same."""

from tests.data.redact.corpus import lookalikes, planted

from holdfast.redact import bulk_gate
from holdfast.redact.clean import clean

FILLER = "def read(self, path: str) -> bytes:  # as `open` does, é included\n" * 20


def test_the_planted_corpus_is_redacted_the_same_by_both_engines() -> None:
    texts = [case.text for case in planted()] + lookalikes()

    different = [text for text in texts if clean(text, suspects=bulk_gate.bulk_suspects()).value != clean(text).value]

    assert different == []


def test_surroundings_hide_nothing_from_the_first_pass() -> None:
    texts = [f"{FILLER}{text}\n{FILLER}" for text in [case.text for case in planted()] + lookalikes()]

    different = [text for text in texts if clean(text, suspects=bulk_gate.bulk_suspects()).value != clean(text).value]

    assert different == []


def test_a_text_that_the_first_pass_lets_go_holds_nothing_for_the_rules() -> None:
    missed = [case.text for case in planted() if clean(case.text).found and not bulk_gate.bulk_suspects()(case.text)]

    assert missed == []


def test_ordinary_text_raises_no_alarm() -> None:
    assert bulk_gate.bulk_suspects()(FILLER) == ()
