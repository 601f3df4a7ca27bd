"""Markdown as the way a memory is written down, for vaults that keep their files elsewhere."""

from holdfast.core.file_names import file_name
from holdfast.core.memory import Memory, MemoryFile, Scope
from holdfast.vault.edit_entry import remove_entry, render_new_file, replace_entry
from holdfast.vault.parse_memory import parse


class MarkdownTexts:
    """The texts of memory files."""

    def new(self, memory: Memory) -> bytes:
        """The text of a new file with this memory. Raises NotWritable."""
        return render_new_file(memory).encode()

    def changed(self, data: bytes, line: int, memory: Memory) -> bytes:
        """A file's text with the entry that opens on a line changed to this memory. Raises NotWritable."""
        return replace_entry(data.decode(), line, memory).encode()

    def without(self, data: bytes, line: int) -> tuple[bytes | None, str]:
        """A file's text without the entry that opens on a line (None: nothing is left), and the entry's own."""
        rest, removed = remove_entry(data.decode(), line)
        return (rest.encode() if rest.strip("\ufeff \t\r\n") else None), removed

    def read(self, data: bytes, path: str, scope: Scope) -> MemoryFile:
        """A file, parsed."""
        return parse(data, path=path, scope=scope)

    def name(self, memory_id: str, title: str = "") -> str:
        """What a file with this memory is called."""
        return file_name(memory_id, title)
