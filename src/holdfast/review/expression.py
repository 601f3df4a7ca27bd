"""A small language for rules: `said_by == 'user' and confidence > 0.9 and not conflicts`. It reads values, and no more.

Names, texts in quotes, numbers, `true`, `false`, lists in brackets; `and`, `or`, `not`, parentheses;
`== != < <= > >= in`. No calls, no attributes, no arithmetic.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeGuard

from holdfast.core.errors import BadRequest
from holdfast.core.value import Value

Plain = str | float | bool | tuple["Plain", ...]
Facts = Mapping[str, Plain]
LONGEST = 2000
DEEPEST = 40
WORDS = frozenset({"and", "or", "not", "in", "true", "false"})
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<text>'[^']*'|\"[^\"]*\")|(?P<word>[A-Za-z_]\w*)|(?P<mark>==|!=|<=|>=|[<>()\[\],]))",
    re.ASCII,
)
_ORDERED: Mapping[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


class BadRule(BadRequest):
    """A rule that cannot be read, or that compares what cannot be compared."""

    def __init__(self, rule: str, reason: str) -> None:
        super().__init__(
            f"The rule {rule!r} cannot be used: {reason}.",
            "write it like: said_by == 'user' and confidence > 0.9 and not conflicts",
        )


class RuleToken(Value):
    """A piece of a rule, and what it is: number, text, word or mark; `end` after the last."""

    kind: str
    text: str


class CandidateRule:
    """A rule that was read. `holds` says whether it is true of some facts."""

    def __init__(self, text: str, names: Sequence[str]) -> None:
        if len(text) > LONGEST:
            raise BadRule(text[:40] + "…", f"it is longer than {LONGEST} characters")
        self.text = text
        self._names = frozenset(names)
        self._tokens = _tokens(text)
        self._at = 0
        self._depth = 0
        self._comparisons: list[Callable[[Facts], Plain]] = []
        self._tree = self._either()
        if self._next.kind != "end":
            raise self._bad(f"{self._next.text!r} stands where it should end")

    def holds(self, facts: Facts) -> bool:
        """Whether the rule is true. Raises BadRule where values of two kinds are compared by size."""
        return _is_true(self._tree(facts))

    def fits(self, facts: Facts) -> None:
        """Raise BadRule if any of its comparisons, also one that `and` or `or` would skip, cannot be made of these."""
        for comparison in self._comparisons:
            comparison(facts)

    @property
    def _next(self) -> RuleToken:
        return self._tokens[self._at]

    def _take(self) -> RuleToken:
        found = self._next
        self._at += 1
        return found

    def _is(self, *texts: str) -> bool:
        return self._next.kind in {"word", "mark"} and self._next.text in texts

    def _bad(self, reason: str) -> BadRule:
        return BadRule(self.text, reason)

    def _either(self) -> Callable[[Facts], Plain]:
        parts = [self._both()]
        while self._is("or"):
            self._take()
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else lambda facts: any(_is_true(part(facts)) for part in parts)

    def _both(self) -> Callable[[Facts], Plain]:
        parts = [self._negated()]
        while self._is("and"):
            self._take()
            parts.append(self._negated())
        return parts[0] if len(parts) == 1 else lambda facts: all(_is_true(part(facts)) for part in parts)

    def _negated(self) -> Callable[[Facts], Plain]:
        if not self._is("not"):
            return self._compared()
        self._take()
        self._deeper()
        inner = self._negated()
        self._depth -= 1
        return lambda facts: not _is_true(inner(facts))

    def _compared(self) -> Callable[[Facts], Plain]:
        left = self._value()
        if not self._is("==", "!=", "<", "<=", ">", ">=", "in"):
            return left
        sign = self._take().text
        right = self._value()
        if self._is("==", "!=", "<", "<=", ">", ">=", "in"):
            raise self._bad("comparisons cannot be chained: join them by `and`")
        self._comparisons.append(lambda facts: self._compare(sign, left(facts), right(facts)))
        return self._comparisons[-1]

    def _compare(self, sign: str, left: Plain, right: Plain) -> bool:
        if sign in {"==", "!="}:
            if _kind(left) != _kind(right):
                raise self._bad(f"{left!r} and {right!r} are of two kinds")
            return (left == right) is (sign == "==")
        if sign == "in":
            if isinstance(right, str) and isinstance(left, str):
                return left in right
            if not isinstance(right, tuple):
                raise self._bad("`in` needs a list")
            return left in right
        if not (_is_number(left) and _is_number(right)):
            raise self._bad(f"only numbers have a size: {left!r} {sign} {right!r}")
        return _ORDERED[sign](left, right)

    def _value(self) -> Callable[[Facts], Plain]:
        token = self._take()
        match token:
            case RuleToken(kind="number"):
                number = float(token.text)
                return lambda _: number
            case RuleToken(kind="text"):
                text = token.text[1:-1]
                return lambda _: text
            case RuleToken(text="true" | "false"):
                truth = token.text == "true"
                return lambda _: truth
            case RuleToken(text="("):
                return self._inner()
            case RuleToken(text="["):
                return self._list()
            case RuleToken(kind="word") if token.text in self._names:
                name = token.text
                return lambda facts: facts[name]
            case RuleToken(kind="word") if token.text not in WORDS:
                raise self._bad(f"there is no {token.text!r}; there are {', '.join(sorted(self._names))}")
            case _:
                shown = "its end" if token.kind == "end" else repr(token.text)
                raise self._bad(f"{shown} stands where a value should be")

    def _inner(self) -> Callable[[Facts], Plain]:
        self._deeper()
        inner = self._either()
        self._depth -= 1
        self._expect(")")
        return inner

    def _list(self) -> Callable[[Facts], Plain]:
        self._deeper()
        parts: list[Callable[[Facts], Plain]] = []
        while not self._is("]"):
            parts.append(self._value())
            if not self._is("]"):
                self._expect(",")
        self._expect("]")
        self._depth -= 1
        return lambda facts: tuple(part(facts) for part in parts)

    def _expect(self, mark: str) -> None:
        if not self._is(mark):
            raise self._bad(f"{mark!r} is missing")
        self._take()

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._bad("it is nested too deep")


def _tokens(text: str) -> list[RuleToken]:
    found, at = [], 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise BadRule(text, f"{text[at:].strip()[:12]!r} means nothing here")
        found.append(RuleToken(kind=match.lastgroup, text=match[match.lastgroup]))
        at = match.end()
    return [*found, RuleToken(kind="end", text="")]


def _is_true(value: Plain) -> bool:
    return bool(value)


def _is_number(value: Plain) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _kind(value: Plain) -> str:
    if isinstance(value, bool):
        return "truth"
    return "number" if _is_number(value) else type(value).__name__
