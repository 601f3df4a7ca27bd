"""Opens the reranker a setting names. Whatever is missing leaves hits in their order with a notice, never an error."""

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import entry_points

from holdfast.core.reranker import NoReranker, Reranker
from holdfast.core.value import Value
from holdfast.embed.embedder_request import ProviderRequest, RequiredPackage, SettingsView, install_command

SETTING = "search.reranker"
GROUP = "holdfast.rerankers"
OFF = NoReranker(reason="no reranker is set", wanted=False)


class RerankerKind(Value):
    """One kind of reranker: its module, what stands after its colon, and the packages it runs on."""

    module: str
    takes: str
    packages: tuple[RequiredPackage, ...] = ()


KINDS: Mapping[str, RerankerKind] = {
    "endpoint": RerankerKind(module="rerank_endpoint", takes="MODEL"),
    "folder": RerankerKind(
        module="cross_encoder",
        takes="PATH",
        packages=(RequiredPackage(name="onnxruntime"), RequiredPackage(name="tokenizers")),
    ),
}


def open_reranker(settings: SettingsView, home: str, environment: Mapping[str, str]) -> Reranker | NoReranker:
    """The reranker of `search.reranker`. Opening sends nothing and fetches nothing."""
    kind, _, rest = str(settings[SETTING]).strip().partition(":")
    if kind in {"none", ""}:
        return OFF
    asked = ProviderRequest(kind=kind, rest=rest, settings=settings, home=home, environment=environment)
    known = KINDS.get(kind)
    if known is not None and not rest:
        form = f"{kind}:{known.takes}"
        return NoReranker(reason=f"reranker {asked.whole!r} is not of the form {form!r}", hint=f"write it as {form!r}.")
    try:
        return _make_reranker(asked, known)
    except ImportError as error:
        hint = "; then ".join(install_command(package) for package in known.packages) if known else ""
        missing = error.name or str(error)
        return NoReranker(reason=f"reranker {asked.whole!r} needs the package {missing!r}", hint=hint)
    # Another package's code and a foreign model's files fail in every way there is.
    except Exception as error:
        return NoReranker(
            reason=f"reranker {asked.whole!r} could not be opened: {type(error).__name__}: {error}",
            hint=f"set another one, or `holdfast config {SETTING} none`.",
        )


def _make_reranker(asked: ProviderRequest, known: RerankerKind | None) -> Reranker | NoReranker:
    made: Reranker | NoReranker
    if known is not None:
        made = import_module(f"holdfast.embed.{known.module}").make(asked)
        return made
    for entry in entry_points(group=GROUP, name=asked.kind):
        made = entry.load()(asked)
        return made
    return NoReranker(
        reason=f"there is no reranker {asked.whole!r}",
        hint=f"one of endpoint:MODEL, folder:PATH, none; or install the package that brings it as {GROUP!r}.",
    )
