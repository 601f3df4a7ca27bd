"""Settings and the small TOML editor."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.config.settings import REVIEWED, SETTINGS, UnknownSetting, WrongValue, parse_setting_value
from holdfast.config.toml_edit import TomlNotEditable, set_key, unset_key


def test_a_value_is_read_as_its_settings_kind() -> None:
    assert parse_setting_value("search.limit", "7", "test") == 7
    assert parse_setting_value("candidates.commit", "yes", "test") is True
    assert parse_setting_value("editor", "code --wait", "test") == "code --wait"


@pytest.mark.parametrize(("key", "value"), [("search.limit", "-1"), ("search.limit", "x"), ("candidates.commit", "2")])
def test_a_wrong_value_is_refused(key: str, value: str) -> None:
    with pytest.raises(WrongValue):
        parse_setting_value(key, value, "test")


@pytest.mark.parametrize("value", ["foo://x", "backups", "./backups", "file://backups", "https://host/x", "s3://"])
def test_a_store_that_is_none_is_refused(value: str) -> None:
    with pytest.raises(WrongValue, match="whole path"):
        parse_setting_value("backup.store", value, "test")


@pytest.mark.parametrize(
    "value", ["", "/mnt/x", "~/x", "file:///mnt/x", "s3://bucket/x", "gs://b", "az://b", "postgresql://u@/db/p?host=/s"]
)
def test_a_store_is_taken_as_it_is(value: str) -> None:
    assert parse_setting_value("backup.store", value, "test") == value


def test_a_wrong_store_is_told_without_its_password() -> None:
    with pytest.raises(WrongValue) as told:
        parse_setting_value("backup.store", "mysql://ann:secret@host/x", "test")

    assert "secret" not in str(told.value)


def test_an_unknown_key_is_refused() -> None:
    with pytest.raises(UnknownSetting):
        parse_setting_value("capture.enabled", "true", "test")


def test_setting_a_key_keeps_every_other_byte() -> None:
    text = '# mine\n[search]\nlimit = 10 # ten\n\n[other]\nx = "y"\n'

    assert set_key(text, "search.limit", 5, "f") == '# mine\n[search]\nlimit = 5\n\n[other]\nx = "y"\n'
    assert set_key(text, "journal.keep_days", 9, "f") == text + "\n[journal]\nkeep_days = 9\n"
    assert set_key("", "editor", 'a "b"', "f") == 'editor = "a \\"b\\""\n'
    assert unset_key(text, "search.limit", "f") == '# mine\n[search]\n\n[other]\nx = "y"\n'


def test_a_form_that_a_small_edit_cannot_reach_is_refused() -> None:
    with pytest.raises(TomlNotEditable):
        set_key("search = { limit = 10 }\n", "search.limit", 5, "f")


@given(st.lists(st.tuples(st.sampled_from(sorted(SETTINGS)), st.integers(0, 10**6)), max_size=8))
def test_any_run_of_sets_reads_back(pairs: list[tuple[str, int]]) -> None:
    text = ""
    wanted: dict[str, object] = {}
    for key, number in pairs:
        value = type(SETTINGS[key].default)(number)
        text = set_key(text, key, value, "f")
        wanted[key] = value

    read = tomllib.loads(text)
    for key, value in wanted.items():
        section, _, name = key.rpartition(".")
        assert (read[section] if section else read)[name] == value


def test_what_may_be_set_without_the_right_to_run_only_says_how_much() -> None:
    """A new setting needs the right to run until somebody says otherwise; a text can name anything."""
    texts = {key for key in REVIEWED if isinstance(SETTINGS[key].default, str)}

    assert texts == {"render.types"}
    assert all(SETTINGS[key].harmless for key in texts)
    assert {key for key, each in SETTINGS.items() if each.harmless} <= REVIEWED
    assert not any(SETTINGS[key].place or SETTINGS[key].store for key in REVIEWED)
