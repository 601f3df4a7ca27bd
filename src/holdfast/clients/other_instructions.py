"""What else is put before agents, told by the clients' own files: instructions, their own memories, other plugins.

Nothing is written, and no file is read further than some. Where the facts come from: docs/formats/clients.md.
"""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from holdfast.clients.client_traces import find_gemini_folders, make_project_slug
from holdfast.core.value import Value, replace
from holdfast.system.peek import FilePeek, list_names, peek_file, read_json_object

# As `recall.pack` counts; a test holds them together.
CHARACTERS_PER_TOKEN = 4
START, PROMPT, TOOL, DEMAND = "session start", "each prompt", "at a tool", "on demand"
INSTRUCTIONS, OWN_MEMORY, CLAUDE_MEM = "instructions", "own memory", "claude-mem"
CLAUDES_INDEX = (200, 25_000)
CLAUDES_TOPIC = 4096
CODEX_PROJECT = 32_768
# 2,500 tokens in newer versions.
CODEX_MEMORY = 5_000 * CHARACTERS_PER_TOKEN
MOST_RULES = 200
MOST_IMPORTS = 20
DEEPEST_IMPORT = 5
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_IMPORT = re.compile(r"(?:^|\s)@([^\s`]+)")
_HEAD = re.compile(r"\A---\r?\n(.*?)\r?\n---", re.DOTALL)


class InstructionSource(Value):
    """Something agents are told: by whom, in which clients, when, about how many tokens (None: not known), from where.

    `text` is the beginning of what it says, where that stands in a file.
    """

    who: str
    clients: tuple[str, ...]
    when: str
    where: str
    tokens: int | None = None
    most: int | None = None
    note: str = ""
    text: str = ""


def find_instruction_sources(
    clients: Sequence[str], places: Mapping[str, Mapping[str, str]], env: Mapping[str, str]
) -> list[InstructionSource]:
    """Everything that is put before the agents of some clients by others than us. `places` are each client's."""
    found: list[InstructionSource] = []
    for client in clients:
        if client in _SPEAKING:
            found += _drop_duplicates(
                replace(voice, clients=(client,)) for voice in _SPEAKING[client](places[client], env)
            )
    return _merge_sources(found)


def estimate_tokens(characters: int) -> int:
    """About how many tokens a text of so many characters is."""
    return -(-characters // CHARACTERS_PER_TOKEN)


def find_claude_mem_folder(user: str, env: Mapping[str, str]) -> str:
    """Where claude-mem keeps its data."""
    given = env.get("CLAUDE_MEM_DATA_DIR") or os.path.join(user, ".claude-mem")
    moved = read_json_object(os.path.join(given, "settings.json")).get("CLAUDE_MEM_DATA_DIR")
    return moved if isinstance(moved, str) and moved else given


# Clients


def _claude(places: Mapping[str, str], env: Mapping[str, str]) -> Iterator[InstructionSource]:
    folder, workspace = places["client"], places["workspace"]
    settings = _claude_settings(folder, workspace)
    if not env.get("CLAUDE_CODE_DISABLE_CLAUDE_MDS"):
        yield from _claude_instructions(folder, workspace)
    yield from _auto_memory(find_claude_memory_folder(places, env))
    plugins = settings.get("enabledPlugins")
    enabled = [name for name, on in plugins.items() if on is True] if isinstance(plugins, dict) else []
    if any(name.startswith("claude-mem@") for name in enabled) or CLAUDE_MEM in str(settings.get("hooks")):
        yield _claude_mem(places["user"], env)


def find_claude_memory_folder(places: Mapping[str, str], env: Mapping[str, str]) -> str:
    """Where Claude Code keeps its own memory of a workspace; empty where that is switched off."""
    folder, workspace = places["client"], places["workspace"]
    settings = _claude_settings(folder, workspace)
    if settings.get("autoMemoryEnabled") is False or env.get("CLAUDE_CODE_DISABLE_AUTO_MEMORY"):
        return ""
    moved = settings.get("autoMemoryDirectory")
    if isinstance(moved, str) and moved:
        return _expand_home(moved, places["user"])
    return os.path.join(folder, "projects", make_project_slug(find_git_root(workspace)), "memory") if workspace else ""


def _claude_settings(folder: str, workspace: str) -> dict[str, Any]:
    """The settings in force; those of the repository win, but do not say where memory is."""
    user = read_json_object(os.path.join(folder, "settings.json"))
    local = [".claude/settings.json", ".claude/settings.local.json"] if workspace else []
    merged = dict(user)
    for found in (read_json_object(os.path.join(workspace, name)) for name in local):
        plugins = {**_table(merged, "enabledPlugins"), **_table(found, "enabledPlugins")}
        hooks = [merged.get("hooks"), found.get("hooks")]
        merged = {**merged, **found, "enabledPlugins": plugins, "hooks": hooks}
    return {**merged, "autoMemoryDirectory": user.get("autoMemoryDirectory")}


def _claude_instructions(folder: str, workspace: str) -> Iterator[InstructionSource]:
    yield from _text("/etc/claude-code/CLAUDE.md", imports=True)
    yield from _text(os.path.join(folder, "CLAUDE.md"), imports=True)
    yield from _rules(os.path.join(folder, "rules"), (".md",), _claudes_rule)
    for above in _list_folders_down_to(workspace):
        for name in ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"):
            yield from _text(os.path.join(above, name), imports=True)
        yield from _rules(os.path.join(above, ".claude/rules"), (".md",), _claudes_rule)
    own = [os.path.join(workspace, name) for name in ("CLAUDE.md", ".claude/CLAUDE.md")]
    if workspace and not any(os.path.lexists(path) for path in own):
        for name in ("AGENTS.md", ".claude/AGENTS.md"):
            yield from _text(os.path.join(workspace, name), imports=True)


def _auto_memory(folder: str) -> Iterator[InstructionSource]:
    index = peek_file(os.path.join(folder, "MEMORY.md")) if folder else None
    if index:
        lines, characters = CLAUDES_INDEX
        kept = "\n".join(index.text.split("\n")[:lines])[:characters]
        voice = _build_source(replace(index, text=kept, size=0), OWN_MEMORY)
        cut = len(kept) < len(index.text) or _size(index)
        yield (
            replace(voice, note=f"only its first {lines} lines and {characters:,} characters are read")
            if cut
            else voice
        )
    topics = [name for name in list_names(folder) if name.endswith(".md") and name != "MEMORY.md"] if folder else []
    if topics:
        seen = [peek_file(os.path.join(folder, name), CLAUDES_TOPIC) for name in topics[:MOST_RULES]]
        most = estimate_tokens(max((len(each.text) for each in seen if each), default=0))
        note = f"{len(topics)} files, each read when it seems to matter; the largest counts"
        yield InstructionSource(
            who=OWN_MEMORY, clients=(), when=DEMAND, where=folder, tokens=most, most=most, note=note
        )


def _claude_mem(user: str, env: Mapping[str, str]) -> InstructionSource:
    folder = find_claude_mem_folder(user, env)
    count = read_json_object(os.path.join(folder, "settings.json")).get("CLAUDE_MEM_CONTEXT_OBSERVATIONS")
    newest = (
        f"the newest {count} observations" if isinstance(count, str) and count.isdigit() else "its newest observations"
    )
    database = os.path.join(folder, "claude-mem.db")
    note = newest if os.path.exists(database) else f"{newest}; it has no database yet"
    return InstructionSource(who=CLAUDE_MEM, clients=(), when=START, where=database, note=note)


def _codex(places: Mapping[str, str], env: Mapping[str, str]) -> Iterator[InstructionSource]:
    folder, workspace = places["client"], places["workspace"]
    yield from _first_of(folder, ("AGENTS.override.md", "AGENTS.md"))
    room = CODEX_PROJECT
    for above in _list_folders_down_to(workspace, find_git_root(workspace)):
        for voice in _first_of(above, ("AGENTS.override.md", "AGENTS.md"), room):
            room -= (voice.tokens or 0) * CHARACTERS_PER_TOKEN
            yield voice
    config = _toml(os.path.join(folder, "config.toml"))
    if (
        _table(config, "features").get("memories") is True
        and _table(config, "memories").get("use_memories") is not False
    ):
        yield from _text(os.path.join(folder, "memories/memory_summary.md"), who=OWN_MEMORY, room=CODEX_MEMORY)
    plugins = _table(config, "plugins")
    named = [plugins[name] for name in plugins if name.startswith("claude-mem@") and isinstance(plugins[name], dict)]
    hooks = peek_file(os.path.join(folder, "hooks.json"))
    if any(each.get("enabled", True) is not False for each in named) or (hooks and CLAUDE_MEM in hooks.text):
        yield _claude_mem(places["user"], env)


def _gemini(places: Mapping[str, str], _: Mapping[str, str]) -> Iterator[InstructionSource]:
    folder, workspace = places["client"], places["workspace"]
    named = _table(read_json_object(os.path.join(folder, "settings.json")), "context").get("fileName", "GEMINI.md")
    names = [name for name in (named if isinstance(named, list) else [named]) if isinstance(name, str)]
    for above in (folder, *_list_folders_down_to(workspace)):
        for name in names:
            for voice in _text(os.path.join(above, name), imports=True):
                saved = "## Gemini Added Memories" in voice.text
                yield replace(voice, note="with what save_memory kept") if saved and not voice.note else voice
    for project in find_gemini_folders(folder, workspace) if workspace else ():
        yield from _text(os.path.join(folder, "tmp", project, "memory/MEMORY.md"), who=OWN_MEMORY)


def _opencode(places: Mapping[str, str], env: Mapping[str, str]) -> Iterator[InstructionSource]:
    folder, workspace = places["client"], places["workspace"]
    no_claude = env.get("OPENCODE_DISABLE_CLAUDE_CODE") or env.get("OPENCODE_DISABLE_CLAUDE_CODE_PROMPT")
    names = ("AGENTS.md",) if no_claude else ("AGENTS.md", "CLAUDE.md")
    mine = list(_first_of(folder, ("AGENTS.md",)))
    yield from mine or ([] if no_claude else _text(os.path.join(places["user"], ".claude/CLAUDE.md")))
    for above in reversed(_list_folders_down_to(workspace)):
        if nearest := list(_first_of(above, names)):
            yield from nearest
            break
    if any(CLAUDE_MEM in name for name in list_names(os.path.join(folder, "plugins"))):
        yield _claude_mem(places["user"], env)


def _cursor(places: Mapping[str, str], env: Mapping[str, str]) -> Iterator[InstructionSource]:
    workspace = places["workspace"]
    if workspace:
        yield from _rules(os.path.join(workspace, ".cursor/rules"), (".mdc", ".md"), _cursors_rule)
        yield from _text(os.path.join(workspace, ".cursorrules"))
        yield from _text(os.path.join(workspace, "AGENTS.md"))
    hooks = peek_file(os.path.join(places["client"], "hooks.json"))
    if hooks and CLAUDE_MEM in hooks.text:
        yield _claude_mem(places["user"], env)


_SPEAKING = {"claude-code": _claude, "codex": _codex, "gemini": _gemini, "opencode": _opencode, "cursor": _cursor}


# Files


def find_git_root(folder: str) -> str:
    """The root of the repository around a folder, of a worktree the main one's; the folder itself outside any."""
    for above in reversed(_list_folders_down_to(folder)):
        mark = os.path.join(above, ".git")
        if os.path.isdir(mark):
            return above
        pointer = peek_file(mark, CLAUDES_TOPIC)
        if pointer:
            main = pointer.text.removeprefix("gitdir:").strip().partition("/.git/worktrees/")
            return main[0] if main[1] and os.path.isabs(main[0]) else above
    return folder


def _list_folders_down_to(folder: str, top: str = os.sep) -> list[str]:
    """The folders from the top down to one."""
    found: list[str] = []
    while folder:
        found.append(folder)
        if folder in {top, os.path.dirname(folder)}:
            break
        folder = os.path.dirname(folder)
    return found[::-1]


def _text(path: str, who: str = INSTRUCTIONS, *, imports: bool = False, room: int = 0) -> Iterator[InstructionSource]:
    """The voice of a file, with what it imports by `@path`, if it is there."""
    seen = peek_file(path)
    if seen is None:
        return
    voice = _build_source(
        replace(seen, size=_size(seen), text=_strip_comments(seen.text) if imports else seen.text), who, room
    )
    more = [each for each in _find_imports(seen, {os.path.realpath(path)}) if each.text] if imports else []
    if more and voice.tokens is not None:
        sum_ = voice.tokens + sum(estimate_tokens(len(each.text)) for each in more)
        note = f"with {len(more)} file{'s' if len(more) > 1 else ''} it imports"
        voice = replace(voice, tokens=sum_, most=sum_, note=voice.note or note)
    yield voice


def _strip_comments(text: str) -> str:
    """Instructions without their HTML comments, which no model sees."""
    kept, at = list[str](), 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        kept.append(text[at:start])
        at = end + len("-->")
    return "".join([*kept, text[at:]])


def _build_source(seen: FilePeek, who: str, room: int = 0) -> InstructionSource:
    size = seen.size or len(seen.text)
    cut = room and size > room
    count = None if seen.problem else estimate_tokens(min(size, room) if cut else size)
    note = seen.problem or (f"cut after {room:,} of {size:,} characters" if cut else "")
    return InstructionSource(
        who=who, clients=(), when=START, where=seen.path, tokens=count, most=count, note=note, text=seen.text
    )


def _size(seen: FilePeek) -> int:
    """The size of a file that was seen in part only; 0 for one that was seen whole."""
    return seen.size if seen.size > len(seen.text.encode("utf-8", "replace")) else 0


def _find_imports(seen: FilePeek, known: set[str], depth: int = 1) -> Iterator[FilePeek]:
    """The files that instructions import, each once, so deep and so many at most."""
    for name in _IMPORT.findall(_CODE.sub("", _strip_comments(seen.text)))[:MOST_IMPORTS]:
        path = os.path.join(os.path.dirname(seen.path), os.path.expanduser(name.rstrip(".,;:)")))
        real = os.path.realpath(path) if "\0" not in path else ""
        if not real or real in known or len(known) > MOST_IMPORTS:
            continue
        found = peek_file(path)
        if found:
            known.add(real)
            yield found
            if depth < DEEPEST_IMPORT:
                yield from _find_imports(found, known, depth + 1)


def _first_of(folder: str, names: Sequence[str], room: int = 0) -> Iterator[InstructionSource]:
    for name in names:
        if found := list(_text(os.path.join(folder, name), room=room)):
            yield from found
            return


def _rules(folder: str, endings: tuple[str, ...], when_of: Any) -> Iterator[InstructionSource]:
    """The rules below a folder, as one voice for those that are always on and one for the others."""
    found: dict[str, list[FilePeek]] = {}
    for path in _files_below(folder, endings):
        if seen := peek_file(path):
            head = _HEAD.match(seen.text)
            found.setdefault(when_of(head[1] if head else ""), []).append(seen)
    for when, all_seen in found.items():
        text = "\n".join(seen.text for seen in all_seen)
        where, note = (all_seen[0].path, "") if len(all_seen) == 1 else (folder, f"{len(all_seen)} files")
        count = estimate_tokens(len(text))
        yield InstructionSource(
            who=INSTRUCTIONS, clients=(), when=when, where=where, tokens=count, most=count, note=note, text=text
        )  # fmt: skip


def _files_below(folder: str, endings: tuple[str, ...]) -> list[str]:
    found: list[str] = []
    for at, folders, names in os.walk(folder):
        folders.sort()
        found += [os.path.join(at, name) for name in sorted(names) if name.endswith(endings)]
        if len(found) >= MOST_RULES:
            break
    return found[:MOST_RULES]


def _claudes_rule(head: str) -> str:
    return DEMAND if re.search(r"^paths\s*:", head, re.MULTILINE) else START


def _cursors_rule(head: str) -> str:
    return START if re.search(r"^alwaysApply\s*:\s*true\b", head, re.MULTILINE) else DEMAND


def _drop_duplicates(found: Iterator[InstructionSource]) -> list[InstructionSource]:
    """Each file once: a user's own folder may lie above the workspace too."""
    kept: dict[tuple[str, str], InstructionSource] = {}
    for voice in found:
        kept.setdefault((os.path.realpath(voice.where), voice.when), voice)
    return list(kept.values())


def _merge_sources(found: Sequence[InstructionSource]) -> list[InstructionSource]:
    """One voice for a file that several clients read."""
    kept: dict[tuple[str, str, str], InstructionSource] = {}
    for voice in found:
        key = (voice.who, voice.where, voice.when)
        known = kept.get(key)
        kept[key] = replace(known, clients=(*known.clients, *voice.clients)) if known else voice
    return list(kept.values())


def _expand_home(path: str, user: str) -> str:
    return os.path.join(user, path[2:]) if path.startswith("~/") else path


def _table(found: Mapping[str, Any], key: str) -> dict[str, Any]:
    inner = found.get(key)
    return inner if isinstance(inner, dict) else {}


def _toml(path: str) -> dict[str, Any]:
    seen = peek_file(path)
    try:
        return tomllib.loads(seen.text) if seen else {}
    except (ValueError, RecursionError):
        return {}
