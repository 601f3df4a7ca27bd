"""holdfast config"""

import argparse

from holdfast.cli.common import open_app
from holdfast.cli.output import Output
from holdfast.config.settings import SETTINGS, UnknownSetting
from holdfast.config.settings import hide_password as without_password
from holdfast.core.errors import BadRequest
from holdfast.setup.change_settings import OWN, PROJECT, set_value, unset_value

EXAMPLES = """\
  holdfast config                              every setting, its value and where that comes from
  holdfast config search.limit
  holdfast config journal.keep_days 90         in your own config.toml
  holdfast config --unset journal.keep_days
  holdfast config --project search.limit 20    in the project's own file, for everybody who works here
  holdfast config model                        which model is set, and which could be
  holdfast config model anthropic:NAME         set it
"""
STATUS = (
    "0 shown or set · 2 no such setting, wrong value, one that no project may set, or inside a client · "
    "3 no workspace here"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("key", nargs="?", default="", metavar="KEY", help="a setting")
    parser.add_argument("value", nargs="?", metavar="VALUE", help="its new value")
    parser.add_argument("--unset", action="store_true", help="back to the default")
    parser.add_argument("--project", action="store_true", help="in .holdfast/config.toml, which is committed")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show and change settings."""
    app = open_app(args, anywhere=True, quiet=True)
    if args.key and args.key not in SETTINGS:
        raise UnknownSetting(args.key, "command line")
    if args.unset and not args.key:
        raise BadRequest("--unset needs the setting's name.", "`holdfast config` lists them.")
    if args.project and not args.unset and args.value is None:
        raise BadRequest("--project says where a value goes, and none was given.", "add KEY and VALUE, or --unset KEY.")
    if args.unset:
        unset_value(app, args.key, file=PROJECT if args.project else OWN)
    elif args.value is not None:
        set_value(app, args.key, args.value, file=PROJECT if args.project else OWN)
    settings = app.settings
    shown = [args.key] if args.key else list(SETTINGS)
    if out.as_json:
        rows = {
            key: {
                "value": without_password(settings[key]), "from": settings.origins.get(key, "default"),
                "about": SETTINGS[key].about,
                "variable": SETTINGS[key].variable, "repository": SETTINGS[key].harmless,
            }
            for key in shown
        }  # fmt: skip
        out.json({"settings": rows, "refused": list(settings.refused)})
    for key in shown:
        out.line(f"{key} = {without_password(settings[key])!r}  ({settings.origins.get(key, 'default')})")
        out.line(f"    {SETTINGS[key].about}; environment: {SETTINGS[key].variable}")
    out.notices(app.notices)
    return 0
