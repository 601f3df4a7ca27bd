"""Kinds of embedder that other packages bring, by the entry point group `holdfast.embedders`."""

from importlib.metadata import entry_points

from holdfast.core.embedder import Embedder, Missing
from holdfast.embed.embedder_request import ProviderRequest

GROUP = "holdfast.embedders"


def make(asked: ProviderRequest) -> Embedder | Missing:
    """What the first package that knows this kind makes of it."""
    for entry in entry_points(group=GROUP, name=asked.kind):
        made: Embedder | Missing = entry.load()(asked)
        return made
    return unknown_embedder(asked)


def unknown_embedder(asked: ProviderRequest) -> Missing:
    """Nobody knows this kind."""
    return Missing(
        reason=f"there is no embedder {asked.whole!r}",
        hint="one of static, granite, minilm, multilingual, folder:PATH, fastembed:NAME, openai:MODEL, none.",
    )
