"""A memory in plain words → the `enforce` that checks it, with examples of what that would catch; or nothing.

What cannot be read for certain is not guessed at: it is told to agents, and not checked.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from holdfast.check.read_loosely import read_loosely
from holdfast.check.read_rule import (
    PlainRule,
    complete_rule,
    find_exceptions,
    read_sentence,
    split_sentences_of_rule,
)
from holdfast.check.rule_places import globs_of, is_path, outside_of
from holdfast.core.memory import Memory, MemoryType
from holdfast.core.value import Value
from holdfast.core.word_lists import word_set

COMPILED = (MemoryType.DECISION, MemoryType.INVARIANT, MemoryType.PATTERN)
MOST_EXAMPLES = 4
LONGEST_BODY = 1200
_CONCEPT_KEYS = {
    "calls": "forbid_call", "imports": "forbid_import", "dependencies": "forbid_dependency", "code": "forbid_code",
    "pattern": "forbid_pattern",
}  # fmt: skip
_LISTS = (*_CONCEPT_KEYS.values(), "forbid_path", "forbid_change", "require_path", "require_pattern", "require_change")
_CALL = re.compile(r"^(?:\.?[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)*!?)(?:\(\s*(?:\.{3}|…)?\s*\))?$")
_PACKAGE = re.compile(r"^@?[A-Za-z][\w.@/-]*$")
_DEPENDENCY = re.compile(
    r"^(?:(?P<sort>runtime|production|prod)\s+)?(?:(?:third[- ]party|external|python|npm|go|rust|pip|node|heavy|"
    r"direct)\s+)*"
    r"(?:dependency|dependencies|package|packages|library|libraries|crates?|gems?|requirements?)$",
    re.IGNORECASE,
)
_MADE = word_set("commit put place create check add ship")
_CHANGED = word_set("edit modify change alter touch delete remove")
_TAKEN = word_set("use import depend require install add introduce pull bring rely adopt know allow permit talk speak")
_CALLED = word_set("call invoke use run execute construct instantiate allow permit make do spawn write have leave")
# With these the thing is what is logged, returned or raised: no call of that name is meant.
_OTHERWISE = word_set("log return raise throw store catch swallow mock print know merge skip export disable build ship")


class CompiledRule(Value):
    """What checks a memory. `enforce`: as its frontmatter would hold it; `examples`: what would be caught."""

    enforce: Mapping[str, Any]
    examples: tuple[str, ...]


def compile_memory(memory: Memory) -> CompiledRule | None:
    """What checks a memory that has no `enforce` of its own; None where its words say nothing that can be checked."""
    if memory.type not in COMPILED or memory.enforce:
        return None
    return compile_text(memory.title) or compile_text(_body_of(memory))


def compile_text(text: str) -> CompiledRule | None:
    """What checks the words of a rule: the first sentence that can be, and others that hold at the same places."""
    made = _find_idiom(text)
    for sentence in split_sentences_of_rule(text) if made is None else ():
        found = _compile_sentence(sentence, text)
        if found is None:
            continue
        if made is None:
            made = found
        elif _same_places(made, found):
            made = _join(made, found)
    made = made or _compile_names(text)
    return _spare_allowed(made, text) if made else None


def _compile_sentence(sentence: str, text: str) -> CompiledRule | None:
    """What checks one sentence: by its form; where no form fits, by what it names."""
    apart = tuple(find_exceptions(text))
    made: CompiledRule | None = None
    for ways in read_sentence(sentence, apart):
        found = next((one for rule in ways if (one := _compile(rule)) is not None), None)
        if found is not None and made is None:
            made = found
        elif found is not None and made is not None and _same_places(made, found):
            made = _join(made, found)
    return made


def _same_places(one: CompiledRule, other: CompiledRule) -> bool:
    return all(one.enforce.get(key) == other.enforce.get(key) for key in ("paths", "except"))


def _compile_names(text: str) -> CompiledRule | None:
    """What checks the words of a rule by what they name."""
    apart = tuple(find_exceptions(text))
    for rule in read_loosely(text, _loose_phrases(), _COMMON):
        found = _compile(complete_rule(rule, text, apart))
        if found is not None:
            return found
    return None


def _find_idiom(text: str) -> CompiledRule | None:
    """A rule that is known whole: "actions are pinned by their commit"."""
    for idiom in _read_table()["idioms"]:
        if re.search(idiom["match"], text, re.IGNORECASE):
            ending, example = idiom["example"]
            return CompiledRule(enforce=dict(idiom["enforce"]), examples=(f"{example}  ({ending})",))
    return None


def _spare_allowed(made: CompiledRule, text: str) -> CompiledRule:
    """A module that is forbidden, where the words allow something below it (`log`, but not `log/slog`), is meant"""
    """alone."""
    modules = made.enforce.get("forbid_import")
    if not isinstance(modules, list):
        return made
    spared = [f"{each}$" if re.search(rf"(?<![\w/.]){re.escape(each)}[./]\w", text) else each for each in modules]
    return CompiledRule(enforce={**made.enforce, "forbid_import": spared}, examples=made.examples)


def _body_of(memory: Memory) -> str:
    prose = re.sub(r"^(?:Decision|Invariant|Pattern|Rule):\s*", "", memory.body.strip())
    return prose.partition("\nRationale:")[0][:LONGEST_BODY]


def _compile(rule: PlainRule) -> CompiledRule | None:
    places = _places_of(rule)
    if places is None:
        return None
    made = _compile_required(rule) if rule.requires else _compile_denied(rule)
    if made is None:
        return None
    return CompiledRule(enforce={**made.enforce, **places}, examples=made.examples[:MOST_EXAMPLES])


def _places_of(rule: PlainRule) -> dict[str, list[str]] | None:
    """`paths` and `except`; None where a place is named that no path can be told of."""
    inside, outside = list(rule.within), list(rule.outside)
    apart = outside_of(rule.subject)
    if apart:
        outside.append(apart)
    elif rule.subject and rule.subject.lower() not in _WHO and not rule.instead:
        inside.append(rule.subject)
    found: dict[str, list[str]] = {}
    if rule.verb in _MADE | _CHANGED and rule.within and not rule.requires and not any(map(is_path, rule.things)):
        inside = [each for each in inside if each not in rule.within]
    for key, named in (("paths", inside), ("except", outside)):
        for each in named:
            globs = globs_of(each)
            if globs is None:
                return None
            found.setdefault("except" if globs.without else key, []).extend(globs.globs)
    return {key: list(dict.fromkeys(globs)) for key, globs in found.items() if globs}


_WHO = word_set("we you i agents agent it they one nobody everyone the code our please always developers anyone")


def _compile_required(rule: PlainRule) -> CompiledRule | None:
    thing = rule.things[0]
    match rule.verb:
        case "keep":
            return CompiledRule(enforce={"require_path": [thing]}, examples=(f"{thing} is deleted",))
        case "contain":
            example = f"a new file without `{thing}`"
            return CompiledRule(enforce={"require_pattern": [re.escape(thing)]}, examples=(example,))
        case _:
            globs = globs_of(thing)
            if globs is None or not is_path(thing):
                return None
            key = "require_with_new" if rule.verb == "add" else "require_change"
            example = f"a {'new file' if rule.verb == 'add' else 'change'} there without one of {thing}"
            return CompiledRule(enforce={key: list(globs.globs)}, examples=(example,))


def _compile_denied(rule: PlainRule) -> CompiledRule | None:
    """All things of a rule, or none: half a rule that is checked looks like a whole one."""
    made: CompiledRule | None = None
    for thing in rule.things:
        one = _compile_thing(rule, thing)
        if one is None:
            return None
        made = one if made is None else _join(made, one)
    return made


def _compile_thing(rule: PlainRule, thing: str) -> CompiledRule | None:
    for form in (_dependency, _concept, _path, _module, _call, _package, _literal):
        made = form(rule, thing)
        if made is not None:
            return made
    return None


def _dependency(_: PlainRule, thing: str) -> CompiledRule | None:
    found = _DEPENDENCY.match(thing)
    if not found:
        return None
    key = "approve_new_runtime_dependency" if found["sort"] else "approve_new_dependency"
    return CompiledRule(enforce={key: True}, examples=("any package that is new in a manifest",))


def _concept(rule: PlainRule, thing: str) -> CompiledRule | None:
    said = _plain(thing)
    wanted = [f"{rule.verb} {said}"] if rule.verb in _OTHERWISE and said != rule.verb else [said, f"{rule.verb} {said}"]
    name = next((found for each in wanted for form in _forms(each) if (found := _concept_names().get(form))), "")
    data = _read_concepts().get(name, {})
    if not data or (is_path(thing) and "/" in thing) or (data.get("alone") and rule.instead):
        return None
    enforce = {key: list(data[field]) for field, key in _CONCEPT_KEYS.items() if field in data}
    ending, example = data["example"]
    return CompiledRule(enforce=enforce, examples=(f"{example}  ({ending})",))


def _path(rule: PlainRule, thing: str) -> CompiledRule | None:
    """A file that must not be made or changed."""
    if rule.verb not in _MADE | _CHANGED:
        return None
    named = is_path(thing) or (not rule.within and globs_of(thing, files_only=True))
    places = [thing] if named else list(rule.within)
    globs = [glob for place in places if (found := globs_of(place)) for glob in found.globs]
    if not globs or (not is_path(thing) and rule.verb in _MADE and not _FILES.match(thing)):
        return None
    key = "forbid_change" if rule.verb in _CHANGED else "forbid_path"
    return CompiledRule(
        enforce={key: globs}, examples=(f"{'a change of' if key == 'forbid_change' else 'a new'} {globs[0]}",)
    )


_FILES = re.compile(r"^(?:\S+\s+)?(?:files?|anything|things?|code|modules?)$|^\*?\.\w+(?:\s+files?)?$", re.IGNORECASE)


def _module(rule: PlainRule, thing: str) -> CompiledRule | None:
    """A module or layer that is not to be imported."""
    if rule.verb not in _REACHES:
        return None
    name = thing.strip("`")
    last = re.sub(r"ies$", "y", name.lower().rpartition(" ")[2]).removesuffix("s")
    layered = re.fullmatch(r"([\w-]+)\s+(?:layer|module|package|code|folder)s?", name, re.IGNORECASE)
    if is_path(name) and "/" in name and not name.startswith("@"):
        parts = [part for part in name.strip("/").split("/") if part not in {"src", "lib", "**", "*", "."}]
        if not parts:
            return None
        modules = [".".join(parts), f"*.{'.'.join(parts)}", f"*/{'/'.join(parts)}"]
    elif layered or last in _LAYERS or _may_be_layer(rule, name):
        word = last if last in _LAYERS and not layered else (layered[1] if layered else name).lower()
        modules = [
            each for form in dict.fromkeys((word, word.rstrip("s"), f"{word}s")) for each in (f"*.{form}", f"*/{form}")
        ]
    elif rule.verb in {"import", "depend"} and re.fullmatch(r"[\w.]+", name) and "." in name:
        modules = [name]
    else:
        return None
    return CompiledRule(enforce={"forbid_import": modules}, examples=(f"import {modules[0].removeprefix('*.')}",))


_REACHES = word_set("import depend know pull rely talk speak reach access use touch call")
_LAYERS = word_set(
    "repository controller service handler model view store infrastructure domain ui persistence presentation adapter "
    "gateway route "
    "router middleware entity usecase page screen widget"
)


def _may_be_layer(rule: PlainRule, name: str) -> bool:
    return rule.verb in {"import", "depend", "know"} and bool(rule.within or rule.subject) and name.isalpha()


def _call(rule: PlainRule, thing: str) -> CompiledRule | None:
    """A function that is not to be called."""
    name = thing.strip("`")
    if (
        rule.verb not in _CALLED | {"read", "touch", "access", "commit"}
        or not _CALL.match(name)
        or _PLAIN_NAME.search(name)
    ):
        return None
    coded = (
        ("`" in thing and rule.verb == "commit")
        or "(" in name
        or "." in name
        or "::" in name
        or re.search(r"_|[a-z][A-Z]", name)
    )
    if not (coded or rule.verb in {"call", "invoke"}):
        return None
    empty = name.endswith("()") and rule.verb not in {"call", "invoke"} and "." in name and "now" in name
    bare = re.sub(r"\(.*\)$", "", name).replace("::", ".").replace("->", ".")
    if "." not in bare.lstrip(".") and re.search(r"_|[a-z][A-Z]", bare):
        # A method of anything, too.
        return CompiledRule(enforce={"forbid_call": [bare, f".{bare}"]}, examples=(f"{bare}(…)",))
    if "(" not in name and "." in name:
        enforce = {"forbid_call": [bare], "forbid_code": [rf"(?<!\w){re.escape(bare)}\b"]}
        return CompiledRule(enforce=enforce, examples=(f"{bare}",))
    return CompiledRule(
        enforce={"forbid_call": [f"{bare}()" if empty else bare]}, examples=(f"{bare}({'' if empty else '…'})",)
    )


_PLAIN_NAME = re.compile(r"\.(?:js|ts|py|io|md|json|toml|ya?ml|sql|css|html|go|rs|net)$")


def _package(rule: PlainRule, thing: str) -> CompiledRule | None:
    """A package by its name: written as code, with a sort of thing behind it, or turned down for another."""
    if rule.verb not in _TAKEN:
        return None
    said = re.match(
        r"^`?(?P<name>[\w.@/-]+)`?(?P<sort>\s+(?:library|package|framework|module|client|sdk|crate|gem|orm|"
        r"dependency))?$",
        thing,
        re.IGNORECASE,
    )
    if not said or not _PACKAGE.match(said["name"]) or said["name"].lower() in _NO_PACKAGES:
        return None
    name, low = said["name"], said["name"].lower()
    named = (
        "`" in thing
        or said["sort"]
        or (rule.instead and " " not in rule.instead and low not in _concept_names())
        or re.search(r"[A-Z\d@./-]", name)
        or rule.verb in {"import", "install", "add"}
    )
    if not (named or low in _known_packages()):
        return None
    modules = list(dict.fromkeys([name, low, low.replace("-", "_"), low.removesuffix(".js")]))
    return CompiledRule(
        enforce={"forbid_dependency": list(dict.fromkeys([low, low.removesuffix(".js")])), "forbid_import": modules},
        examples=(f"import {modules[0]}", f"{low} in a manifest"),
    )  # fmt: skip


_NO_PACKAGES = word_set(
    "inheritance magic globals state cleverness abstraction it them this that these those anything something "
    "everything one "
    "others nothing comments code names strings numbers exceptions errors english german ui db api sql http json yaml "
    "spaces tabs dates times threads locks types values objects classes functions methods services tests files"
)


def _literal(rule: PlainRule, thing: str) -> CompiledRule | None:
    """Words of code that must not stand in it."""
    found = re.fullmatch(r"`([^`]{2,120})`(?:\s+\w+)?", thing)
    if not found or rule.verb in _OTHERWISE - {"export", "skip", "disable"}:
        return None
    text = found[1]
    start = r"\b" if text[0].isalnum() else ""
    end = r"\b" if text[-1].isalnum() else ""
    return CompiledRule(enforce={"forbid_code": [f"{start}{re.escape(text)}{end}"]}, examples=(text,))


def _join(one: CompiledRule, other: CompiledRule) -> CompiledRule:
    enforce: dict[str, Any] = dict(one.enforce)
    for key, value in other.enforce.items():
        held = enforce.get(key)
        enforce[key] = (
            list(dict.fromkeys([*held, *value])) if isinstance(held, list) and isinstance(value, list) else value
        )
    return CompiledRule(
        enforce=enforce, examples=tuple(dict.fromkeys([*one.examples, *other.examples]))[:MOST_EXAMPLES]
    )


def _plain(thing: str) -> str:
    said = re.sub(r"[`\"']", "", thing.lower()).strip()
    return (
        re.sub(r"^(?:direct|raw|any|real|actual|the|live|unit|our)\s+(?=\w)", "", said)
        if not said.startswith("raw ")
        else said
    )


_MOST_WORDS = 5


def _forms(said: str) -> Iterator[str]:
    """The forms in which a concept may be named: its last words or first ones alone too, in the singular."""
    words = said.split()
    if len(words) > _MOST_WORDS:
        return
    parts = [" ".join(words[start:]) for start in range(len(words))]
    shorter = _SORTS.sub("", said)
    for part in dict.fromkeys([*parts, shorter, *(_SORTS.sub("", part) for part in parts)]):
        yield part
        yield from (
            part.removesuffix("()"),
            part.removesuffix("s"),
            re.sub(r"ies$", "y", part),
            re.sub(r"ses$", "s", part),
        )


_SORTS = re.compile(
    r"\s+(?:calls?|statements?|functions?|methods?|api|usage|directly|expressions?|library|module|blocks?|"
    r"connections?|in code|queries|"
    r"requests?|access|code|comments?|keyword|operators?|types?|traffic|clients?)$"
)


@cache
def _read_concepts() -> dict[str, dict[str, Any]]:
    return {name: data for name, data in _read_table().items() if name != "idioms"}


@cache
def _read_table() -> dict[str, Any]:
    text = files("holdfast.check").joinpath("rule_concepts.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _concept_names() -> dict[str, str]:
    return {word: name for name, data in _read_concepts().items() for word in str(data["words"]).split("|")}


@cache
def _loose_phrases() -> tuple[str, ...]:
    """Phrases that mean the same wherever they stand."""
    return tuple(word for word, name in _concept_names().items() if not _read_concepts()[name].get("alone"))


@cache
def _known_packages() -> frozenset[str]:
    """Packages that people name without any mark."""
    named = (
        item.lower()
        for data in _read_concepts().values()
        for key in ("imports", "dependencies")
        for item in data.get(key, ())
    )
    return frozenset(named) | _COMMON


_COMMON = word_set(
    "redis celery flask django fastapi tornado pandas numpy scipy tenacity stamina backoff moment lodash underscore "
    "express koa fastify react vue angular svelte axios jest mocha vitest webpack vite rollup eslint prettier black "
    "ruff isort flake8 pylint mypy pyright poetry pipenv pdm uv tox nox sphinx mkdocs click typer argparse docopt "
    "attrs pydantic marshmallow dataclasses boto3 kafka rabbitmq memcached mongodb mongo mysql postgres postgresql "
    "sqlite dynamodb elasticsearch graphql grpc protobuf pytz arrow pendulum dateutil loguru structlog rich textual "
    "curses urwid bootstrap tailwind sass less styled-components redux mobx zustand rxjs ramda immutable chalk "
    "commander yargs dotenv nodemon pm2 passport jsonwebtoken bcrypt uuid nanoid tokio serde anyhow thiserror clap "
    "logrus zap zerolog cobra viper gin echo fiber testify guava lombok jackson gson spring hibernate junit log4j "
    "rails "
    "sinatra sidekiq nokogiri rspec devise puma laravel symfony guzzle carbon six simplejson ujson orjson toml tomli "
    "pyyaml jinja2 mako beautifulsoup4 bs4 lxml selenium playwright puppeteer cypress supabase firebase prisma"
)
