"""Figures of a ranking. Recall is always three numbers: any gold found, the fraction found, all found."""

import math
from collections.abc import Iterable, Mapping, Sequence

Figures = Mapping[str, float]


def judge(ranked: Sequence[int], gold: Iterable[int], depths: Sequence[int] = (1, 2, 5, 10)) -> Figures:
    """Every figure of one ranking."""
    wanted = frozenset(gold)
    hits = [place in wanted for place in ranked]
    figures: dict[str, float] = {}
    for depth in depths:
        found = sum(hits[:depth])
        figures[f"any@{depth}"] = float(found > 0)
        figures[f"R@{depth}"] = found / len(wanted)
        figures[f"all@{depth}"] = float(found == len(wanted))
    figures["nDCG@10"] = _gain(hits[:10]) / _gain([True] * min(10, len(wanted)))
    figures["MRR"] = next((1 / (place + 1) for place, hit in enumerate(hits) if hit), 0.0)
    return figures


def mean(figures: Sequence[Figures]) -> Figures:
    """The mean of each figure."""
    return {name: sum(each[name] for each in figures) / len(figures) for name in figures[0]}


def auroc(above: Sequence[float], below: Sequence[float]) -> float:
    """How often one of the first is larger than one of the second; ties count half."""
    pairs = [(a > b) + 0.5 * (a == b) for a in above for b in below]
    return sum(pairs) / len(pairs)


def threshold(above: Sequence[float], below: Sequence[float]) -> tuple[float, float]:
    """Where both are told apart best, and how well: the mean of the shares on the right side."""

    def right(at: float) -> float:
        kept = sum(value >= at for value in above) / len(above)
        return (kept + sum(value < at for value in below) / len(below)) / 2

    best = max(sorted({*above, *below}), key=right)
    return best, right(best)


def _gain(hits: Sequence[bool]) -> float:
    return sum(1 / math.log2(place + 2) for place, hit in enumerate(hits) if hit)
