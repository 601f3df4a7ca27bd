"""The contract: what every operation says of itself, and that its examples are what it would take and give."""

import json
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.server.inside import Inside

from holdfast.server.http.shapes.base_shape import ApiView
from holdfast.server.http.shapes.examples import EXAMPLES

PROBLEMS = {"400", "401", "403", "404", "409", "413", "422", "429", "500", "503"}
SHAPES = Path(__file__).parents[2] / "src" / "holdfast" / "server" / "http" / "shapes"
Operation = tuple[str, Mapping[str, Any]]


@pytest.fixture(scope="module")
def contract(shared: Inside) -> Mapping[str, Any]:
    found: Mapping[str, Any] = shared.get("/api/openapi.json").json()
    return found


def operations(contract: Mapping[str, Any]) -> Iterator[Operation]:
    for path, methods in contract["paths"].items():
        yield from ((f"{method.upper()} {path}", said) for method, said in methods.items())


def every_shape() -> dict[str, type[ApiView]]:
    found: dict[str, type[ApiView]] = {}
    for file in SHAPES.glob("*.py"):
        module = import_module(f"holdfast.server.http.shapes.{file.stem}")
        kinds = (each for each in vars(module).values() if isinstance(each, type) and issubclass(each, ApiView))
        found |= {kind.__name__: kind for kind in kinds if kind.__module__ == module.__name__}
    return found


def named(schema: Mapping[str, Any]) -> Iterator[str]:
    """The shapes that a body or an answer is, alone or as rows of a list."""
    if "$ref" in schema:
        yield schema["$ref"].rpartition("/")[2]
    for inner in (*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())):
        yield from named(inner)


def test_it_is_openapi_3_1_and_says_how_to_come_in(contract: Mapping[str, Any]) -> None:
    assert contract["openapi"] == "3.1.0"
    assert contract["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


def test_every_operation_has_a_name_a_summary_and_a_subject(contract: Mapping[str, Any]) -> None:
    found = list(operations(contract))
    ids = [said["operationId"] for _, said in found]

    assert len(set(ids)) == len(ids) > 70
    for name, said in found:
        assert said["summary"], name
        assert said["tags"], name
        assert re.fullmatch(r"[a-z][A-Za-z]+", said["operationId"]), name


def test_every_operation_names_every_problem(contract: Mapping[str, Any]) -> None:
    for name, said in operations(contract):
        assert said["responses"].keys() >= PROBLEMS, name
        for status in PROBLEMS:
            assert list(said["responses"][status]["content"]) == ["application/problem+json"], (name, status)


def test_every_body_and_answer_has_an_example(contract: Mapping[str, Any]) -> None:
    shapes = contract["components"]["schemas"]
    lacking = set()
    for _, said in operations(contract):
        answers = [answer for status, answer in said["responses"].items() if status.startswith("2")]
        for part in (said.get("requestBody", {}), *answers):
            schema = part.get("content", {}).get("application/json", {}).get("schema", {})
            lacking |= {name for name in named(schema) if "examples" not in shapes[name]}

    assert lacking == set()


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_an_example_is_what_its_shape_takes_whole(name: str) -> None:
    shape = every_shape()[name]

    found = shape.model_validate_json(json.dumps(EXAMPLES[name]))

    given = found.model_dump(by_alias=True, exclude_unset=True, mode="json")
    assert given == json.loads(json.dumps(EXAMPLES[name]))


def test_every_get_of_a_workspace_can_spare_what_one_has(contract: Mapping[str, Any]) -> None:
    found = {name: said for name, said in operations(contract) if name.startswith("GET /api/workspace")}

    assert len(found) > 40
    for name, said in found.items():
        assert "304" in said["responses"], name
        assert "If-None-Match" in {each["name"] for each in said["parameters"]}, name
    assert not any("304" in said["responses"] for name, said in operations(contract) if name.startswith("POST"))


def test_lists_say_where_the_next_page_is(contract: Mapping[str, Any]) -> None:
    paged = [
        said
        for name, said in operations(contract)
        if {"cursor", "limit"} <= {each["name"] for each in said.get("parameters", ())} and "{sid}" not in name
    ]

    assert len(paged) > 10
    for said in paged:
        assert {"Link", "Holdfast-Total"} <= said["responses"]["200"].get("headers", {}).keys(), said["operationId"]


def test_every_route_is_in_the_docs(contract: Mapping[str, Any]) -> None:
    text = (Path(__file__).parents[2] / "docs" / "formats" / "http.md").read_text()
    documented = set(re.findall(r"`(GET|POST|PUT|DELETE) ([^`?]+)", text))

    for name, _ in operations(contract):
        method, path = name.split(" ")
        short = path.removeprefix("/api/workspace/{wid}/")
        assert (method, short) in documented, name
