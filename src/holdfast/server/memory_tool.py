"""The Claude API's memory tool over a workspace's memory, for programs that use Anthropic's own SDK."""

from os import PathLike

from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaAbstractMemoryTool
from anthropic.types.beta import (
    BetaCacheControlEphemeralParam,
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from holdfast.core.errors import HoldfastError
from holdfast.library.memory_files import MemoryFiles

Command = (
    BetaMemoryTool20250818ViewCommand
    | BetaMemoryTool20250818CreateCommand
    | BetaMemoryTool20250818StrReplaceCommand
    | BetaMemoryTool20250818InsertCommand
    | BetaMemoryTool20250818DeleteCommand
    | BetaMemoryTool20250818RenameCommand
)


class HoldfastMemoryTool(BetaAbstractMemoryTool):
    """Give it to `client.beta.messages.tool_runner(..., tools=[HoldfastMemoryTool(workspace)])`."""

    def __init__(
        self, workspace: str | PathLike[str], *, cache_control: BetaCacheControlEphemeralParam | None = None
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._files = MemoryFiles(workspace)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """A directory two levels deep, or a file with line numbers."""
        return self._done(command)

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """A new file: a candidate."""
        return self._done(command)

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace words in a file: of a candidate, or as a proposal."""
        return self._done(command)

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Put lines into a file: of a candidate, or as a proposal."""
        return self._done(command)

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Take back what was proposed."""
        return self._done(command)

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move what was proposed."""
        return self._done(command)

    def _done(self, command: Command) -> str:
        try:
            return self._files.execute(command.to_dict())
        except HoldfastError as error:
            raise ToolError("\n".join(filter(None, [str(error), error.hint]))) from error
