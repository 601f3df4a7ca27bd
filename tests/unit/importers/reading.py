"""Folders for readers to read, and what they gave."""

from pathlib import Path

from holdfast.importers.import_values import ImportedItem, Importer, ImportSource, RejectedItem


def put(root: Path, texts: dict[str, str]) -> str:
    """Files below a folder; its path."""
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return str(root)


def read(importer: Importer, path: str, **more: str) -> tuple[list[ImportedItem], list[RejectedItem]]:
    """What a reader takes, and what it turns down."""
    found = list(importer.read(ImportSource(path=path, label="src", **more)))
    taken = [each for each in found if isinstance(each, ImportedItem)]
    return taken, [each for each in found if isinstance(each, RejectedItem)]
