"""Every command: its group, what it does in a line, and the module it is in. Loads none of them."""

from typing import NamedTuple


class Command(NamedTuple):
    """A command."""

    name: str
    group: str
    about: str
    module: str


class Form(NamedTuple):
    """Another way to call a command, with a module and a help of its own.

    `word` is an option (`doctor --verify`) or a verb (`report cost`). `value`: the option takes one. `before`: a verb
    that is also something else is meant alone, or before one of these words.
    """

    word: str
    about: str
    module: str
    value: str = ""
    before: tuple[str, ...] = ()


GROUPS = {
    "setup": "begin, and settings",
    "write": "keep memory and change it",
    "find": "search and look",
    "decide": "go through what was proposed",
    "sessions": "what happened with the clients",
    "records": "what was worked on, and what it brought",
    "rules": "hold agents to what was decided",
    "care": "keep memory sound",
    "agent": "our own agent",
    "share": "other machines, other people",
    "server": "for Studio, for programs and for clients",
}

_COMMANDS = (
    Command("init", "setup", "make this folder a workspace with memory", "holdfast.cli.init"),
    Command("uninstall", "setup", "take our hook out of clients again", "holdfast.cli.uninstall"),
    Command("allow", "setup", "let this workspace's memory reach agents", "holdfast.cli.allow"),
    Command("config", "setup", "show and change settings, models and lenses", "holdfast.cli.config"),
    Command("completion", "setup", "print the completion script for a shell", "holdfast.cli.completion"),
    Command("help", "setup", "show the commands of every day, a group of them, or one", "holdfast.cli.help"),
    Command("version", "setup", "print the version", "holdfast.cli.version"),
    Command(
        "remember",
        "write",
        "keep a memory: decision, assumption, invariant, failure, learning or pattern",
        "holdfast.cli.remember",
    ),
    Command("propose", "write", "propose a memory for review", "holdfast.cli.propose"),
    Command("edit", "write", "change a memory", "holdfast.cli.edit"),
    Command("forget", "write", "remove a memory, an event, or everything that holds a text", "holdfast.cli.forget"),
    Command("search", "find", "find memories by words", "holdfast.cli.search"),
    Command("list", "find", "list memories, or what waits for review", "holdfast.cli.list"),
    Command("show", "find", "show memories in full, with evidence and history", "holdfast.cli.show"),
    Command("timeline", "find", "show what happened around a memory or a time", "holdfast.cli.timeline"),
    Command(
        "graph",
        "find",
        "show what is connected: memories, events, files, symbols, packages, people, tags",
        "holdfast.cli.graph",
    ),
    Command(
        "review",
        "decide",
        "go through what waits, on the screen: accept, edit, reject, merge, resolve",
        "holdfast.cli.review",
    ),
    Command("accept", "decide", "accept candidates: they become memories", "holdfast.cli.accept"),
    Command("reject", "decide", "reject candidates: they are not proposed again", "holdfast.cli.reject"),
    Command("resolve", "decide", "resolve the conflict of two memories", "holdfast.cli.resolve"),
    Command("undo", "decide", "undo the last accept, reject, merge, edit, resolve or curate", "holdfast.cli.undo"),
    Command("harvest", "sessions", "read the clients' own transcripts into the journal", "holdfast.cli.harvest"),
    Command("session", "sessions", "show sessions: the list, one as a conversation, its tree", "holdfast.cli.session"),
    Command(
        "distil", "sessions", "make summaries, briefings and candidates of finished sessions", "holdfast.cli.distil"
    ),
    Command("log", "records", "read the daily log, or add a line to it", "holdfast.cli.log"),
    Command("todo", "records", "show the open work items, or change them", "holdfast.cli.todo"),
    Command("work", "records", "show what was worked on, or close a unit", "holdfast.cli.work"),
    Command("stats", "records", "show what agents were told, what it cost and what came of it", "holdfast.cli.stats"),
    Command(
        "report",
        "records",
        "show what sessions left, by kind: activity, cost, failures, ratings and more",
        "holdfast.cli.report",
    ),
    Command("check", "rules", "say which decisions a diff, a plan or a file breaks", "holdfast.cli.check"),
    Command("guard", "rules", "show what the guard said, and what it would say", "holdfast.cli.guard"),
    Command(
        "render",
        "rules",
        "put memory as a block into the files that clients read as instructions",
        "holdfast.cli.render",
    ),
    Command("pack", "rules", "show what an agent should know for a goal", "holdfast.cli.pack"),
    Command("status", "care", "show the workspace, its counts and its problems", "holdfast.cli.status"),
    Command("doctor", "care", "find problems, explain them, and fix them", "holdfast.cli.doctor"),
    Command(
        "curate",
        "care",
        "look after memory: what is stale, duplicated or without evidence, with plans to fix it",
        "holdfast.cli.curate",
    ),
    Command(
        "run",
        "agent",
        "reach a goal with our own agent: plan with memory, carry out, validate, learn",
        "holdfast.cli.run",
    ),
    Command("chat", "agent", "talk with our own agent, with memory beside every message", "holdfast.cli.chat"),
    Command("runs", "agent", "show the agent's runs, what they changed, or take one back", "holdfast.cli.runs"),
    Command(
        "import", "share", "bring in a bundle, or what other tools remember, as candidates", "holdfast.cli.import_"
    ),
    Command(
        "export", "share", "write memory as one file: to a folder, a store, or another machine", "holdfast.cli.export"
    ),
    Command(
        "backup",
        "share",
        "keep bundles in a store of yours: now, status, list, restore, prune, schedule",
        "holdfast.cli.backup",
    ),
    Command(
        "sandbox",
        "share",
        "keep a conductor's memory beyond its sandbox, and serve its workers",
        "holdfast.cli.sandbox",
    ),
    Command("sync", "share", "bring this workspace together with a team's server", "holdfast.cli.sync"),
    Command(
        "team", "share", "share memory with a team, over git, a folder, a server or a database", "holdfast.cli.team"
    ),
    Command(
        "serve",
        "server",
        "serve memory to Studio and to programs, over HTTP; --open opens Studio",
        "holdfast.cli.serve",
    ),
    Command("mcp", "server", "speak MCP with a client: memory as tools for its agent", "holdfast.cli.mcp"),
    Command("hook", "server", "take a client's event from standard input", "holdfast.cli.hook"),
)
EVERY_DAY = (
    "init", "remember", "search", "show", "list", "review", "edit", "forget", "check", "status", "doctor", "serve",
)  # fmt: skip
COMMANDS = {command.name: command for command in _COMMANDS}
FORMS = {
    "accept": (
        Form("--into", "merge candidates into one of them, or into a memory", "holdfast.cli.accept_into", value="ID"),
    ),
    "check": (
        Form("--memories", "show what contradicts, replaces or repeats what", "holdfast.cli.check_memories"),
        Form("--rules", "show which memories are checked and by what, and confirm it", "holdfast.cli.check_rules"),
    ),
    "config": (
        Form(
            "model",
            "show which model is set and could be, or try it",
            "holdfast.cli.config_model",
            before=("list", "test", "--prices", "--help", "-h"),
        ),
        Form("key", "show or make the key that stands for you without a terminal", "holdfast.cli.config_key"),
        Form("lens", "show ways to work, and begin one of your own", "holdfast.cli.config_lens"),
    ),
    "distil": (Form("--code", "read how the code base is written and propose patterns", "holdfast.cli.distil_code"),),
    "doctor": (
        Form("--verify", "check every record, file and index row", "holdfast.cli.doctor_verify"),
        Form("--rebuild", "build the index anew from the files", "holdfast.cli.doctor_rebuild"),
        Form("--compact", "take deleted and retired events off the disk", "holdfast.cli.doctor_compact"),
        Form("--embed", "give every passage its vector by the embedder that is set", "holdfast.cli.doctor_embed"),
        Form("--triples", "have the model read facts out of memories, for the graph", "holdfast.cli.doctor_triples"),
    ),
    "hook": (Form("merge-driver", "merge two edits of one memory, as git asks", "holdfast.cli.hook_merge_driver"),),
    "init": (
        Form("--merge-driver", "have git merge two edits of one memory key by key", "holdfast.cli.init_merge_driver"),
    ),
    "list": (
        Form("--candidates", "list what waits for review", "holdfast.cli.list_candidates"),
        Form(
            "--by",
            "list what holds on each subject, and what it replaced",
            "holdfast.cli.list_by_subject",
            value="subject",
        ),
        Form("--unproven", "list what nobody proven to be a person accepted", "holdfast.cli.list_unproven"),
    ),
    "log": (
        Form("--rate", "rate the newest answer", "holdfast.cli.log_rate", value="N"),
        Form(
            "--system",
            "show what altered the memory system itself: settings, rules, clients, migrations",
            "holdfast.cli.log_system",
        ),
    ),
    "report": (
        Form("activity", "show which files changed recently, and for which prompts", "holdfast.cli.report_activity"),
        Form("cost", "show what the model took, day by day", "holdfast.cli.report_cost"),
        Form("failures", "show the sessions that went wrong", "holdfast.cli.report_failures"),
        Form(
            "lineage",
            "show a file's story: which runs and sessions changed it, and why",
            "holdfast.cli.report_lineage",
        ),
        Form("progress", "show goals that take many sessions, or steer one", "holdfast.cli.report_progress"),
        Form("ratings", "show how answers were rated", "holdfast.cli.report_ratings"),
        Form("research", "show what subagents found out", "holdfast.cli.report_research"),
        Form(
            "synthesis",
            "put a week's or a month's ratings, failures and learnings together",
            "holdfast.cli.report_synthesis",
        ),
    ),
    "serve": (Form("token", "make, list and remove the tokens that the server takes", "holdfast.cli.serve_token"),),
    "session": (
        Form("buffer", "show what was decided and corrected recently, or drop a note", "holdfast.cli.session_buffer"),
        Form(
            "told",
            "show what a session was told, why, and what came of it; mark what was wrong",
            "holdfast.cli.session_injections",
        ),
    ),
    "show": (
        Form(
            "--history", "show when a memory was believed, and every version that git has", "holdfast.cli.show_history"
        ),
        Form("--cites", "show how the code that memories cite stands now, and follow it", "holdfast.cli.show_cites"),
        Form("--related", "show what belongs to a memory, and why", "holdfast.cli.show_related"),
    ),
    "status": (
        Form("--badge", "print how much waits for review: for a status line or a prompt", "holdfast.cli.status_badge"),
    ),
    "sync": (
        Form("database", "bring this checkout's memory and the team's database together", "holdfast.cli.sync_database"),
    ),
    "team": (Form("database", "look after a team's PostgreSQL", "holdfast.cli.team_database"),),
    "uninstall": (
        Form("--merge-driver", "have git merge memory line by line again", "holdfast.cli.uninstall_merge_driver"),
    ),
}


def is_option(form: Form) -> bool:
    """Whether an option names it; a verb otherwise."""
    return form.word.startswith("--")


def in_group(group: str) -> list[Command]:
    """A group's commands."""
    return [command for command in COMMANDS.values() if command.group == group]


def calls() -> list[str]:
    """All that can be called, each with its forms behind it: `show`, `show --history`, …"""
    return [call for name in COMMANDS for call in (name, *(f"{name} {form.word}" for form in FORMS.get(name, ())))]


def entry(call: str) -> Command | Form:
    """What stands behind a call."""
    name, _, word = call.partition(" ")
    return next((form for form in FORMS.get(name, ()) if form.word == word), COMMANDS[name])
