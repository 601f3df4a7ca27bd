"""The one door: a decoded JSON value goes in, the same value without what must not reach the disk comes out.

A hook runs this on every event in a process of its own. So nothing is imported here but the gate: the rest, and `re`
with it (0.8 of a bare Python start), loads inside the functions that need it, and most events need none of it.
"""

from holdfast.redact import gate
from holdfast.redact.elide import LEAST, elide, replace_binary
from holdfast.redact.hidden_text import holds_hidden, named_entry, number_same_keys, shown_text

# MYPY is true for type checkers only: `collections.abc` would cost a hook more than the gate does.
MYPY = False
if MYPY:
    from collections.abc import Callable

    from holdfast.redact.secret_rules import SecretRule

# How many `<private>` tags of a session are open: what a caller keeps between its events, as JSON if it likes.
PrivateState = int

DEEPEST = 128
TOO_DEEP = "[elided: nested too deep]"


class Cleaned:
    """A value fit for the disk, what was found in it (kind → count), and the session's private state after it."""

    __slots__ = ("found", "state", "value")

    def __init__(self, value: object, found: dict[str, int], state: PrivateState) -> None:
        self.value = value
        self.found = found
        self.state = state


def clean(
    value: object,
    *,
    state: PrivateState | None = None,
    limit: int | None = None,
    commands: frozenset[str] = frozenset(),
    suspects: "Callable[[str], tuple[SecretRule, ...]]" = gate.suspects,
) -> Cleaned:
    """The value without our own blocks, private text, binary data and secrets, in keys and values alike.

    Give the content of an event, not its envelope: while the session's state is private, every text in it goes. With a
    limit, longer texts are elided. Where nothing is found, the very same object comes back. `commands` are the fields
    of what an agent runs: tags in there hide no other command.
    """
    work = _Work(state or 0, limit, commands)
    bare = _without_secrets(work.trimmed(value, 0), work.found, suspects)
    return Cleaned(bare, work.found, work.state)


def clean_secrets(value: object) -> Cleaned:
    """The value without secrets, and all else as it is: for words that a person gave us to keep."""
    found: dict[str, int] = {}
    return Cleaned(_without_secrets(value, found, gate.suspects), found, 0)


def _without_secrets(
    value: object, found: dict[str, int], suspects: "Callable[[str], tuple[SecretRule, ...]]"
) -> object:
    text = "\n".join(_flat(value, []))
    rules = suspects(text)
    if holds_hidden(text):
        rules = tuple(dict.fromkeys([*rules, *suspects(shown_text(text)[0])]))
    if not rules:
        return value
    # Only now: this loads `re` and compiles the rules that the gate suspects.
    from holdfast.redact.json_entries import redact_secrets

    return redact_secrets(value, rules, found)


class _Work:
    """What is carried from text to text of one value, in the order a reader sees them."""

    def __init__(self, state: PrivateState, limit: int | None, commands: frozenset[str]) -> None:
        self.state = state
        self.limit = limit
        self.commands = commands
        self.runs = False
        self.found: dict[str, int] = {}

    def trimmed(self, value: object, depth: int) -> object:
        """The value with every text trimmed; the same object where nothing changed."""
        if isinstance(value, str):
            if not self.state and len(value) < LEAST and gate.is_plain(value):
                return value
            return self._text(value)
        if depth > DEEPEST and isinstance(value, dict | list) and value:
            return TOO_DEEP
        if isinstance(value, dict):
            return self._entries(value, depth)
        if isinstance(value, list):
            items = [self.trimmed(item, depth + 1) for item in value]
            return value if all(map(_same, items, value)) else items
        return value

    def _entries(self, value: dict[str, object], depth: int) -> dict[str, object]:
        entries, same = [], True
        for key, held in value.items():
            name = self._key(key)
            self.runs = key in self.commands
            kept = self.trimmed(held, depth + 1)
            self.runs = False
            same = same and name is key and kept is held
            entries.append((name, kept))
        return value if same else number_same_keys(entries)

    def _key(self, key: str) -> str:
        if len(key) < LEAST and gate.is_plain(key):
            return key
        # A key names a field: tags in it count, but neither open nor close what texts are inside of.
        state, self.state = self.state, 0
        key, self.state = self._text(key), state
        return key

    def _text(self, text: str) -> str:
        if self.state or gate.names_a_tag(text):
            text = self._untagged(text)
        short = elide(text, self.limit) if self.limit is not None else replace_binary(text)
        return text if short is text else self._counted("elided", short, 1)

    def _untagged(self, text: str) -> str:
        if self.runs and not self.state:
            from holdfast.redact.private_text import strip_private_words

            return self._counted("private", *strip_private_words(text))
        if gate.may_hold_own(text):
            from holdfast.redact.own_words import strip_own_blocks

            text = self._counted("own", *strip_own_blocks(text))
        if self.state or gate.may_hold_private(text):
            from holdfast.redact.private_text import strip_private

            text, self.state, count = strip_private(text, self.state)
            self._counted("private", text, count)
        return text

    def _counted(self, kind: str, text: str, count: int) -> str:
        if count:
            self.found[kind] = self.found.get(kind, 0) + count
        return text


def _same(one: object, other: object) -> bool:
    return one is other


def _flat(value: object, lines: list[str]) -> list[str]:
    """Every text of a value, names before what they name: what the gate looks at."""
    if isinstance(value, str):
        lines.append(value)
    elif isinstance(value, list):
        for item in value:
            _flat(item, lines)
    elif isinstance(value, dict):
        if name := named_entry(value):
            lines.append(f"{name}={value.get('value', value.get('Value'))}")
        for key, held in value.items():
            if isinstance(held, dict | list):
                lines.append(key)
                _flat(held, lines)
            else:
                lines.append(f"{key}={held}")
    return lines
