"""Signals: what memory was worth, ratings, patterns, cost; every plot as a table too."""

import json
import re

from playwright.sync_api import expect
from tests.browser.conftest import Studio, looks
from tests.browser.seeds import Project


def test_the_value_of_memory_is_shown_and_its_plot_is_a_table_too(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "signals")
    value = page.get_by_role("region", name="What memory was worth")
    told = rich("stats", "--json").json["told"]

    expect(value).to_contain_text("Hit rate")
    expect(value.locator("dl")).to_contain_text(f"Told {told}")
    expect(value.locator("canvas")).to_be_visible()
    studio.picture(page, "signals")
    looks(page)
    value.get_by_role("button", name="Table").click()
    table = page.get_by_role("group", name="Memories told and used, week by week, as a table")
    expect(table.get_by_role("row")).to_have_count(4)
    expect(table).to_contain_text(str(told))


def test_an_answer_is_rated_on_the_page(studio: Studio, workspace: Project) -> None:
    page = studio.open(workspace, "signals")
    ratings = page.get_by_role("region", name="Ratings")
    rate = ratings.get_by_role("button", name="Rate")
    expect(rate).to_be_disabled()

    ratings.get_by_role("radio", name="7", exact=True).check(force=True)
    ratings.get_by_label("Why").fill("it found the limit <b>by itself</b>")
    rate.click()

    expect(ratings.get_by_text("it found the limit <b>by itself</b>")).to_be_visible()
    lines = (workspace.folder / ".holdfast/learning/signals/ratings.jsonl").read_text().splitlines()
    assert any(row["rating"] == 7 and "by itself" in row["comment"] for row in map(json.loads, lines))


def test_patterns_are_paged_by_week_and_month(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "signals")
    patterns = page.get_by_role("region", name="Patterns")

    expect(patterns).to_contain_text("test_upload.py")
    expect(patterns.get_by_role("button", name="After")).to_be_disabled()
    patterns.get_by_role("button", name="Before").click()
    expect(patterns).to_contain_text("Nothing was rated.")
    patterns.get_by_role("tab", name="All").click()
    expect(patterns).to_contain_text("All time")
    expect(patterns).to_contain_text("test_upload.py")


def test_another_time_is_looked_at(studio: Studio, rich: Project) -> None:
    page = studio.open(rich, "signals", days="30")

    cost = page.get_by_role("region", name="What models cost")
    expect(cost).to_contain_text("The last 30 days")
    # Costs are the user's, and other tests of this worker may have asked a model.
    expect(cost).to_contain_text(re.compile("No model was asked|[Rr]equests"))
    page.get_by_label("Time", exact=True).select_option("0")
    expect(cost).to_contain_text("The last year")
    page.get_by_role("tab", name="Told for nothing or wrong").click()
    expect(page.get_by_role("group", name="Memories by their use").get_by_role("row").nth(1)).to_be_visible()
