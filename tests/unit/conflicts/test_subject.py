"""What a statement is about, and the subject that is proposed of a memory."""

import pytest

from holdfast.conflicts.read_memory import read_memory
from holdfast.conflicts.refusals import find_refusals
from holdfast.conflicts.subject import propose_subject, subject_key, subject_of
from holdfast.conflicts.topic import split_topic
from holdfast.core.memory import Memory, MemoryType, RejectedOption
from holdfast.core.value import replace


def memory(title: str, kind: MemoryType = MemoryType.DECISION, question: str = "", subject: str = "") -> Memory:
    return Memory(id="DEC-1", type=kind, title=title, question=question, subject=subject)


@pytest.mark.parametrize(
    ("text", "topic", "value"),
    [
        ("Errors go to Sentry", "Errors", "go to Sentry"),
        ("Use tabs for indentation", "indentation", "tabs"),
        ("We write docs in Markdown", "docs", "in Markdown"),
        ("Put secrets into Vault", "secrets", "into Vault"),
        ("Switch image builds to buildah", "image builds", "buildah"),
        ("Tests must run against a real Postgres", "Tests", "must run against a real Postgres"),
    ],
)
def test_a_sentence_is_split_into_its_topic_and_what_it_says_of_it(text: str, topic: str, value: str) -> None:
    found = split_topic(text)

    assert (found.topic, found.value) == (topic, value)


@pytest.mark.parametrize(
    ("title", "refused"),
    [
        ("We don't use tenacity here", "tenacity"),
        ("We're leaving Kubernetes, plain VMs are enough", "Kubernetes"),
        ("DTOs are pydantic models, no dataclasses", "dataclasses"),
        ("Use offset pagination, cursors confuse people", "cursors"),
    ],
)
def test_what_a_sentence_turns_down_is_found(title: str, refused: str) -> None:
    assert refused in [each.text for each in find_refusals(read_memory(memory(title)))]


def test_a_subject_is_read_off_the_question_else_off_the_title() -> None:
    assert propose_subject(memory("Use stamina", question="Which library for retries?")) == "library for retries"
    assert propose_subject(memory("Sessions go into Redis")) == "Sessions"
    assert propose_subject(memory("Use httpx instead of requests")) == "http client"
    assert propose_subject(memory("Use stamina instead of tenacity")) == "stamina, tenacity"
    assert propose_subject(memory("Never push straight to main")) == "Never push straight to main"


def test_whichever_of_two_was_chosen_the_subject_is_one() -> None:
    one = memory("Use stamina instead of tenacity", question="stamina or tenacity?")
    other = memory("Use tenacity instead of stamina", question="tenacity or stamina?")
    chosen = replace(one, choice="stamina", rejected=(RejectedOption(option="tenacity"),))
    again = replace(other, choice="tenacity", rejected=(RejectedOption(option="stamina"),))

    assert propose_subject(chosen) == propose_subject(again) == "stamina, tenacity"
    assert propose_subject(memory("Ship it", question="stamina or tenacity?")) == "stamina or tenacity"


def test_a_persons_own_subject_counts_and_other_types_have_none() -> None:
    assert subject_of(memory("Use stamina", subject="retry library")) == "retry library"
    assert subject_of(memory("CI needs two cores", MemoryType.LEARNING)) == ""


def test_the_same_words_in_another_order_are_one_subject() -> None:
    assert subject_key("library for retries") == subject_key("retry libraries")
    assert subject_key("library for retries") != subject_key("library for charts")
