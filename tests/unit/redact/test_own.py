"""What we injected does not come back as something somebody said."""

import pytest

from holdfast.redact.own_words import strip_own_blocks


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\n<holdfast v=1>DEC-7K2MQ4</holdfast>\nb", "a\n\nb"),
        ("a<HOLDFAST>x</HoldFast>b", "a b"),
        ("a <holdfast kind='pack'>x", "a "),
        ("<holdfast>x<holdfast>y</holdfast>z</holdfast>", ""),
        ("q <hook_context>&lt;holdfast v=1&gt;x&lt;/holdfast&gt;</hook_context>", "q "),
        ("q <system-reminder>\nSessionStart hook additional context: <holdfast>x</holdfast>\n</system-reminder>", "q "),
        ("<system-reminder><holdfast>cut off</system-reminder> q", " q"),
        ("<hook_context>other</hook_context> <holdfast>x</holdfast>", "<hook_context>other</hook_context> "),
        ("a \\u003choldfast\\u003ex\\u003c/holdfast\\u003e b", "a  b"),
        ("a &lt;holdfast note=&quot;Data&quot;&gt;x&lt;/holdfast&gt; b", "a  b"),
        ("&LT;HOLDFAST note='x'&GT;x&LT;/HOLDFAST&GT; b", " b"),
        ("a &lt;holdfast v=1&gt;x &lt;holdfast&gt;y&lt;/holdfast&gt; z", "a "),
        ('a <holdfast note="Project memory from Hold', "a "),
        ('a &lt;HOLDFAST note="Project', "a "),
        ("<hook_context>&lt;holdfast note='x'&gt;cut", "<hook_context>"),
    ],
)
def test_our_blocks_go(text: str, left: str) -> None:
    assert strip_own_blocks(text)[0] == left


@pytest.mark.parametrize(
    "text",
    [
        "holdfast search 'x'",
        "<system-reminder>todo list is empty</system-reminder>",
        "<hook_context>of another tool</hook_context>",
        "see <holdfasts> and </holdfast>",
        "import holdfast.redact",
        "where is <holdfast documented, and by whom",
        "an empty <holdfast/> element stays",
        "what does <holdfast> stand for, and this stays",
    ],
)
def test_other_text_stays(text: str) -> None:
    assert strip_own_blocks(text) == (text, 0)


def test_what_is_left_never_joins_to_a_new_fence() -> None:
    text = "<hold<holdfast>x</holdfast>fast>kept"

    once = strip_own_blocks(text)[0]

    assert strip_own_blocks(once)[0] == once == "<hold fast>kept"
