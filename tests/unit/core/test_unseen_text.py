"""What no reader sees goes or is shown; what a script or an emoji needs stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.plain_text import make_inert
from holdfast.core.unseen_text import drop_unseen, find_unseen, show_unseen
from holdfast.redact.hidden_text import shown_text

NEEDED = [
    "می‌خواهم", "क्‍ष", "❤️", "☎︎", "👩‍💻", "🏳️‍🌈", "👩🏽‍🚀", "1️⃣ #️⃣", "⚠️ mind the step", "ᠠᠨ", "你好", "שלום", "naïve café",
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
]  # fmt: skip
UNSEEN = [
    "\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u202a", "\u202e", "\u2060", "\u2066", "\ufeff", "\u00ad",
    "\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u180b", "\u180e", "\u2800", "\u3164", "\uffa0", "\ufe00",
    "\ufe0e", "\ufe0f", "\ufff9", "\U0001d173", "\U000e0001", "\U000e0041", "\U000e007f", "\U000e0100", "\U000e01ef",
]  # fmt: skip


@pytest.mark.parametrize("text", NEEDED)
def test_what_is_needed_stays(text: str) -> None:
    assert drop_unseen(text) == show_unseen(text) == text
    assert make_inert(text) == text


@pytest.mark.parametrize("letter", UNSEEN)
def test_what_nobody_sees_goes_for_agents_and_is_shown_to_people(letter: str) -> None:
    text = f"use{letter}tabs"

    assert drop_unseen(text) == "usetabs"
    assert f"{ord(letter):x}" in show_unseen(text)
    assert letter not in make_inert(text)


def test_a_selector_stays_once_and_only_behind_a_picture() -> None:
    assert drop_unseen("❤️\ufe0f\ufe0f") == "❤️"
    assert drop_unseen("a\ufe0f") == "a"


def test_a_flag_of_tags_holds_no_other_words() -> None:
    assert drop_unseen("\U0001f3f4\U000e0068\U000e0069\U000e007f") == "\U0001f3f4"


@given(st.text(alphabet=st.sampled_from([*UNSEEN, *"a1 \n❤👩م", "\U0001f3f4"]) | st.characters(), max_size=200))
def test_nothing_unseen_is_left_and_twice_is_once(text: str) -> None:
    left = drop_unseen(text)

    assert drop_unseen(left) == left
    assert find_unseen(show_unseen(text)) == []


@given(st.sampled_from([*map(chr, range(0x80, 0x10000)), *map(chr, range(0xE0000, 0xE1000))]))
def test_all_that_hides_a_secret_is_known_here_too(letter: str) -> None:
    hides = shown_text(f"a{letter}b")[0] == "ab"

    assert not hides or drop_unseen(f"a{letter}b") == "ab" or letter in "\u2028\u2029"
