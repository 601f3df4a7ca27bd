"""The labelled snippets: the set itself, and the bars that the rules must hold on it."""

from collections import Counter

import pytest
from bench.distil.labels import SETS, load
from bench.distil.score import score

from holdfast.distil.rule_distiller import RuleDistiller


def test_the_set_is_large_varied_and_a_third_is_held_back() -> None:
    every = [snippet for name in SETS for snippet in load(name)]
    languages = Counter(snippet.language for snippet in every)
    nothing = sum(not snippet.want for snippet in every)

    assert len({snippet.id for snippet in every}) == len(every) >= 120
    assert len(load("held")) * 4 >= len(every)
    assert all(languages[language] >= 4 for language in ("de", "fr", "es"))
    assert len({snippet.conversation.client for snippet in every}) >= 5
    assert 0.3 <= nothing / len(every) <= 0.6


@pytest.mark.parametrize("name", SETS)
def test_nine_of_ten_candidates_are_wanted(name: str) -> None:
    counts = score(RuleDistiller(), load(name))

    assert counts.precision("all") >= 0.9, counts.faults
    assert counts.recall("all") >= 0.8, counts.faults
    assert sum(counts.fields_right.values()) >= 0.9 * sum(counts.fields.values()), counts.faults
