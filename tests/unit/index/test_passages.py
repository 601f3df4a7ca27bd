import pytest
from tests.index_values import memory

from holdfast.core.memory import Citation, Evidence, RejectedOption
from holdfast.index.entry_passages import terms_of

FULL = memory(
    "DEC-7K2MQ4",
    title="Titled",
    body="Bodied",
    category="Categorical",
    tags=("Tagged",),
    paths=("src/globbed/**",),
    question="Questioned",
    choice="Chosen",
    rejected=(RejectedOption(option="Optional", reason="Reasoned"),),
    error_type="TypedError",
    error_message="Messaged",
    root_cause="Rooted",
    context="Contextual",
    fact="Factual",
    evidence=(Evidence(event="01", quote="Quoted"),),
    cites=(Citation(path="cited.py"),),
    because="Becoming",
)


IN_BODY = "bodi dec7k2mq4 glob question chosen option reason typederror messag root contextu factual quot cite becom"


@pytest.mark.parametrize("term", IN_BODY.split())
def test_everything_a_memory_says_is_in_its_body(term: str) -> None:
    assert term in terms_of(FULL).body


def test_title_and_tags_are_weighed_apart() -> None:
    own = terms_of(FULL)

    assert own.title == ("titl",)
    assert own.tags == ("tag", "categor")
