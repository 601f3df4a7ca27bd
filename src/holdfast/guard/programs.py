"""What single programs do that is risky: one small check each, and tables for those that a word or two give away."""

from holdfast.core.word_lists import split_phrases, word_set
from holdfast.guard.call_findings import ToolCallSurvey
from holdfast.guard.path_kinds import is_rebuildable, is_root, is_temporary, is_within

MARKS = split_phrases("CLAUDE|CODEX|GEMINI|OPENCODE|CURSOR|COPILOT|CLINE|AUGMENT|ANTIGRAVITY|AI_AGENT|AGENT")
SENDERS = word_set("nc ncat netcat socat telnet")
_DESTRUCTIVE_SQL = split_phrases(
    "drop database|drop schema|drop table|truncate |dropdatabase(|flushall|flushdb|drop user|drop keyspace"
)

_PUBLISH = {
    "npm": ("publish", "unpublish"),
    "pnpm": ("publish",),
    "yarn": ("publish",),
    "bun": ("publish",),
    "twine": ("upload",),
    "uv": ("publish",),
    "poetry": ("publish",),
    "hatch": ("publish",),
    "flit": ("publish",),
    "cargo": ("publish", "yank"),
    "gem": ("push", "yank"),
    "docker": ("push",),
    "podman": ("push",),
    "helm": ("push",),
    "goreleaser": ("release",),
    "vsce": ("publish",),
    "mvn": ("deploy",),
    "lerna": ("publish",),
    "pdm": ("publish",),
    "gh": ("release create", "release delete", "release upload"),
    "dotnet": ("nuget push",),
    "wrangler": ("publish",),
    "changeset": ("publish",),
}
_DESTROY = {
    "terraform": split_phrases("destroy|apply -destroy|apply -auto-approve|apply --auto-approve|state rm"),
    "tofu": ("destroy", "apply -destroy"),
    "pulumi": ("destroy", "stack rm"),
    "helm": ("uninstall", "delete"),
    "kubectl": ("delete", "drain"),
    "az": ("group delete",),
    "heroku": ("apps:destroy", "pg:reset"),
    "docker": split_phrases("system prune|volume rm|volume prune|compose down -v|compose down --volumes"),
    "gh": ("repo delete",),
    "cdk": ("destroy",),
    "docker-compose": ("down -v", "down --volumes"),
    "flyctl": ("destroy", "apps destroy"),
    "fly": ("destroy", "apps destroy"),
    "vagrant": ("destroy",),
    "serverless": ("remove",),
    "sls": ("remove",),
    "eksctl": ("delete",),
    "doctl": ("delete",),
}
_DROPS = {
    "dropdb": ("",),
    "dropuser": ("",),
    "mysqladmin": ("drop",),
    "rails": ("db:drop", "db:reset", "db:schema:load"),
    "rake": ("db:drop", "db:reset"),
    "prisma": ("migrate reset", "db push --force-reset"),
    "alembic": ("downgrade base",),
    "sequelize": ("db:drop",),
    "manage.py": ("flush", "reset_db"),
    "artisan": ("migrate:fresh", "db:wipe"),
    "supabase": ("db reset",),
    "mix": ("ecto.drop", "ecto.reset"),
    "knex": ("migrate:rollback --all",),
}

# Options of such programs that stand before their command and take a value.
_BEFORE_COMMAND = "-n -C -f -H --namespace --context --prefix --access --project --region --profile --file --filter"


def skip_options(words: list[str], valued: str) -> list[str]:
    """The words after leading options, of which some take a value."""
    takes = valued.split()
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "--":
        at += 2 if words[at] in takes else 1
    return words[at + 1 :] if words[at : at + 1] == ["--"] else words[at:]


def check_tables(name: str, words: list[str], seen: ToolCallSurvey) -> None:
    """Note what the tables of publishing, destroying and dropping say about a command."""
    text = " ".join(word for word in words[1:] if word not in ("--yes", "-y"))
    plain = " ".join(word for word in skip_options(words[1:], _BEFORE_COMMAND) if not word.startswith("-"))
    dry = any(word.startswith("--dry-run") or word in ("--help", "-h") for word in words)
    for rule, table in (("publish", _PUBLISH), ("destroy-infrastructure", _DESTROY), ("drop-database", _DROPS)):
        for phrase in table.get(name, ()):
            if not dry and (_starts_with_phrase(text, phrase) or _starts_with_phrase(plain, phrase)):
                seen.add(rule, " ".join(words)[:200])
    script = words[2:] if words[1:2] == ["-m"] else words[1:]
    if script and name.startswith(("python", "php")):
        check_tables(script[0].rpartition("/")[2], script, seen)
    if name in ("aws", "gcloud", "gsutil") and _deletes_in_cloud(words):
        seen.add("destroy-infrastructure", " ".join(words)[:200])


def _starts_with_phrase(text: str, phrase: str) -> bool:
    """Whether words begin with a phrase; more words may stand between its parts."""
    first, _, rest = phrase.partition(" ")
    if not first or text == phrase or text.startswith(phrase + " "):
        return True
    words = text.split(" ")
    return bool(rest) and words[0] == first and all(part in words[1:] for part in rest.split(" "))


def _deletes_in_cloud(words: list[str]) -> bool:
    plain = [word for word in words[1:] if not word.startswith("-")]
    if words[0].endswith("aws") and plain[:1] == ["s3"]:
        return plain[1:2] == ["rb"] or (plain[1:2] == ["rm"] and "--recursive" in words)
    if words[0].endswith("gsutil"):
        return plain[:1] == ["rb"] or (plain[:1] == ["rm"] and "-r" in words)
    return any(word == "delete" or word.startswith(("delete-", "terminate-")) for word in plain[1:4])


def destroys_data(text: str) -> bool:
    """Whether a text of SQL or the like deletes a database, a table or all rows of one."""
    dense = " ".join(text.lower().split())
    if any(phrase in dense for phrase in _DESTRUCTIVE_SQL):
        return True
    _, found, rest = dense.partition("delete from ")
    return bool(found) and " where " not in rest.partition(";")[0]


def _check_rm(name: str, words: list[str], seen: ToolCallSurvey) -> None:
    options = [word for word in words[1:] if word.startswith("-")]
    recursive = name == "rimraf" or any(
        word in ("--recursive", "-Recurse", "-recurse") or (not word.startswith("--") and ("r" in word or "R" in word))
        for word in options
    )
    targets = [word for word in words[1:] if not word.startswith("-")]
    if recursive and not targets:
        seen.add("delete-tree", " ".join(words))
    for target in targets:
        _note_deletion(target, recursive, seen)


def _note_deletion(target: str, recursive: bool, seen: ToolCallSurvey) -> None:
    path = seen.path(target)
    if not path:
        if recursive:
            seen.add("delete-tree", target)
        return
    if seen.is_memory(path):
        seen.add("edit-memory", path)
    elif recursive and is_root(path, seen.workspace, seen.home):
        seen.add("delete-root", path)
    elif is_within(path, seen.workspace):
        if recursive and not is_rebuildable(path, seen.workspace):
            seen.add("delete-tree", path)
    elif not is_temporary(path):
        seen.add("delete-outside", path)


def _check_find(_: str, words: list[str], seen: ToolCallSurvey) -> None:
    if "-delete" in words or ("-exec" in words and "rm" in words):
        start = next((word for word in words[1:] if not word.startswith("-")), ".")
        path = seen.path(start)
        narrowed = any(
            word in words for word in ("-name", "-iname", "-path", "-mtime", "-empty", "-regex", "-newer", "-size")
        )
        rule = "delete-root" if path and not narrowed and is_root(path, seen.workspace, seen.home) else "delete-tree"
        if seen.is_memory(path):
            seen.add("edit-memory", " ".join(words)[:200])
        if not (narrowed and path and is_within(path, seen.workspace)) and not (path and is_temporary(path)):
            seen.add(rule, " ".join(words)[:200])


def _check_git(_: str, words: list[str], seen: ToolCallSurvey) -> None:
    rest = skip_options(words[1:], "-C -c --git-dir --work-tree")
    if not rest:
        return
    text, options = " ".join(words)[:200], [word for word in rest[1:] if word.startswith("-")]
    letters = "".join(word[1:] for word in options if not word.startswith("--"))
    if rest[0] == "push" and _overwrites(rest, options, letters):
        seen.add("force-push", text)
    if _discards(rest, options, letters):
        seen.add("hard-reset", text)
    if _rewrites(rest, options):
        seen.add("rewrite-history", text)
    if rest[0] in ("checkout", "restore", "rm", "mv") and any(seen.is_memory(seen.path(word)) for word in rest[1:]):
        seen.add("edit-memory", text)
    if _skips_hooks(rest) or any(word.lower().startswith("core.hookspath=") for word in words):
        seen.add("skip-checks", text)


def _overwrites(rest: list[str], options: list[str], letters: str) -> bool:
    named = any(word.startswith(("--force", "--mirror", "--delete", "--prune")) for word in options)
    return named or "f" in letters or "d" in letters or any(word.startswith(("+", ":")) for word in rest[2:])


def _discards(rest: list[str], options: list[str], letters: str) -> bool:
    forced = "f" in letters or "--force" in options or "--discard-changes" in options
    match rest[0]:
        case "reset":
            return "--hard" in options
        case "checkout" | "restore" | "switch":
            everything = any(word in (".", "./", "*", ":/") for word in rest[1:])
            return forced or (everything and "--staged" not in options)
        case "clean":
            return forced and "n" not in letters and "--dry-run" not in options
        case "stash":
            return rest[1:2] in (["drop"], ["clear"])
        case other:
            return other == "branch" and "D" in letters


def _rewrites(rest: list[str], options: list[str]) -> bool:
    match rest[0]:
        case "filter-branch" | "filter-repo" | "update-ref":
            return True
        case "reflog":
            return rest[1:2] in (["expire"], ["delete"])
        case other:
            return other == "gc" and any(word.startswith("--prune=now") for word in options)


def _skips_hooks(rest: list[str]) -> bool:
    skips = rest[0] in ("commit", "push", "merge", "rebase", "cherry-pick", "am") and "--no-verify" in rest
    return skips or (rest[0] == "commit" and _has_letter_n(rest))


def _has_letter_n(rest: list[str]) -> bool:
    """Whether `git commit` is given -n; what follows -m, -F and their like is that option's value."""
    value = False
    for word in rest[1:]:
        letters = word[1:] if word.startswith("-") and not word.startswith("--") and not value else ""
        value = False
        for at, letter in enumerate(letters):
            if letter == "n":
                return True
            if letter in "mFCct":
                value = at == len(letters) - 1
                break
    return False


def _check_chmod(_: str, words: list[str], seen: ToolCallSurvey) -> None:
    mode = next((word.lstrip("0").lower() for word in words[1:] if not word.startswith("-")), "")
    by_number = mode.isdigit() and len(mode) == 3 and mode[2] in "2367"
    if by_number or mode in ("a+rwx", "ugo+rwx", "a=rwx", "o+w", "a+w", "+rwx", "o+rwx", "go+w"):
        seen.add("open-permissions", " ".join(words)[:200])


def _check_disk(name: str, words: list[str], seen: ToolCallSurvey) -> None:
    to_device = any(word.startswith("of=/dev/") and not is_temporary(word.removeprefix("of=")) for word in words)
    whole = (
        name in ("fdisk", "parted", "wipefs", "sgdisk", "mkswap", "blkdiscard")
        and any(word.startswith("/dev/") for word in words[1:])
        and "-l" not in words
    )
    if (
        to_device
        or whole
        or (name == "diskutil" and any(word.lower().startswith(("erase", "partition")) for word in words[1:]))
        or (name == "shred" and any(word.startswith("/dev/") for word in words))
    ):
        seen.add("disk", " ".join(words)[:200])
    for word in words:
        if name == "dd" and word.startswith("of="):
            seen.write(word.removeprefix("of="))
        if name == "dd" and word.startswith("if="):
            seen.read(word.removeprefix("if="))


def _check_kill(name: str, words: list[str], seen: ToolCallSurvey) -> None:
    targets = [
        word for at, word in enumerate(words[1:], start=1) if not (word.startswith("-") and at == 1) and word != "--"
    ]
    everything = name == "kill" and (
        any(word in ("-1", "0") for word in targets)
        or any("pgrep" in word or "pidof" in word or "lsof" in word for word in words)
    )
    if (
        everything
        or (name in ("killall", "pkill", "killall5", "taskkill") and "-0" not in words)
        or (name == "fuser" and "-k" in words)
    ):
        seen.add("broad-kill", " ".join(words)[:200])


def _check_shutdown(_: str, words: list[str], seen: ToolCallSurvey) -> None:
    seen.add("shutdown", " ".join(words)[:200])


def _check_curl(name: str, words: list[str], seen: ToolCallSurvey) -> None:
    if _is_local(words):
        return
    for at, word in enumerate(words):
        option, _, glued = word.partition("=") if word.startswith("--") else (word, "", "")
        value = glued or (words[at + 1] if at + 1 < len(words) else "")
        data = option in ("-d", "--data", "--data-binary", "--data-raw", "--data-urlencode", "--json") and (
            value.startswith("@") or "$(" in value
        )
        form = option in ("-F", "--form") and ("=@" in value or "=<" in value)
        asked = word.startswith("http") and "$(" in word
        upload = asked or option in ("-T", "--upload-file", "--post-file", "--body-file")
        if data or form or upload or (word.startswith("-d@") and name == "curl"):
            seen.add("exfiltrate", " ".join(words)[:200])


def _check_copy_away(name: str, words: list[str], seen: ToolCallSurvey) -> None:
    plain = [word for word in words[1:] if not word.startswith("-")]
    last = plain[-1] if len(plain) > 1 else ""
    host, found, _ = last.partition(":")
    if (
        found
        and "/" not in host
        and len(host) > 1
        and not _is_local([host])
        and name in ("scp", "rsync", "sftp", "rclone")
    ):
        seen.add("exfiltrate", " ".join(words)[:200])


def _check_upload(name: str, words: list[str], seen: ToolCallSurvey) -> None:
    text = " ".join(words)
    last = words[-1]
    bucket = (
        last.startswith(("s3://", "gs://", "az://"))
        and any(word in words for word in ("cp", "sync", "mv"))
        and not words[-2].startswith(("s3://", "gs://"))
    )
    if (name in ("aws", "gsutil", "gcloud") and bucket) or (name == "gh" and words[1:3] == ["gist", "create"]):
        seen.add("exfiltrate", text[:200])


def _check_send(name: str, words: list[str], seen: ToolCallSurvey) -> None:
    lookups = name in ("dig", "nslookup", "host", "ping") and any("$(" in word for word in words)
    shell_back = name in SENDERS and any(
        word in ("-e", "-c", "--exec", "--sh-exec") or word.lower().startswith("exec:") for word in words[1:]
    )
    if lookups or shell_back:
        seen.add("exfiltrate", " ".join(words)[:200])


def _is_local(words: list[str]) -> bool:
    local = ("localhost", "127.", "0.0.0.0", "[::1]", "::1", "host.docker.internal")  # noqa: S104  # to tell such hosts, not to bind one
    hosts = [word.partition("://")[2] if "://" in word else word for word in words]
    return any(host.startswith(local) or host.partition("/")[0].partition(":")[0].endswith(".local") for host in hosts)


def _check_rsync(name: str, words: list[str], seen: ToolCallSurvey) -> None:
    if any(word.startswith("--delete") for word in words) and "-n" not in words and "--dry-run" not in words:
        seen.add("delete-tree", " ".join(words)[:200])
    _check_copy_away(name, words, seen)


def _check_unset(_: str, words: list[str], seen: ToolCallSurvey) -> None:
    if any(word.startswith(MARKS) for word in words[1:]):
        seen.add("person-only", " ".join(words)[:200])


def _check_crontab(_: str, words: list[str], seen: ToolCallSurvey) -> None:
    if "-l" not in words:
        seen.add("write-startup", " ".join(words)[:200])


CHECKS = {
    "rm": (_check_rm,),
    "rimraf": (_check_rm,),
    "Remove-Item": (_check_rm,),
    "find": (_check_find,),
    "git": (_check_git,),
    "chmod": (_check_chmod,),
    "dd": (_check_disk,),
    "fdisk": (_check_disk,),
    "parted": (_check_disk,),
    "wipefs": (_check_disk,),
    "sgdisk": (_check_disk,),
    "diskutil": (_check_disk,),
    "shred": (_check_disk,),
    "blkdiscard": (_check_disk,),
    "mkswap": (_check_disk,),
    "kill": (_check_kill,),
    "killall": (_check_kill,),
    "pkill": (_check_kill,),
    "killall5": (_check_kill,),
    "taskkill": (_check_kill,),
    "fuser": (_check_kill,),
    "shutdown": (_check_shutdown,),
    "reboot": (_check_shutdown,),
    "halt": (_check_shutdown,),
    "poweroff": (_check_shutdown,),
    "curl": (_check_curl,),
    "wget": (_check_curl,),
    "scp": (_check_copy_away,),
    "sftp": (_check_copy_away,),
    "rclone": (_check_copy_away,),
    "rsync": (_check_rsync,),
    "aws": (_check_upload,),
    "gsutil": (_check_upload,),
    "gcloud": (_check_upload,),
    "gh": (_check_upload,),
    "nc": (_check_send,),
    "ncat": (_check_send,),
    "netcat": (_check_send,),
    "socat": (_check_send,),
    "dig": (_check_send,),
    "nslookup": (_check_send,),
    "host": (_check_send,),
    "ping": (_check_send,),
    "unset": (_check_unset,),
    "crontab": (_check_crontab,),
}
