"""Two sides and what both had: whatever happened on either, both come to hold the same, and no word is lost."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.exchange.three_way import SyncAction, plan_steps

FILES = st.dictionaries(st.sampled_from(["a", "b", "c"]), st.sampled_from(["1", "2", "3"]), max_size=3)


@given(FILES, FILES, FILES)
def test_both_sides_come_to_hold_the_same_and_nothing_new_is_lost(
    base: dict[str, str], here: dict[str, str], there: dict[str, str]
) -> None:
    ours, theirs, kept = dict(here), dict(there), set[tuple[str, str]]()
    for step in plan_steps(base, here, there):
        match step.does:
            case SyncAction.PULL | SyncAction.CONFLICT:
                if step.does is SyncAction.CONFLICT:
                    kept.add((step.path, ours[step.path]))
                ours[step.path] = theirs[step.path]
            case SyncAction.PUSH:
                theirs[step.path] = ours[step.path]
            case SyncAction.DROP:
                del ours[step.path]
            case SyncAction.WITHDRAW:
                del theirs[step.path]

    assert ours == theirs
    for side in (here, there):
        for path, text in side.items():
            assert text in (base.get(path), ours.get(path)) or (path, text) in kept


@given(FILES)
def test_what_agrees_needs_nothing(files: dict[str, str]) -> None:
    assert plan_steps(files, files, files) == []
