"""mix.exs, the manifest of Elixir projects. It is a program, and is not run."""

import re

from holdfast.ecosystems.bare_code import LineCounter, blank_hashes
from holdfast.ecosystems.manifest_contents import ManifestContents
from holdfast.ecosystems.package_names import HEX, list_packages

# {:phoenix, "~> 1.7"}, {:plug, git: …}; not {:own, path: …} and not what is in the same umbrella.
_DEPENDENCY = re.compile(
    r"""\{\s*:(\w+)\s*,\s*(?:"|'|~[a-zA-Z]|>=|
        (?:git|github|hex|only|runtime|override|organization|repo|env|targets|app|compile|manager)\s*:)""",
    re.VERBOSE,
)
_APP = re.compile(r"\bapp:\s*:(\w+)")


def read_mix_exs(text: str) -> ManifestContents:
    """What an Elixir project depends on; what lies beside it is its own."""
    code = blank_hashes(text)
    lines = LineCounter(code)
    found = [(each[1], lines.line_at(each.start())) for each in _DEPENDENCY.finditer(code)]
    app = _APP.search(code)
    return ManifestContents(packages=list_packages(HEX, found), name=app[1] if app else "")
