"""What kind of project a folder is: its language, its framework, its name; the main one first where it is several."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from holdfast.core.value import Value
from holdfast.ecosystems.manifest_table import JAVA, NODE, PYTHON, RUBY, C
from holdfast.project.file_tree import FolderListing, escape_name
from holdfast.project.manifest_facts import ProjectManifest, describe_manifest, kind_of
from holdfast.project.read_beginning import decode_text, head_of

UNKNOWN, MIXED = "unknown", "mixed"
LARGEST = 256 * 1024
MOST_MANIFESTS = 60
DEEPEST = 3
# A language with less of the files than this is a helper, unless a framework of it is used.
LEAST_SHARE = 0.15
_KINDS = {
    "py": PYTHON, "pyi": PYTHON, "js": NODE, "jsx": NODE, "mjs": NODE, "cjs": NODE, "ts": "typescript",
    "tsx": "typescript", "mts": "typescript", "vue": NODE, "svelte": NODE, "rs": "rust", "go": "go", "java": JAVA,
    "kt": JAVA, "scala": JAVA, "rb": RUBY, "c": C, "h": C, "cc": "cpp", "cpp": "cpp", "cxx": "cpp", "hpp": "cpp",
    "hh": "cpp", "php": "php", "cs": "csharp", "ex": "elixir", "exs": "elixir", "swift": "swift", "dart": "dart",
}  # fmt: skip
# The first that is needed counts: what builds on another stands before it.
_FRAMEWORKS: Mapping[str, Sequence[tuple[str, str]]] = {
    PYTHON: (
        ("fastapi", "fastapi"), ("django", "django"), ("flask", "flask"), ("starlette", "starlette"),
        ("litestar", "litestar"), ("sanic", "sanic"), ("tornado", "tornado"), ("aiohttp", "aiohttp"),
        ("textual", "textual"), ("streamlit", "streamlit"), ("typer", "typer"), ("click", "click"),
    ),
    NODE: (
        ("next", "next"), ("nuxt", "nuxt"), ("@sveltejs/kit", "sveltekit"), ("@angular/core", "angular"),
        ("@nestjs/core", "nest"), ("@remix-run/react", "remix"), ("astro", "astro"), ("electron", "electron"),
        ("react-native", "react-native"), ("react", "react"), ("vue", "vue"), ("svelte", "svelte"),
        ("solid-js", "solid"), ("fastify", "fastify"), ("koa", "koa"), ("express", "express"), ("hono", "hono"),
    ),
    "rust": (
        ("axum", "axum"), ("actix-web", "actix"), ("rocket", "rocket"), ("warp", "warp"), ("tauri", "tauri"),
        ("bevy", "bevy"), ("leptos", "leptos"), ("ratatui", "ratatui"),
    ),
    "go": (
        ("github.com/gin-gonic/gin", "gin"), ("github.com/labstack/echo", "echo"),
        ("github.com/gofiber/fiber", "fiber"), ("github.com/go-chi/chi", "chi"), ("github.com/spf13/cobra", "cobra"),
    ),
    JAVA: (
        ("org.springframework.boot", "spring"), ("org.springframework", "spring"), ("io.quarkus", "quarkus"),
        ("io.quarkus.platform", "quarkus"), ("io.micronaut", "micronaut"), ("io.vertx", "vertx"), ("io.ktor", "ktor"),
    ),
    RUBY: (("rails", "rails"), ("sinatra", "sinatra"), ("hanami", "hanami"), ("jekyll", "jekyll")),
    C: (
        ("qt6", "qt"), ("qt5", "qt"), ("qt", "qt"), ("gtk4", "gtk"), ("gtk+-3.0", "gtk"), ("gtk", "gtk"),
        ("sdl2", "sdl"), ("sdl3", "sdl"), ("boost", "boost"),
    ),
    "php": (("laravel/framework", "laravel"), ("symfony/framework-bundle", "symfony")),
}  # fmt: skip


class ProjectPart(Value):
    """One language of a project, where it stands, and the framework it uses."""

    kind: str
    folder: str = ""
    framework: str = ""
    name: str = ""
    sources: int = 0


class ProjectInfo(Value):
    """What a folder is. `parts`: the main one first; `manifests`: what was read for it."""

    name: str
    type: str = UNKNOWN
    framework: str | None = None
    parts: tuple[ProjectPart, ...] = ()
    manifests: tuple[ProjectManifest, ...] = ()


def project_of(root: str, found: FolderListing, folder_name: str) -> ProjectInfo:
    """What a folder is, by its manifests and, where it has none, by its files."""
    manifests = tuple(_manifests(root, found))
    sources = Counter(map(_kind_of_source, found.named(_kind_of_source, aside=False)))
    parts = _parts(found, manifests, sources)
    main = parts[0] if parts else None
    frameworks = [part.framework for part in parts if part.framework]
    return ProjectInfo(
        name=_name(manifests, main) or escape_name(folder_name) or "workspace",
        type=UNKNOWN if main is None else main.kind if len(parts) == 1 else MIXED,
        framework=(main.framework if main else "") or (frameworks[0] if frameworks else None),
        parts=parts, manifests=manifests,
    )  # fmt: skip


def _name(manifests: Sequence[ProjectManifest], main: ProjectPart | None) -> str:
    """What the manifests at the top call it, that of the main part first. Those below name their own part."""
    named = [manifest for manifest in manifests if manifest.name and not manifest.folder]
    named.sort(key=lambda manifest: main is None or manifest.kind != _family(main.kind))
    return named[0].name if named else ""


def _manifests(root: str, found: FolderListing) -> Iterable[ProjectManifest]:
    near = (path for path in found.named(kind_of, aside=False) if path.count("/") < DEEPEST)
    for path in islice(near, MOST_MANIFESTS):
        yield _manifest(path, head_of(root, path, LARGEST + 1))


def _manifest(path: str, data: bytes | None) -> ProjectManifest:
    if data is None or len(data) > LARGEST:
        reason = "it cannot be opened" if data is None else f"it is larger than {LARGEST // 1024} KiB"
        return ProjectManifest(path=path, kind=kind_of(path), unread=reason)
    text = decode_text(data)
    return (
        ProjectManifest(path=path, kind=kind_of(path), unread="it is no text")
        if text is None
        else describe_manifest(path, text)
    )


def _kind_of_source(path: str) -> str:
    _, dot, ending = path.rpartition(".")
    return _KINDS.get(ending.lower(), "") if dot else ""


def _parts(
    found: FolderListing, manifests: Sequence[ProjectManifest], sources: Mapping[str, int]
) -> tuple[ProjectPart, ...]:
    """The languages that count, the main one first."""
    by_kind: dict[str, list[ProjectManifest]] = {}
    for manifest in manifests:
        by_kind.setdefault(manifest.kind, []).append(manifest)
    parts = [_part(found, kind, told, sources) for kind, told in by_kind.items()]
    if not parts:
        parts = [ProjectPart(kind=kind, sources=count) for kind, count in _count_by_files(sources).items()]
    at_root = {kind for kind, told in by_kind.items() if not told[0].folder}
    most = max((part.sources for part in parts), default=0)
    kept = [part for part in parts if part.framework or (part.sources and part.sources >= most * LEAST_SHARE)]
    kept = kept or parts[:1]
    told_at_root = {part.kind for part in kept if _family(part.kind) in at_root}
    return tuple(sorted(kept, key=lambda part: (part.kind not in told_at_root, -part.sources, part.kind)))


def _count_by_files(sources: Mapping[str, int]) -> dict[str, int]:
    """Languages by their files alone; headers belong to what includes them."""
    counts = dict(sources)
    if counts.get("cpp"):
        counts["cpp"] += counts.pop(C, 0)
    if counts.get("typescript"):
        counts["typescript"] += counts.pop(NODE, 0)
    return counts


def _family(kind: str) -> str:
    return {"typescript": NODE, "cpp": C}.get(kind, kind)


def _part(
    found: FolderListing, kind: str, manifests: Sequence[ProjectManifest], sources: Mapping[str, int]
) -> ProjectPart:
    needs = frozenset[str]().union(*(manifest.needs for manifest in manifests))
    told, count = kind, sources.get(kind, 0)
    if kind == NODE:
        count += sources.get("typescript", 0)
        typed = any(manifest.typed or found.has(_path_beside(manifest, "tsconfig.json")) for manifest in manifests)
        told = "typescript" if typed or sources.get("typescript", 0) > sources.get(NODE, 0) else NODE
    if kind == C:
        count += sources.get("cpp", 0)
        told = "cpp" if sources.get("cpp", 0) else C
    return ProjectPart(
        kind=told, folder=manifests[0].folder, framework=_framework(found, kind, needs), sources=count,
        name=next((manifest.name for manifest in manifests if manifest.name and not manifest.folder), "")
        or next((manifest.name for manifest in manifests if manifest.name), ""),
    )  # fmt: skip


def _path_beside(manifest: ProjectManifest, name: str) -> str:
    return f"{manifest.folder}/{name}" if manifest.folder else name


def _framework(found: FolderListing, kind: str, needs: frozenset[str]) -> str:
    for need, name in _FRAMEWORKS.get(kind, ()):
        if need in needs or (kind == "go" and any(each.startswith(f"{need}/") for each in needs)):
            return name
    if kind == PYTHON and found.has("manage.py"):
        return "django"
    return "rails" if kind == RUBY and found.has("config/application.rb") else ""
