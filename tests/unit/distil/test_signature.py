"""Failures that are the same over sessions, and how they are counted together."""

import pytest

from holdfast.core.memory import Evidence, Memory, MemoryType, Status
from holdfast.distil.failure_signature import (
    make_signature,
    merge_failures,
    normalize_message,
    parse_error,
    program_of,
    signature_of,
)


def failure(number: int, message: str = "pool ran dry", attempts: int = 1, status: Status = Status.CANDIDATE) -> Memory:
    return Memory(
        id=f"CAND-{number}", type=MemoryType.FAILURE, status=status, error_type="TimeoutError", error_message=message,
        attempts=attempts, evidence=(Evidence(event=f"e{number}", quote=message),), paths=(f"src/{number}.py",),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("line", "kind", "message"),
    [
        ("E   sqlalchemy.exc.TimeoutError: QueuePool limit", "TimeoutError", "QueuePool limit"),
        ("npm ERR! TypeError: x is not a function", "TypeError", "x is not a function"),
        ("error[E0502]: cannot borrow `self.buf`", "E0502", "cannot borrow `self.buf`"),
        ("fatal: not a git repository", "fatal", "not a git repository"),
        ("FAIL src/search.test.ts", "", "FAIL src/search.test.ts"),
    ],
)
def test_the_type_and_the_message_of_an_error(line: str, kind: str, message: str) -> None:
    assert parse_error(line) == (kind, message)


def test_numbers_addresses_values_and_folders_make_no_difference() -> None:
    first = normalize_message("Object 'a1' at 0x7f12ab34 in /home/ann/x/pool.py:12 took 30.2 s")
    second = normalize_message("Object 'b2' at 0x99999999 in /srv/ci/pool.py:99 took 1 s")

    assert first == second


@pytest.mark.parametrize(
    ("command", "runs"),
    [
        ("pytest -q -x tests/test_pool.py", "pytest tests/test_pool.py"),
        ("cd app && DEBUG=1 npm run build --silent", "npm run build"),
        (".venv/bin/pytest tests | tail -5", "pytest tests"),
    ],
)
def test_a_command_is_known_by_what_it_runs(command: str, runs: str) -> None:
    assert program_of(command) == runs


def test_another_program_or_file_is_another_failure() -> None:
    one = make_signature("TypeError", "no", "npm run build", "a.js")

    assert one == make_signature("typeerror", "no", "npm run build --quiet", "a.js")
    assert one != make_signature("TypeError", "no", "npm test", "a.js")
    assert one != make_signature("TypeError", "no", "npm run build", "b.js")


def test_a_known_candidate_is_counted_on() -> None:
    merged = merge_failures([failure(1, attempts=3)], [failure(2, attempts=2)])

    (memory,) = merged.changed
    assert (memory.id, memory.attempts, merged.fresh) == ("CAND-1", 5, ())
    assert [evidence.event for evidence in memory.evidence] == ["e1", "e2"]
    assert memory.paths == ("src/1.py", "src/2.py")


def test_an_accepted_failure_is_not_changed_but_superseded_by_a_candidate() -> None:
    merged = merge_failures([failure(1, attempts=3, status=Status.ACCEPTED)], [failure(2)])

    (memory,) = merged.changed
    assert (memory.id, memory.status, memory.supersedes, memory.attempts) == (
        "CAND-2",
        Status.CANDIDATE,
        ("CAND-1",),
        4,
    )


def test_the_same_event_counts_once() -> None:
    known = failure(1, attempts=3)

    assert merge_failures([known], [known]).changed == ()


def test_new_ones_of_one_signature_are_one() -> None:
    (memory,) = merge_failures([], [failure(1), failure(2), failure(3)]).fresh

    assert memory.attempts == 3


def test_a_rejected_failure_is_not_counted_on() -> None:
    merged = merge_failures([failure(1, status=Status.REJECTED)], [failure(2)])

    assert [memory.id for memory in merged.fresh] == ["CAND-2"]


def test_a_signature_that_was_written_down_counts() -> None:
    from holdfast.core.value import replace

    assert signature_of(replace(failure(1), extra={"signature": "x|y|z|"})) == "x|y|z|"
