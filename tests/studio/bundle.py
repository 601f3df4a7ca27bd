"""Studio's sources and what was built of them: one sum over each, so that neither changes without the other."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[2]
STUDIO = ROOT / "studio"
PAGE = ROOT / "src" / "holdfast" / "server" / "page"
BUILT = "built.json"
# What a build reads. Tests and notes are none of it.
TOP = (
    "package.json",
    "package-lock.json",
    "vite.config.ts",
    "svelte.config.js",
    "tsconfig.json",
    "index.html",
    ".npmrc",
)


def sources(studio: Path = STUDIO) -> list[Path]:
    """Every file that a build of Studio reads, in one order on every machine."""
    found = [path for folder in ("src", "public") for path in (studio / folder).rglob("*") if path.is_file()]
    kept = [path for path in found if not path.name.endswith(".test.ts") and not path.name.startswith("testing.")]
    return sorted([*kept, *(studio / name for name in TOP)], key=lambda path: path.relative_to(studio).as_posix())


def source_sum(studio: Path = STUDIO) -> str:
    """One sha256 over the names and the bytes of all sources."""
    return _sum_of(sources(studio), studio)


def page_sums(page: Path = PAGE) -> dict[str, str]:
    """The sha256 of each file of a bundle."""
    files = sorted(path for path in page.rglob("*") if path.is_file() and path.name != BUILT)
    return {path.relative_to(page).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def stamp(page: Path = PAGE) -> None:
    """Say in a bundle what it was built of."""
    said = {"sources": source_sum(), "files": page_sums(page)}
    (page / BUILT).write_text(json.dumps(said, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _sum_of(paths: Iterable[Path], root: Path) -> str:
    total = hashlib.sha256()
    for path in paths:
        data = path.read_bytes()
        total.update(f"{path.relative_to(root).as_posix()}\0{len(data)}\0".encode())
        total.update(data)
    return total.hexdigest()


if __name__ == "__main__":
    stamp()
