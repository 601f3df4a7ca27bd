"""Memories that other tools keep as Markdown."""

from pathlib import Path

from tests.unit.importers.reading import put, read

from holdfast.core.memory import MemoryType, SaidBy
from holdfast.importers.agentplane import AGENTPLANE
from holdfast.importers.agents_md import AGENTS_MD
from holdfast.importers.basic_memory import BASIC_MEMORY
from holdfast.importers.claude_code_memory import CLAUDE_MEMORY
from holdfast.importers.codex_memories import CODEX
from holdfast.importers.import_values import ImportLink
from holdfast.importers.omoios import OMOIOS
from holdfast.importers.pai import PAI

GUIDE = """\
# Guide

@docs/more.md

## Testing

- Always run the linter before you commit.
- Use fixtures of conftest instead of your own.
- Steps:
  - Never skip the slow tests on main.
- The CI machine has two cores.
- [ ] write more

```bash
make never   # code is no rule
```

We must not push to main. It is late.

The weather is fine.

<!-- holdfast:begin v1 -->
- Never read this again, it is ours.
<!-- holdfast:end -->

## Project structure

- src/app holds the code of the app
"""


def test_each_rule_of_an_instruction_file_is_a_candidate(tmp_path: Path) -> None:
    taken, rejected = read(AGENTS_MD, put(tmp_path, {"AGENTS.md": GUIDE}))

    assert {each.memory.title: each.memory.type for each in taken} == {
        "Always run the linter before you commit": MemoryType.INVARIANT,
        "Use fixtures of conftest instead of your own": MemoryType.PATTERN,
        "Never skip the slow tests on main": MemoryType.INVARIANT,
        "The CI machine has two cores": MemoryType.LEARNING,
        "We must not push to main": MemoryType.INVARIANT,
        "Commands: Testing": MemoryType.LEARNING,
    }
    assert [(each.place, each.reason) for each in rejected] == [
        ("src/AGENTS.md:3", "names another file: import that one by itself"),
        ("src/AGENTS.md:20", "prose that lays nothing down"),
        ("src/AGENTS.md:12", "a task box, no rule"),
        ("src/AGENTS.md:28", "tells where things are, not what holds"),
    ]
    assert {each.memory.said_by for each in taken} == {SaidBy.TOOL}


def test_a_rule_for_some_paths_keeps_them(tmp_path: Path) -> None:
    text = "---\nglobs: src/**/*.ts, web/**\nalwaysApply: false\n---\n- Use named exports in every module.\n"

    (made,), _ = read(AGENTS_MD, put(tmp_path, {".cursor/rules/ts.mdc": text}) + "/.cursor/rules")

    assert made.memory.paths == ("src/**/*.ts", "web/**")


TOPIC = """\
---
name: feedback-testing
description: Integration tests hit a real database
metadata:
  node_type: memory
  type: feedback
  originSessionId: 11111111-2222
---
Integration tests must hit a real database.
**Why:** mocks passed while the migration broke.
See [[project-release]].
"""
PROJECT = (
    "---\nname: project-release\ndescription: Release freeze on 5 March\ntype: project\n---\nFreeze begins 5 March.\n"
)
INDEX = """\
- [Testing](feedback_testing.md) - real database
- [Gone](gone.md)
- [Old](old.md) - the staging host is called nestor
- Prefer small pull requests over large ones.
- ok
"""


def test_claudes_memory_gives_its_topics_and_what_its_index_says(tmp_path: Path) -> None:
    texts = {"MEMORY.md": INDEX, "feedback_testing.md": TOPIC, "project_release.md": PROJECT}

    taken, rejected = read(CLAUDE_MEMORY, put(tmp_path, texts))

    by_title = {each.memory.title: each for each in taken}
    topic = by_title["Integration tests hit a real database"]
    assert (topic.memory.type, topic.memory.said_by) == (MemoryType.PATTERN, SaidBy.AGENT)
    assert topic.memory.extra["session"] == "11111111-2222"
    assert topic.links == (ImportLink(kind="links_to", to="project-release"),)
    assert "project-release" in by_title["Release freeze on 5 March"].names
    assert {"Old: the staging host is called nestor", "Prefer small pull requests over large ones"} <= set(by_title)
    assert [(each.place, each.reason) for each in rejected] == [
        ("src/MEMORY.md:2", "points to 'gone.md', which is not there"),
        ("src/MEMORY.md:5", "too few words to stand by itself"),
    ]
    assert CLAUDE_MEMORY.detect(str(tmp_path)) > 0.9


RAW = """\
# Raw Memories

Merged stage-1 raw memories (stable ascending thread-id order):

## Thread `019df196-8715-7ab2`
updated_at: 2026-05-04T06:15:48+00:00
cwd: /home/ann/app
rollout_path: /home/ann/.codex/sessions/x.jsonl
rollout_summary_file: x.md

---
description: fixed the build
task_outcome: success
---

### Task 1: fix the build

Preference signals:
- the user said "keep it small" -> prefer small diffs
Reusable knowledge:
- `make check` needs node 20 on the path
Failures and how to do differently:
- Symptom: tests hang. Cause: no fake clock. Fix: use the fixture.
References:
- [1] ran make

## Thread `019df196-9999-7ab2`
updated_at: 2026-05-05T06:15:48+00:00
cwd: /home/ann/other

Reusable knowledge:
- the other project uses bazel for builds
"""


MERGED = """\
# Task Group: app

## Reusable knowledge

- `make check` needs node 20 on the path [Task 1]
"""


def test_codex_memories_are_taken_by_their_sections_and_folder(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        {
            "raw_memories.md": RAW,
            "MEMORY.md": MERGED,
        },
    )

    taken, rejected = read(CODEX, path, workspace="/home/ann/app")

    assert [(each.memory.type, each.memory.body) for each in taken] == [
        (MemoryType.LEARNING, "`make check` needs node 20 on the path"),
        (MemoryType.PATTERN, 'the user said "keep it small" -> prefer small diffs'),
        (MemoryType.FAILURE, "Symptom: tests hang. Cause: no fake clock. Fix: use the fixture."),
    ]
    assert taken[1].memory.extra["session"] == "019df196-8715-7ab2"
    assert taken[1].memory.updated == "2026-05-04T06:15:48Z"
    assert [each.reason for each in rejected] == [
        "stands in this source before",
        "below 'References': what was done, not what holds",
        "of another folder: /home/ann/other",
    ]
    assert CODEX.detect(path) > CLAUDE_MEMORY.detect(path)


NOTE = """\
---
title: Search design
type: note
tags: [search, index]
permalink: specs/search-design
created: 2026-01-02
modified: 2026-02-03T10:00:00Z
---
# Search design

## Observations
- [decision] Use BM25 before vectors #ranking (measured in January)
- [gotcha] Stop words differ per language
- [ ] a task
- [00:12:03] a timestamp
- plain item with #tag words in it

## Relations
- implements [[Search Spec]]
- "depends on" [[Index]] (since v2)
- see also [the web](https://example.org)
"""


def test_basic_memory_gives_observations_and_relations(tmp_path: Path) -> None:
    taken, _ = read(
        BASIC_MEMORY,
        put(tmp_path, {"specs/search-design.md": NOTE, "x.md": "# Just prose\n\nWords that stand alone here.\n"}),
    )

    first = taken[0]
    assert (first.memory.type, first.memory.choice) == (MemoryType.DECISION, "Use BM25 before vectors")
    assert first.memory.body == "Use BM25 before vectors\n\nContext: measured in January"
    assert first.memory.tags == ("ranking", "search", "index")
    assert (first.memory.valid_from, first.memory.updated) == ("2026-01-02", "2026-02-03T10:00:00Z")
    assert set(first.links) == {
        ImportLink(kind="implements", to="Search Spec"),
        ImportLink(kind="depends_on", to="Index"),
    }
    assert {"Search design", "specs/search-design"} <= set(first.names)
    assert [each.memory.title for each in taken] == [
        "Use BM25 before vectors",
        "Stop words differ per language",
        "plain item with words in it",
        "x",
    ]
    assert BASIC_MEMORY.detect(str(tmp_path)) > 0.8


FAILED = "LEARNING/FAILURES/2026-01/2026-01-19-090000_deploy-went-wrong"


def test_pai_gives_learnings_failures_and_decisions_of_work(tmp_path: Path) -> None:
    texts = {
        "LEARNING/SYSTEM/2026-01/2026-01-18-101500_LEARNING_hook.md": "# Crash\n\nThe hook needs bun on the path.\n",
        f"{FAILED}/CONTEXT.md": "# Deploy went wrong\n\nIt broke.\n\n## Root cause\n\nThe tag was missing.\n",
        f"{FAILED}/sentiment.json": "{}",
        "LEARNING/SIGNALS/ratings.jsonl": '{"rating": 3}\n',
        "WORK/20260118_x/PRD.md": "---\ntitle: Hook\n---\n## DECISIONS\n\n- 2026-01-18: Use bun, not node, for hooks\n",
        "WORK/20260118_x/META.yaml": "status: DONE\n",
        "STATE/current-work.json": "{}",
    }

    taken, rejected = read(PAI, put(tmp_path, texts))

    by_type = {each.memory.type: each.memory for each in taken}
    assert by_type[MemoryType.LEARNING].category == "system"
    assert by_type[MemoryType.LEARNING].valid_from == "2026-01-18"
    assert by_type[MemoryType.FAILURE].root_cause == "The tag was missing."
    assert by_type[MemoryType.DECISION].valid_from == "2026-01-18"
    assert len(taken) == 3
    assert len(rejected) == 4
    assert PAI.detect(str(tmp_path)) > 0.9


ENTRIES = """\
---
id: DEC-001
type: decision
status: accepted
tags: [ui, tui]
source: run-2026-01-27-3
updated: 2026-01-27
---
Decision: Use Textual for the MVP TUI.
Rationale: Fast iteration and team familiarity.

---
id: DEC-002
type: decision
supersedes: [DEC-001]
updated: 2026-02-01
enforce:
  forbid_dependency: [textual]
---
Decision: Use plain prompts.

---
id: DEC-003
type: nonsense
---
Broken.
"""


def test_agentplane_entries_come_as_they_are_but_wait(tmp_path: Path) -> None:
    path = put(tmp_path / ".agentplane", {"memory/decisions.md": ENTRIES, "runs/1/summary.md": "# done\n"})

    taken, rejected = read(AGENTPLANE, path)

    first, second = taken
    assert (first.memory.title, first.memory.choice) == ("Use Textual for the MVP TUI.", "Use Textual for the MVP TUI.")
    assert (first.memory.valid_from, first.memory.tags) == ("2026-01-27", ("ui", "tui"))
    assert first.memory.extra["source_id"] == "DEC-001"
    assert second.links == (ImportLink(kind="supersedes", to="DEC-001"),)
    assert second.memory.enforce == {}
    assert [each.place for each in rejected] == ["src/memory/decisions.md:24", "src/runs/1/summary.md"]


LONG_TERM = """\
# MEMORY.md

## Project State

- Auth: JWT

## Architecture Decisions Log

| Date | Decision | Rationale |
|------|----------|-----------|
| 2026-02-07 | Keep the PostgreSQL queue | Redis sets would be a downgrade |

## Active Workstreams

**Key insight from analysis:** most of the design describes what exists already.
"""


def test_omoios_gives_the_decisions_table_lessons_and_insights(tmp_path: Path) -> None:
    texts = {
        "MEMORY.md": LONG_TERM,
        "tasks/lessons.md": "# Lessons\n\n- Never edit generated files by hand.\n",
        "tasks/todo.md": "- [ ] x\n",
        "memory/2026-02-08.md": "## Done\n\n- it\n\n## Failed\n\n- The preview broke because the token was old\n",
    }

    taken, rejected = read(OMOIOS, put(tmp_path, texts))

    assert [(each.memory.type, each.memory.title) for each in taken] == [
        (MemoryType.DECISION, "Keep the PostgreSQL queue"),
        (MemoryType.LEARNING, "most of the design describes what exists already"),
        (MemoryType.INVARIANT, "Never edit generated files by hand"),
        (MemoryType.FAILURE, "The preview broke because the token was old"),
    ]
    assert taken[0].memory.valid_from == "2026-02-07"
    assert taken[3].memory.valid_from == "2026-02-08"
    assert any("'Done' tells where things stand" in each.reason for each in rejected)
    assert OMOIOS.detect(str(tmp_path)) > CLAUDE_MEMORY.detect(str(tmp_path))
