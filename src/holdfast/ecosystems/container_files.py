"""Dockerfiles and compose files → the images and packages that they bring in."""

import re

from holdfast.ecosystems.install_commands import read_installs
from holdfast.ecosystems.lined_values import LinedTable
from holdfast.ecosystems.yaml_with_lines import read_yaml_table

_DOCKERFILE = re.compile(r"(?:Docker|Container)file(?:\.[\w.-]+)?|[\w.-]+\.(?:Docker|docker)file")
_COMPOSE = re.compile(r"(?:docker-)?compose[\w.-]*\.ya?ml")
_FROM = re.compile(r"^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)*(\S+)", re.MULTILINE | re.IGNORECASE)
_RUN = re.compile(r"^[ \t]*RUN[ \t]+((?:[^\n\\]|\\.|\\\n)*)", re.MULTILINE | re.IGNORECASE)


def is_container_file(path: str) -> bool:
    """Whether a path is that of a Dockerfile or a compose file."""
    name = path.rpartition("/")[2]
    return bool(_DOCKERFILE.fullmatch(name) or _COMPOSE.fullmatch(name))


def list_container_names(path: str, text: str) -> tuple[str, ...]:
    """The images that a file starts from or runs, its services, and what it installs. Raises Unreadable."""
    if _COMPOSE.fullmatch(path.rpartition("/")[2]):
        found = _list_services(text)
    else:
        found = [_read_image(image) for image in _FROM.findall(text)]
        found += [package.name for script in _RUN.findall(text) for package in read_installs(script, everything=True)]
    return tuple(dict.fromkeys(filter(None, found)))


def _list_services(text: str) -> list[str]:
    services = read_yaml_table(text).table("services")
    images = [held.text("image") for _, held, _ in services.pairs if isinstance(held, LinedTable)]
    return [*(name for name, _, _ in services.pairs), *map(_read_image, images)]


def _read_image(image: str) -> str:
    """The name in `registry/owner/name:tag@sum`."""
    owner, slash, name = image.partition("@")[0].rpartition("/")
    return f"{owner}{slash}{name.partition(':')[0]}"
