"""Hundreds of planted secrets must go, hundreds of look-alikes must stay. The figures are printed (`pytest -s`)."""

import re
from collections import Counter

from tests.data.redact.corpus import Planted, lookalikes, planted

from holdfast.redact.clean import clean


def survivors(case: Planted) -> list[str]:
    left = re.sub(r"\[redacted:\w+\]", "", str(clean(case.text).value))
    return [part for part in case.parts if any(part[at : at + 8] in left for at in range(max(1, len(part) - 7)))]


def test_planted_secrets_go_and_lookalikes_stay() -> None:
    cases, alike = planted(), lookalikes()
    total = Counter(case.kind for case in cases)
    missed = Counter(case.kind for case in cases if survivors(case))
    changed = [text for text in alike if clean(text).value != text]

    found = len(cases) - missed.total()
    recall, precision = found / len(cases), found / (found + len(changed))
    for kind in sorted(total):
        print(f"{kind:24} recall {1 - missed[kind] / total[kind]:.3f} of {total[kind]}")
    print(f"all: recall {recall:.4f} of {len(cases)}, precision {precision:.4f} with {len(alike)} look-alikes")

    assert len(cases) >= 300
    assert len(alike) >= 300
    assert [case.text for case in cases if case.fixed and survivors(case)] == []
    assert recall >= 0.97
    assert precision >= 0.97


def test_a_text_with_one_planted_token_has_one_replacement() -> None:
    extra = [case.text for case in planted() if case.fixed and str(clean(case.text).value).count("[redacted:") != 1]

    assert extra == []
