"""How Python is written, read off parsed files."""

from textwrap import dedent

import pytest

from holdfast.bootstrap.profile.profile_values import Trait, TraitTallies
from holdfast.bootstrap.profile.python_files import PythonReader

FUNCTION = '''
def load_item_{n}(first_value: int, path: str = "x") -> str:
    """Load it."""
    return f"{{first_value}} and {{path}}"
'''


def traits(files: dict[str, str], packages: frozenset[str] = frozenset({"app"})) -> dict[str, Trait]:
    book = TraitTallies()
    reader = PythonReader(book, packages)
    for path, text in files.items():
        assert reader.read(path, dedent(text)), path
    reader.finish()
    return {trait.key: trait for trait in book.traits()}


def answers(files: dict[str, str]) -> dict[str, str]:
    return {key: trait.answer for key, trait in traits(files).items()}


def many(text: str, files: int = 6, each: int = 5) -> dict[str, str]:
    return {f"src/app/m{f}.py": "".join(text.format(n=f"{f}_{n}") for n in range(each)) for f in range(files)}


def test_clear_habits_are_found_with_their_counts_and_places() -> None:
    found = traits(many(FUNCTION))

    functions = found["python.functions"]
    assert (functions.answer, functions.cases, functions.of, functions.files) == ("snake_case", 30, 30, 6)
    assert [(seen.path, seen.line, seen.text) for seen in functions.seen][:1] == [
        ("src/app/m0.py", 2, "def load_item_0_0")
    ]
    assert {key: trait.answer for key, trait in found.items()} == {
        "python.docstring-presence": "written",
        "python.docstrings": "one line",
        "python.formatting": "f-strings",
        "python.functions": "snake_case",
        "python.indent": "4",
        "python.line-length": "79",
        "python.quotes": "double",
        "python.typing": "annotated",
    }


def test_exceptions_are_named_and_a_mixed_habit_is_none() -> None:
    camel = "def loadItem{n}(x):\n    return x\n"
    mostly = {**many(FUNCTION), "src/app/old.py": camel.format(n=1)}
    mixed = {**many(FUNCTION), **{f"src/app/o{n}.py": camel.format(n=n) * 3 for n in range(9)}}

    assert traits(mostly)["python.functions"].exceptions[0].text == "def loadItem1"
    assert "python.functions" not in traits(mixed)


def test_too_few_cases_or_files_tell_nothing() -> None:
    assert "python.functions" not in answers(many(FUNCTION, files=2, each=40))
    assert "python.functions" not in answers(many(FUNCTION, files=4, each=4))


def test_names_that_others_prescribe_and_single_words_do_not_count() -> None:
    prescribed = (
        "class A{n}:\n    def setUpClass(self): pass\n    def visit_Name(self): pass\n    def run(self): pass\n"
    )

    assert "python.functions" not in answers(many(prescribed, files=8, each=8))


@pytest.mark.parametrize(
    ("docstring", "style"),
    [
        ("Load.\n\n    Args:\n        x: it\n    ", "google"),
        ("Load.\n\n    Parameters\n    ----------\n    x : int\n    ", "numpy"),
        ("Load.\n\n    :param x: it\n    ", "sphinx"),
        ("Load it.\n\n    And tell of it.\n    ", "plain"),
    ],
)
def test_the_style_of_docstrings(docstring: str, style: str) -> None:
    text = 'def load_it_{n}(x):\n    """' + docstring + '"""\n    return x\n'

    assert answers(many(text))["python.docstrings"] == style


def test_quotes_inside_others_and_triple_ones_do_not_count() -> None:
    odd = "a_{n} = 'say \"x\"'\nb_{n} = '''text'''\nc_{n} = 'plain'\nd_{n} = f'{{x}}'\n"

    found = traits(many(odd))["python.quotes"]

    assert (found.answer, found.of) == ("single", 60)


def test_imports_inside_the_project_are_absolute_or_relative() -> None:
    relative = "from .inner_{n} import thing\nfrom os import path\n"
    absolute = "from app.inner_{n} import thing\nimport json\n"

    assert answers(many(relative))["python.imports"] == "relative"
    assert traits(many(absolute))["python.imports"].of == 30


def test_frameworks_tests_and_error_handling_are_found() -> None:
    handled = "    try:\n        pass\n    except (ValueError, OSError):\n        pass\n" * 5
    tests = {f"tests/test_{n}.py": f"import pytest\n\ndef test_it():\n{handled}" for n in range(6)}

    found = answers(tests)

    assert found["python.framework.pytest"] == "used"
    assert (found["python.tests"], found["python.test-layout"]) == ("pytest", "tests/")
    assert found["python.bare-except"] == "never"


def test_exceptions_of_one_s_own_are_a_hierarchy_over_many_files() -> None:
    files = {"src/app/errors.py": "class AppError(Exception): pass\nclass Missing(AppError): pass\n"}
    files |= {f"src/app/m{n}.py": f"class NoSuch{n}(Missing): pass\n" for n in range(8)}

    assert answers(files)["python.errors"] == "own-hierarchy"


def test_files_that_do_not_parse_are_passed_over() -> None:
    reader = PythonReader(TraitTallies(), frozenset())

    odd = [
        "def (",
        "\0",
        "-" * 100_000 + "1",
        "x." * 50_000 + "y",
        "(" * 10_000,
        "class A(B): pass\nclass B(A): pass\n",
    ]
    assert [reader.read("a.py", text) for text in odd] == [False] * 5 + [True]
    reader.finish()
