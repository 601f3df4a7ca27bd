"""Names of packages, in the form in which two spellings of one are the same."""

import re
from fnmatch import fnmatchcase

from holdfast.core.value import Value

PYPI, NPM, CARGO, GO, GEM, MAVEN = "pypi", "npm", "cargo", "go", "gem", "maven"
ECOSYSTEMS = (PYPI, NPM, CARGO, GO, GEM, MAVEN)
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


class PackagePattern(Value):
    """A name that a rule speaks of; `*` in it stands for any characters."""

    name: str
    ecosystem: str = ANY

    def means(self, named: NamedPackage) -> bool:
        """Whether a package is one of those that the rule speaks of."""
        if self.ecosystem and named.ecosystem and self.ecosystem != named.ecosystem:
            return False
        return any(
            _same_package(normalize_name(self.name, ecosystem), normalize_name(named.name, ecosystem), ecosystem)
            for ecosystem in ([named.ecosystem] if named.ecosystem else [self.ecosystem or PYPI, NPM, CARGO])
        )


def parse_pattern(text: str) -> PackagePattern:
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
    return PackagePattern(name=name, ecosystem=ecosystem)


def normalize_name(name: str, ecosystem: str) -> str:
    """A name in the form of its ecosystem."""
    match ecosystem:
        case "pypi":
            return _APART.sub("-", name.lower())
        case "cargo":
            return _UNDERSCORES.sub("-", name.lower())
        case "go":
            return name.lower().rstrip("/")
        case _:
            return name.lower()


def requirement_name(text: str) -> str:
    """The name in `name[extra]>=1; marker`, `name@1`, `@scope/name@1`; an empty text where there is none."""
    said = text.strip().strip("'\"")
    end = _SPEC.search(said, 1)
    name = said[: end.start()] if end else said
    return name if name and len(name) <= LONGEST and re.match(r"[@\w]", name) else ""


def _same_package(rule: str, name: str, ecosystem: str) -> bool:
    if _matches_glob(rule, name):
        return True
    match ecosystem:
        case "go":
            return not _MAJOR.search(rule) and _matches_glob(rule, _MAJOR.sub("", name))
        case "maven":
            return ":" not in rule and _matches_glob(rule, name.rpartition(":")[2])
        case _:
            return False


def _matches_glob(rule: str, name: str) -> bool:
    return rule == name or ("*" in rule and fnmatchcase(name, rule.replace("[", "[[]").replace("?", "[?]")))
