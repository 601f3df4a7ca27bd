"""The entrance: finds the command, runs it, and turns failures into words and an exit status."""

import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import NoReturn

from holdfast.cli.output import Output
from holdfast.cli.parse import (
    INTERMIXED,
    VALUED,
    Misused,
    build_parser,
    choose_form,
    load_command,
    split_common_options,
)
from holdfast.cli.table import COMMANDS
from holdfast.core.errors import HoldfastError


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit."""
    words = list(sys.argv[1:] if argv is None else argv)
    _open_streams()
    try:
        status = _run(words)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader (head, less) went away: nothing to say, and nobody to say it to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    except KeyboardInterrupt:
        print("\nStopped. Nothing that was confirmed is lost.", file=sys.stderr)
        status = 130
    except OSError as error:
        # Only what is left in the buffer of standard output can fail here.
        print(
            f"error: The answer could not be printed: {error.strerror}. The command was carried out.", file=sys.stderr
        )
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status = 6
    sys.exit(status)


def _open_streams() -> None:
    """Streams that are closed count as empty, and no character is too odd to be printed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  # open as long as we run
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _run(words: list[str]) -> int:
    if words[:1] == ["--complete"]:
        from holdfast.cli.completion import complete

        return complete(words[1:])
    before, rest = split_common_options(words)
    if not rest or rest[0] not in COMMANDS:
        return _top(before, rest)
    return run_command(rest[0], [*before, *rest[1:]])


def run_command(name: str, words: list[str]) -> int:
    """Parse one command's words, run it, and report what goes wrong."""
    out = Output(as_json="--json" in words)
    try:
        call, given = choose_form(name, words)
        command = load_command(call)
        parser = build_parser(call, command)
        # Words may stand before and after options: holdfast remember learning --tag ci "CI needs two cores".
        args = parser.parse_intermixed_args(given) if call in INTERMIXED else parser.parse_args(given)
        status = command.run(args, out)
        out.close()
        return status
    except HoldfastError as error:
        out.error(error)
        return error.exit_status
    except BrokenPipeError:
        raise
    except OSError as error:
        out.error(_translate_os_error(error))
        return _translate_os_error(error).exit_status
    except UnicodeEncodeError:
        out.error(HoldfastError("Some text given is not valid UTF-8.", "check the terminal's encoding."))
        return 2


def _top(before: list[str], words: list[str]) -> int:
    """What is asked of no command: the overview, the version; or a word that is none."""
    out = Output(as_json="--json" in [*before, *words])
    try:
        if before and not words and before[-1] in VALUED:
            raise Misused("holdfast", f"argument {before[-1]}: expected one argument")
        match [word for word in words if word != "--json"]:
            case [] | ["--help"] | ["-h"]:
                return run_command("help", ["--json"] if out.as_json else [])
            case ["--version"]:
                return run_command("version", ["--json"] if out.as_json else [])
            case [word, *_] if word.startswith("-"):
                raise Misused("holdfast", f"unrecognized arguments: {word}")
            case given:
                from holdfast.cli.suggest import NoSuchCommand

                raise NoSuchCommand(given)
    except HoldfastError as error:
        out.error(error)
        return error.exit_status


def _translate_os_error(error: OSError) -> HoldfastError:
    from holdfast.core.errors import Unavailable

    where = f" {error.filename!r}" if error.filename else ""
    return Unavailable(
        f"The file system refused{where}: {error.strerror or error}.", "check the permissions and the free space."
    )


if __name__ == "__main__":
    main()
