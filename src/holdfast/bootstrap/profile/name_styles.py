"""How a name is built."""

import re

SNAKE, CAMEL, PASCAL, KEBAB, UPPER = "snake_case", "camelCase", "PascalCase", "kebab-case", "UPPER_CASE"
_SHAPES = (
    (UPPER, re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")),
    (SNAKE, re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")),
    (KEBAB, re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")),
    (CAMEL, re.compile(r"[a-z][a-z0-9]*(?:[A-Z][A-Za-z0-9]*)+")),
    (PASCAL, re.compile(r"[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*")),
)


def name_shape(name: str) -> str:
    """The shape of a name of several words; empty where one word fits several shapes, or none."""
    bare = name.strip("_$")
    return next((label for label, pattern in _SHAPES if pattern.fullmatch(bare)), "")
