"""Traits in words: a title, a category, and the words by which somebody else may have said the same."""

from holdfast.bootstrap.profile.frameworks import PYTHON, SCRIPT
from holdfast.bootstrap.profile.profile_values import Trait
from holdfast.core.value import Value

LANGUAGES = {"python": "Python", "ts": "TypeScript", "js": "JavaScript", "commits": "Git"}
# By question, then by answer: what a title says. `{a}` is the answer. What is not here is not worth a pattern.
_ANY = "*"
_TITLES: dict[str, tuple[str, dict[str, str]]] = {
    "functions": ("naming", {_ANY: "Name functions in {a}"}),
    "classes": ("naming", {_ANY: "Name classes in {a}"}),
    "files": ("naming", {_ANY: "Name files in {a}"}),
    "quotes": ("style", {_ANY: "Use {a} quotes for strings"}),
    "indent": ("style", {"tab": "Indent with tabs", _ANY: "Indent with {a} spaces"}),
    "line-length": ("style", {"longer": "", _ANY: "Keep lines within {a} characters"}),
    "semicolons": ("style", {"always": "End statements with semicolons", "never": "Leave semicolons out"}),
    "docstring-presence": ("docs", {"written": "Give every public function a docstring", _ANY: ""}),
    "docstrings": (
        "docs",
        {
            "google": "Write docstrings in Google style (Args:, Returns:)",
            "numpy": "Write docstrings in NumPy style",
            "sphinx": "Write docstrings in Sphinx style (:param:)",
            "one line": "Write docstrings of one line",
            "plain": "Write docstrings as plain prose",
        },
    ),
    "typing": ("typing", {"annotated": "Annotate every function's arguments and result", _ANY: ""}),
    "types": ("typing", {_ANY: "Declare object types with `{a}`"}),
    "imports": ("imports", {_ANY: "Import the project's own modules by {a} paths"}),
    "modules": ("imports", {"esm": "Use ES modules (import, export)", "commonjs": "Use CommonJS modules (require)"}),
    "exports": ("imports", {"named": "Use named exports", "default": "Use default exports"}),
    "errors": (
        "errors",
        {
            "own-hierarchy": "Derive exceptions from the project's own base classes",
            "own-classes": "Throw error classes of the project's own",
        },
    ),
    "bare-except": ("errors", {"never": "Name the exceptions that are caught: no bare except", _ANY: ""}),
    "paths": ("style", {"pathlib": "Handle paths with pathlib", "os.path": "Handle paths with os.path"}),
    "formatting": (
        "style",
        {
            "f-strings": "Put values into texts with f-strings",
            "format": "Put values into texts with str.format",
            "percent": "Put values into texts with %",
        },
    ),
    "functions-as": (
        "style",
        {"arrow": "Write functions as arrow functions", "declaration": "Write functions as declarations"},
    ),
    "async": ("style", {"await": "Wait with async/await, not .then()", "then": "Wait with .then()"}),
    "tests": (
        "tests",
        {
            "pytest": "Write tests as plain functions for pytest",
            "pytest classes": "Group tests in classes for pytest",
            "unittest": "Write tests as unittest.TestCase classes",
        },
    ),
    "test-layout": (
        "tests",
        {
            "tests/": "Put tests below tests/",
            "beside": "Put tests beside the code they test",
            "__tests__": "Put tests in __tests__ folders",
        },
    ),
    "style": (
        "commits",
        {
            "conventional": "Word commits as Conventional Commits (feat:, fix:, …)",
            "ticket": "Begin commit subjects with the ticket's number",
            "imperative": "Word commit subjects as orders (Add …, Fix …)",
            _ANY: "",
        },
    ),
    "subject": (
        "commits",
        {
            "50": "Keep commit subjects within 50 characters",
            "72": "Keep commit subjects within 72 characters",
            _ANY: "",
        },
    ),
}
# What stands in a memory that says the same already: all words of one of these.
_SAID: dict[str, tuple[tuple[str, ...], ...]] = {
    "functions": (("{a}", "function"), ("{a}", "naming")),
    "classes": (("{a}", "class"),),
    "files": (("{a}", "file"),),
    "quotes": (("{a}", "quote"),),
    "line-length": (("{a}", "line"),),
    "docstrings": (("{a}", "docstring"),),
    "style": (("conventional commit",),),
    "errors": (("base class", "exception"),),
    "formatting": (("f-string",),),
    "paths": (("pathlib",),),
}


class TraitWording(Value):
    """A trait as a pattern says it."""

    title: str
    category: str
    tags: tuple[str, ...]
    phrasings: tuple[tuple[str, ...], ...] = ()


def word_trait(trait: Trait) -> TraitWording | None:
    """The words for a trait; None for an answer that is no advice."""
    language, _, question = trait.key.partition(".")
    if question.startswith("framework."):
        return _framework(language, question.removeprefix("framework."))
    category, titles = _TITLES[question]
    title = titles.get(trait.answer, titles.get(_ANY, "")).replace("{a}", trait.answer)
    if not title:
        return None
    said = tuple(tuple(word.replace("{a}", trait.answer.lower()) for word in each) for each in _SAID.get(question, ()))
    named = title if language == "commits" else f"{title} ({LANGUAGES[language]})"
    return TraitWording(title=named, category=category, tags=(LANGUAGES[language].lower(), category), phrasings=said)


def _framework(language: str, name: str) -> TraitWording:
    shown = (PYTHON if language == "python" else SCRIPT)[name]
    tags = (LANGUAGES[language].lower(), "framework", name.lstrip("@").replace("/", "-"))
    return TraitWording(
        title=f"This project uses {shown} ({LANGUAGES[language]})",
        category="framework",
        tags=tags,
        phrasings=((shown.lower(),),),
    )


def count_evidence(trait: Trait) -> str:
    """The counts in words."""
    if ".framework." in trait.key:
        return f"Imported in {trait.files} files."
    share = f"{trait.cases} of {trait.of} {trait.unit}"
    told = trait.key.startswith("commits.") or "file" in trait.unit
    return f"{share}." if told else f"{share}, in {trait.files} files."
