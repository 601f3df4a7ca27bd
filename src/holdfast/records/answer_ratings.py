"""How a user liked an answer: a rating they gave, or one their words imply; nothing where that is not clear.

Plain searches only, nothing compiled: this runs on every prompt in a cold hook.
"""

from holdfast.core.value import Value
from holdfast.core.word_lists import split_phrases, word_set

_SEPARATORS = "-–—:,.;!|"
_LONGEST_COMMENT = 300
_LONGEST_IMPLICIT = 280
_LABELS = split_phrases(
    "rating|rate|score|my rating|i rate this|i'd rate this|i rate it|i'd rate it|i give it|i'd give it|"
    "i'd give this|i give this|bewertung|note|wertung|meine bewertung|évaluation|ma note|puntuación|calificación|"
    "nota|评分|打分|我给|给"
)
_SCALES = ("/10", "/ 10", " / 10", " /10", " out of 10", " of 10", " von 10", " sur 10", " de 10", " sobre 10", "分")
_FIVES = split_phrases("/5|/ 5| / 5| out of 5| stars| star| von 5| sur 5| de 5| sterne| étoiles| estrellas|星")
_UNITS = word_set(
    "files file lines line tests test errors error times time minutes minute hours hour days day weeks seconds "
    "second ms s mb gb kb px items item steps step columns rows users people points percent % am pm o'clock "
    "dateien zeilen fehler minuten stunden tage fichiers lignes heures jours archivos líneas horas días minutos "
    "usd eur dollars euros commits branches options option of x and or to is are was more less th nd rd st 个 行 次 "
    "天 小时 分钟 in on for at from with into per"
)
_MARKS = word_set(
    "nice good great bad poor ok okay meh perfect excellent awesome terrible awful fine solid thanks thx decent "
    "almost close wow lol gut schlecht super toll prima danke naja bien mal bueno genial merci gracias "
    "不错 很好 还行 差"
)

# Words that tell, with the rating they imply; what stands first in the text counts less than what is strongest.
_PRAISE = {
    9: split_phrases(
        "perfect|amazing|awesome|brilliant|excellent|fantastic|outstanding|love it|i love this|"
        "exactly what i wanted|exactly what i needed|incredible|flawless|superb|wonderful|nailed it|great job|"
        "great work|perfekt|genial|großartig|hervorragend|parfait|génial|excellente|perfecto|excelente|increíble|"
        "fantástico|完美|太棒了|太好了|非常好|厉害"
    ),
    8: split_phrases(
        "great, thank|very nice|well done|works great|looks great|that's great|that is great|works perfectly|"
        "good job|nice work|good work|sehr gut|klasse|super gemacht|gut gemacht|très bien|bien joué|"
        "super travail|muy bien|buen trabajo|很好|干得好|做得好"
    ),
    7: split_phrases(
        "thanks, that works|that works, thank|looks good|nice!|nice, thank|that works|works now, thank|"
        "sieht gut aus|funktioniert, danke|ça marche, merci|funciona, gracias|不错|可以了,谢谢|可以了，谢谢"
    ),
}
_BLAME = {
    1: split_phrases(
        "terrible|horrible|useless|garbage|worst|this is a disaster|what the hell|wtf|you destroyed|"
        "you deleted my|unacceptable|waste of time|are you kidding|katastrophe|unbrauchbar|furchtbar|nul à chier|"
        "catastrophique|inutilisable|inútil|desastre|太差|垃圾|没用"
    ),
    2: split_phrases(
        "this is awful|that's awful|completely wrong|totally wrong|you broke|you ruined|i'm frustrated|"
        "so frustrating|this is frustrating|stop doing that|how many times|i already told you|völlig falsch|"
        "komplett falsch|du hast alles kaputt|complètement faux|tu as tout cassé|completamente mal|lo has roto|"
        "完全错|你搞坏"
    ),
    3: split_phrases(
        "not what i asked|not what i wanted|still broken|still doesn't work|still not working|still fails|"
        "still wrong|that's wrong|this is wrong|doesn't work at all|disappointing|you misunderstood|you ignored|"
        "you didn't listen|nicht was ich wollte|nicht das, was ich|geht immer noch nicht|"
        "funktioniert immer noch nicht|das ist falsch|pas ce que j'ai demandé|ça ne marche toujours pas|"
        "c'est faux|no es lo que pedí|sigue sin funcionar|eso está mal|还是不行|不是我要的|还是错"
    ),
}
# With these before the telling words they tell nothing, or the reverse.
_TURNS = split_phrases(
    "not |n't |isn't|never |if |would be |should be |make it |could be |until |nicht |kein |wäre |wenn |pas |si |"
    "serait |no es |sería |不|如果|没"
)
_REPORTED = split_phrases(
    "says|said|user|customer|review|comment|string|text|label|word|message|title|called|class|variable"
)
_SOLVED = ("fixed", "now works", "works now", "was my fault", "my mistake", "my bad")


class AnswerRating(Value):
    """How good an answer was, 1 to 10, and how we know."""

    rating: int
    source: str
    comment: str = ""
    confidence: float = 1.0
    analysis: str = ""


def find_rating(text: str, previous_answer: str = "") -> AnswerRating | None:
    """The rating a message gives or implies about the previous answer; None where unsure."""
    bare = " ".join(text.replace("’", "'").split())
    if not bare:
        return None
    return _explicit_rating(bare, previous_answer) or _implicit_rating(bare)


def _explicit_rating(bare: str, previous_answer: str) -> AnswerRating | None:
    stars = _count_stars(bare)
    if stars:
        return _rating(stars * 2, bare.strip("⭐★☆ " + _SEPARATORS), 0.95, "stars")
    label, rest = _after_label(bare)
    number, rest = _leading_number(rest)
    if number is None:
        return None
    for scales, factor, why in ((_SCALES, 1, "a number of ten"), (_FIVES, 2, "a number of five")):
        scale = next((scale for scale in scales if rest.lower().startswith(scale)), "")
        if scale and 1 <= number * factor <= 10 and _ends_there(rest[len(scale) :]):
            return _rating(round(number * factor), rest[len(scale) :], 0.97, why)
    return _bare_number(number, rest, bool(label), previous_answer)


def _bare_number(number: float, rest: str, labelled: bool, previous_answer: str) -> AnswerRating | None:
    if number != int(number) or not 1 <= number <= 10:
        return None
    if labelled:
        return _rating(int(number), rest, 0.95, "a labelled number") if _ends_there(rest) else None
    if _offers_choices(previous_answer):
        return None
    if not rest.strip(_SEPARATORS + " "):
        return None if rest.strip() in (")", ":") else _rating(int(number), "", 0.85, "a number alone")
    return _rating(int(number), rest, 0.85, "a number and a remark") if _is_remark(rest) else None


def _is_remark(rest: str) -> bool:
    """Whether what follows a number comments on it: "- nice", "! great work"; not "8 files" nor "3. fix the tests"."""
    words = rest.lower().strip(_SEPARATORS + " ").split()
    if not words or len(rest) > _LONGEST_COMMENT or rest.endswith("?"):
        return False
    first = words[0].strip(_SEPARATORS)
    if rest[:1].isspace() and rest.lstrip()[:1] in "-–—|":
        return first not in _UNITS and not first[:1].isdigit()
    if rest[:1] in "-–—!," and rest[1:2] == " ":
        return first not in _UNITS and not first[:1].isdigit() and (rest[:1] != "," or first in _MARKS)
    return rest[:1].isspace() and first in _MARKS and len(words) <= 12


def _ends_there(rest: str) -> bool:
    """Whether the number is over: nothing follows, or a remark set off from it."""
    bare = rest.lstrip(" .")
    first = bare.split(None, 1)[0].strip(_SEPARATORS).lower() if bare.strip(_SEPARATORS + " ") else ""
    return not first or (
        (bare[:1] in _SEPARATORS + "，。" or first in _MARKS or first in ("because", "weil", "parce", "porque"))
        and first not in _UNITS
    )


def _after_label(bare: str) -> tuple[str, str]:
    low = bare.lower()
    label = max((label for label in _LABELS if low.startswith(label)), key=len, default="")
    rest = bare[len(label) :]
    if label and rest[:1].isalpha() and label.isascii():
        return "", bare
    rest = rest.lstrip(" :=-：")
    for filler in ("a ", "an ", "this a ", "it a ", "of "):
        rest = rest.removeprefix(filler) if label else rest
    return (label, rest) if label and rest[:1].isdigit() else ("", bare)


def _leading_number(rest: str) -> tuple[float | None, str]:
    end = 0
    while (
        end < len(rest)
        and end < 5
        and (
            (rest[end].isdecimal() and rest[end].isascii())
            or (rest[end] in ".," and rest[end + 1 : end + 2].isdecimal() and rest[end + 1].isascii() and end)
        )
    ):
        end += 1
    digits = rest[:end].replace(",", ".")
    if not digits or digits.count(".") > 1 or (rest[end : end + 1].isalpha() and rest[end] not in "分星"):
        return None, rest
    return float(digits), rest[end:]


def _count_stars(bare: str) -> int:
    count = bare.count("⭐") or bare.count("★")
    return count if 1 <= count <= 5 and bare[0] in "⭐★" else 0


def _offers_choices(answer: str) -> bool:
    """Whether an answer ends with things to choose from, or a question a number could answer."""
    tail = answer.rstrip()[-1500:]
    lines = [line.strip().lstrip("*-• ") for line in tail.splitlines()]
    numbered = sum(line[:1].isdigit() and line.lstrip("0123456789")[:1] in (".", ")", ":") for line in lines)
    lettered = sum(line.lower().startswith("option ") for line in lines)
    inline = ("(1)" in tail and "(2)" in tail) or ("1)" in tail and "2)" in tail)
    return numbered >= 2 or lettered >= 2 or inline or tail.endswith(("?", "？")) or "how many" in tail[-200:].lower()


def _implicit_rating(bare: str) -> AnswerRating | None:
    low = bare.lower()
    if (
        len(bare) > _LONGEST_IMPLICIT
        or low.endswith(("?", "？"))
        or "```" in low
        or any(word in low for word in _REPORTED)
    ):
        return None
    good, bad = _strongest_words(low, _PRAISE, max), _strongest_words(low, _BLAME, min)
    if bad is not None and any(word in low for word in _SOLVED):
        return None
    if (good is None) == (bad is None):
        return None
    value, words = good or bad or (0, "")
    firm = len(bare) < 80 and low.find(words) < 40
    if not firm and good is not None:
        return None
    return AnswerRating(
        rating=value,
        source="implicit",
        comment=bare[:_LONGEST_COMMENT],
        confidence=0.8 if firm else 0.6,
        analysis=f"says {words!r}",
    )


def _strongest_words(low: str, table: dict[int, tuple[str, ...]], strongest: object) -> tuple[int, str] | None:
    found = [(value, words) for value, several in table.items() for words in several if _says_words(low, words)]
    if not found:
        return None
    return max(found, key=lambda pair: pair[0]) if strongest is max else min(found, key=lambda pair: pair[0])


def _says_words(low: str, words: str) -> bool:
    at = low.find(words)
    if at < 0 or (words[0].isascii() and at and low[at - 1].isalnum()):
        return False
    after = low[at + len(words) : at + len(words) + 1]
    if words[-1].isalpha() and words[-1].isascii() and after.isalpha():
        return False
    before = low[max(0, at - 14) : at]
    return not any(turn in before for turn in _TURNS)


def _rating(value: int, rest: str, confidence: float, why: str) -> AnswerRating:
    comment = rest.strip().strip(_SEPARATORS + " ")[:_LONGEST_COMMENT]
    return AnswerRating(rating=value, source="explicit", comment=comment, confidence=confidence, analysis=why)
