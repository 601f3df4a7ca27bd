"""What a statement says is done, in which way, and for whom."""

import pytest

from holdfast.conflicts.amounts import find_amounts
from holdfast.conflicts.deeds import FEW, find_verb, read_deed, ways_apart, whom_apart


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Charts are drawn with d3", "We draw charts with Chart.js"),
        ("Store uploads on S3", "Uploads are kept on the local disk"),
        ("Sessions expire after an hour", "A session lasts for a day"),
    ],
)
def test_one_kind_of_doing_is_seen_in_other_words(one: str, other: str) -> None:
    assert read_deed(one).kinds & read_deed(other).kinds


def test_what_is_done_is_told_from_what_it_is_done_to() -> None:
    assert find_verb("Log files are rotated at 500 MB") == "rotat"
    assert find_verb("Never retry payments") == "retri"
    assert not read_deed("Tokens are signed with EdDSA").kinds & read_deed("Tokens are kept in the keychain").kinds


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("The importer skips bad rows", "The importer stops at a bad row", True),
        ("Tenants share one database", "Each tenant has a separate database", True),
        ("The importer skips bad rows", "The importer skips empty rows", False),
        ("Errors are logged", "The theme is dark", False),
    ],
)
def test_opposite_ways_are_data(one: str, other: str, *, apart: bool) -> None:
    assert bool(ways_apart(read_deed(one), read_deed(other))) is apart


def test_for_all_and_for_few_are_apart() -> None:
    few, everybody = read_deed("Only two people may deploy"), read_deed("Everybody may deploy")

    assert whom_apart(few, everybody)
    assert not whom_apart(few, read_deed("Nobody may deploy"))
    assert read_deed("Only admins, not everybody").who == {FEW}


def test_a_number_after_a_plain_verb_is_no_version() -> None:
    assert [each.of for each in find_amounts("Passwords need 8 characters")] == [
        each.of for each in find_amounts("Passwords need at least 12 characters")
    ]
