#!/usr/bin/env python3
"""The task runner. `./do` lists every verb; it needs nothing but Python 3.11 or newer."""

import hashlib
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STUDIO = ROOT / "studio"
OLDEST = (3, 11)
NODE = (20, 19)
# What `pip install ".[laptop]"` brings.
LAPTOP = ("granite", "meaning", "review", "serve", "share")
# A disk in memory, and how much of it the tests may need.
MEMORY_DISK, ROOM = "/dev/shm", 8 * 1024**3
# What pytest ends with where `-k` chose no test.
NOTHING_CHOSEN = 5
# What `./do test --fast` runs: no browser, no client, no server that would have to be installed.
FAST = ("tests/unit", "tests/properties", "tests/contracts")
# What `./do decisions` looks at where there is nothing to compare with.
CHECKED = ("src", "pyproject.toml", "studio/src", "studio/package.json")
CLIENTS = ("CLAUDE", "CODEX", "GEMINI", "OPENCODE", "CURSOR", "COPILOT", "CLINE", "AUGMENT", "ANTIGRAVITY", "AI_AGENT", "AGENT")


def main() -> int:
    verbs = {name.removeprefix("verb_"): function for name, function in globals().items() if name.startswith("verb_")}
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    if wanted not in verbs:
        print("usage: ./do VERB [ARGUMENT…]\n")
        for name, function in verbs.items():
            print(f"  {name:<12} {function.__doc__}")
        return 0 if wanted in {"", "help", "-h", "--help"} else 2
    os.chdir(ROOT)
    sys.stdout.reconfigure(line_buffering=True)
    # Compiled modules are a good part of a fast start: nothing here may switch them off.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    return verbs[wanted](sys.argv[2:])


def verb_try(_: list[str]) -> int:
    """install Holdfast here and play a first session: remember, find, read back"""
    _install(dev=False)
    print(f"\nInstalled: {_shown(VENV / 'bin' / 'holdfast')}\n")
    with tempfile.TemporaryDirectory(prefix="holdfast-try-") as folder:
        return _first_session(folder)


def verb_setup(_: list[str]) -> int:
    """install Holdfast and everything its tests need into .venv"""
    _install(dev=True)
    return 0


def verb_check(arguments: list[str]) -> int:
    """everything CI checks: format, lint, types, imports, decisions, tests (arguments go to pytest)"""
    _install(dev=True)
    _need_browser()
    steps = (verb_format_check, verb_lint, verb_types, verb_imports, verb_decisions)
    failed = [step.__name__.removeprefix("verb_") for step in steps if step([])]
    if verb_test(arguments):
        failed.append("test")
    print(f"\nfailed: {', '.join(failed)}" if failed else "\nall checks passed")
    return 1 if failed else 0


def verb_test(arguments: list[str]) -> int:
    """the tests alone, on all cores; --fast: under two minutes (more goes to pytest: ./do test tests/unit -k words)"""
    _install(dev=True)
    places = [Path(word.partition("::")[0]) for word in arguments if _is_place(word)]
    fast = "--fast" in arguments
    if fast and not places:
        arguments = [*arguments, *FAST]
    elif not fast:
        _bring(_needed(places or [ROOT / "tests"]))
    # One more than cores: many tests wait, for a process, a socket or a time to pass.
    workers = str((os.cpu_count() or 1) + 1)
    pytest = (PYTHON, "-m", "pytest", "-q", "-n", workers, "--dist", "worksteal", "--durations=25", "--durations-min=8")
    # Playwright keeps an event loop running in its process, where no other test could start one.
    runs = ((),) if fast or places else (("--ignore=tests/browser",), ("tests/browser",))
    with tempfile.TemporaryDirectory(prefix="hf-", dir=_find_memory_disk(), ignore_cleanup_errors=True) as scratch:
        os.environ["TMPDIR"] = scratch
        return max({_run(*pytest, *where, *arguments) for where in runs} - {NOTHING_CHOSEN}, default=NOTHING_CHOSEN)


def verb_heavy(arguments: list[str]) -> int:
    """the tests with the heavy ones: thousands of kills, large vaults"""
    return verb_test(["--heavy", *arguments])


def verb_bench(arguments: list[str]) -> int:
    """the benchmarks, as tables (./do bench --help)"""
    _install(dev=True)
    return _run(PYTHON, "-m", "bench", *arguments)


def verb_walk(arguments: list[str]) -> int:
    """how many modules one accept and one prompt walk through, and how often the package changes (--json)"""
    _install(dev=True)
    return _run(PYTHON, "-m", "bench.walk", *arguments)


def verb_format(_: list[str]) -> int:
    """put the code into our form"""
    _install(dev=True)
    return _run(PYTHON, "-m", "ruff", "format") or _run(PYTHON, "-m", "ruff", "check", "--fix")


def verb_format_check(_: list[str]) -> int:
    """whether the code is in our form"""
    return _run(PYTHON, "-m", "ruff", "format", "--check", "--quiet")


def verb_lint(_: list[str]) -> int:
    """ruff"""
    return _run(PYTHON, "-m", "ruff", "check", "--quiet")


def verb_types(_: list[str]) -> int:
    """mypy, strict"""
    return _run(PYTHON, "-m", "mypy")


def verb_imports(_: list[str]) -> int:
    """who may import whom"""
    return _run(VENV / "bin" / "lint-imports")


def verb_decisions(_: list[str]) -> int:
    """whether what changed breaks a decision that this repository keeps in .holdfast/memory"""
    holdfast = str(VENV / "bin" / "holdfast")
    since = _find_base()
    looked_at = ("--diff", since) if since else CHECKED
    with tempfile.TemporaryDirectory(prefix="holdfast-check-") as home:
        environment = _person(home)
        allowed = subprocess.run([holdfast, "allow"], env=environment, capture_output=True, text=True)
        if allowed.returncode:
            print(allowed.stderr, file=sys.stderr)
            return allowed.returncode
        found = subprocess.run([holdfast, "check", *looked_at], env=environment).returncode
        # The block of memory in AGENTS.md says what memory says.
        return found or subprocess.run([holdfast, "render", "--check"], env=environment).returncode


def verb_architecture(_: list[str]) -> int:
    """draw docs/pictures/architecture.svg from the import graph, and write the tables of folders anew"""
    _install(dev=True)
    return _run(PYTHON, "-m", "tests.architecture.draw")


def verb_recording(_: list[str]) -> int:
    """play the terminal session of the README anew, and draw docs/pictures/session.svg from it"""
    _install(dev=True)
    return _run(PYTHON, "-m", "tests.architecture.record")


def verb_changelog(_: list[str]) -> int:
    """write CHANGELOG.md anew from changes/unreleased"""
    _install(dev=True)
    return _run(PYTHON, "-m", "tests.architecture.changelog")


def verb_docs(_: list[str]) -> int:
    """write docs/help.md and docs/openapi.json anew from the commands' own help and the server's own routes"""
    _install(dev=True)
    return _run(PYTHON, "-m", "tests.architecture.helptext") or _run(PYTHON, "-m", "tests.architecture.openapi")


def verb_studio(_: list[str]) -> int:
    """build Studio into src/holdfast/server/page, with docs/openapi.json and its types (needs Node 20 or newer)"""
    _install(dev=True)
    if not _install_studio():
        print("error: Studio is built with Node 20 or newer, and there is none.\nhint: install Node, then again.", file=sys.stderr)
        return 2
    steps = (
        (PYTHON, "-m", "tests.architecture.openapi"),
        ("npm", "run", "--silent", "--prefix", STUDIO, "types"),
        ("npm", "run", "--silent", "--prefix", STUDIO, "build", "--", "--logLevel", "warn"),
        (PYTHON, "-m", "tests.studio.bundle"),
    )
    return next((code for step in steps if (code := _run(*step))), 0)


def verb_pins(_: list[str]) -> int:
    """write constraints.txt anew: the newest versions, without any address"""
    _install(dev=True)
    _pip("install", "--quiet", "uv")
    command = [str(PYTHON), "-m", "uv", "pip", "compile", "--quiet", "--universal", "--no-emit-index-url", "--no-header"]
    wanted = "\n".join(_requirements(dev=True)) + "\n"
    done = subprocess.run([*command, "--no-annotate", "-"], input=wanted, text=True, capture_output=True)
    if done.returncode == 0:
        (ROOT / "constraints.txt").write_text(done.stdout)
    else:
        print(done.stderr, file=sys.stderr)
    return done.returncode


def verb_clean(_: list[str]) -> int:
    """remove .venv and every cache"""
    for name in (".venv", ".mypy_cache", ".ruff_cache", ".hypothesis", ".import_linter_cache", "dist", "studio/node_modules"):
        shutil.rmtree(ROOT / name, ignore_errors=True)
    return 0


def _find_memory_disk() -> str | None:
    """Where tests keep their files, if there is room: on a real disk they would spend half of their time on fsync."""
    try:
        disk = os.statvfs(MEMORY_DISK)
        memory = next(line for line in Path("/proc/meminfo").read_text().splitlines() if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return None
    room = min(disk.f_bavail * disk.f_frsize, int(memory.split()[1]) * 1024)
    return MEMORY_DISK if room >= ROOM and "TMPDIR" not in os.environ and os.access(MEMORY_DISK, os.W_OK) else None


def _first_session(folder: str) -> int:
    holdfast = str(VENV / "bin" / "holdfast")
    environment = _person(os.path.join(folder, "home"))
    project = os.path.join(folder, "project")
    os.mkdir(project)
    steps = (
        ("init", "--yes", "--client", "none"),
        ("remember", "decision", "Use Textual for the TUI", "--question", "Which TUI toolkit?", "--choice", "Textual",
         "--rejected", "curses: no layout engine", "--because", "fast iteration, and the team knows it"),
        ("remember", "failure", "Async connection pool ran dry under load", "--root-cause", "one session per request"),
        ("search", "which toolkit for the terminal ui"),
        ("show", "DEC"),
        ("doctor", "--verify"),
    )
    for step in steps:
        print("$ holdfast " + " ".join(word if word.isidentifier() or word[0] == "-" else f'"{word}"' for word in step))
        done = subprocess.run([holdfast, *step], cwd=project, env=environment)
        if done.returncode:
            return done.returncode
        print()
    print('That ran in a folder that is gone now. For every day: `pipx install ".[laptop]"` or `uv tool install ".[laptop]"`,')
    print("then `holdfast init` in a project of yours. Guide: docs/guide/README.md")
    return 0


def _person(home: str) -> dict[str, str]:
    """The environment of a person with this home and its key, also without a terminal or when an agent runs us."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(CLIENTS)}
    return environment | {"HOLDFAST_HOME": home, "HOLDFAST_KEY": "hfpk_" + secrets.token_urlsafe(24)}


def _find_base() -> str:
    """Where a branch left main; on main itself the commit before; empty where git knows neither."""
    head = _ask_git("rev-parse", "HEAD")
    for base in (_ask_git("merge-base", "HEAD", "origin/main"), _ask_git("rev-parse", "--verify", "--quiet", "HEAD~1")):
        if base and base != head:
            return base
    return ""


def _ask_git(*words: str) -> str:
    return subprocess.run(["git", *words], capture_output=True, text=True).stdout.strip()


def _install(*, dev: bool) -> None:
    wanted = _requirements(dev=dev)
    stamp = VENV / ".installed"
    sums = hashlib.sha256("\n".join([*wanted, (ROOT / "constraints.txt").read_text(), (ROOT / "pyproject.toml").read_text()]).encode()).hexdigest()
    have = stamp.read_text().split() if stamp.exists() else []
    if sums in have:
        return
    if not PYTHON.exists():
        _make_venv()
    print("installing into .venv …", flush=True)
    pins = ["--constraint", str(ROOT / "constraints.txt")]
    _pip("install", "--quiet", "--disable-pip-version-check", *pins, "--editable", str(ROOT), *wanted)
    stamp.write_text("\n".join([*have, sums]))


def _is_place(word: str) -> bool:
    return not word.startswith("-") and Path(word.partition("::")[0]).exists()


def _needed(places: list[Path]) -> set[str]:
    """What the tests at these places need besides Python's packages: `browser`, `studio`."""
    found = [place.resolve() for place in places]
    folders = {name: ROOT / "tests" / name for name in ("browser", "studio")}
    return {name for name, folder in folders.items() for place in found if place in (folder, *folder.parents) or folder in place.parents}


def _bring(needed: set[str]) -> None:
    if "browser" in needed:
        _need_browser()
    if "studio" in needed:
        _install_studio()


def _node() -> tuple[int, ...]:
    said = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout.strip().removeprefix("v")
    return tuple(int(part) for part in said.split(".")[:2] if part.isdigit())


def _install_studio() -> bool:
    """Studio's tools, where there is Node: from the lock file alone, and only when that changed."""
    if not (shutil.which("npm") and shutil.which("node")) or _node() < NODE:
        return False
    stamp = STUDIO / "node_modules" / ".installed"
    sums = hashlib.sha256((STUDIO / "package-lock.json").read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == sums:
        return True
    print("installing into studio/node_modules …", flush=True)
    if _run("npm", "ci", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", STUDIO):
        sys.exit("error: npm could not install Studio's tools; the lines above say why.")
    stamp.write_text(sums)
    return True


def _requirements(*, dev: bool) -> list[str]:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    known = project["project"]["optional-dependencies"]
    everyday = [package for extra in LAPTOP for package in known[extra]]
    return project["project"]["dependencies"] + (project["dependency-groups"]["dev"] if dev else everyday)


def _pip(*arguments: str) -> None:
    if _run(PYTHON, "-m", "pip", *arguments):
        sys.exit("error: installing failed; the lines above say why.")


def _make_venv() -> None:
    print("making .venv …", flush=True)
    if _venv_by_python():
        return
    shutil.rmtree(VENV, ignore_errors=True)
    if shutil.which("uv") and _run("uv", "venv", "--quiet", "--seed", "--python", sys.executable, str(VENV)) == 0:
        return
    # Debian's Python comes without ensurepip; its own package brings it.
    if shutil.which("apt-get") and os.geteuid() == 0:
        print("Python lacks venv: installing Debian's python3-venv", flush=True)
        _run("apt-get", "update", "-qq")
        _run("apt-get", "install", "-y", "-qq", "--no-install-recommends", "python3-venv")
        if _venv_by_python():
            return
    sys.exit("error: this Python cannot make a virtual environment.\nhint: sudo apt-get install python3-venv, then again.")


def _need_browser() -> None:
    """Chromium for the tests of Studio, where it can be had by itself; elsewhere those tests say what is missing."""
    have = os.environ.get("HOLDFAST_CHROMIUM") or any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))
    if have or not shutil.which("apt-get") or os.geteuid() != 0:
        return
    print("no Chromium: installing Debian's chromium for the tests of Studio", flush=True)
    _run("apt-get", "update", "-qq")
    _run("apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium")


def _venv_by_python() -> bool:
    done = subprocess.run([sys.executable, "-m", "venv", str(VENV)], capture_output=True)
    return done.returncode == 0 and PYTHON.exists()


def _run(*command: object) -> int:
    return subprocess.run([str(word) for word in command]).returncode


def _shown(path: Path) -> str:
    return os.path.relpath(path, ROOT)


if __name__ == "__main__":
    if sys.version_info < OLDEST:
        sys.exit(f"error: Holdfast needs Python {OLDEST[0]}.{OLDEST[1]} or newer; this is {sys.version.split()[0]}.\nhint: python3.11 ./do …")
    sys.exit(main())
