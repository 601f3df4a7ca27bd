"""What every client's reader has in common: the pieces that words, calls and what is unknown become."""

from typing import Any

from holdfast.clients.payload import to_snake_case
from holdfast.harvest import transcript_pieces as of
from holdfast.harvest.transcript_pieces import (
    Redactor,
    TranscriptPiece,
    body_key,
    encode_field,
    encode_fields,
    words_key,
)
from holdfast.phrases.foreign_words import why_foreign


class TranscriptReader:
    """Makes pieces for one transcript. `session` and `agent` are what its name says."""

    def __init__(self, redactor: Redactor, session: str = "", agent: str = "") -> None:
        self.redact = redactor
        self.session = session
        self.agent = agent

    def _prompt(self, text: str, base: TranscriptPiece) -> TranscriptPiece:
        shown = self.redact.prompt(text)
        body = encode_field("prompt", shown)
        return base._replace(kind=of.PROMPT, raw=text, private=self.redact.state, words=words_key(shown), body=body)

    def _said(self, text: str, base: TranscriptPiece, provenance: str = "") -> TranscriptPiece | None:
        """What came as the user's words: theirs, somebody else's, or nothing but instructions."""
        why = why_foreign(text) or provenance
        if why == "instructions":
            return None
        if not why and not self.agent:
            return self._prompt(text, base)
        words = str(self.redact.value("output", text)).strip()
        body = encode_fields({"prompt": words})
        return base._replace(
            kind=of.FOREIGN, name=why or "subagent", raw=self.redact.text(text), words=words_key(words), body=body
        )

    def _text(self, text: str, base: TranscriptPiece) -> TranscriptPiece:
        # What becomes of it, a message or an answer, is told by what follows: the name of the field comes then.
        shown = self.redact.text(text)
        return base._replace(kind=of.TEXT, raw=text, words=words_key(shown), body=encode_field("text", shown))

    def _call(self, name: object, given: object, base: TranscriptPiece) -> TranscriptPiece:
        body = encode_field("input", self.redact.value("input", given))
        return base._replace(kind=of.CALL, name=self.redact.id(name), body=body, words=body_key(body))

    def _other(self, kind: str, held: dict[str, Any], base: TranscriptPiece) -> TranscriptPiece:
        body = encode_field("extra", self.redact.value("extra", held))
        return base._replace(kind=of.OTHER, name=to_snake_case(kind) or "unnamed", body=body)
