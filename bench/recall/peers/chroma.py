"""A plain vector store: chromadb in memory, as it comes, with the vectors it is given. See outside.py."""

import importlib
import json
import os
import sys

AT_ONCE = 1000
MOST = 100


def main() -> None:
    """Answer until there are no more questions."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    told = json.loads(sys.stdin.readline())
    chroma = importlib.import_module("chromadb")
    settings = chroma.config.Settings(anonymized_telemetry=False)
    held = chroma.EphemeralClient(settings).create_collection("bench", metadata={"hnsw:space": "cosine"})
    vectors = told["vectors"]
    for start in range(0, len(vectors), AT_ONCE):
        some = range(start, min(start + AT_ONCE, len(vectors)))
        held.add(ids=[str(place) for place in some], embeddings=[vectors[place] for place in some])
    print("[]", file=answers, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        found = held.query(
            query_embeddings=[asked["vector"]], n_results=min(MOST, asked["k"], len(vectors)), include=[]
        )
        print(json.dumps([int(name) for name in found["ids"][0]]), file=answers, flush=True)


if __name__ == "__main__":
    main()
