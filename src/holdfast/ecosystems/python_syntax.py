"""Python source as its own parser sees it. Nothing is run."""

import ast
import warnings

from holdfast.ecosystems.unreadable_text import Unreadable


def parse_python(text: str) -> ast.Module:
    """The syntax tree of a source. Raises Unreadable."""
    try:
        with warnings.catch_warnings():
            # An odd escape in somebody's text is not ours to warn of.
            warnings.simplefilter("ignore")
            return ast.parse(text.removeprefix("\ufeff"))
    except SyntaxError as error:
        raise Unreadable(f"it is no Python that can be parsed: {error.msg}", error.lineno) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise Unreadable(f"it is no Python that can be parsed: {error or 'it is nested too deeply'}") from error


def called_name(func: ast.expr) -> str:
    """The last name of what is called: `setup` of `setuptools.setup`."""
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
