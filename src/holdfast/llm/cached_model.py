"""A model whose replies are kept: the same request of the same model is made once."""

import json
from collections.abc import AsyncGenerator
from contextlib import suppress
from hashlib import blake2b
from typing import Any, Protocol

from holdfast.core.errors import HoldfastError
from holdfast.core.model import Ask, Delta, Reply, Stop
from holdfast.core.model_port import Model, Traits
from holdfast.core.value import Value, as_dict, replace
from holdfast.llm.cost_ledger import REMEMBERED, CostEntry, CostLedger
from holdfast.llm.dialect import parse_json, text_or_empty

VERSION = 1


class ReplyStore(Protocol):
    """Where replies are kept. Losing one costs a request."""

    def read(self, name: str) -> bytes | None:
        """What is kept under a name."""

    def write(self, name: str, data: bytes) -> None:
        """Keep it, whole or not at all."""


class RememberingModel:
    """Keeps replies that ended well and call no tool."""

    def __init__(self, inner: Model, replies: ReplyStore, ledger: CostLedger) -> None:
        self._inner, self._replies, self._ledger = inner, replies, ledger

    @property
    def name(self) -> str:
        """The inner model's."""
        return self._inner.name

    @property
    def traits(self) -> Traits:
        """The inner model's."""
        return self._inner.traits

    def complete(self, ask: Ask) -> Reply:
        """The reply that is kept, or a new one."""
        name = f"{request_key(self.name, ask)}.json"
        kept = self._kept(name)
        if kept is not None:
            self._ledger.note(
                CostEntry(
                    id="",
                    ts="",
                    outcome=REMEMBERED,
                    model=self.name,
                    purpose=ask.purpose,
                    session=ask.session,
                    cost=0.0,
                )
            )
            return kept
        reply = self._inner.complete(ask)
        if reply.stop is Stop.END and not reply.calls:
            self._keep(name, reply)
        return reply

    def stream(self, ask: Ask) -> AsyncGenerator[Delta, None]:
        """As the inner model does it: who reads along wants a new reply."""
        return self._inner.stream(ask)

    def _kept(self, name: str) -> Reply | None:
        found = parse_json((self._replies.read(name) or b"").decode("utf-8", "replace"))
        if not isinstance(found, dict) or found.get("v") != VERSION or not text_or_empty(found.get("text")):
            return None
        return Reply(text=found["text"], model=text_or_empty(found.get("model")), cost=0.0, remembered=True)

    def _keep(self, name: str, reply: Reply) -> None:
        text = json.dumps({"v": VERSION, "model": reply.model, "text": reply.text}, ensure_ascii=False)
        # Where it cannot be written, the reply is still good.
        with suppress(HoldfastError, OSError):
            self._replies.write(name, text.encode("utf-8", "replace"))


def request_key(model: str, ask: Ask) -> str:
    """What tells requests apart: the model, and every word that is sent."""
    said = replace(ask, purpose="", session="")
    form = json.dumps([VERSION, model, _to_plain(said)], ensure_ascii=False, sort_keys=True)
    return blake2b(form.encode("utf-8", "replace"), digest_size=16).hexdigest()


def _to_plain(value: Any) -> Any:
    if isinstance(value, Value):
        return {name: _to_plain(inner) for name, inner in as_dict(value).items()}
    if isinstance(value, tuple | list):
        return [_to_plain(inner) for inner in value]
    if isinstance(value, dict):
        return {str(name): _to_plain(inner) for name, inner in value.items()}
    return value if isinstance(value, int | float | bool | None) else str(value)
