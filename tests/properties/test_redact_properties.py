"""Whatever a text looks like, what must go goes, what may stay stays, and doing it twice changes nothing."""

import json
import random
import re

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.budget import examples
from tests.data.redact.made import parts

from holdfast.redact import bulk_gate, gate
from holdfast.redact.clean import clean
from holdfast.redact.elide import elide
from holdfast.redact.find_secrets import redact_text
from holdfast.redact.hidden_text import holds_hidden, shown_text
from holdfast.redact.own_words import strip_own_blocks
from holdfast.redact.private_text import strip_private
from holdfast.redact.secret_rules import BLOCK, NAMED, PLACES, TOKENS

RULES = (BLOCK, *TOKENS, *PLACES, NAMED)
TEMPLATES = sorted({template for rule in RULES for template in (*rule.yes, *rule.no)})
TOKEN_TEMPLATES = sorted({template for rule in TOKENS for template in rule.yes})

# Fragments that rules, tags and markers are made of: random letters alone would never meet.
FRAGMENTS = st.sampled_from(
    ["<private>", "</private>", "<PRIVATE x=1>", "< private >", "\\u003cprivate\\u003e", "&lt;/private&gt;",
     "<private", "<holdfast>", "</holdfast>", "<hook_context>", "</hook_context>", "<system-reminder>",
     "</system-reminder>",
     "[private]", "[redacted:key]", "[redacted:password]", "password", "PASSWORD", "api_key", "token", "secret",
     "value", "Authorization", "Cookie: a=b", "Bearer ", "sk-", "sk-ant-", "AKIA", "eyJ", "://", "@", ":", "=", ": ",
     '"', "'", '\\"', " ", "\n", ";", ",", "(", ")", "/", "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----",
     "hunter2", "a1B2c3D4e5F6g7H8", "x", "\u00e4", "\u0130", "\ud800", "\v", "\x1b[31m", "\x1b", "\x1b]0;", "\x07",
     "\b", "\u200b", "\\u001b[0m", "\u00ad"]
)  # fmt: skip
texts = st.lists(FRAGMENTS | st.text(max_size=12), max_size=20).map("".join)
values = st.recursive(
    texts | st.none() | st.booleans() | st.integers(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@st.composite
def filled(draw: st.DrawFn, templates: list[str]) -> tuple[str, tuple[str, ...]]:
    """A template with its slots filled as random as secrets are."""
    # A seed cannot be shrunk to a secret of nothing but a's, which is none.
    chance = random.Random(draw(st.integers(0, 2**32)))
    return parts(draw(st.sampled_from(templates)), lambda alphabet, count: "".join(chance.choices(alphabet, k=count)))


@settings(max_examples=examples(300), deadline=None)
@given(
    before=st.sampled_from(["", " ", "\n", "x=", '"', "(", "\\n", "\u00e4 "]), made=filled(TOKEN_TEMPLATES), after=texts
)
def test_nothing_of_a_planted_token_survives(before: str, made: tuple[str, tuple[str, ...]], after: str) -> None:
    secret, random_parts = made

    left = str(clean(f"{before}{secret}\n{after}").value)

    assert [part for part in random_parts if part in left] == []


# What no reader sees; none of these is part of a token, or ends in a way that could be.
UNSEEN = st.sampled_from(
    ["\x1b[m", "\x1b[01;31m\x1b[K", "\u200b", "\u00ad", "\ufeff", "\U000e0101", "\x07", "\x1b]0;a\x07", "\x1b(B",
     "\\u001b[0m", "x\b", "\ufe0f"]
)  # fmt: skip


@settings(max_examples=examples(300), deadline=None)
@given(
    before=st.sampled_from(["", " ", "\n", '"', "(", "\u00e4 "]),
    made=filled(TOKEN_TEMPLATES),
    unseen=UNSEEN,
    where=st.floats(0, 1),
)
def test_nothing_unseen_hides_a_token(
    before: str, made: tuple[str, tuple[str, ...]], unseen: str, where: float
) -> None:
    secret, random_parts = made
    at = int(where * len(secret))

    left = str(clean(f"{before}{secret[:at]}{unseen}{secret[at:]}\n").value)

    # Either half of it is as telling as the whole.
    halves = [part for part in random_parts if len(part) >= 16]
    assert [part for part in halves if part[: len(part) // 2] in left or part[len(part) // 2 :] in left] == []


@settings(max_examples=examples(300), deadline=None)
@given(texts)
def test_what_is_shown_is_made_of_its_pieces(text: str) -> None:
    bare, kept = shown_text(text)

    assert bare == "".join(text[first:last] for first, last in kept)
    assert holds_hidden(text) or bare == text
    assert bare.count("\n") == text.count("\n")


@settings(max_examples=examples(400), deadline=None)
@given(values)
def test_redacting_twice_is_redacting_once(value: object) -> None:
    once = clean(value)

    assert clean(once.value).value == once.value


@settings(max_examples=examples(300), deadline=None)
@given(filled(TEMPLATES), texts)
def test_redacting_templates_twice_is_redacting_once(made: tuple[str, tuple[str, ...]], around: str) -> None:
    once = clean(f"{around} {made[0]}\n{around}").value

    assert clean(once).value == once


@settings(max_examples=examples(300), deadline=None)
@given(values)
def test_what_has_nothing_to_hide_comes_back_as_the_same_object(value: object) -> None:
    cleaned = clean(value)

    assert cleaned.found or cleaned.value is value


@settings(max_examples=examples(400), deadline=None)
@given(texts, filled(TEMPLATES))
def test_the_gate_lets_nothing_through_that_a_rule_would_find(around: str, made: tuple[str, tuple[str, ...]]) -> None:
    text = around + made[0] + around

    assert gate.suspects(text) or gate.suspects(shown_text(text)[0]) or redact_text(text, RULES)[0] == text


@settings(max_examples=examples(400), deadline=None)
@given(
    st.lists(
        st.sampled_from(["<private>", "</private>", "<Private a=b>", "< private>", "<private"]) | st.just("text "),
        max_size=30,
    )
)
def test_nothing_between_tags_leaks_however_they_nest(pieces: list[str]) -> None:
    depth, numbered, hidden = 0, [], []
    for number, piece in enumerate(pieces):
        if piece == "text ":
            numbered.append(f"w{number}w ")
            hidden += [f"w{number}w"] if depth else []
        else:
            numbered.append(piece + (" z>" if piece == "<private" else ""))
            depth = max(0, depth - 1) if piece == "</private>" else depth + (piece != "<private")

    left, state, _ = strip_private("".join(numbered))

    assert [word for word in hidden if word in left] == []
    assert state >= depth


@settings(max_examples=examples(300), deadline=None)
@given(texts)
def test_what_json_escapes_is_hidden_all_the_same(text: str) -> None:
    value = {"text": f"<private>needle</private>{text}"}
    escaped = "".join(f"\\u{ord(letter):04x}" if letter in "<>/" else letter for letter in json.dumps(value))

    assert clean(json.loads(escaped)).value == clean(json.loads(json.dumps(value))).value
    assert "needle" not in str(clean(json.loads(escaped)).value)


@settings(max_examples=examples(300), deadline=None)
@given(texts)
def test_our_blocks_never_come_back(text: str) -> None:
    left, _ = strip_own_blocks(f"{text}<holdfast>needle</holdfast>{text}")

    assert "needle" not in left
    assert strip_own_blocks(left)[0] == left


@settings(max_examples=examples(200), deadline=None)
@given(texts.map(lambda text: text * 40), st.integers(0, 600))
def test_eliding_twice_is_eliding_once(text: str, limit: int) -> None:
    once = elide(text, limit)

    assert elide(once, limit) == once
    assert len(once) <= max(limit, 256, len(text) if len(text) <= max(limit, 256) else 0) + 256


@settings(max_examples=examples(500), deadline=None)
@given(texts)
def test_the_names_of_tags_are_seen_in_any_case_and_by_ascii_letters_alone(text: str) -> None:
    assert gate.names_a_tag(text) == (re.search("(?ai:private|holdfast)", text) is not None)


@settings(max_examples=examples(500), deadline=None)
@given(texts)
def test_a_tag_is_its_name_behind_an_opener(text: str) -> None:
    opened = r"(?ai:(?:<|lt;|003c|x3c|60;)[ \t\r\n/\\]*%s)"

    assert gate.may_hold_private(text) == (re.search(opened % "private", text) is not None)
    assert gate.may_hold_own(text) == (re.search(opened % "holdfast", text) is not None)


@settings(max_examples=examples(500), deadline=None)
@given(texts, filled(TEMPLATES))
def test_both_gates_give_the_same_answer(around: str, made: tuple[str, tuple[str, ...]]) -> None:
    text = around + made[0] + around

    assert clean(text, suspects=bulk_gate.bulk_suspects()).value == clean(text).value
