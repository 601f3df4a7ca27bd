"""Lenses: read from two forms, refused where they are broken, chosen by a goal's words."""

import pytest

from holdfast.context.lenses import (
    BadLensName,
    BrokenLens,
    check_name,
    choose_by_goal,
    describe_lens,
    load_built_in,
    merge_lenses,
    read_lens,
    render_template,
)
from holdfast.core.run import Lens

MARKDOWN = """---
about: Small steps.
when: [migrate, "data base*"]
skills: [sql]
---

Think of the rows first.

## Heuristics

- Back up
  before you begin.
* Never drop a column.

## Style

- Plain SQL.

## Other

- stays text
"""
TOML = """
about = "Small steps."
when = ["migrate", "data base*"]
skills = ["sql"]
heuristics = ["Back up before you begin.", "Never drop a column."]
style = "Plain SQL."
"""


@pytest.mark.parametrize(("path", "text"), [("careful.md", MARKDOWN), ("careful.toml", TOML)])
def test_both_forms_say_the_same(path: str, text: str) -> None:
    lens = read_lens(path, text)

    assert (lens.name, lens.about, lens.skills) == ("careful", "Small steps.", ("sql",))
    assert lens.heuristics == ("Back up before you begin.", "Never drop a column.")
    assert lens.style == ("Plain SQL.",)
    assert lens.when == ("migrate", "data base*")


def test_what_stands_under_no_heading_of_ours_is_text() -> None:
    lens = read_lens("careful.md", MARKDOWN)

    assert lens.body == "Think of the rows first.\n\n## Other\n\n- stays text"
    assert describe_lens(lens)[:3] == ["Small steps.", "- Back up before you begin.", "- Never drop a column."]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.toml", "about = "),
        ("a.toml", "x = " + "[" * 50_000),
        ("a.toml", "heuristics = [1]"),
        ("a.toml", "heuristics = {a = 'b'}"),
        ("a.toml", "about = ['x']\nbody = 'y'"),
        ("a.toml", "colour = 'red'"),
        ("a.md", "---\nabout: x\n"),
        ("a.md", "---\nabout: [\n---\nx"),
        ("a.md", "---\ncolour: red\n---\nx"),
        ("a.md", ""),
        ("a.md", "---\nabout: says nothing\n---\n"),
    ],
)
def test_a_broken_lens_says_what_is_wrong(path: str, text: str) -> None:
    with pytest.raises(BrokenLens, match=f"Lens '{path}' cannot be read"):
        read_lens(path, text)


@pytest.mark.parametrize("name", ["", "none", "../up", "A", "a b", "a.b", "-a", "x" * 41, "a/b", "é"])
def test_names_that_no_lens_may_have(name: str) -> None:
    with pytest.raises(BadLensName):
        check_name(name)


@pytest.mark.parametrize(
    ("goal", "name"),
    [
        ("Fix the crash at login", "tests-first"),
        ("Document the API in the README", "docs"),
        ("REFACTOR the parser", "refactor"),
        ("Harden login: password reset tokens", "security"),
        ("Add a cache", ""),
        ("", ""),
        ("prefix the suffix", ""),
    ],
)
def test_the_goals_words_choose(goal: str, name: str) -> None:
    chosen = choose_by_goal(goal, load_built_in())

    assert (chosen.lens.name if chosen else "") == name


def test_a_choice_says_why() -> None:
    chosen = choose_by_goal("migrate the data bases", [read_lens("careful.md", MARKDOWN)])

    assert chosen is not None
    assert chosen.why == "the goal says “migrate”, “data bases”"


def test_a_pattern_that_is_no_expression_is_harmless() -> None:
    slow = Lens(name="a", when=("(a+)+$", "[", "*a" * 150 + "b", "a*" * 150 + "b"))

    assert choose_by_goal("a" * 20_000, [slow]) is None
    assert choose_by_goal("nothing of it", [Lens(name="a", when=("(no|nothing)",))]) is None


def test_of_one_name_the_first_place_counts() -> None:
    own, theirs = Lens(name="a", about="own"), Lens(name="a", about="theirs")

    assert merge_lenses([own], [theirs, Lens(name="b")]) == [own, Lens(name="b")]


@pytest.mark.parametrize("ending", [".md", ".toml"])
@pytest.mark.parametrize("about", ["", 'quotes " and \\ and: colon', "two\nlines --- [x]"])
def test_a_new_lens_can_be_read(ending: str, about: str) -> None:
    lens = read_lens(f"a{ending}", render_template(about, ending))

    assert lens.about == " ".join(about.split()) or not about
    assert lens.heuristics
