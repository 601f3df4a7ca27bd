"""Parts in one room."""

from holdfast.inject.briefing import BriefingPart, fit_parts, split_page_lines

FEW = BriefingPart(heading="FEW", lines=("- a", "- b"))


def test_parts_stand_in_their_order_and_empty_ones_not_at_all() -> None:
    text = fit_parts([BriefingPart(heading="NONE", lines=()), FEW, BriefingPart(heading="MORE", lines=("- c",))], 1000)

    assert text == "FEW\n- a\n- b\n\nMORE\n- c"


def test_a_long_part_leaves_room_for_the_others() -> None:
    long = BriefingPart(heading="LONG", lines=tuple(f"- line {n}" for n in range(1000)), more="(the rest is elsewhere)")

    text = fit_parts([long, FEW], 300)

    assert len(text) <= 300
    assert text.endswith("(the rest is elsewhere)\n\nFEW\n- a\n- b")
    assert len(text) > 270


def test_of_a_log_the_last_lines_are_kept() -> None:
    log = BriefingPart(heading="TODAY", lines=tuple(f"- {n}" for n in range(100)), last=True)

    text = fit_parts([log], 40)

    assert text.startswith("TODAY\n")
    assert text.endswith("- 98\n- 99")


def test_a_part_without_room_for_a_line_is_left_out() -> None:
    assert fit_parts([BriefingPart(heading="HEAD", lines=("x" * 100,))], 50) == ""


def test_a_page_has_no_blank_lines_and_no_endless_ones() -> None:
    lines = split_page_lines("# Title\n\n" + "x" * 1000 + "\n   \n")

    assert lines[0] == "# Title"
    assert len(lines) == 2
    assert len(lines[1]) == 400
