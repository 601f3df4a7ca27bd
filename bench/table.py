"""Tables of figures: plain text that reads well in a terminal and in Markdown."""

from collections.abc import Sequence

Row = Sequence[str]


def table(title: str, head: Row, rows: Sequence[Row]) -> str:
    """A Markdown table under a title."""
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]

    def line(row: Row) -> str:
        return "| " + " | ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) + " |"

    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([f"## {title}", "", line(head), rule, *map(line, rows), ""])
