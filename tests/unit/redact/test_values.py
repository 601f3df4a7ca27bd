"""A decoded JSON value goes in, a value fit for the disk comes out."""

import json

import pytest

from holdfast.redact.clean import DEEPEST, TOO_DEEP, clean

TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def test_texts_inside_lists_and_objects_are_cleaned() -> None:
    value = {"tool_input": {"command": f"git push https://x:{TOKEN}@h/r"}, "args": ["a", TOKEN], "n": 3, "none": None}

    cleaned = clean(value)

    assert TOKEN not in json.dumps(cleaned.value)
    assert cleaned.found == {"github_token": 2}


def test_nothing_found_is_the_same_object() -> None:
    value = {"prompt": "why is the token refresh slow?", "parts": [{"text": "x" * 100}], "ok": True}

    cleaned = clean(value)

    assert cleaned.value is value
    assert cleaned.found == {}
    assert cleaned.state == 0


def test_a_key_gives_its_value_a_name() -> None:
    value = {"env": {"DB_PASSWORD": "hunter2", "PORT": "8080"}, "headers": {"Authorization": "Bearer a1b2c3d4e5f6g7h8"}}

    assert clean(value).value == {
        "env": {"DB_PASSWORD": "[redacted:password]", "PORT": "8080"},
        "headers": {"Authorization": "Bearer [redacted:authorization]"},
    }


def test_an_entry_of_name_and_value_is_read_as_one() -> None:
    value = [{"value": "hunter2", "name": "DB_PASSWORD"}, {"name": "REGION", "value": "eu-west-1"}]

    assert clean(value).value == [
        {"value": "[redacted:password]", "name": "DB_PASSWORD"},
        {"name": "REGION", "value": "eu-west-1"},
    ]


def test_a_flag_names_what_follows_it() -> None:
    assert clean(["mysql", "--password", "hunter2", "-h", "db1"]).value == [
        "mysql", "--password", "[redacted:password]", "-h", "db1",
    ]  # fmt: skip


def test_a_number_called_password_goes() -> None:
    assert clean({"password": 12345678, "max_tokens": 4096}).value == {
        "password": "[redacted:password]",
        "max_tokens": 4096,
    }


def test_secrets_in_keys_go_and_no_entry_is_lost() -> None:
    other = TOKEN[:-1] + "9"

    assert clean({TOKEN: 1, other: 2}).value == {"[redacted:github_token]": 1, "[redacted:github_token] 2": 2}


def test_escaped_json_hides_nothing() -> None:
    raw = '{"prompt": "\\u003cprivate\\u003emine\\u003c/private\\u003e", "key": "g\\u0068p_' + TOKEN[4:] + '"}'

    assert clean(json.loads(raw)).value == {"prompt": "[private]", "key": "[redacted:github_token]"}


def test_json_inside_a_text_hides_nothing() -> None:
    inner = json.dumps({"password": "hunter2", "note": "<private>mine</private>", "cert": TOKEN})

    cleaned = str(clean({"arguments": json.dumps(inner)}).value)

    assert "hunter2" not in cleaned
    assert "mine" not in cleaned
    assert TOKEN not in cleaned


def test_an_unclosed_tag_makes_the_following_events_private_until_it_is_closed() -> None:
    first = clean({"prompt": "one <private> two"})
    second = clean({"prompt": "three", "parts": ["four"]}, state=first.state)
    third = clean({"prompt": "five </private> six"}, state=second.state)

    assert first.value == {"prompt": "one [private]"}
    assert second.value == {"prompt": "[private]", "parts": ["[private]"]}
    assert third.value == {"prompt": "[private] six"}
    assert [first.state, second.state, third.state] == [1, 1, 0]


def test_a_tag_split_over_the_texts_of_one_event_hides_what_is_between() -> None:
    assert clean([{"text": "a <private> b"}, {"text": "c </private> d"}]).value == [
        {"text": "a [private]"},
        {"text": "[private] d"},
    ]


def test_the_state_is_json() -> None:
    state = clean("<private>").state

    assert json.loads(json.dumps(state)) == state


def test_texts_over_the_limit_are_elided_after_private_text_is_out() -> None:
    text = "a\n" * 2000 + "<private>" + "b\n" * 2000 + "mine\n" * 2000 + "</private>" + "c\n" * 2000

    cleaned = clean(text, limit=1000)

    assert "mine" not in str(cleaned.value)
    assert len(str(cleaned.value)) <= 1000
    assert cleaned.found == {"private": 1, "elided": 1}


def test_a_secret_at_the_cut_leaves_no_half() -> None:
    for lead in range(560, 640):
        text = "x" * lead + f" {TOKEN} " + "y " * 5000

        assert TOKEN[:12] not in str(clean(text, limit=1000).value)


def test_nesting_without_end_is_cut() -> None:
    value: object = TOKEN
    for _ in range(DEEPEST * 4):
        value = [value]

    shown = json.dumps(clean(value).value)

    assert TOO_DEEP in shown
    assert TOKEN not in shown


@pytest.mark.parametrize("value", ["", {}, [], None, True, 0, 1.5, "\ud800", {"": ""}])
def test_nothing_much_is_fine(value: object) -> None:
    assert clean(value).value is value


@pytest.mark.parametrize(
    "text",
    [
        "--- PASS: TestConvert_Sha256Sign (0.00s)", "    --- PASS: TestFTS/2-Qz9xK_Sign (0.00s)",
        "--- PASS: TestEnsureAuth405ProbeWithCredsDoesNotPoisonHelper (0.05s)",
    ],
)  # fmt: skip
def test_the_name_of_a_test_that_passed_is_no_password(text: str) -> None:
    assert clean(text).value == text


def test_a_token_that_a_person_made_up_is_one_after_its_flag() -> None:
    assert clean("git-sync --target-token password1234 sync").value == "git-sync --target-token [redacted:token] sync"
    assert clean("llm --max-tokens 4096 --token-type bearer").value == "llm --max-tokens 4096 --token-type bearer"
