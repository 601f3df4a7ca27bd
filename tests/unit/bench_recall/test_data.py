from bench.recall.data import Passage, pieces


def test_a_long_text_is_cut_at_paragraphs() -> None:
    assert pieces("one two\n\nthree four\n\nfive", longest=20) == ["one two\n\nthree four", "five"]


def test_a_long_paragraph_is_cut_between_words() -> None:
    cut = pieces("word " * 50, longest=40)

    assert max(map(len, cut)) <= 40
    assert " ".join(cut).split() == ["word"] * 50


def test_an_empty_text_is_one_empty_piece() -> None:
    assert pieces("") == [""]


def test_a_turn_is_read_with_its_day_and_speaker() -> None:
    turn = Passage(text="Hi.", group=0, said_by="Ann", when="8 May")

    assert turn.whole == "(8 May) Ann: Hi."
