"""The clients of this user: found, set up, taken back out, and how they are."""

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from holdfast.clients.client_spec import Client
from holdfast.clients.client_table import CLIENTS
from holdfast.clients.install.codex_trust import read_codex_trust
from holdfast.clients.install.install_hook import apply_plan, find_clients, plan_install
from holdfast.clients.install.install_plan import ClientSetupPlan
from holdfast.clients.install.installed import read_manifest
from holdfast.clients.install.uninstall_hook import plan_uninstall
from holdfast.clients.last_seen import NO_FAILURES, HookFailures, find_silent_use, is_traceable, read_hook_failures
from holdfast.core.errors import BadRequest
from holdfast.core.home import read_environment
from holdfast.core.value import Value
from holdfast.journal.change_log import note_change
from holdfast.workspace import App, need_person

NONE = "none"
RECENT = 5000
OURS = "holdfast"


class UnsupportedClient(BadRequest):
    """A client we do not know."""

    def __init__(self, name: str) -> None:
        known = ", ".join(client.id for client in CLIENTS)
        super().__init__(f"There is no client {name!r}.", f"the clients are {known}; `none` touches no client's files.")


class ClientState(Value):
    """How one client is: found on this machine, set up by us, trusted, and what it sent.

    `used` is when its own files say it was used here while nothing came. `silent`: we should hear it and do not.
    """

    id: str
    title: str
    found: bool
    installed: bool
    complete: bool
    trusted: bool | None
    last_event: str
    events_today: int
    failures_today: int = 0
    used: str = ""
    silent: bool = False
    hooks: bool = True


def choose_clients(app: App, names: Sequence[str]) -> list[Client]:
    """The clients named; without names, those found on this machine."""
    if NONE in names:
        return []
    if not names:
        return find_clients(read_environment(), app.workspace)
    known = {client.id: client for client in CLIENTS}
    for name in names:
        if name not in known:
            raise UnsupportedClient(name)
    return [known[name] for name in dict.fromkeys(names)]


def plan_installs(app: App, clients: Sequence[Client]) -> list[ClientSetupPlan]:
    """What would be written for some clients."""
    return [plan_install(client, app.home, app.workspace, read_environment()) for client in clients]


def install(app: App, clients: Sequence[Client]) -> list[str]:
    """Set clients up, one after the other, since they share files of ours; the files that changed."""
    return _carry_out(app, clients, plan_install, "set up")


def find_clients_to_remove(app: App, names: Sequence[str]) -> list[Client]:
    """The clients named, or all we wrote something for."""
    need_person(app, "uninstall")
    return choose_clients(app, names) if names else _find_installed(app)


def plan_uninstalls(app: App, clients: Sequence[Client]) -> list[ClientSetupPlan]:
    """What would be taken back."""
    return [plan_uninstall(client, app.home, app.workspace, read_environment()) for client in clients]


def uninstall(app: App, clients: Sequence[Client]) -> list[str]:
    """Take our part out of clients again; the files that changed."""
    return _carry_out(app, clients, plan_uninstall, "taken out")


def _carry_out(app: App, clients: Sequence[Client], planned: Callable[..., ClientSetupPlan], done: str) -> list[str]:
    changed: list[str] = []
    for client in clients:
        plan = planned(client, app.home, app.workspace, read_environment())
        apply_plan(plan)
        changed += plan.paths
        if plan.paths:
            note_change(app, "client", client.id, after=done, own=True)
    return list(dict.fromkeys(changed))


def list_client_states(app: App) -> list[ClientState]:
    """Every client that is found here or was set up; in a server's copy of a project, those that were heard."""
    found = {client.id for client in find_clients(read_environment(), app.workspace)} if not app.is_copy else set()
    installed = {client.id for client in _find_installed(app)} if not app.is_copy else set()
    heard = _read_activity(app)
    return [
        _state(app, client, heard, found=client.id in found, installed=client.id in installed)
        for client in CLIENTS
        if client.id in found | installed or heard.last_of(client)
    ]


class ClientActivity(Value):
    """What came of late, by the client it came from: the last time, and how many today.

    `begun` is where the look begins, if more lies before it.
    """

    last: Mapping[str, str]
    today: Mapping[str, int]
    problems: HookFailures = NO_FAILURES
    begun: str = ""

    def last_of(self, client: Client) -> str:
        """When a client was last heard, under any of its names."""
        return max((self.last.get(name, "") for name in client.sends), default="")

    def silent_since(self, client: Client) -> str:
        """Since when nothing of a client came; empty when nothing ever did."""
        return self.last_of(client) or self.begun

    def silent(self, client: Client, used: str) -> bool:
        """Whether a client that is set up should have been heard: hooks that store nothing are the worst failure.

        One that never spoke is not silent where its own files show no use and others are heard: it is not used here.
        """
        if not client.events:
            return False
        return bool(used) or (not self.last_of(client) and not (self.last and is_traceable(client)))


def _state(app: App, client: Client, heard: ClientActivity, *, found: bool, installed: bool) -> ClientState:
    trust = read_codex_trust(app.home, read_environment()) if installed and client.id == "codex" else None
    used = find_silent_use(app, client, heard.silent_since(client)) if installed else ""
    return ClientState(
        id=client.id,
        title=client.title,
        found=found,
        installed=installed,
        complete=installed and not plan_install(client, app.home, app.workspace, read_environment()).paths,
        trusted=None if trust is None else trust.trusted >= trust.wanted,
        last_event=heard.last_of(client),
        events_today=sum(heard.today.get(name, 0) for name in client.sends),
        failures_today=sum(heard.problems.of(name) for name in client.sends),
        used=used,
        silent=installed and heard.silent(client, used),
        hooks=bool(client.events),
    )


def _read_activity(app: App) -> ClientActivity:
    day = app.clock.now().date().isoformat()
    all_rows = app.index.events("9999", RECENT, 0)
    rows = [row for row in all_rows if row.client != OURS]
    return ClientActivity(
        last={row.client: row.ts for row in rows},
        today=Counter(row.client for row in rows if row.ts.startswith(day)),
        problems=read_hook_failures(app),
        begun=all_rows[0].ts if len(all_rows) == RECENT else "",
    )


def _find_installed(app: App) -> list[Client]:
    names = {name for written in read_manifest(app.home).values() for name in written.clients}
    return [client for client in CLIENTS if client.id in names]


def shorten_path(path: str) -> str:
    """A path as a person writes it."""
    home = os.path.expanduser("~")
    return "~" + path[len(home) :] if path.startswith(home + os.sep) else path
