"""Settings: a table of what can be set, read from files, environment and flags in rising order."""

import os
import re
from collections.abc import Callable, Mapping
from typing import Any

from holdfast.config.foreign_environment import find_foreign_file
from holdfast.core.errors import BadRequest
from holdfast.core.value import Value

FILE = "config.toml"
# Where a setting may come from that whoever runs the command gave: inside a client that may be the agent.
GIVEN_BY_ANYBODY = ("environment", "flag")
STORES = r"(?:s3|gs|az|postgresql|postgres)://."
Read = Callable[[str], Mapping[str, Any]]


class Setting(Value):
    """One thing that can be set. `harmless`: a repository's own file may set it too. `place`: where a secret is.

    `choices`: the only values there are. `store`: where a store is: its address, or a folder's whole path.
    """

    key: str
    default: Any
    about: str
    harmless: bool = False
    place: bool = False
    least: float = 0
    most: float = 1_000_000
    choices: tuple[str, ...] = ()
    store: bool = False

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "HOLDFAST_" + self.key.upper().replace(".", "_")


SETTINGS: Mapping[str, Setting] = {
    setting.key: setting
    for setting in (
        Setting(
            key="search.limit", default=10, about="how many hits `search` shows", harmless=True, least=1, most=10_000
        ),
        Setting(
            key="packs.budget_tokens",
            default=1500,
            about="how many tokens of memory an agent is told at one event",
            harmless=True,
            least=50,
            most=100_000,
        ),
        Setting(
            key="packs.start_tokens",
            default=1200,
            about="how many of those tokens accepted memory may take when a session begins",
            harmless=True,
            least=50,
            most=100_000,
        ),
        Setting(
            key="packs.prompt_tokens",
            default=400,
            about="how many tokens of memory an agent is told at a prompt or before a tool",
            harmless=True,
            least=50,
            most=100_000,
        ),
        Setting(
            key="packs.ask",
            default=True,
            about="ask the agent, when a session begins, to propose what you decide, correct or prefer",
            harmless=True,
        ),
        Setting(
            key="packs.ask_again",
            default=True,
            about="ask it once more in a session, when a turn ends with something that you decided and nothing keeps",
            harmless=True,
        ),
        Setting(
            key="packs.unconfirmed",
            default=True,
            about="whether agents are told what you said lately and have not accepted yet, marked as unconfirmed",
        ),
        Setting(
            key="packs.holdout",
            default=0.0,
            about="the share of sessions that is told nothing, to see whether telling helps (`holdfast stats`)",
            most=0.5,
        ),
        Setting(
            key="journal.keep_days",
            default=0,
            about="events older than this many days are retired by `doctor --compact`; 0 keeps all",
            harmless=True,
            most=100_000,
        ),
        Setting(
            key="journal.keep_mb",
            default=0,
            about="the oldest events are retired by `doctor --compact` beyond this size in MB; 0 keeps all",
            harmless=True,
        ),
        Setting(
            key="journal.segment_mb",
            default=8,
            about="size at which a journal segment is sealed, in MB",
            least=1,
            most=1024,
        ),
        Setting(key="candidates.commit", default=False, about="whether git sees `.holdfast/candidates/`"),
        Setting(
            key="curate.age",
            default=1.0,
            about="how much longer than `curate` thinks a memory may stand untouched: 2 is twice as long",
            least=0.1,
            most=100,
        ),
        Setting(
            key="curate.longest_tokens",
            default=500,
            about="how many tokens a memory may cost before `curate` calls it too long",
            least=50,
            most=100_000,
        ),
        Setting(
            key="curate.candidate_weeks",
            default=4,
            about="how many weeks a candidate may wait before `curate` speaks of it",
            least=1,
            most=520,
        ),
        Setting(
            key="propose.per_session",
            default=20,
            about="how many candidates the agent of one session may propose; 0 for no limit",
        ),
        Setting(
            key="propose.per_hour",
            default=40,
            about="how many candidates all agents may propose here within an hour; 0 for no limit",
        ),
        Setting(
            key="review.expire_days",
            default=30,
            about="days after which a candidate nobody reviewed leaves the queue and stays an observation; 0: never",
            most=36_500,
        ),
        Setting(
            key="harvest.client_memories",
            default=True,
            about="whether what clients remember themselves becomes candidates, when sessions are distilled",
        ),
        Setting(
            key="distil.auto",
            default=True,
            about="whether a finished session is distilled by itself, in a process that ends when it is done",
        ),
        Setting(
            key="search.recipe",
            default="auto",
            about="how search ranks: auto (words; meaning and names too where words do not settle it), words, default, "
            "meaning",
        ),
        Setting(
            key="search.reranker",
            default="none",
            about="what puts the best hits in order again: endpoint:MODEL, folder:PATH, or one that a package brings",
        ),
        Setting(
            key="search.reranker_url",
            default="",
            about="where endpoint:MODEL is asked, like http://127.0.0.1:8000/v1; plain http only on this machine",
        ),
        Setting(
            key="search.reranker_key",
            default="",
            about="where the key of endpoint:MODEL is: env:NAME or file:PATH",
            place=True,
        ),
        Setting(
            key="search.reranker_seconds",
            default=3.0,
            about="how long reranking may take; what is not done then keeps its place",
            least=0.1,
            most=60,
        ),
        Setting(
            key="graph.triples",
            default="none",
            about="who reads facts for the graph out of memories (`doctor --triples`): none, or the model that is set",
            choices=("none", "model"),
        ),
        Setting(
            key="embedder",
            default="auto",
            about="what finds by meaning: auto (granite where it is installed, static until its vectors are there), "
            "static, granite, minilm, multilingual, folder:PATH, fastembed:NAME, openai:MODEL or none",
        ),
        Setting(
            key="embed.auto",
            default=True,
            about="whether missing vectors are made, and memories that changed compared, by themselves, in a process "
            "that ends when it is done (vectors take half a core at most)",
        ),
        Setting(
            key="embedder_url",
            default="",
            about="where openai:MODEL is asked, like http://127.0.0.1:11434/v1; else $OPENAI_BASE_URL, else OpenAI",
        ),
        Setting(
            key="embedder_key",
            default="",
            about="where the key of openai:MODEL is: env:NAME or file:PATH; else $OPENAI_API_KEY, for OpenAI alone",
        ),
        Setting(
            key="embedder_dims",
            default=0,
            about="how many numbers a vector of openai:MODEL shall have; 0 leaves it to the model",
            most=16_384,
        ),
        Setting(
            key="model",
            default="",
            about="what distils sessions beside the rules: anthropic:NAME, openai:NAME, gemini:NAME, ollama:NAME, "
            "openai-compatible:NAME, client:claude, client:codex, scripted:FILE or none",
        ),
        Setting(
            key="model_url",
            default="",
            about="where the model is asked, like http://127.0.0.1:8000/v1; else the vendor's own variable, else the "
            "vendor; plain http only on this machine",
        ),
        Setting(
            key="model_key",
            default="",
            about="where the model's key is: env:NAME or file:PATH; else the vendor's own variable, for the vendor",
            place=True,
        ),
        Setting(
            key="model_price",
            default="",
            about="US dollars per million tokens, input/output like 3/15, or input/cached/output; else what is listed",
        ),
        Setting(
            key="model_seconds",
            default=180,
            about="how long one request to the model may take, with every attempt",
            least=1,
            most=3600,
        ),
        Setting(
            key="model_input_tokens",
            default=24_000,
            about="how many tokens of a session one request carries; a longer session goes in parts",
            least=2_000,
        ),
        Setting(
            key="model_session_tokens",
            default=200_000,
            about="how many tokens the model may take for one session; 0 is no limit",
            most=1_000_000_000,
        ),
        Setting(
            key="model_day_tokens",
            default=2_000_000,
            about="how many tokens the model may take in a day (UTC); 0 is no limit",
            most=1_000_000_000,
        ),
        Setting(
            key="model_session_cents",
            default=50,
            about="how many US cents the model may cost for one session; 0 is no limit",
        ),
        Setting(
            key="model_day_cents",
            default=200,
            about="how many US cents the model may cost in a day (UTC); 0 is no limit",
        ),
        Setting(
            key="render.targets",
            default="",
            about="which files `render` fills: agents, claude, claude-rules, gemini, cursor, copilot, cline, devin … or"
            " none; empty: those that are there, and those of clients in use",
        ),
        Setting(
            key="render.types",
            default="invariant decision failure pattern learning assumption",
            about="which types of memory stand in the blocks of clients' files",
            harmless=True,
        ),
        Setting(
            key="render.budget_tokens",
            default=1000,
            about="how many tokens of memory a block in a client's file has at most",
            harmless=True,
            least=250,
            most=10_000,
        ),
        Setting(
            key="run.trust",
            default="ask",
            about="how far `holdfast run` goes by itself: read_only, ask (before each change), workspace, full",
        ),
        Setting(key="run.planner", default="harmonic", about="how `holdfast run` plans: harmonic or artifact"),
        Setting(
            key="run.gates",
            default="",
            about="what must pass, like: lint=ruff check .; test=pytest -q. Empty: what the project's files tell of",
        ),
        Setting(key="run.tokens", default=400_000, about="most tokens of a run; 0 for no limit", most=100_000_000),
        Setting(key="run.cents", default=0.0, about="most US cents of a run; 0 for no limit"),
        Setting(key="run.seconds", default=1800, about="most seconds of a run; 0 for no limit"),
        Setting(key="run.attempts", default=6, about="how often a run tries to fix what its gates find, to begin with"),
        Setting(
            key="serve.trust",
            default="workspace",
            about="how far a run may be trusted that is started over `holdfast serve`: read_only, ask, workspace, full",
            choices=("read_only", "ask", "workspace", "full"),
        ),
        Setting(
            key="auto_accept",
            default="",
            about="a rule for candidates that need no look, like: said_by == 'user' and confidence > 0.9 and not "
            "conflicts; only what you said yourself can qualify (docs/formats/review.md)",
        ),
        Setting(
            key="trust.hold_edits",
            default=False,
            about="whether every memory file that was changed outside Holdfast's commands waits for `holdfast allow`, "
            "also where no client's session was open",
        ),
        Setting(
            key="trust.need_terminal",
            default=False,
            about="whether programs of yours without a terminal never count as you, also where no client is at work; "
            "your key does (docs/security.md)",
        ),
        Setting(
            key="trust.terminals",
            default="",
            about="programs that you call terminals of yours, besides those that are known: names or whole paths, with "
            "blanks between them",
        ),
        Setting(
            key="auto_restart",
            default=False,
            about="whether sessions that run are told memory anew when a block changed, where the client takes words "
            "at a prompt (Claude Code, Codex, Gemini CLI); no client can be restarted from outside",
        ),
        Setting(
            key="share.key",
            default="",
            about="where the key is that tells your own bundles from others': env:NAME or file:PATH; else one that is "
            "made in your home folder of Holdfast",
            place=True,
        ),
        Setting(
            key="share.encrypt_to",
            default="",
            about="age recipients that bundles and backups are encrypted for, separated by commas",
        ),
        Setting(
            key="share.identity",
            default="",
            about="where the age identity is that opens bundles: env:NAME or file:PATH",
            place=True,
        ),
        Setting(
            key="share.most_mb", default=20_000, about="how many MB a bundle may unpack to", least=1, most=10_000_000
        ),
        Setting(key="share.most_files", default=200_000, about="how many files a bundle may hold", least=1),
        Setting(key="share.most_file_mb", default=256, about="how many MB one file of a bundle may have", least=1),
        Setting(
            key="share.most_ratio",
            default=500,
            about="how many times its own size a bundle may unpack to",
            least=1,
        ),
        Setting(
            key="share.part_mb",
            default=16,
            about="how many MB a part of a bundle has in a store: what is sent again at most after a cut (64 at most)",
            least=1,
        ),
        Setting(
            key="database.url",
            default="",
            about="a team's PostgreSQL: postgresql://USER@HOST:PORT/NAME; its password in ~/.pgpass or PGPASSWORD",
        ),
        Setting(key="database.team", default="", about="the team whose memory the database holds for you"),
        Setting(key="database.project", default="", about="what this project is called there; else as its repository"),
        Setting(key="database.person", default="", about="who you are there; else as git knows you"),
        Setting(
            key="backup.store",
            default="",
            about="where backups go: a folder's whole path, s3://BUCKET/PATH, gs://…, az://… or postgresql://…",
            store=True,
        ),
        Setting(key="backup.keep", default=30, about="how many backups `backup prune` keeps; 0 keeps all"),
        Setting(
            key="backup.keep_days",
            default=0,
            about="backups older than this many days go with `backup prune`; 0: never",
        ),
        Setting(
            key="backup.max_mb", default=0, about="the oldest backups go beyond this size of all in MB; 0 is no limit"
        ),
        Setting(
            key="backup.max_age_days",
            default=7,
            about="how many days the last backup may be old before `status` and `doctor` warn; 0: never",
        ),
        Setting(key="editor", default="", about="the editor for `remember` and `edit`; else $VISUAL, $EDITOR, vi"),
    )
}


# What only says how much or how often: whoever may review may set it over the network. All others name a place, a key,
# a program, a model, or say what is accepted by itself: they need the right to run.
REVIEWED = frozenset({
    "search.limit", "search.reranker_seconds", "packs.budget_tokens", "packs.start_tokens",
    "packs.prompt_tokens", "packs.ask", "packs.ask_again", "packs.unconfirmed", "packs.holdout",
    "journal.keep_days", "journal.keep_mb", "journal.segment_mb", "curate.age", "curate.longest_tokens",
    "curate.candidate_weeks", "review.expire_days", "propose.per_session", "propose.per_hour",
    "model_seconds", "model_input_tokens", "model_session_tokens", "model_day_tokens",
    "model_session_cents", "model_day_cents", "render.types", "render.budget_tokens", "run.tokens", "run.cents",
    "run.seconds", "run.attempts", "share.part_mb", "backup.max_age_days",
})  # fmt: skip


def hide_password(value: Any) -> Any:
    """A setting's value as it may be shown: an address without its password."""
    if not isinstance(value, str) or "://" not in value:
        return value
    scheme, _, rest = value.partition("://")
    who, at, place = rest.rpartition("@")
    return f"{scheme}://{who.partition(':')[0]}:…@{place}" if at and ":" in who else value


class UnknownSetting(BadRequest):
    """A key that is in no table."""

    def __init__(self, key: str, where: str) -> None:
        super().__init__(f"There is no setting {key!r} ({where}).", "`holdfast config` lists every setting.")


class WrongValue(BadRequest):
    """A value that does not fit its setting."""

    def __init__(self, key: str, value: object, where: str) -> None:
        # What was put where a secret's place belongs may be the secret itself.
        given = "what was given" if SETTINGS[key].place else repr(hide_password(value))
        super().__init__(
            f"Setting {key!r} takes {_kind(SETTINGS[key])}, not {given} ({where}).",
            f"it says {SETTINGS[key].about}.",
        )


class Settings(Value):
    """The settings in force, where each came from, and what a repository tried to set and may not."""

    values: Mapping[str, Any]
    origins: Mapping[str, str]
    refused: tuple[str, ...] = ()

    def __getitem__(self, key: str) -> Any:
        return self.values.get(key, SETTINGS[key].default)


def load(home: str, workspace_folder: str, flags: Mapping[str, str], read: Read) -> Settings:
    """Defaults, the home file, the repository's harmless keys, the environment, flags: later ones win."""
    values: dict[str, Any] = {}
    origins: dict[str, str] = {}
    refused: list[str] = []

    def take(pairs: Mapping[str, Any], origin: str) -> None:
        for key, value in pairs.items():
            values[key] = parse_setting_value(key, value, origin)
            origins[key] = origin

    take(read(os.path.join(home, FILE)), os.path.join(home, FILE))
    if workspace_folder:
        path = os.path.join(workspace_folder, FILE)
        harmless, others = _filter_harmless(_repository_keys(path, read, refused), path)
        refused.extend(others)
        take(harmless, path)
    given, others = _drop_foreign(_from_environment(), os.path.dirname(workspace_folder))
    refused.extend(others)
    take(given, "environment")
    take(flags, "flag")
    return Settings(values=values, origins=origins, refused=tuple(refused))


def parse_setting_value(key: str, value: Any, where: str) -> Any:
    """The value in its setting's kind; text is read as that kind."""
    if key not in SETTINGS:
        raise UnknownSetting(key, where)
    read = _READERS.get(type(SETTINGS[key].default))
    found = read(value) if isinstance(value, str) and read else value
    if type(SETTINGS[key].default) is float and type(found) is int:
        found = float(found)
    if not _fits(key, found):
        raise WrongValue(key, value, where)
    return found


def _repository_keys(path: str, read: Read, refused: list[str]) -> Mapping[str, Any]:
    # A repository's broken file must not stop a command: it is somebody else's text.
    try:
        return read(path)
    except BadRequest as error:
        refused.append(f"{error} Nothing in it is used.")
        return {}


def _filter_harmless(pairs: Mapping[str, Any], path: str) -> tuple[dict[str, Any], list[str]]:
    kept: dict[str, Any] = {}
    refused: list[str] = []
    for key, value in pairs.items():
        if key not in SETTINGS or not SETTINGS[key].harmless:
            refused.append(
                f"Setting {key!r} in {path!r} is ignored: a repository may not set it. Set it in your own {FILE}."
            )
        elif not _fits(key, value):
            refused.append(f"Setting {key!r} in {path!r} is ignored: it takes {_kind(SETTINGS[key])}.")
        else:
            kept[key] = value
    return kept, refused


def _fits(key: str, value: Any) -> bool:
    setting = SETTINGS[key]
    if type(value) is not type(setting.default):
        return False
    if setting.choices and value not in setting.choices:
        return False
    if setting.place and value and not value.startswith(("env:", "file:")):
        return False
    if setting.store and value and not _is_store(value):
        return False
    return not isinstance(value, int | float) or isinstance(value, bool) or setting.least <= value <= setting.most


def _is_store(value: str) -> bool:
    """Whether it is the same place from every folder, and of a kind that is known."""
    folder = os.path.expanduser(value.removeprefix("file://"))
    return os.path.isabs(folder) or re.match(STORES, value) is not None


def _drop_foreign(given: dict[str, str], workspace: str) -> tuple[dict[str, str], list[str]]:
    """What the environment sets, without what a repository's own files set there and a repository may not."""
    kept, refused = dict(given), []
    for key in given:
        setting = SETTINGS[key]
        file = "" if setting.harmless else find_foreign_file(workspace, setting.variable)
        if file:
            del kept[key]
            refused.append(
                f"{file!r} in this repository sets {setting.variable}: ignored, a repository may not set it."
            )
    return kept, refused


def _from_environment() -> dict[str, str]:
    return {key: os.environ[setting.variable] for key, setting in SETTINGS.items() if os.environ.get(setting.variable)}


def _parse_whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else None


def _parse_truth(text: str) -> bool | None:
    return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}.get(text.lower())


def _parse_number(text: str) -> float | None:
    plain = text.replace(".", "", 1)
    return float(text) if plain.isascii() and plain.isdigit() else None


_READERS = {int: _parse_whole, bool: _parse_truth, float: _parse_number}


def _kind(setting: Setting) -> str:
    if setting.choices:
        return f"one of {', '.join(setting.choices)}"
    if setting.place:
        return "env:NAME or file:PATH"
    if setting.store:
        return "a store's address or a folder's whole path"
    if type(setting.default) is int:
        return f"a whole number from {setting.least} to {setting.most}"
    if type(setting.default) is float:
        return f"a number from {setting.least} to {setting.most}"
    return "true or false" if isinstance(setting.default, bool) else "a text"
