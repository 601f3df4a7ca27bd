"""Secrets on their way to the disk: token forms, keys behind prefixes, passwords in sentences.

Kinds after the public rule lists of gitleaks, TruffleHog and detect-secrets, and MITRE ATT&CK T1552 (unsecured
credentials). The corpora were written without knowledge of the rules; each second case is held out.
"""

import json
import random

import pytest
from bench.secrets import PROSE, is_gone, share, stays
from tests.data.redact.key_forms import FORMS, LABELS, key_lines
from tests.data.redact.written import HALVES, Written, written_keys, written_lookalikes, written_secrets

from holdfast.redact.clean import clean


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize(("kinds", "least"), [(("token",), 0.95), (("named",), 0.8), (PROSE, 0.8)])
def test_secrets_in_context_go(half: str, kinds: tuple[str, ...], least: float) -> None:
    number, gone = share([case for case in written_secrets() if case.kind in kinds], half, is_gone)

    assert number >= 13
    assert gone / number >= least


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.no_attack
def test_lookalikes_stay(half: str) -> None:
    number, right = share(written_lookalikes(), half, stays)

    assert number >= 100
    assert right / number >= 0.99


@pytest.mark.no_attack
def test_no_name_of_a_test_is_taken_for_a_secret() -> None:
    assert [case.text for case in written_lookalikes() if case.kind == "test" and not stays(case)] == []


@pytest.mark.parametrize("form", FORMS)
def test_a_private_key_goes_whole_whatever_stands_before_its_lines(form: str) -> None:
    cases = [case for case in written_keys() if case.kind == form]

    assert cases
    assert [case.text for case in cases if not is_gone(case)] == []


@pytest.mark.parametrize("shape", ["lines", "rows", "content blocks"])
def test_a_private_key_goes_whole_when_its_lines_are_texts_of_their_own(shape: str) -> None:
    lines = key_lines(random.Random(3), LABELS[0])
    value: object = {
        "lines": lines,
        "rows": [{"path": "deploy/id_rsa", "line": at, "text": line} for at, line in enumerate(lines, 1)],
        "content blocks": {"content": [{"type": "text", "text": line} for line in lines]},
    }[shape]
    case = Written("", shape, "", tuple(lines[1:-1]))

    left = json.dumps(clean({"before": "see", "output": value, "after": "done"}).value)

    assert case.left_in(left) == []
    assert "see" in left
    assert "done" in left


@pytest.mark.no_attack
def test_what_stands_around_a_key_stays() -> None:
    lines = key_lines(random.Random(4), LABELS[1])
    text = "2026-11-18 start of log\n" + FORMS["timestamps"](lines) + "\n2026-11-18T10:13:00.000Z key loaded, 3 users"

    left = str(clean(text).value)

    assert left.startswith("2026-11-18 start of log\n")
    assert left.endswith("\n2026-11-18T10:13:00.000Z key loaded, 3 users")


@pytest.mark.no_attack
def test_a_page_about_keys_stays() -> None:
    text = "It looks for `-----BEGIN PRIVATE KEY-----`,\nreads what follows, and stops at\n`-----END PRIVATE KEY-----`."

    assert clean(text).value is text


@pytest.mark.parametrize("unseen", ["\u200b", "\u3164", "\ufe0f", "\U000e0041", "\u00ad"])
def test_nothing_unseen_hides_a_password_in_a_sentence(unseen: str) -> None:
    secret = "Zeppelin" + "87!x"

    assert secret[-6:] not in str(clean(f"the pass{unseen}word is {secret[:5]}{unseen}{secret[5:]}").value)


def test_what_is_taken_out_once_is_taken_out_for_good() -> None:
    cases = [*written_secrets(), *written_keys()]
    once = [str(clean(case.text).value) for case in cases]

    assert [text for text in once if clean(text).value != text] == []
