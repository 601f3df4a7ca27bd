"""A model on loopback, in the four dialects that the clients speak: one tool call, then a last word.

It is also the only proxy the clients are given, so that whatever else they would ask for ends here, noted.
"""

import gzip
import json
import threading
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ANSWER = "Done, the tool said hello."
COMMAND = "echo hello-from-tool"
# What Claude Code is told to call instead of the shell: a tool's name and its input.
CALL: tuple[str, dict[str, Any]] | None = None
# Words, and the command that Claude Code and Codex run when they are told them.
WHEN_ASKED: tuple[str, str] | None = None
# What Claude Code asks for when it compacts, and a bad answer to it: all that mattered is lost.
COMPACTING = "an <analysis> block followed by a <summary> block"
SUMMARY = "<analysis>Little.</analysis>\n<summary>They talked about a project.</summary>"
# A prompt with these words is handed to a subagent, with this task.
DELEGATED = "Let a subagent look around"
TASK = "Look at the project."

Body = dict[str, Any]


class Model:
    """The running stub: what was asked of it, and what was asked of others through it."""

    def __init__(self) -> None:
        self.asked: list[Body] = []
        self.elsewhere: list[str] = []
        self.before_answering: Callable[[Body], None] = lambda _: None
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def texts(self) -> list[str]:
        """Every text in every request so far."""
        return [text for body in list(self.asked) for text in texts_in(body)]


def texts_in(value: object) -> Iterator[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_in(inner)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: Model) -> None:
        self.model = model
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up in the middle is its own business."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        """Not on the test's output."""

    def do_CONNECT(self) -> None:
        self.server.model.elsewhere.append(self.path)
        self._whole({"error": "this test talks to nobody"}, 403)

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        if self.path.split("?")[0].endswith("/models"):
            self._whole({"object": "list", "data": [{"id": "fake", "object": "model"}], "models": []})
        else:
            if self.path.startswith("http"):
                self.server.model.elsewhere.append(self.path)
            self._whole({"error": "not here"}, 404)

    def do_POST(self) -> None:
        body = self._body()
        path = self.path.split("?")[0]
        if path.endswith("/messages/count_tokens"):
            self._whole({"input_tokens": 42})
        elif path.endswith(":countTokens"):
            self._whole({"totalTokens": 42})
        elif path.endswith("/messages"):
            self._asked(body, _anthropic(body))
        elif path.endswith("/chat/completions"):
            self._asked(body, _chat(body))
        elif path.endswith("/responses"):
            self._asked(body, _responses(body))
        elif path.endswith("enerateContent"):
            self._asked(body | {"stream": "stream" in path}, _gemini(body))
        else:
            if self.path.startswith("http"):
                self.server.model.elsewhere.append(self.path)
            self._whole({}, 404)

    def _body(self) -> Body:
        raw = b""
        if "chunked" in (self.headers.get("transfer-encoding") or ""):
            while size := int(self.rfile.readline().strip() or b"0", 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.headers.get("content-encoding") == "gzip":
            raw = gzip.decompress(raw)
        try:
            found = json.loads(raw or b"{}")
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def _asked(self, body: Body, answer: "Answer") -> None:
        self.server.model.asked.append(body)
        self.server.model.before_answering(body)
        whole, pieces = answer
        if not body.get("stream"):
            self._whole(whole)
            return
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for kind, piece in pieces:
            data = piece if isinstance(piece, str) else json.dumps(piece)
            self._chunk((f"event: {kind}\n" if kind else "") + f"data: {data}\n\n")
        self._chunk("")

    def _chunk(self, text: str) -> None:
        raw = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(raw), raw))
        self.wfile.flush()

    def _whole(self, document: Body, status: int = 200) -> None:
        raw = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


# An answer whole, and the same in pieces, each with the name of its event where the dialect has one.
Piece = tuple[str, Body | str]
Answer = tuple[Body, list[Piece]]


def _id(start: str) -> str:
    return start + uuid.uuid4().hex[:20]


def _next_command(said: object, ran: int) -> str:
    """What to run now, after so many commands: the usual one first, then what it was asked for; empty for nothing."""
    if not ran:
        return COMMAND
    asked = WHEN_ASKED is not None and ran == 1 and any(WHEN_ASKED[0] in text for text in texts_in(said))
    return WHEN_ASKED[1] if WHEN_ASKED is not None and asked else ""


def _anthropic(body: Body) -> Answer:
    contents = [message.get("content") for message in body.get("messages", [])]
    parts = [part for content in contents if isinstance(content, list) for part in content]
    tools = {tool.get("name") for tool in body.get("tools") or []}
    command = _next_command(contents, sum(part.get("type") == "tool_result" for part in parts))
    compacts = any(COMPACTING in text for text in texts_in(contents[-1:]))
    calls = "Bash" in tools and bool(command) and not compacts
    words = SUMMARY if compacts else "Let me run a command." if calls else ANSWER
    blocks: list[Body] = [{"type": "text", "text": words}]
    if calls:
        given: Body = {"command": command, "description": "Say hello"}
        delegates = "Agent" in tools and any(DELEGATED in text for text in texts_in(contents))
        if delegates:
            given = {"description": "look", "prompt": TASK, "subagent_type": "general-purpose"}
        name = "Agent" if delegates else "Bash"
        if CALL and not delegates:
            name, given = CALL
        blocks.append({"type": "tool_use", "id": _id("toolu_"), "name": name, "input": given})
    usage = {"input_tokens": 100, "output_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    base = {"id": _id("msg_"), "type": "message", "role": "assistant", "model": body.get("model", "fake")}
    stop = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    begun = {**base, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    pieces: list[Body] = [{"type": "message_start", "message": begun}]
    for at, block in enumerate(blocks):
        text = block["type"] == "text"
        empty = {"type": "text", "text": ""} if text else {**block, "input": {}}
        delta = (
            {"type": "text_delta", "text": block["text"]}
            if text
            else {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        )
        pieces += [
            {"type": "content_block_start", "index": at, "content_block": empty},
            {"type": "content_block_delta", "index": at, "delta": delta},
            {"type": "content_block_stop", "index": at},
        ]
    pieces += [{"type": "message_delta", "delta": stop, "usage": {"output_tokens": 20}}, {"type": "message_stop"}]
    return {**base, **stop, "content": blocks, "usage": usage}, [(piece["type"], piece) for piece in pieces]


def _chat(body: Body) -> Answer:
    tools = {tool["function"]["name"] for tool in body.get("tools") or [] if tool.get("type") == "function"}
    calls = "bash" in tools and not any(message.get("role") == "tool" for message in body.get("messages", []))
    delegates = "task" in tools and any(DELEGATED in text for text in texts_in(body.get("messages", [])))
    given: Body = {"command": COMMAND, "description": "Say hello"}
    if delegates:
        given = {"description": "look", "prompt": TASK, "subagent_type": "general"}
    function = {"name": "task" if delegates else "bash", "arguments": json.dumps(given)}
    call = {"id": _id("call_"), "type": "function", "function": function}
    message: Body = {"role": "assistant", "content": None if calls else ANSWER}
    delta = dict(message)
    if calls:
        message["tool_calls"] = [call]
        delta["tool_calls"] = [{"index": 0, **call}]
    stop = "tool_calls" if calls else "stop"
    base = {"id": _id("chatcmpl-"), "created": 1_700_000_000, "model": body.get("model", "fake")}
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    whole = {
        **base,
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": stop}],
        "usage": usage,
    }
    chunk = {**base, "object": "chat.completion.chunk"}
    return whole, [
        ("", {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}),
        ("", {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": stop}]}),
        ("", {**chunk, "choices": [], "usage": usage}),
        ("", "[DONE]"),
    ]


def _responses(body: Body) -> Answer:
    given = body.get("input")
    items = given if isinstance(given, list) else []
    command = _next_command(items, sum(str(item.get("type", "")).endswith("_call_output") for item in items))
    tools = {str(tool.get("name") or tool.get("type")) for tool in body.get("tools") or []}
    shells = {
        "exec_command": {"cmd": command},
        "shell_command": {"command": command},
        "shell": {"command": ["bash", "-c", command]},
    }
    shell = next((name for name in shells if name in tools), "")
    item: Body
    if shell and command:
        call = {"call_id": _id("call_"), "name": shell, "arguments": json.dumps(shells[shell])}
        item = {"type": "function_call", "id": _id("fc_"), "status": "completed", **call}
    else:
        content = [{"type": "output_text", "text": ANSWER, "annotations": []}]
        item = {"type": "message", "id": _id("msg_"), "role": "assistant", "status": "completed", "content": content}
    usage = {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 120,
    }
    whole = {
        "id": _id("resp_"),
        "object": "response",
        "created_at": 1_700_000_000,
        "status": "completed",
        "model": body.get("model", "fake"),
        "output": [item],
        "usage": usage,
    }
    pieces: list[Body] = [
        {"type": "response.created", "response": {**whole, "status": "in_progress", "output": [], "usage": None}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    return whole, [(piece["type"], {"sequence_number": at, **piece}) for at, piece in enumerate(pieces)]


def _gemini(body: Body) -> Answer:
    tools = [tool for each in body.get("tools") or [] for tool in each.get("functionDeclarations") or []]
    parts = [part for content in body.get("contents", []) for part in content.get("parts", [])]
    ran = any("functionResponse" in part for part in parts)
    part: Body = {"text": ANSWER}
    schema = (body.get("generationConfig") or {}).get("responseJsonSchema")
    if schema:
        part = {"text": json.dumps(_filled(schema))}
    elif not ran and any(tool["name"] == "run_shell_command" for tool in tools):
        given = {"command": COMMAND, "description": "Say hello"}
        part = {"functionCall": {"name": "run_shell_command", "args": given}}
    whole = {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120},
        "modelVersion": "fake",
        "responseId": _id(""),
    }
    return whole, [("", whole)]


def _filled(schema: Body) -> Body:
    """Something that fits a schema: Gemini CLI asks which of its models should answer."""
    empty = {"string": "ok", "boolean": False, "number": 1, "integer": 1, "array": [], "object": {}}
    return {
        name: kind["enum"][0] if kind.get("enum") else empty.get(str(kind.get("type", "string")).lower(), "ok")
        for name, kind in (schema.get("properties") or {}).items()
    }
