"""The shim for OpenCode, driven by recorded events of a real OpenCode, under Node."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from holdfast.clients.payload import detect_client, normalise_payload

ROOT = Path(__file__).parents[3]
EVENTS = ROOT / "tests" / "data" / "clients" / "opencode-events.jsonl"
DRIVER = """
import { readFileSync } from "node:fs"
const { Holdfast } = await import(process.argv[2])
const lines = readFileSync(process.argv[3], "utf8").trim().split("\\n").map((line) => JSON.parse(line))
const hooks = await Holdfast({ directory: "/home/dev/proj" })
const seen = { system: [], parts: [], output: [], compacting: [] }
for (const { k, v } of lines) {
  if (k === "event") await hooks.event({ event: v })
  else if (k === "system.transform") {
    const output = { system: [] }
    await hooks["experimental.chat.system.transform"](v.i ?? v, output)
    seen.system.push(...output.system)
  } else if (k === "session.compacting") {
    const output = { context: [] }
    await hooks["experimental.session.compacting"](v, output)
    seen.compacting.push(...output.context)
  } else if (hooks[k]) {
    await hooks[k](v.i, v.o)
    if (k === "chat.message") seen.parts.push(...v.o.parts)
    if (k === "tool.execute.after") seen.output.push(v.o.output)
  }
}
await hooks.dispose()
console.log(JSON.stringify(seen))
"""
HOOK = f"""#!{sys.executable}
import json, sys
payload = json.load(sys.stdin)
with open(__file__ + ".log", "a") as log:
    log.write(json.dumps(payload) + "\\n")
if payload["event"] in ("session_start", "prompt", "after_tool", "before_compact"):
    print(json.dumps({{"context": "MEMORY " + payload["event"]}}))
"""
SESSION = "ses_e21f56852ffeS4zCkTD0ruJsUq"

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node is needed to run the shim")


def replay(folder: Path, lines: list[dict[str, Any]], hook: str = HOOK) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What the shim did with events: to OpenCode, and to the hook."""
    home = folder / "home"
    (home / "bin").mkdir(parents=True)
    if hook:
        (home / "bin" / "hook").write_text(hook)
        (home / "bin" / "hook").chmod(0o755)
    (folder / "shim.mjs").write_bytes((ROOT / "integrations" / "opencode" / "holdfast.js").read_bytes())
    (folder / "driver.mjs").write_text(DRIVER)
    (folder / "events").write_text("".join(json.dumps(line) + "\n" for line in lines))
    ran = subprocess.run(
        ["node", str(folder / "driver.mjs"), str(folder / "shim.mjs"), str(folder / "events")],
        capture_output=True,
        text=True,
        check=True,
        env={"HOLDFAST_HOME": str(home), "PATH": "/usr/bin:/bin", "HOME": str(folder)},
    )
    log = home / "bin" / "hook.log"
    told = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    return json.loads(ran.stdout), told


def recorded() -> list[dict[str, Any]]:
    return [json.loads(line) for line in EVENTS.read_text().splitlines()]


def test_a_recorded_session_reaches_the_hook_in_order(tmp_path: Path) -> None:
    _, told = replay(tmp_path, recorded())

    events = [normalise_payload(detect_client(each, {}), each) for each in told]
    assert [each["name"] for each in events if each] == [
        "session_start", "prompt", "before_tool", "after_tool", "answer", "session_end",
    ]  # fmt: skip
    assert {each["session"] for each in events if each} == {SESSION}
    _, prompt, before, after, answer, end = [each for each in events if each]
    assert prompt["data"]["prompt"] == '"say hi"'
    assert before["data"]["input"] == after["data"]["input"]
    assert answer["data"]["answer"].startswith("All done")
    assert {prompt["data"]["turn"]} == {each["data"]["turn"] for each in (before, after, answer)}
    assert end["data"]["reason"] == "exit"
    assert all(each["cwd"] == "/home/dev/proj" for each in events if each)


def test_the_hooks_words_reach_the_model(tmp_path: Path) -> None:
    seen, _ = replay(tmp_path, [*recorded(), {"k": "session.compacting", "v": {"sessionID": SESSION}}])

    assert set(seen["system"]) == {"MEMORY session_start"}
    assert (seen["parts"][0]["text"], seen["parts"][0]["synthetic"]) == ("MEMORY prompt", True)
    assert seen["parts"][0]["id"].startswith("prt_")
    assert seen["output"][0].endswith("\n\nMEMORY after_tool")
    assert seen["compacting"] == ["MEMORY before_compact"]


@pytest.mark.parametrize("hook", ["", "#!/bin/sh\nexit 3\n", "#!/bin/sh\necho no json\n"])
def test_a_broken_hook_changes_nothing(tmp_path: Path, hook: str) -> None:
    seen, _ = replay(tmp_path, recorded(), hook)

    assert seen["system"] == []
    assert [part.get("synthetic") for part in seen["parts"]] == [None]


def test_a_session_of_a_subagent_is_not_taken_for_the_user(tmp_path: Path) -> None:
    lines = recorded()
    lines[1]["v"]["properties"]["info"]["parentID"] = "ses_parent"

    _, told = replay(tmp_path, lines)

    assert [each["event"] for each in told] == [
        "subagent_start", "subagent_prompt", "before_tool", "after_tool", "subagent_stop",
    ]  # fmt: skip


def test_a_session_taken_up_again_says_so(tmp_path: Path) -> None:
    _, told = replay(tmp_path, [line for line in recorded() if line["v"].get("type") != "session.created"])

    assert (told[0]["event"], told[0]["source"]) == ("session_start", "resume")


def test_failed_tools_compaction_and_deletion_are_told(tmp_path: Path) -> None:
    state = {"status": "error", "input": {"a": 1}, "error": "no such file"}
    part = {"id": "prt_1de0a9d07001Xas9jjs3dRM32L", "type": "tool", "tool": "read", "callID": "c", "state": state}
    failed = {"type": "message.part.updated", "properties": {"sessionID": SESSION, "part": part}}
    lines = [
        {"k": "event", "v": each}
        for each in (
            failed,
            failed,
            {"id": "evt_1", "type": "session.compacted", "properties": {"sessionID": SESSION}},
            {"id": "evt_2", "type": "session.deleted", "properties": {"sessionID": SESSION}},
        )
    ]

    _, told = replay(tmp_path, [*recorded()[:3], *lines])

    rest = [(each["event"], each.get("error") or each.get("source") or each.get("reason")) for each in told[2:]]
    assert rest == [
        ("tool_failed", "no such file"),
        ("after_compact", None),
        ("session_start", "compact"),
        ("session_end", "deleted"),
    ]
