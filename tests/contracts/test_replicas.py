"""Three replicas of a project that change it as they like end equal, and no word of theirs is lost."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.budget import examples
from tests.databases import new_space

from holdfast.app import open_memory
from holdfast.exchange.postgres.database import PostgresDatabase
from holdfast.exchange.postgres.postgres_peer import PostgresPeer
from holdfast.exchange.sync.sync_workspace import SyncReport, SyncScope, sync_workspace
from holdfast.records.team_forms import RECORDS
from holdfast.setup.init_workspace import init, plan_init
from holdfast.trust.allow import register
from holdfast.vault.memory_text import MarkdownTexts

EVERYTHING = SyncScope(places=("memory", "candidates", RECORDS))
WRITE, REMOVE, SYNC, LOSE = "write", "remove", "sync", "lose the state"
Op = tuple[int, str, int]

OPS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from([WRITE, WRITE, REMOVE, SYNC, SYNC, SYNC, LOSE]), st.integers(0, 2)),
    min_size=4,
    max_size=16,
)


class Replica:
    """A checkout; every text that is written into it is a word of its own."""

    def __init__(self, folder: Path, shared: PostgresPeer) -> None:
        folder.mkdir()
        self.folder, self._shared = folder, shared
        app = plan_init(str(folder), named=True)
        init(app)
        register(app, allowed=True)

    @property
    def below(self) -> Path:
        return self.folder / ".holdfast"

    def path(self, file: int) -> Path:
        return self.below / f"memory/learnings/LRN-00000{file}.md"

    def word(self, file: int) -> str:
        """What a file says now."""
        path = self.path(file)
        return path.read_text().partition("title: ")[2].partition("\n")[0] if path.exists() else ""

    def write(self, file: int, word: str) -> None:
        self.path(file).parent.mkdir(parents=True, exist_ok=True)
        head = f"id: LRN-00000{file}\ntype: learning\nstatus: accepted\ntitle: {word}\nfact: {word}\n"
        self.path(file).write_text(f"---\n{head}---\n{word}\n")

    def sync(self) -> SyncReport:
        return sync_workspace(open_memory(str(self.folder)), self._shared, EVERYTHING)

    def lose_state(self) -> None:
        for file in (self.below / "state/sync").glob("*.json"):
            file.unlink()

    def files(self) -> dict[str, bytes]:
        places = [self.below / "memory/learnings", self.below / "candidates"]
        return {f"{p.parent.name}/{p.name}": p.read_bytes() for place in places for p in place.glob("*.md")}


@settings(max_examples=examples(8), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ops=OPS)
def test_random_changes_by_three_replicas_end_equal(team_database: PostgresDatabase, ops: list[Op]) -> None:
    space = new_space(team_database)
    with tempfile.TemporaryDirectory() as root:
        replicas = [Replica(Path(root, str(n)), PostgresPeer(space, MarkdownTexts())) for n in range(3)]
        written, replaced = _carried_out(replicas, ops)

        # Each clash makes a candidate that the others hear of in the next turn.
        for _ in range(4):
            last = [replica.sync() for replica in replicas]

        assert all(each == SyncReport() for each in last)
        one, two, three = (replica.files() for replica in replicas)
        assert one == two == three
        assert {path.partition("/")[2].rpartition("/")[2] for path in replicas[0]._shared.files()} == {
            path.partition("/")[2] for path in one
        }
        kept = b"\n".join(one.values()).decode()
        assert [word for word in written - replaced if word not in kept] == []


def _carried_out(replicas: list[Replica], ops: list[Op]) -> tuple[set[str], set[str]]:
    """What was written, and what somebody replaced or removed who had it before their eyes."""
    written, replaced = set[str](), set[str]()
    for number, (who, what, file) in enumerate(ops):
        replica = replicas[who]
        match what:
            case "sync":
                replica.sync()
            case "lose the state":
                replica.lose_state()
            case _:
                replaced.add(replica.word(file))
                if what == WRITE:
                    word = f"word{number:04d}x"
                    written.add(word)
                    replica.write(file, word)
                else:
                    replica.path(file).unlink(missing_ok=True)
    return written, replaced
