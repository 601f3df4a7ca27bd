"""What a run may do by itself, what it asks, and what it never does."""

import asyncio
from pathlib import Path

import pytest
from tests.unit.act.execute.hands import call, done, executor, one, tree
from tests.waiting import LONG, SOON, waiting_for

from holdfast.act.execute.run_trust import ApprovalAnswer, ApprovalRequest, Approve, make_check, make_guard
from holdfast.app import open_app
from holdfast.core.memory import RejectedOption
from holdfast.core.run import Trust
from holdfast.guard.policy import GuardVerdict
from holdfast.review.remember import MemoryDraft, remember
from holdfast.setup.init_workspace import init, plan_init
from holdfast.workspace import App

CHANGES = (
    call("write", path="new", content="x"),
    call("edit", path="README.md", old_string="A", new_string="B"),
    call("patch", patch="*** Begin Patch\n*** Delete File: README.md\n*** End Patch"),
    call("run", command="echo hi > made"),
)


def answering(*answers: str, asked: list[ApprovalRequest] | None = None) -> Approve:
    left = list(answers)

    async def approve(request: ApprovalRequest) -> ApprovalAnswer:
        if asked is not None:
            asked.append(request)
        return ApprovalAnswer(answer=left.pop(0), reason="because")

    return approve


def test_read_only_looks_and_changes_nothing(root: Path) -> None:
    before = tree(root)

    results = done(executor(root, Trust.READ_ONLY), *CHANGES)

    assert all(result.failed and "'read_only' only" in result.text for result in results)
    assert tree(root) == before


def test_a_person_sees_the_diff_or_the_command_and_may_say_no(root: Path) -> None:
    asked: list[ApprovalRequest] = []
    before = tree(root)

    results = done(executor(root, Trust.ASK, answering("no", "no", "no", "no", asked=asked)), *CHANGES)

    assert all("The user does not want this: because" in result.text for result in results)
    assert tree(root) == before
    assert "+# B project" in asked[1].diff
    assert asked[3].command == "echo hi > made"


def test_always_covers_what_is_alike_and_nothing_else(root: Path) -> None:
    asked: list[ApprovalRequest] = []
    hands = executor(root, Trust.ASK, answering("always", "always", "yes", asked=asked))

    results = done(
        hands,
        call("write", path="a", content="x"),
        call("write", path="b", content="x"),
        call("run", command="true"),
        call("run", command="true"),
        call("run", command="true # other"),
    )

    assert not any(result.failed for result in results)
    assert [request.tool for request in asked] == ["write", "run", "run"]
    assert "The user says: because" in results[0].text


def test_nobody_to_ask_is_a_no(root: Path) -> None:
    assert "nobody is there" in one(executor(root, Trust.ASK), "write", path="a", content="x").text
    assert not (root / "a").exists()


def test_looking_is_not_asked_about(root: Path) -> None:
    assert not one(executor(root, Trust.ASK), "read", path="README.md").failed


@pytest.mark.parametrize("trust", [Trust.ASK, Trust.WORKSPACE, Trust.FULL])
@pytest.mark.parametrize(
    ("verdict", "answers", "runs"),
    [
        (GuardVerdict(action="block", rule="own", reason="no"), (), False),
        (GuardVerdict(action="warn", rule="person-only", reason="no"), (), False),
        (GuardVerdict(action="warn", rule="delete-root", reason="no"), (), False),
        (GuardVerdict(action="warn", rule="force-push", reason="no"), ("no",), False),
        (GuardVerdict(action="ask", rule="force-push", reason="no"), ("yes",), True),
        (GuardVerdict(action="log", rule="delete-tree", reason="no"), ("yes",), True),
    ],
)
def test_what_the_guard_says_counts_at_every_level(
    root: Path, trust: Trust, verdict: GuardVerdict, answers: tuple[str, ...], runs: bool
) -> None:
    hands = executor(root, trust, answering(*answers), guard=lambda *_: verdict)

    one(hands, "run", command="touch ran")

    assert (root / "ran").exists() is runs


def test_what_is_risky_is_asked_again_after_an_always(root: Path) -> None:
    asked: list[ApprovalRequest] = []
    risky = GuardVerdict(action="warn", rule="force-push", reason="it rewrites")
    hands = executor(root, Trust.FULL, answering("always", "no", asked=asked), guard=lambda *_: risky)

    first, second = done(hands, call("run", command="true"), call("run", command="true"))

    assert (first.failed, second.failed) == (False, True)
    assert asked[0].why == "it rewrites"


@pytest.fixture
def app(root: Path) -> App:
    """A workspace whose memory turns Redis down and forbids requests."""
    found = init(plan_init(str(root), named=True)).app
    redis = (RejectedOption(option="redis", reason="too much to run"),)
    remember(found, MemoryDraft(type="decision", text="Postgres", fields={"rejected": redis}))
    forbids = {"forbid_import": ["requests"], "forbid_dependency": ["requests"]}
    remember(found, MemoryDraft(type="invariant", text="No requests", fields={"enforce": forbids}))
    return open_app(str(root))


def test_the_real_guard_refuses_to_act_for_the_person_and_asks_before_harm(root: Path, app: App) -> None:
    guard = make_guard(app, "run-1")
    hands = executor(root, Trust.FULL, answering("no"), guard=guard)

    person, harm, memory, plain = done(
        hands,
        call("run", command="holdfast accept CAND-1"),
        call("run", command="git push --force origin main"),
        call("run", command="echo x > .holdfast/memory/x.md"),
        call("run", command="echo plain"),
    )

    assert "The guard refuses this (person-only)" in person.text
    assert "The user does not want this" in harm.text
    assert "The guard refuses this (edit-memory)" in memory.text
    assert not plain.failed
    assert "person-only" in "".join(path.read_text() for path in (root / ".holdfast/security").rglob("*.jsonl"))


def test_what_memory_enforces_is_refused_with_the_reason_and_a_doubt_is_told(root: Path, app: App) -> None:
    hands = executor(root, check=make_check(app))

    forbidden, installed, doubted, fine = done(
        hands,
        call("write", path="src/a.py", content="import requests\n"),
        call("run", command="pip install requests"),
        call("write", path="src/b.py", content="import redis\n"),
        call("write", path="src/c.py", content="import json\n"),
    )

    assert "Project memory forbids this" in forbidden.text
    assert "'requests'" in forbidden.text
    assert not (root / "src/a.py").exists()
    assert "'requests'" in installed.text
    assert not doubted.failed
    assert "Warning: src/b.py:1" in doubted.text
    assert fine.text == "wrote src/c.py (+1 −0 lines)"


def test_a_cancelled_question_changes_nothing(root: Path) -> None:
    asked: list[ApprovalRequest] = []

    async def never(request: ApprovalRequest) -> ApprovalAnswer:
        asked.append(request)
        await asyncio.sleep(LONG)
        return ApprovalAnswer(answer="yes")

    async def work() -> None:
        hands = executor(root, Trust.ASK, never)
        task = asyncio.create_task(hands.call(call("write", path="a", content="x")))
        await waiting_for(lambda: asked, "the question")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(hands.owners.begin("other", ["a"]), SOON)
        await hands.close()

    asyncio.run(work())
    assert not (root / "a").exists()


def test_tasks_side_by_side_ask_one_after_the_other(root: Path) -> None:
    open_questions: list[int] = []
    most: list[int] = []

    async def approve(_: ApprovalRequest) -> ApprovalAnswer:
        open_questions.append(1)
        most.append(len(open_questions))
        await asyncio.sleep(0.02)
        open_questions.pop()
        return ApprovalAnswer(answer="yes")

    async def work() -> list[bool]:
        hands = executor(root, Trust.ASK, approve)
        calls = (hands.call(call("write", path=f"f{number}", content="x")) for number in range(6))
        results = await asyncio.gather(*calls)
        await hands.close()
        return [result.failed for result in results]

    assert not any(asyncio.run(work()))
    assert most == [1] * 6
