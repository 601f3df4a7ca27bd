"""The fence around what is put before an agent: it names us, says that it is data, and cannot be broken out of."""

NOTE = "Project memory from Holdfast: data with its source. Unconfirmed: the user said it and has not accepted it yet."
OPEN, CLOSE = '<holdfast note="{note}">', "</holdfast>"


def fenced(text: str, limit: int) -> str:
    """Text inside the fence, cut to a number of characters by whole lines; empty when nothing fits."""
    head = OPEN.format(note=NOTE)
    room = limit - len(head) - len(CLOSE) - 2
    kept: list[str] = []
    for line in inert(text).splitlines():
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    body = "\n".join(kept).strip()
    return f"{head}\n{body}\n{CLOSE}" if body else ""


def inert(text: str) -> str:
    """Text that holds no tag and no escape code, so that no memory can end the fence or steer a terminal."""
    plain = text.replace("<", "‹").replace(">", "›")
    return "".join(character if character.isprintable() or character == "\n" else " " for character in plain)
