"""What belongs together, the graph, and what search does with a question."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.conftest import run_in
from tests.journeys.moulds import being, cast, environment, set_up

PROMPT = '{"session_id":"%s","transcript_path":"/home/dev/.claude/p/s1.jsonl","cwd":"%s",'
PROMPT += '"hook_event_name":"UserPromptSubmit","prompt":"%s"}'


class Made:
    """A workspace with memories that hang together, by the words that name them."""

    def __init__(self, run: Any, folder: Path) -> None:
        self.run, self.folder = run, folder
        self.ids: dict[str, str] = {}

    def keep(self, name: str, *words: str) -> str:
        self.ids[name] = self.run("remember", *words, "--json").json["id"]
        return self.ids[name]

    def file(self, name: str) -> Path:
        [found] = self.folder.glob(f".holdfast/memory/*/{self.ids[name]}*.md")
        return found

    def with_evidence(self, name: str, event: str) -> None:
        head, begin, rest = self.file(name).read_text().partition("---\n")
        self.file(name).write_text(f"{head}{begin}evidence:\n- event: {event}\n  quote: said so\n{rest}")

    def say(self, words: str, session: str = "s1") -> None:
        assert self.run("hook", stdin=PROMPT % (session, self.folder, words)).status == 0

    def said(self, words: str) -> str:
        [hit, *_] = self.run("search", words, "--in", "turns", "--json").json["hits"]
        return str(hit["id"])

    def related(self, name: str, *more: str) -> dict[str, Any]:
        found = self.run("show", "--related", self.ids[name], "--json", *more)
        return {each["id"]: each for each in found.json["related"]}


@pytest.fixture(scope="module")
def mould(tmp_path_factory: pytest.TempPathFactory) -> Made:
    base = tmp_path_factory.mktemp("graph")
    folder = base / "project"
    folder.mkdir()
    env = environment(base / "home")
    with being(env):
        set_up(folder)
    made = Made(lambda *words: run_in(folder, *words, env=env), folder)
    old = made.keep("mysql", "decision", "Use MySQL for storage", "--choice", "MySQL", "--tag", "database")
    made.keep("postgres", "decision", "Move to Postgres", "--choice", "Postgres", "--tag", "database",
              "--supersedes", old, "--path", "src/db/**")  # fmt: skip
    made.keep("pool", "failure", "Pool ran dry", "--root-cause", "PgBouncer was off", "--path", "src/db/pool.py")
    made.keep("bouncer", "learning", "PgBouncer needs transaction mode")
    made.keep("redis", "learning", "pip install redis==5.0.1, newer ones break")
    made.keep("caroline", "learning", "Caroline said Redis is the cache of get_user_by_id")
    made.keep("alone", "invariant", "Never log tokens")
    return made


@pytest.fixture
def made(mould: Made, bare: Any, folder: Path) -> Made:
    cast(mould.folder, folder)
    made = Made(bare, folder)
    made.ids = dict(mould.ids)
    return made


def whys(found: dict[str, Any]) -> set[str]:
    return {why["kind"] for why in found["why"]}


def test_related_memories_say_why(made: Made) -> None:
    found = made.related("postgres")

    assert next(iter(found)) == made.ids["mysql"]
    assert whys(found[made.ids["mysql"]]) >= {"supersedes", "names"}
    assert found[made.ids["mysql"]]["status"] == "superseded"
    assert whys(found[made.ids["pool"]]) >= {"same file"}
    assert made.ids["alone"] not in found
    assert made.related("mysql")[made.ids["postgres"]]["why"][0]["text"] == f"superseded by {made.ids['postgres']}"


def test_names_are_shared_across_spellings(made: Made) -> None:
    [bond] = [why for why in made.related("redis")[made.ids["caroline"]]["why"] if why["kind"] == "names"]

    assert "package redis" in bond["text"]
    assert bond["names"] == ["redis"]


def test_a_memory_that_names_another_by_its_id_is_related(made: Made) -> None:
    naming = made.keep("naming", "learning", f"See {made.ids['alone']} before you log")

    assert whys(made.related("alone")[naming]) >= {"mentions"}
    assert whys(made.related("naming")[made.ids["alone"]]) >= {"mentions"}


def test_memories_of_one_session_are_related_and_so_is_what_was_said_there(made: Made) -> None:
    made.say("Tokens must never be logged, please")
    made.say("And bring the pool back")
    first, second = made.said("tokens logged"), made.said("bring pool back")
    made.with_evidence("alone", first)
    made.with_evidence("bouncer", second)

    assert whys(made.related("alone")[made.ids["bouncer"]]) >= {"same session"}
    turns = made.related("alone", "--in", "turns")
    assert whys(turns[first]) >= {"evidence"}
    assert whys(turns[second]) >= {"same session"}
    assert {each["kind"] for each in made.related("alone", "--in", "all").values()} == {"memory", "turn"}
    shown = made.run("graph", "--around", first, "--depth", "2").out
    assert f"evidence of: {made.ids['alone']}" in shown
    assert f"followed by: {second}" in shown


def test_the_limit_holds_and_the_best_come_first(made: Made) -> None:
    assert list(made.related("postgres", "--limit", "1")) == [made.ids["mysql"]]
    scores = [each["score"] for each in made.related("postgres").values()]
    assert scores == sorted(scores, reverse=True)


def test_a_memory_alone_has_no_relatives(made: Made) -> None:
    found = made.run("show", "--related", made.ids["alone"])

    assert (found.status, "Nothing here is related" in found.out) == (1, True)


@pytest.mark.parametrize("wanted", ["NOPE-123", "", "../../etc/passwd", "a\x1b[31m"])
def test_an_unknown_id_is_not_found(made: Made, wanted: str) -> None:
    found = made.run("show", "--related", wanted)

    assert found.status == 3
    assert "\x1b" not in found.err


def test_near_in_meaning_where_vectors_are_there(made: Made) -> None:
    pytest.importorskip("wordllama", reason="the default embedder's weights are in the extra `meaning`")
    for words in ("Passwords are stored salted and hashed", "Credentials are kept hashed and salted"):
        made.keep(words, "learning", words)
    made.run("search", "anything that loads vectors", "--set", "search.recipe=default")

    found = made.related("Passwords are stored salted and hashed")

    assert "near" in whys(found[made.ids["Credentials are kept hashed and salted"]])


# The graph


def test_the_graph_has_nodes_of_every_kind(made: Made) -> None:
    kinds = set()
    for name in ("postgres", "pool", "redis", "caroline"):
        found = made.run("graph", "--around", made.ids[name], "--depth", "2", "--json").json
        kinds |= {node["kind"] for node in found["nodes"]}

    assert kinds >= {"memory", "file", "symbol", "package", "person", "tag", "entity"}


@pytest.mark.parametrize(
    ("around", "key"),
    [
        ("src/db/pool.py", "file:src db pool py"),
        ("REDIS", "package:redis"),
        ("pgbouncer", "entity:pgbouncer"),
        ("get_user_by_id", "symbol:get user by id"),
        ("caroline", "person:caroline"),
        ("database", "tag:database"),
    ],
)
def test_a_graph_starts_at_a_name(made: Made, around: str, key: str) -> None:
    found = made.run("graph", "--around", around, "--json").json

    assert found["around"] == key
    assert {edge["kind"] for edge in found["edges"]} == {"mentions"}


def test_a_file_leads_to_what_holds_there_by_a_glob(made: Made) -> None:
    shown = made.run("graph", "--around", "src/db/new.py").out

    assert "file src/db/new.py" in shown
    assert made.ids["postgres"] in shown


def test_the_tree_shows_every_node_once(made: Made) -> None:
    shown = made.run("graph", "--around", made.ids["postgres"], "--depth", "3").out

    assert shown.count(f"{made.ids['pool']}  ") == 1
    assert f"  supersedes: {made.ids['mysql']}  Use MySQL for storage" in shown
    assert shown == made.run("graph", "--around", made.ids["postgres"], "--depth", "3").out


def test_graphviz_and_mermaid_are_well_formed(made: Made) -> None:
    odd = made.keep("odd", "learning", 'Say "hi" to PgBouncer]; <b>now</b> \\')

    dot = made.run("graph", "--around", odd, "--dot").out
    mermaid = made.run("graph", "--around", odd, "--mermaid").out

    assert dot.startswith("digraph holdfast {\n")
    assert '\\"hi\\"' in dot
    assert all(re.sub(r"\\.", "", line).count('"') in {0, 4, 6} for line in dot.splitlines())
    assert mermaid.startswith("graph LR\n")
    assert "<b>" not in mermaid
    assert all(line.count('"') in {0, 2} for line in mermaid.splitlines())


def test_a_graph_is_bounded(made: Made) -> None:
    found = made.run("graph", "--around", "database", "--depth", "4", "--limit", "3", "--json").json

    assert len(found["nodes"]) == 3
    assert found["full"]
    assert made.run("graph", "--around", "database", "--depth", "9").status == 2
    assert made.run("graph", "--around", "database", "--limit", "1").status == 2


def test_what_is_nowhere_is_not_found_and_likely_names_are_told(made: Made) -> None:
    assert made.run("graph", "--around", "zzz").status == 3
    assert "pgbouncer" in made.run("graph", "--around", "pgbouncr").err
    assert made.run("graph", "--around", "").status == 3


def test_an_agent_sees_no_more_than_it_may(made: Made, git: Any) -> None:
    git("init")
    git("add", "-A", "-f", ".holdfast/memory")
    git("commit", "-m", "theirs")
    (made.folder / ".holdfast/state/workspace.json").unlink(missing_ok=True)
    as_agent = {"CLAUDECODE": "1", "HOLDFAST_HOME": str(made.folder.parent / "another")}

    assert made.run("show", "--related", made.ids["postgres"], env=as_agent).status == 3
    assert made.run("graph", "--around", "database", env=as_agent).status == 3
    told = made.run("search", "--explain", "postgres", "--recipe", "words", "--json", env=as_agent)
    assert "Move to Postgres" not in told.out
    assert "held back" in told.err


# What search does


def test_inspect_tells_all_that_is_read_in_a_question(made: Made) -> None:
    words = "which database before we moved to Postgres"
    found = made.run("search", "--explain", words, "--recipe", "default", "--json").json

    assert "databas" in found["terms"]
    assert found["left_out"]["which"] == "tells nothing"
    assert {lane["name"] for lane in found["lanes"]} >= {"words", "graph", "time", "meaning"}
    [time] = found["times"]
    assert (time["said"], time["from"], time["anchor"]) == ("before we moved to postgres", "", made.ids["postgres"])


def test_inspect_says_why_each_candidate_was_dropped(made: Made) -> None:
    made.run("propose", "learning", "Postgres wants vacuum")
    found = made.run("search", "--explain", "MySQL Postgres storage", "--limit", "1", "--json").json
    why = {each["id"]: each["why"] for each in found["dropped"]}

    assert why[made.ids["mysql"]] == f"superseded by {made.ids['postgres']}"
    assert "status candidate" in why.values()
    assert [hit["id"] for hit in found["hits"]] == [made.ids["postgres"]]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--type", "failure"), "type decision"),
        (("--path", "web/app.ts"), "holds at other paths"),
        (("--tag", "nothing"), "has not every tag"),
        (("--as-of", "2001-01-01"), "holds from"),
        (("--scope", "user"), "scope workspace"),
        (("--since", "2999-01-01"), "not changed since"),
    ],
)
@pytest.mark.parametrize("recipe", ["words", "auto"])
def test_filters_are_reasons(made: Made, options: tuple[str, str], why: str, recipe: str) -> None:
    found = made.run("search", "--explain", "Postgres", "--recipe", recipe, *options, "--json").json

    told = {each["id"]: each["why"] for each in found["dropped"]}
    assert told[made.ids["postgres"]].startswith(why)


def test_inspect_finds_what_search_finds(made: Made) -> None:
    for words in ("Postgres", "redis cache", "nothing of the kind", "pool"):
        search = made.run("search", words, "--json").json["hits"]
        found = made.run("search", "--explain", words, "--json").json["hits"]

        assert [hit["id"] for hit in search] == [hit["id"] for hit in found]


def test_inspect_is_readable_too(made: Made) -> None:
    shown = made.run("search", "--explain", "Postgres storage").out

    assert "terms" in shown
    assert "dropped, superseded by" in shown
    assert made.run("search", "--explain", " ").status == 2
    assert json.loads(made.run("search", "--explain", "x", "--json").out)["hits"] == []
