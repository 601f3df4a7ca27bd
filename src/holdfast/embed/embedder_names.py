"""Whether a value names an embedder, by its form alone: what it runs on may be installed later."""

from importlib.metadata import entry_points

from holdfast.core.embedder import Missing
from holdfast.embed.embedder_request import ProviderRequest
from holdfast.embed.open_embedder import KINDS, misspelt_embedder
from holdfast.embed.plugins import GROUP, unknown_embedder


def why_no_embedder(value: str) -> Missing | None:
    """Why a value names none."""
    kind, _, rest = value.strip().partition(":")
    asked = ProviderRequest(kind=kind, rest=rest, settings={}, home="", environment={})
    if kind in KINDS:
        return misspelt_embedder(asked, KINDS[kind]) if bool(rest) != bool(KINDS[kind].takes) else None
    return None if kind in {"none", ""} or entry_points(group=GROUP, name=kind) else unknown_embedder(asked)
