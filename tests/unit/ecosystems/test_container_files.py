"""What Dockerfiles and compose files bring in."""

import pytest

from holdfast.ecosystems.container_files import is_container_file, list_container_names
from holdfast.ecosystems.unreadable_text import Unreadable

DOCKERFILE = """\
FROM --platform=linux/amd64 docker.io/library/python:3.12-slim AS base
RUN apt-get update && \\
    apt-get install -y redis-server
RUN pip install urwid
# RUN pip install no
FROM base
"""
COMPOSE = """\
services:
  cache:
    image: bitnami/redis:7@sha256:abc
  app:
    build: .
"""


def test_images_and_packages_of_a_dockerfile() -> None:
    assert list_container_names("Dockerfile", DOCKERFILE) == (
        "docker.io/library/python", "base", "redis-server", "urwid",
    )  # fmt: skip


def test_services_and_images_of_a_compose_file() -> None:
    assert list_container_names("compose.yaml", COMPOSE) == ("cache", "app", "bitnami/redis")


def test_a_compose_file_that_is_broken_says_so() -> None:
    with pytest.raises(Unreadable, match="YAML"):
        list_container_names("docker-compose.yml", "services: [")


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("Dockerfile", True), ("a/Dockerfile.dev", True), ("web.Dockerfile", True), ("Containerfile", True),
        ("docker-compose.prod.yml", True), ("compose.yaml", True), ("dockerfile.md", False), ("composer.json", False),
    ],
)  # fmt: skip
def test_files_of_containers_by_their_names(path: str, is_one: bool) -> None:
    assert is_container_file(path) is is_one
