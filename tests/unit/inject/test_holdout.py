"""Which sessions are told nothing."""

from holdfast.inject.holdout import is_held_out


def test_none_is_held_out_without_a_share() -> None:
    assert not any(is_held_out(f"s{n}", 0.0) for n in range(1000))
    assert not is_held_out("", 0.5)


def test_the_share_is_kept_and_a_session_falls_the_same_way_each_time() -> None:
    held = [is_held_out(f"session-{n}", 0.2) for n in range(5000)]

    assert 0.18 < sum(held) / len(held) < 0.22
    assert held == [is_held_out(f"session-{n}", 0.2) for n in range(5000)]


def test_a_greater_share_holds_out_the_same_sessions_and_more() -> None:
    few = {n for n in range(2000) if is_held_out(f"s{n}", 0.1)}
    many = {n for n in range(2000) if is_held_out(f"s{n}", 0.4)}

    assert few < many
