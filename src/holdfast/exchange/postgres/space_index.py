"""The index of a space in a team's database, kept up to date with the files that lie there: no checkout is needed."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from holdfast.index.build_index import IndexedVault, sync_index
from holdfast.vault.memory_text import MarkdownTexts

if TYPE_CHECKING:
    from holdfast.core.event import Cursor, JournalRecord
    from holdfast.core.index_store import RankedIndex
    from holdfast.exchange.postgres.database import DatabaseSpace


def open_team_index(space: "DatabaseSpace") -> "RankedIndex":
    """The index up to date with memory as it is in the database now. Whoever asks first brings it there for all."""
    from holdfast.exchange.postgres.change_feed import newest_number
    from holdfast.exchange.postgres.postgres_files import MEMORY, PostgresVault
    from holdfast.exchange.postgres.postgres_index import PostgresIndex

    store, now = PostgresIndex(space), newest_number(space)
    # Files never move without a word in the feed: where nothing was told, a million stamps need not be compared.
    if store.synced_to() != now:
        sync_index(store, [IndexedVault(name=MEMORY, vault=PostgresVault(space, MarkdownTexts()))], _NoEvents())
        store.put_synced_to(now)
    return store


class _NoEvents:
    """What was said in sessions is not looked for here."""

    def read(self, after: "Cursor | None" = None) -> "Iterator[JournalRecord]":
        """Nothing."""
        del after
        return iter(())
