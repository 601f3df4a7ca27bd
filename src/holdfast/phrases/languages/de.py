"""German: sentences that must not be lost; what makes one a question, a guess or somebody else's."""

from holdfast.core.word_lists import word_set

# Where a thing ends: the words that may follow it.
ENDS = (
    r"(?=[,;!]| [(–—]| - |: |[.\s]*$| (?:für|weil|da|denn|hier|jetzt|bitte|aber|überall|statt|stattdessen|und|in|"
    r"im|auf|bei|als|zu|zum|zur|verwenden|nehmen|benutzen|nutzen)\b)"
)

VERBS = word_set(
    "nimm nutze benutze verwende mach lass leg schreib setz stell füge entferne lösche ändere behalte verschiebe "
    "benenne"
)

QUESTIONS = (
    r"^(?:und |oder |aber |nein, )*(?:soll|sollen|sollten|sollte|kann|können|könnten|könntest|kannst|wollen|wäre|"
    r"ist|sind|hast|haben|warum|wieso|weshalb|wie|was|welche|welcher|welches|wer|wo|wann|würde|darf|"
    r"muss)\b(?! (?:ich nicht|ein muss))"
)

HEDGES = (
    r"\b(?:vielleicht|eventuell|möglicherweise|wahrscheinlich|könnte|könnten|würde|würden|wäre|wären|hätte|hätten|"
    r"wenn wir|falls|angenommen|nicht sicher|unsicher|ob|überlege|früher|damals|letztes jahr|mal angenommen|"
    r"theoretisch|zum beispiel|noch nicht entschieden)\b"
)

REPORTED = (
    r"\b(?:sagt|sagte|sagen|meint|meinten|empfiehlt|empfehlen|steht|laut|behauptet|schreibt|schrieb|fragt|"
    r"angeblich|schlägt vor|schlug vor|doku sagt)\b"
)

OWN = r"\b(?:ich|wir) (?:sagte|sagten|habe|hatte)\b[^,;.]{0,20}gesagt|\bich sagte\b"

# id, kind, language, confidence, cues, regex, examples: see patterns.py.
PATTERNS = (
    # Corrections
    ("de.nicht-sondern", "correction", "de", 0.9, ("sondern", "statt ", "anstatt ", "anstelle"),
     (r"(?:^|[,;:] |\b(?:bitte|nein|doch|und|dann) )(?:nicht {Y}, sondern {X}{E}|(?:nimm|nutze|benutze|verwende|"
      r"nehmt|nehmen sie|verwenden sie) (?:bitte |doch |lieber |hier )*{X},? (?:statt|anstatt|anstelle von|"
      r"und nicht) {Y}{E}|(?:statt|anstatt|anstelle von) {Y} (?:bitte |lieber |doch )*(?:nimm|nutze|benutze|"
      r"verwende) {X}{E})"),
     ("Nimm pnpm statt npm.", "Nicht MySQL, sondern Postgres.", "Bitte verwende httpx anstatt requests.")),
    ("de.nimm-nicht", "correction", "de", 0.9, (" nicht ",),
     (r"(?:^|[,;:] |\b(?:bitte|nein) )(?:nimm|nutze|benutze|verwende) (?:bitte |hier )*{X},? (?:und |"
      r"aber )?nicht {Y}{E}"),
     ("Verwende Tabs, nicht Leerzeichen.",)),
    ("de.meinte", "correction", "de", 0.9, ("ich meinte", "ich meine", "gemeint war", "gesagt", "ich sagte"),
     (r"^(?:nein[,.!]? |sorry,? |doch,? |halt,? )*(?:ich meinte|gemeint war|ich (?:habe|hatte) (?:doch )?gesagt|"
      r"ich sagte|(?<=, )ich meine)\b"),
     ("Nein, ich meinte die andere Datei.", "Ich hatte doch gesagt, keine neuen Abhängigkeiten.")),
    ("de.falsch", "correction", "de", 0.85,
     ("falsch", "nicht richtig", "nicht korrekt", "nicht das, was", "stimmt nicht", "missverstanden", "vergessen",
      "übersehen"),
     (r"^(?:nein[,.!]? )*(?:das|dies|es) (?:ist|war|stimmt) (?:so |leider |immer noch |noch )*(?:falsch|"
      r"nicht (?:richtig|korrekt|das,? was ich)|nicht)(?=[,;:.!–—]|\s*$| - | (?:wollte|meinte|gesagt))|"
      r"^(?:nein[,.!]? )*du hast (?:mich|das|die [\w]+) (?:falsch verstanden|missverstanden|vergessen|übersehen)"),
     ("Das ist falsch.", "Das ist nicht das, was ich wollte.", "Du hast mich falsch verstanden.")),
    ("de.nein-tu", "correction", "de", 0.85, ("nein", "halt", "doch"),
     r"^(?:nein|halt|stopp|nee|doch)[,.!:;]+ (?:bitte |doch |lieber )*(?P<verb>[a-zäöüß]+)\b",
     ("Nein, leg es in utils.", "Halt, lass die alte API.")),
    ("de.nein-soll", "correction", "de", 0.8, ("nein", "eigentlich"),
     (r"^(?:nein[,.!:;]+ |eigentlich )(?:es |das |die |der |sie |wir |ich )?(?:[\wäöüß-]+ ){0,3}?(?:soll|sollte|"
      r"sollen|sollten|muss|müssen|will|wollte|brauche|darf)\b"),
     ("Nein, es soll UTC sein.", "Eigentlich wollte ich eine Tabelle.")),
    ("de.kein", "correction", "de", 0.8, ("keine", "kein ", "nicht", "hör auf"),
     (r"^(?:nein[,.!]? |aber |und )*(?:bitte )?(?:(?:nutze|benutze|verwende|füge|nimm|mach|schreib|"
      r"erfinde) (?:bitte |hier |mir )*(?:keine?[nrs]?) {Y}{E}|(?:ändere|lösche|fass|committe|pushe|ändre|"
      r"entferne|verschiebe) (?:bitte )?[^,;.]{1,50} nicht\b|hör auf,? )"),
     ("Verwende keine Mocks.", "Ändere die Migrationen nicht.", "Füge keine neuen Abhängigkeiten hinzu.")),
    ("de.mach-rueckgaengig", "correction", "de", 0.85, ("rückgängig", "zurücksetzen", "setz das zurück"),
     (r"^(?:nein[,.!]? |bitte )*(?:mach|setz|nimm|dreh) (?:bitte )?(?:das|es|die [\w]+|den [\w]+|"
      r"deine [\w ]+) (?:wieder |bitte )*(?:rückgängig|zurück)"),
     ("Mach das rückgängig.",)),
    # Decisions
    ("de.lass-uns", "decision", "de", 0.9,
     ("lass uns", "lasst uns", "wir nehmen", "wir nutzen", "wir verwenden", "wir bleiben", "wir machen",
      "machen wir", "ich nehme", "wir setzen", "nehmen wir", "bleiben wir"),
     (r"(?:\b(?:lass|lasst) uns (?:einfach |bitte |doch |lieber |also |beim? |bei der |mit |"
      r"auf )*{X}(?:,? (?:statt|anstatt|und nicht|anstelle von) {Y})? (?:nehmen|nutzen|benutzen|verwenden|bleiben|"
      r"machen|setzen|wechseln|umsteigen|weglassen|streichen|behalten|überspringen|gehen)\b|(?:^|[,;:] |\b(?:und|"
      r"dann|also) )(?:wir nehmen|wir nutzen|wir verwenden|ich nehme|wir bleiben bei|bleiben wir bei|nehmen wir|"
      r"wir setzen auf|(?:wir machen|machen wir) (?:es|das) (?:mit|als|per|über)) (?:also |jetzt |einfach |dann |"
      r"die |das |den )*(?!an\b|uns\b|mal\b){X}(?:,? (?:statt|anstatt|und nicht|anstelle von) {Y})?{E})"),
     ("Lass uns Postgres nehmen.", "Wir nehmen SQLite statt Postgres.", "Wir bleiben bei REST.")),
    ("de.entschieden", "decision", "de", 0.95,
     ("entschieden", "entscheidung", "beschlossen", "geeinigt", "festgelegt"),
     (r"\b(?:ich habe|wir haben|habe ich|haben wir)(?: mich| uns)?(?: jetzt| nun| dafür|"
      r" dagegen)? [^;]{0,60}?(?:entschieden|beschlossen|geeinigt|festgelegt)\b|^(?:die |"
      r"unsere )?entscheidung(?: ist|:| lautet)"),
     ("Wir haben uns für Kafka entschieden.", "Entscheidung: ein Repo pro Dienst.")),
    ("de.weglassen", "decision", "de", 0.85,
     ("lass das weg", "überspring", "lass die", "lass den", "weglassen", "brauchen wir nicht"),
     (r"^(?:nein[,.]? |dann |bitte )*(?:lass (?:das|die [\w-]+|den [\w-]+|es) (?:erstmal |vorerst |einfach )*weg|"
      r"überspring (?:das|die|den|es)|(?:das|die [\w-]+|den [\w-]+) (?:lassen wir (?:erstmal |vorerst )?weg|"
      r"brauchen wir nicht))"),
     ("Überspring das.", "Lass die Tests erstmal weg.")),
    ("de.wechsel", "decision", "de", 0.9, (" von ",),
     (r"(?:^|\b(?:wir|bitte|lass uns) )(?:wechsle|wechseln|steigen|migrieren|stelle?n?) (?:bitte |"
      r"jetzt )*von {Y} (?:auf|zu|nach) {X}{E}"),
     ("Wir wechseln von npm auf pnpm.",)),
    # Architecture
    ("de.architektur", "architecture", "de", 0.9,
     ("architektur", "für die ", "für das ", "für den ", "als ", "darf", "dürfen", "muss", "müssen", "soll",
      "spricht", "sprechen"),
     (r"^(?:die |unsere )?architektur(?: ist|:)|(?:^|\b(?:bitte|wir) )(?:nimm|nutze|benutze|verwende|verwenden|"
      r"nutzen|nehmen) (?:bitte )?{X} (?:für|als) (?:die |das |den |unsere |unseren |unser )?(?:datenbank|cache|"
      r"queue|warteschlange|auth|authentifizierung|frontend|backend|tests|logging|speicher|suche|api|oberfläche|"
      r"validierung|migrationen|deployment|build)\b|^(?:die |der |das |alle |jeder |jedes |kein |nur die |"
      r"nur der )(?:[\wäöüß-]+ ){0,2}?(?:[\wäöüß-]*(?:schicht|dienst|dienste|modul|module|service|services|"
      r"zugriffe|anfragen|frontend|backend|domäne|client)) (?:darf|dürfen|muss|müssen|soll|sollen|spricht|"
      r"sprechen)\b"),
     ("Nimm Postgres für die Datenbank.", "Die Domänenschicht darf die Webschicht nicht importieren.",
      "Architektur: ein Prozess, SQLite.")),
    # Priorities
    ("de.wichtig", "priority", "de", 0.85,
     ("wichtigste", "priorität", "wichtiger", "zuerst", "dringend", "hat zeit", "kann warten", "als erstes",
      "vor allem", "konzentrier"),
     (r"\b(?:am wichtigsten ist|das wichtigste(?: ist|:)|(?:höchste|oberste|erste|keine|hohe|"
      r"niedrige) priorität(?: hat| ist|:|[.!]?$| haben)|priorität hat|(?:ist|sind) (?:uns |mir |hier |"
      r"viel )*wichtiger als|(?:ist|sind) (?:sehr |wirklich )?dringend|(?:hat|haben) (?:noch |"
      r"erstmal )?zeit[.!]?$|kann (?:noch |erstmal )?warten|können (?:noch |erstmal )?warten|(?:hat|"
      r"haben) (?:höchste|oberste|hohe|niedrige|keine) priorität)|^(?:bitte )?(?:mach|behebe?|repariere?|"
      r"erledige?|fix) (?:bitte )?(?:zuerst|als erstes) |^(?:zuerst|als erstes) (?:bitte )?(?:die|das|den|der|"
      r"muss|musst|müssen|machen|sollst)\b|^(?:bitte )?konzentrier(?:e)? dich (?:erstmal |nur |zuerst )*auf "),
     ("Das Wichtigste ist Datensicherheit.", "Korrektheit ist wichtiger als Geschwindigkeit.",
      "Behebe zuerst den Login-Fehler.")),
    # Blockers
    ("de.blockiert", "blocker", "de", 0.9,
     ("blockiert", "warten auf", "warten noch auf", "warte auf", "warte noch auf", "hängen fest", "hänge fest",
      "nicht weiter", "können", "kann ", "blocker"),
     (r"\b(?:wir|ich|release|merge|das|deployment|ticket|alles) (?:sind|bin|ist|wird|werden) (?:noch |aktuell |"
      r"gerade |derzeit )*(?:durch |von |wegen )?[^,;.]{0,50}?blockiert\b|^blocker(?: ist|:)|\b(?:wir|"
      r"ich) (?:warten|warte) (?:noch |immer noch |gerade )*auf (?!dich|das ergebnis|die ausgabe)[^,;.]{2,50}|"
      r"\b(?:wir|ich) (?:hängen|hänge) (?:noch |gerade )*(?:fest|an|bei)\b|\b(?:wir|ich) (?:kommen|"
      r"komme) (?:hier |so )?nicht weiter\b|\b(?:wir|ich) (?:können|"
      r"kann) (?:noch )?[^,;]{2,40} nicht [^,;]{0,40}(?:, (?:bis|bevor|solange|weil))"),
     ("Wir sind durch das fehlende Zertifikat blockiert.", "Wir warten noch auf die Freigabe von Legal.",
      "Wir können das nicht ausrollen, bevor Ops den Port öffnet.")),
    # Next steps
    ("de.naechster", "next_step", "de", 0.85,
     ("nächste", "als nächstes", "danach", "anschließend", "morgen", "todo", "vergiss nicht", "müssen noch",
      "muss noch", "noch zu tun"),
     (r"^(?:und |dann )?(?:als nächstes|danach|anschließend)(?: bitte)?[,:]? (?:die|das|den|der|bitte|noch|müssen|"
      r"machen|kommt|kommen|fügen|füg|schreib|bau|mach|aktualisier|sollten|wollen|teste?)\w*\b|^(?:der |"
      r"die )?nächsten? schritte?(?: ist| sind|:| wäre)|^todo[:\s]|^(?:und )?(?:bitte )?vergiss nicht|"
      r"^morgen (?:machen|müssen|sollten|werde|werden|bauen|möchte) (?:wir|ich)|\b(?:wir|ich) (?:müssen|"
      r"muss) noch [^?]{3,60}"),
     ("Als nächstes die Migration schreiben.", "Der nächste Schritt ist das Deployment.",
      "Wir müssen noch die Doku aktualisieren.")),
    # Preferences
    ("de.immer", "preference", "de", 0.9,
     ("immer", "niemals", "nie ", "ab jetzt", "ab sofort", "von jetzt an", "in zukunft", "künftig", "bevorzuge",
      "ich mag", "lieber", "antworte", "konvention", "grundsätzlich", "merk dir"),
     (r"^(?:bitte )?(?:immer|niemals|nie|grundsätzlich) [^?]{3,}(?:en|ern|eln|e)[.!]?$|^(?:und )?(?:ab jetzt|"
      r"ab sofort|von jetzt an|in zukunft|künftig|zukünftig) (?:bitte |immer |nur |keine? )*[a-zäöüß]+|"
      r"\bich (?:bevorzuge|mag|hasse) (?:lieber |kurze |keine )*(?!es\b|das\b|die idee|den plan|dich){X}{E}|"
      r"^(?:ich möchte|ich hätte|ich nutze|ich nehme) lieber |^(?:bitte )?(?:antworte|schreib|sprich|"
      r"kommentiere) (?:mir )?(?:bitte |immer )*auf (?:deutsch|englisch|französisch)|^(?:unsere |"
      r"die )?konvention(?: ist|:)|^(?:bitte )?(?:committe|pushe|nutze|verwende|schreib|lösche|ändere|führe|teste|"
      r"benutze|frag) (?:mich |bitte )?(?:immer|niemals|nie) |^(?:bitte )?merk dir[,:]? "),
     ("Ab jetzt bitte vor jedem Commit den Linter laufen lassen.", "Ich bevorzuge kleine Funktionen.",
      "Committe niemals direkt auf main.")),
    # Values
    ("de.wert", "value", "de", 0.85,
     (" ist ", " heißt ", " lautet ", " liegt ", " liegen ", " steht ", " läuft ", " lauscht ", "branch: ",
      "url: ", "ticket: ", "version: ", "port: "),
     (r"(?:^|[,;:] |\b(?:die|der|das|unser|unsere) )(?P<name>(?:[\wäöüß-]+[ -])?(?:url|branch|port|ticket|version|"
      r"pfad|bucket|region|timeout|adresse|limit|konto-id|projekt-id|account-id|id|datenbank|[\wäöüß]+-(?:url|"
      r"port|branch|version|id|limit)))(?: (?:ist|lautet|heißt|ist jetzt)|:) (?P<value>https?://[^\s,;)]+|\ue000+|"
      r"[a-z]{2,10}-\d+|\d[\w.:]*(?: (?:sekunden|minuten|ms|mb|gb|prozent|stunden))?|"
      r"[a-z0-9][\w.-]*[/_-][\w./-]*\w|main|master|develop)(?=[.,;!)]?(?:\s|$))|\b(?:die|der|das|unser|"
      r"unsere) (?P<name2>[\wäöüß-]+) (?:liegt|liegen|steht|läuft|lauscht) (?:in|unter|auf|"
      r"auf port) (?P<value2>https?://[^\s,;)]+|(?:~|\.{1,2})?/?[\w.-]+(?:/[\w.*-]+)+/?|\d{2,5})(?=[.,;!)]?(?:\s|"
      r"$))"),
     ("Die Staging-URL ist https://staging.example.de.", "Der Branch heißt feature/login.", "Der Port ist 5433.")),
)  # fmt: skip
