"""The gate costs a hook next to nothing: no module of the standard library, no alarm over ordinary text."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast
from holdfast.redact import gate

SOURCE = str(Path(holdfast.__file__).parents[1])
PROBE = (
    "import sys; before = set(sys.modules); sys.path.insert(0, {source!r}); {work}; print(*set(sys.modules) - before)"
)


def loaded(work: str) -> set[str]:
    """What a cold process loads for a piece of work."""
    command = [sys.executable, "-I", "-S", "-c", PROBE.format(source=SOURCE, work=work)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"]})
    return {name for name in done.stdout.split() if not name.startswith("holdfast")}


def test_the_gate_loads_nothing_of_the_standard_library() -> None:
    assert loaded("import holdfast.redact.gate as gate; gate.suspects('plain t\u00e4xt ' * 99)") == set()


def test_cleaning_an_event_without_secrets_loads_nothing_of_the_standard_library() -> None:
    work = (
        "from holdfast.redact.clean import clean; clean({'prompt': 'why is the token refresh slow?' * 99}, limit=9999)"
    )

    assert loaded(work) == set()


def test_cleaning_an_event_with_a_secret_loads_re() -> None:
    assert "re" in loaded("from holdfast.redact.clean import clean; clean('password=hunter2')")


@pytest.mark.parametrize(
    "text",
    [
        "commit 83db48f4bf269f4aa83db48f4bf269f4aa83db48\nAuthor: Jane Roe <jane@example.com>\n",
        "for key in sorted(tokens, key=len): print(key, token)",
        "https://example.com/a/b?c=d and http://localhost:3000/users",
        "def get(self, key, default=None): return self.cache.get(key, default)",
        "package.json: author: Jane, keywords: [memory], license: MIT",
    ],
)
def test_ordinary_text_raises_no_alarm(text: str) -> None:
    assert gate.suspects(text * 20) == ()


@pytest.mark.parametrize("text", ["<private>", "< PRIVATE a=b>", "\\u003cprivate", "&lt;/private&gt;", "x </ private>"])
def test_a_private_tag_is_seen_in_any_spelling(text: str) -> None:
    assert gate.may_hold_private(text)


def test_the_word_private_is_no_tag() -> None:
    assert not gate.may_hold_private("private int x; // private, and private again")
