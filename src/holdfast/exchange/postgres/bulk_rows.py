"""Many rows into a table by one statement. COPY would be faster still, and knows no row-level security."""

from collections.abc import Iterable, Sequence

from holdfast.exchange.postgres.database import Cursor, DatabaseSpace, Row
from holdfast.exchange.postgres.index_rows import strip_unstorable


def put_rows(
    cursor: Cursor, space: DatabaseSpace, table: str, columns: str, rows: Sequence[Row], then: str = ""
) -> None:
    """Put rows of a space.

    `columns` has a type for each; what PostgreSQL has no arrays of arrays for comes as text: `text>integer[]`. `then`
    is what becomes of a row that is there already.
    """
    if rows:
        types = [each.partition(">") for each in columns.split()]
        names = [f"c{at}" for at in range(len(types))]
        made = ", ".join(f"{name}::{kind or plain}" for name, (plain, _, kind) in zip(names, types, strict=True))
        source = f"unnest({', '.join(f'%s::{plain}[]' for plain, _, _ in types)}) AS made ({', '.join(names)})"
        statement = f"INSERT INTO {table} SELECT %s, {made} FROM {source} {then}"  # noqa: S608 -- tables are ours
        given = [
            format_array(plain, column) for (plain, _, _), column in zip(types, zip(*rows, strict=True), strict=True)
        ]
        cursor.execute(statement.encode(), (space.id, *given))


def format_array(kind: str, values: Iterable[object]) -> str:
    """Values as PostgreSQL writes an array: joined at once, where the driver would look at one after the other."""
    if kind == "bytea":
        return _quote_array([f"\\x{value.hex()}" for value in values if isinstance(value, bytes)])
    if kind == "text":
        return _quote_array([str(value) for value in values])
    return f"{{{','.join('NULL' if value is None else str(value) for value in values)}}}"


def _quote_array(values: Sequence[str]) -> str:
    joined = "\0".join(values)
    if joined.count("\0") >= max(1, len(values)):
        return _quote_array([strip_unstorable(value) for value in values])
    if not values:
        return "{}"
    escaped = joined.replace("\\", "\\\\").replace('"', '\\"').replace("\0", '","')
    return f'{{"{escaped}"}}'
