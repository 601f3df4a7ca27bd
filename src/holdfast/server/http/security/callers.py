"""Who asks, and what they may do. Loads no web library: `holdfast serve token` needs none."""

from enum import StrEnum

from holdfast.core.value import Value


class Right(StrEnum):
    """What a token is good for. Every token may read."""

    READ = "read"
    REVIEW = "review"
    RUN = "run"


EVERY_RIGHT = frozenset(Right)


class Caller(Value):
    """Whose token a request carries, and what it is good for. `key`: the token's sum, since names come again."""

    name: str
    rights: frozenset[Right]
    key: str = ""

    def may(self, right: Right) -> bool:
        """Whether this caller has a right."""
        return right in self.rights
