"""Numbers in a text: with their units made one, or as the version of a name."""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from holdfast.conflicts.comparable_words import light_forms, says_nothing, split_words
from holdfast.core.value import Value

# One line a dimension: the names of a unit, and how many of the smallest it is.
_UNITS = """\
time: 0.001 ms msec millisecond milliseconds | 1 s sec secs second seconds | 60 min mins minute minutes \
| 3600 h hr hrs hour hours | 86400 d day days | 604800 week weeks | 2592000 month months | 31536000 year years
size: 1 b byte bytes | 1024 kb kib kilobyte kilobytes | 1048576 mb mib megabyte megabytes \
| 1073741824 gb gib gigabyte gigabytes | 1099511627776 tb tib terabyte terabytes
share: 1 % percent
length: 1 px pixel pixels
count: 1 time times
rate: 1 hz | 1000 khz | 1000000 mhz | 1000000000 ghz
heat: 1 °c degree degrees
"""
_TWO_AND_MORE = "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
_SPELLED = {name: number for number, name in enumerate(_TWO_AND_MORE.split(), start=2)} | {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100,
}  # fmt: skip
_NUMBER = re.compile(
    r"(?<![\w.])(?:(?P<name>[A-Za-z][A-Za-z+#.]*[A-Za-z+#]|[A-Z])[ ]?(?:>=|<=|==|>|<|~|v)?[ ]?)?"
    r"(?P<number>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)*)(?:\.x)?(?P<space>[ -]?)(?P<unit>[A-Za-z%°]+)?",
)
_WORDS = re.compile(r"\b(?P<number>" + "|".join(_SPELLED) + r")[ -](?P<unit>[A-Za-z]+)", re.IGNORECASE)
# Before a number these are no names that it could be the version of.
_PLAIN = (
    "a an the to of is are at in on for by least most than after within every with about from be and or "
    "only up max min maximum minimum above below over under exceed exceeds set limit limited size takes "
    "took wait use uses used run runs keep retry retries last first "
)
_NO_NAME = frozenset(_PLAIN.split())
VERSIONS = "version"
BARE = "number"
LABEL = "label"
# What stands before a number that only tells one thing from its like: `step 2` and `step 3` are two subjects.
_TOLD_APART = (
    "fact note memo entry record remark comment thought idea meeting call run test day round batch card rule "
    "part step phase stage issue ticket task chapter section table figure line item point case sprint milestone adr pr "
    "bug story page room slot column row lesson exercise level layer question goal iteration week day episode"
)
_LABELS = frozenset(_TOLD_APART.split())
_SPELLED_LABEL = re.compile(
    rf"\b(?P<name>{'|'.join(_TOLD_APART.split())}) (?P<number>one|{'|'.join(_SPELLED)})\b(?! [a-z])", re.IGNORECASE
)


class Amount(Value):
    """A number: of what dimension, or of what name it is the version; and how it is written."""

    of: str
    value: tuple[float, ...]
    written: str


def find_amounts(text: str) -> tuple[Amount, ...]:
    """The amounts of a text, in order."""
    return tuple(dict.fromkeys((*_amounts_in_digits(text), *_amounts_in_words(text))))


def _amounts_in_digits(text: str) -> Iterator[Amount]:
    for found in _NUMBER.finditer(text):
        unit = (found["unit"] or "").lower()
        name = (found["name"] or "").lower()
        number = found["number"].replace(",", "") if "," in found["number"] else found["number"]
        known = _units().get(unit)
        if known and number.count(".") < 2:
            yield _measure_amount(float(number), known, f"{found['number']}{found['space']}{found['unit']}")
        elif name in _LABELS:
            yield Amount(
                of=f"{LABEL} {name}", value=tuple(map(float, number.split("."))),
                written=f"{found['name']} {found['number']}",
            )  # fmt: skip
        elif name and name not in _NO_NAME and name not in _SPELLED and not says_nothing(name):
            yield Amount(
                of=f"{VERSIONS} {_form(name)}", value=tuple(map(float, number.split("."))),
                written=f"{found['name']} {found['number']}",
            )  # fmt: skip
        elif number.count(".") < 2:
            of = _form(unit) if unit and unit not in _NO_NAME else ""
            yield Amount(of=f"{BARE} {of}".strip(), value=(float(number),), written=f"{found['number']} {of}".strip())


def _amounts_in_words(text: str) -> Iterator[Amount]:
    for found in _SPELLED_LABEL.finditer(text):
        number = float(_SPELLED.get(found["number"].lower(), 1))
        yield Amount(of=f"{LABEL} {found['name'].lower()}", value=(number,), written=found[0])
    for found in _WORDS.finditer(text):
        known = _units().get(found["unit"].lower())
        if known:
            yield _measure_amount(float(_SPELLED[found["number"].lower()]), known, found[0])


def _measure_amount(number: float, unit: tuple[str, float], written: str) -> Amount:
    dimension, times = unit
    return Amount(of=dimension, value=(round(number * times, 6),), written=written)


def without_amounts(text: str) -> str:
    """A text without numbers and their units; the names of versions stay."""
    for amount in find_amounts(text):
        if not amount.of.startswith((VERSIONS, BARE)):
            text = text.replace(amount.written, " ", 1)
    return text


def same_amount(one: Amount, other: Amount) -> bool:
    """Whether two amounts of one dimension are the same; of versions, whether one is the beginning of the other."""
    if one.of.startswith(VERSIONS):
        shorter = min(len(one.value), len(other.value))
        return one.value[:shorter] == other.value[:shorter]
    return one.value == other.value


def _form(name: str) -> str:
    found = split_words(name)
    return found[0].form if found and found[0].form not in light_forms() else ""


@cache
def _units() -> Mapping[str, tuple[str, float]]:
    found = {}
    for line in _UNITS.splitlines():
        dimension, _, units = line.partition(": ")
        for unit in units.split(" | "):
            times, *names = unit.split()
            found.update({name: (dimension, float(times)) for name in names})
    return found
