"""Traits become candidates once."""

from holdfast.bootstrap.profile.formatter_settings import read_settings
from holdfast.bootstrap.profile.profile_values import ExamplePlace, Trait
from holdfast.bootstrap.profile.propose_patterns import (
    ChangedPattern,
    KnownPattern,
    NewPattern,
    Pattern,
    Step,
    build_patterns,
    memory_of,
    plan_patterns,
)
from holdfast.core.memory import Entry, Memory, MemoryType, Scope, Status
from holdfast.core.value import replace

SNAKE = Trait(
    key="python.functions",
    answer="snake_case",
    cases=412,
    of=418,
    files=37,
    unit="functions",
    seen=(ExamplePlace(path="src/a.py", line=3, text="def load_it"),),
    exceptions=(ExamplePlace(path="src/b.py", line=9, text="def setUp`x"),),
    paths=("src/a.py", "src/b.py", "tests/c.py"),
)


def entry(memory: Memory) -> Entry:
    return Entry(memory=memory, scope=Scope.WORKSPACE, path="x.md", line=1, sha256="")


def known(status: Status, profile: str = "python.functions=snake_case", **more: object) -> Entry:
    memory = Memory(id=f"PAT-{status[:6].upper()}", type=MemoryType.PATTERN, status=status, extra={"profile": profile})
    return entry(replace(memory, **more))


def one(*entries: Entry, trait: Trait = SNAKE) -> Step:
    [step] = plan_patterns(build_patterns([trait], []), entries)
    return step


def pattern(trait: Trait = SNAKE, prefix: str = "") -> Pattern:
    [found] = build_patterns([trait], [], prefix)
    return found


def test_a_pattern_says_the_counts_the_places_and_where_it_holds() -> None:
    found = pattern()

    assert found.title == "Name functions in snake_case (Python)"
    assert "412 of 418 functions, in 37 files." in found.body
    assert "Seen in: src/a.py:3 `def load_it`" in found.body
    assert "Not so: src/b.py:9 `def setUp'x`" in found.body
    assert found.paths == ("src/**/*.py", "tests/**/*.py")
    assert (found.places, found.category) == (("src/a.py:3",), "naming")
    assert 0.9 < found.confidence <= 0.95


def test_a_folder_that_was_read_alone_stands_before_its_paths() -> None:
    found = pattern(prefix="packages/web/")

    assert found.paths == ("packages/web/src/**/*.py", "packages/web/tests/**/*.py")
    assert found.places == ("packages/web/src/a.py:3",)
    assert "Seen in: packages/web/src/a.py:3" in found.body


def test_the_candidate_is_a_tool_s_and_knows_its_question() -> None:
    memory = memory_of(pattern(), "CAND-000001", "2026-11-15T09:00:00Z")

    assert (memory.type, memory.status, memory.said_by, memory.source) == ("pattern", "candidate", "tool", "bootstrap")
    assert memory.extra == {"profile": "python.functions=snake_case"}


def test_what_is_new_is_added() -> None:
    assert isinstance(one(), NewPattern)


def test_what_waits_was_accepted_or_turned_down_is_not_proposed_again() -> None:
    for status in Status:
        assert isinstance(one(known(status)), KnownPattern), status


def test_another_answer_supersedes_an_accepted_one_and_rewrites_a_waiting_one() -> None:
    camel = "python.functions=camelCase"

    update = one(known(Status.ACCEPTED, camel))
    waiting = one(known(Status.CANDIDATE, camel))
    declined = one(known(Status.REJECTED, camel))

    assert isinstance(update, NewPattern)
    assert update.supersedes == "PAT-ACCEPT"
    assert isinstance(waiting, ChangedPattern)
    assert isinstance(declined, NewPattern)


def test_a_folder_may_have_an_answer_of_its_own_and_says_nothing_that_holds_above_it() -> None:
    [other] = plan_patterns([pattern(prefix="web/")], [known(Status.ACCEPTED, "python.functions=camelCase")])
    [same] = plan_patterns([pattern(prefix="web/app/")], [known(Status.ACCEPTED)])
    [beside] = plan_patterns([pattern(prefix="web/")], [known(Status.ACCEPTED, "api/python.functions=snake_case")])

    assert isinstance(other, NewPattern)
    assert other.supersedes == ""
    assert isinstance(same, KnownPattern)
    assert isinstance(beside, NewPattern)


def test_an_answer_that_comes_back_is_proposed_again() -> None:
    old = known(Status.SUPERSEDED)

    step = one(old, known(Status.ACCEPTED, "python.functions=camelCase"))

    assert isinstance(step, NewPattern)
    assert step.supersedes == "PAT-ACCEPT"


def test_somebody_s_own_words_count() -> None:
    theirs = Memory(id="PAT-OWN001", type=MemoryType.PATTERN, title="Functions are in snake_case")

    step = one(entry(theirs))

    assert isinstance(step, KnownPattern)
    assert step.by == "PAT-OWN001"


def test_an_answer_that_is_no_advice_is_not_proposed() -> None:
    assert build_patterns([replace(SNAKE, key="python.typing", answer="bare")], []) == []


def test_a_tool_s_settings_are_cited_and_moved_settings_are_news() -> None:
    [found] = build_patterns([], read_settings({"pyproject.toml": "x = 1\n[tool.ruff]\nline-length = 99\n"}))
    [moved] = build_patterns([], read_settings({"pyproject.toml": "[tool.ruff]\nline-length = 120\n"}))
    accepted = known(Status.ACCEPTED, found.profile)

    assert found.places == ("pyproject.toml:2",)
    assert "line-length 99" in found.body
    [same], [other] = plan_patterns([found], [accepted]), plan_patterns([moved], [accepted])
    assert isinstance(same, KnownPattern)
    assert isinstance(other, NewPattern)


def test_a_sample_is_said() -> None:
    [found] = build_patterns([SNAKE], [], samples={"python": "A sample: 2,000 of 50,000 files were read."})

    assert "A sample: 2,000 of 50,000" in found.body
