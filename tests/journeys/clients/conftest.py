"""Real clients, run offline against a model on loopback. Those that cannot be installed are skipped."""

from collections.abc import Iterator
from pathlib import Path

import pytest

# What is asserted there is explained like what is asserted in a test.
pytest.register_assert_rewrite("tests.journeys.clients.machine")

from tests.journeys.clients.machine import Machine  # noqa: E402
from tests.journeys.clients.start import CLIENTS, Driven  # noqa: E402
from tests.journeys.clients.stub.model import Model  # noqa: E402


@pytest.fixture
def model() -> Iterator[Model]:
    """A model on loopback, with all that was asked of it."""
    running = Model()
    running.start()
    yield running
    running.stop()


@pytest.fixture
def machine(tmp_path: Path, model: Model) -> Machine:
    """A machine on which Holdfast keeps its own files where it does by itself."""
    return Machine(tmp_path, model)


@pytest.fixture
def moved(machine: Machine) -> Machine:
    """A machine whose user keeps Holdfast's own files elsewhere."""
    machine.env["HOLDFAST_HOME"] = str(machine.root / "elsewhere")
    return machine


@pytest.fixture(params=CLIENTS, ids=lambda client: client.name)
def client(request: pytest.FixtureRequest) -> Driven:
    """Each client in turn."""
    found: Driven = request.param
    return found
