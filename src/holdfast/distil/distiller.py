"""What makes candidates, a summary and a briefing out of a session."""

from typing import Protocol

from holdfast.core.conversation import Conversation
from holdfast.core.distilled import Distilled, Known


class Distiller(Protocol):
    """Reads one conversation. Every candidate is a candidate, with evidence that stands in the conversation."""

    name: str

    def distil(self, conversation: Conversation, known: Known) -> Distilled:
        """What the conversation gave, without what is known already. The same input gives the same output."""
