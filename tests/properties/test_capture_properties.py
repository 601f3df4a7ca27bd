"""Whatever a person or an agent writes: nothing here raises, nothing hangs, and what comes back is sound."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.budget import examples

import holdfast.guard.policy as guard_module
from holdfast.guard.policy import ACTIONS, ALLOWED, GuardedCall, GuardVerdict, list_verdicts, load_policy
from holdfast.guard.shell import parse_pipelines
from holdfast.phrases.phrase_tables import PATTERNS
from holdfast.phrases.prose import mask_quotes, split_sentences
from holdfast.phrases.triggers import QUOTE_LIMIT, find_triggers
from holdfast.records.answer_ratings import find_rating
from holdfast.records.work_criteria import LIMIT, estimate_effort, isc_from, prompt_slug, starts_work, update_isc

with open(guard_module.__file__.replace("policy.py", "guard.toml"), encoding="utf-8") as file:
    POLICY = load_policy(file.read())

KINDS = {kind for _, kind, *_ in PATTERNS}
CUES = sorted({part for pattern in PATTERNS for cue in pattern[4] for part in cue.split("&")})
PIECES = r"""rm -rf / ~ $( ) ` ' " \ | && ; ( { } <<EOF EOF > 2>&1 sh -c env -u sudo xargs git push -f holdfast accept
find -exec eval python cd # $HOME = A=1"""
SHELL = [*PIECES.split(), "\n"]

MARKS = [".", "?", "\n", "```", "<a>", "</a>", "- ", ", ", " "]
prose = st.lists(st.one_of(st.sampled_from(CUES), st.text(max_size=8), st.sampled_from(MARKS)), max_size=40).map(
    " ".join
)
texts = st.one_of(st.text(), prose)
scripts = st.one_of(
    st.text(),
    st.lists(st.one_of(st.sampled_from(SHELL), st.text(max_size=5)), max_size=40).map(" ".join),
    st.lists(st.sampled_from(SHELL), max_size=30).map("".join),
)
jsons = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), scripts),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(["command", "cmd", "file_path", "path", "content", "edits", "sql", "x"]), inner, max_size=4
        ),
    ),
    max_leaves=8,
)


def judge(tool: str, given: object, cwd: str, workspace: str) -> GuardVerdict:
    return next(iter(list_verdicts(GuardedCall(tool=tool, given=given, cwd=cwd, workspace=workspace), POLICY)), ALLOWED)


@given(texts)
def test_a_trigger_quotes_the_text(text: str) -> None:
    for trigger in find_triggers(text):
        assert trigger.kind in KINDS
        assert trigger.quote in text
        assert 0 < len(trigger.quote) <= QUOTE_LIMIT
        assert 0 < trigger.confidence <= 1
        for part in (trigger.choice, trigger.rejected, trigger.name, trigger.value):
            assert part in text


@given(texts)
def test_masking_keeps_every_place(text: str) -> None:
    for sentence in split_sentences(text):
        assert len(mask_quotes(sentence)) == len(sentence)


@given(texts, texts)
def test_a_rating_lies_between_one_and_ten(text: str, previous: str) -> None:
    found = find_rating(text, previous)

    assert found is None or (
        1 <= found.rating <= 10 and found.source in ("explicit", "implicit") and 0 < found.confidence <= 1
    )


@given(st.text(max_size=12), jsons, st.text(max_size=20), st.text(max_size=20))
def test_the_guard_has_a_verdict_on_everything(tool: str, given_: object, cwd: str, workspace: str) -> None:
    verdict = judge(tool, given_, cwd, workspace)

    assert verdict.action in ACTIONS
    assert (verdict.action == "allow") == (not verdict.rule)


@given(scripts)
def test_any_shell_text_is_read(script: str) -> None:
    for pipeline in parse_pipelines(script):
        assert pipeline
    judge("Bash", {"command": script}, "/home/ann/harbor", "/home/ann/harbor")


@given(texts, st.lists(texts, max_size=3), st.text(max_size=30))
def test_an_isc_stays_json_under_its_limit(prompt: str, added: list[str], event: str) -> None:
    isc: dict[str, Any] = isc_from(prompt, event, "2026-03-01T10:00:00Z")
    later = update_isc(isc, now="2026-03-01T11:00:00Z", event_id=event, added=added, summary=prompt)

    for one in (isc, later):
        assert len(json.dumps(one, ensure_ascii=False).encode("utf-8", "surrogatepass")) <= LIMIT


@given(texts)
def test_the_name_of_a_folder_is_safe(prompt: str) -> None:
    name = prompt_slug(prompt)

    assert name
    assert len(name.encode("utf-8", "surrogatepass")) <= 120
    assert all(char.isalnum() or char in "-_" for char in name)
    assert name.strip("-_") == name


@given(texts)
def test_work_is_told_from_any_text(prompt: str) -> None:
    assert estimate_effort(prompt) in ("quick", "standard", "deep")
    assert starts_work(prompt) in (True, False)


@settings(max_examples=examples(30), deadline=None)
@given(
    st.sampled_from(
        [*CUES, *SHELL, "use x not ", "a, ", "(", "`", '"', "<a", "we can't ", "the the ", "- ", "x/", "。"]
    ),
    st.integers(2000, 20_000),
)
def test_long_repeats_are_no_burden(piece: str, times: int) -> None:
    text = piece * times

    find_triggers(text)
    find_rating(text)
    judge("Bash", {"command": text}, "/w", "/w")
    isc_from(text, "e", "now")
    starts_work(text)
    prompt_slug(text)
