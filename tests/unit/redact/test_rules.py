"""Every rule finds what its data says it finds, and nothing that its data says it leaves."""

import random

import pytest
from tests.data.redact.made import make

from holdfast.redact import gate
from holdfast.redact.clean import clean
from holdfast.redact.find_secrets import redact_text
from holdfast.redact.secret_rules import BLOCK, NAMED, PLACES, TOKENS, SecretRule

RULES = (BLOCK, *TOKENS, *PLACES, NAMED)
TIMES = 5


def cases(wanted: str) -> list[tuple[SecretRule, str]]:
    chance = random.Random(7)
    return [(rule, make(each, chance)) for rule in RULES for each in getattr(rule, wanted) for _ in range(TIMES)]


def test_every_rule_has_examples_of_both_kinds() -> None:
    assert [rule.kind for rule in RULES if not rule.yes or not rule.no] == []


def test_every_example_that_must_match_is_redacted() -> None:
    missed = [(rule.kind, text) for rule, text in cases("yes") if clean(text).value == text]

    assert missed == []


def test_every_token_is_called_by_its_kind() -> None:
    called = [(rule.kind, clean(text).found) for rule, text in cases("yes") if rule in TOKENS]

    assert [(kind, found) for kind, found in called if kind not in found and len(found) != 1] == []


def test_every_example_that_must_not_match_stays() -> None:
    changed = [(rule.kind, text, clean(text).value) for rule, text in cases("no") if clean(text).value != text]

    assert changed == []


def test_the_gate_lets_nothing_through_that_a_rule_would_find() -> None:
    texts = [text for _, text in (*cases("yes"), *cases("no"))]

    hidden = [text for text in texts if not gate.suspects(text) and redact_text(text, RULES)[0] != text]

    assert hidden == []


def test_documented_example_keys_are_secrets_too() -> None:
    text = "aws configure set aws_access_key_id " + "AKIA" + "IOSFODNN7EXAMPLE"

    assert clean(text).value == "aws configure set aws_access_key_id [redacted:aws_access_key]"


@pytest.mark.parametrize("before", ["\\n", "\\t", "%3D", "\\u0022", "\x1b[32m", "=", "'", "\u201e"])
def test_an_escape_before_a_token_does_not_hide_it(before: str) -> None:
    secret = "sk-" + "proj-" + "a1B2c3D4e5F6g7H8i9J0k1L2"

    assert clean(f"x{before}{secret}").value == f"x{before}[redacted:openai_key]"


def test_a_longer_token_leaves_no_tail() -> None:
    secret = "AIza" + "a1B2c3D4e5" * 6

    assert clean(f"<{secret}>").value == "<[redacted:google_api_key]>"


def test_a_text_without_secrets_is_the_same_object() -> None:
    text = "The token bucket refills; see commit 83db48f and DEC-7K2MQ4." * 50

    assert clean(text).value is text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (r'password = "ab\"cd1234"', 'password = "[redacted:password]"'),
        (r"{\"password\": \"ab1cd2\", \"port\": 80}", r"{\"password\": \"[redacted:password]\", \"port\": 80}"),
        ('PASSPHRASE="correct horse battery"', 'PASSPHRASE="[redacted:password]"'),
        ("TOKEN=" + "a1B2" * 700, "TOKEN=[redacted:token]"),
        ("Cookie: sid=" + "a1B2" * 700 + "; a=b\nnext", "Cookie: [redacted:cookie]\nnext"),
    ],
)
def test_a_value_goes_whole(text: str, left: str) -> None:
    assert clean(text).value == left
