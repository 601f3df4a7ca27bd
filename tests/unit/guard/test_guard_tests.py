"""The tests that policy files carry: the default's own all hold, and a slip in a test is told with its line."""

from collections import defaultdict
from pathlib import Path

import pytest

import holdfast.guard.policy as guard_module
from holdfast.guard.policy import TESTS, BrokenPolicy, GuardPolicy, load_policy
from holdfast.guard.policy_tests import PolicyTest, PolicyTestResult, read_policy_tests, run_tests

DEFAULT = Path(guard_module.__file__).with_name("guard.toml").read_text(encoding="utf-8")
POLICY = load_policy(DEFAULT)
OWN_TESTS = read_policy_tests(DEFAULT, POLICY)


def ran(text: str, policy: GuardPolicy = POLICY, home: str = "") -> list[PolicyTestResult]:
    return list(run_tests(read_policy_tests(text, policy), policy, home))


def one(text: str, policy: GuardPolicy = POLICY, home: str = "") -> PolicyTestResult:
    [found] = ran(f"[[test]]\n{text}\n", policy, home)
    return found


@pytest.mark.parametrize("test", OWN_TESTS, ids=lambda test: test.what)
def test_the_default_policy_says_what_its_tests_say(test: PolicyTest) -> None:
    [outcome] = run_tests([test], POLICY)

    assert outcome.passed, outcome.got


def test_every_rule_has_a_test_that_hits_and_a_look_alike_that_does_not() -> None:
    expected = defaultdict(set)
    for test in OWN_TESTS:
        expected[test.rule].add(test.expect)

    assert set(expected) == set(POLICY.rules)
    for name, said in expected.items():
        assert said == {POLICY.rules[name].action, "allow"}, name


def test_the_default_has_its_tests_at_the_end_where_they_are_cut() -> None:
    rules, _, tests = DEFAULT.partition(f"\n{TESTS}")

    assert load_policy(rules) == POLICY
    assert not [line for line in tests.splitlines() if line.startswith("[") and line != TESTS]


def test_no_test_of_the_default_names_a_folder_of_some_machine() -> None:
    for test in OWN_TESTS:
        assert "/home/" not in str(test.given)
        assert "/root" not in str(test.given)


@pytest.mark.parametrize(
    "text",
    [
        'command = "git push -f"\nexpect = "warn"',
        'command = "git push -f"\nexpect = "warn"\nrule = "force-push"',
        'command = "sudo git push -f"\nexpect = "warn"\nrule = "sudo"',
        'command = "sudo git push -f"\nexpect = "warn"\nrule = "force-push"',
        'command = "git push"\nexpect = "allow"\nrule = "force-push"',
        'read = ".env"\nexpect = "warn"',
        'write = ".env"\nexpect = "allow"',
        'write = "~/other/x"\nexpect = "warn"\nrule = "write-outside"',
        'tool = "mcp__db__query"\ninput = { sql = "DROP TABLE a" }\nexpect = "warn"',
        'tool = "TodoWrite"\nexpect = "allow"',
    ],
)
def test_a_test_that_holds(text: str) -> None:
    assert one(text).passed


@pytest.mark.parametrize(
    "text",
    [
        'command = "git push -f"\nexpect = "block"',
        'command = "git push -f"\nexpect = "allow"',
        'command = "git push -f"\nexpect = "warn"\nrule = "sudo"',
        'command = "git push"\nexpect = "warn"\nrule = "force-push"',
    ],
)
def test_a_test_that_fails(text: str) -> None:
    assert not one(text).passed


def test_a_users_test_is_judged_by_the_users_policy() -> None:
    user = '[rules.sudo]\naction = "block"\n[own.prod]\naction = "ask"\ncommands = ["kubectl *"]\n'
    policy = load_policy(DEFAULT, user + '[except]\npaths = ["~/notes/*"]')

    assert one('command = "sudo ls"\nexpect = "block"', policy).passed
    assert one('command = "kubectl get pods"\nexpect = "ask"\nrule = "prod"', policy).passed
    assert one('write = "~/notes/a.md"\nexpect = "allow"', policy).passed
    assert one('write = "/data/ann/notes/a.md"\nexpect = "allow"', policy, home="/data/ann").passed


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[test]]\ncommand = "ls"\n', "test 1 (line 1) needs what to expect"),
        ('\n[[test]]\ncommand = "ls"\nexpect = "maybe"\n', "test 1 (line 2) needs what to expect"),
        ('[[test]]\nexpect = "allow"\n', "needs one of command, read, write"),
        ('[[test]]\ncommand = "ls"\nread = "x"\nexpect = "allow"\n', "needs one of"),
        ('[[test]]\ncommand = "ls"\ninput = {}\nexpect = "allow"\n', "needs one of"),
        ('[[test]]\ncommand = ["ls"]\nexpect = "allow"\n', "takes a text for command"),
        ('[[test]]\ntool = "X"\ninput = "y"\nexpect = "allow"\n', "a table as its input"),
        ('[[test]]\ncomand = "ls"\nexpect = "allow"\n', "knows no 'comand'"),
        ('[[test]]\ncommand = "ls"\nexpect = "allow"\nrule = "sudoo"\n', "'sudoo' that is not there"),
        ('[[test]]\ncommand = "ls"\nexpect = "allow"\nrule = ["sudo"]\n', "that is not there"),
        ('[test]\ncommand = "ls"\n', "[[test]] tables"),
        ("test = [1]\n", "[[test]] tables"),
    ],
)
def test_a_slip_in_a_test_is_told_and_the_rules_stand_all_the_same(text: str, words: str) -> None:
    with pytest.raises(BrokenPolicy) as caught:
        read_policy_tests(text, POLICY)

    assert words in str(caught.value)
    # A hook must not lose the user's rules over a test that it does not run.
    assert load_policy(DEFAULT, '[rules.sudo]\naction = "block"\n').rules["sudo"].action == "block"
    assert load_policy(DEFAULT, text).rules == POLICY.rules
