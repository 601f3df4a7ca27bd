import json
import os
from collections import Counter

import pytest
from bench.recall import data
from bench.recall.coding import made as coding
from bench.recall.coding.made import BadNotes, files, made


@pytest.fixture(scope="module")
def found() -> coding.Made:
    return made()


def written(folder: str, name: str, text: str) -> None:
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def empty_projects(folder: str) -> None:
    for projects in coding.HALVES.values():
        for project in projects:
            written(folder, f"{project}.txt", f"@ only-{project} learning 1\n# {project}\nSomething.\n")
            written(folder, f"{project}.questions.txt", "")


def test_the_published_files_are_those_that_the_notes_make() -> None:
    for path, wanted in files():
        with open(path, encoding="utf-8") as file:
            assert file.read() == wanted


def test_two_runs_make_the_same(found: coding.Made) -> None:
    assert made() == found


def test_there_are_enough_of_both(found: coding.Made) -> None:
    kinds = Counter(row["kind"] for row in found.questions)

    assert len(found.memories) >= 500
    assert len(found.questions) >= 300
    assert set(kinds) == set(coding.KINDS)
    assert min(kinds.values()) >= 40


def test_ids_are_unique(found: coding.Made) -> None:
    ids = [row["id"] for row in (*found.memories, *found.questions)]

    assert len(set(ids)) == len(ids)


def test_gold_exists_in_the_questions_own_half(found: coding.Made) -> None:
    halves = {row["id"]: row["half"] for row in found.memories}

    for question in found.questions:
        assert {halves[name] for name in (*question["gold"], *question["wrong"])} <= {question["half"]}


def test_only_questions_to_abstain_from_have_no_gold(found: coding.Made) -> None:
    assert all(bool(row["gold"]) is (row["kind"] != "abstention") for row in found.questions)


def test_gold_is_never_superseded_and_wrong_always_is(found: coding.Made) -> None:
    status = {row["id"]: row["status"] for row in found.memories}

    assert {status[name] for row in found.questions for name in row["gold"]} == {"accepted"}
    assert {status[name] for row in found.questions for name in row["wrong"]} == {"superseded"}


def test_no_project_is_in_both_halves(found: coding.Made) -> None:
    assert len({(row["project"], row["half"]) for row in found.memories}) == len(coding.STARTS)


def test_questions_of_a_kind_have_what_it_needs(found: coding.Made) -> None:
    for row in found.questions:
        assert bool(row["wrong"]) is (row["kind"] == "supersession")
        assert bool(row["path"]) is (row["kind"] == "scope")
        assert row["kind"] != "multi-hop" or len(row["gold"]) >= 2


def test_most_questions_share_few_words_with_their_gold(found: coding.Made) -> None:
    texts = {row["id"]: json.dumps(row).lower() for row in found.memories}
    asked = [row for row in found.questions if row["kind"] in ("decision", "dead-end")]
    long = [{word for word in row["text"].lower().split() if len(word) > 4} for row in asked]

    shared = [
        sum(w in texts[row["gold"][0]] for w in words) / len(words or "-")
        for row, words in zip(asked, long, strict=True)
    ]

    assert sum(shared) / len(shared) < 0.25


def test_a_memory_that_supersedes_nothing_known_is_refused(tmp_path: object) -> None:
    folder = str(tmp_path)
    empty_projects(folder)
    written(folder, "shop.txt", "@ one decision 1 after=gone\n# One\n")

    with pytest.raises(BadNotes, match="gone"):
        made(folder)


def test_a_gold_that_does_not_apply_to_the_path_is_refused(tmp_path: object) -> None:
    folder = str(tmp_path)
    empty_projects(folder)
    written(folder, "shop.txt", "@ one decision 1 paths=a/**\n# One\n")
    written(folder, "shop.questions.txt", "scope | one | how? | path=b/c.py\n")

    with pytest.raises(BadNotes, match="does not apply"):
        made(folder)


def test_unknown_fields_are_refused(tmp_path: object) -> None:
    folder = str(tmp_path)
    empty_projects(folder)
    written(folder, "shop.txt", "@ one decision 1 colour=red\n# One\n")

    with pytest.raises(BadNotes, match="colour"):
        made(folder)


def test_the_filters_hide_what_is_superseded_and_what_holds_elsewhere() -> None:
    task = data.coding("test")
    scoped = [asked for asked in task.asked if asked.category == "scope"]
    old = {place for asked in task.asked for place in asked.wrong}

    assert all(old <= asked.hidden for asked in task.asked)
    assert all(len(asked.hidden) > len(old) for asked in scoped)
    assert not any(asked.hidden.intersection(asked.passages) for asked in task.asked)


def test_a_store_for_each_project_holds_the_same_memories() -> None:
    whole, apart = data.coding("tune"), data.coding("tune", apart=True)

    assert [len(whole.stores), len(apart.stores)] == [1, 4]
    assert sum(map(len, apart.stores)) == len(whole.stores[0])
    assert [each.text for each in apart.asked] == [each.text for each in whole.asked]
