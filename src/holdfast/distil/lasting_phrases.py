r"""What a sentence looks like that holds beyond its session, and that the working buffer has no need of.

The form is that of `phrases/phrase_tables.py`, and the same reader tries them. Kinds: `invariant`, `fact`,
`assumption`, `failure`. Group `reason`: why a thing that was tried did not work, or what makes it so.
"""

from holdfast.phrases.phrase_tables import Pattern

# What a code base and its tools consist of, as the subject of a fact.
_SUBJECT = (
    r"(?P<name>(?:the |our |your |all |these )?(?:[\w./-]+ ){0,3}?(?:tests?|suite|build|builds|script|scripts|server|"
    r"app|cli|worker|workers|migrations?|ci|pipeline|deploy|deployment|container|image|service|services|linter|"
    r"formatter|compiler|database|db|cache|queue|client|sdk|api|endpoint|importer|exporter|parser|module|package|"
    r"library|plugin|extension|command|job|jobs|task|cron|hook|hooks|frontend|backend|webhook|daemon|docs|fixtures?|"
    r"benchmarks?|\ue000+|[\w./-]+\.(?:py|ts|js|go|rs|sh|rb|toml|yaml|yml|json|sql|md)))"
)
_STATE = (
    r"(?!(?:all |still |now |just |already |also |currently |probably )*(?:green|passing|failing|done|fixed|broken|"
    r"good|"
    r"fine|there|set|gone|missing|ready|up|updated|merged|deployed|ok|okay|working|installed|red|wrong|right|correct|"
    r"the same|in place|here|back|down|failed|passed|clean|empty|free|yours|mine|covered|clear|great|well|weird|slow|"
    r"flaky|new|old|unused|skipped|ignored|too|very|so|not|about|like|what|why|that)\b)"
)

PATTERNS: tuple[Pattern, ...] = (
    ("en.all-are", "invariant", "en", 0.85, ("all ", "every ", "each "),
     (r"(?:^|[:;–—] |, and )(?:all|every|each) (?!of (?:them|this|that|it|these|those)|the |that|this|these|those|i\b|"
      r"you|we\b|good|done|set\b|right|tests?\b|checks?\b|day|morning|time|week|sprint|now\b)(?:[\w-]+ ){1,5}?"
      r"(?:is|are|stays?|remains?) (?:always |stored |kept |written |saved )*" + _STATE + r"(?:in |as |on |a |an "
          r")?[\w`]"),
     ("All money is integer cents.", "Every id is a UUIDv7.")),
    ("en.are-always", "invariant", "en", 0.85, ("always", "never"),
     (r"(?:^|[:;–—] )(?!i\b|you\b|it\b|this\b|that\b|there\b|they\b|he\b|she\b|we\b|these\b|those\b|why\b|what\b|if\b|"
      r"when\b|please\b|always\b|never\b)(?:the |our )?(?:[\w./-]+ ){1,5}?(?:(?:is|are|stays?|remains?|has|have|goes?|"
      r"comes?|uses?|returns?) (?:always|never)|(?:always|never) (?:is|are|stays?|remains?|has|have|goes?|comes?|uses?|"
      r"returns?)) " + _STATE + r"[\w`]"),
     ("Timestamps are always UTC in the database.", "Prices are never floats.")),
    ("en.must-never", "invariant", "en", 0.9,
     ("must never", "must not", "must always", "may never", "may not", "must stay", "must remain", "must be"),
     (r"(?:^|[:;–—] )(?!i\b|you\b|it\b|this\b|that\b|they\b|we\b|there\b|these\b|those\b)(?:[\w./`'-]+ "
      r"){1,6}?(?:must (?:"
      r"never|not|always|stay|remain)|may (?:never|not)) (?!have (?:been|had)|pass\b|work\b)[\w`]"),
     ("Tokens must never be logged.", "The public API must stay backwards compatible.")),
    ("en.nothing-may", "invariant", "en", 0.9, ("nothing", "nobody", "no one", "no "),
     (r"^(?:nothing|nobody|no one|no [\w-]+(?: [\w-]+){0,2}) (?:may|must|should|is allowed to|are allowed to) "
      r"(?:ever )?[\w`]"),
     ("Nothing may write to disk before redaction.", "No handler should catch BaseException.")),
    ("en.clause-never", "invariant", "en", 0.85,
     (", never ", "; never ", " – never ", " — never ", ", and never ", ", so never "),
     (r"[,;–—] (?:and |so |but )?(?:please )?(?P<choice>never (?P<verb>[a-z]+) [^,;]{4,120})"),
     ("We store our own UUID, never expose the Stripe id in the API",)),
    ("en.must-be-done", "fact", "en", 0.85, ("must be", "has to be", "have to be", "needs to be", "need to be"),
     (r"(?:^|[,;:–—] )" + _SUBJECT + r" (?:must|has to|have to|needs? to) be (?:re-?started|re-?built|started|"
                                     r"running|set|installed|"
      r"re-?generated|cleared|synced|migrated|enabled|seeded|built|warmed|reloaded) (?:after|before|when|whenever|"
      r"every|first|each|by hand|"
      r"manually|if)\b"),
     ("The dev server must be restarted after changing anything under config/.",)),
    ("de.muss-immer", "invariant", "de", 0.85, ("immer", "nie", "niemals", "darf", "dürfen"),
     (r"^(?:alle|jede[rs]?|die|der|das|kein[e]?) (?:[\wäöüß./-]+ ){1,5}?(?:sind|ist|bleibt|bleiben|werden|wird) "
      r"(?:immer|nie|"
      r"niemals) [\wäöüß]|^(?:alle|jede[rs]?|die|der|das|kein[e]?|niemand|nichts) (?:[\wäöüß./-]+ ){0,5}?(?:darf|"
      r"dürfen) "
      r"(?:nie|niemals|nicht|nur) "),
     ("Alle Beträge sind immer ganze Cent.", "Die Tests dürfen nie auf Produktion schreiben.")),
    ("fr.sont-toujours", "invariant", "fr", 0.85, ("toujours", "ne doit", "ne peut"),
     (r"^(?:tous les|toutes les|les|le|la|chaque|aucun|aucune) (?:[\wàâéèêëîïôûùç./'-]+ ){1,5}?(?:sont|est|restent?) "
      r"toujours "
      r"[\wéà]|^(?:aucun|aucune|rien|personne) (?:[\wàâéèêëîïôûùç./'-]+ ){0,3}?ne (?:doit|peut) "),
     ("Les montants sont toujours en centimes.", "Aucun test ne doit écrire en production.")),
    ("es.son-siempre", "invariant", "es", 0.85, ("siempre", "nunca", "ningún", "ninguna"),
     (r"^(?:todos los|todas las|los|las|el|la|cada) (?:[\wáéíóúñ./-]+ ){1,5}?(?:son|es|están?) siempre [\wáéíóú]|"
      r"^(?:ningún|ninguna|nada|nadie) (?:[\wáéíóúñ./-]+ ){0,3}?(?:debe|puede) "),
     ("Los importes son siempre céntimos enteros.", "Ningún test debe escribir en producción.")),
    ("en.needs", "fact", "en", 0.85,
     ("need", "require", "expects", "expect ", "depend on", "depends on", "relies on", "without", "only work"),
     (r"(?:^|[,;:–—] |\b(?:that|because|as|so|careful|note) )" + _SUBJECT + r" (?:also |only |still |always |now "
         r")*(?:needs?|"
      r"requires?|expects?|depends? on|relies on|rely on|only works? (?:with|on|in|if|when)|(?:won't|doesn't|don't|"
      r"can't) "
      r"(?:run|start|work|pass|build) without|hangs? without|fails? without) (?!to\b|work\b|attention|more\b|love|a "
      r"(?:fix|refactor|rewrite|look|test|review)|fixing|updating|refactoring|cleanup|some\b|another|changes?\b|new\b|"
      r"better|tests?\b|help|you\b|this\b|that\b|it\b|improve)[\w`\ue000~./-]"),
     ("The tests need the env var DATABASE_URL.", "The seed script requires Docker to be running.")),
    ("en.generated", "fact", "en", 0.85,
     ("generated by", "generated from", "generated with", "is built by", "is built from", "are built by", "comes from",
      "is written by", "is configured in", "are configured in", "is defined in", "are defined in"),
     (r"^(?!it\b|this\b|that\b|they\b|these\b)(?:the |our |all )?(?:[\w./`\ue000-]+ ){0,3}?[\w./`\ue000-]+ (?:is|are|"
      r"comes?) "
      r"(?:all |auto-?|automatically )?(?:generated (?:by|from|with)|built (?:by|from)|written by|configured in|"
      r"defined in"
      r"|from) [\w`\ue000./]"),
     ("src/api/schema.ts is generated by `make openapi`.", "The routes are defined in config/routes.rb.")),
    ("en.runs-by", "fact", "en", 0.8,
     ("you run ", "you build ", "you start ", "you deploy ", "to run ", "to build ", "to deploy "),
     (r"^(?:to (?:run|build|start|deploy|test|lint|seed|release) (?:the |this |our |it|a )[^,;]{0,40}, (?:you "
      r")?(?:need to |have "
      r"to |must )?(?:use|run|call|set|start) [\w`\ue000]|you (?:run|build|start|deploy) (?:the |this |our "
      r")[^,;]{1,30} "
      r"(?:with|by|via) [\w`\ue000])"),
     ("To run the tests, use `make check`.",)),
    ("de.braucht", "fact", "de", 0.85, ("braucht", "brauchen", "benötig", "setzt voraus"),
     (r"^(?:die|der|das|unsere?) (?:[\wäöüß./-]+ ){0,2}?(?:tests?|skript|build|server|worker|migrationen|suite|"
      r"pipeline|app|"
      r"datenbank|ci|befehl) (?:brauchen|braucht|benötig(?:t|en)) (?!noch|mehr|aufmerksamkeit)[\wäöüß`\ue000]"),
     ("Die Tests brauchen die Umgebungsvariable DATABASE_URL.",)),
    ("fr.besoin", "fact", "fr", 0.85, ("besoin", "nécessit", "exige"),
     (r"^(?:les|le|la|l'|notre|nos) ?(?:[\wàâéèêëîïôûùç./-]+ ){0,2}?(?:tests?|script|build|serveur|worker|migrations|"
      r"suite|"
      r"pipeline|app|base|ci|commande) (?:ont besoin d|a besoin d|nécessite(?:nt)?|exige(?:nt)?)"),
     ("Les tests ont besoin de DATABASE_URL.",)),
    ("es.necesita", "fact", "es", 0.85, ("necesita", "requiere"),
     (r"^(?:los|las|el|la|nuestros?|nuestras?) (?:[\wáéíóúñ./-]+ ){0,2}?(?:tests?|pruebas|script|build|servidor|worker|"
      r"migraciones|suite|pipeline|app|base|ci|comando)(?: [\wáéíóúñ]+){0,2} (?:necesitan?|requieren?) (?!más|trabajo)"
      r"[\wáéíóúñ`\ue000]"),
     ("Las pruebas necesitan DATABASE_URL.",)),
    ("en.assume", "assumption", "en", 0.85, ("assum",),
     (r"^(?:please |for now,? |so |here )?(?:(?:we|let's|lets|you)(?:'re| are| can| may| should)? )?(?:safely |just "
      r")?(?:assume|"
      r"assuming)(?: here| for now| that)* (?!you\b|i\b|it\b|this\b|that\b|we'll|he\b|she\b|so\b|"
      r"they\b)(?P<choice>[\w`\ue000]"
      r"[^;]{8,160})|^(?:our |the |one |my )?(?:working )?assumption(?: is(?: that)?|:) (?P<choice2>[^;]{8,160})"),
     ("Assume that every user has exactly one tenant.", "Assumption: at most 10k rows per tenant.")),
    ("de.annahme", "assumption", "de", 0.85, ("davon aus", "annahme", "nimm an", "angenommen wird"),
     (r"^(?:wir gehen|ich gehe) (?:erstmal |vorerst |hier )?davon aus,? dass (?P<choice>.{8,160})|^annahme: "
      r"(?P<choice2>.{8,160})|"
      r"^nimm an,? dass (?P<choice3>.{8,160})"),
     ("Wir gehen davon aus, dass jeder Nutzer genau einen Mandanten hat.",)),
    ("fr.suppose", "assumption", "fr", 0.85, ("on suppose", "hypothèse", "on part du principe"),
     r"^(?:on suppose que|on part du principe que|hypothèse ?:) (?P<choice>.{8,160})",
     ("On part du principe que chaque client a un seul compte.",)),
    ("es.asumimos", "assumption", "es", 0.85, ("asumimos", "suponemos", "asume que", "supuesto:"),
     r"^(?:asumimos que|suponemos que|asume que|supuesto:) (?P<choice>.{8,160})",
     ("Asumimos que cada cliente tiene una sola cuenta.",)),
    ("en.tried-but", "failure", "en", 0.9, ("tried",),
     (r"(?:^|[,;:] |\b(?:but|and|since|because) )(?:i|we|the team)(?:'ve| have)?(?: already| also| once| first| even|"
      r" both)* tried "
      r"(?:out |to use |to |with |using )?(?P<choice>(?!it\b|that\b|this\b|again|everything|both|your|"
      r"hard)[^,;]{2,70}?)"
      r"(?: (?:already |about )?(?:once|twice|(?:two|three|four|five|six|several|many|a few|\d+) times))?"
      r"(?:,? (?:but|yet) (?:it |that |this |they |then it )?|,? and (?:it|that|they) (?=(?:[\w']+ ){0,3}(?:fail|"
      r"broke|crash|hung|hang|"
      r"deadlock|leak|blew|timed|didn't|doesn't|can't|couldn't|never|lost|corrupt))|[,;–—] (?:it|that|this|they) "
      r")(?:just |always |still |only )*"
      r"(?P<reason>(?!worked|works|passed|succeeded|was fine|is fine|now)[^;]{4,160})"),
     ("We tried celery with gevent but it deadlocks on the database pool.",
      "I already tried upgrading numpy three times, it breaks the wheel build every time.")),
    ("en.doesnt-work", "failure", "en", 0.85,
     ("doesn't work", "does not work", "didn't work", "won't work", "don't work", "never worked", "is a dead end",
      "was a dead end"),
     (r"^(?P<choice>(?!it\b|this\b|that\b|they\b|still\b|your\b|the (?:test|tests|button|link|fix|page|build|code|"
      r"login|"
      r"app)\b|nothing\b)[^,;:]{2,50}?) (?:(?:doesn't|does not|didn't|won't|don't|never) work(?:ed)?|(?:is|was) a "
      r"dead end)"
      r"(?: here| for us| with [^,;]{2,30}| on [^,;]{2,30}| in [^,;]{2,30})*(?:,? (?:because|since|as)|[:;–—,] (?:it|"
      r"they)) "
      r"(?P<reason>[^;]{4,160})"),
     ("watchdog doesn't work here because the volume is NFS",)),
    ("de.versucht", "failure", "de", 0.9, ("versucht", "probiert"),
     (r"^(?:wir haben|ich habe|haben wir|habe ich) (?:es |das )?(?:auch |schon |bereits |mal )*(?:mit "
      r")?(?P<choice>[^,;]{2,60}?) "
      r"(?:versucht|probiert|ausprobiert)[,;] (?:aber )?(?P<reason>[^;]{4,160})"),
     ("Wir haben es schon mit SSE versucht, aber der Proxy puffert alles.",)),
    ("fr.essaye", "failure", "fr", 0.9, ("essayé", "tenté"),
     (r"^(?:on a|nous avons|j'ai) (?:déjà |aussi )?(?:essayé|tenté) (?:de |d'|avec )?(?P<choice>[^,;]{2,60}?),? mais "
      r"(?P<reason>[^;]{4,160})"),
     ("On a déjà essayé gevent, mais ça bloque la base.",)),
    ("es.probado", "failure", "es", 0.9, ("probamos", "probado", "intentamos", "intentado"),
     (r"^(?:ya )?(?:hemos probado|hemos intentado|probamos|intentamos|he probado) (?:con "
      r")?(?P<choice>[^,;]{2,60}?),? pero "
      r"(?P<reason>[^;]{4,160})"),
     ("Ya probamos gevent, pero bloquea la base de datos.",)),
)  # fmt: skip
