"""The hot path loads nothing."""

import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[3] / "src"
LOOK = f"""
import sys
before = set(sys.modules)
sys.path.insert(0, {str(SOURCE)!r})
import holdfast.clients.payload, holdfast.clients.reply
print(*sorted(set(sys.modules) - before))
"""


def test_payload_and_reply_load_no_module_of_the_standard_library() -> None:
    ran = subprocess.run([sys.executable, "-I", "-S", "-c", LOOK], capture_output=True, text=True, check=True)

    # BLAKE2 is a C module that the journal, on the same path, needs too.
    loaded = ["_blake2", "holdfast", "holdfast.clients", "holdfast.clients.payload", "holdfast.clients.reply"]
    assert ran.stdout.split() == loaded
