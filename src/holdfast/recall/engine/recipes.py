"""Named recipes: what each weighs was chosen by cross-validation over all sets of questions (`bench.recall --fit`)."""

from holdfast.recall.engine.engine_values import Recipe

WORDS = Recipe(
    name="words",
    find={"words": 100},
    look={"words": 1.0, "around": 1.0},
    plain={
        "words": 2.8,
        "around": 5.65,
        "group": 3.7,
        "said_by": 1.2,
        "asks": -1.3,
        "length": 1.5,
        "time": 2.8,
        "recency": 0.1,
        "path": 2.0,
        "use": 0.3,
        "rules": 1.5,
    },
    covered=frozenset({"words", "around", "group", "soft", "soft_around"}),
)
DEFAULT = Recipe(
    name="default",
    find={"words": 100, "static": 50},
    look={"words": 1.0, "around": 1.0, "static": 1.0, "static_around": 1.0},
    expand={"graph": 50},
    plain={
        "group": 1.45,
        "static": 0.4,
        "static_around": 2.75,
        "static_group": 3.45,
        "soft": 2.5,
        "soft_around": 3.65,
        "said_by": 1.1,
        "asks": -1.3,
        "length": 1.3,
        "time": 2.4,
        "recency": 0.1,
        "path": 2.0,
        "use": 0.3,
        "rules": 1.5,
    },
    named={"graph": 6.55, "pair": 1.65},
    covered=WORDS.covered | {"static", "static_around", "static_group"},
    needs="static",
    otherwise="words",
)
MEANING = Recipe(
    name="meaning",
    find={"words": 100, "static": 50, "meaning": 60},
    look={"words": 1.0, "around": 1.0, "static": 1.0, "static_around": 1.0, "meaning": 2.0, "meaning_around": 2.0},
    expand={"graph": 50},
    plain={
        "group": 1.8,
        "static": 0.8,
        "static_around": 1.9,
        "meaning_group": 2.9,
        "meaning_titled": 2.35,
        "soft": 1.95,
        "soft_around": 3.3,
        "said_by": 1.05,
        "asks": -0.85,
        "length": 1.9,
        "time": 2.25,
        "recency": 0.1,
        "path": 2.0,
        "use": 0.3,
        "rules": 1.5,
    },
    named={"graph": 4.45, "pair": 1.8, "meaning": 2.05},
    covered=DEFAULT.covered,
    needs="encoder",
    otherwise="default",
)
# What an agent is told is ordered by relevance (`relevance.py`), so no lane is weighed: they only bring candidates.
TOLD = Recipe(
    name="told",
    find={"words": 100, "static": 50, "meaning": 60},
    look={"words": 1.0, "static": 1.0, "meaning": 2.0},
    plain={},
)
# The same where there is nothing but words: nothing is loaded that needs numpy.
TOLD_BY_WORDS = Recipe(name="told by words", find={"words": 100}, look={"words": 1.0}, plain={})
RECIPES = {recipe.name: recipe for recipe in (WORDS, DEFAULT, MEANING)}
