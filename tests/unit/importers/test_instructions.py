"""Large instruction files: what of them is a rule, and what only tells."""

from pathlib import Path

import pytest
from tests.data.instructions import DATA, NAMES, read_labelled, score_titles, text_of
from tests.unit.importers.reading import put, read

from holdfast.core.memory import Memory, MemoryType
from holdfast.importers.agents_md import AGENTS_MD
from holdfast.importers.binding_words import does_bind, is_command, states_fact


def memories(tmp_path: Path, text: str) -> dict[str, Memory]:
    """What an instruction file gives, by title."""
    taken, _ = read(AGENTS_MD, put(tmp_path, {"CLAUDE.md": text}))
    return {each.memory.title: each.memory for each in taken}


@pytest.mark.parametrize("name", NAMES)
def test_rules_are_found_and_little_else(tmp_path: Path, name: str) -> None:
    lines = read_labelled(DATA / f"{name}.md")

    found = score_titles(lines, memories(tmp_path, text_of(lines)))

    assert found.precision >= 0.9, found.wrong
    assert found.recall >= 0.95, found.missed


def test_a_rule_keeps_its_reason_its_code_and_what_is_nested_in_it(tmp_path: Path) -> None:
    found = {
        name: memories(tmp_path / name, text_of(read_labelled(DATA / f"{name}.md"))) for name in ("bullets", "prose")
    }

    clock = found["bullets"]["Never call `time.Now()` in business code"]
    golden = found["prose"]["You must not regenerate golden images to make a test pass"]
    strings = next(memory for title, memory in found["prose"].items() if "user-visible strings" in title)
    assert "take a `clock.Clock` instead" in clock.body
    assert "This hid a projection bug for two releases." in golden.body
    assert 'throw new UserError(t("map.notFound", { id }));' in strings.body
    assert (clock.type, clock.extra["heading"]) == (MemoryType.INVARIANT, "Code style")


def test_steps_are_one_rule_and_rows_are_their_own(tmp_path: Path) -> None:
    found = memories(tmp_path, text_of(read_labelled(DATA / "mixed.md")))

    steps = found["When you add a task, follow these steps"]
    row = found["Never write to `Parcel.status` directly, call `transition()`"]
    assert "Make it idempotent" in steps.body
    assert "the audit log is written there" in row.body
    assert not any("idempotent" in title for title in found)


def test_what_is_to_be_typed_is_one_learning_of_its_heading(tmp_path: Path) -> None:
    found = memories(tmp_path, text_of(read_labelled(DATA / "mixed.md")))

    commands = {title: memory for title, memory in found.items() if title.startswith("Commands: ")}

    assert set(commands) == {"Commands: Development commands › Backend", "Commands: Development commands › Front end"}
    assert "uv run python manage.py runserver" in str(commands["Commands: Development commands › Backend"].fact)


@pytest.mark.parametrize(
    "text",
    [
        "When you touch the loop, measure it.",
        "**IMPORTANT**: never push to main",
        "For single files, prefer `-e` over `tempDir`.",
        "**ONLY** push after the tests pass.",
        "In new code, use the second form.",
        "Features should be behind a flag.",
    ],
)
def test_orders_bind_however_they_begin(text: str) -> None:
    assert does_bind(text)


@pytest.mark.parametrize(
    "text",
    [
        "The application uses Celery for background work.",
        "We moved to wgpu in 2022 and never looked back.",
        "These tests will never fail in CI.",
        "When the build is done, images are copied.",
        "The team is small and reviews everything.",
    ],
)
def test_what_only_tells_does_not_bind(text: str) -> None:
    assert not does_bind(text)


def test_a_list_says_more_than_prose() -> None:
    assert does_bind("Every query has a `LIMIT`.", listed=True)
    assert not does_bind("Every worktree has an environment of its own.")
    assert states_fact("The CI machine has two cores.")
    assert not states_fact("`bun.zig` - where the main entry point is found")
    assert is_command("**One test**: `go test ./internal -run TestX`")
    assert not is_command("Use `decimal.Decimal` for money, which is exact.")


def test_lists_without_end_are_read_in_time(tmp_path: Path) -> None:
    nested = "".join(f"{'  ' * depth}- step {depth}:\n" for depth in range(1500))

    assert memories(tmp_path, nested + "- Never stop.\n- Never push to main.\n")
