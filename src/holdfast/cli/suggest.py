"""What somebody may have meant who typed a word that is no command: by meaning first, then by spelling."""

import shlex

from holdfast.cli.table import COMMANDS, FORMS
from holdfast.core.errors import BadRequest

# The words behind go along, where they mean the same there.
_SAME = {
    word: call
    for call, words in {
        "forget": "delete rm remove del erase",
        "forget --purge": "purge",
        "search": "find grep query ask recall",
        "accept": "approve ok confirm",
        "reject": "decline deny",
        "init": "install setup",
        "list": "ls",
        "show": "cat get view",
        "serve --open": "open ui web studio",
        "edit": "update change",
        "config": "set settings",
        "pack": "context",
        "undo": "revert",
        "serve": "server",
        "session": "sessions",
        "report": "reports",
        "doctor --verify": "fsck verify",
        "doctor --compact": "gc compact",
        "curate": "tidy",
        "list --candidates": "queue pending candidates",
        "backup restore": "restore",
        "distil": "ingest distill",
        "run": "agent",
        "show --history": "history",
        "show --cites": "cites",
        "show --related": "related",
        "check --memories": "conflicts",
        "log --rate": "rate",
        "log --system": "changes",
        "session buffer": "buffer",
        "config model": "model",
        "config lens": "lens",
        "doctor --rebuild": "rebuild reindex",
        "doctor --embed": "embed",
        "doctor --triples": "triples",
        "status --badge": "badge",
        "team database": "database",
        "serve token": "token",
        "distil --code": "bootstrap",
        "doctor --fix": "fix",
        "check --diff": "diff",
        "sync": "remote",
    }.items()
    for word in words.split()
}
# Words that come behind decide what was meant.
_WRITING = ("add", "note", "save", "store", "new", "create", "write", "keep")
_LONGEST = 200
# Of shorter words, almost any other is near.
SHORT = 4


class NoSuchCommand(BadRequest):
    """A word that is no command."""

    def __init__(self, words: list[str]) -> None:
        super().__init__(f"There is no command {words[0]!r}.", _hint(meant(words)))


class NoSuchForm(BadRequest):
    """A verb that a command does not have."""

    def __init__(self, name: str, word: str) -> None:
        near = _nearest(word, [form.word for form in FORMS[name]])
        super().__init__(f"`holdfast {name}` has no {word!r}.", _hint(f"{name} {near}" if near else ""))


def meant(words: list[str]) -> str:
    """The command that somebody meant who typed these words, with what goes behind it; empty if nobody knows."""
    word, rest = words[0].lower(), words[1:]
    call = _reworded(word, rest)
    if call:
        return call
    if word in _SAME:
        return _joined(_SAME[word], rest)
    if any(form.word == word for form in FORMS["report"]):
        return _joined(f"report {word}", rest)
    near = _nearest(word, [*COMMANDS, *(known for known in _SAME if len(known) > SHORT)])
    return _joined(_SAME.get(near, near), rest) if near else ""


def _reworded(word: str, rest: list[str]) -> str:
    """What has other words behind it today."""
    if word in _WRITING:
        return _as_memory(rest)
    match word, rest:
        case "merge", [first, *others] if others and "--into" not in rest:
            return _joined("accept", [*others, "--into", first])
        case "merge", _:
            return _joined("accept", rest or ["ID", "--into", "ID"])
        case "inspect", _:
            return _joined("search --explain", rest[1:] if rest[:1] == ["query"] else rest)
        case "git", ["uninstall", *_]:
            return "uninstall --merge-driver"
        case "git", ["merge-file", *files]:
            return _joined("hook merge-driver", files)
        case "git", ["status", *_]:
            return "init --merge-driver --status"
        case "git", _:
            return "init --merge-driver"
        case "remote", ["sync", *more]:
            return _joined("sync", more)
        case "vault", ["sync", *more]:
            return _joined("sync database", more)
        case "vault", _:
            return _joined("sync database", rest)
        case _:
            return ""


def _as_memory(rest: list[str]) -> str:
    from holdfast.core.memory import MemoryType

    typed = rest[:1] and rest[0] in list(MemoryType)
    return _joined("remember" if typed else "remember learning", rest or ["…"])


def _joined(call: str, rest: list[str]) -> str:
    behind = shlex.join(rest).replace("'…'", "…")
    return f"{call} {behind}".rstrip() if len(behind) <= _LONGEST else f"{call} …"


def _nearest(word: str, known: list[str]) -> str:
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, known, n=1)), "")


def _hint(call: str) -> str:
    return f"did you mean `holdfast {call}`?" if call else "`holdfast help all` lists the commands."
