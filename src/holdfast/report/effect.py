"""Whether memory helped: two groups of sessions compared, with how sure that is. Plain arithmetic."""

import math
from collections.abc import Sequence

from holdfast.core.value import Value, replace

LEVEL = 0.95
# Below this many sessions in a group an interval says more about luck than about memory.
LEAST = 8
BETTER, WORSE, SAME, UNKNOWN = "better", "worse", "no difference seen", "cannot tell yet"
_STEPS = 200
_HALVINGS = 50
_TINY = 1e-300


class MeanDifference(Value):
    """The mean with memory less the mean without, and the interval that holds the truth 95 times of 100."""

    told: int
    held: int
    told_mean: float | None = None
    held_mean: float | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    verdict: str = UNKNOWN


def compare_groups(told: Sequence[float], held: Sequence[float], *, more_is_better: bool) -> MeanDifference:
    """Welch's comparison of two groups that need not be alike in size or spread."""
    ours, theirs = _mean(told), _mean(held)
    found = MeanDifference(told=len(told), held=len(held), told_mean=ours, held_mean=theirs)
    if ours is None or theirs is None:
        return found
    found = replace(found, difference=ours - theirs)
    if min(len(told), len(held)) < LEAST:
        return found
    first, second = _variance(told) / len(told), _variance(held) / len(held)
    if first + second == 0:
        return found
    freedom = (first + second) ** 2 / (first**2 / (len(told) - 1) + second**2 / (len(held) - 1))
    reach = t_quantile(0.5 + LEVEL / 2, freedom) * math.sqrt(first + second)
    low, high = ours - theirs - reach, ours - theirs + reach
    verdict = SAME if low <= 0 <= high else BETTER if (low > 0) == more_is_better else WORSE
    return replace(found, low=low, high=high, verdict=verdict)


def estimate_share(hits: int, of: int) -> tuple[float, float, float] | None:
    """A share with its 95 % interval (Wilson's); None of nothing."""
    if not of:
        return None
    z = t_quantile(0.5 + LEVEL / 2, math.inf)
    p, weight = hits / of, 1 + z * z / of
    middle = (p + z * z / (2 * of)) / weight
    reach = z * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of)) / weight
    return p, max(0.0, middle - reach), min(1.0, middle + reach)


def t_quantile(probability: float, freedom: float) -> float:
    """The point below which Student's t falls with a probability of more than one half."""
    low, high = 0.0, 1.0
    while t_below(high, freedom) < probability and high < 1e8:
        high *= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if t_below(middle, freedom) < probability else (low, middle)
    return (low + high) / 2


def t_below(t: float, freedom: float) -> float:
    """How probable it is that Student's t lies below a number of 0 or more."""
    if math.isinf(freedom):
        return 0.5 * (1 + math.erf(t / math.sqrt(2)))
    return 1 - 0.5 * _beta(freedom / 2, 0.5, freedom / (freedom + t * t))


def _beta(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    if x < (a + 1) / (a + b + 2):
        return math.exp(scale) * _fraction(a, b, x) / a
    return 1 - math.exp(scale) * _fraction(b, a, 1 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1 / _avoid_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _avoid_zero(1 + step * d)
            c = _avoid_zero(1 + step / c)
            value *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return value


def _avoid_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _variance(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / (len(values) - 1)
