"""What a path is, told from its text alone: inside the workspace, temporary, secret, run by itself, or memory.

Pure: no file system is asked, so a symbolic link is what its name says. Nothing is imported: a cold hook reads this.
"""

from holdfast.core.word_lists import split_phrases, word_set

_TEMPORARY = split_phrases(
    "/tmp|/private/tmp|/var/tmp|/var/folders|/private/var/folders|/dev/null|"  # noqa: S108  # to tell such paths
    "/dev/stdout|/dev/stderr|/dev/tty|/dev/fd|/dev/shm|/run/user"
)
_MADE_AGAIN = word_set(
    "node_modules dist build target .venv venv env __pycache__ .pytest_cache .mypy_cache .ruff_cache .hypothesis "
    "coverage htmlcov .coverage .next .nuxt .svelte-kit .turbo .parcel-cache .cache .tox .nox .gradle out tmp "
    "temp .tmp logs log .terraform cmake-build-debug site .eggs generated .angular .vite storybook-static "
    "test-results playwright-report bin obj DerivedData Pods .dart_tool _build"
)
_SECRET_NAMES = word_set(
    ".env .envrc .netrc _netrc .pgpass .git-credentials .npmrc .pypirc credentials credentials.json "
    "credentials.csv secrets.yml secrets.yaml secrets.json secrets.toml secrets.env master.key id_rsa id_dsa "
    "id_ecdsa id_ed25519 shadow gshadow .htpasswd .vault-token .vault_pass kubeconfig "
    "application_default_credentials.json accesstokens.json hosts.yml token.json .dockercfg terraform.tfvars"
)
_SECRET_ENDS = (".pem", ".key", ".p12", ".pfx", ".kdbx", ".keystore", ".jks", ".ppk", ".asc.key", ".agekey", ".ovpn")
_SECRET_FOLDERS = split_phrases(
    "/.ssh/|/.gnupg/|/.aws/|/.azure/|/.config/gcloud/|/.password-store/|/.kube/|/.docker/config.json|"
    "/run/secrets/|/keychains/|/.holdfast/serve/"
)
_HARMLESS_ENDS = split_phrases(
    ".pub|.example|.sample|.template|.dist|.tmpl|.md|.test|.schema|.d.ts|.py|.ts|.js|.go|.rs"
)
_HARMLESS_IN_FOLDERS = frozenset(("known_hosts", "config", "authorized_keys"))
# Only here do these common names hold a secret.
_HOME_ONLY = {
    ".npmrc": "~",
    ".pypirc": "~",
    "hosts.yml": "gh",
    "credentials": ".",
    "token.json": ".",
    "shadow": "/etc",
    "gshadow": "/etc",
}
_STARTUP_NAMES = word_set(
    ".bashrc .zshrc .profile .bash_profile .zprofile .zshenv .zlogin .bash_login .bash_logout authorized_keys "
    ".gitconfig .xinitrc .xprofile .inputrc sudoers fstab config.fish"
)
_STARTUP_PARTS = split_phrases(
    "/.git/hooks/|/launchagents/|/launchdaemons/|/systemd/|/autostart/|/etc/cron|/init.d/|/sudoers.d/|"
    "/profile.d/|/.claude/settings|/.codex/config.toml|/.codex/hooks|/.ssh/|/.gemini/settings|/.cursor/hooks"
)
_RECORDS = ("work", "scratch")
_HISTORIES = ("/.codex/sessions/", "/.codex/archived_sessions/", "/.gemini/tmp/", "/share/opencode/opencode")


def home_of(workspace: str) -> str:
    """The home folder a workspace most likely lies in."""
    parts = workspace.split("/")
    if len(parts) > 2 and parts[0] == "" and parts[1] in ("home", "Users"):
        return "/".join(parts[:3])
    return "/root" if workspace.startswith("/root") else "~"


def resolve_path(path: str, cwd: str, home: str) -> str:
    """An absolute path without dots, or an empty text where the words do not tell."""
    path = path.strip().replace("\\", "/").removeprefix("file://")
    for name, place in (("HOME", home), ("PWD", cwd), ("TMPDIR", _TEMPORARY[0])):
        for mark in (f"${{{name}}}", f"${name}"):
            path = place + path.removeprefix(mark) if path.startswith(mark) else path
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    if not path or "$" in path.split("/", 1)[0] or path.startswith("`"):
        return ""
    if not path.startswith(("/", "~")) and path[1:3] != ":/":
        if not cwd:
            return ""
        path = f"{cwd}/{path}"
    return _strip_dots(path)


def _strip_dots(path: str) -> str:
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in ("", ".", ".."):
            parts.append(part)
    head = "" if path.startswith("~") or path[1:3] == ":/" else "/"
    return head + "/".join(parts)


def is_within(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies in it."""
    return bool(folder) and (path == folder or path.startswith(folder.rstrip("/") + "/"))


def is_temporary(path: str) -> bool:
    """Whether a path lies where things may come and go."""
    return any(is_within(path, place) for place in _TEMPORARY)


def is_rebuildable(path: str, workspace: str) -> bool:
    """Whether a path of the workspace is build output, a cache, or another thing that a command brings back."""
    parts = path.removeprefix(workspace).strip("/").split("/")
    return any(
        part in _MADE_AGAIN or part.endswith((".egg-info", "_cache", "-cache", ".pyc", ".tmp", ".log"))
        for part in parts
    )


def is_root(path: str, workspace: str, home: str) -> bool:
    """Whether a tree holds the workspace, the home, the system, or a repository's history."""
    bare = path.removesuffix("/*").removesuffix("/.*").rstrip("/") or "/"
    holds = any(is_within(place, bare) for place in (workspace, home) if place)
    return (
        holds
        or bare.count("/") <= 1
        or bare in ("~", f"{workspace}/.git", f"{workspace}/.holdfast")
        or (bare.startswith(("/usr/", "/etc/", "/var/lib", "/Library/", "/System/")))
    )


def is_secret(path: str) -> bool:
    """Whether a file by its name holds keys, passwords or tokens."""
    low = "/" + path.lower().lstrip("/")
    name = low.rpartition("/")[2]
    if not name or name.endswith(_HARMLESS_ENDS) or any(char in name for char in "*?{ "):
        return False
    if any(folder in low for folder in _SECRET_FOLDERS):
        return name not in _HARMLESS_IN_FOLDERS or "/.kube/" in low or "/.docker/" in low
    if name in _HOME_ONLY:
        return _is_secret_location(low, name)
    return (
        name in _SECRET_NAMES
        or name.startswith((".env.", "service-account", "service_account"))
        or name.endswith(_SECRET_ENDS)
    )


def _is_secret_location(low: str, name: str) -> bool:
    place = _HOME_ONLY[name]
    folder = low.rpartition("/")[0]
    if place == "~":
        return folder in ("/~", "/root") or (folder.startswith(("/home/", "/users/")) and folder.count("/") == 2)
    return folder.endswith(place) or (place == "." and "/." in folder)


def is_run_automatically(path: str) -> bool:
    """Whether what is written there is run later without anybody asking: shell start, hooks, services, keys."""
    low = path.lower()
    return low.rpartition("/")[2] in _STARTUP_NAMES or any(part in f"{low}/" for part in _STARTUP_PARTS)


def is_history(path: str) -> bool:
    """Whether a path is a client's own record of its sessions, which harvest takes for what the user said."""
    _, found, rest = path.partition("/.claude/projects/")
    if found:
        # Claude Code's own memory lies beside.
        return "/memory/" not in rest
    return any(part in path for part in _HISTORIES)


def is_memory(path: str) -> bool:
    """Whether a path is part of Holdfast's own memory: everything of `.holdfast` but drafts and work."""
    _, found, rest = f"{path}/".partition("/.holdfast/")
    return bool(found) and rest.split("/", 1)[0] not in _RECORDS
