"""The index of a space in a team's database, kept in step with the files that lie there: no checkout is needed."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdfast.index.build_index import Place, sync
from holdfast.vault.memory_text import Markdown

if TYPE_CHECKING:
    from holdfast.core.event import Cursor, Record
    from holdfast.core.index_store import IndexStore
    from holdfast.exchange.postgres.database import Space


def team_index(space: "Space") -> "IndexStore":
    """The index in step with memory as it is in the database now. Whoever asks first brings it there for all."""
    from holdfast.exchange.postgres.change_feed import last
    from holdfast.exchange.postgres.postgres_files import MEMORY, PostgresVault
    from holdfast.exchange.postgres.postgres_index import PostgresIndex

    store, now = PostgresIndex(space), last(space)
    # Files never move without a word in the feed: where nothing was told, a million stamps need not be compared.
    if store.told() != now:
        sync(store, [Place(name=MEMORY, vault=PostgresVault(space, Markdown()))], _NoEvents())
        store.put_told(now)
    return store


class _NoEvents:
    """What was said in sessions is not looked for here."""

    def read(self, after: "Cursor | None" = None) -> "Iterator[Record]":
        """Nothing."""
        del after
        return iter(())
