"""Whether memory helped: intervals that hold the truth as often as they say, on simulated sessions."""

import math
import random

import pytest

from holdfast.report.effect import BETTER, LEAST, SAME, UNKNOWN, WORSE, compare_groups, estimate_share, t_quantile

EXPERIMENTS = 400
# Of 400 experiments at 95 %, the share that holds the truth lies within 0.95 ± 0.033 in 99.7 % of all runs.
TOLERANCE = 0.033


def ratings(rng: random.Random, count: int, mean: float) -> list[float]:
    return [float(min(10, max(1, round(rng.gauss(mean, 1.8))))) for _ in range(count)]


def counts(rng: random.Random, count: int, mean: float) -> list[float]:
    """Failed checks or corrections: whole numbers, many of them 0."""
    found = []
    for _ in range(count):
        limit, product, events = math.exp(-mean), rng.random(), 0
        while product > limit:
            product *= rng.random()
            events += 1
        found.append(float(events))
    return found


@pytest.mark.parametrize(
    ("freedom", "point"),
    [(1, 12.7062), (3, 3.18245), (10, 2.22814), (30, 2.04227), (200, 1.97190), (math.inf, 1.95996)],
)
def test_the_quantiles_are_those_of_the_tables(freedom: float, point: float) -> None:
    assert t_quantile(0.975, freedom) == pytest.approx(point, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(("told", "held", "shift"), [(60, 15, 0.0), (60, 15, 1.2), (200, 50, 0.8)])
def test_intervals_of_ratings_hold_the_truth_as_often_as_they_say(told: int, held: int, shift: float) -> None:
    rng = random.Random(f"{told} {held} {shift}")
    # What clipping and rounding do to the mean is part of the truth.
    population = random.Random(1)
    truth = sum(ratings(population, 200_000, 5 + shift)) / 200_000 - sum(ratings(population, 200_000, 5)) / 200_000
    inside = 0
    for _ in range(EXPERIMENTS):
        found = compare_groups(ratings(rng, told, 5 + shift), ratings(rng, held, 5), more_is_better=True)
        assert found.low is not None
        assert found.high is not None
        inside += found.low <= truth <= found.high

    assert inside / EXPERIMENTS == pytest.approx(0.95, abs=TOLERANCE)


@pytest.mark.slow
@pytest.mark.parametrize(("told", "held"), [(80, 20), (160, 40)])
def test_intervals_of_counts_hold_the_truth_nearly_as_often(told: int, held: int) -> None:
    rng = random.Random(told)
    inside = 0
    for _ in range(EXPERIMENTS):
        found = compare_groups(counts(rng, told, 0.8), counts(rng, held, 1.2), more_is_better=False)
        inside += found.low is not None and found.high is not None and found.low <= -0.4 <= found.high

    # Few and skewed numbers cost a little.
    assert inside / EXPERIMENTS > 0.95 - TOLERANCE - 0.02


@pytest.mark.slow
def test_with_no_effect_none_is_reported_but_for_chance() -> None:
    rng = random.Random(7)
    verdicts = [
        compare_groups(ratings(rng, 60, 6), ratings(rng, 20, 6), more_is_better=True).verdict
        for _ in range(EXPERIMENTS)
    ]

    assert verdicts.count(SAME) / EXPERIMENTS > 0.95 - TOLERANCE
    assert UNKNOWN not in verdicts


@pytest.mark.slow
def test_an_effect_is_found_and_its_direction_too() -> None:
    rng = random.Random(11)
    up = [compare_groups(ratings(rng, 80, 7), ratings(rng, 30, 5), more_is_better=True).verdict for _ in range(200)]
    fewer = [compare_groups(counts(rng, 80, 0.5), counts(rng, 30, 2), more_is_better=False).verdict for _ in range(200)]
    harm = [compare_groups(ratings(rng, 80, 4), ratings(rng, 30, 6), more_is_better=True).verdict for _ in range(200)]

    assert up.count(BETTER) / 200 > 0.95
    assert fewer.count(BETTER) / 200 > 0.95
    assert harm.count(WORSE) / 200 > 0.95


def test_too_few_sessions_or_no_spread_tell_nothing() -> None:
    few = compare_groups([9.0] * 50, [1.0] * (LEAST - 1), more_is_better=True)
    flat = compare_groups([0.0] * 50, [0.0] * 50, more_is_better=True)
    none = compare_groups([], [5.0], more_is_better=True)

    assert [each.verdict for each in (few, flat, none)] == [UNKNOWN] * 3
    assert (few.difference, few.low) == (8.0, None)
    assert (none.told_mean, none.held_mean, none.difference) == (None, 5.0, None)


def test_a_share_has_wilson_s_interval() -> None:
    found = estimate_share(5, 10)

    assert found is not None
    assert [round(each, 3) for each in found] == [0.5, 0.237, 0.763]
    assert estimate_share(0, 0) is None
    nothing = estimate_share(0, 20)
    assert nothing is not None
    assert nothing[0] == 0
    assert nothing[2] == pytest.approx(0.161, abs=1e-3)
