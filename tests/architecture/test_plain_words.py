"""What users read is in present-day English: phrases that we refuse are in no page, message, help text or screen."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# A pattern, and what to say instead.
REFUSED = {
    r"\bof late\b": "recently, lately",
    r"\bmend(?:s|ed|ing)?\b": "fix, repair",
    r"\bkin\b": "and the like",
    r"\bhangs? together\b": "is connected",
    r"\bby other hands\b": "somebody else wrote it",
    r"\bnobody confirmed\b": "it was not confirmed",
    r"\bno word of the question stands\b": "it contains no word of the question",
    r"\bbears? (?:it|this|that|them) out\b": "supports, confirms",
    r"\bstanding moved\b": "what you allowed still holds",
    r"\bwants? care\b": "needs attention",
    r"\bcounts no more\b": "stops working",
    r"\b(?:whence|hitherto|heretofore|naught|lest|thither|whither|thereof|wherein|whereof|hereby|unto)\b": "",
}
# Keys of JSON that programs read are no sentences: `"mended": true`.
KEY = re.compile(r"\w+")


def _read_guide() -> Iterator[tuple[str, str]]:
    for path in (
        ROOT / "README.md",
        ROOT / "docs/features.md",
        ROOT / "docs/help.md",
        *sorted((ROOT / "docs/guide").glob("*.md")),
    ):
        yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def _read_commands() -> Iterator[tuple[str, str]]:
    """Every text in a command, but for docstrings that no help shows: `run` has the one that is shown."""
    for path in sorted((ROOT / "src/holdfast/cli").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and not KEY.fullmatch(node.value):
                yield f"{path.relative_to(ROOT)}:{node.lineno}", node.value


def _read_settings() -> Iterator[tuple[str, str]]:
    yield "settings", (ROOT / "src/holdfast/config/settings.py").read_text(encoding="utf-8")


def _read_studio() -> Iterator[tuple[str, str]]:
    """Studio's sources without comments and names: what is left holds what its screens say."""
    for path in sorted((ROOT / "studio/src").rglob("*")):
        if path.suffix in {".svelte", ".ts"} and not path.name.endswith((".test.ts", ".d.ts")):
            text = path.read_text(encoding="utf-8")
            text = re.sub(r"/\*.*?\*/|<!--.*?-->|(?m:(?<![:\w])//.*$)", "", text, flags=re.DOTALL)
            yield str(path.relative_to(ROOT)), re.sub(r"\.\w+|\b\w+\??: (?:string|number|boolean)", "", text)


def find_refused(text: str) -> list[str]:
    """The phrases of a text that we refuse, each with what to say instead."""
    return [
        f"{found[0]!r}: say {instead or 'it in plain words'}"
        for pattern, instead in REFUSED.items()
        for found in re.finditer(pattern, text, re.IGNORECASE)
    ]


@pytest.mark.parametrize("read", [_read_guide, _read_commands, _read_settings, _read_studio])
def test_what_users_read_is_in_plain_words(read: object) -> None:
    assert callable(read)
    texts = list(read())

    found = [f"{place}: {phrase}" for place, text in texts for phrase in find_refused(text)]

    assert len(texts) > 0
    assert found == []


@pytest.mark.parametrize("text", ["Not used here of late.", "AGENTS.md and their kin", "--fix mends it"])
def test_a_refused_phrase_is_found(text: str) -> None:
    assert find_refused(text)


@pytest.mark.parametrize("text", ["recommended", "kind", "amended", "recently"])
def test_a_word_that_only_looks_like_one_is_not(text: str) -> None:
    assert find_refused(text) == []
