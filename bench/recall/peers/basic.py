"""basic-memory's own search over a vault of the passages, a note each. Runs in its environment; see outside.py.

`text` is its full-text search as it comes. `hybrid` adds its vectors: sqlite-vec wants an SQLite that loads extensions,
so pysqlite3 stands in where Python's does not, and the weights are all-MiniLM-L6-v2 from the folder in PEER_MODEL, laid
out as its embedder's cache would have them; its default, bge-small, comes in no package.
"""

import asyncio
import importlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
CACHED = "models--Qdrant--all-MiniLM-L6-v2-onnx"
AT_ONCE = 100


def main() -> None:
    """Answer until there are no more questions."""
    mode = sys.argv[1]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    told = json.loads(sys.stdin.readline())
    with tempfile.TemporaryDirectory(prefix="peer-basic-") as folder:
        _settle(folder, mode)
        vault = os.path.join(folder, "vault")
        _write(vault, told["passages"])
        try:
            _command("project", "add", "bench", vault, "--local")
            _command("reindex", "--full", "-p", "bench", *(["--search"] if mode == "text" else []))
            asyncio.run(_answer(answers, mode))
        except Exception as error:  # whatever it is, the asker must hear of it
            print(json.dumps({"error": f"{type(error).__name__}: {error}"[:400]}), file=answers, flush=True)


def _settle(folder: str, mode: str) -> None:
    os.environ |= {
        "HOME": folder,
        "BASIC_MEMORY_HOME": os.path.join(folder, "main"),
        "BASIC_MEMORY_CONFIG_DIR": os.path.join(folder, "config"),
        "BASIC_MEMORY_NO_PROMOS": "1",
        "BASIC_MEMORY_LOG_LEVEL": "ERROR",
        "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": str(mode != "text").lower(),
        "BASIC_MEMORY_SEMANTIC_EMBEDDING_MODEL": MODEL,
        "BASIC_MEMORY_SEMANTIC_EMBEDDING_CACHE_DIR": os.path.join(folder, "cache"),
        # Its threshold is meant for bge-small, whose cosines are larger: it would throw most hits of MiniLM away.
        "BASIC_MEMORY_SEMANTIC_MIN_SIMILARITY": "0",
    }
    if mode != "text":
        sys.modules["sqlite3"] = importlib.import_module("pysqlite3")
        sys.modules["sqlite3.dbapi2"] = importlib.import_module("pysqlite3.dbapi2")
        _lay_out(os.path.join(folder, "cache", CACHED), os.environ["PEER_MODEL"])
    logger = importlib.import_module("loguru").logger
    logger.remove()


def _lay_out(cached: str, model: str) -> None:
    there = os.path.join(cached, "snapshots", "local")
    os.makedirs(there)
    os.makedirs(os.path.join(cached, "refs"))
    _put(os.path.join(cached, "refs", "main"), "local")
    shutil.copy(os.path.join(model, "model_quantized.onnx"), os.path.join(there, "model.onnx"))
    shutil.copy(os.path.join(model, "tokenizer.json"), there)
    special = {"unk_token": "[UNK]", "sep_token": "[SEP]", "pad_token": "[PAD]", "cls_token": "[CLS]"}
    _put(os.path.join(there, "config.json"), json.dumps({"model_type": "bert", "pad_token_id": 0}))
    _put(os.path.join(there, "tokenizer_config.json"), json.dumps({**special, "model_max_length": 256}))
    _put(os.path.join(there, "special_tokens_map.json"), json.dumps(special))


def _write(vault: str, passages: Sequence[tuple[str, str]]) -> None:
    os.makedirs(vault)
    for place, (head, text) in enumerate(passages):
        title = json.dumps(head or f"Passage {place}")
        _put(os.path.join(vault, f"{place}.md"), f"---\ntitle: {title}\ntype: note\n---\n\n{text}\n")


def _put(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def _command(*words: str) -> None:
    app = importlib.import_module("basic_memory.cli.main").app
    try:
        app(list(words), standalone_mode=False)
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"basic-memory {' '.join(words[:2])} ended with {end.code}") from end


async def _answer(answers: Any, mode: str) -> None:
    search = importlib.import_module("basic_memory.mcp.tools.search").search_notes
    search = getattr(search, "fn", search)
    print("[]", file=answers, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        found = await search(
            query=asked["query"],
            project="bench",
            page_size=min(AT_ONCE, asked["k"]),
            search_type=mode,
            output_format="json",
            entity_types=["entity"],
        )
        results = found["results"] if isinstance(found, dict) else []
        places = dict.fromkeys(int(os.path.basename(each["file_path"]).split(".")[0]) for each in results)
        print(json.dumps(list(places)), file=answers, flush=True)


if __name__ == "__main__":
    main()
