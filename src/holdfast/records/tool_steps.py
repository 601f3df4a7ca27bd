"""A tool call as the records see it: what it touched, whether it was a check, and how it went."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from holdfast.core.tool_text import text_of
from holdfast.core.value import Value
from holdfast.core.word_lists import split_phrases, word_set
from holdfast.guard.path_kinds import is_within
from holdfast.guard.risks import survey_call

LONGEST_OUTPUT = 1500
LONGEST_COMMAND = 300
# How far from either end of an output a line may stand that tells its status.
_ENDS = 4000

# What a check is, by program and (where it has some) the words that make it one.
_CHECKS: dict[str, tuple[str, str]] = {
    "pytest": ("test", ""), "tox": ("test", ""), "nox": ("test", ""), "jest": ("test", ""), "vitest": ("test", ""),
    "mocha": ("test", ""), "phpunit": ("test", ""), "rspec": ("test", ""), "ctest": ("test", ""), "ava": ("test", ""),
    "playwright": ("test", "test"), "unittest": ("test", ""), "cargo": ("test", "test nextest"),
    "go": ("test", "test"), "dotnet": ("test", "test"), "bazel": ("test", "test"), "mix": ("test", "test"),
    "swift": ("test", "test"), "flutter": ("test", "test"), "rake": ("test", "test spec"), "deno": ("test", "test"),
    "tsc": ("types", ""), "mypy": ("types", ""), "pyright": ("types", ""), "basedpyright": ("types", ""),
    "ruff": ("lint", "check"), "eslint": ("lint", ""), "flake8": ("lint", ""), "pylint": ("lint", ""),
    "clippy": ("lint", ""), "golangci-lint": ("lint", ""), "shellcheck": ("lint", ""), "prettier": ("lint", "--check"),
}  # fmt: skip
_ALSO: dict[str, tuple[str, str]] = {
    "cargo": ("build", "build check clippy"), "go": ("build", "build vet"), "dotnet": ("build", "build"),
    "swift": ("build", "build"), "bazel": ("build", "build"),
}  # fmt: skip
_RUNNERS = word_set("npm yarn pnpm bun make just task mvn gradle gradlew mvnw invoke hatch composer ./do do deno rake")
_STARTERS = word_set("docker docker-compose podman bundle php poetry uv pipenv npx yarn pnpm npm bunx hatch nix devbox")
# These clients tell a failed command by the event itself.
_SAY_SO = frozenset({"claude-code", "claude-like", "vscode"})
_KINDS = {
    "test": word_set("test tests spec check verify unittest e2e integration ci"),
    "build": word_set("build compile package assemble typecheck"),
    "lint": word_set("lint format fmt style"),
}
_WEB = split_phrases("webfetch|websearch|web_fetch|web_search|google_web_search|fetch_url|browser_navigate")
_EDITS = split_phrases("write|edit|patch|replace|create_file|insert|str_replace")
_FAILED_TEXT = split_phrases(
    "FAILED (|failures=|Tests: |npm ERR!|error: could not compile|error: test failed|make: *** |BUILD FAILED|"
    "Build failed|FAIL\t|--- FAIL|AssertionError|Traceback (most recent call last)|command not found|"
    "error TS|Test Suites: "
)
_TOLD_STATUS = split_phrases("Exit code |Exit Code: |exit status |exited with code |Process exited with code ")


class ToolStep(Value):
    """One tool call of a turn. `kind`: edit, check, web, look, agent or run; `check`: test, build, lint or types."""

    tool: str
    kind: str
    at: str
    event: str
    command: str = ""
    check: str = ""
    files: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    failed: bool = False
    output: str = ""


def step_of(data: Mapping[str, Any], name: str, event: str, at: str, workspace: str, client: str = "") -> ToolStep:
    """What an event after a tool call tells."""
    tool, given = str(data.get("tool", "")), data.get("input")
    seen = survey_call(tool, given, workspace, workspace)
    check = next(filter(None, map(check_kind, [*seen.commands, *_split_commands(command_of(given))])), "")
    output = text_of(data.get("output")) or str(data.get("error", ""))
    failed = name == "tool_failed" or reports_failure(output, check, client, command_of(given))
    inside = [path[len(workspace) + 1 :] for path in seen.writes if is_within(path, workspace) and path != workspace]
    outside = [path for path in seen.writes if not is_within(path, workspace)]
    return ToolStep(
        tool=tool,
        kind=_kind(tool, check=check, wrote=bool(seen.writes), ran=bool(seen.commands)),
        at=at,
        event=event,
        command=command_of(given)[:LONGEST_COMMAND],
        check=check,
        files=tuple(dict.fromkeys(path for path in inside if not path.startswith(".holdfast/"))),
        outside=tuple(dict.fromkeys(outside)),
        failed=failed,
        output=output[-LONGEST_OUTPUT:] if check or failed else "",
    )


def reports_failure(output: str, check: str, client: str, command: str = "") -> bool:
    """Whether an output says that the call failed, of a client whose events do not, or where the status was lost."""
    return (client not in _SAY_SO or bool(check and _hides_status(command))) and says_failure(output, check)


def _hides_status(command: str) -> bool:
    """Whether a check's own exit status is lost: `pytest | tail -5`, `npm test; true`, `pytest || true`."""
    checks = [part for part in _split_commands(command) if check_kind(part)]
    rest = command[command.rfind(checks[-1]) + len(checks[-1]) :].strip().rstrip(";") if checks else ""
    return any(mark in rest for mark in "|;\n")


def check_kind(command: str) -> str:
    """The kind of check a simple command is (test, build, lint, types), or nothing."""
    words = command.split()
    if not words:
        return ""
    name = words[0].rpartition("/")[2] if not words[0].startswith("./do") else "do"
    if name.startswith("python") and words[1:2] == ["-m"]:
        words, name = words[2:], words[2] if len(words) > 2 else ""
    for table in (_CHECKS, _ALSO):
        kind, needs = table.get(name, ("", ""))
        if kind and (not needs or set(needs.split()) & set(words[1:3])):
            return kind
    if name in _STARTERS and (inner := _inner_check(words[1:])):
        return inner
    if name in _RUNNERS:
        asked = [part for word in words[1:4] for part in word.replace(":", " ").replace("-", " ").split()]
        return next((kind for kind, meant in _KINDS.items() if meant & set(asked)), "")
    return ""


def _inner_check(words: list[str]) -> str:
    """The check that a program starts which only starts others: `docker compose run app pytest`."""
    for at, word in enumerate(words):
        kind, needs = _CHECKS.get(word.rpartition("/")[2], ("", ""))
        if kind and (not needs or set(needs.split()) & set(words[at + 1 : at + 3])):
            return kind
        if at and word == "test" and words[at - 1] in {"artisan", "run"}:
            return "test"
    return ""


def _split_commands(command: str) -> list[str]:
    """The commands of a line as they were typed."""
    flat = command.replace("&&", ";").replace("||", ";").replace("|", ";").replace("\n", ";")
    return [part.strip() for part in flat.split(";") if part.strip()]


def command_of(given: object) -> str:
    """The command line in a tool's input, or nothing."""
    if isinstance(given, Mapping):
        given = given.get("command", given.get("cmd", ""))
    if isinstance(given, list):
        return " ".join(map(str, given))
    return given if isinstance(given, str) else ""


def is_web_tool(tool: str) -> bool:
    """Whether a tool looks something up on the web."""
    return tool.lower().rpartition("__")[2] in _WEB


def _kind(tool: str, *, check: str, wrote: bool, ran: bool) -> str:
    if check:
        return "check"
    if is_web_tool(tool):
        return "web"
    if wrote and (not ran or any(word in tool.lower() for word in _EDITS)):
        return "edit"
    return "edit" if wrote else "run" if ran else "look"


def says_failure(output: str, check: str) -> bool:
    """Whether the output says so: an exit status that is not 0 or, of a check, the words that runners use."""
    for line in (*output[:_ENDS].splitlines()[:3], *output[-_ENDS:].splitlines()[-3:]):
        mark = next((mark for mark in _TOLD_STATUS if line.lstrip().startswith(mark)), "")
        digits = line.lstrip()[len(mark) :].split(" ")[0].rstrip(").,") if mark else ""
        if digits.isdigit():
            return digits != "0"
    if not check:
        return False
    tail = output[-4000:]
    return any(_tail_tells(tail, mark) for mark in _FAILED_TEXT) or _counts_failures(tail)


def _tail_tells(tail: str, mark: str) -> bool:
    if mark in ("Tests: ", "Test Suites: "):
        return any("failed" in line for line in tail.splitlines() if line.lstrip().startswith(mark.strip()))
    return mark in tail


def _counts_failures(tail: str) -> bool:
    """ "3 failed, 10 passed", "2 failures", "1 error": a number before the word, and not 0."""
    words = tail.replace(",", " ").replace("=", " ").split()
    return any(
        after in {"failed", "failed;", "failures", "failure", "errors", "error"} and before.isdigit() and before != "0"
        for before, after in pairwise(words)
    )


def files_of(steps: Iterable[ToolStep]) -> tuple[str, ...]:
    """The files of the workspace that some steps changed, in order."""
    return tuple(dict.fromkeys(path for step in steps for path in step.files if not step.failed))
