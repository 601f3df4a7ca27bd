"""Units for systemd's user manager, as text for a person to put in place."""

UNITS = """\
# ~/.config/systemd/user/{name}.service
[Unit]
Description={about}

[Service]
Type=oneshot
{environment}ExecStart={command}

# ~/.config/systemd/user/{name}.timer
[Unit]
Description={about}, {often}

[Timer]
OnCalendar={when}
Persistent=true

[Install]
WantedBy=timers.target

# then: systemctl --user enable --now {name}.timer"""


def render_units(name: str, about: str, command: str, *, often: str, when: str, environment: str = "") -> str:
    """A service and the timer that starts it."""
    return UNITS.format(name=name, about=about, command=command, often=often, when=when, environment=environment)


def escape_word(text: str) -> str:
    """A word between quotes as systemd reads it, with its own signs doubled."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")


def escape_cron(command: str) -> str:
    """A command as cron reads it: to it a percent sign is a line break, also between quotes."""
    return command.replace("%", "\\%")
