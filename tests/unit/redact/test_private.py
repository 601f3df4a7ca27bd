"""What stands between `<private>` and `</private>` goes, however the tags are written."""

import pytest

from holdfast.redact.private_text import strip_private


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <private>x</private> b", "a [private] b"),
        ("a <PRIVATE>x</Private> b", "a [private] b"),
        ("a < private >x< / private > b", "a [private] b"),
        ('a <private reason="it > is">x</private> b', "a [private] b"),
        ("a <private\nclass='y'>x</private> b", "a [private] b"),
        ("a <private>x<private>y</private>z</private> b", "a [private] b"),
        ("a <private>x</private> b <private>y</private> c", "a [private] b [private] c"),
        ("a <private>x", "a [private]"),
        ("a <private>x<private>y</private>z", "a [private]"),
        ("a <private", "a [private]"),
        ("a \\u003cprivate\\u003ex\\u003c/private\\u003e b", "a [private] b"),
        ("a \\\\u003cprivate\\\\u003ex<\\/private> b", "a \\[private] b"),
        ("a &lt;private&gt;x&lt;/private&gt; b", "a [private] b"),
        ("a &#60;private&#62;x&#x3c;/private&#x3e; b", "a [private] b"),
        ("a <private key>x</private> b", "a [private] b"),
        ("<pri<private>x</private>vate>y", "<pri[private]vate>y"),
    ],
)
def test_private_text_goes(text: str, left: str) -> None:
    assert strip_private(text)[0] == left


@pytest.mark.parametrize(
    "text",
    [
        "private int x = 1;",
        "ssh -i <private key> host",
        "<private_key>, <privateer>, <private-key>",
        "a stray </private> tag",
        "List<String> is private",
    ],
)
def test_other_words_stay(text: str) -> None:
    assert strip_private(text) == (text, 0, 0)


def test_depth_is_carried() -> None:
    assert strip_private("a <private> b <private> c") == ("a [private]", 2, 1)
    assert strip_private("d </private> e", 2) == ("[private]", 1, 1)
    assert strip_private("f </private> g", 1) == ("[private] g", 0, 1)
