"""Small models and an endpoint, made where a test wants them."""

import json
import random
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer, models, pre_tokenizers, processors

WIDTH = 8
Arrays = Mapping[str, npt.NDArray[np.float32]]


def settings(embedder: str, **others: object) -> dict[str, object]:
    return {"embedder": embedder, "embedder_url": "", "embedder_key": "", "embedder_dims": 0, **others}


def write_tokenizer(folder: Path) -> None:
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {letter: place for place, letter in enumerate(["<s>", *letters])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    (folder / "tokenizer.json").write_text(tokenizer.to_str(), encoding="utf-8")


def write_onnx(path: Path, output: str = "last_hidden_state", inputs: tuple[str, ...] = ("input_ids",)) -> None:
    """A network that looks each token up in a table: `Gather`, in the wire format of protocol buffers."""
    table = np.random.default_rng(1).normal(size=(300, WIDTH)).astype("<f4")
    tensor = _number(1, 300) + _number(1, WIDTH) + _number(2, 1) + _text(8, "table") + _bytes(9, table.tobytes())
    node = _text(1, "table") + _text(1, inputs[0]) + _text(2, output) + _text(4, "Gather")
    graph = _bytes(1, node) + _text(2, "small") + _bytes(5, tensor)
    for name in inputs:
        graph += _bytes(11, _value(name, 7, ("batch", "length")))
    graph += _bytes(12, _value(output, 1, ("batch", "length", WIDTH)))
    opset = _text(1, "") + _number(2, 18)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_number(1, 9) + _bytes(7, graph) + _bytes(8, opset))


def write_cross_encoder(path: Path, width: int = 1, inputs: tuple[str, ...] = ("input_ids",)) -> None:
    """A network that looks each token of a pair up and takes the mean: so many numbers for the pair."""
    table = np.random.default_rng(3).normal(size=(300, 1)).astype("<f4")
    tensor = _number(1, 300) + _number(1, 1) + _number(2, 1) + _text(8, "table") + _bytes(9, table.tobytes())
    gather = _text(1, "table") + _text(1, inputs[0]) + _text(2, "states") + _text(4, "Gather")
    mean = _text(1, "states") + _text(2, "mean") + _text(4, "ReduceMean")
    axis = _bytes(5, _text(1, "axis") + _number(3, 0) + _number(20, 2))
    joined = b"".join(_text(1, "mean") for _ in range(width)) + _text(2, "logits") + _text(4, "Concat") + axis
    graph = b"".join(_bytes(1, node) for node in (gather, mean, joined)) + _text(2, "small") + _bytes(5, tensor)
    for name in inputs:
        graph += _bytes(11, _value(name, 7, ("batch", "length")))
    graph += _bytes(12, _value("logits", 1, (width, 1, 1)))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_number(1, 9) + _bytes(7, graph) + _bytes(8, _text(1, "") + _number(2, 18)))


def overlapping(question: str, text: str) -> float:
    """How many words of the question stand in a text, as a share."""
    words, there = question.lower().split(), {*text.lower().split()}
    return sum(word in there for word in words) / max(1, len(words))


def ordering(handler: "Handler", body: dict[str, Any]) -> None:
    """What a good rerank endpoint answers: the best first, each with the place it came from."""
    scores = [(overlapping(body["query"], text), place) for place, text in enumerate(body["documents"])]
    listed = [{"index": place, "relevance_score": score} for score, place in sorted(scores, reverse=True)]
    handler.say(200, json.dumps({"id": "1", "results": listed}).encode())


def _value(name: str, kind: int, shape: tuple[str | int, ...]) -> bytes:
    dims = b"".join(_bytes(1, _number(1, dim) if isinstance(dim, int) else _text(2, dim)) for dim in shape)
    return _text(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, dims)))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    found = b""
    while value > 127:
        found += bytes([value & 127 | 128])
        value >>= 7
    return found + bytes([value])


def bert_config(**others: object) -> dict[str, object]:
    return {
        "model_type": "bert", "hidden_act": "gelu", "num_hidden_layers": 2, "num_attention_heads": 2,
        "layer_norm_eps": 1e-12, "max_position_embeddings": 64, **others,
    }  # fmt: skip


def bert_weights() -> dict[str, npt.NDArray[np.float32]]:
    some = np.random.default_rng(2)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (300, WIDTH),
        "embeddings.position_embeddings.weight": (64, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    parts = {f"attention.self.{name}": (WIDTH, WIDTH) for name in ("query", "key", "value")}
    parts |= {"attention.output.dense": (WIDTH, WIDTH), "intermediate.dense": (16, WIDTH), "output.dense": (WIDTH, 16)}
    normals = ["embeddings"]
    for layer in range(2):
        place = f"encoder.layer.{layer}."
        for name, shape in parts.items():
            shapes |= {f"{place}{name}.weight": shape, f"{place}{name}.bias": shape[:1]}
        normals += [f"{place}attention.output", f"{place}output"]
    for name in normals:
        shapes |= {f"{name}.LayerNorm.weight": (WIDTH,), f"{name}.LayerNorm.bias": (WIDTH,)}
    return {name: some.normal(size=shape).astype("<f4") for name, shape in shapes.items()}


def write_safetensors(path: Path, arrays: Arrays) -> None:
    head: dict[str, Any] = {}
    body = b""
    for name, value in arrays.items():
        end = len(body) + value.nbytes
        head[name] = {"dtype": "F32", "shape": value.shape, "data_offsets": [len(body), end]}
        body += value.tobytes()
    held = json.dumps(head).encode()
    path.write_bytes(len(held).to_bytes(8, "little") + held + body)


def write_bert(folder: Path, **config: object) -> None:
    write_tokenizer(folder)
    write_safetensors(folder / "model.safetensors", bert_weights())
    (folder / "config.json").write_text(json.dumps(bert_config(**config)), encoding="utf-8")


def vectors(texts: list[str], width: int = WIDTH) -> dict[str, Any]:
    """What a good endpoint answers, last text first: the order is said by the index alone."""
    rows = [[random.Random(f"{text}{place}").uniform(-1, 1) for place in range(width)] for text in texts]
    listed = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
    return {"object": "list", "data": listed[::-1]}


Answer = Callable[["Handler", dict[str, Any]], None]


class Handler(BaseHTTPRequestHandler):
    """Answers by the next function in line; the last one stays."""

    server: "Server"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, dict(self.headers), body))
        answers = self.server.answers
        (answers.pop(0) if len(answers) > 1 else answers[0])(self, body)

    def say(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name is the base class's
        pass


class Server(ThreadingHTTPServer):
    """Loopback, with the requests it saw."""

    daemon_threads = True

    def __init__(self, answers: list[Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = answers
        self.seen: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.over = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is what some tests are about."""


@contextmanager
def serving(*answers: Answer) -> Iterator[Server]:
    server = Server(list(answers))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        thread.join()
        server.server_close()


def good(handler: Handler, body: dict[str, Any]) -> None:
    handler.say(200, json.dumps(vectors(body["input"], body.get("dimensions", WIDTH))).encode())


def status(code: int, text: str = "", **headers: str) -> Answer:
    return lambda handler, _: handler.say(code, text.encode(), **headers)


def saying(answer: object) -> Answer:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return lambda handler, _: handler.say(200, text.encode())
