"""Where lenses lie and what they are called; a search asks for no more, and loads no parser for it."""

import re

FOLDER = "lenses"
ENDINGS = (".md", ".toml")
NONE = "none"
LARGEST = 64 * 1024
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


def parse_lens_name(path: str) -> str:
    """The name of the lens that a file holds; empty for a file that holds none."""
    name = path.rpartition("/")[2]
    bare = next((name.removesuffix(ending) for ending in ENDINGS if name.endswith(ending)), "")
    return bare if bare != NONE and NAME.fullmatch(bare) else ""
