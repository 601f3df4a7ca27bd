"""holdfast guard"""

import argparse
import json
import os
import shlex
from typing import Any

from holdfast.cli.common import format_count, open_app, parse_count
from holdfast.cli.output import Output
from holdfast.core.errors import BadRequest
from holdfast.core.value import as_dict
from holdfast.guard.guard_log import (
    ACTIONS,
    ActiveGuardPolicy,
    PolicyTestRun,
    check_call,
    find_policy_problem,
    read_active_policy,
    read_guard_log,
)
from holdfast.guard.guard_log import run as run_tests
from holdfast.workspace import App

EXAMPLES = """\
  holdfast guard                                the latest verdicts, newest last
  holdfast guard --since 2026-11-15 --action warn --action block
  holdfast guard check "git push --force"       what it would say
  holdfast guard check --tool Write --path ~/.ssh/config
  holdfast guard check --tool mcp__db__query --input '{"sql": "DROP TABLE users"}'
  holdfast guard policy                         every rule, its action and where that comes from
  holdfast guard test                           run the tests in the policy files
"""
STATUS = (
    "0 shown; check: allow or log; test: all as expected · 1 check: it would warn, ask or block; test: one failed · "
    "2 bad request, or a policy that cannot be used · 3 no workspace · 6 could not look"
)
LATEST = 20
_GO_WITH = {"limit": "", "since": "", "action": "", "tool": "check", "path": "check", "input": "check"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("verb", nargs="?", choices=("check", "policy", "test"), metavar="check|policy|test",
                        help="without: the latest verdicts")  # fmt: skip
    parser.add_argument("words", nargs="*", metavar="COMMAND", help="check: a command, in quotes or after --")
    group = parser.add_argument_group("verdicts")
    group.add_argument("-n", "--limit", type=parse_count, metavar="N", help=f"how many at most (default {LATEST})")
    group.add_argument("--since", metavar="DATE", help="only since then")
    group.add_argument("--action", action="append", choices=ACTIONS[1:], help="only these; may be given again")
    group = parser.add_argument_group("check")
    group.add_argument("--tool", metavar="NAME", help="a tool as the client names it (default: Bash)")
    group.add_argument("--path", metavar="PATH", help="the file that the tool is given")
    group.add_argument("--input", metavar="JSON", help="all that the tool is given")
    # Options may stand between `check` and the command.
    parser.parse_args = parser.parse_intermixed_args  # type: ignore[method-assign]  # the same, for a command line like ours


def run(args: argparse.Namespace, out: Output) -> int:
    """Show what the guard said, would say, and by which policy."""
    _fitting(args)
    app = open_app(args, anywhere=bool(args.verb))
    match args.verb:
        case "check":
            status = _check(app, args, out)
        case "policy":
            status = _policy(app, out)
        case "test":
            status = _test(app, out)
        case _:
            status = _verdicts(app, args, out)
    out.notices(app.notices)
    return status


def _fitting(args: argparse.Namespace) -> None:
    verb = args.verb or ""
    for option, goes_with in _GO_WITH.items():
        if getattr(args, option) is not None and goes_with != verb:
            where = f"`holdfast guard {goes_with}`" if goes_with else "the list of verdicts, `holdfast guard` alone"
            raise BadRequest(f"--{option} goes with {where}.")
    if args.words and verb != "check":
        raise BadRequest(f"`holdfast guard {verb}` takes no words.", 'a command to judge: holdfast guard check "…"')


def _verdicts(app: App, args: argparse.Namespace, out: Output) -> int:
    log = read_guard_log(app, since=args.since or "", actions=args.action or (), limit=args.limit or LATEST)
    if out.as_json:
        out.json({"verdicts": [as_dict(row) for row in log.verdicts], "broken": list(log.broken)})
    for row in log.verdicts:
        out.line(f"{row.ts}  {row.action:<5}  {row.rule}  ({row.client}, {row.tool})")
        out.cut(f"    {row.reason}")
    if not log.verdicts:
        out.line("The guard noted nothing" + (" that fits." if args.since or args.action else " yet."))
    if log.broken:
        many = f"{format_count(log.broken, 'line')} cannot be read, the last at {log.broken[-1]}"
        app.notices.append(f"{many}; the rest is shown.")
    if problem := find_policy_problem(app):
        app.notices.append(problem)
    return 0


def _check(app: App, args: argparse.Namespace, out: Output) -> int:
    tool, given = _called(args)
    checked = check_call(app, tool, given, os.path.realpath(args.workspace or os.getcwd()))
    verdict = checked.verdict
    if out.as_json:
        also = [as_dict(other) for other in checked.also]
        out.json({"tool": tool, "input": given, **as_dict(verdict), "also": also})
    if verdict.action == "allow":
        out.line("allow: no rule speaks about it.")
    for each in (verdict, *checked.also):
        if each.rule:
            out.line(f"{each.action}  {each.rule}: {each.reason}")
    return 1 if checked.reaches_agent else 0


def _called(args: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    given: dict[str, Any] = {}
    if args.input is not None:
        given = _object(args.input)
    if args.words:
        given["command"] = args.words[0] if len(args.words) == 1 else shlex.join(args.words)
    if args.path is not None:
        given["file_path"] = args.path
    if not given:
        raise BadRequest("There is nothing to judge.", 'name a command: holdfast guard check "git push --force"')
    if args.tool is None and not args.words:
        raise BadRequest("--path and --input need the tool that is given them.", "add --tool Write, or --tool Read.")
    return args.tool or "Bash", given


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"--input is not JSON: {error}.", "give a JSON object in single quotes.") from error
    if not isinstance(found, dict):
        raise BadRequest("--input takes a JSON object.", """like '{"file_path": "x.md"}'.""")
    return found


def _policy(app: App, out: Output) -> int:
    found = read_active_policy(app)
    if out.as_json:
        out.json(_policy_json(found))
    for rule in found.policy.rules.values():
        out.line(f"{rule.action:<5}  {rule.name:<22}  {'yours' if rule.users else 'default'}")
        out.cut(f"         {rule.reason}")
    for rule in found.policy.own:
        out.line(f"{rule.action:<5}  {rule.name:<22}  yours, of your own making")
        for key in ("commands", "reads", "writes", "tools"):
            if globs := getattr(rule, key):
                out.cut(f"         {key}: {', '.join(globs)}")
    for name, globs in (("commands", found.policy.commands), ("paths", found.policy.paths)):
        if globs:
            out.cut(f"except {name}: {', '.join(globs)}")
    out.line(f"Your file: {found.path}" + ("" if found.exists else " (not there: the default alone counts)"))
    return 0


def _policy_json(found: ActiveGuardPolicy) -> dict[str, Any]:
    def form(rule: Any) -> dict[str, Any]:
        fields = as_dict(rule)
        return {"from": found.path if fields.pop("users") else "default", **fields}

    return {
        "path": found.path,
        "exists": found.exists,
        "rules": [form(rule) for rule in found.policy.rules.values()],
        "own": [form(rule) for rule in found.policy.own],
        "except": {"commands": list(found.policy.commands), "paths": list(found.policy.paths)},
        "tests": {"default": found.tests, "yours": found.own_tests},
    }


def _test(app: App, out: Output) -> int:
    tested = run_tests(app)
    failed = sum(len(each.failed) for each in tested)
    if out.as_json:
        out.json({"ok": not failed, "files": [_tested_json(each) for each in tested]})
    for each in tested:
        for outcome in each.failed:
            test, got = outcome.test, outcome.got
            wanted = f"{test.expect} ({test.rule})" if test.rule else test.expect
            said = f"{got.action} ({got.rule}: {got.reason})" if got.rule else got.action
            out.line(f"failed  {each.path or 'default'}:{test.line}  {test.what}")
            out.line(f"        expected {wanted}, got {said}")
    default, own = (len(each.outcomes) for each in tested)
    out.line(f"{format_count(default, 'test')} of the default policy, {own} of yours: "
             + (f"{failed} failed." if failed else "all as expected."))  # fmt: skip
    return 1 if failed else 0


def _tested_json(tested: PolicyTestRun) -> dict[str, Any]:
    failed = [
        {
            "line": outcome.test.line, "tool": outcome.test.tool, "input": outcome.test.given,
            "expect": outcome.test.expect, "rule": outcome.test.rule, "got": as_dict(outcome.got),
        }
        for outcome in tested.failed
    ]  # fmt: skip
    return {"file": tested.path or "default", "tests": len(tested.outcomes), "failed": failed}
