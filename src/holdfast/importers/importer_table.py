"""The kinds of source that need nothing but files. `find_readers` adds those that need more."""

from holdfast.importers.agentplane import AGENTPLANE
from holdfast.importers.agents_md import AGENTS_MD
from holdfast.importers.basic_memory import BASIC_MEMORY
from holdfast.importers.claude_code_memory import CLAUDE_MEMORY
from holdfast.importers.codex_memories import CODEX
from holdfast.importers.decision_records import ADR
from holdfast.importers.gemini_memory import GEMINI_MEMORY
from holdfast.importers.mem0 import MEM0
from holdfast.importers.omoios import OMOIOS
from holdfast.importers.pai import PAI
from holdfast.importers.sunwell import SUNWELL

FILE_KINDS = (ADR, AGENTS_MD, CLAUDE_MEMORY, CODEX, GEMINI_MEMORY, BASIC_MEMORY, PAI, AGENTPLANE, SUNWELL, OMOIOS, MEM0)
