"""Model servers on loopback that answer as the vendors do; what they say is a function of what they were asked."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from holdfast.core.value import Value

NOTHING: Mapping[str, Any] = {}


class Heard(Value):
    """A request, whatever its vendor: instructions, all that was said, results of the last calls, what may be used."""

    system: str
    text: str
    results: tuple[str, ...]
    tools: tuple[str, ...]
    shape: str
    turns: int


class Say(Value):
    """An answer: words, calls (name and arguments), or trouble: `status`, `cut` (in the middle), `stall` seconds."""

    text: str = ""
    calls: tuple[tuple[str, Mapping[str, Any] | str], ...] = ()
    status: int = 200
    cut: bool = False
    stall: float = 0.0
    tokens: int = 10


Mind = Callable[[Heard], Say]


class Server(ThreadingHTTPServer):
    """A model with a mind. `heard` keeps what it was asked."""

    daemon_threads = True

    def __init__(self, mind: Mind) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.mind = mind
        self.heard: list[Heard] = []
        self.keys: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def environment(self, vendor: str) -> dict[str, str]:
        """What a process must be told to speak with it."""
        names = {
            "anthropic": ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "", "anthropic:test-1"),
            "openai": ("OPENAI_BASE_URL", "OPENAI_API_KEY", "/v1", "openai:test-1"),
            "gemini": ("GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY", "", "gemini:test-1"),
            "ollama": ("OLLAMA_HOST", "", "", "ollama:test-1"),
        }
        base, key, path, model = names[vendor]
        return {base: self.url + path, "HOLDFAST_MODEL": model, **({key: "sk-loopback-key"} if key else {})}

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no trouble of the server's."""


@contextmanager
def minding(mind: Mind) -> Iterator[Server]:
    server = Server(mind)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.keys.append(str(self.headers.get("x-api-key") or self.headers.get("Authorization") or ""))
        read, write = _VENDORS[_vendor(self.path)]
        heard = read(body)
        self.server.heard.append(heard)
        said = self.server.mind(heard)
        try:
            self._answer(said, write(said))
        except OSError:
            self.close_connection = True

    def _answer(self, said: Say, events: Sequence[Mapping[str, Any]]) -> None:
        if said.status != 200:
            data = json.dumps({"error": {"message": said.text or "no", "type": "api_error"}}).encode()
            self.send_response(said.status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in events[: len(events) // 2] if said.cut else events:
            time.sleep(said.stall)
            data = f"event: {event.get('type', 'x')}\ndata: {json.dumps(event)}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
        if said.cut:
            self.close_connection = True
            self.connection.close()
            return
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library's word
        """Quiet."""


def _vendor(path: str) -> str:
    for name, mark in (("anthropic", "/messages"), ("openai", "/responses"), ("gemini", "GenerateContent")):
        if mark in path:
            return name
    return "chat"


def _anthropic(body: Mapping[str, Any]) -> Heard:
    blocks = [block for message in body["messages"] for block in message["content"]]
    last = body["messages"][-1]["content"]
    names = tuple(tool["name"] for tool in body.get("tools", ()))
    shape = body.get("output_config", {}).get("format", {}).get("schema", {})
    return Heard(
        system="\n".join(block["text"] for block in body.get("system", ())),
        text="\n".join(block["text"] for block in blocks if block["type"] == "text"),
        results=tuple(str(block["content"]) for block in last if block["type"] == "tool_result"),
        tools=names, shape=_first(shape), turns=len(body["messages"]),
    )  # fmt: skip


def _to_anthropic(said: Say) -> list[dict[str, Any]]:
    usage = {"input_tokens": said.tokens, "output_tokens": 1}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {"model": "test-1", "usage": usage}}]
    blocks: list[tuple[dict[str, Any], dict[str, Any]]] = []
    if said.text:
        blocks.append(({"type": "text", "text": ""}, {"type": "text_delta", "text": said.text}))
    for number, (name, arguments) in enumerate(said.calls):
        begin = {"type": "tool_use", "id": f"toolu_{number}_{time.monotonic_ns()}", "name": name, "input": {}}
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        blocks.append((begin, {"type": "input_json_delta", "partial_json": text}))
    for place, (begin, delta) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": place, "content_block": begin})
        events.append({"type": "content_block_delta", "index": place, "delta": delta})
        events.append({"type": "content_block_stop", "index": place})
    stop = "tool_use" if said.calls else "end_turn"
    events.append({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": said.tokens}})
    return [*events, {"type": "message_stop"}]


def _chat(body: Mapping[str, Any]) -> Heard:
    messages = body["messages"]
    results = []
    for message in reversed(messages):
        if message["role"] != "tool":
            break
        results.append(str(message["content"]))
    form = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
    return Heard(
        system="\n".join(str(m["content"]) for m in messages if m["role"] in {"system", "developer"}),
        text="\n".join(str(m["content"]) for m in messages if m["role"] == "user"),
        results=tuple(reversed(results)), tools=tuple(t["function"]["name"] for t in body.get("tools", ())),
        shape=_first(form), turns=len(messages),
    )  # fmt: skip


def _to_chat(said: Say) -> list[dict[str, Any]]:
    base = {"object": "chat.completion.chunk", "model": "test-1"}
    deltas: list[dict[str, Any]] = [{"content": said.text}] if said.text else []
    for number, (name, arguments) in enumerate(said.calls):
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        call = {
            "index": number, "id": f"call_{number}_{time.monotonic_ns()}", "type": "function",
            "function": {"name": name, "arguments": text},
        }  # fmt: skip
        deltas.append({"tool_calls": [call]})
    stop = "tool_calls" if said.calls else "stop"
    usage = {"prompt_tokens": said.tokens, "completion_tokens": said.tokens}
    return [
        *({**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas),
        {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": stop}]},
        {**base, "choices": [], "usage": usage},
    ]


def _responses(body: Mapping[str, Any]) -> Heard:
    items = body["input"]
    results = []
    for item in reversed(items):
        if item.get("type") != "function_call_output":
            break
        results.append(str(item["output"]))
    said = [
        part["text"]
        for item in items
        if item.get("role") == "user"
        for part in (item["content"] if isinstance(item["content"], list) else [{"text": item["content"]}])
    ]
    return Heard(
        system=str(body.get("instructions", "")), text="\n".join(said), results=tuple(reversed(results)),
        tools=tuple(tool["name"] for tool in body.get("tools", ())),
        shape=_first(body.get("text", {}).get("format", {}).get("schema", {})), turns=len(items),
    )  # fmt: skip


def _to_responses(said: Say) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = [{"type": "response.created", "response": {"status": "in_progress"}}]
    place = 0
    if said.text:
        events.append({"type": "response.output_item.added", "output_index": 0, "item": {"type": "message"}})
        events.append({"type": "response.output_text.delta", "output_index": 0, "delta": said.text})
        place = 1
    for number, (name, arguments) in enumerate(said.calls, start=place):
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        item = {
            "type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}_{time.monotonic_ns()}",
            "name": name, "arguments": text,
        }  # fmt: skip
        events.append({"type": "response.output_item.added", "output_index": number, "item": {**item, "arguments": ""}})
        events.append({"type": "response.function_call_arguments.delta", "output_index": number, "delta": text})
        events.append({"type": "response.output_item.done", "output_index": number, "item": item})
    usage = {"input_tokens": said.tokens, "output_tokens": said.tokens}
    done = {"status": "completed", "model": "test-1", "output": [], "usage": usage}
    return [*events, {"type": "response.completed", "response": done}]


def _gemini(body: Mapping[str, Any]) -> Heard:
    parts = [part for content in body["contents"] for part in content["parts"]]
    last = body["contents"][-1]["parts"]
    declared = [each for tool in body.get("tools", ()) for each in tool.get("functionDeclarations", ())]
    config = body.get("generationConfig", {})
    shape = config.get("responseJsonSchema") or config.get("responseSchema") or {}
    return Heard(
        system="\n".join(part["text"] for part in body.get("systemInstruction", {}).get("parts", ())),
        text="\n".join(part["text"] for part in parts if "text" in part),
        results=tuple(json.dumps(part["functionResponse"]) for part in last if "functionResponse" in part),
        tools=tuple(each["name"] for each in declared), shape=_first(shape), turns=len(body["contents"]),
    )  # fmt: skip


def _to_gemini(said: Say) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"text": said.text}] if said.text else []
    parts += [{"functionCall": {"name": name, "args": arguments}} for name, arguments in said.calls]
    usage = {"promptTokenCount": said.tokens, "candidatesTokenCount": said.tokens}
    return [
        {
            "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
            "usageMetadata": usage, "modelVersion": "test-1",
        }
    ]  # fmt: skip


def _first(schema: Mapping[str, Any]) -> str:
    """What a shape asks for, by the names of its properties."""
    return " ".join(schema.get("properties", {}))


_VENDORS: Mapping[str, tuple[Callable[[Mapping[str, Any]], Heard], Callable[[Say], Sequence[Mapping[str, Any]]]]] = {
    "anthropic": (_anthropic, _to_anthropic),
    "chat": (_chat, _to_chat),
    "openai": (_responses, _to_responses),
    "gemini": (_gemini, _to_gemini),
}
