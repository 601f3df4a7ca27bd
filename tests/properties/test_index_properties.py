"""Same files, same answers: an index updated in any number of steps equals one built from nothing."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.budget import examples
from tests.index_values import SILENT, LineVault

from holdfast.core.index_store import IndexStore
from holdfast.core.search import Scored, Select, WordQuery
from holdfast.index.build_index import IndexedVault, sync_index
from holdfast.index.sqlite.sqlite_index import SqliteIndex
from holdfast.index.terms import LONGEST_TERM, query_terms, split_terms

WORDS = ["pool", "timeout", "getUserById", "api", "東京都", "cache"]
PATHS = ["a.md", "b.md", "deep/c.md", "d.md"]
QUERIES = [("pool",), ("timeout", "pool"), ("get", "user", "getuserbyid"), ("api", "東京", "cach", "pool")]

words = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
lines = st.builds(
    "{}|{}|{}|{}|{}".format,
    st.sampled_from(["DEC-1", "DEC-2", "INV-3", "LRN-4"]),
    st.sampled_from(["accepted", "candidate", "superseded"]),
    words,
    words,
    st.sampled_from(["", "DEC-1", "DEC-2 INV-3"]),
)
texts = st.lists(st.one_of(lines, lines, lines, st.just("broken")), max_size=3).map("\n".join)
steps = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(PATHS), texts),
    st.tuples(st.just("delete"), st.sampled_from(PATHS), st.just("")),
    st.tuples(st.just("rename"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
    st.tuples(st.just("settle"), st.just(""), st.just("")),
)
histories = st.lists(st.lists(steps, min_size=1, max_size=4), min_size=1, max_size=6)


def change(vault: LineVault, step: tuple[str, str, str]) -> None:
    match step:
        case "write", path, text:
            vault.files[path] = text
        case "delete", path, _:
            vault.files.pop(path, None)
        case "rename", path, other if path in vault.files:
            vault.files[other] = vault.files.pop(path)
        case "settle", _, _:
            vault.settled = not vault.settled


def hits(store: IndexStore) -> list[list[Scored]]:
    return [list(store.by_words(WordQuery(terms=query))) for query in QUERIES]


def state(store: IndexStore) -> tuple[object, ...]:
    return (
        {key: source.sha256 for key, source in store.sources().items()},
        store.select(Select()),
        store.links(),
        store.frequencies([term for query in QUERIES for term in query]),
    )


def in_steps(store: IndexStore, history: Sequence[Sequence[tuple[str, str, str]]]) -> LineVault:
    vault = LineVault()
    for batch in history:
        for step in batch:
            change(vault, step)
        sync_index(store, [IndexedVault(name="memory", vault=vault)], SILENT)
    return vault


def from_nothing(vault: LineVault) -> SqliteIndex:
    store = SqliteIndex.open(":memory:")
    sync_index(store, [IndexedVault(name="memory", vault=vault)], SILENT)
    return store


@given(histories)
@settings(max_examples=examples(150), deadline=None)
def test_an_index_updated_in_steps_equals_one_built_from_nothing(
    history: list[list[tuple[str, str, str]]],
) -> None:
    stepped = SqliteIndex.open(":memory:")
    vault = in_steps(stepped, history)
    rebuilt = from_nothing(vault)

    assert state(stepped) == state(rebuilt)
    assert hits(stepped) == hits(rebuilt)
    assert stepped.check() == []


@given(st.text(max_size=300))
@settings(deadline=None)
def test_terms_are_words_that_any_store_can_keep(text: str) -> None:
    for term in split_terms(text):
        assert term
        assert len(term) <= LONGEST_TERM
        assert not any(character.isspace() or (character.isascii() and not character.isalnum()) for character in term)
        assert term == term.encode().decode()


@given(st.text(min_size=1, max_size=80))
@settings(deadline=None)
def test_a_text_is_found_by_itself(text: str) -> None:
    own = set(split_terms(text))

    assert set(query_terms(text)) <= own


@given(st.lists(st.text(alphabet="abcdefghij", min_size=2, max_size=6), min_size=2, max_size=4))
def test_every_spelling_of_an_identifier_gives_the_same_terms(parts: list[str]) -> None:
    snake, kebab = "_".join(parts), "-".join(parts)
    camel = parts[0] + "".join(part.capitalize() for part in parts[1:])

    assert query_terms(snake) == query_terms(kebab) == query_terms(camel) == query_terms(snake.upper())
