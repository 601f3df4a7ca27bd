"""Every attack is counted, and what it came to; the table stands at the end of a run of `pytest tests/attacks`."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.attacks.counting import CASE, FIGURES, Figures

HERE = Path(__file__).parent
COUNTED = "attack"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "no_attack: what a person does, beside attacks; not counted as one")


@pytest.fixture(autouse=True)
def counted(request: pytest.FixtureRequest) -> Iterator[None]:
    """Keep what a case found: with its report, so that it comes back from other processes too."""
    figures: Figures = {}
    if request.node.get_closest_marker("no_attack") is None:
        request.node.user_properties.append((COUNTED, figures))
    token = CASE.set(figures)
    yield
    CASE.reset(token)
    assert not any(figures.values()), f"an attack came through: {figures}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    lines = draw_table(collect(terminalreporter))
    if lines:
        terminalreporter.section("attacks")
        for line in lines:
            terminalreporter.write_line(line)


def collect(reporter: pytest.TerminalReporter) -> dict[str, list[Figures]]:
    """The figures of each attack, by family."""
    found: dict[str, list[Figures]] = {}
    for report in (each for outcome in ("passed", "failed") for each in reporter.stats.get(outcome, [])):
        for name, figures in report.user_properties:
            if name == COUNTED and report.when == "call":
                found.setdefault(_family(report.nodeid), []).append(figures)
    return found


def draw_table(found: dict[str, list[Figures]]) -> list[str]:
    """Per family: attacks, and each figure as how often it happened of how often it was looked for; `-` for never."""
    if not found:
        return []
    every = [each for cases in found.values() for each in cases]
    rows: list[tuple[str, ...]] = [("family", "attacks", *FIGURES)]
    rows += [(family, str(len(cases)), *_figures(cases)) for family, cases in sorted(found.items())]
    rows += [("all", str(len(every)), *_figures(every))]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _figures(cases: list[Figures]) -> list[str]:
    seen = [[case[name] for case in cases if name in case] for name in FIGURES]
    return [f"{sum(each)} of {len(each)}" if each else "-" for each in seen]


def _family(nodeid: str) -> str:
    return Path(nodeid.partition("::")[0]).stem.removeprefix("test_").replace("_", " ")
