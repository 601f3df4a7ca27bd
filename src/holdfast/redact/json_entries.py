"""Secrets in a decoded JSON value, where an object's key or the flag before it can give a text its name."""

from holdfast.redact.find_secrets import map_to_text, redact_text
from holdfast.redact.hidden_text import holds_hidden, named_entry, number_same_keys, shown_text
from holdfast.redact.named_values import find_in_pair
from holdfast.redact.secret_names import kind_of
from holdfast.redact.secret_rules import BLOCK, SecretRule
from holdfast.redact.split_keys import redact_split_keys


def redact_secrets(value: object, rules: tuple[SecretRule, ...], found: dict[str, int]) -> object:
    """The value with every secret replaced; counts go to `found`. The same object where nothing changed."""
    whole = redact_split_keys(value, found) if BLOCK in rules and not isinstance(value, str) else value
    return _Redaction(rules, found).of(whole, "")


class _Redaction:
    """The rules in force and the counts so far."""

    def __init__(self, rules: tuple[SecretRule, ...], found: dict[str, int]) -> None:
        self.rules = rules
        self.found = found

    def of(self, value: object, name: str) -> object:
        """The value without secrets; `name` is what it is called."""
        if isinstance(value, str):
            return self._text(value, name)
        if isinstance(value, list):
            items = [self.of(item, _flag(value, at)) for at, item in enumerate(value)]
            return value if all(new is old for new, old in zip(items, value, strict=True)) else items
        if isinstance(value, dict):
            return self._entries(value)
        if (
            isinstance(value, int)
            and not isinstance(value, bool)
            and abs(value) > 999
            and kind_of(name).endswith("password")
        ):
            return self._replaced(kind_of(name))
        return value

    def _entries(self, value: dict[str, object]) -> dict[str, object]:
        given = named_entry(value)
        entries = [
            (self._text(key, ""), self.of(held, _shown_name(given if given and key in ("value", "Value") else key)))
            for key, held in value.items()
        ]
        same = all(key is old and held is value[old] for (key, held), old in zip(entries, value, strict=True))
        return value if same else number_same_keys(entries)

    def _text(self, text: str, name: str) -> str:
        bare, found = redact_text(text, self.rules)
        for kind, count in found.items():
            self.found[kind] = self.found.get(kind, 0) + count
        # The name speaks for what was there before: a part already replaced must not save the rest.
        if name and "[redacted:" not in text and (span := _find_pair(name, text)):
            first, last, kind = span
            whole = bare.startswith("[redacted:") and bare.find("]") == len(bare) - 1
            return bare if whole else text[:first] + self._replaced(kind) + text[last:]
        return bare

    def _replaced(self, kind: str) -> str:
        self.found[kind] = self.found.get(kind, 0) + 1
        return f"[redacted:{kind}]"


def _find_pair(name: str, text: str) -> tuple[int, int, str] | None:
    """Where a secret stands in a text that has a name, whatever is hidden in it."""
    if not holds_hidden(text):
        return find_in_pair(name, text)
    bare, kept = shown_text(text)
    span = find_in_pair(name, bare)
    return (*map_to_text([span[:2]], kept)[0], span[2]) if span else None


def _shown_name(name: str) -> str:
    return shown_text(name)[0] if holds_hidden(name) else name


def _flag(items: list[object], at: int) -> str:
    before = items[at - 1] if at else ""
    return before if isinstance(before, str) and before.startswith("-") else ""
