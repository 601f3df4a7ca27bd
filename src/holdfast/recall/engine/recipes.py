"""Named recipes: what each weighs was chosen by cross-validation over all sets of questions (`bench.recall --fit`)."""

from holdfast.recall.engine.values import Recipe

WORDS = Recipe(
    name="words",
    find={"words": 100},
    look={"words": 1.0, "around": 1.0},
    plain={
        "words": 2.75,
        "around": 5.7,
        "group": 3.5,
        "said_by": 1.1,
        "asks": -1.95,
        "length": 1.55,
        "time": 2.55,
        "recency": 0.1,
    },
    covered=frozenset({"words", "around", "group", "soft", "soft_around"}),
)
DEFAULT = Recipe(
    name="default",
    find={"words": 100, "static": 50},
    look={"words": 1.0, "around": 1.0, "static": 1.0, "static_around": 1.0},
    follow={"graph": 50},
    plain={
        "around": 1.5,
        "group": 1.65,
        "static": 0.55,
        "static_around": 2.45,
        "static_group": 2.85,
        "soft": 2.25,
        "soft_around": 2.45,
        "said_by": 1.05,
        "asks": -2.0,
        "length": 1.0,
        "time": 2.3,
        "recency": 0.1,
    },
    named={"graph": 6.7, "pair": 1.65},
    covered=WORDS.covered | {"static", "static_around", "static_group"},
    needs="static",
    otherwise="words",
)
MEANING = Recipe(
    name="meaning",
    find={"words": 100, "static": 50, "meaning": 60},
    look={"words": 1.0, "around": 1.0, "static": 1.0, "static_around": 1.0, "meaning": 2.0, "meaning_around": 2.0},
    follow={"graph": 50},
    # The fit leaves meaning_titled anywhere from 1 to 8; notes asked for in other words want it high.
    plain={
        "around": 1.3,
        "group": 1.25,
        "static": 0.85,
        "static_around": 1.2,
        "static_group": 0.7,
        "meaning_around": 0.95,
        "meaning_group": 1.8,
        "meaning_titled": 4.0,
        "soft": 1.9,
        "soft_around": 2.4,
        "said_by": 1.0,
        "asks": -1.85,
        "length": 1.55,
        "time": 2.3,
        "recency": 0.1,
    },
    named={"graph": 4.75, "pair": 1.7, "meaning": 2.0},
    covered=DEFAULT.covered,
    needs="encoder",
    otherwise="default",
)
RECIPES = {recipe.name: recipe for recipe in (WORDS, DEFAULT, MEANING)}
