"""What a tool call would do that a person may want to know of: found in its words alone, before it runs.

Each finding names a rule of the guard's policy. Nothing here decides and nothing raises; nothing of the standard
library is loaded, because a cold hook asks this before every tool, and loads the policy only where something is found.
"""

from holdfast.core.word_lists import split_phrases, word_set
from holdfast.guard.call_findings import ToolCallSurvey
from holdfast.guard.inline_code import LANGUAGES, find_code_rules, find_code_scripts, find_inline_code
from holdfast.guard.path_kinds import is_root, is_temporary, is_within
from holdfast.guard.programs import CHECKS, MARKS, SENDERS, check_tables, destroys_data, skip_options
from holdfast.guard.shell import (
    SHELLS,
    Pipeline,
    ShellCommand,
    decode_escapes,
    expand_known,
    name_of,
    parse_pipelines,
)
from holdfast.guard.ways_around import (
    DECODERS,
    POWERSHELLS,
    check_ways_around,
    find_scripts,
    is_busy_wrapper,
    note_install,
)

_IN_CODE = word_set("accept allow config forget init edit reject compact uninstall rate")
PERSON_ONLY = word_set(
    "accept allow config forget init edit reject uninstall resolve undo review run chat serve export backup sandbox"
)
# Commands that an agent may run to look, but not with these words.
PERSON_VERBS = {
    "work": word_set("done abandon verify"),
    "report progress": word_set("start step tick done drop"),
    "session buffer": word_set("accept drop"),
    "import": word_set("--accept --mine"),
    "render": word_set("--yes --remove --client --claude-memory"),
    "curate": word_set("--apply --apply-all --dismiss"),
    "show": word_set("--fix --accept --drop"),
    "doctor": word_set("--compact --triples"),
    "harvest": word_set("--vouch --no-vouch --unvouch"),
    "log": word_set("--rate"),
    "config lens": word_set("new"),
    "remember": word_set("--as-is"),
    "propose": word_set("--as-is"),
    "runs": word_set("undo cancel"),
    "team": word_set("init join leave promote sync name"),
    "team database": word_set("migrate search add remove close open"),
    "sync": word_set("add set remove database --yes --pass-on"),
}
# What only shows, of commands that are a person's.
_LOOKS = word_set("list test --prices")
_VALUED = ("-C", "--set")
_NONE: frozenset[str] = frozenset()
_LONGEST_VALUE = 2000
_EXECS = ("-exec", "-execdir", "-ok", "-okdir")

_DEEPEST = 12
_OUR_HOOK = "holdfast.hook"
_PATH_KEYS = split_phrases(
    "file_path|path|filePath|notebook_path|target_file|absolute_path|filename|file|destination|new_path|uri"
)
_WRITING = split_phrases("write|edit|create|replace|patch|insert|delete|move|rename|update|append|save|mkdir|remove")
_CONTENT_KEYS = split_phrases(
    "content|contents|new_string|new_str|newString|patch|edits|file_text|new_source|code_edit"
)
_PATCH_LINES = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ", "+++ b/")

# Programs that run another: their options that take a value, and how many plain words come before the command.
_WRAPPERS: dict[str, tuple[str, int]] = {
    "sudo": ("-u -g -h -p -C -r -t -U -D -R -T", 0),
    "doas": ("-u -C", 0),
    "pkexec": ("--user", 0),
    "env": ("-u -C -S --unset --chdir", 0),
    "nohup": ("", 0),
    "nice": ("-n", 0),
    "ionice": ("-c -n -p", 0),
    "timeout": ("-s -k", 1),
    "gtimeout": ("-s -k", 1),
    "command": ("", 0),
    "exec": ("-a", 0),
    "builtin": ("", 0),
    "stdbuf": ("-i -o -e", 0),
    "setsid": ("", 0),
    "xargs": ("-n -I -P -L -d -s -a -E", 0),
    "watch": ("-n", 0),
    "caffeinate": ("", 0),
    "chronic": ("", 0),
    "flock": ("-w -E", 1),
    "uvx": ("--from --with -p", 0),
    "npx": ("-p --package", 0),
    "bunx": ("", 0),
    "parallel": ("-j", 0),
    "unbuffer": ("", 0),
    "strace": ("-o -e -p", 0),
    "time": ("-o -f", 0),
}
_CODE_WRITES = split_phrases(
    "write_|unlink|writeFile|appendFile|File.write|file_put_contents|renameSync|rmSync|copyFile"
)
_RUNNERS = word_set("uv poetry pipenv hatch rye pdm pnpm yarn pipx bun npm conda mise")
_RUNNING = word_set("run exec dlx x")
_TYPED = word_set("script su runuser flock")
_NETWORK = word_set("curl wget fetch http https aria2c iwr invoke-webrequest")
_INTERPRETERS = SHELLS | {"python", "python3", "node", "perl", "ruby", "php", "iex", "source", "."}
_PATTERN_FIRST = word_set("grep egrep fgrep rg ag ack sed awk gawk jq yq perl")
_NO_READERS = word_set(
    "ls stat test [ [[ touch rm mkdir rmdir chmod chown file find echo printf cd source . docker docker-compose "
    "podman dotenv direnv du which export ln basename dirname realpath fd tree shred holdfast ssh ssh-keygen "
    "ssh-add openssl chgrp kubectl helm"
)
_DATABASES = word_set(
    "psql mysql mariadb sqlite3 mongosh mongo redis-cli valkey-cli clickhouse-client clickhouse duckdb sqlcmd bq "
    "snowsql cockroach usql"
)


def survey_call(tool: str, given: object, cwd: str, workspace: str, own: str = "") -> ToolCallSurvey:
    """All that a tool call would do, as far as its words tell. `own` is Holdfast's home folder."""
    seen = ToolCallSurvey(cwd, workspace, own)
    fields = given if isinstance(given, dict) else {"command": given}
    for script in _scripts(fields):
        scan_script(script, seen)
    _survey_files(tool, fields, seen)
    _survey_sql(tool, fields, seen)
    return seen


def _scripts(fields: dict[str, object]) -> list[str]:
    found: list[str] = []
    for key in ("command", "cmd", "script", "commands"):
        value = fields.get(key)
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, list | tuple):
            words = [str(word) for word in value]
            shell = bool(words) and name_of(words[0]) in SHELLS
            found.append(words[-1] if shell and len(words) > 2 else " ".join(_quote_word(word) for word in words))
    return found


def _quote_word(word: str) -> str:
    return (
        word
        if word and not any(char in word for char in " \t\n'\"\\;&|<>()$`#*")
        else "'" + word.replace("'", "'\\''") + "'"
    )


# Files


def _survey_files(tool: str, fields: dict[str, object], seen: ToolCallSurvey) -> None:
    low = tool.lower()
    writing = any(word in low for word in _WRITING) or any(key in fields for key in _CONTENT_KEYS)
    for path in _paths(fields):
        seen.write(path) if writing else seen.read(path)
    for value in fields.values():
        if isinstance(value, str) and ("*** Begin Patch" in value or "*** Update File" in value):
            _survey_patch(value, seen)


def _paths(fields: dict[str, object]) -> list[str]:
    found = [value for key in _PATH_KEYS if isinstance(value := fields.get(key), str)]
    for key in ("paths", "files", "edits", "file_paths"):
        several = fields.get(key)
        for one in several if isinstance(several, list) else ():
            found += [one] if isinstance(one, str) else _paths(one) if isinstance(one, dict) else []
    return found


def _survey_patch(patch: str, seen: ToolCallSurvey) -> None:
    for line in patch.splitlines():
        mark = next((mark for mark in _PATCH_LINES if line.startswith(mark)), "")
        if mark:
            seen.write(line.removeprefix(mark))


def _survey_sql(tool: str, fields: dict[str, object], seen: ToolCallSurvey) -> None:
    low = tool.lower()
    database = any(word in low for word in ("sql", "postgres", "database", "bigquery", "sqlite", "mongo", "db_", "_db"))
    for key in ("sql", "statement", "query"):
        text = fields.get(key)
        if isinstance(text, str) and (key != "query" or database) and destroys_data(text):
            seen.add("drop-database", text[:200])


# Shell


def scan_script(script: str, seen: ToolCallSurvey, depth: int = 0) -> None:
    """Look at every simple command of a shell text."""
    if depth > _DEEPEST:
        seen.add("hidden-code", script[:200])
        seen.unread = seen.unread or bool(script.strip())
        return
    if _is_fork_bomb(script):
        seen.add("fork-bomb", script[:200])
    for pipeline in parse_pipelines(script):
        seen.unread = seen.unread or any(command.unread for command in pipeline)
        for command in pipeline:
            command.words = expand_known(command.words, seen.known)
        stages = [_strip_starters(command, seen) for command in pipeline]
        _look_at_pipeline(pipeline, stages, seen, depth)
        for command, words in zip(pipeline, stages, strict=True):
            _look_at(command, words, seen, depth)


def _is_fork_bomb(script: str) -> bool:
    dense = "".join(script.split())
    head, found, body = dense.partition("(){")
    name = head[-1:] if not head[-1:].isalnum() else head.rpartition(";")[2].rpartition("&")[2].removeprefix("function")
    return bool(found and name) and (body.startswith((f"{name}|{name}&", f"{name}&{name}", f"{name}|{name}}}")))


def _strip_starters(command: ShellCommand, seen: ToolCallSurvey) -> list[str]:
    """The words of a command without the programs that only start it; sudo and lifted marks are noted."""
    words = list(command.words)
    for _ in range(8):
        name = name_of(words[0]) if words else ""
        if words and is_busy_wrapper(words):
            words = words[1:]
        elif name in ("docker", "podman", "docker-compose", "kubectl", "nerdctl") and "exec" in words[1:4]:
            words = _find_container_command(words)
        elif name in _RUNNERS and len(words) > 2 and words[1] in _RUNNING:
            words = skip_options(
                words[2:], "--with --extra --group -p --python --package -C --directory --project -n --name"
            )
        elif name in _WRAPPERS:
            note_install(name, words, seen)
            words = _unwrap_command(name, words, command, seen)
        else:
            return words
    seen.unread = True
    return words


def _unwrap_command(name: str, words: list[str], command: ShellCommand, seen: ToolCallSurvey) -> list[str]:
    if name in ("sudo", "doas", "pkexec"):
        seen.add("sudo", " ".join(command.words)[:200])
    valued, plain = _WRAPPERS[name]
    rest = words[1:]
    if name == "env" and _removes_client_mark(rest):
        command.assigned.append(("AGENT", ""))
    rest = skip_options(rest, valued)
    while name in ("env", "sudo") and rest and "=" in rest[0] and not rest[0].startswith(("=", "/")):
        key, _, value = rest.pop(0).partition("=")
        command.assigned.append((key, value))
    return rest[plain:]


def _find_container_command(words: list[str]) -> list[str]:
    if "--" in words:
        return words[words.index("--") + 1 :]
    rest = skip_options(words[words.index("exec") + 1 :], "-e -u -w --user --workdir --env -c -n -f")
    return rest[1:]


def _removes_client_mark(words: list[str]) -> bool:
    """Whether `env` takes a client's mark out of the environment, so that an agent looks like a person."""
    joined = " ".join(words)
    return words[:1] in (["-i"], ["-"], ["--ignore-environment"]) or any(
        f"{option}{mark}" in joined for option in ("-u ", "-u", "--unset=", "--unset ") for mark in MARKS
    )


def _look_at(command: ShellCommand, words: list[str], seen: ToolCallSurvey, depth: int) -> None:
    text = " ".join(words)
    if words:
        seen.commands.append(text)
    _look_at_redirects(command, seen)
    _look_inside(command, words, seen, depth)
    if not words or name_of(words[0]) in ("export", "declare", "local", "readonly", "typeset"):
        _keep_assigned(command, words, seen)
    if not words:
        return
    name = name_of(words[0])
    if name == "cd":
        seen.cwd = seen.path(words[1] if len(words) > 1 else "~") if words[1:2] != ["-"] else ""
        return
    _look_for_person_only(command, words, seen)
    _look_for_our_hook(words, seen)
    _look_for_reads(name, words, seen)
    _look_for_writes(name, words, seen)
    for check in CHECKS.get(name, ()):
        check(name, words, seen)
    check_tables(name, words, seen)
    check_ways_around(name, words, seen)
    _look_for_fetched(command, words, seen)
    if words[0].startswith("$") and not words[0].startswith("$(") and {"-rf", "-fr", "-Rf"} & set(words[1:]):
        seen.add("hidden-code", text[:200])
    if name in _DATABASES and destroys_data(text + " " + command.fed):
        seen.add("drop-database", text[:200])
    if name == "git" and any(key in ("HUSKY", "SKIP") and value for key, value in command.assigned):
        seen.add("skip-checks", text[:200])
    if name.startswith("mkfs"):
        seen.add("disk", text[:200])


def _keep_assigned(command: ShellCommand, words: list[str], seen: ToolCallSurvey) -> None:
    """Remember what variables a script sets, for the commands after."""
    pairs = [*command.assigned, *(word.partition("=")[::2] for word in words[1:] if "=" in word)]
    for name, value in pairs:
        if value and len(value) < _LONGEST_VALUE:
            seen.known[name] = expand_known([value], seen.known)[0] if "$" in value else value


def _look_for_fetched(command: ShellCommand, words: list[str], seen: ToolCallSurvey) -> None:
    """Whether a file that came from the network earlier in the script is run now."""
    name = name_of(words[0])
    if name in _NETWORK:
        seen.fetched += [path for word in _fetched_words(words, command) if (path := seen.path(word))]
        return
    run = words[1:] if name in _INTERPRETERS or name.rstrip("0123456789.") in _INTERPRETERS else words[:1]
    if any(seen.path(word) in seen.fetched for word in run if not word.startswith("-")):
        seen.add("pipe-to-shell", " ".join(words)[:200])


def _fetched_words(words: list[str], command: ShellCommand) -> list[str]:
    """Where a download is written to: by option, by redirect, or under the last part of its address."""
    named = [words[at + 1] for at, word in enumerate(words[:-1]) if _names_output(word)]
    named += [word.partition("=")[2] for word in words if word.startswith(("--output=", "--output-document="))]
    named += [target for operator, target in command.redirects if operator in (">", ">>", ">|", "&>")]
    addresses = [word for word in words[1:] if "://" in word]
    return named + [address.partition("?")[0].rpartition("/")[2] for address in addresses]


def _names_output(option: str) -> bool:
    short = option.startswith("-") and not option.startswith("--") and option[-1] in "oO"
    return short or option in ("--output", "--output-document")


def _look_at_redirects(command: ShellCommand, seen: ToolCallSurvey) -> None:
    for operator, target in command.redirects:
        if "/dev/tcp/" in target or "/dev/udp/" in target:
            seen.add("exfiltrate", target)
        elif operator == "<":
            seen.read(target)
        elif not (operator in (">&", "<&") and (target.isdigit() or target == "-")):
            seen.write(target)


def _look_inside(command: ShellCommand, words: list[str], seen: ToolCallSurvey, depth: int) -> None:
    """Follow text that is run as a script: sh -c, eval, a here-document fed to a shell, find -exec, typed keys."""
    name = name_of(words[0]) if words else ""
    for script in (*_find_inner_scripts(name, words, command.fed), *find_scripts(name, words, command.fed)):
        scan_script(script, seen, depth + 1)
    if name.startswith(("python", "pypy")) or name in LANGUAGES:
        _look_at_code(find_inline_code(name, words, command.fed), seen, depth)
    elif name in ("apply_patch", "applypatch"):
        _survey_patch(command.fed + "\n" + "\n".join(words[1:]), seen)


def _find_inner_scripts(name: str, words: list[str], fed: str) -> list[str]:
    """The shell texts that a shell, or a program that starts one, is given."""
    if name in SHELLS or name in _TYPED:
        return [_after_c(words) or (fed if name in SHELLS else "")]
    if name in POWERSHELLS:
        return [_after_c(words) or " ".join(words[1:])]
    if name == "eval":
        return [" ".join(words[1:])]
    if name in ("tmux", "screen", "osascript", "expect"):
        return [piece for word in words[1:] for piece in word.split('"')]
    if name == "ssh":
        return [" ".join(skip_options(words[1:], "-p -i -l -o -F -J -L -R -D -b -c -E -e")[1:])]
    if name in ("at", "batch", "crontab"):
        return [fed]
    return [_after_exec(words, option) for option in _EXECS if option in words] if name == "find" else []


def _after_exec(words: list[str], option: str) -> str:
    inner = words[words.index(option) + 1 :]
    return " ".join(_quote_word(word) for word in inner if word not in (";", "+", "{}"))


def _after_c(words: list[str]) -> str:
    for at, word in enumerate(words[1:-1], start=1):
        if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
            return words[at + 1]
    return ""


def _look_at_code(code: str, seen: ToolCallSurvey, depth: int) -> None:
    for rule in find_code_rules(code):
        seen.add(rule, code.strip()[:200])
    if _OUR_HOOK in code or (".holdfast" in code and "bin/hook" in code):
        seen.add("speak-as-user", code.strip()[:200])
    if "holdfast" in code and any(word in code for word in (*_IN_CODE, "add_")):
        seen.add("person-only", code.strip()[:200])
    literals = _literals(code)
    opened = any(mark in literals for mark in ("w", "wb", "a", "x", "w+", "r+"))
    writing = opened or any(mark in code for mark in _CODE_WRITES)
    for script in find_code_scripts(code, literals):
        scan_script(script, seen, depth + 1)
    for literal in literals:
        if literal.startswith(("/", "~")) or (" " not in literal and ("/" in literal or literal.startswith("."))):
            seen.write(literal) if writing else seen.read(literal)


def _literals(code: str) -> list[str]:
    """The texts between quotes in a piece of code, near enough."""
    found: list[str] = []
    at = 0
    while at < len(code):
        if code[at] in "'\"":
            end = code.find(code[at], at + 1)
            end = end if end >= 0 else len(code)
            found.append(code[at + 1 : end])
            at = end
        at += 1
    return found


def _look_at_pipeline(pipeline: Pipeline, stages: list[list[str]], seen: ToolCallSurvey, depth: int) -> None:
    names = [name_of(words[0]) if words else "" for words in stages]
    nested = " ".join(word for words in stages for word in words if "$(" in word)
    sink = names[-1].rstrip("0123456789.") if names else ""
    text = " | ".join(" ".join(words) for words in stages)[:200]
    runs = sink in _INTERPRETERS and not _reads_own_program(sink, stages[-1])
    if runs and any(name in _NETWORK for name in names[:-1]):
        seen.add("pipe-to-shell", text)
    if runs and any(name in DECODERS for name in names[:-1]):
        seen.add("hidden-code", text)
    _look_at_fed_pipe(pipeline, stages, names, seen, depth, runs=runs and sink in SHELLS)
    _look_at_substituted(names, nested, text, seen)
    if len(names) > 1 and sink in SENDERS:
        seen.add("exfiltrate", text)
    if len(names) > 1 and names[0] in ("echo", "printf") and sink in _DATABASES and destroys_data(text):
        seen.add("drop-database", text)
    if (
        len(names) > 1
        and pipeline[-1].words[:1]
        and name_of(pipeline[-1].words[0]) == "xargs"
        and sink in ("kill", "pkill")
    ):
        seen.add("broad-kill", text)


def _look_at_fed_pipe(
    pipeline: Pipeline, stages: list[list[str]], names: list[str], seen: ToolCallSurvey, depth: int, *, runs: bool
) -> None:
    """Follow text that one program writes and the end of the pipe runs: a shell, or what `xargs` starts."""
    if len(names) < 2:
        return
    said = pipeline[0].fed or (decode_escapes(" ".join(stages[0][1:])) if names[0] in ("echo", "printf") else "")
    by_xargs = pipeline[-1].words[:1] and name_of(pipeline[-1].words[0]) in ("xargs", "parallel")
    if runs or (by_xargs and names[-1] in SHELLS) or names[-1] in ("at", "batch", "crontab"):
        scan_script(said, seen, depth + 1)
    script = _after_c(stages[-1]) if by_xargs and names[-1] in SHELLS else ""
    if "|" in script and any(f"| {shell}" in script or f"|{shell}" in script for shell in SHELLS):
        scan_script(script.replace("$0", "x").replace("{}", "x"), seen, depth + 1)
    if by_xargs and names[-1] in ("rm", "unlink", "shred") and names[0] in ("find", "ls", "fd", "echo"):
        _look_at_listed(stages[0], seen)


def _look_at_listed(words: list[str], seen: ToolCallSurvey) -> None:
    """Whether files outside of the workspace are listed for deletion."""
    for word in words[1:]:
        path = seen.path(word) if not word.startswith("-") and ("/" in word or word in ("~", "..", "$HOME")) else ""
        if path and is_root(path, seen.workspace, seen.home):
            seen.add("delete-root", path)
        elif path and not is_within(path, seen.workspace) and not is_temporary(path):
            seen.add("delete-outside", path)


def _look_at_substituted(names: list[str], nested: str, text: str, seen: ToolCallSurvey) -> None:
    """What an interpreter or `eval` is given as the output of other programs."""
    if not names or not nested or not (names[0] in _INTERPRETERS or names[0] == "eval"):
        return
    inside = [name_of(command.words[0]) for each in parse_pipelines(nested) for command in each if command.words]
    if any(name in _NETWORK for name in inside):
        seen.add("pipe-to-shell", text)
    elif any(name in DECODERS for name in inside):
        seen.add("hidden-code", text)


def _reads_own_program(sink: str, words: list[str]) -> bool:
    """Whether the end of a pipe has a program of its own, so that what comes in is only data."""
    plain = [word for word in words[1:] if not word.startswith("-")]
    options = [word for word in words[1:] if word.startswith("-") and word != "-"]
    if sink in SHELLS:
        return bool(plain) and "-s" not in options and words[-1] != "-"
    return bool(plain) or any(option in ("-c", "-e", "-m", "-r", "-n", "-ne", "-pe", "-p") for option in options)


def _look_for_person_only(command: ShellCommand, words: list[str], seen: ToolCallSurvey) -> None:
    rest = _holdfast_words(words)
    if rest is None or "--help" in rest or "-h" in rest:
        return
    text = " ".join(words)[:200]
    lifted = any(not value and name.startswith(MARKS) for name, value in command.assigned)
    words_given = _plain_order(rest)
    if lifted or _is_persons(words_given):
        seen.add("person-only", text)


def _is_persons(words: list[str]) -> bool:
    """Whether a call of Holdfast is for a person: by its command, or by a word behind it."""
    name, second = (*words, "", "")[:2]
    if name == "config" and (second == "lens" or (second == "model" and _only_shows(words[2:]))):
        return second == "lens" and "new" in words
    if name == "init" and "--merge-driver" in words and "--status" in words:
        return False
    verbs = PERSON_VERBS.get(f"{name} {second}") or PERSON_VERBS.get(name, _NONE)
    return name in PERSON_ONLY or any(word in verbs or word.partition("=")[0] in verbs for word in words[1:])


def _only_shows(words: list[str]) -> bool:
    return all(word in _LOOKS for word in words)


def _look_for_our_hook(words: list[str], seen: ToolCallSurvey) -> None:
    """Whether Holdfast's hook is run, which takes what it is given for a client's word."""
    rest = _holdfast_words(words)
    named = any(word.endswith("bin/hook") and seen.is_memory(seen.path(word)) for word in words)
    if named or (rest is not None and _plain_order(rest)[:1] == ["hook"]) or any(_OUR_HOOK in word for word in words):
        seen.add("speak-as-user", " ".join(words)[:200])


def _holdfast_words(words: list[str]) -> list[str] | None:
    """The words after a call of Holdfast's own command line, or None."""
    name = name_of(words[0])
    if name == "holdfast" or (words[0].startswith("$(") and "holdfast" in words[0]):
        return words[1:]
    if name.startswith(("python", "pypy")):
        for at, word in enumerate(words[1:], start=1):
            if word.endswith("holdfast/cli/main.py") or (_is_m(words[at - 1]) and word.split(".")[0] == "holdfast"):
                return words[at + 1 :]
    return None


def _is_m(option: str) -> bool:
    return option.startswith("-") and not option.startswith("--") and option.endswith("m")


def _plain_order(words: list[str]) -> list[str]:
    """Holdfast's words, the command first: the options of every command may stand anywhere, and are left out."""
    found, at = [], 0
    while at < len(words):
        if words[at] in _VALUED:
            at += 1
        elif words[at] != "--json" and not words[at].startswith(("-C", "--set=")):
            found.append(words[at])
        at += 1
    return found


def _look_for_reads(name: str, words: list[str], seen: ToolCallSurvey) -> None:
    if name in _NO_READERS or (name == "git" and words[1:2] != ["add"] and words[1:2] != ["show"]):
        return
    plain = [
        word
        for at, word in enumerate(words[1:], start=1)
        if not word.startswith("-")
        and words[at - 1] not in ("--env-file", "--exclude", "-i", "--identity", "--key", "--cert")
    ]
    if name in _PATTERN_FIRST:
        plain = plain[1:]
    elif name in ("cp", "mv", "install", "ln") and len(plain) > 1:
        plain = plain[:-1]
    for word in plain:
        value = word.rpartition("@")[2] if "@" in word and "://" not in word and name in _NETWORK else word
        if "://" not in value and " " not in value:
            seen.read(value)


def _look_for_writes(name: str, words: list[str], seen: ToolCallSurvey) -> None:
    plain = [word for word in words[1:] if not word.startswith("-")]
    if name in ("tee", "touch", "mkdir", "truncate"):
        targets = plain
    elif name in ("cp", "mv", "install", "ln", "rsync") and len(plain) > 1:
        targets = plain[-1:] + (plain[:-1] if name == "mv" else [])
    elif name in ("sed", "perl", "gsed") and any(word.startswith(("-i", "--in-place", "-pi")) for word in words):
        targets = plain[1:] if "-e" not in words else plain
    else:
        targets = [
            words[at + 1]
            for at, word in enumerate(words[:-1])
            if name in ("curl", "wget") and word in ("-o", "-O", "--output", "--output-document")
        ]
        targets = targets if name != "curl" or "-O" not in words else []
    for target in targets:
        if ":" not in target.split("/", 1)[0]:
            seen.write(target)
