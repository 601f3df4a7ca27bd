"""What a client is to us: how it is found, what it is asked for, which of its files carry our part.

Paths and values may hold places, filled in when they are used: `{user}` the user's home folder, `{home}` ours,
`{client}` the client's own folder, `{workspace}`, `{hook}` the path of our hook, `{command}` the same for a shell.
"""

from collections.abc import Mapping
from typing import Any

from holdfast.core.value import Value

Path = tuple[str, ...]


class JsonPart(Value):
    """Our entries in a JSON file: `members` are set, `items` appended to lists. `bare` is what a new file begins as."""

    path: str
    members: tuple[tuple[Path, Any], ...] = ()
    items: tuple[tuple[Path, Any], ...] = ()
    bare: Mapping[str, Any] = {}


class TomlPart(Value):
    """Our tables in a TOML file. `also` begins the names of tables that the client adds on our account."""

    path: str
    tables: tuple[tuple[str, Mapping[str, Any]], ...]
    also: str = ""


class MarkdownPart(Value):
    """Our marked block in a Markdown file; `head` stands above it where the file is new."""

    path: str
    text: str
    head: str = ""


class YamlPart(Value):
    """One entry of ours in a list of a YAML file."""

    path: str
    key: str
    entry: str


class OwnFile(Value):
    """A file that is ours alone, made from one in `integrations/`. `shy`: it yields to a file that is there already."""

    path: str
    source: str
    executable: bool = False
    shy: bool = False


class OwnFolder(Value):
    """A folder that is ours alone, made from one in `integrations/`."""

    path: str
    source: str


class Leftover(Value):
    """What the client itself keeps about us: members of a JSON file that it begins as `bare`."""

    path: str
    members: tuple[Path, ...]
    bare: Mapping[str, Any] = {}


Part = JsonPart | TomlPart | MarkdownPart | YamlPart | OwnFile | OwnFolder


class InstallWay(Value):
    """One way to get our hook into a client. `copies` are folders in which the client keeps copies of our files."""

    name: str
    parts: tuple[Part, ...]
    leftovers: tuple[Leftover, ...] = ()
    copies: tuple[str, ...] = ()


class Client(Value):
    """A row of the table. `sends` are the ids its payloads are told by; `notes` are what `doctor` says about it."""

    id: str
    title: str
    folder: str
    ways: tuple[InstallWay, ...]
    events: tuple[str, ...] = ()
    sends: tuple[str, ...] = ()
    executables: tuple[str, ...] = ()
    marks: tuple[str, ...] = ()
    folder_variable: str = ""
    folder_below: str = ""
    needs_trust: bool = False
    notes: tuple[str, ...] = ()
