"""What a memory can be known again by."""

from typing import Any

from holdfast.core.memory import Citation, Memory, MemoryType, RejectedOption
from holdfast.records.use_cues import LONGEST_PHRASE, cues_of, flatten_text


def decision(**more: Any) -> Memory:
    return Memory(id="DEC-000001", type=MemoryType.DECISION, **more)


def test_a_decision_is_known_by_its_choice_and_its_rejected_options() -> None:
    rejected = (RejectedOption(option="curses", reason="no layout"),)

    cues = cues_of(decision(title="Use Textual for the panel", choice="Textual", rejected=rejected, paths=("src/**",)))

    assert (cues["for"], cues["not"], cues["at"]) == (["textual"], ["curses"], ["src/**"])


def test_names_in_code_form_count_and_plain_words_do_not() -> None:
    body = "Call get_user_by_id or `uv run app`, see src/users/repo.py and HttpClient. Never log it, always check."

    cues = cues_of(decision(title="How users are read", body=body))

    assert cues["for"] == ["get_user_by_id", "uv run app", "src users repo py", "httpclient"]


def test_a_rejected_option_in_the_title_is_no_name_to_follow() -> None:
    memory = decision(title="Take Textual, not Curses", rejected=(RejectedOption(option="Curses"),))

    assert "curses" not in cues_of(memory)["for"]


def test_what_enforce_forbids_counts_as_rejected() -> None:
    memory = Memory(id="INV-000001", type=MemoryType.INVARIANT, title="No urwid", enforce={"forbid_import": ["urwid"]})

    assert cues_of(memory)["not"] == ["urwid"]


def test_a_failure_is_known_by_its_error_if_that_tells() -> None:
    whole = Memory(
        id="FAIL-000001",
        type=MemoryType.FAILURE,
        error_type="TimeoutError",
        error_message="QueuePool limit of size 5 reached",
    )
    bare = Memory(id="FAIL-000002", type=MemoryType.FAILURE, error_type="TimeoutError")

    assert cues_of(whole)["err"] == ["timeouterror", "queuepool", "limit", "size", "reached"]
    assert cues_of(bare)["err"] == []


def test_no_line_of_a_memory_is_copied_whole() -> None:
    line = "run the whole migration twice before every single release"

    cues = cues_of(decision(title=line, choice="`" + line + "`", body=f"{line}\n`{line}`"))

    assert all(len(cue) <= LONGEST_PHRASE for cue in cues["for"] if " " in cue)


def test_cited_files_count_and_a_memory_of_plain_words_has_no_cue() -> None:
    cited = decision(title="Keep it short", cites=(Citation(path="src/app.py"),))

    assert cues_of(cited)["for"] == ["src app py"]
    assert cues_of(decision(title="Never log tokens"))["for"] == []


def test_scripts_without_spaces_do_not_hide_a_name() -> None:
    assert flatten_text("请用Textual做界面") == " textual "
