"""Scripts, the ledger, budgets, and replies that are kept."""

import asyncio
import json
import multiprocessing
import threading
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.unit.llm.talking import KEY, anthropic_events, asking, model_at, serving, status, streaming

from holdfast.core.errors import HoldfastError, Refused, Unavailable
from holdfast.core.model import Done, Stop, ToolCall
from holdfast.core.model_port import Model, NoModel, Traits
from holdfast.core.value import replace
from holdfast.llm.app_model import ReplyFiles
from holdfast.llm.cached_model import RememberingModel
from holdfast.llm.cost_ledger import CostEntry, CostLedger
from holdfast.llm.metered_model import Budget, MeteredModel
from holdfast.llm.prices import TokenPrice
from holdfast.llm.scripted_model import ScriptedModel, load_script, parse_line

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
PRICE = TokenPrice(input=10, output=50, cached=1)


class Priced(ScriptedModel):
    """A script whose tokens cost money."""

    def __init__(self, *lines: dict[str, Any]) -> None:
        super().__init__([parse_line(line) for line in lines], "priced")
        self.traits = Traits()


def ledger(folder: Path, when: datetime = NOW) -> CostLedger:
    return CostLedger(str(folder), lambda: when, "w1")


def metered(model: Model, book: CostLedger, **budget: int) -> MeteredModel:
    return MeteredModel(model, book, Budget(**budget), PRICE, lambda: "2026-11-15")


def script(path: Path, *lines: object) -> Any:
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
    return load_script(str(path))


def test_a_script_answers_in_order_and_by_words(tmp_path: Path) -> None:
    lines = script(
        tmp_path / "s.jsonl",
        {"text": "one", "usage": {"input": 3, "output": 4}},
        {"when": "weather", "text": "rain"},
        "",
        {"calls": [{"name": "look", "arguments": {"path": "a"}}]},
        {"error": "no credit"},
        {"data": {"a": 1}},
    )
    model = ScriptedModel(lines)

    assert model.complete(asking("weather?")).text == "rain"
    assert model.complete(asking()).text == "one"
    called = model.complete(asking())
    assert (called.stop, called.calls) == (Stop.TOOLS, (ToolCall(id="call_0", name="look", arguments={"path": "a"}),))
    with pytest.raises(Unavailable, match="no credit"):
        model.complete(asking())
    assert json.loads(model.complete(asking("the weather")).text.replace("rain", "[]")) == []
    assert json.loads(model.complete(asking()).text) == {"a": 1}
    with pytest.raises(HoldfastError, match="no answer to request 7"):
        model.complete(asking())


@pytest.mark.parametrize("line", ["{", "[]", '{"answer": "x"}', "\x00"])
def test_a_line_that_is_no_reply_is_told_with_its_number(tmp_path: Path, line: str) -> None:
    found = script(tmp_path / "s.jsonl", {"text": "one"}, line)

    assert isinstance(found, NoModel)
    assert "line 2" in found.reason


def test_a_script_streams_too() -> None:
    async def run() -> list[Any]:
        return [delta async for delta in ScriptedModel([parse_line({"text": "a\nb"})]).stream(asking())]

    *pieces, done = asyncio.run(run())
    assert [piece.text for piece in pieces] == ["a\n", "b"]
    assert isinstance(done, Done)


def test_what_was_asked_stands_in_the_ledger_with_its_cost(tmp_path: Path) -> None:
    model = Priced({"text": "secret words", "usage": {"input": 1000, "output": 100, "cached": 10}, "cost": 0.015})
    book = ledger(tmp_path)

    metered(model, book).complete(asking("private words", purpose="distil", session="s1"))

    [spent] = book.since(NOW)
    assert (spent.outcome, spent.session, spent.purpose, spent.workspace) == ("answered", "s1", "distil", "w1")
    assert (spent.usage.input, spent.usage.output, spent.usage.cached, spent.cost) == (1000, 100, 10, 0.015)
    text = (tmp_path / "2026-11.jsonl").read_text()
    assert [json.loads(line)["outcome"] for line in text.splitlines()] == ["asked", "answered"]
    assert "words" not in text
    assert (tmp_path / "2026-11.jsonl").stat().st_mode & 0o777 == 0o600


def test_what_failed_stands_in_the_ledger_without_a_key(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    with serving(status(401, f"bad {KEY}")) as server, pytest.raises(Refused):
        metered(model_at(server), book).complete(asking())

    [spent] = book.since(NOW)
    assert (spent.outcome, spent.tokens, spent.cost) == ("failed", 0, 0)
    assert "does not take the key" in spent.error
    assert KEY not in (tmp_path / "2026-11.jsonl").read_text()


@pytest.mark.parametrize(
    ("budget", "setting"),
    [
        ({"session_tokens": 9000}, "model_session_tokens"),
        ({"day_tokens": 9000}, "model_day_tokens"),
        ({"session_cents": 30}, "model_session_cents"),
        ({"day_cents": 30}, "model_day_cents"),
    ],
)
def test_a_budget_is_never_exceeded(tmp_path: Path, budget: dict[str, int], setting: str) -> None:
    line = {"text": "x", "usage": {"input": 1000, "output": 4000}, "cost": 0.21}
    inner = Priced(line, line)
    model = metered(inner, ledger(tmp_path), **budget)
    model.complete(asking(session="s1", most_tokens=4096))

    with pytest.raises(Refused, match="used up") as caught:
        model.complete(asking(session="s1", most_tokens=4096))

    assert len(inner.asked) == 1
    assert setting in caught.value.hint


def test_another_session_and_another_day_have_budgets_of_their_own(tmp_path: Path) -> None:
    line = {"text": "x", "usage": {"input": 1000, "output": 4000}}
    model = metered(Priced(line, line), ledger(tmp_path), session_tokens=9000)
    model.complete(asking(session="s1"))
    model.complete(asking(session="s2"))

    tomorrow = CostLedger(str(tmp_path), lambda: NOW + timedelta(days=20), "")
    later = MeteredModel(Priced(line), tomorrow, Budget(day_tokens=9000), PRICE, lambda: "2026-12-05")
    later.complete(asking())


def test_a_request_that_never_came_back_counts_in_full(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    wanted = CostEntry(id="", ts="", outcome="", model="m", session="s1", cost=0.4)
    book.reserve(wanted, lambda _: None)

    with pytest.raises(Refused, match="used up"):
        metered(Priced({"text": "x"}), book, session_cents=50).complete(asking(session="s1"))


def test_a_torn_or_strange_line_takes_no_other_with_it(tmp_path: Path) -> None:
    book = ledger(tmp_path)
    (tmp_path / "2026-11.jsonl").write_bytes(
        b'{"v": 1, "id": "a", "ts": "2026-11-15T12:00:00Z", "inp\n[]\n\xff\xfe\n{"id": 7}\n{"v"'
    )

    metered(Priced({"text": "x", "usage": {"input": 1}}), book).complete(asking())

    assert [spent.outcome for spent in book.since(NOW)] == ["answered"]


def _spend(folder: str, number: int) -> None:
    book = CostLedger(folder, lambda: NOW, "")
    for _ in range(number):
        try:
            metered(Priced({"text": "x", "usage": {"input": 500, "output": 500}}), book, day_tokens=20_000).complete(
                asking(most_tokens=900)
            )
        except Refused:
            return


def test_many_processes_share_one_budget(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_spend, args=(str(tmp_path), 20)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)

    spent = ledger(tmp_path).since(NOW)
    assert {worker.exitcode for worker in workers} == {0}
    assert 15_000 < sum(each.tokens for each in spent) <= 20_000


def test_months_are_put_together(tmp_path: Path) -> None:
    for days in (0, 20, 60):
        metered(Priced({"text": "x", "usage": {"input": 1}}), ledger(tmp_path, NOW - timedelta(days=days))).complete(
            asking()
        )

    assert len(ledger(tmp_path).since(NOW - timedelta(days=70))) == 3
    assert len(ledger(tmp_path).since(NOW - timedelta(days=30))) == 2


def test_a_link_where_the_ledger_belongs_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "costs").mkdir()
    (tmp_path / "costs/2026-11.jsonl").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(OSError, match="symbolic"):
        metered(Priced({"text": "x"}), ledger(tmp_path / "costs")).complete(asking())
    assert not (tmp_path / "elsewhere").exists()


def test_a_streamed_reply_is_paid_too(tmp_path: Path) -> None:
    book = ledger(tmp_path)

    async def run() -> None:
        async for _ in metered(Priced({"text": "x", "usage": {"input": 7}}), book).stream(asking()):
            pass

    asyncio.run(run())
    assert [(spent.outcome, spent.usage.input) for spent in book.since(NOW)] == [("answered", 7)]


def test_the_same_request_is_made_once(tmp_path: Path) -> None:
    inner = ScriptedModel([parse_line({"text": "one"}), parse_line({"text": "two"})])
    book = ledger(tmp_path / "costs")
    model = RememberingModel(inner, ReplyFiles(str(tmp_path)), book)

    replies = [model.complete(asking(session=session)) for session in ("s1", "s2")]
    other = model.complete(asking("Something else"))

    assert [(reply.text, reply.remembered) for reply in replies] == [("one", False), ("one", True)]
    assert other.text == "two"
    assert [spent.outcome for spent in book.since(NOW)] == ["remembered"]


def test_another_model_or_shape_of_the_same_name_is_asked_anew(tmp_path: Path) -> None:
    first, second = (
        ScriptedModel([parse_line({"text": text}), parse_line({"text": text})], text) for text in ("a", "b")
    )
    models = [RememberingModel(each, ReplyFiles(str(tmp_path)), ledger(tmp_path / "costs")) for each in (first, second)]

    assert [model.complete(asking()).text for model in models] == ["a", "b"]
    assert models[0].complete(replace(asking(), system="now otherwise")).text == "a"
    assert len(first.asked) == 2


@pytest.mark.parametrize("line", [{"text": "half", "stop": "length"}, {"text": "no", "stop": "refused"}])
def test_a_reply_that_did_not_end_well_is_not_kept(tmp_path: Path, line: dict[str, str]) -> None:
    model = RememberingModel(
        ScriptedModel([parse_line(line), parse_line({"text": "whole"})]),
        ReplyFiles(str(tmp_path)),
        ledger(tmp_path / "costs"),
    )

    assert [model.complete(asking()).text for _ in range(2)] == [line["text"], "whole"]


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"v": 99, "text": "x"}', b'{"v": 1, "text": 7}', b"\xff"])
def test_a_kept_reply_that_is_damaged_is_asked_for_again(tmp_path: Path, damage: bytes) -> None:
    folder = tmp_path / "state/models"
    model = RememberingModel(
        ScriptedModel([parse_line({"text": "one"}), parse_line({"text": "two"})]),
        ReplyFiles(str(tmp_path)),
        ledger(tmp_path),
    )
    model.complete(asking())
    [kept] = folder.iterdir()
    kept.write_bytes(damage)

    assert model.complete(asking()).text == "two"
    assert model.complete(asking()).text == "two"


def test_a_link_that_a_repository_brings_is_neither_read_nor_written(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "state").mkdir()
    (tmp_path / "state/models").symlink_to(tmp_path / "elsewhere")
    model = RememberingModel(
        ScriptedModel([parse_line({"text": "one"}), parse_line({"text": "two"})]),
        ReplyFiles(str(tmp_path)),
        ledger(tmp_path),
    )

    assert [model.complete(asking()).text for _ in range(2)] == ["one", "two"]
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_stream_that_is_given_up_ends_its_request_and_counts_in_full(tmp_path: Path) -> None:
    book = ledger(tmp_path)

    async def run(model: Model) -> None:
        async with aclosing(model.stream(asking(most_tokens=700))) as deltas:
            async for _ in deltas:
                break

    with serving(streaming(anthropic_events("w" * 400), size=20, pause=0.03)) as server:
        asyncio.run(run(metered(model_at(server), book)))
        assert not [thread for thread in threading.enumerate() if thread.name == "holdfast-model"]

    assert [(spent.outcome, spent.usage.output) for spent in book.since(NOW)] == [("asked", 700)]
