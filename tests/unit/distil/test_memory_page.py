from holdfast.core.memory import Citation, Memory, MemoryType, RejectedOption
from holdfast.distil.memory_page import PageSources, render_memory_page


def decision(number: int = 1, **fields: object) -> Memory:
    made = {"title": "Use SQLite", "choice": "SQLite", "valid_from": "2026-11-15", "updated": f"2026-11-{number:02d}"}
    return Memory(id=f"DEC-{number}", type=MemoryType.DECISION, **(made | fields))  # type: ignore[arg-type]


def test_an_empty_memory_is_a_page_with_a_title_only() -> None:
    assert render_memory_page(PageSources()).split("\n\n")[1:] == ["# Memory\n"]


def test_decisions_stand_in_a_table_the_newest_first() -> None:
    rejected = (RejectedOption(option="Redis", reason="too much to run"),)
    page = render_memory_page(PageSources(memories=(decision(1, rejected=rejected), decision(2, title="Use Textual"))))

    assert page.index("Use Textual") < page.index("Use SQLite")
    assert "| 2026-11-15 | Use SQLite | SQLite | Redis: too much to run | DEC-1 |" in page


def test_the_peoples_page_comes_first_with_its_headings_one_level_down() -> None:
    page = render_memory_page(
        PageSources(overview="# Shop\n\n```sh\n# no heading\n```\n## Gaps\n- none", memories=(decision(),))
    )

    assert "## Overview\n\n## Shop\n" in page
    assert "\n# no heading\n" in page
    assert "\n### Gaps\n" in page
    assert page.index("Gaps") < page.index("## Decisions")


def test_a_title_can_break_neither_table_nor_comment() -> None:
    page = render_memory_page(PageSources(memories=(decision(title="a | b <!-- c --> `d`\n# e"),)))

    assert "| a \\| b &lt;!-- c --> 'd' # e |" in page


def test_a_fence_that_the_people_left_open_swallows_nothing() -> None:
    page = render_memory_page(PageSources(overview="```\nopen", memories=(decision(),)))

    assert page.count("```") == 2


def test_failures_tell_how_often_and_why_and_files_who_speaks_of_them() -> None:
    failure = Memory(
        id="FAIL-1", type=MemoryType.FAILURE, title="Async pool", attempts=3, root_cause="one session per request",
        paths=("src/db/**",), cites=(Citation(path="src/db/pool.py"),),
    )  # fmt: skip
    page = render_memory_page(PageSources(memories=(failure,), hot_files=("src/app.py",)))

    assert "- Async pool (failed 3×): one session per request [src/db/**] (FAIL-1)" in page
    assert page.endswith("## Key files\n\n- `src/app.py`\n- `src/db/pool.py`: 1 memory\n")


def test_what_does_not_fit_is_counted() -> None:
    page = render_memory_page(PageSources(memories=tuple(decision(number) for number in range(1, 65))))

    assert "4 more: `holdfast list`." in page
