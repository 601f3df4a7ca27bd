"""What kind of thing a name is: file, symbol, package, person, tag or entity. Rules, no model; precise before complete.

Whatever no rule claims is an entity. A rule looks at the text around a name, which the compared form no longer has; so
the kind is found where the text is read, by the function that finds the name.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from holdfast.core.memory import CANDIDATE_PREFIX, PREFIXES

FILE, SYMBOL, PACKAGE, PERSON, TAG, ENTITY = "file", "symbol", "package", "person", "tag", "entity"


class LazyPattern:
    """A pattern that is compiled when it is first asked for: most commands find the index up to date, and name nothing.

    `needs`: it is looked for only where one of these stands in the text, which is seen much faster.
    """

    def __init__(self, pattern: str, flags: int = 0, *, needs: tuple[str, ...] = ("",)) -> None:
        self._pattern, self._flags, self._needs = pattern, flags, needs

    def all(self, text: str) -> Iterable[re.Match[str]]:
        """Every match in a text."""
        return self.made.finditer(text) if any(each in text for each in self._needs) else ()

    @cached_property
    def made(self) -> re.Pattern[str]:
        """The pattern itself."""
        return re.compile(self._pattern, self._flags)


# Where one name is two things in one text, the first of these.
KINDS = (FILE, PACKAGE, SYMBOL, PERSON, TAG, ENTITY)

# A kind that mentions claim outweighs so many mentions that claim none: `entity` only says that nothing is known.
CLAIMS = 10

_EXTENSIONS = (
    "bash bat c cc cfg cjs clj cmake conf cpp cs css csv cts cu dart db diff env erl ex exs gif go gradle graphql h "
    "hcl hpp hs htm html ini ipynb java jpg js json jsonc jsonl jsx jl kt kts less lock log lua m map md mdx mjs ml "
    "mts nix patch pdf php pl plist png proto ps1 py pyi pyx r rb rs rst sass scala scss sh sql sqlite sum svelte svg "
    "swift tf tfvars toml ts tsv tsx txt vue wasm xml yaml yml zig zip zsh"
)
EXTENSIONS = frozenset(_EXTENSIONS.split())
_WHOLE_NAMES = "dockerfile makefile rakefile gemfile procfile vagrantfile jenkinsfile justfile codeowners"
FILE_NAMES = frozenset(_WHOLE_NAMES.split())
_FOLDERS = (
    "api app apps assets backend bin build client cmd components config core dist doc docs etc examples frontend "
    "home include internal lib libs opt packages pkg public scripts server services src static test tests tmp tools "
    "usr var vendor web workflows"
)
FOLDERS = frozenset(_FOLDERS.split())
_TOP_DOMAINS = "app ai com de dev edu eu gov io net org uk"
_SITES = frozenset(_TOP_DOMAINS.split())
# Written with capitals inside, and no symbol.
_PRODUCTS = (
    "airbnb bitbucket bytedance chatgpt clickhouse cloudflare cloudfront cloudwatch coffeescript couchdb datadog "
    "deepmind devops dropbox duckdb dynamodb facebook fastapi freebsd github gitlab gitops graphql grpc hashicorp "
    "haproxy hubspot icloud influxdb intellij ios ipad iphone javascript jetbrains junit kubernetes latex leetcode "
    "linkedin livekit macbook macos mariadb mcdonald memcached microsoft mongodb mysql neo4j netbsd nextjs nodejs "
    "nosql numpy oauth openai openbsd opencv openssl openstack paypal pgbouncer planetscale playwright postgresql "
    "powerpoint powershell prestodb pubsub pycharm pytorch rabbitmq readme restapi scikit scylladb sharepoint "
    "singlestore soundcloud spacex sqlalchemy sqlite stackoverflow statefulset superset tensorflow tiktok typescript "
    "ubuntu usb virtualbox vscode webassembly webgl webrtc webstorm whatsapp wifi wikipedia wordpress yaml youtube"
)
PRODUCTS = frozenset(_PRODUCTS.split())
_INSTALLERS = (
    r"(?:pip3?|pipx|uv(?: pip| tool)?|poetry|pdm|conda|mamba|npm|pnpm|yarn|bun|cargo|gem|brew|apt|apt-get|composer|"
    r"go|deno|hex|mix)"
)
_INSTALLED = LazyPattern(
    rf"\b{_INSTALLERS}\s+(?:install|add|i|get|require)\s+((?:-{{1,2}}[\w-]+(?:=\S+)?\s+)*)([^\n`;|&#()]{{1,200}})",
    needs=("install ", " add ", " get ", " require ", " i "),
)
_PACKAGE = LazyPattern(
    r"""["']?(@[\w.-]+/[\w.-]+|[A-Za-z][\w.-]*[A-Za-z0-9]|[A-Za-z])(?:\[[\w,-]*\])?(?:(?:[=<>~!^]=?=?|@)\S*)?["']?(?=[\s,.:!?]|$)"""
)
_PINNED = LazyPattern(
    r"(?<![\w/@.-])(@[\w-]+/[\w.-]+|[A-Za-z][\w-]*(?:\.[a-z][\w-]*)*)(?:\[[\w,-]*\])?(?:==|~=|>=|@[\^~]?(?=\d+\.))\d+(?:\.[\w*]+)*",
    needs=("==", "~=", ">=", "@"),
)
_SCOPED = LazyPattern(r"(?<![\w.@/])@[a-z0-9][\w.-]*/[a-z0-9][\w.-]*", needs=("@",))
_IMPORTS = (
    LazyPattern(r"\bfrom\s+([A-Za-z_]\w*)(?:\.\w+)*\s+import\s+[\w*(]", needs=("import",)),
    LazyPattern(
        r"^[ \t>`]*import\s+([A-Za-z_]\w*)(?:\.\w+)*(?:\s+as\s+\w+)?[ \t`;]*$", re.MULTILINE, needs=("import",)
    ),
    LazyPattern(
        r"""\b(?:from|require\(|import\()\s*["']((?:@[\w-]+/)?[A-Za-z][\w.-]*)["'/]""",
        needs=("from", "require(", "import("),
    ),
    LazyPattern(
        r"\b(?:library|package|crate|gem|dependency|paket|bibliothek)\s+`([@A-Za-z][\w./-]*)`",
        re.IGNORECASE,
        needs=("`",),
    ),
    LazyPattern(r"`([@A-Za-z][\w./-]*)`\s+(?:library|package|crate|gem|dependency)\b", re.IGNORECASE, needs=("`",)),
)
_AROUND_PACKAGES = (
    "a an and as at by first for from globally here in into is it its locally new now of on or our the then this to "
    "via was with everything dependencies deps packages"
)
_NO_PACKAGE = frozenset(_AROUND_PACKAGES.split())

_FIRST = r"[A-Z][a-zà-ÿ]+(?:-[A-Z][a-zà-ÿ]+)?"
_SAYS = (
    r"(?:said|says|asked|asks|told|replied|suggested|suggests|agreed|agrees|disagreed|insisted|argued|complained|"
    r"promised|thinks|thought|believes|sagte|sagt|meinte|meint|fragte)"
)
_PEOPLE = (
    LazyPattern(rf"\b({_FIRST}(?: {_FIRST})?)\s+{_SAYS}\b"),
    LazyPattern(rf"\b(?:[Aa]ccording to|[Ll]aut) ({_FIRST}(?: {_FIRST})?)\b", needs=("ccording to ", "aut ")),
    LazyPattern(rf"\b({_FIRST}(?: (?:[A-Z]\.|{_FIRST})){{1,3}}) <[\w.+-]+@[\w.-]+>", needs=("@",)),
    LazyPattern(
        rf"^[ \t]*(?:Author|Reviewed-by|Signed-off-by|Co-Authored-By):[ \t]*({_FIRST}(?: {_FIRST})*)",
        re.MULTILINE | re.IGNORECASE,
    ),
)
_INSIDE_A_NAME = LazyPattern(r"(?:\b[A-Z]\S*|\b(?:of|the|The|von|der|die|das))\s$")
_HANDLE = LazyPattern(r"(?<![\w.@/`])@([A-Za-z][\w-]{1,38})(?![\w./(@-])", needs=("@",))
_DECORATING = (
    "abstractmethod after all app async autowired bean before beforeeach cache cached channel classmethod click "
    "component config contextmanager controller dataclass deprecated define everyone final fixture here import "
    "include inject input internal latest layer main media mixin mock next nonnull nullable output overload override "
    "param parametrize patch property pytest public return returns see service since staticmethod tailwind tag test "
    "theme throws todo types use value version wraps"
)
_DECORATORS = frozenset(_DECORATING.split())
_SPEAKERS_OF_NO_NAME = (
    "a all an and another anybody anyone april august but december everybody everyone february friday he however i if "
    "it january july june march may monday nobody no november october one saturday september she some somebody "
    "someone sunday that the then there they this thursday tuesday we wednesday what which who you "
    "er sie es wir niemand jemand"
)
_NO_PERSON = frozenset(_SPEAKERS_OF_NO_NAME.split())
_SNAKE = LazyPattern(r"_*[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+_*|__?[a-z]\w+")
_CAMEL = LazyPattern(r"[a-z]+[0-9]*(?:[A-Z][a-z0-9]*)+|(?:[A-Z][a-z0-9]+){2,}|[A-Z]{2,}[a-z]+(?:[A-Z][a-z0-9]+)+")
_DOTTED = LazyPattern(r"(?<![\w./@:-])[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+(?:\(\))?(?![\w/@-])")
_CALL = LazyPattern(r"(?<![\w.])[A-Za-z_][\w.]*\w\(\)", needs=("()",))
_LOOSE_FILE = LazyPattern(
    rf"(?<![\w/@.:`-])[\w-]+(?:\.[\w-]+)*\.(?:{'|'.join(sorted(EXTENSIONS, key=len)[::-1])})(?![\w/@-])"
)
_MEMORY_ID = LazyPattern(rf"\b(?:{'|'.join((*PREFIXES.values(), CANDIDATE_PREFIX))})-[0-9A-Z]{{6}}\b")
_IDENTIFIER = LazyPattern(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*)*(?:\(.*\))?")


def is_file(written: str) -> bool:
    """Whether a text without spaces reads as a path of a file or folder."""
    head, _, last = written.strip("`'\"").rpartition("/")
    stem, dot, extension = last.rpartition(".")
    if last.lower() in FILE_NAMES or (dot and stem and extension.lower() in EXTENSIONS):
        return "://" not in written
    if not head and not written.startswith("/"):
        return last.startswith(".") and last[1:].replace("-", "").isalpha() and len(last) > 3
    folders = head.lower().split("/")
    return "://" not in written and (written[0] in "./~" or not FOLDERS.isdisjoint(folders[:2]))


def is_symbol(written: str) -> bool:
    """Whether a word is spelled as code spells: snake_case, camelCase, a.dotted_name, call()."""
    word = written.removesuffix("()")
    if word != written:
        return True
    if "." in word:
        return _is_dotted_symbol(word)
    if word.lower() in PRODUCTS:
        return False
    return bool(_SNAKE.made.fullmatch(word) or _CAMEL.made.fullmatch(word))


def quoted_kind(written: str) -> str:
    """What a text in backticks is."""
    if " " not in written and is_file(written):
        return FILE
    if written.lower() in PRODUCTS or not _IDENTIFIER.made.fullmatch(written):
        return ENTITY
    return SYMBOL


def word_kind(written: str) -> str:
    """What a word, or words with capitals, are by their spelling alone."""
    if " " in written:
        return ENTITY
    if is_file(written):
        return FILE
    return SYMBOL if is_symbol(written) else ENTITY


def find_claims(text: str) -> Iterator[tuple[str, str]]:
    """What rules that look around a word claim, as written, with its kind."""
    yield from ((name, PACKAGE) for name in _packages(text))
    yield from ((name, PERSON) for name in _people(text))
    yield from ((found, ENTITY) for found in _whole_matches(_MEMORY_ID, text))
    yield from ((found, SYMBOL) for found in _whole_matches(_CALL, text))
    yield from ((found, SYMBOL) for found in _whole_matches(_DOTTED, text) if is_symbol(found))
    yield from ((found, FILE) for found in _whole_matches(_LOOSE_FILE, text) if is_file(found))


def strongest_kind(kinds: Iterable[str]) -> str:
    """Of the kinds that one text gives a name, the first of `KINDS`."""
    return min(kinds, key=KINDS.index, default=ENTITY)


def _whole_matches(rule: LazyPattern, text: str) -> Iterator[str]:
    return (found[0] for found in rule.all(text))


def _packages(text: str) -> Iterator[str]:
    for installed in _INSTALLED.all(text):
        for word in installed[2].split():
            found = _PACKAGE.made.match(word)
            if word.startswith("-"):
                continue
            if found is None or found[1].lower() in _NO_PACKAGE or "/" in word.removeprefix(found[1]):
                break
            yield found[1]
            if word[-1] in ".,:!?":
                break
    for pattern in (_PINNED, _SCOPED, *_IMPORTS):
        for found in pattern.all(text):
            name = found[found.lastindex or 0]
            if name.lower() not in _NO_PACKAGE and not is_file(name):
                yield name


def _people(text: str) -> Iterator[str]:
    for pattern in _PEOPLE:
        for found in pattern.all(text):
            first = found[1].split()[0].lower()
            # `England said` is a person, `the Bank of England said` is not.
            inside = _INSIDE_A_NAME.made.search(text[max(0, found.start(1) - 24) : found.start(1)])
            if first not in _NO_PERSON and first not in PRODUCTS and not inside:
                yield found[1]
    for found in _HANDLE.all(text):
        alone = text[text.rfind("\n", 0, found.start()) + 1 : found.start()].strip() == ""
        decorates = alone and text[found.end() : found.end() + 1] in {"\n", ""} and "\n" in text
        if found[1].lower() not in _DECORATORS and not decorates:
            yield found[1]


def _is_dotted_symbol(word: str) -> bool:
    parts = word.split(".")
    if parts[-1].lower() in _SITES or parts[-1].lower() in EXTENSIONS or min(map(len, parts)) < 2:
        return False
    spelled = any(_SNAKE.made.fullmatch(part) or _CAMEL.made.fullmatch(part) for part in parts)
    return all(part.isidentifier() for part in parts) and (spelled or len(parts) > 2)
