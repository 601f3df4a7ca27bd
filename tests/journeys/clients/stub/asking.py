"""The model on loopback, but it asks for one tool of an MCP server instead of a shell."""

import json
from collections.abc import Mapping
from typing import Any

from tests.journeys.clients.stub.model import Answer, Body, Model, _anthropic, _Handler, _responses


class AskingModel(Model):
    """Asks for this tool once, as soon as the client offers it; until then it runs its usual command."""

    def __init__(self, server: str, tool: str, given: Mapping[str, Any]) -> None:
        super().__init__()
        self.space = f"mcp__{server}"
        self.tool = tool
        self.given = given
        self.called = False
        self._server.RequestHandlerClass = _AskingHandler


class _AskingHandler(_Handler):
    def _asked(self, body: Body, answer: Answer) -> None:
        model = self.server.model
        assert isinstance(model, AskingModel)
        if not model.called and model.space in json.dumps(body.get("tools")) + json.dumps(body.get("messages")):
            model.called = True
            answer = _call(body, model)
        super()._asked(body, answer)


def _call(body: Body, model: AskingModel) -> Answer:
    """The usual call of a shell, turned into one of the tool."""
    bare = {**body, "input": [], "messages": []}
    whole, pieces = _anthropic(bare) if "messages" in body else _responses(bare)
    return _swapped(whole, model), [(kind, _swapped(piece, model)) for kind, piece in pieces]


def _swapped(value: Any, model: AskingModel) -> Any:
    if isinstance(value, list):
        return [_swapped(each, model) for each in value]
    if not isinstance(value, dict):
        return value
    changed = {key: _swapped(held, model) for key, held in value.items()}
    match changed.get("type"):
        case "tool_use":
            return {**changed, "name": f"{model.space}__{model.tool}", "input": changed["input"] and dict(model.given)}
        case "input_json_delta":
            return {**changed, "partial_json": json.dumps(model.given)}
        case "function_call":
            # Codex offers the tools of a server as a namespace.
            return {**changed, "namespace": model.space, "name": model.tool, "arguments": json.dumps(model.given)}
    return changed
