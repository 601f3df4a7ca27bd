from itertools import combinations

import pytest

from holdfast.index.terms import LONGEST_TERM, query_terms, split_terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getUserById", ["get", "user", "by", "id", "getuserbyid"]),
        ("get_user_by_id", ["get", "user", "by", "id", "getuserbyid"]),
        ("get user by id", ["get", "user", "by", "id"]),
        ("HTTPServer2", ["http", "server", "2", "httpserver2", "httpserver"]),
        ("OAuth2", ["o", "auth", "2", "oauth2", "oauth"]),
        ("src/users/repo.py", ["src", "user", "repo", "py", "srcusersrepopy"]),
        ("user_repo.get_by_id", ["user", "repo", "get", "by", "id", "userrepo", "getbyid", "userrepogetbyid"]),
        ("std::vector<int>", ["std", "vector", "stdvector", "int"]),
        ("OAuth2Token", ["o", "auth", "2", "token", "oauth2token"]),
        ("C:\\temp\\x", ["c", "temp", "x", "ctempx"]),
    ],
)
def test_compounds_are_cut_into_parts_and_kept_whole(text: str, expected: list[str]) -> None:
    assert split_terms(text) == expected


@pytest.mark.parametrize("name", ["k8s", "7k2mq4", "utf8mb4", "3f9a1b", "2fa", "10ms"])
def test_digits_amid_letters_do_not_divide(name: str) -> None:
    assert split_terms(name) == [name]


def test_an_id_is_found_as_a_whole() -> None:
    assert "dec7k2mq4" in query_terms("DEC-7K2MQ4")
    assert "dec7k2mq4" in split_terms("see dec-7k2mq4.")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("users", "user"),
        ("caching", "cached"),
        ("WebSockets", "websocket"),
        ("URLs", "url"),
        ("e-mails", "email"),
        ("café", "CAFE"),
        ("Straße", "strasse"),
        ("ＡＰＩ", "api"),
        ("ﬁle", "file"),
        ("ПолучитьПользователя", "пользователя"),
        ("co\u00adoperate", "cooperate"),
    ],
)
def test_forms_of_a_word_find_each_other(one: str, other: str) -> None:
    assert set(query_terms(one)) & set(split_terms(other))


def test_spellings_of_an_identifier_find_each_other() -> None:
    spellings = ["getUserById", "get_user_by_id", "get user by id", "src/users/repo.py", "GET-USER-BY-ID"]

    for one, other in combinations(spellings, 2):
        assert set(query_terms(one)) & set(split_terms(other)), (one, other)


def test_an_identifier_is_not_stemmed_as_a_whole() -> None:
    assert "parseresponses" in split_terms("parse_responses")


def test_marks_stay_with_their_letters() -> None:
    assert split_terms("हिन्दी में खोज") == ["हिन्दी", "में", "खोज"]
    assert split_terms("йод") == ["йод"]


def test_letters_without_english_forms_are_words_like_any_other() -> None:
    assert split_terms("Größenänderung öffnen") == ["grossenanderung", "offnen"]
    assert split_terms("Ошибка подключения, ошибка") == ["ошибка", "подключения", "ошибка"]
    assert split_terms("l'été") == ["l", "ete"]


def test_scripts_without_spaces_give_characters_and_pairs() -> None:
    assert split_terms("東京都") == ["東", "京", "都", "東京", "京都"]
    assert split_terms("검색") == ["검", "색", "검색"]


def test_a_query_in_such_a_script_uses_pairs_and_one_character_itself() -> None:
    assert query_terms("東京都") == ["東京", "京都"]
    assert query_terms("京") == ["京"]


def test_thai_vowels_and_tones_cling_to_their_consonant() -> None:
    assert query_terms("ที่นี่") == ["ที่นี่"]


def test_scripts_are_told_apart_inside_a_word() -> None:
    assert split_terms("Python3入門") == ["python", "3", "python3", "入", "門", "入門"]


def test_a_query_names_each_term_once_in_the_order_asked() -> None:
    assert query_terms("pool Pools timeout pool") == ["pool", "timeout"]


@pytest.mark.parametrize("text", ["", " \n\t", "--- ... ///", "🙂 — “”", "\x00\x7f", "\ud800"])
def test_text_without_words_has_no_terms(text: str) -> None:
    assert split_terms(text) == []


def test_a_term_has_a_longest_length() -> None:
    assert split_terms("a" * 1000) == ["a" * LONGEST_TERM]
    assert max(map(len, split_terms("/".join(["folder"] * 5000)))) == LONGEST_TERM
