"""docs/openapi.json, out of the server's own routes."""

import json
import tempfile
from pathlib import Path
from typing import Any

from holdfast.server.http.http_app import make_app
from holdfast.server.http.security.server_names import ServerNames
from holdfast.server.http.server_state import Serving

PAGE = Path(__file__).parents[2] / "docs" / "openapi.json"


def contract() -> dict[str, Any]:
    """What a server that runs answers at /api/openapi.json."""
    with tempfile.TemporaryDirectory() as home:
        app = make_app(Serving(home, ServerNames(scheme="http", port=7457)))
        return app.openapi()


def text() -> str:
    """The same as the file holds it."""
    return json.dumps(contract(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
