from holdfast.core.memory import Scope
from holdfast.core.search import Source
from holdfast.index.plan_changes import IndexPlan, plan_sync

W, U = Scope.WORKSPACE, Scope.USER


def known(*files: tuple[Scope, str, str]) -> dict[tuple[str, str], Source]:
    return {(str(s), path): Source(scope=s, path=path, stamp=stamp, sha256="") for s, path, stamp in files}


def test_nothing_is_planned_when_nothing_moved() -> None:
    assert plan_sync(known((W, "a", "1"), (U, "a", "2")), {W: {"a": "1"}, U: {"a": "2"}}) == IndexPlan()


def test_new_and_moved_files_are_looked_at() -> None:
    assert plan_sync(known((W, "a", "1"), (W, "b", "1")), {W: {"a": "2", "b": "1", "c": "1"}}).look == (
        (W, "a"),
        (W, "c"),
    )


def test_a_stamp_that_could_not_be_trusted_then_or_now_is_looked_at() -> None:
    assert plan_sync(known((W, "a", ""), (W, "b", "1")), {W: {"a": "1", "b": ""}}).look == ((W, "a"), (W, "b"))


def test_what_no_vault_has_is_gone() -> None:
    planned = plan_sync(known((W, "a", "1"), (U, "a", "1"), (W, "b", "1")), {W: {"b": "1", "c": "1"}})

    assert planned == IndexPlan(look=((W, "c"),), removed=((U, "a"), (W, "a")))


def test_the_same_path_in_two_scopes_is_two_files() -> None:
    assert plan_sync(known((W, "a", "1")), {W: {"a": "1"}, U: {"a": "1"}}).look == ((U, "a"),)
