from bench.recall.data import Passage, iso
from bench.recall.shelves import asking_share, names, shelf


def test_a_store_is_put_on_a_shelf_in_its_order() -> None:
    held = shelf([Passage(text="Hi Bob.", group=3, said_by="Ann"), Passage(text="Hi.", group=3, said_by="Bob")])

    assert held.totals().groups == 1
    assert held.around([0], 0, 1) == {0: [0, 1]}
    assert held.texts([0])[0].said_by == "ann"


def test_a_passage_names_its_title_without_what_tells_it_from_others() -> None:
    assert "mercury" in names(Passage(text="a planet", group=0, title="Mercury (planet)"))


def test_questions_are_counted_among_sentences() -> None:
    assert asking_share("Why? It is so.") == 0.5
    assert asking_share("no end") == 0.0


def test_dates_of_the_sets_become_iso() -> None:
    assert iso("2023/05/30 (Tue) 23:40") == "2023-05-30T23:40:00+00:00"
    assert iso("1:56 pm on 8 May, 2023") == "2023-05-08T13:56:00+00:00"
    assert iso("some day") == ""
