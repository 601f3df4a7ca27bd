"""Long and binary text is cut to what a reader can use."""

import base64
import hashlib
import random

from holdfast.redact.elide import elide, replace_binary


def test_a_short_text_is_the_same_object() -> None:
    text = "line\n" * 50

    assert elide(text, 1000) is text


def test_a_long_text_keeps_head_and_tail_and_says_what_it_was() -> None:
    text = "".join(f"line {number}\n" for number in range(5000))

    short = elide(text, 2000)

    assert len(short) <= 2000
    assert short.startswith("line 0\nline 1\n")
    assert short.endswith("line 4998\nline 4999\n")
    assert f"[elided: {len(text)} bytes, sha256 {hashlib.sha256(text.encode()).hexdigest()}]" in short


def test_lines_stay_whole() -> None:
    lines = {f"line {number}" for number in range(5000)}

    short = elide("\n".join(sorted(lines)), 2000)

    assert [line for line in short.splitlines() if line not in lines and not line.startswith("[elided: ")] == []


def test_eliding_twice_is_eliding_once() -> None:
    short = elide("word " * 9999, 10)

    assert elide(short, 10) == short


def test_a_text_with_nul_is_binary() -> None:
    text = "\x7fELF\0\0\0"

    assert replace_binary(text) == f"[binary: 7 bytes, sha256 {hashlib.sha256(text.encode()).hexdigest()}]"


def test_a_text_that_was_never_text_is_binary() -> None:
    assert replace_binary("\ufffd\ufffdPNG\ufffd\ufffd").startswith("[binary: ")


def test_a_data_uri_goes_and_the_text_around_it_stays() -> None:
    picture = base64.b64encode(random.Random(1).randbytes(600)).decode()

    short = replace_binary(f'<img src="data:image/png;base64,{picture}"> and more')

    assert short.startswith('<img src="[binary: ')
    assert short.endswith(']"> and more')


def test_a_long_run_of_base64_goes_whole_or_in_lines() -> None:
    blob = base64.b64encode(random.Random(2).randbytes(6000)).decode()
    lines = "\n".join(blob[at : at + 76] for at in range(0, len(blob), 76))

    assert replace_binary(f"before {blob} after").startswith("before [binary: 8000 bytes, ")
    assert replace_binary(f"before\n{lines}\nafter").startswith("before\n[binary: ")


def test_prose_code_and_lists_of_digests_stay() -> None:
    digests = "\n".join(hashlib.sha256(bytes([number])).hexdigest() for number in range(200))
    for text in ("lorem ipsum dolor sit amet " * 400, "x.y(z[0]);" * 2000, digests, "日本語のテキスト。" * 2000):
        assert replace_binary(text) is text or replace_binary(text) == text
