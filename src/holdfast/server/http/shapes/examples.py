"""An example of every body and answer, by the name of its shape: part of OpenAPI."""

from collections.abc import Mapping
from typing import Any

_SUM = "9f2c" * 16
_TURN = "01K9ZB7T3N5V8Q2X4C6M0R1S2T"
_SESSION = "d489281d-5a3b-4c1e-9c55-0e5c2f1b7a90"
_RUN = "2026-11-15-092200_add-a-cache"
_AT = "2026-11-15T09:22:14Z"
_MEMORY: dict[str, Any] = {
    "id": "DEC-7K2MQ4", "type": "decision", "status": "accepted", "title": "Use SQLite for storage",
    "body": "Use SQLite for storage.\n\nRationale: one writer is enough.", "category": "storage", "tags": ["storage"],
    "paths": ["src/store/**"], "question": "Which database?", "choice": "SQLite", "rationale": "one writer is enough.",
    "rejected": [{"option": "Postgres", "reason": "needs a server"}], "enforce": {}, "description": "", "errorType": "",
    "errorMessage": "", "rootCause": "", "context": "", "attempts": None, "fact": "", "confidence": 0.9,
    "saidBy": "user", "evidence": [{"event": _TURN, "quote": "Use SQLite for storage."}],
    "cites": [{
        "path": "src/store/db.py", "lines": "10-24", "sha256": _SUM, "state": "same", "nowPath": "", "nowLines": "",
        "words": "",
    }],
    "supersedes": ["DEC-0A1B2C"], "supersededBy": None, "validFrom": "2026-11-15", "validUntil": "", "source": _SESSION,
    "updated": _AT, "timestamp": _AT, "because": "", "extra": {}, "scope": "workspace",
    "path": ".holdfast/memory/decisions/DEC-7K2MQ4-use-sqlite-for-storage.md", "line": 1, "sha256": _SUM,
}  # fmt: skip
_CANDIDATE = {**_MEMORY, "id": "CAND-7K2MQ4", "status": "candidate", "supersedes": [], "cites": []}
_ROW = {
    "id": "DEC-7K2MQ4", "type": "decision", "status": "accepted", "title": "Use SQLite for storage",
    "category": "storage", "tags": ["storage"], "paths": ["src/store/**"], "scope": "workspace", "confidence": 0.9,
    "attempts": None, "validFrom": "2026-11-15", "validUntil": "", "updated": _AT, "supersededBy": None, "uses": 4,
}  # fmt: skip
_RELATION = {
    "id": "DEC-0A1B2C", "relation": "contradicts", "reason": "takes 'SQLite', which the other turned down (one writer)",
    "sure": 0.95, "rule": "chosen and rejected", "title": "Use Postgres for storage", "status": "accepted",
    "text": "SQLite: one writer", "ownText": "Use SQLite for storage",
}  # fmt: skip
_QUOTED = {
    "event": _TURN, "quote": "Use SQLite for storage.", "session": _SESSION, "client": "claude-code",
    "turns": [{
        "id": _TURN, "kind": "prompt", "ts": _AT, "parent": "", "agent": "", "text": "Use SQLite for storage.",
        "tool": "", "call": "", "input": {}, "output": "", "failed": False, "model": "", "foreign": False, "extra": {},
    }],
    "at": _TURN, "missing": "",
}  # fmt: skip
_IN_QUEUE = {
    **_CANDIDATE, "conflicts": [_RELATION], "blocked": True, "looked": True, "turnedDownBefore": None,
    "session": _SESSION, "client": "claude-code",
}  # fmt: skip
_LISTED = {
    "title": "Use SQLite for storage", "status": "accepted", "scope": "workspace", "tags": ["storage"],
    "paths": ["src/store/**"], "timestamp": _AT,
}  # fmt: skip
_RUN_ROW = {
    "runId": _RUN, "goal": "Add a cache to the API", "status": "running", "startedAt": _AT, "completedAt": None,
    "tasksCompleted": 1, "tasks": 3, "model": "anthropic:claude", "trust": "workspace", "here": True,
}  # fmt: skip
_EDIT = {
    "at": _AT, "what": "edit", "run": _RUN, "session": _SESSION, "client": "claude-code", "tool": "Edit",
    "asked": "Add a cache to the API", "event": _TURN, "model": "claude", "task": "t1",
    "goal": "Add a cache to the API",
}  # fmt: skip
_ARTIFACT = {
    "artifactId": "src/api/cache.py", "path": "src/api/cache.py", "createdBy": "claude-code", "goalId": _RUN,
    "model": "claude", "edits": [_EDIT],
}  # fmt: skip
_SESSION_ROW = {
    "id": _SESSION, "client": "claude-code", "started": _AT, "last": _AT, "turns": 6,
    "title": "A place to store sessions", "branches": 1, "injectedTokens": 640,
}  # fmt: skip
_TOTAL = {
    "requests": 3, "remembered": 1, "failed": 0, "input": 4200, "output": 310, "cached": 0, "cost": 0.02, "unpriced": 0,
}  # fmt: skip
_FINDING = {
    "id": "stale-DEC-7K2MQ4", "kind": "stale", "rule": "cites changed code", "ids": ["DEC-7K2MQ4"],
    "reason": "the code it cites changed", "sure": 0.8, "default": "deprecate", "hints": [],
    "titles": {"DEC-7K2MQ4": "Use SQLite for storage"}, "ways": [{"way": "deprecate"}],
}  # fmt: skip
_CLIENT = {
    "id": "claude-code", "title": "Claude Code", "found": True, "installed": True, "complete": True, "trusted": None,
    "lastEvent": _AT, "eventsToday": 42, "failuresToday": 0, "used": "", "silent": False, "hooks": True,
}  # fmt: skip

_INJECTED = {
    "id": "DEC-7K2MQ4", "now": "DEC-7K2MQ4", "title": "Use SQLite for storage", "type": "decision",
    "status": "accepted", "why": "relevant 0.93", "tokens": 21, "cameOfIt": "used: SQLite", "marked": "",
    "wrong": False, "always": False, "irrelevant": 0,
}  # fmt: skip

EXAMPLES: Mapping[str, Any] = {
    # The server and its workspaces
    "ServerHealthView": {"status": "ok", "version": "0.9.0", "started": _AT, "workspaces": 2},
    "LinkKeyBody": {"key": "q3J8…"},
    "CallerView": {"name": "owner", "rights": ["read", "review", "run"]},
    "PageSessionView": {"token": "hfst_…", "name": "owner", "rights": ["read", "review", "run"]},
    "TicketView": {"ticket": "Zk4x…", "expires": _AT},
    "TokenRow": {"name": "ci", "rights": ["read"], "created": _AT, "lastUsed": ""},
    "WorkspaceRow": {
        "id": "8202b16e3840d124", "path": "/home/you/shop", "name": "shop", "there": True, "allowed": True,
        "open": True, "activeRun": None, "waiting": 3,
    },
    "NewWorkspaceBody": {"path": "/home/you/shop", "init": True},
    # The project
    "ProjectContextView": {
        "path": "/home/you/shop", "name": "shop", "type": "python", "framework": "fastapi",
        "parts": [{"folder": "", "kind": "python", "framework": "fastapi"}],
        "keyFiles": [{"path": "README.md", "text": "# Shop"}], "entryPoints": ["src/app.py"],
        "tree": "src/\n  app.py", "notes": [],
    },
    "BriefingView": {
        "mission": "Add a cache to the API", "status": "in_progress", "progress": "The cache works, its tests do not.",
        "hazards": ["A pool of one connection deadlocks"], "hotFiles": ["src/api/cache.py"], "predictedSkills": [],
        "nextAction": "Run the tests", "session": _SESSION, "at": _AT, "fresh": True,
    },
    "MemoryCountsView": {
        "learningCount": 12, "decisionCount": 7, "failureCount": 2, "teamDecisionCount": 0, "patternCount": 3,
        "assumptionCount": 1, "invariantCount": 4, "candidateCount": 3, "userCount": 2, "supersededCount": 1,
        "conflictCount": 0, "allowed": True, "badge": "3 to review", "lastEvent": _AT, "restart": [],
    },
    # Memory
    "MemoryView": _MEMORY,
    "MemoryRow": _ROW,
    "DecisionView": {
        **_LISTED, "id": "DEC-7K2MQ4", "category": "storage", "question": "Which database?", "choice": "SQLite",
        "rationale": "one writer is enough.", "rejected": [{"option": "Postgres", "reason": "needs a server"}],
        "supersedes": ["DEC-0A1B2C"], "supersededBy": None, "validFrom": "2026-11-15", "validUntil": "",
    },
    "FailureView": {
        **_LISTED, "id": "FAIL-0A1B2C", "title": "A pool of one connection deadlocks",
        "description": "A pool of one connection deadlocks under load.", "errorType": "TimeoutError",
        "rootCause": "nested transactions", "context": "", "attempts": 3,
    },
    "LearningView": {
        **_LISTED, "id": "LRN-0A1B2C", "title": "Tests need TZ=UTC", "fact": "Tests need TZ=UTC.", "category": "",
        "confidence": 0.7, "source": _SESSION,
    },
    "TeamMemoryView": {"decisions": [], "failures": [], "patterns": []},
    "MemoryDetail": {
        "memory": _MEMORY, "markdown": "---\nid: DEC-7K2MQ4\ntype: decision\n---\nUse SQLite for storage.\n",
        "evidence": [_QUOTED],
        "life": {
            "validFrom": "2026-11-15", "until": "", "holds": True, "why": "", "supersededBy": None,
            "changes": [{
                "what": "added", "when": _AT, "author": "You", "commit": "3f2a91c0de", "subject": "Memory",
                "fields": {},
            }],
            "note": "",
        },
        "use": {
            "sessions": 5, "used": 4, "ignored": 1, "contradicted": 0, "tokens": 210, "avoided": 0, "repeated": 0,
            "last": _AT,
        },
        "relations": [_RELATION], "related": [_ROW], "asOf": None,
    },
    "NewMemoryBody": {"type": "decision", "text": "Use SQLite for storage.", "because": "one writer is enough"},
    "EditMemoryBody": {"sha256": _SUM, "fields": {"title": "SQLite for storage", "tags": ["storage"]}},
    "UndoBody": {"batch": "01M7TK6R43W0DPXQ5YX5891Z8C"},
    "UndoneBatchView": {"id": "01M7TK6R43W0DPXQ5YX5891Z8C", "verb": "accept", "at": _AT, "ids": ["DEC-7K2MQ4"]},
    "LastBatchView": {"id": "01M7TK6R43W0DPXQ5YX5891Z8C", "verb": "accept", "at": _AT, "ids": ["DEC-7K2MQ4"]},
    # Review
    "CandidateView": _IN_QUEUE,
    "CandidateDetail": {
        "candidate": _IN_QUEUE, "evidence": [_QUOTED], "others": [_MEMORY],
        "markdown": "---\nid: CAND-7K2MQ4\ntype: decision\n---\nUse SQLite for storage.\n",
    },
    "AcceptBody": {"answer": {"choice": "supersede"}},
    "RejectBody": {"because": "hearsay"},
    "MergeBody": {"ids": ["CAND-0A1B2C"], "into": "LRN-0A1B2C"},
    "EditCandidateBody": {"sha256": _SUM, "fields": {"title": "SQLite for storage"}},
    "ResolveBody": {"against": "DEC-0A1B2C", "answer": {"choice": "narrow", "paths": ["src/edge/**"]}},
    "BulkReviewBody": {"verb": "accept", "types": ["learning"], "minConfidence": 0.8},
    "ReviewResultView": {
        "accepted": [{"candidate": "CAND-7K2MQ4", "memory": _MEMORY}], "rejected": [], "merged": [],
        "blocked": [{"id": "CAND-0A1B2C", "conflicts": [_RELATION]}], "memory": None,
        "restart": ["Claude Code runs here and does not see the change: start a new session."],
    },
    "ConflictRow": {
        "new": "INV-0A1B2C", "old": "INV-7K2MQ4", "newTitle": "Indent with spaces", "oldTitle": "Indent with tabs",
        "reason": "opposites: space and tab",
    },
    # Finding
    "SearchBody": {"query": "which database", "limit": 10, "types": ["decision"]},
    "SearchResultView": {
        "query": "which database",
        "hits": [{
            "memory": _ROW, "score": 3.9, "weak": False,
            "lanes": {"words": {"rank": 1, "score": 3.9, "why": "body: databas"}},
            "snippet": "Rationale: one writer is enough.", "stale": "", "event": "", "session": "", "kind": "memory",
            "ts": _AT,
        }],
        "searched": {"memories": 29, "lanes": ["words"]},
    },
    "PackBody": {"goal": "add caching with Redis", "path": "src/api/"},
    "PackView": {
        "learnings": [], "facts": [], "teamDecisions": [], "patterns": [],
        "constraints": [{
            "id": "DEC-7K2MQ4", "text": "Use SQLite for storage", "why": "holds for this path", "stale": False,
            "unconfirmed": False, "drift": "",
        }],
        "deadEnds": [], "tokens": 12, "dropped": 0, "prompt": "CONSTRAINTS\n- Use SQLite for storage [DEC-7K2MQ4]",
        "leftOut": [{
            "id": "DEC-0A1B2C", "type": "decision", "title": "Baskets live in Redis",
            "why": "not near enough to the goal",
        }],
    },
    "TimelineItem": {
        "kind": "event", "id": _TURN, "ts": _AT, "title": "prompt: Use SQLite for storage.", "type": "prompt",
        "client": "claude-code", "session": _SESSION,
    },
    "GraphView": {
        "nodes": [{
            "id": "memory:DEC-7K2MQ4", "kind": "memory", "title": "Use SQLite for storage", "type": "decision",
            "status": "accepted", "degree": 1,
        }],
        "edges": [{
            "source": "memory:DEC-7K2MQ4", "target": "memory:DEC-0A1B2C", "kind": "supersedes", "why": "",
        }],
        "more": 0,
    },
    # Runs
    "NewRunBody": {"goal": "Add a cache to the API", "trust": "workspace"},
    "StartedRunView": {"runId": _RUN},
    "RunRow": _RUN_ROW,
    "RunEvent": {"type": "task_start", "data": {"taskId": "t1"}, "ts": _AT, "run": _RUN, "cursor": "e12"},
    "RunDetail": {
        "run": _RUN_ROW, "phase": "execute", "approach": "harmonic", "stance": "", "tasks": [{
            "id": "t1", "description": "Add the cache", "mode": "edit", "targetPath": "src/api/cache.py",
            "dependsOn": [], "produces": ["src/api/cache.py"], "state": "running", "summary": "", "error": "",
            "files": [], "durationMs": 0,
        }],
        "criteria": [], "gates": [], "rejectedPlans": [], "budget": {}, "costUsd": None, "memoryUsed": ["DEC-7K2MQ4"],
        "memoryAdded": [], "files": ["src/api/cache.py"], "approvals": [], "why": "", "canResume": False,
        "canUndo": False,
    },
    "ApprovalBody": {"answer": "yes"},
    "RunDiff": {
        "runId": _RUN, "diff": "--- a/src/api/cache.py\n+++ b/src/api/cache.py\n", "files": ["src/api/cache.py"],
    },
    "UndoRunBody": {"force": False},
    "UndoneRunView": {"runId": _RUN, "restored": ["src/api/cache.py"]},
    "ArtifactView": _ARTIFACT,
    "ArtifactRow": {**_ARTIFACT, "editCount": 1, "last": _AT},
    # Sessions and signals
    "SessionSummaryView": _SESSION_ROW,
    "SessionDetail": {
        "id": _SESSION, "client": "claude-code", "title": "A place to store sessions", "started": _AT, "last": _AT,
        "total": 6, "turns": _QUOTED["turns"], "summary": "", "candidates": ["CAND-7K2MQ4"],
    },
    "SessionInjectionsView": {
        "session": _SESSION, "client": "claude-code", "tokens": 96, "tellings": [{
            "ts": _AT, "at": "prompt", "tokens": 96, "cause": "", "text": "KNOWN FACTS\n- Which database? SQLite "
            "[DEC-7K2MQ4]", "prompt": "Where do sessions live?", "agent": "", "withheld": False,
            "memories": [_INJECTED],
        }],
    },
    "MarkInjectionBody": {"verdict": "irrelevant", "session": _SESSION},
    "InjectionMarkView": {
        "mark": _TURN, "id": "DEC-7K2MQ4", "marked": "not relevant 1×", "wrong": False, "always": False,
        "irrelevant": 1,
    },
    "MemoryStatsView": {
        "since": None, "sessions": 5, "tokens": 2100, "told": 20, "used": 12, "ignored": 7, "contradicted": 1,
        "hitRate": {"value": 0.6, "low": 0.39, "high": 0.78}, "avoided": 1, "repeated": 0,
        "weeks": [{"week": "2026-11-09", "sessions": 5, "tokens": 2100, "told": 20, "used": 12}], "memories": [],
        "holdout": None, "broken": 0,
    },
    "RatingView": {"ts": _AT, "rating": 8, "comment": "found it at once", "session": _SESSION, "source": "person"},
    "NewRatingBody": {"rating": 8, "comment": "found it at once"},
    "SynthesisView": {"period": {"kind": "week", "start": "2026-11-09"}, "path": None, "found": {}},
    "CostView": {
        "days": {"2026-11-15": _TOTAL}, "models": {"anthropic:claude": _TOTAL}, "total": _TOTAL,
        "budget": {"day_usd": 1.0},
    },
    "FileActivityView": {"path": "src/api/cache.py", "changes": 3, "last": _AT, "sessions": [_SESSION]},
    # Records
    "WorkRow": {"name": "add-a-cache", "meta": {"status": "open"}, "isc": {}, "path": ".holdfast/work/add-a-cache"},
    "TodoView": {"id": "1", "text": "Run the tests", "state": "open", "ts": _AT, "by": "user"},
    "NewTodoBody": {"text": "Run the tests"},
    "TodoChangeBody": {"verb": "done"},
    "BufferNoteView": {
        "id": _TURN, "text": "tests need TZ=UTC", "ts": _AT, "kind": "learning", "client": "claude-code",
        "session": _SESSION,
    },
    "LogDay": {"day": "2026-11-15", "lines": [{"at": "09:22", "text": "Added a cache"}], "days": ["2026-11-15"]},
    "RecordPageView": {
        "name": "caches", "head": {"title": "Caches"}, "text": "Redis or memory.",
        "path": ".holdfast/research/caches.md",
    },
    "GuardRow": {
        "ts": _AT, "action": "deny", "rule": "person-only", "why": "accepting memory is a person's",
        "client": "claude-code", "session": _SESSION, "tool": "Bash",
    },
    # Health and settings
    "ClientRow": _CLIENT,
    "WorkspaceHealth": {
        "ok": True, "clients": [_CLIENT], "findings": [], "problems": [],
        "journal": {"records": 420, "segments": 1, "bytes": 180_000, "lastEvent": _AT, "checkedAt": _AT, "ok": True},
        "index": {
            "memories": 29, "candidates": 3, "bytes": 900_000, "version": "12", "embedder": "static", "vectors": 29,
        },
        "disk": [{"part": "journal", "bytes": 180_000, "files": 1}], "freeBytes": 40_000_000_000, "curator": None,
        "conflicts": [], "holding": 29, "uncompared": 0, "failuresToday": 0, "distilWaiting": 0,
    },
    "VerificationView": {"ok": True, "records": 420, "problems": []},
    "CurationView": {
        "health": {"score": 92}, "memories": 29, "counts": {"stale": 1}, "findings": [_FINDING], "total": 1,
        "dismissed": 0,
    },
    "ApplyFindingsBody": {"findings": ["stale-DEC-7K2MQ4:deprecate"]},
    "DismissFindingsBody": {"findings": ["stale-DEC-7K2MQ4"]},
    "AppliedFindingsView": {"done": ["stale-DEC-7K2MQ4"], "left": [], "ids": ["DEC-7K2MQ4"]},
    "ChangeRow": {
        "at": _AT, "what": "accepted", "id": "DEC-7K2MQ4", "title": "Use SQLite for storage", "author": "You",
        "commit": "3f2a91c0de", "type": "decision",
    },
    "SettingRow": {
        "key": "search.limit", "value": 10, "default": 10, "kind": "int", "origin": "default", "source": "default",
        "about": "how many hits `search` shows", "variable": "HOLDFAST_SEARCH_LIMIT", "repository": True, "choices": [],
        "files": [
            {"file": "user", "path": "/home/ann/.holdfast/config.toml", "value": None, "sha256": _SUM, "locked": ""},
        ],
    },
    "NewSettingBody": {"value": "20", "file": "project", "sha256": _SUM},
    # Memory brought together
    "SharedState": {
        "name": "shop", "mark": _SUM,
        "files": [{"path": "memory/decisions/DEC-7K2MQ4.md", "sha256": _SUM, "author": "laptop"}],
    },
    "SharedBytes": {"path": "memory/decisions/DEC-7K2MQ4.md", "sha256": _SUM, "data": "LS0t"},
    "SwapBody": {"path": "memory/decisions/DEC-7K2MQ4.md", "then": "", "data": "LS0t"},
    "SwappedView": {"now": ""},
    "ServedTeam": {"name": "acme", "workspace": "6f8629f9e7849b0a"},
    "FetchBody": {"paths": ["memory/decisions/DEC-7K2MQ4.md"]},
    "FetchedView": {
        "files": [{"path": "memory/decisions/DEC-7K2MQ4.md", "sha256": _SUM, "data": "LS0t"}], "looked": 1,
    },
    "SwapsBody": {"swaps": [{"path": "records/cost/01M7GM8TW99396BRXYSTV1BBB2", "then": "", "data": "e30="}]},
    "AllSwappedView": {"now": [""]},
    "SentEventsBody": {"events": [{
        "client": "claude-code", "name": "prompt", "session": _SESSION, "key": _TURN, "ts": _AT,
        "data": {"prompt": "Use SQLite for storage."},
    }]},
    "TakenEventsView": {"fresh": 1},
    # Forgetting for another machine
    "ForgetBody": {"text": "", "subject": "Jane Doe", "ids": [], "lines": [], "because": "she asked", "dryRun": False},
    "ForgottenView": {
        "memories": ["DEC-7K2MQ4"], "events": 3, "logLines": 1, "records": 1, "files": 120, "size": 480_000,
        "rows": 0, "found": [], "unreachable": [],
    },
    "PurgeMarksBody": {"marks": ["memory:DEC-7K2MQ4", f"file:{_SUM}"]},
    "PurgeMarksView": {"marks": ["memory:DEC-7K2MQ4", f"file:{_SUM}"]},
}  # fmt: skip
