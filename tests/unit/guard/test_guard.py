"""What the guard finds in tool calls, what it leaves alone, and what a policy makes of it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.waiting import LONG

import holdfast.guard.policy as guard_module
from holdfast.guard.policy import (
    ACTIONS,
    ALLOWED,
    BrokenPolicy,
    GuardedCall,
    GuardPolicy,
    GuardVerdict,
    list_verdicts,
    load_policy,
)
from holdfast.guard.programs import MARKS
from holdfast.guard.risks import PERSON_ONLY, PERSON_VERBS, survey_call
from holdfast.workspace import MARKS as CLIENT_MARKS

ROOT = Path(__file__).parents[3]
DATA = Path(__file__).parents[2] / "data/guard.tsv"
DEFAULT = Path(guard_module.__file__).with_name("guard.toml").read_text(encoding="utf-8")
WORKSPACE = "/home/ann/harbor"
NOTHING = "-"


def labelled() -> list[tuple[str, str]]:
    lines = [line for line in DATA.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [(rule, command.replace("\\n", "\n")) for rule, _, command in (line.partition("\t") for line in lines)]


def rules_of(tool: str, given: object, cwd: str = WORKSPACE) -> set[str]:
    return {risk.rule for risk in survey_call(tool, given, cwd, WORKSPACE).risks}


def verdict(tool: str, given: object, user: str = "") -> GuardVerdict:
    call = GuardedCall(tool=tool, given=given, cwd=WORKSPACE, workspace=WORKSPACE)
    return next(iter(list_verdicts(call, load_policy(DEFAULT, user))), ALLOWED)


@pytest.fixture(scope="module")
def policy() -> GuardPolicy:
    return load_policy(DEFAULT)


@pytest.mark.parametrize(("rule", "command"), labelled(), ids=[command for _, command in labelled()])
def test_a_command_is_known_for_what_it_does(rule: str, command: str) -> None:
    found = rules_of("Bash", {"command": command})

    assert found == set() if rule == NOTHING else rule in found


def test_half_of_the_commands_are_harmless() -> None:
    rows = labelled()
    harmless = sum(rule == NOTHING for rule, _ in rows)

    assert len(rows) >= 120
    assert 0.4 <= harmless / len(rows) <= 0.6


def test_every_finding_has_a_rule_and_every_rule_a_command(policy: GuardPolicy) -> None:
    assert {rule for rule, _ in labelled()} - {NOTHING} == set(policy.rules)


def test_the_default_never_asks_or_blocks(policy: GuardPolicy) -> None:
    assert {rule.action for rule in policy.rules.values()} <= {"log", "warn"}
    assert all(rule.reason for rule in policy.rules.values())


def test_every_mark_of_a_client_is_known_to_the_guard() -> None:
    for name in (name for names in CLIENT_MARKS.values() for name in names):
        assert name.startswith(MARKS)
        assert "person-only" in rules_of("Bash", {"command": f"env -u {name} holdfast status"})


@pytest.mark.parametrize("word", sorted(PERSON_ONLY))
def test_commands_for_people_are_found_however_they_are_called(word: str) -> None:
    for call in (
        "holdfast {}",
        "env -u AGENT holdfast {}",
        "python -m holdfast {}",
        "sh -c 'holdfast {}'",
        "ls | xargs holdfast {}",
    ):
        assert "person-only" in rules_of("Bash", {"command": call.format(word)}), call


@pytest.mark.parametrize(
    ("tool", "given", "rule"),
    [
        ("Write", {"file_path": "/home/ann/harbor/.holdfast/memory/x.md", "content": "x"}, "edit-memory"),
        ("Edit", {"file_path": ".holdfast/memory/x.md", "old_string": "a", "new_string": "b"}, "edit-memory"),
        ("Write", {"file_path": "/home/ann/other/x.py", "content": ""}, "write-outside"),
        ("Write", {"file_path": "../x.py", "content": ""}, "write-outside"),
        ("write_file", {"path": "/etc/passwd", "content": ""}, "write-outside"),
        ("MultiEdit", {"file_path": "/home/ann/.zshrc", "edits": []}, "write-startup"),
        ("Write", {"file_path": "/home/ann/harbor/.claude/settings.json", "content": "{}"}, "write-startup"),
        ("Read", {"file_path": "/home/ann/harbor/.env"}, "read-secret"),
        ("Read", {"file_path": "~/.aws/credentials"}, "read-secret"),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: ../../etc/x\n*** End Patch"}, "write-outside"),
        ("shell", {"command": ["bash", "-lc", "rm -rf ~"]}, "delete-root"),
        ("shell", {"command": ["rm", "-rf", "/home/ann"]}, "delete-root"),
        ("exec_command", {"cmd": "git push -f"}, "force-push"),
        ("mcp__postgres__query", {"sql": "DROP TABLE users"}, "drop-database"),
        ("Bash", "git reset --hard", "hard-reset"),
    ],
)
def test_other_tools_and_clients_are_read_too(tool: str, given: object, rule: str) -> None:
    assert rule in rules_of(tool, given)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Write", {"file_path": "/home/ann/harbor/src/x.py", "content": "rm -rf /"}),
        ("Edit", {"file_path": "src/x.py", "old_string": "sudo", "new_string": "doas"}),
        ("Write", {"file_path": "/tmp/x.py", "content": ""}),
        ("Read", {"file_path": "/home/ann/harbor/.env.example"}),
        ("Read", {"file_path": "/home/ann/harbor/.holdfast/memory/x.md"}),
        ("Read", {"file_path": "/usr/include/stdio.h"}),
        ("Grep", {"pattern": "password", "path": "src"}),
        ("WebSearch", {"query": "how to drop database in postgres"}),
        ("WebFetch", {"url": "https://example.com/.env", "prompt": "x"}),
        ("TodoWrite", {"todos": [{"content": "rm -rf /"}]}),
        ("Bash", {}),
        ("Bash", {"command": None}),
        ("Bash", None),
        ("", {"command": ["", ""]}),
    ],
)
def test_harmless_calls_of_other_tools_say_nothing(tool: str, given: object) -> None:
    assert rules_of(tool, given) == set()


def test_a_path_is_followed_through_cd() -> None:
    assert "delete-outside" in rules_of("Bash", {"command": "cd ~/other && rm -rf src"})
    assert rules_of("Bash", {"command": 'cd "$SOMEWHERE" && echo x > out.txt'}) == set()


def test_a_home_folder_is_guessed_from_the_workspace() -> None:
    assert rules_of("Bash", {"command": "echo x > ~/harbor/out.txt"}) == set()


def test_a_verdict_says_rule_and_reason() -> None:
    found = verdict("Bash", {"command": "git push --force"})

    assert (found.action, found.rule) == ("warn", "force-push")
    assert found.reason == "git push --force: overwrites or deletes commits on a remote"


def test_the_sternest_rule_speaks() -> None:
    user = '[rules.force-push]\naction = "block"'

    assert verdict("Bash", {"command": "sudo ls; git push -f"}, user).rule == "force-push"


def test_what_is_harmless_is_allowed() -> None:
    assert verdict("Bash", {"command": "ls"}) == GuardVerdict(action="allow")


@pytest.mark.parametrize("action", ACTIONS)
def test_the_user_may_raise_and_lower_a_rule(action: str) -> None:
    found = verdict("Bash", {"command": "git push -f"}, f'[rules.force-push]\naction = "{action}"')

    assert found.action == action


def test_the_user_may_except_commands_and_paths() -> None:
    user = '[except]\ncommands = ["git push -f fork*"]\npaths = ["~/notes/*", ".env"]'

    assert verdict("Bash", {"command": "git push -f fork main"}, user).action == "allow"
    assert verdict("Write", {"file_path": "/home/ann/notes/a.md", "content": ""}, user).action == "allow"
    assert verdict("Read", {"file_path": "/home/ann/harbor/.env"}, user).action == "allow"
    assert verdict("Bash", {"command": "git push -f origin main"}, user).action == "warn"


def test_the_user_may_have_rules_of_their_own() -> None:
    user = """
        [own.production]
        action = "ask"
        reason = "the production cluster"
        commands = ["kubectl --context prod *"]
        writes = ["infra/*"]
        reads = ["customers/*"]
        tools = ["mcp__billing__*"]
        """

    assert verdict("Bash", {"command": "ls && kubectl --context prod get pods"}, user).rule == "production"
    assert verdict("Edit", {"file_path": "infra/main.tf", "new_string": ""}, user).action == "ask"
    assert verdict("Read", {"file_path": "/home/ann/harbor/customers/a.csv"}, user).action == "ask"
    assert verdict("mcp__billing__charge", {}, user).action == "ask"
    assert verdict("Read", {"file_path": "infra/main.tf"}, user).action == "allow"


@pytest.mark.parametrize(
    ("user", "words"),
    [
        ("rules = 1", "[rules.NAME]"),
        ("not toml", "not TOML"),
        ("[rules.force-psuh]\naction='block'", "no rule 'force-psuh'"),
        ("[rules.force-push]\naction='forbid'", "needs an action"),
        ("[rules.force-push]\naktion='block'", "knows no 'aktion'"),
        ("[own.x]\ncommands=['a']", "needs an action"),
        ("[own.x]\naction='ask'\ncommands='a'", "list of texts"),
        ("[except]\nfiles=['a']", "[except]"),
        ("[exept]\npaths=['a']", "'exept'"),
        ("version = 2", "version"),
        ("[own.x]\naction='ask'", "at least one of"),
        ("[rules.force-push]\naction=['block']", "needs an action"),
    ],
)
def test_a_policy_with_a_slip_is_refused_with_words(user: str, words: str) -> None:
    with pytest.raises(BrokenPolicy) as caught:
        load_policy(DEFAULT, user)

    assert words in str(caught.value)


def test_holdfasts_own_home_is_guarded_wherever_it_lies() -> None:
    def rules(command: str) -> set[str]:
        given = {"command": command}
        return {risk.rule for risk in survey_call("Bash", given, WORKSPACE, WORKSPACE, "/srv/elsewhere").risks}

    for command in (
        "echo x > /srv/elsewhere/guard.toml",
        "cp a.toml $HOLDFAST_HOME/config.toml",
        "tee ${HOLDFAST_HOME}/memory/decisions/x.md < x",
        "rm -rf /srv/elsewhere/memory",
        "find /srv/elsewhere -name '*.md' -delete",
    ):
        assert "edit-memory" in rules(command), command
    assert rules("ls /srv/elsewhere") == set()
    assert "edit-memory" not in rules("echo x > /srv/elsewhere-too/x")


def test_every_command_that_refuses_an_agent_is_known_to_the_guard() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/holdfast").rglob("*.py"))
    refused = set(re.findall(r'need_person\(app, f?"(\w+)', code))

    assert "forget" in refused
    assert "accept" in PERSON_ONLY | {call.partition(" ")[0] for call in PERSON_VERBS}
    assert refused <= PERSON_ONLY | {call.partition(" ")[0] for call in PERSON_VERBS}


def test_a_path_below_the_users_home_is_excepted_wherever_the_workspace_lies() -> None:
    policy = load_policy(DEFAULT, '[except]\npaths = ["~/notes/*"]')
    call = GuardedCall(
        tool="Write", given={"file_path": "/data/ann/notes/a.md"}, cwd="/srv/x", workspace="/srv/x", home="/data/ann"
    )

    assert list_verdicts(call, policy) == []


def test_all_that_is_found_is_told_the_sternest_first() -> None:
    policy = load_policy(DEFAULT, '[rules.force-push]\naction = "block"')
    given = {"command": "sudo ls; git push -f"}
    found = list_verdicts(GuardedCall(tool="Bash", given=given, cwd=WORKSPACE, workspace=WORKSPACE), policy)

    assert [(verdict.rule, verdict.action) for verdict in found] == [("force-push", "block"), ("sudo", "warn")]


def test_every_rule_is_in_the_docs(policy: GuardPolicy) -> None:
    page = (ROOT / "docs/formats/guard.md").read_text(encoding="utf-8")

    assert [name for name in policy.rules if f"`{name}`" not in page] == []


def test_looking_for_risks_loads_nothing_of_the_standard_library() -> None:
    code = (
        "import sys; sys.path.insert(0, 'src'); before = set(sys.modules)\n"
        "import holdfast.guard.risks\n"
        "print([name for name in set(sys.modules) - before if not name.startswith('holdfast')])"
    )

    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, timeout=LONG, cwd=ROOT
    )

    assert done.stdout.strip() == "[]"
