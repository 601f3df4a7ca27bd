"""Timetables: text that a shell, cron and systemd read as it is meant."""

import shlex

import pytest

from holdfast.curator.schedule import Unschedulable, render_schedule

ODD = '/home/ann/50% $HOME\'s "work"; rm -rf x'


def test_a_cron_line_survives_the_shell_and_crons_percent_sign() -> None:
    text = render_schedule("cron", "/usr/bin/holdfast", ODD, {"HOLDFAST_HOME": "/a b"})

    line = text.splitlines()[-1]
    assert "%" not in line.replace("\\%", "")
    words = shlex.split(line.replace("\\%", "%"))
    assert words[5:] == [
        "HOLDFAST_HOME=/a b", "/usr/bin/holdfast", "curate", "--propose", "-C", ODD, ">", "/dev/null",
    ]  # fmt: skip


def test_a_unit_doubles_what_systemd_would_replace() -> None:
    text = render_schedule("systemd", "/usr/bin/holdfast", ODD, {})

    assert 'ExecStart="/usr/bin/holdfast" curate --propose -C "/home/ann/50%% $$HOME\'s \\"work\\"; rm -rf x"' in text
    assert "OnCalendar=" in text


@pytest.mark.parametrize("how", ["cron", "systemd"])
def test_a_path_with_a_line_break_is_refused(how: str) -> None:
    with pytest.raises(Unschedulable):
        render_schedule(how, "/usr/bin/holdfast", "/tmp/a\n* * * * * evil", {})
