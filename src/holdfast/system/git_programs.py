"""Which programs a repository's own settings would have git run: a folder that came from elsewhere may name any.

Reading settings runs nothing. The user's own, in their home, are theirs and not looked at.
"""

import re
from collections.abc import Iterator, Sequence

from holdfast.core.errors import Unavailable

LISTING = ("config", "--list", "--show-scope", "--includes", "--null")
SCOPES = frozenset({"local", "worktree"})
_PROGRAMS = re.compile(
    r"filter\..*\.(?:clean|smudge|process)|diff\..*\.(?:command|textconv)|diff\.external|merge\..*\.driver"
    r"|core\.(?:sshcommand|gitproxy|askpass|editor|pager|alternaterefscommand)|sequence\.editor|pager\..*"
    r"|gpg\.(?:.*\.)?(?:program|defaultkeycommand)|remote\..*\.(?:uploadpack|receivepack|vcs)|uploadpack\.packobjectshook"
    r"|trailer\..*\.(?:command|cmd)|interactive\.difffilter",
    re.DOTALL,
)
_HELPER = re.compile(r"credential\.(?:.*\.)?helper", re.DOTALL)


class NamesPrograms(Unavailable):
    """A repository whose own settings name programs that git would run for us."""

    def __init__(self, root: str, names: Sequence[str]) -> None:
        super().__init__(
            f"The repository {root!r} names programs of its own for git to run: {', '.join(names)}.",
            f"take them out with `git -C {root} config --unset NAME`; what you trust belongs into your own settings "
            "(`git config --global`).",
        )


def find_programs(listed: str) -> list[str]:
    """The settings, of those that git listed, by which a repository names programs."""
    return sorted(set(_programs(listed)))


def _programs(listed: str) -> Iterator[str]:
    fields = listed.split("\0")
    for scope, setting in zip(fields[::2], fields[1::2], strict=False):
        name, _, value = setting.partition("\n")
        # Git's own helpers go by a plain name.
        own_helper = not (value.startswith("!") or "/" in value)
        if scope in SCOPES and (_PROGRAMS.fullmatch(name) or (_HELPER.fullmatch(name) and not own_helper)):
            yield name
