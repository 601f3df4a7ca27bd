"""The tests a policy file carries: what the guard should say about some tool calls, and whether it does."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from holdfast.core.value import Value
from holdfast.guard.policy import (
    ACTIONS,
    ALLOWED,
    TESTS,
    BrokenPolicy,
    GuardedCall,
    GuardPolicy,
    GuardVerdict,
    list_verdicts,
    parse_policy,
)

# Tests mean the same on every machine: they are judged in a workspace that is nowhere.
HOME = "/home/you"
WORKSPACE = f"{HOME}/project"
_KEYS = frozenset(("command", "read", "write", "tool", "input", "expect", "rule"))
_TOOLS = {"command": ("Bash", "command"), "read": ("Read", "file_path"), "write": ("Write", "file_path")}


class PolicyTest(Value):
    """One test of a policy file. `rule` is the one that should speak, or that a look-alike could be taken for."""

    line: int
    tool: str
    given: object
    expect: str
    rule: str = ""

    @property
    def what(self) -> str:
        """The call in short: its command or path, or the tool and its input."""
        key = next((key for tool, key in _TOOLS.values() if tool == self.tool), "")
        if isinstance(self.given, dict) and list(self.given) == [key]:
            return str(self.given[key]) if self.tool == "Bash" else f"{self.tool} {self.given[key]}"
        return f"{self.tool} {self.given}"


class PolicyTestResult(Value):
    """What the guard said in a test."""

    test: PolicyTest
    got: GuardVerdict
    passed: bool


def read_policy_tests(text: str, policy: GuardPolicy) -> list[PolicyTest]:
    """The tests in a policy file. Raises BrokenPolicy for one that cannot be meant."""
    tables = parse_policy(text).get("test", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise BrokenPolicy(f"tests are written as {TESTS} tables")
    places = [number for number, line in enumerate(text.splitlines(), start=1) if line.strip().startswith(TESTS)]
    lines = places if len(places) == len(tables) else [0] * len(tables)
    rules = {*policy.rules, *(rule.name for rule in policy.own)}
    return [_test(table, line, at, rules) for at, (table, line) in enumerate(zip(tables, lines, strict=True), start=1)]


def run_tests(tests: Sequence[PolicyTest], policy: GuardPolicy, home: str = "") -> Iterator[PolicyTestResult]:
    """Judge every test's call by a policy."""
    for test in tests:
        call = GuardedCall(tool=test.tool, given=test.given, cwd=WORKSPACE, workspace=WORKSPACE, home=home)
        found = list_verdicts(call, policy)
        got = found[0] if found else ALLOWED
        speaking = {verdict.rule for verdict in found if verdict.action == got.action}
        named = not test.rule or got.action == "allow" or test.rule in speaking
        yield PolicyTestResult(test=test, got=got, passed=got.action == test.expect and named)


def _test(table: Mapping[str, Any], line: int, number: int, rules: set[str]) -> PolicyTest:
    name = f"test {number}" + (f" (line {line})" if line else "")
    unknown = table.keys() - _KEYS
    if unknown:
        raise BrokenPolicy(f"{name} knows no {min(unknown)!r}")
    expect, rule = table.get("expect"), table.get("rule", "")
    if expect not in ACTIONS:
        raise BrokenPolicy(f"{name} needs what to expect: {', '.join(ACTIONS)}")
    if not isinstance(rule, str) or (rule and rule not in rules):
        raise BrokenPolicy(f"{name} names a rule {rule!r} that is not there")
    tool, given = _parse_call(table, name)
    return PolicyTest(line=line, tool=tool, given=given, expect=expect, rule=rule)


def _parse_call(table: Mapping[str, Any], name: str) -> tuple[str, object]:
    short = [key for key in _TOOLS if key in table]
    if len(short) + ("tool" in table) != 1 or ("input" in table and "tool" not in table):
        raise BrokenPolicy(f"{name} needs one of command, read, write, or a tool with its input")
    if not short:
        tool, given = table["tool"], table.get("input", {})
        if not isinstance(tool, str) or not isinstance(given, dict):
            raise BrokenPolicy(f"{name} needs a tool's name and a table as its input")
        return tool, given
    tool, key = _TOOLS[short[0]]
    if not isinstance(table[short[0]], str):
        raise BrokenPolicy(f"{name} takes a text for {short[0]}")
    return tool, {key: table[short[0]]}
