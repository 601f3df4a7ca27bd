"""What is known of a model by its name: how questions and documents are marked, and which token stands for the text."""

import re
from collections.abc import Sequence

from holdfast.core.value import Value

ANSWERING = "Instruct: Given a question, retrieve passages that answer it\nQuery: "
SEARCHING = "Represent this sentence for searching relevant passages: "


class EmbedderTraits(Value):
    """How a model wants its texts."""

    query: str = ""
    document: str = ""
    pooling: str = "mean"

    def marked(self, texts: Sequence[str], *, query: bool) -> list[str]:
        """The texts with what this model wants before them."""
        before = self.query if query else self.document
        return [before + text for text in texts]


# From each model's own card; the first that is found in the name counts.
KNOWN: tuple[tuple[str, EmbedderTraits], ...] = (
    (r"e5-.*instruct", EmbedderTraits(query=ANSWERING)),
    (r"\be5-", EmbedderTraits(query="query: ", document="passage: ")),
    (r"bge-m3", EmbedderTraits(pooling="first")),
    (r"bge-\w+-en", EmbedderTraits(query=SEARCHING, pooling="first")),
    (r"bge-\w+-zh", EmbedderTraits(query="为这个句子生成表示以用于检索相关文章：", pooling="first")),
    (r"arctic-embed.*v2", EmbedderTraits(query="query: ", pooling="first")),
    (r"arctic-embed|mxbai-embed", EmbedderTraits(query=SEARCHING, pooling="first")),
    (r"nomic-embed-text", EmbedderTraits(query="search_query: ", document="search_document: ")),
    (r"embeddinggemma", EmbedderTraits(query="task: search result | query: ", document="title: none | text: ")),
    (r"qwen3-embedding", EmbedderTraits(query=ANSWERING, pooling="last")),
    (r"granite-embedding", EmbedderTraits(pooling="first")),
)  # fmt: skip


def traits_of(model: str) -> EmbedderTraits:
    """What the name says; a model nobody knows gets its texts as they are, and the mean of its tokens."""
    lower = model.lower()
    return next((traits for pattern, traits in KNOWN if re.search(pattern, lower)), EmbedderTraits())
