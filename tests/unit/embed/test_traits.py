"""What a model's name says of it."""

import pytest

from holdfast.embed.model_traits import traits_of


@pytest.mark.parametrize(
    ("model", "query", "document", "pooling"),
    [
        ("intfloat/multilingual-e5-large", "query: ", "passage: ", "mean"),
        ("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", "", "first"),
        ("BAAI/bge-m3", "", "", "first"),
        ("nomic-embed-text:latest", "search_query: ", "search_document: ", "mean"),
        ("ibm-granite/granite-embedding-30m-english", "", "", "first"),
        ("sentence-transformers/all-MiniLM-L6-v2", "", "", "mean"),
        ("text-embedding-3-small", "", "", "mean"),
    ],
)
def test_questions_and_documents_are_marked_as_the_model_wants(
    model: str, query: str, document: str, pooling: str
) -> None:
    traits = traits_of(model)

    assert traits.marked(["x"], query=True) == [f"{query}x"]
    assert traits.marked(["x"], query=False) == [f"{document}x"]
    assert traits.pooling == pooling
