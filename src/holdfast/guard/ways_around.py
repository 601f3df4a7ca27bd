"""Ways to have something run or opened that a command does not name: other programs' options, addresses, containers."""

from holdfast.core.word_lists import split_phrases, word_set
from holdfast.guard.call_findings import ToolCallSurvey
from holdfast.guard.path_kinds import is_root, is_within
from holdfast.guard.shell import name_of

DECODERS = word_set("base64 base32 basenc xxd openssl gunzip zcat gzip uudecode rev tr gpg bunzip2 unxz brotli hexdump")
POWERSHELLS = word_set("powershell pwsh")
_EDITORS = word_set("vim vi nvim ex view less more man ed emacs")
_CONTAINERS = word_set("docker podman nerdctl")
_GIT_PROGRAMS = split_phrases(
    "core.pager|core.sshcommand|core.fsmonitor|core.editor|core.askpass|core.gitproxy|diff.external|credential.helper|"
    "gpg.program|sequence.editor|alias.|pager.|filter.|merge.|difftool.|mergetool.|uploadpack|receivepack|trailer."
)
_INSTALLERS: dict[str, tuple[str, ...]] = {
    "pip": ("install",), "pip3": ("install",), "uv": ("install", "add"), "pipx": ("install", "run"),
    "npm": ("install", "i", "add"), "pnpm": ("install", "i", "add", "dlx"), "yarn": ("add", "dlx"),
    "bun": ("install", "i", "add"), "cargo": ("install",), "gem": ("install",), "uvx": (), "npx": (), "bunx": (),
    "poetry": ("add",), "conda": ("install",), "brew": ("install",), "code": ("--install-extension",),
    "easy_install": (), "rpm": ("-i", "-ivh"), "dpkg": ("-i",), "luarocks": ("install",),
}  # fmt: skip
_ADDRESS = ("http://", "https://", "git+", "github:", "gitlab:", "bitbucket:", "gist:", "git://", "ssh://", "ftp://")
# Registries that everybody installs from.
_KNOWN = split_phrases(
    "pypi.org|test.pypi.org|download.pytorch.org|pypi.nvidia.com|registry.npmjs.org|registry.yarnpkg.com|rubygems.org|"
    "index.crates.io|npm.pkg.github.com|localhost|127.0.0.1|storage.googleapis.com/jax-releases"
)
_POWER_FETCHES = split_phrases(
    "iwr|invoke-webrequest|irm|invoke-restmethod|downloadstring|downloadfile|webclient|curl|wget|start-bitstransfer"
)
_POWER_RUNS = split_phrases("iex|invoke-expression|start-process|invoke-command|& ([|.invoke(")


def find_scripts(name: str, words: list[str], fed: str) -> list[str]:
    """Shell texts that a program would run which is no shell: an editor's `:!`, `trap`, a recipe, a pager of git."""
    rest = words[1:]
    if name == "trap":
        return rest[:1]
    if name == "alias":
        return [word.partition("=")[2] for word in rest]
    if name in _EDITORS:
        return [word.partition("!")[2] for word in rest if "!" in word]
    if name == "expect":
        return [word.replace("spawn ", "\n").replace("exec ", "\n") for word in rest]
    if name in ("make", "gmake", "just"):
        return [line.partition(";")[2] or line for line in fed.replace(":", ";", 1).splitlines()]
    if name in ("sed", "gsed"):
        return [part for word in rest if word.endswith(("/e", "|e", "#e")) for part in word.split(word[-2])]
    if name == "git":
        return [value.removeprefix("!") for value in _git_values(rest)]
    if name in ("tar", "gtar", "bsdtar"):
        return [word.partition("=")[2].removeprefix("exec=") for word in rest if _runs_in_tar(word)]
    return []


def _runs_in_tar(word: str) -> bool:
    return word.startswith(("--checkpoint-action", "--to-command", "--use-compress-program", "--rsh-command"))


def _git_values(rest: list[str]) -> list[str]:
    """What git is told to run: by `-c name=value`, and by `git config name value`."""
    pairs = [word.partition("=")[::2] for at, word in enumerate(rest) if at and rest[at - 1] in ("-c", "--config")]
    if "config" in rest:
        plain = [word for word in rest[rest.index("config") + 1 :] if not word.startswith("-") and word != "set"]
        pairs += [(plain[0], plain[1])] if len(plain) > 1 else []
    values = [value for key, value in pairs if any(part in key.lower() for part in _GIT_PROGRAMS)]
    return [*values, *(word.removeprefix("ext::") for word in rest if word.startswith("ext::"))]


def check_ways_around(name: str, words: list[str], seen: ToolCallSurvey) -> None:
    """Note what a program's words open or run besides."""
    text = " ".join(words)[:200]
    note_install(name, words, seen)
    for check in (_check_container, _check_power, _check_windows, _check_starts, _check_rights):
        rule = check(name, words, seen)
        if rule:
            seen.add(rule, text)
    _check_places(name, words, seen)


def _check_container(name: str, words: list[str], _: ToolCallSurvey) -> str:
    if name not in _CONTAINERS or not any(word in ("run", "create", "exec") for word in words[1:4]):
        return ""
    mounts = [words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-v", "--volume", "--mount")]
    mounts += [word.partition("=")[2] for word in words if word.startswith(("--volume=", "--mount=", "-v="))]
    mounts += [word[2:] for word in words if word.startswith("-v/")]
    whole = any(_mounts_machine(mount) for mount in mounts)
    lifted = any(word in ("--privileged", "--privileged=true", "--pid=host", "--userns=host") for word in words)
    return "open-container" if whole or lifted else ""


def _mounts_machine(mount: str) -> bool:
    source = next((part.partition("=")[2] for part in mount.split(",") if part.startswith(("source=", "src="))), "")
    source = source or mount.partition(":")[0]
    return source in ("/", "/etc", "/root", "/home", "/var", "/usr", "~", "$HOME") or source.endswith("docker.sock")


def note_install(name: str, words: list[str], seen: ToolCallSurvey) -> None:
    """Note that a program installs, or runs at once, what lies at an address and in no registry that all know."""
    if name.startswith("python") and words[1:3] == ["-m", "pip"]:
        name, words = "pip", words[2:]
    verbs = _INSTALLERS.get(name)
    if verbs is None or (verbs and not any(word in verbs for word in words[1:4])):
        return
    for word in words[1:]:
        place = word.partition("=")[2] if word.startswith("--") else word.partition(" @ ")[2] or word
        if place.startswith(_ADDRESS) and not any(known in place for known in _KNOWN):
            seen.add("install-from-address", " ".join(words)[:200])


def _check_power(name: str, words: list[str], _: ToolCallSurvey) -> str:
    low = [word.lower() for word in words]
    if name not in POWERSHELLS:
        return ""
    if any(word.startswith("-e") and "-encodedcommand".startswith(word) and word != "-ex" for word in low[1:]):
        return "hidden-code"
    if any(word == "-enc" for word in low):
        return "hidden-code"
    code = " ".join(low[1:])
    if any(word in code for word in _POWER_RUNS) and any(word in code for word in _POWER_FETCHES):
        return "pipe-to-shell"
    deletes = "remove-item" in code or " rm " in f" {code}" or " del " in f" {code}"
    return "delete-tree" if deletes and "-rec" in code else ""


def _check_windows(name: str, words: list[str], _: ToolCallSurvey) -> str:
    code = " " + " ".join(words[1:]).lower() + " "
    if name != "cmd" or not any(switch in code for switch in (" /c ", " /k ", " /r ")):
        return ""
    removes = any(f" {program} " in code.replace("&", " ") for program in ("rmdir", "rd", "del", "erase"))
    if removes and " /s " in code:
        return "delete-tree"
    return "disk" if " format " in code else ""


def _check_starts(name: str, words: list[str], seen: ToolCallSurvey) -> str:
    """Whether something is set up to run later or at every start, or a key is let in."""
    rest = words[1:]
    starts = {
        "systemctl": any(word in ("enable", "link", "edit") for word in rest),
        "launchctl": any(word in ("load", "bootstrap", "submit", "enable") for word in rest),
        "update-rc.d": True,
        "schtasks": any(word.lower() == "/create" for word in rest),
        "systemd-run": True,
        "ssh-copy-id": True,
        "at": bool(rest) and rest[0] not in ("-l", "-q", "-V"),
        "batch": not rest,
    }
    if name == "git" and _moves_hooks(rest, seen):
        return "write-startup"
    return "write-startup" if starts.get(name) else ""


def _moves_hooks(rest: list[str], seen: ToolCallSurvey) -> bool:
    """Whether git is told to run hooks from a place outside of the workspace."""
    for at, word in enumerate(rest):
        key, _, value = word.partition("=")
        if key.lower() == "core.hookspath":
            path = seen.path(value or (rest[at + 1] if at + 1 < len(rest) else ""))
            return bool(path) and not is_within(path, seen.workspace)
    return False


def _check_rights(name: str, words: list[str], seen: ToolCallSurvey) -> str:
    plain = [word for word in words[1:] if not word.startswith("-")]
    if name == "chmod" and plain:
        mode = plain[0]
        set_id = (mode.isdigit() and len(mode) == 4 and mode[0] in "24567") or ("+" in mode and "s" in mode)
        return "open-permissions" if set_id else ""
    recursive = any(word == "--recursive" or (word.startswith("-") and "R" in word) for word in words[1:])
    if name in ("chown", "chgrp") and recursive:
        paths = [seen.path(word) for word in plain[1:]]
        return "open-permissions" if any(path and is_root(path, seen.workspace, seen.home) for path in paths) else ""
    return ""


def _check_places(name: str, words: list[str], seen: ToolCallSurvey) -> None:
    """Note where an archive is unpacked to, and what a history or a log loses."""
    if name in ("tar", "gtar", "bsdtar", "unzip"):
        option = "-d" if name == "unzip" else "-C"
        for at, word in enumerate(words[:-1]):
            if word in (option, "--directory"):
                seen.write(words[at + 1])


def is_busy_wrapper(words: list[str]) -> bool:
    """Whether one program stands for many: `busybox rm`."""
    return len(words) > 1 and name_of(words[0]) in ("busybox", "toybox") and not words[1].startswith("-")
