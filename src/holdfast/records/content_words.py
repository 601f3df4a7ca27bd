"""The words of a text that tell it from others."""

from holdfast.core.word_lists import word_set

_PLAIN = word_set(
    "about add added adds after again all also and another any are back because been before but can change changes "
    "check code could create did does done every file files first fix fixed for from get good has have here how "
    "into its just keep let like line make makes may more must need needs new next not now off old one only open "
    "other our out over please put remove run same see set should show some still such sure take test tests than "
    "that the their them then there these they thing things this those too two update use used uses using very want "
    "was way well were what when where which while who why will with without work works would yes you your "
    "und oder der die das ein eine nicht bitte mit für auf les des une pour avec dans los las una para con"
)
_SHORTEST = 3


def content_words(text: str) -> frozenset[str]:
    """The words that carry meaning, in lower case, without a plural's s; parts of names count for themselves."""
    low = text.lower()
    flat = "".join(character if character.isalnum() else " " for character in low)
    found = {word.removesuffix("s") if len(word) > _SHORTEST + 1 else word for word in flat.split()}
    return frozenset(word for word in found if len(word) >= _SHORTEST and word not in _PLAIN and not word.isdigit())
