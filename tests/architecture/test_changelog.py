"""The changelog is what the fragments say."""

from pathlib import Path

from tests.architecture.changelog import FRAGMENTS, KINDS, PAGE, changelog, read_fragment


def test_the_changelog_is_in_step_with_the_fragments() -> None:
    assert PAGE.read_text(encoding="utf-8") == changelog(), "run ./do changelog"


def test_every_fragment_says_something() -> None:
    for path in FRAGMENTS.glob("*.md"):
        fragment = read_fragment(path)
        assert fragment.statements, path.name
        assert fragment.kind in {"", *KINDS}


def test_a_first_line_that_names_a_kind_is_the_kind(tmp_path: Path) -> None:
    path = tmp_path / "lens-by-goal.md"
    path.write_text("Added\n\nBefore: a lens was chosen by name.\nNow: also by the words\nof a goal.\n")

    fragment = read_fragment(path)

    assert fragment.kind == "Added"
    assert fragment.name == "Lens by goal"
    assert fragment.statements == ("Before: a lens was chosen by name. Now: also by the words of a goal.",)


def test_each_before_and_each_dash_begins_a_statement(tmp_path: Path) -> None:
    path = tmp_path / "two.md"
    path.write_text("Before: one. Now: two.\nBefore: three.\nNow: four.\n- five\n  and six\n")

    assert read_fragment(path).statements == ("Before: one. Now: two.", "Before: three. Now: four.", "five and six")
    assert read_fragment(path).kind == ""
