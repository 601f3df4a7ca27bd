"""Problems, metrics and the log, as they are read."""

import io
import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from holdfast.core.errors import BadRequest, Conflict, Damaged, HoldfastError, NotFound, Refused, Unavailable
from holdfast.server.http import metrics as names
from holdfast.server.http.http_app import make_app
from holdfast.server.http.metrics import Metrics
from holdfast.server.http.problems import ANSWERS, KINDS, render_error
from holdfast.server.http.request_log import JsonLines, PlainLines, logger, start_logging
from holdfast.server.http.security.server_names import ServerNames
from holdfast.server.http.server_state import Serving

SECRET = "hunter2"
LINE = re.compile(r'^[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+$')


@pytest.fixture
def _loggers() -> Iterator[None]:
    """The log as it was, after the test."""
    root, before = logging.getLogger(), logging.getLogger().handlers[:]
    level, ours = root.level, logger.level
    yield
    root.handlers[:] = before
    root.setLevel(level)
    logger.setLevel(ours)


# Problems


@pytest.mark.parametrize(
    ("kind", "status", "name"),
    [
        (BadRequest, 400, "bad_request"),
        (Refused, 403, "refused"),
        (NotFound, 404, "not_found"),
        (Conflict, 409, "conflict"),
        (Damaged, 500, "failed"),
        (Unavailable, 503, "unavailable"),
    ],
)
def test_every_family_has_its_answer(kind: type[HoldfastError], status: int, name: str) -> None:
    answer = render_error(kind("What happened.", "What to do."), "01ID")

    body = json.loads(bytes(answer.body))
    assert answer.status_code == body["status"] == status
    assert body == {
        "type": f"/problems/{name}", "title": KINDS[status][1], "status": status, "detail": "What happened.",
        "instance": "01ID", "hint": "What to do.",
    }  # fmt: skip
    assert answer.media_type == "application/problem+json"
    assert status in ANSWERS


@pytest.mark.parametrize(
    "error", [KeyError(SECRET), RecursionError(SECRET), AssertionError(SECRET), OSError(5, "io", SECRET)]
)
def test_a_crash_tells_nothing_of_the_inside(error: Exception) -> None:
    answer = render_error(error, "01ID")

    assert answer.status_code >= 500
    assert SECRET.encode() not in bytes(answer.body)


def test_text_in_a_problem_is_inert() -> None:
    body = json.loads(bytes(render_error(NotFound("no \x1b[31mred\x07 \u202e"), "01ID").body))

    assert body["detail"] == "no \\x1b[31mred\\x07 \\u202e"


def test_a_route_that_crashes_is_answered_with_the_id_that_the_log_has(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    serving = Serving(str(tmp_path), ServerNames(scheme="http", port=80))
    app = make_app(serving)

    @app.get("/api/crash")
    def crashes() -> None:
        raise KeyError(SECRET)

    headers = {"Authorization": f"Bearer {serving.tokens.own()}"}
    with TestClient(app, base_url="http://127.0.0.1", headers=headers) as client:
        answer = client.get("/api/crash")

    failed = next(record for record in caplog.records if record.msg == "failed")
    assert (answer.status_code, answer.headers["content-type"]) == (500, "application/problem+json")
    assert SECRET not in answer.text
    assert answer.json()["instance"] == answer.headers["x-request-id"] == failed.__dict__["request"]
    assert "content-security-policy" in answer.headers
    assert SECRET not in JsonLines().format(failed)


# Metrics


def test_figures_read_as_prometheus_takes_them() -> None:
    metrics = Metrics()
    metrics.count(names.REQUESTS, method="GET", route="/api/me", status="200")
    metrics.count(names.SOCKETS, 2)
    metrics.count(names.SOCKETS, -1)
    metrics.cache("hit")
    metrics.watch(names.RUNS, lambda: 3)
    metrics.took(0.02, method="GET", route="/api/me")
    metrics.took(20.0, method="GET", route="/api/me")

    lines = metrics.text().splitlines()
    figures = [line for line in lines if not line.startswith("#")]

    assert all(LINE.match(line) for line in figures)
    assert 'holdfast_http_requests_total{method="GET",route="/api/me",status="200"} 1' in figures
    assert "holdfast_sockets 1" in figures
    assert "holdfast_runs_active 3" in figures
    assert 'holdfast_workspace_cache_total{what="hit"} 1' in figures
    assert 'holdfast_http_request_seconds_bucket{method="GET",route="/api/me",le="0.025"} 1' in figures
    assert 'holdfast_http_request_seconds_bucket{method="GET",route="/api/me",le="+Inf"} 2' in figures
    assert 'holdfast_http_request_seconds_sum{method="GET",route="/api/me"} 20.020000' in figures
    assert {line.split()[2] for line in lines if line.startswith("# TYPE")} == set(names.KNOWN)


def test_a_label_cannot_break_out_of_its_line() -> None:
    metrics = Metrics()
    metrics.count(names.REQUESTS, route='a"\n} 1\\')

    assert 'holdfast_http_requests_total{route="a\\"\\n} 1\\\\"} 1' in metrics.text().splitlines()


def test_a_figure_that_nobody_knows_is_a_mistake() -> None:
    with pytest.raises(KeyError):
        Metrics().count("holdfast_unknown")


def test_memory_and_files_are_told() -> None:
    figures = dict(line.split() for line in Metrics().text().splitlines() if line.startswith("process_"))

    assert float(figures["process_resident_memory_bytes"]) > 1_000_000
    assert float(figures["process_open_fds"]) > 1


# The log


@pytest.mark.usefixtures("_loggers")
@pytest.mark.parametrize("form", ["json", "plain"])
def test_the_log_leaves_out_what_failures_and_libraries_say(form: str) -> None:
    said = io.StringIO()
    start_logging(form, 2, said)

    try:
        raise ValueError(SECRET)
    except ValueError as error:
        logger.error("failed", extra={"request": "01ID"}, exc_info=error)
        logging.getLogger("some.library").exception("it said %s", SECRET)
    logging.getLogger("some.library").warning(f"it said {SECRET}")

    text = said.getvalue()
    assert SECRET not in text
    assert "ValueError" in text
    assert "test_telling.py" in text
    assert len(text.splitlines()) == 3


def test_a_line_has_its_fields() -> None:
    record = logger.makeRecord(
        logger.name, logging.INFO, "x.py", 1, "request", (), None,
        extra={"method": "GET", "route": "/api/me", "status": 200, "ms": 1.5, "request": "01ID", "caller": "owner"},
    )  # fmt: skip
    record.created = 0.0

    assert PlainLines().format(record) == "00:00:00 info request GET /api/me 200 1.5 ms by owner (01ID)"
    assert json.loads(JsonLines().format(record)) == {
        "at": "1970-01-01T00:00:00.000Z", "level": "info", "event": "request", "method": "GET", "route": "/api/me",
        "status": 200, "ms": 1.5, "request": "01ID", "caller": "owner",
    }  # fmt: skip
