"""`holdfast review`, played: keys, decisions, and what goes on beneath."""

from pathlib import Path
from typing import Any

import pytest
from tests.unit.tui.playing import Player, play
from tests.unit.tui.workspace import candidate, clash, full, opened, workspace

from holdfast.core.errors import BadRequest, Unavailable
from holdfast.core.memory import Entry, MemoryType, Scope, Status
from holdfast.core.search import Select
from holdfast.index.entries import NoSuchId, find_entry
from holdfast.review.accept import accept, reject
from holdfast.review.queue import list_waiting
from holdfast.review.relations import EntryRelation
from holdfast.tui.review_app import ReviewApp
from holdfast.tui.review_jobs import ItemReader
from holdfast.workspace import App, PersonOnly

# A screen is drawn dozens of times in each of them.
pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "shop"
    path.mkdir()
    return path


@pytest.fixture
def app(folder: Path) -> App:
    return full(folder)


def entry(app: App, name: str) -> Entry:
    app.refresh()
    return find_entry(app, name)


def test_one_key_accepts_and_the_next_one_is_current(app: App) -> None:
    async def script(player: Player) -> None:
        await player.press("j", "a")

        assert player.said == "Accepted INV-CARD00: Never log card numbers. u undoes it."
        assert player.current == "CAND-TIME00"
        assert "CAND-CARD00" not in player.rows

    play(app, script)

    assert entry(app, "INV-CARD00").memory.status is Status.ACCEPTED


def test_what_contradicts_is_blocked_and_the_keys_that_resolve_it_are_named(app: App) -> None:
    async def script(player: Player) -> None:
        await player.press("a")

        assert player.said == ("! Contradicts DEC-PGPG00: s supersede · o keep old · n narrow · b keep both.")
        assert player.focus == "conflicts"
        assert player.current == "CAND-SQL000"

    play(app, script)

    assert entry(app, "CAND-SQL000").memory.status is Status.CANDIDATE


def test_s_ends_the_old_one(app: App) -> None:
    async def script(player: Player) -> None:
        await player.press("s")

        assert "Accepted DEC-SQL000" in player.said

    play(app, script)

    assert entry(app, "DEC-SQL000").memory.supersedes == ("DEC-PGPG00",)
    assert entry(app, "DEC-PGPG00").memory.valid_until == "2026-11-15"


def test_o_keeps_the_old_one(app: App) -> None:
    async def script(player: Player) -> None:
        await player.press("o")

        assert player.said == "CAND-SQL000 turned down. u undoes it."

    play(app, script)

    assert entry(app, "CAND-SQL000").memory.status is Status.REJECTED
    assert not entry(app, "DEC-PGPG00").memory.valid_until


def test_n_asks_for_paths_and_b_for_a_reason(app: App) -> None:
    app.candidates.add(candidate("SQL001", "Use SQLite for storage of the cache", choice="SQLite"))

    async def script(player: Player) -> None:
        await player.press("n")
        assert "Where does the new one hold?" in player.text
        assert "src/store/**" in player.text
        await player.press("ctrl+u")
        await player.type("tools/**")
        await player.press("enter")
        assert "Accepted DEC-SQL000" in player.said

    play(app, script)

    assert entry(app, "DEC-SQL000").memory.paths == ("tools/**",)


def test_b_keeps_both_with_the_reason(app: App) -> None:
    async def script(player: Player) -> None:
        await player.press("b", "enter")
        assert player.current == "CAND-SQL000", "without a reason nothing happens"
        await player.press("b")
        await player.type("the tool is offline")
        await player.press("enter")
        assert "Accepted DEC-SQL000" in player.said

    play(app, script)

    kept = entry(app, "DEC-SQL000").memory.extra["keep_both"]
    assert [dict(row) for row in kept] == [{"id": "DEC-PGPG00", "because": "the tool is offline"}]


def test_resolving_what_contradicts_nothing_says_so(app: App) -> None:
    async def script(player: Player) -> None:
        await player.press("j", "o")

        assert player.said.startswith("It contradicts nothing: a accepts it.")

    play(app, script)


def test_s_in_the_panel_replaces_what_is_near_and_not_contradicted(app: App) -> None:
    async def script(player: Player) -> None:
        await player.press("j", "j", "s")
        assert player.said.startswith("It contradicts nothing")
        await player.press("tab", "tab", "tab", "s")
        assert "Accepted LRN-TIME00" in player.said

    play(app, script)

    assert entry(app, "LRN-TIME00").memory.supersedes == ("LRN-TZTZ00",)


@pytest.mark.parametrize("keys", [("a",), ("r", "enter")])
def test_what_changed_since_it_was_shown_is_not_decided(app: App, folder: Path, keys: tuple[str, ...]) -> None:
    path = folder / ".holdfast/candidates/CAND-CARD00.md"

    async def script(player: Player) -> None:
        await player.press("j")
        player.review._polling = True  # nobody looks at the files in between
        path.write_text(path.read_text().replace("Never log card numbers", "Always log card numbers"))
        await player.press(*keys)
        assert player.said == "! 'CAND-CARD00' changed since it was shown; nothing was done. look at it again."
        assert "Always log card numbers" in player.text

    play(app, script)

    assert entry(app, "CAND-CARD00").memory.status is Status.CANDIDATE


def test_r_takes_a_reason_or_none_and_escape_takes_it_back(app: App) -> None:
    async def script(player: Player) -> None:
        await player.press("j", "r", "escape")
        assert "CAND-CARD00" in player.rows
        await player.press("r")
        await player.type("obvious")
        await player.press("enter")
        assert player.said == "Rejected CAND-CARD00. u undoes it."
        await player.press("r", "enter")

    play(app, script)

    assert entry(app, "CAND-CARD00").memory.because == "obvious"
    assert entry(app, "CAND-TIME00").memory.status is Status.REJECTED


def test_m_offers_what_is_near_first(app: App) -> None:
    async def script(player: Player) -> None:
        await player.press("j", "j", "m")
        assert "Merge CAND-TIME00 into" in player.text
        await player.press("enter")
        assert player.said == "Merged CAND-TIME00 into LRN-TZTZ00. u undoes it."

    play(app, script)

    assert "tests need TZ=UTC" in [each.quote for each in entry(app, "LRN-TZTZ00").memory.evidence]


def test_m_finds_a_target_by_words(app: App) -> None:
    async def script(player: Player) -> None:
        await player.press("j", "m")
        await player.type("small commits")
        await player.until(lambda: "CAND-TIME00" not in player.text.split("Merge CAND-CARD00")[1].split("╰")[0])
        await player.press("enter")
        assert player.said == "Merged CAND-CARD00 into CAND-OWN000. u undoes it."
        assert player.current == "CAND-OWN000"

    play(app, script)


def test_selected_ones_are_merged_into_the_current_one(app: App) -> None:
    async def script(player: Player) -> None:
        await player.press("j", "j", "space", "space", "k", "m")

        assert player.said == "Merged CAND-TIME00 into CAND-OWN000. u undoes it."

    play(app, script)


def test_bulk_accept_takes_what_it_can_and_counts_the_rest(app: App) -> None:
    async def script(player: Player) -> None:
        await player.press("x")
        assert "*5 selected" in player.text
        await player.press("a")
        assert player.said.startswith("! 4 accepted. u undoes it. Contradicts DEC-PGPG00")
        assert player.rows == ["CAND-SQL000"]
        assert player.focus == "conflicts"
        await player.press("u")
        assert len(player.rows) == 5

    play(app, script)

    assert len(list_waiting(app)) == 5


def test_bulk_reject_rejects_the_selected_ones_alone(app: App) -> None:
    async def script(player: Player) -> None:
        await player.press("j", "space", "space", "r", "enter")

        assert player.said == "Rejected 2 candidates. u undoes it."
        assert player.rows == ["CAND-SQL000", "CAND-OWN000", "CAND-TOOL00"]

    play(app, script)


def test_a_large_bulk_tells_how_far_it_is(app: App) -> None:
    told: list[tuple[str, int, int]] = []

    async def script(player: Player) -> None:
        review, note = player.review, player.review._note_progress

        def noted(what: str, done: int, of: int) -> None:
            note(what, done, of)
            told.append(review._progress)

        app.progress = noted
        await player.press("j", "space", "space", "a")
        review._busy = True
        note("accept", 3, 60)
        review._tell_progress()
        assert player.said == "accept 3/60 …"
        review._busy = False

    play(app, script)

    assert [each for each in told if each[0] == "accept"] == [("accept", 1, 2), ("accept", 2, 2)]


def test_capital_a_accepts_as_your_own(app: App) -> None:
    async def script(player: Player) -> None:
        await player.press("G", "k", "A")

    play(app, script)

    assert entry(app, "PAT-OWN000").scope is Scope.USER


def test_undo_undoes_what_an_earlier_run_did(app: App, folder: Path) -> None:
    async def first(player: Player) -> None:
        await player.press("j", "a", "q")

    async def second(player: Player) -> None:
        await player.press("u")
        assert player.said == "Undone: accept of INV-CARD00, CAND-CARD00."
        assert player.current == "CAND-CARD00"
        await player.press("u")
        assert player.said.startswith("! There is nothing to undo here.")

    play(app, first)
    play(opened(folder), second)


def test_z_puts_one_off_to_the_end(app: App) -> None:
    async def script(player: Player) -> None:
        await player.press("z")

        assert player.current == "CAND-CARD00"
        assert player.rows[-1] == "CAND-SQL000"

    play(app, script)


@pytest.mark.parametrize(
    ("words", "rows"),
    [
        ("type:learning", ["CAND-TIME00", "CAND-TOOL00"]),
        ("min:0.8 type:inv", ["CAND-CARD00"]),
        ("by:tool", ["CAND-TOOL00"]),
        ("from:d489 tz", ["CAND-TIME00"]),
        ("is:conflict", ["CAND-SQL000"]),
        ("nowhere", []),
    ],
)
def test_a_filter_shows_what_it_names(app: App, words: str, rows: list[str]) -> None:
    async def script(player: Player) -> None:
        await player.press("slash")
        await player.type(words)
        await player.press("enter")
        assert player.rows == rows
        assert player.said == f"{len(rows)} of 5 shown."
        await player.press("slash", "ctrl+u", "enter")
        assert len(player.rows) == 5

    play(app, script)


def test_a_filter_that_cannot_be_read_changes_nothing(app: App) -> None:
    async def script(player: Player) -> None:
        await player.press("slash")
        await player.type("type:poem")
        await player.press("enter")

        assert player.said.startswith("! The filter does not take 'type:poem'. type: takes decision,")
        assert len(player.rows) == 5

    play(app, script)


def test_e_takes_what_the_editor_leaves(app: App) -> None:
    def editor(_: App, text: str) -> str:
        return text.replace("Never log card numbers", "Never log card numbers or tokens")

    async def script(player: Player) -> None:
        await player.press("j", "e")
        assert player.said == "Changed CAND-CARD00. u undoes it."
        assert "Never log card numbers or tokens" in player.text
        await player.press("u")
        assert "Never log card numbers or tokens" not in player.text

    play(app, script, editor=editor)


def test_an_edit_that_cannot_be_read_is_kept_beside(app: App) -> None:
    async def script(player: Player) -> None:
        await player.press("j", "e")
        assert "The edit of 'CAND-CARD00' was not taken" in player.said
        assert "your text is kept in" in player.said

    play(app, script, editor=lambda _, text: text.replace("id: CAND-CARD00", "id: CAND-OTHER0"))

    assert entry(app, "CAND-CARD00")


def test_an_editor_that_fails_is_a_message(app: App) -> None:
    def editor(_: App, __: str) -> str:
        raise BadRequest("The editor 'nano' ended with status 1.", "set $EDITOR")

    async def script(player: Player) -> None:
        await player.press("e")
        assert player.said == "! The editor 'nano' ended with status 1. set $EDITOR"
        await player.press("j")
        assert player.current == "CAND-CARD00"

    play(app, script, editor=editor)


# Memories that hold already


@pytest.mark.parametrize(
    ("key", "words", "ended"),
    [("s", "", "INV-OLD000"), ("o", "", "INV-NEW000"), ("b", "two languages", ""), ("n", "web/**", "")],
)
def test_two_memories_that_contradict_each_other_are_resolved(app: App, key: str, words: str, ended: str) -> None:
    clash(app)

    async def script(player: Player) -> None:
        assert player.rows[0] == "INV-NEW000 INV-OLD000"
        await player.press("g", "a")
        assert player.said.startswith("! Both hold already")
        await player.press(key)
        if words:
            await player.press("ctrl+u")
            await player.type(words)
            await player.press("enter")
        assert player.said.startswith("Resolved: ")
        assert "INV-NEW000 INV-OLD000" not in player.rows
        await player.press("u")
        assert player.rows[0] == "INV-NEW000 INV-OLD000"
        assert player.said.startswith("Undone: resolve of ")
        await player.press("g", key)
        if words:
            await player.press("ctrl+u")
            await player.type(words)
            await player.press("enter")

    play(app, script)

    assert {name for name in ("INV-OLD000", "INV-NEW000") if entry(app, name).memory.valid_until} == {ended} - {""}
    if key == "n":
        assert entry(app, "INV-NEW000").memory.paths == ("web/**",)


# What goes on beneath


def test_what_an_agent_proposes_meanwhile_appears(app: App, folder: Path) -> None:
    async def script(player: Player) -> None:
        await player.press("j")
        opened(folder).candidates.add(candidate("LATE00", "Retry uploads three times", updated="2026-11-15T11:00:00Z"))
        await player.until(lambda: "CAND-LATE00" in player.rows)
        await player.settle()

        assert player.current == "CAND-CARD00", "the cursor stays with its own"
        assert player.said == "One new to review."

    play(app, script)


def test_what_was_decided_elsewhere_is_a_message_and_leaves_the_queue(app: App, folder: Path) -> None:
    async def script(player: Player) -> None:
        await player.press("j")
        player.review._polling = True  # nobody looks at the files in between
        accept(opened(folder), ["CAND-CARD00"])
        await player.press("a")

        assert player.said.startswith("! Nothing has the id 'CAND-CARD00'")
        assert "CAND-CARD00" not in player.rows

    play(app, script)


def test_what_was_rejected_elsewhere_leaves_the_queue(app: App, folder: Path) -> None:
    async def script(player: Player) -> None:
        reject(opened(folder), ["CAND-CARD00"], "elsewhere")
        await player.until(lambda: "CAND-CARD00" not in player.rows)

    play(app, script)


def test_a_broken_file_does_not_stop_the_review(app: App, folder: Path) -> None:
    async def script(player: Player) -> None:
        (folder / ".holdfast/candidates/CAND-CARD00.md").write_bytes(b"---\nid: [\n---\n\xff\x00")
        await player.until(lambda: "CAND-CARD00" not in player.rows)
        await player.press("G", "k", "a")
        assert "Accepted PAT-OWN000" in player.said

    play(app, script)


def test_a_look_that_fails_is_said_and_is_not_shown_as_nothing_there(app: App, folder: Path) -> None:
    class Broken(ItemReader):
        def relations(self, *_: Any, **__: Any) -> tuple[EntryRelation, ...]:
            raise Unavailable("The embedder does not answer.", "start it.")

    async def script(player: Player) -> None:
        player.review._eyes = Broken()
        await player.press("j")
        assert player.said == "! The embedder does not answer. start it."
        assert "could not look" in player.text

    play(app, script)


def test_a_place_that_takes_no_file_is_a_message_and_nothing_is_lost(app: App, folder: Path) -> None:
    async def script(player: Player) -> None:
        (folder / ".holdfast/memory/patterns").write_text("a file where a folder belongs")
        await player.press("G", "k", "a")
        assert player.said.startswith("! ")
        assert "patterns" in player.said
        assert player.current == "CAND-OWN000"

    play(app, script)


# Who may, and nothing to do


def test_an_agent_may_not_review(app: App) -> None:
    app.client = "Claude Code"

    with pytest.raises(PersonOnly, match="holdfast review"):
        ReviewApp(app, lambda _, text: text)


def test_an_empty_queue_says_where_candidates_come_from(folder: Path) -> None:
    async def script(player: Player) -> None:
        assert "Nothing waits for review." in player.text
        assert "holdfast distil" in player.text
        await player.press("a", "r", "m", "s", "space", "x", "z", "e", "j", "G")
        assert "Nothing waits for review." in player.text

    play(workspace(folder), script)


def test_the_last_one_decided_leaves_an_empty_queue(folder: Path) -> None:
    app = workspace(folder)
    app.candidates.add(candidate("ONLY00", "Write tests first", type=MemoryType.PATTERN))

    async def script(player: Player) -> None:
        await player.press("a")
        assert "Nothing waits for review." in player.text

    play(app, script)


def test_help_covers_and_leaves(app: App) -> None:
    async def script(player: Player) -> None:
        await player.press("question_mark")
        assert "supersede: the old one ends" in player.text
        await player.press("a")
        assert len(player.rows) == 5, "no key decides behind the help"
        await player.press("escape")
        assert "supersede: the old one ends" not in player.text

    play(app, script)


def test_tab_goes_through_the_panels(app: App) -> None:
    async def script(player: Player) -> None:
        seen = [player.focus]
        for _ in range(4):
            await player.press("tab")
            seen.append(player.focus)

        assert seen == ["queue", "candidate", "evidence", "conflicts", "queue"]

    play(app, script)


# Texts of others


HOSTILE = (
    "[bold red]loud[/] [@click=app.quit]click[/] \x1b[31mred\x1b[0m \x1b]0;title\x07 \u202egnp.exe\u202c "
    "\u200bhidden \x9b2J [/nothing] {markup} " + "x" * 5000
)


def test_hostile_text_is_shown_and_not_obeyed(folder: Path) -> None:
    app = workspace(folder)
    app.candidates.add(candidate("HOST00", HOSTILE[:300], body=f"{HOSTILE}\n\n{HOSTILE}", tags=("[bold]",)))

    async def script(player: Player) -> None:
        assert "[bold red]loud[/] [@click=app.quit]click[/]" in player.text
        assert "\\x1b[31mred" in player.text
        assert "\\u202e" in player.text
        for character in "\x1b\x07\x9b\u202e\u200b":
            assert character not in player.text
        await player.press("tab", "pagedown", "pagedown", "m", "escape", "r", "escape")
        await player.press("shift+tab", "a")
        assert "Accepted DEC-HOST00" in player.said

    play(app, script)


@pytest.mark.parametrize("size", [(20, 6), (40, 12), (80, 24), (120, 40), (200, 60)])
def test_every_size_can_be_worked_in(app: App, size: tuple[int, int]) -> None:
    async def script(player: Player) -> None:
        await player.press("tab", "tab", "tab", "tab", "question_mark", "escape", "j", "a")

    play(app, script, size=size)

    with pytest.raises(NoSuchId):
        entry(app, "CAND-CARD00")
    assert len(app.index.select(Select(ids=("INV-CARD00",)))) == 1
