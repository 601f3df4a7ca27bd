"""Which models' vectors a collection holds; those of models that are no longer asked can go."""

from collections.abc import Collection, Mapping

import apsw


def count_vectors(db: apsw.Connection, place: str) -> Mapping[str, int]:
    """How many vectors of each model there are."""
    asked = "SELECT model, sum(there) FROM block WHERE place = ? GROUP BY model ORDER BY model"
    return {model: int(count) for model, count in db.execute(asked, (place,)) if count}


def drop_models(db: apsw.Connection, place: str, keep: Collection[str]) -> int:
    """Take away the vectors of every other model; how many went."""
    gone = {model: count for model, count in count_vectors(db, place).items() if model not in keep}
    for model in gone:
        for table in ("block", "vector", "token"):
            db.execute(f"DELETE FROM {table} WHERE place = ? AND model = ?", (place, model))  # noqa: S608 -- tables are ours
    if gone:
        db.execute("UPDATE meta SET value = value + 1 WHERE key = 'changed'")
    return sum(gone.values())
