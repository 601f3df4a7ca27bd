"""Workspaces with something in them, made as a user and their clients make them."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.journeys.conftest import Ran, run_in
from tests.journeys.hooking import HOOK
from tests.journeys.moulds import being, cast, environment, set_up
from tests.journeys.test_run import Agent, once, plan_of
from tests.minds import Say, minding
from tests.waiting import LONG

from holdfast import PersistentMemory
from holdfast.app import build_app
from holdfast.core.ids import random_part
from holdfast.core.memory import PREFIXES, Memory, MemoryType, Scope

__all__ = ["Agent", "Project", "being", "copy_of", "doing", "empty_project", "once", "plan_of", "rich_project"]

DATA = Path(__file__).parents[1] / "data"
FILES = {
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1.4"\ndependencies = ["fastapi", "psycopg"]\n',
    "README.md": "# Shop\n\nOrders, baskets and invoices over HTTP.\n",
    "AGENTS.md": "# Rules\n\nRun the tests before a commit.\n",
    "src/shop/api.py": "from fastapi import FastAPI\n\napp = FastAPI()\n\n\n@app.get('/orders')\ndef orders():\n"
    "    return []\n",
    "src/shop/db.py": "POOL = 10\n\n\ndef connect(url):\n    return url\n",
    "src/shop/cache.py": "TTL = 60\n\n\ndef get(key):\n    return None\n",
    "src/shop/upload.py": "def upload(file):\n    return file.read()\n",
    "tests/test_api.py": "def test_orders():\n    assert True\n",
}


class Project:
    """A workspace as a test handles it: the command, its clients' hooks, its files."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder, self.home = folder, home
        self.env = environment(home) | {"NO_COLOR": "1"}
        self.id = build_app(str(folder)).workspace_id
        self._calls = 0

    def __call__(self, *words: str, stdin: str = "", **env: str) -> Ran:
        """`holdfast …` here; it must not fail."""
        done = self.try_(*words, stdin=stdin, **env)
        assert done.status == 0, (words, done.out, done.err)
        return done

    def try_(self, *words: str, stdin: str = "", **env: str) -> Ran:
        """`holdfast …` here, whatever comes."""
        return run_in(self.folder, *words, env=self.env | env, stdin=stdin)

    def keep(self, *words: str) -> str:
        """Remember or propose something; its id."""
        return str(self(*words, "--json").json["id"])

    def merge(self, kind: MemoryType, text: str, **fields: Any) -> str:
        """A memory that came with a merge of branches, where no gate stood; allowed. Its id."""
        with being(self.env):
            app = build_app(str(self.folder))
            memory_id = f"{PREFIXES[kind]}-{random_part()}"
            since = {"valid_from": "2026-11-15", "updated": "2026-11-15T09:00:00Z"}
            memory = Memory(id=memory_id, type=kind, body=text, **{"title": text, **since, **fields})
            app.vaults[Scope.WORKSPACE].create(memory)
            app.close()
        self("allow")
        return memory_id

    @property
    def memory(self) -> PersistentMemory:
        """The library's own look at it, as of now."""
        with being(self.env):
            return PersistentMemory.load(self.folder)

    def hook(self, name: str, session: str, **fields: Any) -> str:
        """An event as Claude Code tells it; what the hook answers."""
        payload = {
            "session_id": session, "transcript_path": f"/home/dev/.claude/projects/p/{session}.jsonl",
            "cwd": str(self.folder), "hook_event_name": name, "permission_mode": "default", **fields,
        }  # fmt: skip
        return self.payload(json.dumps(payload).encode())

    def payload(self, payload: bytes) -> str:
        """Any payload, to a hook's process as the client starts it."""
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", HOOK],
            input=payload, cwd=self.folder, env={**self.env, "CLAUDECODE": "1"}, capture_output=True, timeout=LONG,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode()

    def tool(self, session: str, tool: str, given: Mapping[str, Any], output: str = "", error: str = "") -> None:
        """A tool's call and its end."""
        self._calls += 1
        result: dict[str, Any] = {"error": error} if error else {"tool_response": {"success": True, "stdout": output}}
        name = "PostToolUseFailure" if error else "PostToolUse"
        self.hook(name, session, tool_name=tool, tool_use_id=f"{session}-{self._calls}", tool_input=given, **result)

    def git(self, *words: str, at: str = "2026-10-01T09:00:00Z") -> str:
        """Git here, by Ann, at a time."""
        who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.invalid", "-c", "init.defaultBranch=main")
        times = {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        done = subprocess.run(
            ["git", *who, *words], cwd=self.folder, env={**self.env, **times, **quiet}, capture_output=True, check=True,
            timeout=LONG,
        )  # fmt: skip
        return done.stdout.decode()

    def file_of(self, memory_id: str) -> Path:
        """The file of a memory or a candidate."""
        [found] = (self.folder / ".holdfast").rglob(f"{memory_id}*.md")
        return found


def empty_project(folder: Path, home: Path) -> Project:
    """A workspace with nothing in it."""
    folder.mkdir(parents=True)
    return _set_up(Project(folder, home))


def copy_of(project: Project, folder: Path, home: Path) -> Project:
    """The same workspace elsewhere, allowed there."""
    made = Project(folder, home)
    with being(made.env):
        cast(project.folder, folder)
    return made


def _set_up(project: Project) -> Project:
    with being(project.env):
        set_up(project.folder)
    return project


def rich_project(folder: Path, home: Path) -> Project:
    """A workspace after some weeks: memories, sessions, a queue with a conflict, ratings, a run, git history."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    project = _set_up(Project(folder, home))
    project.git("init")
    project.git("add", ".", at="2026-08-31T09:00:00Z")
    project.git("commit", "-m", "A shop", at="2026-08-31T09:00:00Z")
    with being(project.env):
        _memories(project)
    _sessions(project)
    _run(project)
    _proposals(project)
    _records(project)
    return project


def _memories(project: Project) -> None:
    memory = PersistentMemory.load(project.folder)
    first = memory.add_decision(
        "Keep orders in SQLite until there is more than one writer.", title="SQLite holds the orders",
        question="Where do orders live?", choice="SQLite", rejected=["PostgreSQL: one more thing to run"],
        because="one process writes", tags=("storage",), paths=("src/shop/db.py",), valid_from="2026-09-01",
        category="storage",
    )  # fmt: skip
    project.git("add", ".", at="2026-09-01T10:00:00Z")
    project.git("commit", "-m", "Orders in SQLite", at="2026-09-01T10:00:00Z")
    memory.add_decision(
        "Orders move to PostgreSQL: the import and the API write at the same time.",
        title="PostgreSQL holds the orders", question="Where do orders live?", choice="PostgreSQL",
        rejected=["SQLite: one writer at a time", "MongoDB: nobody here has run it"], because="two writers now",
        tags=("storage",), paths=("src/shop/db.py",), valid_from="2026-10-12", supersedes=(first.id,),
        category="storage",
    )  # fmt: skip
    project.git("add", ".", at="2026-10-12T10:00:00Z")
    project.git("commit", "-m", "Orders in PostgreSQL", at="2026-10-12T10:00:00Z")
    memory.add_decision(
        "Baskets are cached in the process.", title="A cache in the process", question="Which cache?",
        choice="an in-process dictionary", rejected=["Redis: too much to run", "Memcached: no need yet"],
        tags=("cache", "performance"), paths=("src/shop/cache.py",), valid_from="2026-10-20", category="caching",
    )  # fmt: skip
    memory.add_decision(
        "Use FastAPI for the HTTP API.", question="Which web framework?", choice="FastAPI",
        rejected=["Flask: no types at the door", "Django: more than we need"], tags=("api",), valid_from="2026-09-03",
        paths=("src/shop/api.py",), category="framework",
    )  # fmt: skip
    memory.add_failure(
        "The connection pool ran dry under load.", title="Connection pool ran dry", error_type="TimeoutError",
        root_cause="one session per request, never given back", context="load test of /orders", attempts=3,
        paths=("src/shop/db.py",), tags=("database",),
    )  # fmt: skip
    memory.add_failure(
        "Async SQLAlchemy kept connections open across tests.", error_type="TimeoutError",
        root_cause="the loop was closed before the engine", attempts=2, tags=("database", "tests"),
    )  # fmt: skip
    memory.add_failure(
        "Uploading files over 5 MB failed behind the proxy.", error_type="ConnectionError",
        root_cause="the proxy cuts bodies at 5 MB", attempts=4, paths=("src/shop/upload.py",),
    )  # fmt: skip
    for fact, category, confidence in LEARNINGS:
        memory.add_learning(fact, category=category, confidence=confidence, tags=(category,))
    memory.add_invariant("Prices are integers in cents, never floats.", tags=("money",))
    memory.add_invariant("No requests; use httpx.", enforce={"forbid_dependency": ["requests"]}, tags=("http",))
    memory.add_assumption("An order never has more than 500 lines.", valid_from="2026-09-20")
    memory.add_pattern("Routes only parse and call a verb of the domain.", paths=("src/shop/**",), tags=("style",))
    memory.add_pattern("Tests build their own database and drop it.", paths=("tests/**",))


LEARNINGS = (
    ("Pydantic v2 is used for every model.", "models", 0.9),
    ("The invoices job runs at 02:00 UTC.", "operations", 0.8),
    ("psycopg 3 needs `autocommit` for LISTEN.", "database", 0.95),
    ("The tests need TZ=UTC.", "tests", 0.7),
    ("Basket ids are ULIDs, so they sort by time.", "models", 0.85),
    ("The staging proxy strips the Authorization header.", "operations", 0.6),
)


def _sessions(project: Project) -> None:
    _recorded(project)
    one, two = "3f6c1d2a-cache", "8b20e7f4-upload"
    told = re.findall(r"\b(?:DEC|FAIL|INV|LRN)-\w+", project.hook("SessionStart", one, source="startup"))
    project.hook("UserPromptSubmit", one, prompt="Let's use PostgreSQL for sessions too, not Redis, Redis is too much "
                 "to run for us. Add a session table to src/shop/db.py.")  # fmt: skip
    project.tool(one, "Edit", {"file_path": str(project.folder / "src/shop/db.py"), "old_string": "POOL = 10",
                               "new_string": "POOL = 20"})  # fmt: skip
    project.tool(one, "Bash", {"command": "pytest tests/test_api.py"}, output="1 passed in 0.02s")
    project.hook("Stop", one, last_assistant_message="The session table is in src/shop/db.py and the tests pass. "
                 f"I kept to {' and '.join(told[:4])}.")  # fmt: skip
    project.hook("UserPromptSubmit", one, prompt="Perfect, thank you. From now on, always run the tests with TZ=UTC.")
    project.hook("Stop", one, last_assistant_message="I will run them with TZ=UTC.")
    project.hook("SessionEnd", one, reason="exit")
    project.hook("SessionStart", two, source="startup")
    project.hook("UserPromptSubmit", two, prompt="Make the upload test pass.")
    for number, error in enumerate(("ConnectionError: refused", "TimeoutError: 5 s", "ConnectionError: refused")):
        given = {"file_path": str(project.folder / "src/shop/upload.py"), "old_string": "a", "new_string": str(number)}
        project.tool(two, "Edit", given)
        project.tool(
            two, "Bash", {"command": "pytest tests/test_upload.py"}, error=f"Exit code 1\nE   {error}\n1 failed"
        )
    project.hook("Stop", two, last_assistant_message="It still fails. The root cause is that the server refuses large "
                 "bodies. Next I would look at the proxy.")  # fmt: skip
    project.hook("UserPromptSubmit", two, prompt="No, that is wrong, you did not read the proxy's log.")
    project.tool(two, "Edit", given)
    project.tool(two, "Bash", {"command": "pytest tests/test_upload.py"})
    project.hook("Stop", two, last_assistant_message="You are right, the proxy's log says that bodies are cut.")
    project.hook("SessionEnd", two, reason="exit")
    project("distil")


def _recorded(project: Project) -> None:
    """Sessions of a real Claude Code: a tool's call, a subagent, a compaction."""
    for name in ("hooks.jsonl", "hooks-more.jsonl"):
        for line in (DATA / "transcripts/claude" / name).read_text().splitlines():
            project.payload(line.replace("/home/dev/proj", str(project.folder)).encode())


def _run(project: Project) -> None:
    choice = {
        "question": "How are orders paged?", "choice": "by cursor", "because": "offsets skip rows",
        "rejected": [{"option": "offset and limit", "reason": "rows are skipped when one is added"}],
    }  # fmt: skip
    learned = {
        "fact": "orders() had no limit before.", "category": "api", "paths": ["src/shop/api.py"],
        "quote": "The list had no limit before",
    }  # fmt: skip
    tasks = [
        {"id": "T1", "description": "Page the list of orders", "target_path": "src/shop/api.py",
         "produces": ["src/shop/api.py"]},
        {"id": "T2", "description": "Say it in the README", "target_path": "README.md", "produces": ["README.md"],
         "depends_on": ["T1"]},
    ]  # fmt: skip

    def work(heard: Any) -> Say:
        if heard.results:
            return Say(text="The list had no limit before. It is done.")
        if "Say it in the README" in heard.text.rsplit("Task", 1)[-1]:
            return Say(calls=(("write", {"path": "README.md", "content": "# Shop\n\nOrders are paged by cursor.\n"}),))
        edit = {"path": "src/shop/api.py", "old_string": "return []", "new_string": "return [][:100]"}
        return Say(calls=(("edit", edit),))

    plan = plan_of("Page the orders by cursor", tasks, [choice], ["a page has at most 100 rows"])
    with minding(Agent(lambda _: Say(text=plan), work, [learned])) as server:
        project("run", "page the list of orders", "--yes", "--json", "--set", "run.gates=none",
                **server.environment("anthropic"))  # fmt: skip


def _proposals(project: Project) -> None:
    with being(project.env):
        memory = PersistentMemory.load(project.folder)
        memory.record_decision(
            "Use Redis for the baskets' cache.", title="Redis for the baskets", question="Which cache?", choice="Redis",
            rejected=["an in-process dictionary: each worker has its own"], paths=("src/shop/cache.py",),
        )  # fmt: skip
        memory.record_learning("Invoices are numbered without gaps.", category="invoices", confidence=0.75)
        memory.propose("pattern", "Every verb of the domain has a test of its own.", paths=("tests/**",))


def _records(project: Project) -> None:
    project("log", "--rate", "9", "fast, and it asked first", "--session", "3f6c1d2a")
    project("log", "--rate", "3", "it did not read the log", "--session", "8b20e7f4")
    project("propose", "learning", "it did not read the log")
    project("todo", "add", "ask Ada about the proxy's limit")
    project("log", "add", "moved the orders to PostgreSQL")
    # What a memory cites has changed since.
    project("remember", "learning", "The pool holds 20 connections.", "--cite", "src/shop/db.py:1-1")
    (project.folder / "src/shop/db.py").write_text(FILES["src/shop/db.py"].replace("10", "30"))
    project.git("add", ".", at="2026-11-10T10:00:00Z")
    project.git("commit", "-m", "Paging, and a larger pool", at="2026-11-10T10:00:00Z")


def doing(*calls: tuple[str, Mapping[str, Any]], approach: str, then: str = "It is done.") -> Agent:
    """A mind with one plan and one thing to do."""
    return Agent(lambda _: Say(text=plan_of(approach)), once(*calls, then=then))
