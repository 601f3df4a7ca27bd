"""Plans in words: what they install and import, and what their sentences take up."""

import pytest

from holdfast.check.check_plan import judge_plan
from holdfast.check.check_recalled import find_recalled
from holdfast.check.enforce_rules import EnforceRule
from holdfast.check.plan_text import read_plan
from holdfast.core.finding import Finding
from holdfast.core.memory import Memory, MemoryType, RejectedOption

CACHE = Memory(
    id="DEC-1", type=MemoryType.DECISION, title="Use Valkey for the session cache", question="Which cache?",
    choice="Valkey", rejected=(RejectedOption(option="Redis", reason="licence"),),
)  # fmt: skip
LOGGED = Memory(id="INV-1", type=MemoryType.INVARIANT, title="Never log tokens, passwords or card numbers")
TENANT = Memory(id="INV-2", type=MemoryType.INVARIANT, title="Every endpoint checks the tenant of the caller")
TRIED = Memory(
    id="FAIL-1", type=MemoryType.FAILURE, title="Rate limiting by IP address blocked a whole university",
    root_cause="NAT",
)  # fmt: skip


def found(text: str, *memories: Memory) -> list[Finding]:
    return list(find_recalled(memories or (CACHE, LOGGED, TENANT, TRIED), read_plan(text).sentences))


@pytest.mark.parametrize(
    ("text", "memory"),
    [
        ("Add Redis as a cache.", "DEC-1"),
        ("Replace Valkey with Redis.", "DEC-1"),
        ("Move the session cache to redis", "DEC-1"),
        ("- [ ] use Redis for the job queue", "DEC-1"),
        ("add redis", "DEC-1"),
        ("switch to the redis package", "DEC-1"),
        ("Log the passwords at debug level.", "INV-1"),
        ("Add an endpoint that skips the tenant check of the caller.", "INV-2"),
        ("Do rate limiting by IP address at login.", "FAIL-1"),
    ],
)
def test_sentences_that_break_memory(text: str, memory: str) -> None:
    [each] = found(text)

    assert each.memory == memory
    assert each.severity == "warning"
    assert 0.5 <= each.confidence < 1


@pytest.mark.parametrize(
    ("text", "breaks"),
    [
        ("add memcached", 1),
        ("Use memcached", 1),
        ("drop memcached", 0),
        ("memcached", 0),
        ("Measure memcached load", 0),
    ],
)
def test_a_name_in_small_letters_is_taken_up_by_a_verb_alone(text: str, breaks: int) -> None:
    option = RejectedOption(option="memcached", reason="no persistence")
    memory = Memory(id="DEC-2", type=MemoryType.DECISION, title="Sessions live in Valkey", rejected=(option,))

    assert len(found(text, memory)) == breaks


@pytest.mark.parametrize(
    "text",
    [
        "Do not add Redis.", "Use Valkey instead of Redis.", "Remove Redis from the image.",
        "Replace Redis with Valkey.",
        "Move from Redis to Valkey.", "We chose Valkey over Redis.", "Redis was rejected.", "Use Valkey, not Redis.",
        "do not add redis", "remove redis",
        "Make sure that passwords are never logged.", "Add a check of the tenant to the endpoint.",
        "Rate limiting by API key, not by IP address.", "Redistribute the load.", "", "```\nRedis\n```",
    ],
)  # fmt: skip
def test_sentences_that_say_no_or_something_else(text: str) -> None:
    assert found(text) == []


def test_the_line_is_that_of_the_sentence() -> None:
    assert [each.line for each in found("# Plan\n\nFirst.\n\n1. Add Redis as a cache\n")] == [5]


def test_an_everyday_word_is_no_name_unless_the_plan_is_about_the_question() -> None:
    flags = Memory(
        id="DEC-2", type=MemoryType.DECISION, title="Feature flags live in the database",
        question="Where do feature flags live?", rejected=(RejectedOption(option="environment variables"),),
    )  # fmt: skip

    assert found("Use environment variables for the database password.", flags) == []
    assert [each.memory for each in found("Read the feature flags from environment variables.", flags)] == ["DEC-2"]


def test_a_plan_installs_and_imports() -> None:
    plan = read_plan(
        "Run `pip install urwid`.\n\n```sh\nnpm i left-pad\n```\n\n```python\nimport app.db\n...(\n```\n"
        "- cargo add serde\n"
    )

    assert [(each.name, each.line) for each in plan.installs] == [("left-pad", 4), ("urwid", 1), ("serde", 11)]
    assert [(each.module, each.line) for each in plan.imports] == [("app.db", 8)]


def rule(key: str, *said: str, paths: tuple[str, ...] = ()) -> EnforceRule:
    return EnforceRule(memory="DEC-1", title="T", paths=paths, key=key, phrasings=said)


def test_what_a_plan_breaks_for_certain() -> None:
    plan = read_plan("`pip install urwid old`\n\n```py\nimport app.db\n```\n")
    rules = [
        rule("forbid_dependency", "urwid"), rule("approve_new_dependency"), rule("forbid_import", "app"),
        rule("forbid_path", "legacy/**"), rule("forbid_dependency", "urwid", paths=("web/**",)),
    ]  # fmt: skip

    broken = list(judge_plan(rules, plan, ["legacy/x.py"], frozenset({"old"})))

    assert [(each.rule, each.what) for each in broken] == [
        ("forbid_dependency", "urwid"), ("approve_new_dependency", "urwid"), ("forbid_import", "app.db"),
        ("forbid_path", "legacy/x.py"),
    ]  # fmt: skip


def test_hostile_plans_end_in_time() -> None:
    for text in (
        "a " * 200_000,
        "`" * 100_000,
        "```\n" * 20_000,
        "Redis " * 30_000,
        "pip install " * 10_000,
        "\x1b[31m\0" * 1000,
    ):
        found(text)


REQUESTS = EnforceRule(
    memory="INV-3", title="", paths=(), key="forbid_dependency", phrasings=("requests", "npm:left-pad")
)


def certain(text: str) -> list[Finding]:
    return list(judge_plan([REQUESTS], read_plan(text), (), frozenset()))


@pytest.mark.parametrize(
    "text",
    [
        "Add requests to the deps", "1. Add `requests` to pyproject.toml", "Use requests for the HTTP calls",
        "We will add the requests library", "switch to requests", "- [ ] Implement the client with requests",
        "Replace httpx with requests", "then bring in left-pad",
    ],
)  # fmt: skip
def test_words_that_bring_in_what_is_forbidden_by_name(text: str) -> None:
    [each] = certain(text)

    assert (each.memory, each.severity, each.line) == ("INV-3", "error", 1)


@pytest.mark.parametrize(
    "text",
    [
        "Handle requests per second", "Replace requests with httpx", "Do not use requests", "Deal with requests",
        "Switch from requests to httpx", "Add a limit on requests from one host", "Use httpx instead of requests",
        "Add requests per second to the metrics", "Log all incoming requests", "Remove requests", "Use requestsx",
    ],
)  # fmt: skip
def test_words_that_only_name_it(text: str) -> None:
    assert certain(text) == []
