"""Findings as SARIF 2.1.0, which code hosts show beside the lines."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from holdfast.core.finding import Checked, Finding
from holdfast.core.memory import Problem

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
MEMORY = ".holdfast/memory"
COULD_NOT_READ = "could not be read, so nothing can be said of it"


def to_sarif(checked: Checked, version: str) -> dict[str, Any]:
    """One run. A rule is a memory; what could not be read is a notification of the invocation."""
    ids = list(dict.fromkeys(found.memory for found in checked.findings))
    rules = [_rule(next(found for found in checked.findings if found.memory == each)) for each in ids]
    results = [_result(found, ids.index(found.memory)) for found in checked.findings]
    invocation: dict[str, Any] = {"executionSuccessful": True}
    if notes := [*_notes(checked.unread, "unread", f"{COULD_NOT_READ}: "), *_notes(checked.problems, "enforce")]:
        invocation["toolExecutionNotifications"] = notes
    driver = {"name": "holdfast", "version": version, "semanticVersion": version, "rules": rules}
    run = {"tool": {"driver": driver}, "invocations": [invocation], "columnKind": "utf16CodeUnits", "results": results}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(found: Finding) -> dict[str, Any]:
    text = found.title or found.memory
    return {
        "id": found.memory,
        "name": found.memory.replace("-", ""),
        "shortDescription": {"text": text},
        "help": {"text": f"{text}\n" + "\n".join(found.resolve)},
        "defaultConfiguration": {"level": str(found.severity)},
        "properties": {"tags": ["holdfast", found.rule]},
    }


def _result(found: Finding, index: int) -> dict[str, Any]:
    made: dict[str, Any] = {
        "ruleId": found.memory,
        "ruleIndex": index,
        "level": str(found.severity),
        "message": {"text": f"{found.memory} {found.reason}. {found.title}".strip()},
        "rank": round(found.confidence * 100, 1),
        "properties": {"rule": found.rule, "what": found.what, "resolve": list(found.resolve)},
    }
    # What has no place of its own (a path that is required) stands with memory: uploads want one for each result.
    made["locations"] = [_location(found.path, found.line) if found.path else _location(MEMORY, None)]
    if found.path:
        made["partialFingerprints"] = {"holdfast/v1": f"{found.memory}:{found.rule}:{found.path}:{found.what}"}
    return made


def _location(path: str, line: int | None) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(path, errors="surrogateescape"), "uriBaseId": ROOT}}
    if line:
        place["region"] = {"startLine": line}
    return {"physicalLocation": place}


def _notes(problems: Iterable[Problem], name: str, before: str = "") -> list[dict[str, Any]]:
    return [
        {
            "level": "warning",
            "message": {"text": f"{before}{problem.reason}"},
            "descriptor": {"id": name},
            "locations": [_location(problem.path, problem.line)] if problem.path else [],
        }
        for problem in problems
    ]
