"""Named recipes: what each weighs was chosen by cross-validation over all sets of questions (`bench.recall --fit`)."""

from holdfast.recall.engine.values import Recipe

WORDS = Recipe(
    name="words",
    find={"words": 200},
    look={"words": 1.0, "around": 1.0},
    plain={
        "words": 1.0,
        "around": 1.5,
        "group": 3.0,
        "soft": 2.0,
        "soft_around": 3.0,
        "said_by": 1.0,
        "asks": -2.0,
        "length": 1.3,
        "time": 1.0,
        "recency": 0.1,
    },
    covered=frozenset({"words", "around", "group", "soft", "soft_around"}),
)
DEFAULT = Recipe(
    name="default",
    find={"words": 200, "static": 80},
    look={"words": 1.0, "around": 1.0, "static": 1.0, "static_around": 1.0},
    follow={"graph": 50},
    plain={
        "around": 1.25,
        "group": 2.3,
        "static": 1.35,
        "static_around": 3.45,
        "soft": 1.75,
        "soft_around": 2.75,
        "said_by": 1.0,
        "asks": -2.2,
        "length": 0.9,
        "time": 2.4,
        "recency": 0.1,
    },
    named={"graph": 7.6, "pair": 1.5},
    covered=frozenset({"words", "around", "group", "soft", "soft_around", "static", "static_around"}),
    needs="static",
    otherwise="words",
)
MEANING = Recipe(
    name="meaning",
    find={"words": 200, "static": 80, "meaning": 80},
    look={"words": 1.0, "around": 1.0, "static": 1.0, "static_around": 1.0, "meaning": 2.0, "meaning_around": 2.0},
    follow={"graph": 50},
    plain={
        "around": 1.1,
        "group": 2.85,
        "static": 1.2,
        "static_around": 1.3,
        "meaning": 0.4,
        "meaning_around": 1.9,
        "meaning_titled": 4.0,
        "soft": 1.55,
        "soft_around": 2.5,
        "said_by": 0.95,
        "asks": -2.1,
        "length": 1.6,
        "time": 1.0,
        "recency": 0.1,
    },
    named={"graph": 5.1, "pair": 2.4, "meaning": 2.7},
    covered=DEFAULT.covered,
    needs="encoder",
    otherwise="default",
)
RECIPES = {recipe.name: recipe for recipe in (WORDS, DEFAULT, MEANING)}
