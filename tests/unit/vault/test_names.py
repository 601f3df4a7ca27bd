"""Names of files."""

import pytest

from holdfast.core.file_names import BadId, BadPath, file_name, may_be_named_for, path_components, title_slug


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Use Textual", "use-textual"),
        ("One two three four five six seven eight nine", "one-two-three-four-five-six-seven-eight"),
        ("Größe über Ångström", "groe-uber-angstrom"),
        ("../../etc/passwd\0", "etc-passwd"),
        ("日本語 🎉", ""),
        ("x" * 10_000, "x" * 60),
        ("a" * 59 + " b", "a" * 59),
    ],
)
def test_a_slug_is_a_few_plain_words(title: str, expected: str) -> None:
    assert title_slug(title) == expected


@pytest.mark.parametrize(
    ("memory_id", "title", "expected"),
    [
        ("DEC-7K2MQ4", "Use Textual", "DEC-7K2MQ4-use-textual.md"),
        ("DEC-7K2MQ4", "🎉", "DEC-7K2MQ4.md"),
        ("CON", "", "_CON.md"),
        ("nul.txt", "", "_nul.txt.md"),
        ("overview", "", "_overview.md"),
    ],
)
def test_a_file_is_named_for_its_id_and_title(memory_id: str, title: str, expected: str) -> None:
    assert file_name(memory_id, title) == expected
    assert may_be_named_for(expected, memory_id)


@pytest.mark.parametrize("memory_id", ["", ".", "..", ".lock", "a/b", "a b", "-x", "ä", "x" * 65, "a\n"])
def test_an_id_that_could_lead_elsewhere_names_no_file(memory_id: str) -> None:
    with pytest.raises(BadId):
        file_name(memory_id)


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x.md", "a/../b.md", "a//b.md", "./a.md", "a/", "a\0.md"])
def test_a_path_that_could_lead_elsewhere_is_refused(path: str) -> None:
    with pytest.raises(BadPath):
        path_components(path)
