from bench.recall.metrics import judge, mean


def test_recall_is_any_fraction_and_all() -> None:
    figures = judge([4, 1, 9, 2], gold=(1, 2, 7), depths=(2, 4))

    assert (figures["any@2"], figures["R@2"], figures["all@2"]) == (1.0, 1 / 3, 0.0)
    assert (figures["any@4"], figures["R@4"], figures["all@4"]) == (1.0, 2 / 3, 0.0)


def test_a_perfect_ranking_gains_everything() -> None:
    figures = judge([3, 5, 0], gold=(5, 3))

    assert figures["nDCG@10"] == 1.0
    assert figures["MRR"] == 1.0


def test_what_is_not_found_counts_zero() -> None:
    figures = judge([1, 2], gold=(3,))

    assert figures["MRR"] == 0.0
    assert figures["nDCG@10"] == 0.0


def test_means_are_taken_figure_by_figure() -> None:
    assert mean([{"MRR": 1.0}, {"MRR": 0.5}]) == {"MRR": 0.75}
