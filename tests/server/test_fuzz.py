"""The whole API, asked by a machine: whatever it sends, the answer is one that the contract names."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.conftest import KEY
from tests.journeys.moulds import being
from tests.server.conftest import Served, environment, serving
from tests.server.inside import rich
from tests.waiting import LONG

from holdfast.config.person_key import keep_key
from holdfast.workspace import make_workspace_id

CHECKS = [
    status_code_conformance, content_type_conformance, response_headers_conformance,
    response_schema_conformance,
]  # fmt: skip
# By how what is sent is made, how many questions each operation gets, and how many with --heavy.
MODES = {GenerationMode.POSITIVE: (5, 150), GenerationMode.NEGATIVE: (3, 80)}
# Asked with everything that comes to a machine's mind, these would reach beyond the test's own folders.
KEPT_INSIDE = {"POST /api/workspaces": ("path",)}
NEEDS_MODEL = "POST /api/workspace/{wid}/run"
IDS = (
    "DEC-PGPG00", "DEC-TOML00", "DEC-JSON00", "FAIL-POOL00", "INV-NEW000", "LRN-TZTZ00", "CAND-SQL000", "CAND-CARD00",
    "CAND-TIME00", "CAND-TOOL00", "DEC-", "cand-own000", "src/app.py", "search.limit",
    "d489281d-5a3b-4c1e-9c55-0e5c2f1b7a90",
)  # fmt: skip


class Fuzzed:
    """A server with a seeded workspace, its contract, and a connection to it."""

    def __init__(self, served: Served, folder: Path) -> None:
        self.served, self.folder = served, folder
        self.wid = make_workspace_id(str(folder))
        self.statuses: defaultdict[str, set[int]] = defaultdict(set)
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {served.token}"
        found = self.session.get(f"{served.url}/api/openapi.json", timeout=LONG)
        assert found.status_code == 200, found.text
        self.contract: dict[str, Any] = found.json()
        self.schema = schemathesis.openapi.from_dict(self.contract)

    def operations(self) -> Sequence[Any]:
        found: Sequence[Any] = list(self.schema.get_all_operations())
        return [each.ok() for each in found]


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuzzed]:
    root = tmp_path_factory.mktemp("fuzzed")
    home, folder = root / "home", root / "project"
    folder.mkdir()
    with being(environment(home)):
        keep_key(str(home), KEY)
        rich(folder)
    with serving(home, folder, HOLDFAST_MODEL="none") as served:
        yield Fuzzed(served, folder)


def test_no_question_breaks_the_contract(fuzzed: Fuzzed, request: pytest.FixtureRequest) -> None:
    heavy = bool(request.config.getoption("--heavy"))

    failed: dict[str, str] = {}
    for operation in fuzzed.operations():
        for mode, counts in MODES.items():
            if trouble := _asked(fuzzed, operation, mode, counts[heavy]):
                failed[f"{operation.label} ({mode.value})"] = trouble

    assert not failed, "\n\n".join(f"{name}\n{why}" for name, why in failed.items())
    # The questions were no mere noise: every operation that needs nothing special was answered, too.
    plain = [each.label for each in fuzzed.operations() if _is_plain(each)]
    assert len(plain) > 25
    assert [label for label in plain if 200 not in fuzzed.statuses[label]] == []


def _is_plain(operation: Any) -> bool:
    """Whether it asks for nothing that must be there."""
    needed = [each for each in operation.query if each.is_required]
    return operation.label.startswith("GET") and operation.label.count("{") == 1 and not needed


def _asked(fuzzed: Fuzzed, operation: Any, mode: GenerationMode, examples: int) -> str:
    @given(case=operation.as_strategy(generation_mode=mode), wanted=st.sampled_from((*IDS, "")))
    @settings(
        max_examples=examples, deadline=None, derandomize=True, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    def ask(case: Any, wanted: str) -> None:
        _keep_inside(fuzzed, operation, case, wanted)
        answer = case.call(base_url=fuzzed.served.url, session=fuzzed.session, timeout=LONG)
        fuzzed.statuses[operation.label].add(answer.status_code)
        # Where a model is needed and none is set, that is the answer.
        assert answer.status_code < 500 or (answer.status_code, operation.label) == (503, NEEDS_MODEL), answer.text
        case.validate_response(answer, checks=CHECKS)

    try:
        ask()
    except (Exception, BaseExceptionGroup) as error:
        return _said(error)
    return ""


def _keep_inside(fuzzed: Fuzzed, operation: Any, case: Any, wanted: str) -> None:
    """Ask about what is there, and touch nothing outside the test's folders."""
    for name in case.path_parameters or {}:
        if name == "wid":
            case.path_parameters[name] = fuzzed.wid
        elif wanted:
            case.path_parameters[name] = wanted
    for name in KEPT_INSIDE.get(operation.label, ()):
        if isinstance(case.body, dict) and isinstance(case.body.get(name), str):
            case.body[name] = str(fuzzed.folder / "inner" / wanted.replace("/", "-"))
    case.headers = {name: value for name, value in (case.headers or {}).items() if name.lower() != "authorization"}


def _said(error: BaseException) -> str:
    inner = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return "\n".join((str(error)[:1500], *(str(each)[:800] for each in inner)))
