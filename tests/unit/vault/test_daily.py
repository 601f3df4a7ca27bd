"""The daily log."""

import os
from pathlib import Path

import pytest

from holdfast.records.daily_file import LogLine, NotADay, append_line, list_days, read_day


def test_a_day_begins_with_its_heading(tmp_path: Path) -> None:
    append_line(str(tmp_path / "log"), "2026-11-15", "09:30", "Began.")
    append_line(str(tmp_path / "log"), "2026-11-15", "10:00", "Two\n\nlines")

    text = (tmp_path / "log" / "2026-11-15.md").read_text()
    assert text == "# 2026-11-15\n\n- 09:30 Began.\n- 10:00 Two\n\n  lines\n"


@pytest.mark.parametrize(
    "text", ["plain", "two\nlines", "a\n\nb", "- 10:00 forged\n- 11:00 forged", "# x\n## y", "a\u2028ä"]
)
def test_what_was_logged_is_read_back_as_one_entry(tmp_path: Path, text: str) -> None:
    append_line(str(tmp_path), "2026-11-15", "09:30", text)
    append_line(str(tmp_path), "2026-11-15", "09:31", "next")

    assert read_day(str(tmp_path), "2026-11-15") == (
        LogLine(time="09:30", text=text),
        LogLine(time="09:31", text="next"),
    )


def test_what_people_wrote_in_a_log_stays(tmp_path: Path) -> None:
    (tmp_path / "2026-11-15.md").write_bytes(b"My day\r\n\r\nno newline at the end \xff")

    append_line(str(tmp_path), "2026-11-15", "09:30", "ours")

    assert (tmp_path / "2026-11-15.md").read_bytes() == b"My day\r\n\r\nno newline at the end \xff\n- 09:30 ours\n"


def test_days_come_oldest_first(tmp_path: Path) -> None:
    for date in ("2026-11-15", "2025-01-01", "2026-02-03"):
        append_line(str(tmp_path), date, "00:00", "x")
    (tmp_path / "readme.md").touch()

    assert list_days(str(tmp_path)) == ("2025-01-01", "2026-02-03", "2026-11-15")
    assert list_days(str(tmp_path / "none")) == ()
    assert read_day(str(tmp_path), "1999-01-01") == ()


@pytest.mark.parametrize(("date", "time"), [("../x", "09:30"), ("2026-1-1", "09:30"), ("2026-11-15", "9"), ("", "")])
def test_what_is_no_day_is_refused(tmp_path: Path, date: str, time: str) -> None:
    with pytest.raises(NotADay):
        append_line(str(tmp_path), date, time, "x")


def test_a_log_is_the_users_alone(tmp_path: Path) -> None:
    append_line(str(tmp_path / "log"), "2026-11-15", "09:30", "x")

    assert os.stat(tmp_path / "log" / "2026-11-15.md").st_mode & 0o777 == 0o600
