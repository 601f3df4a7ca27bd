"""Names of packages, in the form in which two spellings of one are the same."""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase

from holdfast.core.value import Value

PYPI, NPM, CARGO, GO, GEM, MAVEN = "pypi", "npm", "cargo", "go", "gem", "maven"
COMPOSER, CONDA, NUGET, PUB, SWIFT, HEX, JSR = "composer", "conda", "nuget", "pub", "swift", "hex", "jsr"
# What CMake and Meson look for; what a machine's own package manager installs.
NATIVE, SYSTEM = "native", "system"
# What a rule may limit a name to, as `npm:left-pad`.
ECOSYSTEMS = (PYPI, NPM, CARGO, GO, GEM, MAVEN, COMPOSER, CONDA, NUGET, PUB, SWIFT, HEX, JSR, NATIVE)
# Of a package that nobody said the ecosystem of.
ANY = ""
LONGEST = 300
_APART = re.compile(r"[-_.]+")
_UNDERSCORES = re.compile(r"[-_]+")
_MAJOR = re.compile(r"(?:/|\.)v\d+$")
# Where a requirement's name ends: extras, versions, markers, an address.
_SPEC = re.compile(r"\s*(?:\[|[=<>~!;,^(]|\s|@(?=.)(?<!^@))")


class NamedPackage(Value):
    """A package as a text names it, and the line."""

    name: str
    ecosystem: str = ANY
    line: int = 1

    @property
    def normal(self) -> str:
        """The name in the form of its ecosystem."""
        return normalize_name(self.name, self.ecosystem)


class Wanted(Value):
    """A name that a rule speaks of; `*` in it stands for any characters."""

    name: str
    ecosystem: str = ANY

    def means(self, named: NamedPackage) -> bool:
        """Whether a package is one of those that the rule speaks of."""
        if self.ecosystem and named.ecosystem and self.ecosystem != named.ecosystem:
            return False
        return any(
            _are_alike(normalize_name(self.name, ecosystem), normalize_name(named.name, ecosystem), ecosystem)
            for ecosystem in ([named.ecosystem] if named.ecosystem else [self.ecosystem or PYPI, NPM, CARGO])
        )


def parse_wanted(text: str) -> Wanted:
    """A rule's name. Raises ValueError for what is none, and for one with a version: those are not compared."""
    said = text.strip()
    ecosystem, colon, name = said.partition(":")
    if not colon or ecosystem not in ECOSYSTEMS:
        ecosystem, name = ANY, said
    name = re.sub(r"\[[^\]]*\]$", "", name.strip())
    if not name or len(name) > LONGEST or any(character.isspace() for character in name):
        raise ValueError(f"{said[:60]!r} is no name of a package")
    if re.search(r"[=<>~!^;]", name) or "@" in name[1:]:
        raise ValueError(f"{said[:60]!r} has a version, and versions are not compared")
    return Wanted(name=name, ecosystem=ecosystem)


def list_packages(ecosystem: str, found: Iterable[tuple[str, int]]) -> tuple[NamedPackage, ...]:
    """Packages of one ecosystem by name and line, each once a line; without what is no name."""
    return tuple(
        dict.fromkeys(
            NamedPackage(name=name, ecosystem=ecosystem, line=line)
            for name, line in found
            if name and len(name) <= LONGEST
        )
    )


def normalize_name(name: str, ecosystem: str) -> str:
    """A name in the form of its ecosystem."""
    match ecosystem:
        case "pypi" | "conda":
            return _APART.sub("-", name.lower())
        case "cargo":
            return _UNDERSCORES.sub("-", name.lower())
        case "go" | "swift":
            return name.lower().rstrip("/")
        case _:
            return name.lower()


def plain_name(name: str) -> str:
    """A name without the marks that people write or leave out: `Redis-Py` is `redispy`."""
    return "".join(character for character in name.lower() if character.isalnum())


def last_part(name: str) -> str:
    """The last part of a name with an owner: `errors` of `github.com/pkg/errors`."""
    return name.rpartition(":")[2].rpartition("/")[2]


def read_requirement(text: str) -> str:
    """The name in `name[extra]>=1; marker`, `name@1`, `@scope/name@1`; an empty text where there is none."""
    said = text.strip().strip("'\"")
    end = _SPEC.search(said, 1)
    name = said[: end.start()] if end else said
    return name if name and len(name) <= LONGEST and re.match(r"[@\w]", name) else ""


def read_conda_spec(text: str) -> str:
    """The name in `channel::name>=1` or `name=1=build`; empty for an address, and for Python itself."""
    said = text.strip().rpartition("::")[2]
    name = read_requirement(said) if "://" not in text else ""
    return "" if name.lower() == "python" else name


def read_address(address: str) -> str:
    """A repository's address as a name: `github.com/apple/swift-nio`."""
    bare = re.sub(r"^(?:[a-z+]+://)?(?:[^@/]+@)?", "", address.strip())
    return bare.replace(":", "/", 1).removesuffix("/").removesuffix(".git")


def _are_alike(rule: str, name: str, ecosystem: str) -> bool:
    if _fits(rule, name):
        return True
    match ecosystem:
        case "go":
            return not _MAJOR.search(rule) and _fits(rule, _MAJOR.sub("", name))
        case "maven":
            return ":" not in rule and _fits(rule, name.rpartition(":")[2])
        case "swift":
            return "/" not in rule and _fits(rule, name.rpartition("/")[2])
        case _:
            return False


def _fits(rule: str, name: str) -> bool:
    return rule == name or ("*" in rule and fnmatchcase(name, rule.replace("[", "[[]").replace("?", "[?]")))
