"""Forms of sentences by which people who know no cues of ours say what is to hold."""

import pytest
from tests.unit.distil.talk import agent, distil, user

from holdfast.distil.lasting_forms import states_lasting


@pytest.mark.parametrize(
    "text",
    [
        "as a rule the invoices of a customer get one page each",
        "heads up: the payment sandbox captures after three days",
        "the team agreed on squash merges for the mobile repository",
        "we have settled on one seed per experiment",
        "I was wrong about the shared cache, each worker keeps one",
        "the retry loop around the label printer bit us twice",
        "learned the hard way that the scanner drops its first byte",
        "we lost two days to the clock of that board",
        "leave the legacy importer alone",
        "stick with leaflet for the maps",
        "the serial number of a sensor has to stay in the file name",
        "audit logs go to stderr",
        "receipts are kept for ten years",
        "one folder per customer and year",
        "nothing with a patient's name may leave the clinic network",
        "at most 200 rows per page of the catalogue",
        "amounts go out in cents, not euros",
        "I can't stand abbreviations in column names",
        "whenever a migration is added, write its way back too",
    ],
)
def test_a_form_of_what_lasts_is_heard(text: str) -> None:
    assert states_lasting(text)


@pytest.mark.parametrize(
    "text",
    [
        "why do the audit logs go to stderr and not to stdout?",
        "the nightly build is green now",
        "use a dict here, not a list",
        "the banner goes away on friday, not before",
        "maybe logs go to stderr",
        "leave it alone",
        "we burned the firmware onto three boards",
        "summarize the chapter on retries",
    ],
)
def test_what_is_asked_passing_or_of_one_place_is_not(text: str) -> None:
    assert not states_lasting(text)


def test_a_form_speaks_where_a_session_opens_with_a_statement() -> None:
    said = "the serial number of a sensor has to stay in the file name"

    [opened] = distil(user(said)).candidates

    assert "serial number" in opened.title
    assert opened.evidence[0].quote == said


def test_amid_the_work_a_form_alone_is_not_enough() -> None:
    asked = "Can you rename the files?"

    amid = distil(user(asked), agent("Done."), user("the new ones live in the second folder")).candidates

    assert amid == ()
