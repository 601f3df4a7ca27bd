"""Work units, as far as words tell: whether a prompt starts work, how deep it goes, what would satisfy it (its ISC).

An ISC ("ideal state criteria") is a plain dict, as it stands in ISC.json:
`{v, ideal, criteria: [{id, text, status, sourceEventIds}], antiCriteria, updatedAt, current, history}`.
"""

import json
import unicodedata
from collections.abc import Iterable
from typing import Any, Final, Literal
from zlib import crc32

from holdfast.core.word_lists import split_phrases, word_set
from holdfast.phrases.prose import lines_of, split_sentences, strip_bullet

Effort = Literal["quick", "standard", "deep"]
Isc = dict[str, Any]

VERSION: Final = "0.1"
LIMIT: Final = 10_000
PENDING, VERIFIED, FAILED = "PENDING", "VERIFIED", "FAILED"
_KEYS = ("v", "ideal", "criteria", "antiCriteria", "updatedAt", "current", "history")
_MOST_CRITERIA = 16
_MOST_VERSIONS = 24
_LONGEST = 200
_LONGEST_IDEAL = 600
_QUICK_WORDS, _DEEP_WORDS = 14, 140
_DEEP_FILES, _DEEP_POINTS = 5, 6

_CHANGE = word_set(
    "add adapt adjust allow apply automate build bump change clean configure convert copy create debug define "
    "delete deploy design document drop enable ensure extend extract finish fix generate handle harden implement "
    "improve include increase inline install integrate introduce investigate let's make merge migrate modify "
    "move optimise optimize paginate parse polish port prepare profile put refactor reduce release remove rename "
    "reorganise reorganize replace resolve restructure rewrite run secure separate set setup simplify solve sort "
    "speed split support switch test translate tweak undo unify update upgrade use validate verify wire wrap "
    "write scaffold analyse analyze audit review benchmark füge ergänze baue bau erstelle implementiere behebe "
    "repariere ändere entferne lösche schreibe schreib refaktoriere verbessere aktualisiere migriere teste "
    "richte mach mache optimiere prüfe untersuche benenne verschiebe ersetze ajoute ajouter crée créer corrige "
    "corriger implémente modifie supprime écris refactorise améliore mets mettre migre renomme déplace remplace "
    "vérifie construis añade agrega crea arregla implementa modifica elimina escribe refactoriza mejora "
    "actualiza prueba migra renombra mueve reemplaza optimiza construye revisa haz"
)
_CHANGE_ZH = split_phrases(
    "添加|增加|实现|修复|修改|删除|创建|重构|优化|更新|迁移|编写|写一个|部署|改成|加一个|加上|支持|新建|重写"
)
_DEEP = word_set(
    "architect architecture audit comprehensive end-to-end entire everything from-scratch investigate migrate "
    "migration overhaul redesign refactor reimplement rearchitect rewrite thorough thoroughly throughout whole "
    "refaktoriere migriere gesamte komplette umbau untersuche refactorise migre entière complète réécris "
    "refactoriza migra completo entera reescribe"
)
_DEEP_ZH = ("重构", "迁移", "整个", "全面", "重写", "架构", "彻底")
_SMALL = word_set(
    "typo typos rename bump comment whitespace indent indentation spelling wording tippfehler coquille errata"
)
_LEADS = word_set(
    "please can could would you i we want need to let's lets now then next so ok okay also and just help me us "
    "should must have hey hi yes first kannst könntest du bitte ich möchte wir müssen jetzt dann lass uns "
    "peux-tu pourrais-tu s'il te plaît je veux on doit il faut maintenant ensuite puedes podrías por favor "
    "quiero tenemos que ahora luego vamos a"
)
_ACKNOWLEDGEMENTS = word_set(
    "yes no ok okay thanks thank continue go proceed done stop cool great nice sure yep nope ja nein danke "
    "weiter oui non merci sí gracias 好 好的 继续 谢谢 是 不"
)
_MUST = split_phrases(
    " must | should | has to | have to | needs to | need to | ensure | make sure | so that | muss | soll |"
    " müssen | doit | doivent | debe | deben |必须|应该|需要|确保"
)
_MUST_NOT = split_phrases(
    " must not | mustn't | should not | shouldn't | don't | do not | never | without | avoid | no new | nicht |"
    " keine | ohne | ne pas | sans | ne doit | sin | no debe | no uses |不要|不能|禁止|不得"
)


def estimate_effort(prompt: str) -> Effort:
    """How deep a prompt goes, by its length, its verbs and the files it names."""
    words = _words(prompt)
    files = {word for word in words if _names_file(word)}
    points = sum(1 for line in prompt.splitlines()[:400] if _is_point(line))
    bare = frozenset(word.strip(".,:;!?()'\"") for word in words)
    if bare & _DEEP or any(word in prompt[:4000] for word in _DEEP_ZH):
        return "deep" if len(words) > 6 or any(char >= "\u4e00" for char in prompt) else "standard"
    if len(words) > _DEEP_WORDS or len(files) >= _DEEP_FILES or points >= _DEEP_POINTS:
        return "deep"
    small = bool(bare & _SMALL) and len(words) <= 2 * _QUICK_WORDS
    if small or (
        len(words) <= _QUICK_WORDS
        and len(files) <= 1
        and points < 2
        and not (bare & {"implement", "build", "create", "design"})
    ):
        return "quick"
    return "standard"


def starts_work(prompt: str) -> bool:
    """Whether a prompt asks for something to be made or changed; questions, thanks and "go on" do not."""
    bare = prompt.strip()
    if not bare or bare.startswith(("/", "<", "!", "#")):
        return False
    words = [word.strip(".,:;!?()'\"`").lower() for word in bare[:600].split()]
    if len(words) <= 3 and words[0] in _ACKNOWLEDGEMENTS:
        return False
    return any(_is_order(sentence) for sentence in list(split_sentences(bare))[:12])


def isc_from(prompt: str, event_id: str, now: str) -> Isc:
    """The first ISC of a prompt: its ideal, what must hold, what must not."""
    depth = estimate_effort(prompt)
    criteria, anti = _criteria_of(prompt, event_id)
    if depth == "quick":
        # What was demanded in so many words counts; the order itself is the whole of a quick one.
        criteria = [one for one in criteria if _says_any(one["text"], _MUST)]
    isc: Isc = {
        "v": VERSION,
        "ideal": _ideal_of(prompt),
        "criteria": criteria,
        "antiCriteria": anti,
        "updatedAt": now,
        "current": {"version": 1, "effort": depth, "summary": ""},
        "history": [],
    }
    return _limit_isc({**isc, "history": [] if depth == "quick" else [_version_of(isc)]})


def update_isc(  # noqa: PLR0913  # what may change about an ISC, each by name
    isc: Isc,
    *,
    now: str,
    event_id: str = "",
    verified: Iterable[str] = (),
    failed: Iterable[str] = (),
    reopened: Iterable[str] = (),
    added: Iterable[str] = (),
    forbidden: Iterable[str] = (),
    summary: str = "",
) -> Isc:
    """The ISC after an answer: criteria (by id or text) verified or failed, new ones added. The one given stays."""
    changed = _repair_isc(isc)
    statuses = dict.fromkeys(reopened, PENDING) | dict.fromkeys(failed, FAILED) | dict.fromkeys(verified, VERIFIED)
    changed["criteria"] = [_mark_criterion(criterion, statuses, event_id) for criterion in changed["criteria"]]
    changed["criteria"] = _join_criteria(changed["criteria"], [_criterion(text, event_id) for text in added])
    changed["antiCriteria"] = _join_criteria(changed["antiCriteria"], [_anti_criterion(text) for text in forbidden])
    current = changed["current"]
    changed["current"] = {
        **current,
        "version": current["version"] + 1,
        "summary": summary[:_LONGEST_IDEAL] or current["summary"],
    }
    changed["updatedAt"] = now
    if current["effort"] == "deep":
        changed["history"] = [*changed["history"], _version_of(changed)]
    return _limit_isc(changed)


def finish_isc(isc: Isc, now: str) -> Isc:
    """The ISC when its work closes: the last version stands in the history, whatever the effort."""
    changed = _repair_isc(isc)
    last = changed["history"][-1:] if changed["history"] else []
    if last and isinstance(last[0], dict) and last[0].get("version") == changed["current"]["version"]:
        return changed
    changed["updatedAt"] = now
    changed["history"] = [*changed["history"], _version_of(changed)]
    return _limit_isc(changed)


def count_verified(isc: Isc) -> tuple[int, int]:
    """How many criteria are verified, and of how many."""
    criteria = _repair_isc(isc)["criteria"]
    return sum(criterion["status"] == VERIFIED for criterion in criteria), len(criteria)


def prompt_slug(prompt: str) -> str:
    """Up to eight words of a prompt for the name of a folder: lower case, joined by hyphens, safe everywhere."""
    words: list[str] = []
    for word in unicodedata.normalize("NFKC", prompt[:2000]).lower().split():
        bare = "".join(char for char in word if char.isalnum() or char in "-_").strip("-_")
        if bare:
            words.append(bare[:24])
        if len(words) == 8:
            break
    joined = "-".join(words)
    while len(joined.encode()) > 120:
        joined = joined[:-1]
    return joined.rstrip("-_") or "untitled"


def _words(prompt: str) -> list[str]:
    return prompt[:20_000].lower().split()


def _names_file(word: str) -> bool:
    bare = word.strip(".,:;!?()'\"`")
    name, dot, suffix = bare.rpartition(".")
    looks = (
        bool(dot)
        and bool(name)
        and 1 <= len(suffix) <= 5
        and suffix.isalnum()
        and not suffix.isdigit()
        and "://" not in bare
    )
    return looks or (bare.count("/") >= 1 and "://" not in bare and len(bare) > 3 and not bare.startswith("//"))


def _is_point(line: str) -> bool:
    bare = line.strip()
    return bare[:2] in ("- ", "* ", "• ") or (bare[:1].isdigit() and bare.lstrip("0123456789")[:2] in (". ", ") "))


def _is_order(sentence: str) -> bool:
    """Whether a sentence is an order: its first word that is no lead-in is a verb of change."""
    if any(verb in sentence for verb in _CHANGE_ZH):
        return not sentence.rstrip("。").endswith(("吗", "?", "？", "呢"))
    words = [word.strip(".,:;!?()'\"`*") for word in sentence.lower().replace("’", "'").split()[:14]]
    for at, word in enumerate(words):
        if word in _CHANGE:
            return at == 0 or _asks_politely(words[:at], sentence)
        if word not in _LEADS:
            return False
    return False


def _asks_politely(leads: list[str], sentence: str) -> bool:
    """Whether the lead-in makes an order: "can you …?" does, "should we …?" does not."""
    asked = sentence.rstrip().endswith(("?", "？"))
    polite = any(word in ("you", "du", "peux-tu", "pourrais-tu", "puedes", "podrías") for word in leads)
    return not asked or (polite and leads[0] not in ("should", "must", "have"))


def _ideal_of(prompt: str) -> str:
    found = list(split_sentences(prompt[:20_000]))
    order = next(
        (sentence for sentence in found if _is_order(sentence)),
        found[0] if found else " ".join(prompt[:_LONGEST_IDEAL].split()),
    )
    return order[:_LONGEST_IDEAL]


def _criteria_of(prompt: str, event_id: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    wanted: list[str] = [line for line in lines_of(prompt) if _is_point(line)]
    wanted = [strip_bullet(line) for line in wanted]
    wanted += [
        sentence
        for sentence in split_sentences(prompt)
        if _says_any(sentence, _MUST + _MUST_NOT) and sentence not in wanted
    ]
    wanted = [clause for text in wanted for clause in _clauses(text)]
    if all(_says_any(text, _MUST_NOT) for text in wanted):
        wanted = [*(sentence for sentence in split_sentences(prompt) if _is_order(sentence)), *wanted]
    anti = [_anti_criterion(text) for text in wanted if _says_any(text, _MUST_NOT)]
    criteria = [_criterion(text, event_id) for text in wanted if not _says_any(text, _MUST_NOT)]
    return _join_criteria([], criteria), _join_criteria([], anti)


def _clauses(text: str) -> list[str]:
    """The parts of a sentence that both demands and forbids: each is a criterion of its own kind."""
    for joint in (", and ", ", but ", " and ", " but ", "; ", ", "):
        parts = [part.strip() for part in text.split(joint) if part.strip()]
        if len({_says_any(part, _MUST_NOT) for part in parts}) > 1 and all(len(part.split()) > 1 for part in parts):
            return parts
    return [text]


def _says_any(text: str, phrases: tuple[str, ...]) -> bool:
    low = f" {text.lower().replace('’', chr(39))} "
    return any(phrase in low for phrase in phrases)


def _criterion(text: str, event_id: str) -> dict[str, Any]:
    return {
        "id": _id_of(text),
        "text": text[:_LONGEST],
        "status": PENDING,
        "sourceEventIds": [event_id] if event_id else [],
    }


def _anti_criterion(text: str) -> dict[str, Any]:
    return {"id": _id_of(text), "text": text[:_LONGEST]}


def _id_of(text: str) -> str:
    """The same words give the same id, so that what is said twice is one criterion."""
    return f"{crc32(' '.join(text.lower().split()).encode('utf-8', 'replace')):08x}"


def _join_criteria(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    by_id: dict[str, dict[str, Any]] = {}
    for one in [*old, *(one for one in new if one["text"])]:
        by_id.setdefault(one["id"], one)
    return list(by_id.values())[:_MOST_CRITERIA]


def _mark_criterion(criterion: dict[str, Any], statuses: dict[str, str], event_id: str) -> dict[str, Any]:
    status = statuses.get(criterion["id"]) or statuses.get(criterion["text"])
    if status is None:
        return criterion
    sources = [*criterion["sourceEventIds"], *([event_id] if event_id else [])]
    return {**criterion, "status": status, "sourceEventIds": list(dict.fromkeys(sources))[-6:]}


def _version_of(isc: Isc) -> dict[str, Any]:
    """A version as history keeps it: who stood where, not the words again."""
    return {
        "version": isc["current"]["version"],
        "at": isc["updatedAt"],
        "summary": isc["current"]["summary"][:_LONGEST],
        "criteria": {criterion["id"]: criterion["status"] for criterion in isc["criteria"]},
    }


def _repair_isc(isc: Isc) -> Isc:
    """An ISC with every key of the right kind, whatever stood in the file."""
    criteria = [one for one in _list(isc.get("criteria")) if isinstance(one, dict) and isinstance(one.get("text"), str)]
    anti = [one for one in _list(isc.get("antiCriteria")) if isinstance(one, dict) and isinstance(one.get("text"), str)]
    current = found if isinstance(found := isc.get("current"), dict) else {}
    version = current.get("version")
    return {
        **isc,
        "v": isc.get("v", VERSION),
        "ideal": str(isc.get("ideal") or "")[:_LONGEST_IDEAL],
        "criteria": [_repair_criterion(one) for one in criteria],
        "antiCriteria": [{**one, "id": str(one.get("id") or _id_of(one["text"]))} for one in anti],
        "updatedAt": str(isc.get("updatedAt") or ""),
        "current": {
            **current,
            "version": version if isinstance(version, int) else 1,
            "effort": str(current.get("effort") or "standard"),
            "summary": str(current.get("summary") or ""),
        },
        "history": [one for one in _list(isc.get("history")) if isinstance(one, dict)],
    }


def _repair_criterion(one: dict[str, Any]) -> dict[str, Any]:
    sources = [source for source in _list(one.get("sourceEventIds")) if isinstance(source, str)]
    status = one.get("status")
    return {
        **one,
        "id": str(one.get("id") or _id_of(one["text"])),
        "status": status if isinstance(status, str) else PENDING,
        "sourceEventIds": sources,
    }


def _list(found: object) -> list[Any]:
    return found if isinstance(found, list) else []


def _limit_isc(isc: Isc) -> Isc:
    """The ISC under its limit: foreign keys and versions between first and newest go first, then tails of texts."""
    history = isc["history"]
    if len(history) > _MOST_VERSIONS:
        isc = {**isc, "history": [history[0], *history[1 - _MOST_VERSIONS :]]}
    if _size(isc) > LIMIT:
        isc = {key: isc[key] for key in _KEYS}
    while _size(isc) > LIMIT and len(isc["history"]) > 1:
        isc = {**isc, "history": [isc["history"][0], *isc["history"][2:]]}
    for longest in (120, 60, 30):
        if _size(isc) > LIMIT:
            isc = _shorten_texts(isc, longest)
    while _size(isc) > LIMIT and (isc["criteria"] or isc["antiCriteria"] or isc["history"]):
        isc = {**isc, **{key: isc[key][:-1] for key in ("criteria", "antiCriteria", "history")}}
    return isc


def _shorten_texts(isc: Isc, longest: int) -> Isc:
    current = isc["current"]
    return {
        **isc,
        "v": str(isc["v"])[:20],
        "ideal": isc["ideal"][: longest * 2],
        "criteria": [_shorten_criterion(one, longest) for one in isc["criteria"]],
        "antiCriteria": [_shorten_criterion(one, longest) for one in isc["antiCriteria"]],
        "updatedAt": isc["updatedAt"][:40],
        "current": {
            "version": current["version"],
            "effort": current["effort"][:20],
            "summary": current["summary"][: longest * 2],
        },
    }


def _shorten_criterion(one: dict[str, Any], longest: int) -> dict[str, Any]:
    short: dict[str, Any] = {"id": one["id"][:40], "text": one["text"][:longest]}
    if "status" in one:
        short |= {
            "status": str(one["status"])[:20],
            "sourceEventIds": [str(source)[:80] for source in _list(one.get("sourceEventIds"))[-2:]],
        }
    return short


def _size(isc: Isc) -> int:
    return len(json.dumps(isc, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass"))
