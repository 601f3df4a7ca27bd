"""What is to be done about a tool call: the policy, read from TOML, and the verdict on one call.

The findings come from `risks.py`. A hook asks that first and loads this module only where there is something to judge,
or where the user has rules of their own.
"""

import tomllib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from holdfast.core.errors import BadRequest
from holdfast.core.value import Value
from holdfast.guard.call_findings import ToolCallSurvey
from holdfast.guard.risks import survey_call

ACTIONS = ("allow", "log", "warn", "ask", "block")
STERN = frozenset(("ask", "block"))
VERSION = 1
TESTS = "[[test]]"
_KEYS = frozenset(("version", "rules", "own", "except", "test"))
_RULE_KEYS = frozenset(("action", "reason"))
_OWN_KEYS = frozenset(("action", "reason", "commands", "reads", "writes", "tools"))
_EXCEPT_KEYS = frozenset(("commands", "paths"))


class BrokenPolicy(BadRequest):
    """A guard policy that cannot be read as one."""

    def __init__(self, reason: str, path: str = "") -> None:
        self.reason = reason
        which = f"The guard's policy {path!r}" if path else "The guard's policy"
        super().__init__(f"{which} cannot be used: {reason}.", "fix or move it; docs/formats/guard.md has its form.")


class GuardVerdict(Value):
    """What the guard says about one tool call. `rule` is empty where it says allow."""

    action: str
    rule: str = ""
    reason: str = ""


class GuardRule(Value):
    """What is done about one kind of finding; with globs, a rule of the user's own. `users`: their file names it."""

    name: str
    action: str
    reason: str = ""
    users: bool = False
    commands: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


class GuardPolicy(Value):
    """All rules by name, the user's own, and the commands and paths that the user excepts."""

    rules: Mapping[str, GuardRule]
    own: tuple[GuardRule, ...] = ()
    commands: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


class GuardedCall(Value):
    """A tool call and where it is made. `own` is Holdfast's home folder, `home` the user's."""

    tool: str
    given: object
    cwd: str
    workspace: str
    own: str = ""
    home: str = ""


ALLOWED = GuardVerdict(action="allow")
UNREAD = GuardVerdict(
    action="ask",
    rule="unread",
    reason="it is too long or nested too deep to be read whole, and you have rules that stop",
)


def load_policy(default_text: str, user_text: str = "") -> GuardPolicy:
    """The default policy with the user's own laid over it. Raises BrokenPolicy for what it cannot use.

    Tests are passed over: a hook has no use for them. The default has its own at the end, where it is cut.
    """
    default, user = parse_policy(default_text.partition(f"\n{TESTS}")[0]), parse_policy(user_text)
    rules = {name: _rule(name, table, _RULE_KEYS) for name, table in _tables(default, "rules")}
    for name, table in _tables(user, "rules"):
        if name not in rules:
            raise BrokenPolicy(f"there is no rule {name!r}; your own rules go under [own.{name}]")
        laid_over = {"reason": rules[name].reason, "action": rules[name].action, **table}
        rules[name] = _rule(name, laid_over, _RULE_KEYS, users=True)
    own = tuple(_own_rule(name, table) for name, table in _tables(user, "own"))
    excepted = user.get("except", {})
    if not isinstance(excepted, dict) or not excepted.keys() <= _EXCEPT_KEYS:
        raise BrokenPolicy("[except] takes `commands` and `paths`")
    commands, paths = (_globs(f"except.{key}", excepted.get(key, [])) for key in ("commands", "paths"))
    return GuardPolicy(rules=rules, own=own, commands=commands, paths=paths)


def list_verdicts(call: GuardedCall, policy: GuardPolicy) -> list[GuardVerdict]:
    """All that the policy says about a tool call, the sternest first; nothing where it says allow."""
    seen = survey_call(call.tool, call.given, call.cwd, call.workspace, call.own)
    found = [*_judge_own_rules(call, seen, policy), *_judge_findings(call, seen, policy)]
    if seen.unread and any(rule.action in STERN for rule in (*policy.rules.values(), *policy.own)):
        found.append(UNREAD)
    return sorted(found, key=lambda verdict: ACTIONS.index(verdict.action), reverse=True)


def _judge_findings(call: GuardedCall, seen: ToolCallSurvey, policy: GuardPolicy) -> Iterable[GuardVerdict]:
    excepted = policy.commands + policy.paths
    for risk in seen.risks:
        rule = policy.rules.get(risk.rule)
        if rule is None or rule.action == "allow" or _matches(excepted, _names(risk.what, seen, call.home)):
            continue
        yield GuardVerdict(action=rule.action, rule=rule.name, reason=f"{risk.what}: {rule.reason}")


def _judge_own_rules(call: GuardedCall, seen: ToolCallSurvey, policy: GuardPolicy) -> Iterable[GuardVerdict]:
    for rule in policy.own:
        for globs, things in (
            (rule.tools, [call.tool]),
            (rule.commands, seen.commands),
            (rule.reads, seen.reads),
            (rule.writes, seen.writes),
        ):
            found = next((thing for thing in things if _matches(globs, _names(thing, seen, call.home))), None)
            if found is not None and rule.action != "allow":
                yield GuardVerdict(
                    action=rule.action, rule=rule.name, reason=f"{found}: {rule.reason or 'a rule of your own'}"
                )


def _names(thing: str, seen: ToolCallSurvey, home: str) -> tuple[str, ...]:
    """How a rule may name a thing: as it is, relative to the workspace, or from the home folder."""
    inside = thing.removeprefix(f"{seen.workspace}/")
    homes = (folder for folder in (seen.home, home) if folder and thing.startswith(f"{folder}/"))
    return thing, inside, *(f"~{thing.removeprefix(folder)}" for folder in homes)


def _matches(globs: tuple[str, ...], names: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, glob) for glob in globs for name in names)


def parse_policy(text: str) -> dict[str, Any]:
    """The tables of a policy file. Raises BrokenPolicy for what is none."""
    try:
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BrokenPolicy(f"it is not TOML: {error}") from error
    unknown = found.keys() - _KEYS
    if unknown:
        raise BrokenPolicy(f"it knows no {min(unknown)!r}")
    if found.get("version", VERSION) != VERSION:
        raise BrokenPolicy(f"its version is {found['version']!r}, this Holdfast reads {VERSION}")
    return found


def _tables(policy: Mapping[str, Any], key: str) -> Iterable[tuple[str, dict[str, Any]]]:
    tables = policy.get(key, {})
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise BrokenPolicy(f"[{key}.NAME] must be tables")
    return tables.items()


def _own_rule(name: str, table: Mapping[str, Any]) -> GuardRule:
    found = _rule(name, table, _OWN_KEYS, users=True)
    if not (found.commands or found.reads or found.writes or found.tools):
        raise BrokenPolicy(f"rule {name!r} needs at least one of commands, reads, writes, tools")
    return found


def _rule(name: str, table: Mapping[str, Any], keys: frozenset[str], *, users: bool = False) -> GuardRule:
    unknown = table.keys() - keys
    if unknown:
        raise BrokenPolicy(f"rule {name!r} knows no {min(unknown)!r}")
    action, reason = table.get("action"), table.get("reason", "")
    if action not in ACTIONS or not isinstance(reason, str):
        raise BrokenPolicy(f"rule {name!r} needs an action: {', '.join(ACTIONS)}")
    globs = {key: _globs(f"{name}.{key}", table.get(key, [])) for key in ("commands", "reads", "writes", "tools")}
    return GuardRule(name=name, action=action, reason=reason, users=users, **globs)


def _globs(where: str, found: object) -> tuple[str, ...]:
    if not isinstance(found, list) or not all(isinstance(glob, str) for glob in found):
        raise BrokenPolicy(f"{where} must be a list of texts")
    return tuple(found)
