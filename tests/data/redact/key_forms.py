"""A private key as it comes: each form is a name and what it makes of the key's lines."""

import json
import random
from collections.abc import Callable

from tests.data.redact.made import make

Form = Callable[[list[str]], str]
LABELS = (
    "RSA PRIVATE KEY",
    "OPENSSH PRIVATE KEY",
    "EC PRIVATE KEY",
    "PRIVATE KEY",
    "ENCRYPTED PRIVATE KEY",
    "DSA PRIVATE KEY",
    "PGP PRIVATE KEY BLOCK",
)


def key_lines(chance: random.Random, label: str = "", rows: int = 12) -> list[str]:
    """A key of `rows` lines in PEM, its last one shorter."""
    name = label or chance.choice(LABELS)
    body = [make("{64b}", chance) for _ in range(rows)] + [make("{37b}=", chance)]
    middle = ["", *body, make("={4b}", chance)] if name.startswith("PGP") else body
    return [f"-----BEGIN {name}-----", *middle, f"-----END {name}-----"]


def _prefixed(prefix: Callable[[int], str]) -> Form:
    return lambda lines: "\n".join(f"{prefix(number)}{line}" for number, line in enumerate(lines, 1))


def _second(number: int) -> str:
    return f"2026-11-18T10:12:{number % 60:02}.{number:03}Z"


FORMS: dict[str, Form] = {
    "bare": "\n".join,
    "cat -n": _prefixed(lambda number: f"{number:6}\t"),
    "Claude's Read": _prefixed(lambda number: f"{number:6}→"),
    "Claude's Read, later in a file": _prefixed(lambda number: f"{number + 1204:6}→"),
    "number and colon": _prefixed(lambda number: f"{number}:"),
    "number, colon, space": _prefixed(lambda number: f"{number}: "),
    "number and bar": _prefixed(lambda number: f"{number:>4} | "),
    "bat": _prefixed(lambda number: f"  {number:>3} │ "),
    "grep -n with file": _prefixed(lambda number: f"deploy/id_rsa:{number}:"),
    "grep -n context": _prefixed(lambda number: f"deploy/id_rsa-{number}-"),
    "L1:": _prefixed(lambda number: f"L{number}: "),
    "numbered list": _prefixed(lambda number: f"{number}. "),
    "added lines": _prefixed(lambda _: "+"),
    "removed lines": _prefixed(lambda _: "-"),
    "added lines, spaced": _prefixed(lambda _: "+    "),
    "quoted": _prefixed(lambda _: "> "),
    "quoted twice": _prefixed(lambda _: "> > "),
    "hash comment": _prefixed(lambda _: "# "),
    "slash comment": _prefixed(lambda _: "// "),
    "star comment": _prefixed(lambda _: " * "),
    "indented": _prefixed(lambda _: "        "),
    "tabs": _prefixed(lambda _: "\t\t"),
    "timestamps": _prefixed(lambda number: f"{_second(number)} "),
    "docker compose log": _prefixed(lambda _: "api-1  | "),
    "log lines": _prefixed(lambda number: f"{_second(number)} INFO  [main] c.acme.Keys - "),
    "level in brackets": _prefixed(lambda number: f"[2026-11-18 10:12:{number % 60:02}] [DEBUG] "),
    "syslog": _prefixed(lambda number: f"Nov 18 10:12:{number % 60:02} web1 deploy[4123]: "),
    "kubectl prefix": _prefixed(lambda _: "[pod/api-7c9f-x2k/api] "),
    "github actions": _prefixed(lambda number: f"build\tShow key\t{_second(number)} "),
    "python list": lambda lines: "[" + ",\n ".join(repr(line) for line in lines) + "]",
    "JSON list": lambda lines: json.dumps(lines, indent=2),
    "JSON text": lambda lines: json.dumps(
        {"type": "service_account", "private_key": "\n".join(lines) + "\n", "client": "x"}
    ),
    "JSON in JSON": lambda lines: json.dumps(json.dumps({"private_key": "\n".join(lines)})),
    "escaped CRLF": lambda lines: "KEY=" + "\\r\\n".join(lines),
    "CRLF": "\r\n".join,
    "env in quotes": lambda lines: 'KEY="' + "\\n".join(lines) + '"',
    "java joined": lambda lines: " +\n".join(f'    "{line}\\n"' for line in lines) + ";",
    "javascript joined": lambda lines: " +\n".join(f"  '{line}'" for line in lines),
    "C lines": lambda lines: "\n".join(f'"{line}\\n"' for line in lines),
    "yaml block": lambda lines: "tls.key: |\n" + "\n".join(f"    {line}" for line in lines),
    "on one line": " ".join,
    "nothing between": "".join,
    "blank lines between": "\n\n".join,
    "table cells": lambda lines: "\n".join(f"| {number} | `{line}` |" for number, line in enumerate(lines)),
    "HTML breaks": "<br>\n".join,
    "cut tail": lambda lines: "\n".join(f"{number:6}→{line}" for number, line in enumerate(lines[:-3], 1)),
    "cut head": lambda lines: "\n".join(f"{number:6}→{line}" for number, line in enumerate(lines[4:], 5)),
    "diff with hunk": lambda lines: "@@ -0,0 +1,15 @@\n" + "\n".join(f"+{line}" for line in lines),
    "sed l": lambda lines: "\n".join(f"{line}$" for line in lines),
    "heredoc": lambda lines: "cat > k.pem <<EOF\n" + "\n".join(lines) + "\nEOF",
}
