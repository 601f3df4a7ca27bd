"""Secrets in sentences, in the languages of `phrases`: "my pw: …", "das Passwort lautet …", "entra con admin / …".

A name (password, Kennwort, mot de passe, contraseña, 密码), at most a few words that say whose it is, a word like "is",
and then at once a word that somebody made up: letters with digits or signs among them, and no version, path, address,
algorithm or placeholder.
"""

import re
from collections.abc import Iterator

from holdfast.redact.gate import SPOKEN_WINDOW, places, spoken_places, to_ascii_bytes
from holdfast.redact.secret_checks import is_identity, is_placeholder, is_reference, is_wordy, looks_random

Span = tuple[int, int, str]


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_NAME = re.compile(
    r"(?<![a-z0-9_./$])(?:[a-zäöüß]{0,16}-?)(?P<password>passwor[dt]|passwd|passphrase|passcode|kennwort|contrase(?:ñ|n)a)(?:'s|s|es)?"
    r"|(?<![a-z0-9_./$-])(?:(?P<short>pass|pwd|pw|mdp)(?:'s)?|(?P<tongue>mot de passe|clave)"
    r"|(?P<key>(?:(?:api|secret|access|private|license|encryption)[ -])?(?:keys?|token|secret)"
    r"|(?:[a-z]{2,12}[- ])?schlüssel|clé(?: api| secrète)?|jeton))(?![\w(\[.=/-])",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"\S+")
_COPULAS = _words(
    """
    is was be are will = -> → => ist lautet lauten war wäre heißt heisst sei wird sind est était sera serait c'est sont
    devient es era será sería son is: ist: est: es: : ：
    """
)
# Words that also stand where nothing is spoken: what follows must look made up beyond doubt.
_TO = _words("to as auf zu in en à a with using")
_OF = _words(
    """
    for of on at in to from you we i that which needed vom von für fürs der des dem zu zum zur im am an auf de du d'
    pour sur del para en al los las que il faut
    """
)
_SKIPPED = _words(
    """
    now still just always simply set changed currently probably to be jetzt noch immer nun einfach wohl maintenant
    toujours simplement ahora todavía siempre simplemente the a « " „ “ ' ` : :)
    """
)
_WITH = _words("with use using mit nimm nehme benutze verwende avec utilise con usa utiliza y and und et")
_AS = _words("as als comme como")
_ARTICLES = _words("the a its his her my your our their das dem den mein ihr sein le la mon son votre el mi su tu")
_TRIGGER = re.compile(
    r"log(?:ged)?[ -]?(?:in|into)|sign[ -]?in|authenticat|credentials?\b|\bcreds\b|account|\buser|zugangsdaten|anmeld"
    r"|melde|einlogg|identifiant|connecte|compte|entra|accede|inicia|credencial|usuario|登录|登陆|账号|帐号|用户",
    re.IGNORECASE,
)
_PAIRED = re.compile(
    r"(?P<user>[\w@.+-]{2,64})(?P<mark> and | und | et | y | with | mit | avec | con |\s?:\s?)"
    r"(?P<value>[^\s\"'`,;<>()]{5,128})"
)
_STROKE = re.compile(r"(?P<user>[\w@.+-]{2,64})(?P<mark> / )(?P<value>[^\s\"'`,;<>()]{5,128})")
_CHINESE = re.compile(
    r"(?:密码|密碼|口令|密钥|密鑰|令牌)(?:[^\s\x00-\x7f，。；！？,;：“”]{0,10})[\s:：“”\"'`「『为是]{0,6}"
    r"(?P<value>[\x21-\x7e]{5,128})"
)
_OPENING, _CLOSING = "\"'`*„“”«»‘’([「『", "\"'`*“”»«’‘,;)]」』。，"
_SIGNS = frozenset("!#$%&*+?@^~=|")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+[.,;]?")
_PUBLIC = re.compile(
    r"v?[0-9][0-9.,:/_x-]*[A-Za-z%]{0,4}|[0-9a-f]{7,12}|[A-Z]{2,8}-[0-9]+|#[0-9]+|\S*\.[A-Za-z]{2,5}|test\S*"
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|.*[()<>{}\[\]\\=].*|.*://.*"
    r"|argon2\w*|bcrypt\w*|pbkdf2\S*|sha-?[0-9]+\S*|md[45]|\w{0,4}base[0-9]+\w*|oauth\S*|[hrep]s[0-9]{3}|aes\S*|utf-?[0-9]+"
    r"|https?\S*|ed25519|x509|rsa[0-9]*|ipv?[46]|1password|bitwarden\S*|python\S*|node[0-9]+|ascii\S*|latin1|iso\S*|gpio\S*",
    re.IGNORECASE,
)
_LEAST_KEY = 16
_BEFORE = 24


def find_spoken(text: str) -> Iterator[Span]:
    """Where sentences tell a secret, and of which kind; spans may overlap."""
    raw = to_ascii_bytes(text)
    done = 0
    for at, end in spoken_places(raw, raw.lower()):
        for found in _NAME.finditer(text, max(done, at - _BEFORE), end + _BEFORE):
            kind = "key" if found["key"] else "password"
            done = found.end()
            yield from _after_name(text, found, kind)
            if kind == "password":
                yield from _before_name(text, found.start())
        if raw[at : at + 1] in b"cCaA" and _TRIGGER.match(text, at):
            yield from _in_pairs(text, at, end + SPOKEN_WINDOW)
    for at in places(raw, b" / "):
        yield from _in_pairs(text, at, at + SPOKEN_WINDOW)
    if not text.isascii():
        yield from _in_chinese(text)


def _after_name(text: str, name: re.Match[str], kind: str) -> Iterator[Span]:
    """The made-up word that follows a name, at once or behind words like "for the staging box is"."""
    end = name.end()
    line = text[end : end + SPOKEN_WINDOW].partition("\n")[0]
    spoken = line[:1] in (":", "：")
    yield from _walk_words(text, end, line, kind, spoken=spoken, eager=spoken or _expects_value(text, name))


def _expects_value(text: str, name: re.Match[str]) -> bool:
    """Whether what follows a name at once is most likely its value: "with the password …", "la clave …"."""
    low = name[0].lower()
    if name["tongue"] or low.endswith(("wort", "ña", "na", "mdp", "pw", "'s")):
        return True
    before = text[max(0, name.start() - 32) : name.start()].rpartition("\n")[2].lower().split()[-3:]
    return any(word in _WITH for word in before)


def _walk_words(text: str, start: int, line: str, kind: str, *, spoken: bool, eager: bool) -> Iterator[Span]:
    loose = kind == "key" and line.startswith(",")
    for at, word in enumerate(_TOKEN.finditer(line, 1 if spoken or loose else 0)):
        bare = word[0].strip(_OPENING).lower()
        if spoken or at == 0:
            span = _judge(text, start + word.start(), start + word.end(), kind, eager=eager)
            if span:
                yield span
                return
        if not spoken and word[0][-1] in ":：":
            spoken = eager = True
        elif bare in _COPULAS or bare in _TO:
            spoken, eager = True, bare in _COPULAS
        elif not ((spoken and word[0].lower() in _SKIPPED) or (not spoken and (at or loose or bare in _OF))):
            return
        if at > 8 or (not spoken and word[0][-1] in ".,;?!:"):
            return


def _before_name(text: str, at: int) -> Iterator[Span]:
    """The made-up word before "as its password"."""
    line = text[max(0, at - SPOKEN_WINDOW) : at].rpartition("\n")[2]
    words = list(_TOKEN.finditer(line))
    while words and words[-1][0].lower() in _ARTICLES:
        words.pop()
    if len(words) > 1 and words[-1][0].lower() in _AS:
        first = at - len(line) + words[-2].start()
        if span := _judge(text, first, first + len(words[-2][0]), "password", eager=False):
            yield span


def _in_chinese(text: str) -> Iterator[Span]:
    for found in _CHINESE.finditer(text):
        first, last = found.span("value")
        if span := _judge(text, first, last, "password", eager=True):
            yield span


def _in_pairs(text: str, at: int, end: int) -> Iterator[Span]:
    """`admin / x1y2z3` in a line that speaks of a login, around a place."""
    first = text.rfind("\n", max(0, at - SPOKEN_WINDOW), at) + 1 or max(0, at - SPOKEN_WINDOW)
    last = text.find("\n", at, end)
    last = last if last >= 0 else min(end, len(text))
    trigger = _TRIGGER.search(text, first, last)
    pairs = [*_STROKE.finditer(text, first, last), *_PAIRED.finditer(text, first, last)] if trigger else []
    for found in pairs:
        if span := _judge(text, *found.span("value"), "password", eager=_is_eager(found, trigger)):
            yield span


def _is_eager(found: re.Match[str], trigger: re.Match[str] | None) -> bool:
    """Whether a pair is surely a name and a password: with a stroke between, or behind a word like credentials."""
    return (
        found["mark"] == " / "
        or trigger is None
        or trigger[0].lower().startswith(("cred", "zugangs", "anmelded", "identif"))
    )


def _judge(text: str, first: int, last: int, kind: str, *, eager: bool) -> Span | None:
    """The span of a word that is a secret, without what stands around it; `eager` where it is hardly another thing."""
    while first < last and text[first] in _OPENING:
        first += 1
    quote = next((at for at in range(first, last) if text[at] in '"`„“”«»‘’」』'), last)
    last = quote
    while last > first and text[last - 1] in _CLOSING + ".:":
        last -= 1
    value = text[first:last]
    fits = _is_key(value) if kind == "key" else _is_made_up(value) and (eager or _is_surely_made_up(value))
    return (first, last, kind) if fits else None


def _is_made_up(value: str) -> bool:
    """Whether a word is one that somebody made up for a password."""
    if not 5 <= len(value) <= 128 or not any(map(str.isalpha, value)) or not value.isascii():
        return False
    if is_reference(value) or is_placeholder(value) or _EMAIL.fullmatch(value) or _PUBLIC.fullmatch(value):
        return False
    if value[0] in "/~.-=" or ("/" in value and is_wordy(value)):
        return False
    return any(map(str.isdigit, value)) or any(sign in value[1:-1] for sign in _SIGNS)


def _is_surely_made_up(value: str) -> bool:
    digits, signs = any(map(str.isdigit, value)), any(sign in value for sign in _SIGNS)
    mixed = value != value.lower() and value != value.upper()
    return len(value) >= 7 and ((digits and (signs or mixed)) or looks_random(value))


def _is_key(value: str) -> bool:
    """Whether a word is a key or a token: long, letters and digits, and no id that is public."""
    if len(value) < _LEAST_KEY or is_reference(value) or is_placeholder(value) or "/" in value or "(" in value:
        return False
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return mixed and looks_random(value) and not is_identity(value) and value.isascii()
