"""A candidate as it is made: its id, its words, its paths."""

import re
from hashlib import blake2b
from typing import Any

from holdfast.core.conversation import Turn
from holdfast.core.ids import encode
from holdfast.core.memory import CANDIDATE_PREFIX, Evidence, Memory, MemoryType, SaidBy, Status
from holdfast.core.word_lists import word_set
from holdfast.records.work_unit import one_line

LONGEST_TITLE = 90
LONGEST_QUOTE = 300
_CONTROLS = {number: " " for number in (*range(32), *range(127, 160)) if chr(number) not in "\n\t"}
_PATH = re.compile(r"(?<![\w:/@.-])(?:\.{0,2}/)?(?:[\w.@{}*-]+/)+[\w.@{}*-]*|(?<![\w/@:.-])[\w-]+\.(?:py|pyi|ts|tsx|"
                   r"js|jsx|mjs|go|rs|rb|"
                   r"java|kt|swift|c|cc|cpp|h|hpp|cs|php|sh|toml|yaml|yml|json|sql|md|css|html|proto|lock|cfg|ini|"
                   r"tf)\b")  # fmt: skip
_NO_PATHS = word_set(
    "and/or ci/cd i/o tcp/ip n/a he/she his/her s/he yes/no on/off read/write client/server input/output true/false "
    "24/7 r/w a/b km/h req/s w/o lint/format build/test und/oder et/ou y/o"
)
_SYSTEM = word_set(
    "hook hooks config configuration deploy deployment install installed installation permission permissions network "
    "proxy env "
    "environment variable docker container image sandbox tool tools shell path timeout plugin mcp server credentials "
    "token "
    "test tests pytest npm pnpm yarn uv pip poetry make build builds ci pipeline script lint linter ruff mypy "
    "command port url "
    "staging version python node browser browsers cache migration migrations seed database clone run runs "
    "umgebungsvariable"
)
_LEAD = re.compile(
    r"^(?:(?:no|nope|non|nein)[,.:;!–—]+\s*|(?:ok(?:ay)?|so|well|and|but|also|btw|by the way|fyi|hey|oh|yes|yeah|"
    r"right|great|thanks|thank you|please|careful|note|"
    r"important|ah|hm+|one (?:more )?thing(?: to know)?|two things|actually|wait|also|remember(?: that)?|keep in "
    r"mind(?: that)?|bear in "
    r"mind(?: that)?|ja|also|bitte|übrigens|gut|oui|alors|bon|sí|bueno|vale|por favor|s'il te plaît)(?:[,.:;!–—]+\s*|"
    r"\s+(?=[a-zäöüéàA-Z`])))+",
    re.IGNORECASE,
)  # fmt: skip

# Said before a statement besides; with a mark behind them, for "no ORM here" and "fine-grained" begin one.
_REPLY = re.compile(
    r"^(?:(?:no|nope|y|k|mmk|sorry|man|dude|fine|good|cool|sure|again|now|presumably|right)[,.;:!…]+\s+|"
    r"(?:yep|yup|then|otherwise|basically|presumably|in particular|plus|i (?:think|guess|suppose|believe)(?: that)?|"
    r"(?:the |my |our )?idea is that|we said(?: that)?|turns out(?: that)?|like i said)[,.;:!…]*\s+)+",
    re.IGNORECASE,
)
LONGEST_ANSWER = 45
_ASIDE = re.compile(r"\s*\([^()]*\)")
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+")
# Where a clause ends, and what stands before it still says what it said.
_CLAUSE_END = re.compile(
    r"\s*[;:](?=\s)|,(?= (?:and|but|so|since|because|then|which|it|we|you|the|to|when)\b)|\s[–—-]\s|"
    r" (?=(?:because|since|cause|so that|so we|so it|otherwise|which means|in order to)\b)|[.!?](?=\s)",
    re.IGNORECASE,
)
# What stands first and is only where or when; and what turns round what was said before it.
_FRONTED = re.compile(
    r"(?:in|at|on|for|when|whenever|if|since|because|as|after|before|while|once|just like|with|although|"
    r"though)\b[^,]*$",
    re.IGNORECASE,
)
_TURNS = re.compile(r"[\s,;:.–—-]*(?:but|unless|except|however|only|yet|though|although|not)\b", re.IGNORECASE)
_SAYS_WHAT = re.compile(
    r"\b(?:should|must|need(?:s)? to|have to|never|always|don't|do not|want|we'd|stick to|let's|use|keep|is the)\b",
    re.IGNORECASE,
)
_CONJUNCTION = re.compile(
    r"^[\s,;:.–—-]*(?:(?:and|but|so|then|which means|i guess|i think|that|since|because|cause|otherwise)\s+)*",
    re.IGNORECASE,
)
_LETS = re.compile(r"^(?:let's|lets|let us)(?: (?:just|also|still|please))* (?:(?P<not>not)\s+)?", re.IGNORECASE)


def build_candidate(kind: MemoryType, turn: Turn, quote: str, **fields: Any) -> Memory:
    """A candidate of a type, with the evidence it came from. More fields are the memory's own."""
    key = f"{turn.id}\n{kind}\n{quote}"
    more = tuple(Evidence(event=one.event, quote=strip_controls(one.quote)) for one in fields.pop("more", ()))
    given: dict[str, Any] = {"said_by": SaidBy.USER, "confidence": 0.7}
    given |= {name: _strip_nested(value) for name, value in fields.items()}
    return Memory(
        id=f"{CANDIDATE_PREFIX}-{_part(key)}",
        type=kind,
        status=Status.CANDIDATE,
        evidence=(Evidence(event=turn.id, quote=strip_controls(quote[:LONGEST_QUOTE])), *more),
        valid_from=turn.ts[:10],
        updated=turn.ts[:10],
        **given,
    )


def _strip_nested(value: Any) -> Any:
    if type(value) is str:
        return strip_controls(value)
    if isinstance(value, dict):
        return {name: _strip_nested(held) for name, held in value.items()}
    return tuple(map(_strip_nested, value)) if isinstance(value, tuple) else value


def strip_controls(words: str) -> str:
    """Words without control characters, that could steer a terminal; line ends stay."""
    return words.translate(_CONTROLS)


def make_title(words: str) -> str:
    """A sentence as a title: without its fillers, on one line, short, with a capital."""
    bare = cut_at_clause(strip_fillers(words), LONGEST_TITLE).rstrip(" .!,;:")
    keeps = (
        bare[:1] in "`/." or "/" in bare.split(" ")[0] or "_" in bare.split(" ")[0] or "." in bare.split(" ")[0][:-1]
    )
    return bare if keeps else bare[:1].upper() + bare[1:]


def answer_title(question: str, answer: str) -> str:
    """A question with what was answered, as short as it can be said without losing either."""
    room = LONGEST_TITLE - min(LONGEST_ANSWER, len(answer)) - 1
    flat = " ".join(_ASIDE.sub("", question).split())
    asked = next((part for part in reversed(_SENTENCE_END.split(flat)) if part.endswith("?")), flat)
    if len(asked) > room:
        asked = re.split(r"\s[–—-]\s", asked)[0].rstrip(" ?") + "?"
    return one_line(f"{cut_at_clause(asked, room)} {answer}", LONGEST_TITLE)


def cut_at_clause(words: str, limit: int) -> str:
    """Words on one line; of what is too long, the clause that says what is to be, or the first."""
    flat = " ".join(words.split())
    if len(flat) <= limit:
        return flat
    ends = [found.start() for found in _CLAUSE_END.finditer(flat)]
    fitting = [end for end in ends if limit // 3 < end <= limit]
    if not fitting:
        return one_line(flat, limit)
    head, tail = flat[: fitting[-1]], flat[fitting[-1] :]
    if _SAYS_WHAT.search(tail) and not _SAYS_WHAT.search(head):
        said = _CONJUNCTION.sub("", tail)
        return one_line(said, limit) if not _FRONTED.match(head) else one_line(flat, limit)
    return one_line(flat, limit) if _FRONTED.match(head) or _TURNS.match(tail) else head


def strip_fillers(words: str) -> str:
    """A sentence without "ok, so", "btw" and the like before it."""
    bare = words.strip()
    rest = _LEAD.sub("", bare)
    return rest if len(rest.split()) > 1 else bare


def strip_lead(words: str) -> str:
    """A sentence as a statement: without "yeah, so" before it, and "let's" as an order."""
    bare, rest = "", words.strip()
    while bare != rest:
        bare, rest = rest, _REPLY.sub("", strip_fillers(rest)) or rest
    lets = _LETS.match(rest)
    if lets is None:
        return rest
    return f"{'do not ' if lets['not'] else ''}{rest[lets.end() :]}"


def find_paths(words: str) -> tuple[str, ...]:
    """The paths that words name, as globs: a folder covers all below it."""
    found = (
        match[0].strip("`.,;") if not match[0].startswith(".") else match[0].rstrip("`.,;")
        for match in _PATH.finditer(words)
    )
    return tuple(dict.fromkeys(path_to_glob(path) for path in found if _is_path(path)))[:10]


def path_to_glob(path: str) -> str:
    """A path as the glob of a memory."""
    bare = path.removeprefix("./")
    last = bare.rstrip("/").rpartition("/")[2]
    if "*" in bare or ("." in last.lstrip(".") and not bare.endswith("/")):
        return bare
    return f"{bare.rstrip('/')}/**" if "/" in bare else bare


def learning_category(words: str) -> str:
    """Whether a learning is about tools and set-up (`system`) or about how the work is done (`algorithm`)."""
    flat = "".join(char if char.isalnum() else " " for char in words.lower())
    return "system" if word_set(flat) & _SYSTEM else "algorithm"


def _is_path(path: str) -> bool:
    if path.lower() in _NO_PATHS or "://" in path or path.startswith(("/", "~", "..")) or ".." in path:
        return False
    parts = [part for part in path.split("/") if part]
    return bool(parts) and all(len(part) > 1 for part in parts) and not all(part.isdigit() for part in parts)


def _part(key: str) -> str:
    return encode(
        int.from_bytes(blake2b(key.encode("utf-8", "replace"), digest_size=4).digest(), "big") & 0x3FFFFFFF, 6
    )
