"""Models on loopback: real sockets that answer in each vendor's format, well and badly."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from holdfast.core.model import Ask, Message, Role
from holdfast.llm.anthropic_messages import AnthropicMessages
from holdfast.llm.chat_completions import ChatCompletions
from holdfast.llm.dialect import Dialect
from holdfast.llm.gemini_model import GenerateContent
from holdfast.llm.http_model import EndpointModel, ModelIdentity
from holdfast.llm.openai_responses import OpenAIResponses
from holdfast.llm.wire import ModelTimeouts, ModelWire

KEY = "sk-test-0123456789abcdef"
QUICK = ModelTimeouts(connect=2, read=1, total=5, attempts=3, first_pause=0.01, longest_pause=2)
Events = list[dict[str, Any]]
Answer = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Answers by the next function in line; the last one stays."""

    protocol_version = "HTTP/1.1"
    server: "Server"

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append((self.path, dict(self.headers), json.loads(raw)))
        answers = self.server.answers
        try:
            (answers.pop(0) if len(answers) > 1 else answers[0])(self)
        except OSError:
            self.close_connection = True

    def do_GET(self) -> None:
        self.plain(200, json.dumps({"data": [{"id": "first"}, {"id": "second"}]}).encode(), "application/json")

    def plain(self, status: int, body: bytes, kind: str, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def begin(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def piece(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def end(self) -> None:
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the library's word
        """Quiet."""


class Server(ThreadingHTTPServer):
    """What was asked, and what is answered."""

    daemon_threads = True

    def __init__(self, answers: list[Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = answers
        self.seen: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.over = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no trouble of the server's."""


@contextmanager
def serving(*answers: Answer) -> Iterator[Server]:
    server = Server(list(answers))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
        thread.join(5)


def anthropic_events(text: str = "Hello.", **usage: int) -> Events:
    counted = {"input_tokens": 10, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 2, **usage}
    return [
        {"type": "message_start", "message": {"model": "m-1", "usage": {**counted, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": t}}
            for t in _halves(text)
        ),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]


def chat_events(text: str = "Hello.") -> Events:
    base = {"object": "chat.completion.chunk", "model": "m-1"}
    pieces = [
        {**base, "choices": [{"index": 0, "delta": {"content": t}, "finish_reason": None}]} for t in _halves(text)
    ]
    usage = {"prompt_tokens": 16, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}}
    return [
        *pieces,
        {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {**base, "choices": [], "usage": usage},
    ]


def responses_events(text: str = "Hello.") -> Events:
    usage = {"input_tokens": 16, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 5}
    done = {"id": "r", "status": "completed", "model": "m-1", "output": [{"type": "message"}], "usage": usage}
    return [
        {"type": "response.created", "response": {"status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": {"type": "message"}},
        *({"type": "response.output_text.delta", "output_index": 0, "delta": t} for t in _halves(text)),
        {"type": "response.output_text.done", "output_index": 0, "text": text},
        {"type": "response.completed", "response": done},
    ]


def gemini_events(text: str = "Hello.") -> Events:
    usage = {"promptTokenCount": 16, "candidatesTokenCount": 3, "thoughtsTokenCount": 2, "cachedContentTokenCount": 4}
    first, second = _halves(text)
    return [
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": first}]}}]},
        {
            "candidates": [{"content": {"role": "model", "parts": [{"text": second}]}, "finishReason": "STOP"}],
            "usageMetadata": usage,
            "modelVersion": "m-1",
        },
    ]


def _halves(text: str) -> list[str]:
    return [text[: len(text) // 2], text[len(text) // 2 :]]


DIALECTS: Mapping[str, tuple[Callable[[], Dialect], Callable[..., Events]]] = {
    "anthropic": (AnthropicMessages, anthropic_events),
    "chat": (ChatCompletions, chat_events),
    "responses": (OpenAIResponses, responses_events),
    "gemini": (GenerateContent, gemini_events),
}


def sse(events: Events, *, done: bool = True) -> bytes:
    named = (f"event: {event.get('type', 'x')}\r\ndata: {json.dumps(event)}\r\n\r\n" for event in events)
    return "".join([*named, "data: [DONE]\n\n" if done else ""]).encode()


def streaming(events: Events, *, size: int = 7, pause: float = 0.0) -> Answer:
    """An answer that comes in pieces that end anywhere."""

    def answer(handler: Handler) -> None:
        handler.begin()
        data = sse(events)
        for start in range(0, len(data), size):
            handler.piece(data[start : start + size])
            handler.server.over.wait(pause)
        handler.end()

    return answer


def status(code: int, message: str = "", **headers: str) -> Answer:
    body = json.dumps({"error": {"message": message, "type": "x"}}).encode()
    return lambda handler: handler.plain(code, body, "application/json", **headers)


def model_at(
    server: Server, dialect: str = "anthropic", patience: ModelTimeouts = QUICK, name: str = "m-1"
) -> EndpointModel:
    wire = ModelWire(f"{dialect}:{name}", server.url, KEY, patience)
    return EndpointModel(ModelIdentity(name=f"{dialect}:{name}", model=name), DIALECTS[dialect][0](), wire, KEY)


def asking(text: str = "Say hello", **more: Any) -> Ask:
    return Ask(messages=(Message(role=Role.USER, text=text),), **more)
