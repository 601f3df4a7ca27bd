"""Memory that starts from nothing: real, in a folder of its own that goes with it."""

import gc
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast import PersistentMemory
from holdfast.core.errors import BadRequest, NotFound
from holdfast.core.memory import Scope
from holdfast.setup.init_workspace import init, plan_init

# Every verb once, for programs that are started for a test.
VERBS = """
from holdfast import PersistentMemory
memory = PersistentMemory.empty({workspace})
kept = memory.add_decision("Valkey caches", question="Which cache?", choice="Valkey", rejected=["Redis: licence"])
assert memory.search("which cache")[0].entry.memory.id == kept.id
assert memory.check("take Redis for the cache").findings
assert memory.get_relevant("a cache with Redis").constraints == ("Redis was rejected: licence",)
proposed = memory.propose("learning", "Tests need UTC")
assert [each.id for each in memory.candidates()] == [proposed.id]
memory.accept(proposed.id)
memory.record_event("run", "prompt", {{"prompt": "go on"}})
memory.record_session("run")
memory.forget(kept.id)
assert memory.sync().ok and not memory.warnings, memory.warnings
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, so that what is left there is seen."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return folder


@pytest.fixture
def memory() -> Iterator[PersistentMemory]:
    with PersistentMemory.empty() as found:
        yield found


def started(text: str, **environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **environment}
    return subprocess.run([sys.executable, "-c", text], env=env, capture_output=True, text=True, check=False)


def test_what_is_remembered_is_found(memory: PersistentMemory) -> None:
    kept = memory.add_learning("The nightly build needs two cores", category="ci")

    assert [fact.id for fact in memory.learnings] == [kept.id]
    assert [hit.entry.memory.id for hit in memory.search("how many cores for the nightly build")] == [kept.id]
    assert memory.show(kept.id)[0].entry.memory.category == "ci"
    assert (Path(memory.folder) / "memory/learnings").is_dir()


def test_a_question_that_words_do_not_settle_is_answered(memory: PersistentMemory) -> None:
    memory.add_learning("The nightly build needs two cores")

    assert memory.search("entirely other words") == ()


def test_what_is_proposed_waits_and_is_accepted(memory: PersistentMemory) -> None:
    candidate = memory.propose("decision", "Use Mongo for the events", choice="Mongo")

    assert [each.id for each in memory.candidates()] == [candidate.id]
    assert len(memory.decisions) == 0

    [accepted] = memory.accept(candidate.id).accepted

    assert [each.id for each in memory.decisions] == [accepted.entry.memory.id]
    assert memory.candidates() == ()


def test_what_is_rejected_or_undone_is_as_elsewhere(memory: PersistentMemory) -> None:
    first, second = (memory.propose("learning", text) for text in ("Tests need UTC", "Disks are full on Fridays"))
    memory.accept(first.id)

    memory.undo()
    memory.reject(second.id, because="no longer")

    assert [each.id for each in memory.candidates()] == [first.id]
    assert len(memory.learnings) == 0


def test_contradictions_are_blocked(memory: PersistentMemory) -> None:
    memory.add_decision("Redis for the cache", question="Which cache?", choice="Redis")
    candidate = memory.propose("decision", "Memcached for the cache", question="Which cache?", choice="Memcached")

    assert memory.accept(candidate.id).blocked
    assert [each.relation.new for each in memory.conflicts(candidate.id)] == [candidate.id]


def test_a_plan_is_checked(memory: PersistentMemory) -> None:
    kept = memory.add_decision("Valkey caches", choice="Valkey", rejected=["Redis: licence"])

    assert [found.memory for found in memory.check("take Redis for the cache").findings] == [kept.id]
    assert memory.checker()("take Redis for the cache", ()).findings
    assert memory.check("paint the fence").findings == ()


def test_packs_have_what_was_put_in(memory: PersistentMemory) -> None:
    memory.add_decision("Valkey caches", rejected=["Redis: licence"])
    memory.add_invariant("Connections are closed", paths=["src/db/**"])

    assert memory.get_relevant("a cache with Redis").constraints == ("Redis was rejected: licence",)
    assert memory.get_task_context("split the pool", "src/db/pool.py").constraints[0] == "Connections are closed"
    assert memory.notices == ()


def test_what_is_forgotten_is_gone_and_can_be_brought_back(memory: PersistentMemory) -> None:
    kept = memory.add_learning("Tests need UTC")

    memory.forget(kept.id)

    assert memory.search("tests need UTC") == ()
    assert len(memory.learnings) == 0
    memory.undo()
    assert [fact.id for fact in memory.learnings] == [kept.id]


def test_a_session_is_distilled(memory: PersistentMemory) -> None:
    memory.record_event("run-1", "session_start", {})
    memory.record_event("run-1", "prompt", {"prompt": "We decided: use Valkey instead of Redis for the cache."})
    memory.record_event("run-1", "answer", {"answer": "Done."})

    over = memory.record_session("run-1")

    assert over["title"] == "We decided: use Valkey instead of Redis for the cache"
    assert [session.id for session in memory.simulacrum.sessions()] == ["run-1"]


def test_two_empty_memories_do_not_know_each_other(tmp_path: Path) -> None:
    with PersistentMemory.empty(tmp_path) as one, PersistentMemory.empty(tmp_path) as other:
        one.add_learning("Tests need UTC")
        one.add_learning("I like tabs", scope="user")

        assert other.search("tests tabs") == ()
        assert not other.sync().stores["learnings"].count
        assert one.folder != other.folder


def test_nothing_is_left_of_one_that_was_closed(temporary: Path) -> None:
    memory = PersistentMemory.empty()
    memory.add_learning("Tests need UTC")
    assert len(list(temporary.iterdir())) == 1

    memory.close()

    assert list(temporary.iterdir()) == []
    with pytest.raises(BadRequest, match="closed"):
        memory.add_learning("More")
    memory.close()
    assert list(temporary.iterdir()) == []


def test_nothing_is_left_of_one_that_nobody_holds(temporary: Path) -> None:
    memory = PersistentMemory.empty()
    memory.add_learning("Tests need UTC")
    learnings = memory.learnings

    del memory
    gc.collect()
    assert len(list(temporary.iterdir())) == 1  # its store can still be asked

    del learnings
    gc.collect()
    assert list(temporary.iterdir()) == []


def test_nothing_is_left_when_the_program_ends(temporary: Path) -> None:
    done = started(VERBS.format(workspace="") + "held_to_the_end = memory\n")

    assert (done.returncode, done.stderr) == (0, "")
    assert list(temporary.iterdir()) == []


def test_a_child_that_ends_takes_nothing_from_its_parent() -> None:
    done = started(
        "import os, sys\n" + VERBS.format(workspace="") + "child = os.fork()\n"
        "if not child: sys.exit(0)\n"
        "os.waitpid(child, 0)\n"
        "assert os.path.isdir(memory.folder)\n"
        "assert memory.add_learning('More').id\n"
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_it_needs_no_home() -> None:
    nowhere = "/dev/null/nowhere"
    done = started(VERBS.format(workspace=""), HOME=nowhere, XDG_CONFIG_HOME=nowhere, HOLDFAST_HOME="")

    assert (done.returncode, done.stderr) == (0, "")


def test_the_users_own_files_are_neither_read_nor_written(tmp_path: Path, home: Path) -> None:
    (tmp_path / "app").mkdir()
    workspace = init(plan_init(str(tmp_path / "app"), named=True)).app.workspace
    PersistentMemory.load(workspace).add_learning("Redis is the cache of the team", scope=str(Scope.USER))
    (home / "config.toml").write_text("[search]\nlimit = 3\n")
    before = _tree(home)
    watching = (
        "import os, sys\n"
        "seen = []\n"
        "home = os.environ['HOLDFAST_HOME']\n"
        "kinds = ('open', 'os.listdir', 'os.scandir', 'os.mkdir', 'os.rename')\n"
        "sys.addaudithook(lambda kind, given: seen.append((kind, given)) if kind in kinds\n"
        "    and str(given[0]).startswith(home) else None)\n"
    )

    done = started(watching + VERBS.format(workspace="") + "assert not seen, seen\n")

    assert (done.returncode, done.stderr) == (0, "")
    assert _tree(home) == before


def test_what_the_workspace_has_of_ours_is_neither_seen_nor_touched(tmp_path: Path) -> None:
    workspace = _repository(tmp_path / "app")
    theirs = PersistentMemory.load(workspace)
    old = theirs.add_learning("Redis is the cache")
    _git(workspace, "add", "-f", ".holdfast/memory", ".holdfast/journal")
    _git(workspace, "commit", "-qm", "memory")
    theirs.close()
    gc.collect()  # what `init` had open of the index
    before = _tree(workspace)

    with PersistentMemory.empty(workspace) as memory:
        kept = memory.add_learning("Tests need UTC")
        memory.record_event("run", "prompt", {"prompt": "go on"})
        memory.record_session("run")

        assert memory.workspace == str(workspace)
        assert [fact.id for fact in memory.learnings] == [kept.id]
        assert memory.search("which cache") == ()
        assert memory.get_relevant("tests in UTC").learnings == ("[learned] Tests need UTC",)
        assert memory.notices == ()
        with pytest.raises(NotFound):
            memory.history(old.id)

    assert _tree(workspace) == before


def test_the_code_of_the_workspace_can_be_cited(tmp_path: Path) -> None:
    workspace = _repository(tmp_path / "app")
    with PersistentMemory.empty(workspace) as memory:
        memory.add_decision("Rounds half up", cites=["money.py:1-2"])
        (workspace / "money.py").rename(workspace / "amounts.py")

        [cited] = memory.cites()

        assert [drift.path for drift in cited.drifts] == ["amounts.py"]
        assert memory.search("rounds half up")[0].stale == ""  # it was followed
        assert memory.check("round", ["money.py"]).files == 1
        assert {path.name for path in workspace.iterdir()} == {".git", "amounts.py", ".holdfast"}


def test_it_is_the_programs_own_inside_a_client_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")

    with PersistentMemory.empty() as memory:
        kept = memory.add_invariant("Never log tokens")

        assert [each.id for each in memory.invariants] == [kept.id]
        assert memory.accept(memory.propose("learning", "Tests need UTC").id).accepted


def _repository(folder: Path) -> Path:
    folder.mkdir()
    _git(folder, "init", "-q")
    (folder / "money.py").write_text("def rounded(amount):\n    return int(amount + 0.5)\n")
    _git(folder, "add", "money.py")
    _git(folder, "commit", "-qm", "code")
    init(plan_init(str(folder), named=True))
    return folder


def _git(folder: Path, *words: str) -> None:
    named = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", "-C", str(folder), *named, *words], check=True)


def _tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and ".git" not in path.parts]
    return {str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}
