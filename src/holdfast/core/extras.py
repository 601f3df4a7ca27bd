"""The packages of each extra, and what to type so that this very Python finds them."""

import os
import sys
from collections.abc import Sequence
from shlex import quote

# As in pyproject.toml; a test compares them.
EXTRAS = {
    "mcp": ("mcp>=2.3,<3",),
    "meaning": ("numpy>=2", "wordllama>=0.4.0.post1,<0.5"),
    "postgres": ("numpy>=2", "psycopg[binary,pool]>=3.2,<4"),
    "review": ("textual>=8.2,<9",),
    "serve": ("fastapi>=0.162,<1", "mcp>=2.3,<3", "uvicorn>=0.54,<1", "websockets>=17"),
    "share": ("obstore>=0.12,<0.13", "pyrage>=1.4,<2", "zstandard>=0.25,<0.26"),
}


def extra_command(extra: str) -> str:
    """What installs an extra here, from wherever Holdfast itself came."""
    return install_command(EXTRAS[extra])


def install_command(packages: Sequence[str], options: Sequence[str] = ()) -> str:
    """What installs packages beside Holdfast, by the tool that made this environment."""
    words = " ".join([*options, *map(quote, packages)])
    place = sys.prefix.replace(os.sep, "/")
    if "/pipx/venvs/" in place:
        return f"pipx runpip {os.path.basename(sys.prefix)} install {words}"
    if "/uv/tools/" not in place:
        return f"{quote(sys.executable)} -m pip install {words}"
    if "--ignore-requires-python" in options:
        return (
            f"uv pip install --python {quote(sys.executable)} pip; then {quote(sys.executable)} -m pip install {words}"
        )
    return f"uv pip install --python {quote(sys.executable)} {words}"
