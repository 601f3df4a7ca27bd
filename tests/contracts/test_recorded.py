"""Runs, ratings and cost of a project: at everybody's, each once, and changed by their owner alone."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.databases import new_space

from holdfast.act.execute.undo_run import RunChangedNothing, undo_run
from holdfast.act.run_files import DONE, RUNNING, AgentRun, RunOfAnother, Runs, make_run_name
from holdfast.app import open_memory
from holdfast.core.event import Event
from holdfast.core.model import Usage
from holdfast.core.run import AgentEvent, EventType
from holdfast.exchange.bundles.bundle_content import list_exportable_files
from holdfast.exchange.http.http_peer import HttpPeer
from holdfast.exchange.peer import Peer, Swap
from holdfast.exchange.postgres.database import DatabaseSpace, PostgresDatabase
from holdfast.exchange.postgres.postgres_peer import PostgresPeer
from holdfast.exchange.postgres.purge_tables import PostgresForgetting, RowPurgeRequest
from holdfast.exchange.sync.project_mirror import Mirror
from holdfast.exchange.sync.sync_workspace import PULL, PUSH, SyncReport, SyncScope, sync_workspace
from holdfast.llm.app_model import open_ledger
from holdfast.llm.cost_ledger import CostEntry
from holdfast.records.team_forms import RECORDS, build_rating_text, find_record_error
from holdfast.records.team_records import TeamRecords
from holdfast.records.work_records import list_ratings
from holdfast.report.costs import read_costs
from holdfast.setup.init_workspace import init, plan_init
from holdfast.trust.allow import register
from holdfast.vault.memory_text import MarkdownTexts
from holdfast.workspace import App

RECORDS_TOO = ("memory", RECORDS)


class Desk:
    """A checkout, and the team's place for it."""

    def __init__(self, folder: Path, shared: Peer) -> None:
        folder.mkdir(parents=True)
        self.folder, self.shared = str(folder), shared
        app = plan_init(self.folder, named=True)
        init(app)
        register(app, allowed=True)

    @property
    def app(self) -> App:
        return open_memory(self.folder)

    def sync(self, direction: str = "both", *, events: bool = False) -> SyncReport:
        return sync_workspace(self.app, self.shared, SyncScope(direction=direction, places=RECORDS_TOO, events=events))

    def begin(self, goal: str) -> AgentRun:
        run = Runs(self.app.folder).run(make_run_name())
        run.begin(goal, {"model": "scripted:x", "planner": "harmonic", "trust": "auto"})
        run.add(AgentEvent(type=EventType.ORIENT, data={"ids": []}, ts="2026-11-15T09:22:14Z", run=run.name))
        return run

    def run(self, name: str) -> AgentRun:
        return Runs(self.app.folder).run(name)

    def spend(self, cost: float) -> str:
        book = open_ledger(self.app)
        made = book.reserve(
            CostEntry(id="", ts="", outcome="", model="a:b", usage=Usage(input=9, output=9)), lambda _: None
        )
        book.settle(CostEntry(id=made.id, ts="", outcome="answered", model="a:b", workspace=made.workspace, cost=cost,
                          usage=Usage(input=3, output=4)))  # fmt: skip
        return made.id

    def rate(self, words: str) -> None:
        told = (("prompt", {"prompt": "Add a retry to the upload client"}), ("answer", {"answer": "Done."}),
                ("prompt", {"prompt": words}))  # fmt: skip
        self.app.journal.append([Event(client="codex", session="s1", name=name, data=data) for name, data in told])

    def rated(self) -> list[int]:
        return [line["rating"] for line in list_ratings(self.app).ratings]

    def spent(self) -> dict[str, float | None]:
        return {line.id: line.cost for line in read_costs(self.app, 2).lines}


@pytest.fixture(params=["postgres", "server"])
def desks(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Desk]]:
    """Two people, each with a home of their own."""
    if request.param == "postgres":
        database = request.getfixturevalue("team_database")
        space = new_space(database)
        yield _desks(tmp_path, [PostgresPeer(space, MarkdownTexts()) for _ in range(2)])
        return
    from tests.server.conftest import new_workspace, threaded

    workspace = new_workspace(tmp_path / "project", tmp_path / "served")
    with threaded(tmp_path / "served") as served:
        yield _desks(tmp_path, [HttpPeer(served.url, served.token, workspace) for _ in range(2)])


def _desks(tmp_path: Path, places: list[Peer]) -> list[Desk]:
    return [Desk(tmp_path / name, place) for name, place in zip(("ada", "bob"), places, strict=True)]


def test_a_run_is_shown_and_replayed_at_the_other(desks: list[Desk]) -> None:
    ada, bob = desks
    run = ada.begin("Add a retry")
    run.end(DONE)

    assert ada.sync().records == (0, 2)
    assert bob.sync().records == (2, 0)

    came = bob.run(run.name)
    assert (came.status, came.state()["goal"], len(came.events())) == (DONE, "Add a retry", 1)
    assert Runs(bob.app.folder).names() == [run.name]
    assert ada.sync().records == bob.sync().records == (0, 0)


def test_a_run_under_way_goes_as_far_as_it_is_and_its_rest_later(desks: list[Desk]) -> None:
    ada, bob = desks
    run = ada.begin("Add a retry")
    ada.sync()
    bob.sync()
    assert bob.run(run.name).status == RUNNING

    run.add(AgentEvent(type=EventType.COMPLETE, data={"success": True}, ts="2026-11-15T09:23:14Z", run=run.name))
    run.end(DONE)
    ada.sync()
    bob.sync()

    assert bob.run(run.name).status == DONE
    assert [event.type for event in bob.run(run.name).events()] == [EventType.ORIENT, EventType.COMPLETE]


def test_a_run_of_another_is_not_gone_on_with_nor_undone(desks: list[Desk]) -> None:
    ada, bob = desks
    run = ada.begin("Add a retry")
    run.end("failed")
    ada.sync()
    bob.sync()

    with pytest.raises(RunOfAnother):
        bob.run(run.name).begin("Add a retry", {})
    with pytest.raises(RunChangedNothing, match="another machine"):
        undo_run(bob.folder, run.name)
    assert bob.run(run.name).status == "failed"


def test_what_a_run_says_of_a_secret_stays_here(desks: list[Desk]) -> None:
    ada, bob = desks
    run = ada.begin("Use token ghp_abcdefghijklmnopqrstuvwxyz0123456789AB")
    run.end(DONE)
    ada.sync()
    bob.sync()

    assert "ghp_abcdefghijklmnopqrstuvwxyz" not in json.dumps(bob.run(run.name).state())
    assert bob.sync().records == (0, 0)


def test_a_conversation_goes_nowhere(desks: list[Desk]) -> None:
    ada, _ = desks
    talk = Runs(ada.app.folder).run(make_run_name())
    talk.begin("hello", {"chat": True})
    talk.end("open")

    assert ada.sync().records == (0, 0)


def test_cost_counts_once_and_takes_nothing_from_a_budget(desks: list[Desk], monkeypatch: pytest.MonkeyPatch,
                                                          tmp_path: Path) -> None:  # fmt: skip
    ada, bob = desks
    name = ada.spend(0.25)
    ada.sync()
    monkeypatch.setenv("HOLDFAST_HOME", str(tmp_path / "bobs-home"))
    bob.sync()
    bob.sync()

    assert bob.spent() == {name: 0.25}
    assert open_ledger(bob.app).since(bob.app.clock.now().replace(year=2000)) == []


def test_a_rating_counts_once_whether_its_events_come_or_only_its_record(desks: list[Desk]) -> None:
    ada, bob = desks
    ada.rate("9/10 - very good")
    assert ada.rated() == [9]
    ada.sync()
    bob.sync()
    assert bob.rated() == [9]

    # The same session told by its events as well.
    for record in [record for record in ada.app.journal.read() if record.data.get("client") == "codex"]:
        bob.app.journal.append([
            Event(client="codex", session="s1", name=record.data["name"], ts=record.ts, data=record.data["data"])
        ])  # fmt: skip

    assert bob.rated() == [9]
    bob.sync()
    assert ada.sync().records == (0, 0)
    assert ada.rated() == [9]


def test_one_way_is_one_way_for_records_too(desks: list[Desk]) -> None:
    ada, bob = desks
    ada.begin("Add a retry").end(DONE)
    bob.begin("Another").end(DONE)

    assert ada.sync(PULL).records == (0, 0)
    assert ada.sync(PUSH).records == (0, 2)
    assert bob.sync(PUSH).records == (0, 2)
    assert bob.sync(PULL).records == (2, 0)
    assert len(Runs(bob.app.folder).names()) == 2


def test_what_the_team_lets_go_of_goes_from_others_and_is_not_sent_again(desks: list[Desk]) -> None:
    ada, bob = desks
    run = ada.begin("Add a retry")
    run.end(DONE)
    name = ada.spend(0.5)
    ada.sync()
    bob.sync()
    there = {path: held.sha256 for path, held in bob.shared.files().items() if path.startswith("records/")}
    bob.shared.put([Swap(path=path, data=None, then=digest) for path, digest in there.items()])

    bob.sync()
    ada.sync()
    ada.sync()

    assert not [path for path in bob.shared.files() if path.startswith("records/")]
    assert Runs(bob.app.folder).names() == []
    assert (ada.run(run.name).status, name in ada.spent()) == (DONE, True)


def test_what_is_lost_of_the_state_is_found_again_and_nothing_doubles(desks: list[Desk]) -> None:
    ada, bob = desks
    run = ada.begin("Add a retry")
    run.end(DONE)
    name = ada.spend(0.5)
    ada.sync()
    bob.sync()
    for desk in desks:
        for file in Path(desk.folder, ".holdfast/state/sync").glob("*.json"):
            file.unlink()

    assert ada.sync().records == bob.sync().records == (0, 0)
    assert [*bob.spent()] == [name]
    assert Runs(bob.app.folder).names() == [run.name]


def test_a_file_that_is_too_large_is_named_and_the_rest_goes(desks: list[Desk]) -> None:
    ada, bob = desks
    run = ada.begin("Add a retry")
    run.add(
        AgentEvent(
            type=EventType.SIGNAL, data={"message": "so it goes " * (1 << 20)}, ts="2026-11-15T09:22:15Z", run=run.name
        )
    )
    run.end(DONE)

    sent = ada.sync()
    bob.sync()

    assert [each.what for each in sent.refused] == [f"records/run/{run.name}/events.jsonl"]
    assert (bob.run(run.name).status, bob.run(run.name).events()) == (DONE, [])


def test_a_dry_run_says_what_would_move_and_no_more(desks: list[Desk]) -> None:
    ada, bob = desks
    ada.begin("Add a retry").end(DONE)
    what = SyncScope(places=RECORDS_TOO)

    assert [step.does for step in sync_workspace(ada.app, ada.shared, what, dry_run=True).planned] == ["push", "push"]
    ada.sync()
    there = {path: held.sha256 for path, held in bob.shared.files().items()}
    bob.shared.put([Swap(path=path, data=None, then=digest) for path, digest in there.items()])
    assert sync_workspace(ada.app, ada.shared, what, dry_run=True).planned == ()


def test_a_bundle_leaves_out_what_belongs_to_another_machine(desks: list[Desk]) -> None:
    ada, bob = desks
    run = ada.begin("Add a retry")
    run.end(DONE)
    ada.sync()
    bob.sync()

    assert [found.path for found in list_exportable_files(bob.app.folder) if run.name in found.path] == []
    assert [found.path for found in list_exportable_files(ada.app.folder) if run.name in found.path]


@pytest.mark.parametrize("desks", ["postgres"], indirect=True)
def test_a_run_that_is_purged_from_the_database_goes_from_who_had_it_from_there(desks: list[Desk]) -> None:
    ada, bob = desks
    ada.begin("Write to Jane Doe").end(DONE)
    other = ada.begin("Add a retry")
    other.end(DONE)
    ada.sync()
    bob.sync()
    assert isinstance(ada.shared, PostgresPeer)
    wanted = RowPurgeRequest(holds=lambda text: "Jane Doe" in text, named=lambda _: False)
    assert PostgresForgetting([ada.shared._space], MarkdownTexts()).purge(wanted, "asked").records == 1

    bob.sync()
    ada.sync()

    assert Runs(bob.app.folder).names() == [other.name]
    assert not any("Jane Doe" in str(data) for data in ada.shared.fetch(list(ada.shared.files())).values())


def test_what_comes_from_two_places_at_once_is_all_kept(tmp_path: Path, space: DatabaseSpace) -> None:
    ada = Desk(tmp_path / "ada", PostgresPeer(space, MarkdownTexts()))
    line = {"ts": "2026-11-15T09:22:14Z", "rating": 7, "source": "explicit", "comment": "", "confidence": 1.0}
    rows = [[build_rating_text({**line, "session": f"{who}-{n}"}) for n in range(25)] for who in ("one", "two")]

    def take(some: list[tuple[str, bytes]]) -> None:
        for path, data in some:
            assert TeamRecords(ada.app).take({path: data}, "there") == {}

    with ThreadPoolExecutor(2) as both:
        list(both.map(take, rows))

    assert len(ada.rated()) == 50


RUN = "run-2026-11-15-092214-abcdefgh"
GOOD = {"v": 1, "run": RUN, "goal": "x", "status": "complete"}
HOSTILE = {
    "records/run/../../../evil/run.json": b"{}",
    f"records/run/{RUN}/../../lock": b"{}",
    f"records/run/{RUN}/run.json": b"not json",
    f"records/run/{RUN}a/run.json": json.dumps(GOOD).encode(),
    f"records/run/{RUN}/events.jsonl": b'{"type": "orient"}\n[1]\n',
    "records/cost/01M7GM8TW99396BRXYSTV1BBB2": b'{"id": "01M7GM8TW99396BRXYSTV1BBB3", "cost": 1e999}',
    "records/rating/" + "0" * 32: b'{"rating": 11}',
    "records/other/x": b"{}",
}


@pytest.mark.parametrize("desks", ["postgres"], indirect=True)
def test_hostile_rows_are_named_and_nothing_of_them_is_written(
    desks: list[Desk], team_database: PostgresDatabase
) -> None:
    ada, bob = desks
    ada.begin("Add a retry").end(DONE)
    ada.sync()
    assert isinstance(ada.shared, PostgresPeer)
    with ada.shared._space.writing("record") as cursor:
        put = "INSERT INTO record (space, kind, id, ts, body) VALUES (%s, %s, %s, '', %s)"
        for path, body in HOSTILE.items():
            _, kind, name = path.split("/", 2)
            cursor.execute(put, (ada.shared._space.id, kind, name, body.decode()))

    came = bob.sync()

    assert {each.what for each in came.refused} == {path for path in HOSTILE if "other" not in path}
    assert came.records == (2, 0)
    assert len(list(Path(bob.folder, ".holdfast/runs").iterdir())) == 1
    assert not list(Path(bob.folder).parent.rglob("evil"))
    assert bob.sync().refused == ()


@pytest.mark.parametrize(
    "change",
    [{"status": "gone"}, {"run": "x"}, {"plan": []}, {"plan": {"tasks": {}}}, {"plan": {"tasks": [1]}}, {"goal": 1},
     {"rejected_plans": ["x"]}, {"budget": 3}, {"started": []}],
)  # fmt: skip
def test_a_run_that_readers_would_stumble_over_is_none(change: dict[str, object]) -> None:
    path = f"records/run/{RUN}/run.json"

    assert find_record_error(path, json.dumps(GOOD).encode()) == ""
    assert find_record_error(path, json.dumps({**GOOD, **change}).encode()) != ""


def test_two_servers_of_a_team_show_the_same_work(tmp_path: Path, team_database: PostgresDatabase) -> None:
    space = new_space(team_database)
    one, two = (Mirror(space, str(tmp_path / name)) for name in ("one", "two"))
    here = Desk.__new__(Desk)
    here.folder, here.shared = one.registered.path, PostgresPeer(space, MarkdownTexts())
    there = Desk.__new__(Desk)
    there.folder, there.shared = two.registered.path, here.shared
    run = here.begin("Add a retry")
    run.end(DONE)
    name = here.spend(0.5)
    here.rate("9/10 - very good")
    assert here.rated() == [9]

    for _ in range(2):
        one.sync(here.app)
        two.sync(there.app)

    assert there.run(run.name).status == DONE
    assert there.spent()[name] == 0.5
    assert there.rated() == here.rated() == [9]
