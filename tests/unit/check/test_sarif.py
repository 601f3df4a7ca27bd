"""SARIF 2.1.0. Its schema is in no package that we may take it from, so its rules on what we write stand here."""

import re
from typing import Any

from holdfast.check.sarif import to_sarif
from holdfast.core.finding import Checked, Finding, Severity
from holdfast.core.memory import Problem

ERROR = Finding(
    memory="DEC-7K2MQ4", severity=Severity.ERROR, rule="forbid_dependency", reason="forbids the dependency 'urwid'",
    title="Use Textual", path="my app/pyproject.toml", line=12, what="urwid",
)  # fmt: skip
WARNING = Finding(
    memory="INV-1", severity=Severity.WARNING, rule="invariant", reason="says 'Never log tokens'", confidence=0.63
)
LEVELS = {"none", "note", "warning", "error"}


def checked(*findings: Finding, **more: Any) -> Any:
    document = to_sarif(Checked(findings=findings, **more), "0.1.0")
    assert_sarif(document)
    return document


def assert_sarif(document: Any) -> None:
    """What section 3 of SARIF 2.1.0 requires of the objects that we write: keys, types, ranges, references."""
    assert set(document) <= {"$schema", "version", "runs", "inlineExternalProperties", "properties"}
    assert document["version"] == "2.1.0"
    assert re.fullmatch(r"https://\S+", document["$schema"])
    for run in document["runs"]:
        assert set(run) <= {"tool", "invocations", "results", "columnKind", "originalUriBaseIds"}
        assert run["columnKind"] in {"utf16CodeUnits", "unicodeCodePoints"}
        driver = run["tool"]["driver"]
        assert driver["name"]
        assert re.fullmatch(r"\d+\.\d+\.\d+\S*", driver["semanticVersion"])
        for rule in driver["rules"]:
            _rule(rule)
        assert len({rule["id"] for rule in driver["rules"]}) == len(driver["rules"])
        for result in run["results"]:
            _result(result, driver["rules"])
        for invocation in run["invocations"]:
            assert isinstance(invocation["executionSuccessful"], bool)
            for note in invocation.get("toolExecutionNotifications", ()):
                _message(note["message"])
                assert note["level"] in LEVELS
                assert note["descriptor"]["id"]
                for location in note["locations"]:
                    _location(location)


def _rule(rule: Any) -> None:
    assert set(rule) <= {"id", "name", "shortDescription", "help", "defaultConfiguration", "properties"}
    assert rule["id"]
    _message(rule["shortDescription"])
    _message(rule["help"])
    assert rule["defaultConfiguration"]["level"] in LEVELS
    tags = rule["properties"]["tags"]
    assert len(set(tags)) == len(tags)


def _result(result: Any, rules: Any) -> None:
    assert set(result) <= {
        "ruleId", "ruleIndex", "level", "message", "rank", "locations", "partialFingerprints", "properties",
    }  # fmt: skip
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert result["level"] in LEVELS
    assert 0 <= result["rank"] <= 100
    _message(result["message"])
    for location in result.get("locations", ()):
        _location(location)
    assert all(isinstance(value, str) for value in result.get("partialFingerprints", {}).values())


def _message(message: Any) -> None:
    assert set(message) <= {"text", "markdown", "id", "arguments"}
    assert isinstance(message["text"], str)
    assert message["text"]


def _location(location: Any) -> None:
    place = location["physicalLocation"]
    uri = place["artifactLocation"]["uri"]
    assert re.fullmatch(r"[\w.~!$&'()*+,;=:@/%-]+", uri, re.ASCII)
    assert not uri.startswith("/")
    assert place.get("region", {"startLine": 1})["startLine"] >= 1


def test_a_finding_names_its_memory_place_and_ways_out() -> None:
    [run] = checked(ERROR, WARNING, ERROR)["runs"]
    first, second, _ = run["results"]

    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["DEC-7K2MQ4", "INV-1"]
    assert first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "my%20app/pyproject.toml"
    assert first["locations"][0]["physicalLocation"]["region"] == {"startLine": 12}
    assert (first["level"], first["rank"]) == ("error", 100.0)
    assert (second["level"], second["rank"]) == ("warning", 63.0)
    assert second["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == ".holdfast/memory"
    assert any(way.startswith("narrow:") for way in first["properties"]["resolve"])


def test_what_could_not_be_read_is_a_notification() -> None:
    [run] = checked(
        unread=(Problem(path="a.py", line=3, reason="no Python"),), problems=(Problem(path="", reason="x"),)
    )["runs"]

    notes = run["invocations"][0]["toolExecutionNotifications"]
    assert [note["descriptor"]["id"] for note in notes] == ["unread", "enforce"]
    assert notes[0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 3


def test_odd_paths_stay_addresses() -> None:
    odd = Finding(memory="D", severity=Severity.ERROR, rule="r", reason="x", path="a\n\udcff?#é.py")

    checked(odd)


def test_nothing_found_is_a_run_without_results() -> None:
    assert checked()["runs"][0]["results"] == []
