"""Files and the tasks that write them: one writer each, nobody waits for ever."""

import asyncio
import random
from pathlib import Path

import pytest
from tests.unit.act.execute.hands import call, executor
from tests.waiting import SOON

from holdfast.act.execute.file_owners import OwnedByOther, Owners
from holdfast.core.run import Task


def test_a_file_of_a_running_task_is_waited_for() -> None:
    async def work() -> list[str]:
        owners, order = Owners(), []
        await owners.begin("one", ["a"])

        async def other() -> None:
            await owners.claim("two", ["a"])
            order.append("two")

        waiting = asyncio.create_task(other())
        await asyncio.sleep(0.05)
        order.append("one")
        owners.end("one")
        await waiting
        return order

    assert asyncio.run(work()) == ["one", "two"]


def test_who_would_close_a_circle_is_told_at_once() -> None:
    async def work() -> str:
        owners = Owners()
        await owners.begin("one", ["a"])
        await owners.begin("two", ["b"])
        waiting = asyncio.create_task(owners.claim("one", ["b"]))
        await asyncio.sleep(0.02)
        with pytest.raises(OwnedByOther) as error:
            await owners.claim("two", ["a"])
        owners.end("two")
        await waiting
        return str(error.value)

    assert "'a' belongs to task 'one'" in asyncio.run(asyncio.wait_for(work(), SOON))


def test_patience_ends() -> None:
    async def work() -> None:
        owners = Owners(patience=0.05)
        await owners.begin("one", ["src/"])
        with pytest.raises(OwnedByOther, match=r"waited for 0\.05 s"):
            await owners.begin("two", ["src/a.py"])

    asyncio.run(work())


def test_files_are_claimed_all_or_none() -> None:
    async def work() -> str:
        owners = Owners(patience=0.05)
        await owners.begin("one", ["b"])
        with pytest.raises(OwnedByOther):
            await owners.claim("two", ["a", "b"])
        return owners.owner_of("a")

    assert asyncio.run(work()) == ""


def test_many_tasks_never_write_one_file_at_once_and_all_end() -> None:
    chance = random.Random(7)
    files = [f"f{number}" for number in range(8)]
    writing: dict[str, str] = {}
    ended: list[str] = []

    async def task(owners: Owners, name: str) -> None:
        await owners.begin(name, chance.sample(files, 2))
        try:
            for path in chance.sample(files, 3):
                try:
                    async with owners.writing(name, [path]):
                        assert writing.setdefault(path, name) == name
                        await asyncio.sleep(0.001)
                except OwnedByOther:
                    continue
        finally:
            for path in [path for path, owner in writing.items() if owner == name]:
                del writing[path]
            owners.end(name)
            ended.append(name)

    async def work() -> None:
        owners = Owners()
        await asyncio.gather(*(task(owners, f"t{number}") for number in range(60)))

    asyncio.run(asyncio.wait_for(work(), 60))
    assert len(ended) == 60


def test_two_tasks_that_edit_one_file_lose_no_edit(root: Path) -> None:
    (root / "x").write_text("".join(f"line {number}\n" for number in range(40)))

    async def work() -> list[bool]:
        hands = executor(root)

        async def one(task: Task, number: int) -> bool:
            again = True
            while again:
                result = await hands.call(
                    call("edit", path="x", old_string=f"line {number}\n", new_string=f"{task.id} {number}\n"), task
                )
                again = "changed while" in result.text
            return result.failed

        tasks = [Task(id=f"t{number % 4}", description="") for number in range(40)]
        try:
            return list(await asyncio.gather(*(one(task, number) for number, task in enumerate(tasks))))
        finally:
            await hands.close()

    assert not any(asyncio.run(work()))
    assert (root / "x").read_text() == "".join(f"t{number % 4} {number}\n" for number in range(40))


def test_a_task_that_has_begun_keeps_others_off_its_files(root: Path) -> None:
    async def work() -> tuple[str, str, tuple[str, ...]]:
        hands = executor(root)
        hands.owners = Owners(patience=0.1)
        first, second = Task(id="one", description="", produces=("./src/app.py",)), Task(id="two", description="")
        await hands.begin(first)
        refused = await hands.call(call("write", path="src/app.py", content="x\n"), second)
        hands.end(first)
        allowed = await hands.call(call("write", path="src/app.py", content="x\n"), second)
        files = hands.files_of("two")
        await hands.close()
        return refused.text, allowed.text, files

    refused, allowed, files = asyncio.run(work())

    assert "'src/app.py' belongs to task 'one'" in refused
    assert allowed.startswith("changed src/app.py")
    assert files == ("src/app.py",)
