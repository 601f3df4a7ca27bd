"""Who decides here: the one place that every road to "accepted" goes through. See docs/security.md.

Inside a client's process tree the answer is no. Outside, a terminal of a person's session, Studio opened by a link, or
a key that the person holds proves that they are there. What proves nothing is carried out, recorded as not proven, and
reaches no agent until the person confirms it by `holdfast allow`.
"""

import os
import pwd
import socket

from holdfast.config.person_key import find_key
from holdfast.core.home import read_environment
from holdfast.core.presence import AGENT, KEY, SCRIPT, TERMINAL, Presence
from holdfast.system.processes import (
    Process,
    find_terminal_holder,
    is_pseudo_terminal,
    list_above,
    name_terminal,
    read_process,
    read_process_environment,
)
from holdfast.trust.agent_writes import is_session_open
from holdfast.trust.multiplexers import find_running_client, find_screen_problem, is_multiplexer
from holdfast.workspace import App, find_agent, name_client, need_person

__all__ = ["Presence", "find_presence", "prove_person"]

CONFIRM = "no agent is told of it before you confirm it in a terminal of your own: holdfast allow"
# Programs that are at the other end of a terminal for a person: what they are called, or how their command begins.
TERMINALS = frozenset({
    "Hyper", "SessionLeader", "Terminal", "alacritty", "aterm", "blackbox", "clion", "cockpit-bridge", "code",
    "code-insiders", "codium", "contour", "cool-retro-term", "cursor", "deepin-terminal", "dropbear", "emacs",
    "etterminal", "eterm", "fbterm", "foot", "footclient", "ghostty", "gnome-terminal-", "gnome-terminal-server",
    "goland", "gotty", "guake", "gvim", "hyper", "iTerm2", "iTermServer", "idea", "init", "java", "kate", "kdevelop",
    "kgx", "kitty", "kmscon", "konsole", "login", "lxterminal", "mate-terminal", "mlterm", "mosh-server", "nvim",
    "phpstorm", "ptyxis", "ptyxis-agent", "pycharm", "qterminal", "rider", "rio", "roxterm", "rubymine", "rustrover",
    "rxvt", "sakura", "sshd", "sshd-session", "st", "studio", "sublime_text", "tabby", "telnetd", "terminator",
    "terminology", "termit", "tilda", "tilix", "ttyd", "urxvt", "uxterm", "vim", "vscodium", "warp", "warp-terminal",
    "wave", "webstorm", "wezterm", "wezterm-gui", "windsurf", "xfce4-terminal", "xterm", "yakuake", "zed", "zed-editor",
    "zeditor", "zutty",
})  # fmt: skip
SCHEDULERS = frozenset({"cron", "crond", "CRON", "anacron", "atd", "fcron", "systemd", "launchd"})
PTY_HOST = "--type=ptyHost"
RELAY = "Relay("
REMOTE = frozenset({"sshd", "sshd-session", "dropbear"})
CONNECTION = "SSH_CONNECTION"


def prove_person(app: App, command: str) -> Presence:
    """Who decides this, and how that is known. Refuses a client's agent; says so where nothing proves a person."""
    need_person(app, command)
    presence = find_presence(app)
    if not presence.proven:
        notice = f"This is not proven to be a person's act ({presence.why}): {CONFIRM}"
        if notice not in app.notices:
            app.notices.append(notice)
    return presence


def find_presence(app: App) -> Presence:
    """Who is there, and how that is known: looked at once, for it does not change while a command runs."""
    if app.presence is None:
        app.presence = _find_presence(app)
    return app.presence


def _find_presence(app: App) -> Presence:
    who = find_user_name()
    if client := find_agent(app):
        return Presence(who=client, how=AGENT, proven=False, why=f"inside {client}")
    if mark := find_key(app.home, read_environment()):
        return Presence(who=who, how=KEY, where=f"key {mark} on {socket.gethostname()}")
    me = read_process(os.getpid())
    if me is None or me.terminal == 0:
        why = find_script_problem(app)
        return Presence(who=who, how=SCRIPT, where=f"process {os.getpid()}", proven=not why, why=why)
    why = _find_terminal_problem(me, _list_trusted(app))
    return Presence(who=who, how=TERMINAL, where=name_terminal(me.terminal), proven=not why, why=why)


def find_script_problem(app: App) -> str:
    """What speaks against it that a program without a terminal does what its user wants; empty where nothing does.

    Where no client is at work, nobody is there who would act in the user's place, unless they left something behind.
    """
    return _find_scheduler_problem() or find_agent_problem(app)


def find_agent_problem(app: App) -> str:
    """Why a program without a terminal may be an agent's: a client is at work. Empty where nothing says so."""
    if app.settings["trust.need_terminal"]:
        return "there is no terminal (trust.need_terminal)"
    if client := find_running_client():
        return f"there is no terminal, and {client} runs"
    return "there is no terminal, and a client's session is open here" if is_session_open(app) else ""


def _find_scheduler_problem() -> str:
    """Whether something started this process that acts later, or from elsewhere, for whoever asked it to."""
    me = read_process(os.getpid())
    above = list_above(os.getpid())
    for each in above:
        if each.names & SCHEDULERS:
            return f"there is no terminal: {min(each.names, key=len)!r} started it"
        if each.names & REMOTE:
            return _find_remote_problem(me) if me else ""
    left = me is not None and me.session not in {me.pid, *(each.pid for each in above)}
    return "there is no terminal, and what started it has ended" if left or (me is not None and me.parent == 1) else ""


def _list_trusted(app: App) -> frozenset[str]:
    """Programs that the user calls terminals of theirs, in their own settings."""
    own = app.settings.origins.get("trust.terminals") not in {"environment", "flag"}
    return frozenset(str(app.settings["trust.terminals"]).split()) if own else frozenset()


def _find_terminal_problem(process: Process, trusted: frozenset[str], depth: int = 4) -> str:
    """What speaks against a person at a process's terminal; an empty text where nothing does."""
    if why := _find_background_problem(process):
        return why
    if not is_pseudo_terminal(process.terminal):
        return ""
    holder = _find_other_end(process)
    if holder is None:
        return "who is at the other end of this terminal cannot be seen"
    if holder.pid == 0:
        return ""
    if client := _find_client_at(holder):
        return f"this terminal belongs to {client}"
    if is_multiplexer(holder):
        return find_screen_problem(holder, process, lambda inner: _find_terminal_problem(inner, trusted, depth - 1))
    if holder.names & REMOTE:
        return _find_remote_problem(process)
    if _is_terminal_program(holder, trusted):
        return ""
    if holder.terminal and depth:
        # `script`, a pager, an editor: a person may have started it in a terminal of theirs.
        return _find_terminal_problem(holder, trusted, depth - 1)
    name = min(holder.names, key=len, default="a program")
    return f"{name!r} is at the other end of this terminal, and no terminal program (setting trust.terminals)"


def _find_background_problem(process: Process) -> str:
    """Whether the keys of its terminal go to a process: not to one that was left behind, or that runs beside."""
    if process.session not in {process.pid, *(each.pid for each in list_above(process.pid))}:
        return "what started it has ended"
    beside = process.foreground > 0 and process.group != process.foreground
    return "it runs in the background of this terminal" if beside else ""


def _find_client_at(holder: Process) -> str:
    every = (holder, *list_above(holder.pid))
    return next((found for each in every if (found := name_client(each, read_process_environment(each.pid)))), "")


def _find_other_end(process: Process) -> Process | None:
    """The program that holds a terminal: what started the session in it, or whoever holds its other end.

    A process above from outside of this container has the number 0.
    """
    leader = read_process(process.session)
    if leader is None or leader.terminal != process.terminal:
        return find_terminal_holder(process.terminal)
    if leader.parent == 0:
        return Process(pid=0, parent=0, session=0, terminal=0, names=frozenset())
    above = read_process(leader.parent)
    if above is not None and above.pid != 1:
        return above
    return find_terminal_holder(process.terminal)


def _is_terminal_program(holder: Process, trusted: frozenset[str]) -> bool:
    relays = any(name.startswith(RELAY) for name in holder.names)
    named = bool(holder.names & (TERMINALS | trusted)) or any(word in trusted for word in holder.words[:1])
    return named or relays or PTY_HOST in holder.words


def _find_remote_problem(process: Process) -> str:
    """Whether somebody came over the network, or a program of this machine did."""
    told = read_process_environment(process.session).get(CONNECTION, "").split()
    if len(told) < 4:
        return "from where this session came over the network is not known"
    return "this session came over the network from this machine itself" if told[0] == told[2] else ""


def find_user_name() -> str:
    """What the system calls whose process this is."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())
