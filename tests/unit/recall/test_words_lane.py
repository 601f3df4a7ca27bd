from tests.index_values import entry

from holdfast.recall.words_lane import MOST_TERMS, choose_terms, explain_match


def test_a_term_that_stands_nowhere_is_unknown() -> None:
    chosen = choose_terms(["pool", "never"], {"pool": 3, "never": 0}, 1000)

    assert (chosen.terms, chosen.dropped, chosen.unknown) == (("pool",), (), ("never",))


def test_terms_in_more_than_a_third_are_left_out_while_rarer_ones_remain() -> None:
    chosen = choose_terms(["api", "pool"], {"api": 400, "pool": 3}, 1000)

    assert (chosen.terms, chosen.dropped) == (("pool",), ("api",))


def test_a_frequent_term_alone_is_looked_for() -> None:
    assert choose_terms(["api", "never"], {"api": 900, "never": 0}, 1000).terms == ("api",)


def test_in_a_small_vault_no_telling_term_is_frequent() -> None:
    assert choose_terms(["postgr", "pool"], {"postgr": 8, "pool": 1}, 10).terms == ("postgr", "pool")


def test_terms_that_were_not_worth_counting_are_left_out() -> None:
    chosen = choose_terms(["how", "we", "deploy"], {"deploy": 0}, 10)

    assert (chosen.terms, chosen.dropped, chosen.unknown) == ((), ("how", "we"), ("deploy",))


def test_of_very_many_terms_the_rarest_are_looked_for() -> None:
    asked = [f"word{number}" for number in range(500)]

    chosen = choose_terms(asked, {term: number + 1 for number, term in enumerate(asked)}, 10_000)

    assert chosen.terms == tuple(asked[:MOST_TERMS])


def test_a_hit_says_which_terms_matched_and_where() -> None:
    found = entry(title="Pool timeouts", tags=("pool",), body="Postgres")

    assert (
        explain_match(found, ["pool", "timeout", "postgr", "never"]) == "title: pool, timeout; tags: pool; body: postgr"
    )
