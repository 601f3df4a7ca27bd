"""French: sentences that must not be lost; what makes one a question, a guess or somebody else's."""

from holdfast.core.word_lists import word_set

# Where a thing ends: the words that may follow it.
ENDS = (
    r"(?=[,;!]| [(–—]| - |: |[.\s]*$| (?:pour|parce|car|ici|maintenant|stp|mais|partout|puisque|dans|et|comme|en|"
    r"sur|plutôt|au lieu)\b)"
)

VERBS = word_set(
    "utilise utilisez prends prenez mets mettez fais faites garde gardez laisse supprime ajoute renomme change "
    "déplace passe remplace reviens"
)

QUESTIONS = (
    r"^(?:et |ou |mais |alors )*(?:est-ce|faut-il|devrait-on|devons-nous|peut-on|peux-tu|pourquoi|comment|quel|"
    r"quelle|quels|quelles|où|quand est|qui|que penses|qu'est-ce|doit-on|on devrait plutôt)\b"
)

HEDGES = (
    r"\b(?:peut-être|probablement|pourrait|pourrions|devrait|serait|serais|aurait|si on|si nous|s'il|supposons|"
    r"imaginons|pas sûre?|je me demande|autrefois|l'an dernier|l'année dernière|avant on|en théorie|par exemple|"
    r"on pourrait|éventuellement|pas encore décidé)\b"
)

REPORTED = (
    r"\b(?:dit|disent|disait|recommande|recommandent|selon|d'après|suggère|suggèrent|prétend|écrit que|conseille|"
    r"indique|affirme|apparemment|il paraît|demande si)\b"
)

OWN = (
    r"\b(?:j'ai|je t'ai|j'avais|on a|c'est|voulais|ceci|cela) (?:bien |déjà )?dit\b|\bvoulais dire\b|"
    r"\bautrement dit\b"
)

# id, kind, language, confidence, cues, regex, examples: see patterns.py.
PATTERNS = (
    # Corrections
    ("fr.pas", "correction", "fr", 0.9, ("au lieu", "plutôt que", "pas ", "à la place"),
     (r"(?:^|[,;:] |\b(?:non|il faut|tu dois|plutôt) )(?:utilise|utilisez|utiliser|prends|prenez|mets|mettez|"
      r"emploie|choisis) (?:plutôt |donc )*{X},? (?:(?:au lieu (?:de |d'|du |des )|plutôt que (?:de |d')?|"
      r"à la place (?:de |d'|du ))(?:la |le |les )?{Y}|(?:et )?pas (?!de souci|encore|seulement|mal)(?:de |"
      r"d')?{Y}){E}|^(?:non[,.]? )?pas (?!mal|encore|de souci|grave|sûr){Y}, (?:mais )?{X}[.!]?$"),
     ("Utilise pnpm au lieu de npm.", "Non, utilise des tabulations, pas des espaces.", "Pas MySQL, Postgres.")),
    ("fr.voulais", "correction", "fr", 0.9,
     ("je voulais dire", "je parlais", "j'ai dit", "j'avais dit", "je t'ai dit", "j'ai demandé", "j'avais demandé",
      "je t'ai demandé"),
     (r"^(?:non[,.!]? |pardon,? |mais |désolée?,? )*(?:je voulais dire|je parlais (?:de|du|d')|(?:je t'ai|j'ai|"
      r"j'avais) (?:bien |déjà )?(?:dit|demandé))"),
     ("Non, je voulais dire l'autre fichier.",)),
    ("fr.faux", "correction", "fr", 0.85,
     ("c'est faux", "pas correct", "pas ce que", "incorrect", "tu as oublié", "mal compris", "mauvais",
      "tu t'es trompé", "pas bon"),
     (r"^(?:non[,.!]? )*(?:(?:c'est|ce n'est|c'était|ce n'était) (?:toujours |encore )?(?:faux|incorrect|"
      r"pas (?:correct|bon|ça|ce que j'))(?=[,;:.!]|\s*$|ai|avais| )|tu as (?:mal compris|oublié|ignoré|cassé)|"
      r"tu t'es trompé|ce n'est pas ce que|c'est le mauvais|tu as (?:modifié|utilisé|choisi) l[ea] mauvais)"),
     ("C'est faux.", "Ce n'est pas ce que j'ai demandé.", "Tu as oublié la migration.")),
    ("fr.non-fais", "correction", "fr", 0.85, ("non", "en fait", "attends"),
     r"^(?:non|en fait|attends|stop)[,.!:;]+ (?:non,? |plutôt |il faut |tu dois )*(?P<verb>[a-zàâéèêëîïôûùç]+)\b",
     ("Non, mets-le dans utils.", "En fait, garde l'ancienne API.")),
    ("fr.ne-pas", "correction", "fr", 0.8, ("n'", "ne ", "arrête"),
     (r"^(?:non[,.!]? |mais |s'il te plaît,? |stp,? )*(?:(?:ne |n')(?:touche|modifie|utilise|change|supprime|"
      r"ajoute|mets|fais|renomme|invente|commite|pousse|crée)[sz]? (?:surtout )?pas (?:à |de |d'|aux )?{Y}{E}|"
      r"arrête (?:de |d')(?P<rejected2>[^,;.!]{3,50}))"),
     ("N'ajoute pas de dépendances.", "Arrête d'ajouter des commentaires.", "Ne touche pas aux migrations.")),
    ("fr.annule", "correction", "fr", 0.85, ("annule", "reviens en arrière", "remets"),
     (r"^(?:non[,.!]? |s'il te plaît,? )*(?:annule (?:ça|cela|tes|ton|ta|la dernière|le dernier|les)|"
      r"reviens en arrière|remets (?:ça|l[ea] [\w]+|l'ancien\w*) (?:comme avant|en place))"),
     ("Annule ça.",)),
    # Decisions
    ("fr.on-part", "decision", "fr", 0.9,
     ("on part sur", "on prend", "on utilise", "on va utiliser", "allons-y avec", "on garde", "on reste sur",
      "partons sur", "utilisons", "prenons", "gardons", "on va prendre", "on va partir", "je prends",
      "restons sur", "on abandonne", "on laisse tomber", "laisse tomber", "on passe à", "passons à"),
     (r"(?:^|[,;:] |\b(?:donc|alors|finalement|bon) )(?:on part sur|partons sur|on prend|prenons|"
      r"on (?:va )?utiliser?|utilisons|allons-y avec|on va (?:prendre|partir sur|garder)|on garde|gardons|"
      r"on reste sur|restons sur|je prends|on passe (?:à|de [^,;]{1,30} à)|passons à) (?!la suite|autre chose|"
      r"un peu|le temps|ça\b(?! pour)){X}(?:,? (?:au lieu (?:de |d'|du )|plutôt que |et pas |pas ){Y})?{E}|"
      r"^(?:bon,? |non,? )*(?:laisse tomber|on laisse tomber|on abandonne|on oublie) (?P<rejected2>[^,;.!]{2,50})"),
     ("On part sur Postgres.", "Prenons SQLite plutôt que Postgres.", "Laisse tomber le cache.")),
    ("fr.decide", "decision", "fr", 0.95, ("décidé", "décision", "on s'est mis d'accord", "choisi"),
     (r"\b(?:j'ai|on a|nous avons|on avait) (?:finalement |enfin )?(?:décidé (?:de |d'|que )|choisi )|^(?:la |"
      r"notre )?décision(?: est| :|:)|on s'est mis d'accord sur"),
     ("On a décidé d'utiliser Kafka.", "Décision : un dépôt par service.")),
    ("fr.saute", "decision", "fr", 0.85, ("saute ", "passe les", "ignore ", "pas besoin"),
     (r"^(?:bon,? |non,? |et )*(?:saute (?:ça|cette|les|la|le|cela)|ignore (?:ça|cette|les|la|le|cela) |"
      r"on n'a pas besoin (?:de |d'|du ))"),
     ("Saute cette étape.",)),
    # Architecture
    ("fr.archi", "architecture", "fr", 0.9,
     ("architecture", "pour la base", "pour le ", "pour la ", "comme ", "couche", "services", "service"),
     (r"^(?:l'|notre |une )?architecture(?: est| :|:)|(?:^|\b(?:on|il faut) )(?:utilise|utilisez|utiliser|"
      r"utilisons|prends) {X} (?:pour|comme) (?:la |le |les |l'|notre )?(?:base de données|bdd|cache|file|"
      r"file d'attente|authentification|auth|frontend|front|backend|back|tests|journalisation|logs|stockage|"
      r"recherche|api|interface|validation|migrations|déploiement)\b|^(?:la|le|les|chaque|tous les|toutes les|"
      r"aucun|aucune) (?:[\w'àâéèêç-]+ ){0,2}?(?:couche|service|services|module|modules|requêtes|écritures|"
      r"lectures|accès|frontend|backend|client|clients)(?: [\w'àâéèêç-]+){0,2} (?:ne )?(?:doit|doivent|peut|"
      r"peuvent|passe|passent|communique|communiquent|parle|parlent)\b"),
     ("Utilise Postgres pour la base de données.", "La couche domaine ne doit pas importer la couche web.",
      "Architecture : un seul processus.")),
    # Priorities
    ("fr.priorite", "priority", "fr", 0.85,
     ("plus important", "priorité", "prioritaire", "d'abord", "urgent", "peut attendre", "peuvent attendre",
      "concentre", "avant tout"),
     (r"\ble plus important(?: ici)?,? (?:c'est|est)|\b(?:est|sont) (?:bien |beaucoup |"
      r"la )?(?:plus importante?s? que|prioritaires?|urgente?s?|priorité)\b|^(?:la |notre |ma )?priorité(?: est|"
      r" :|:| absolue| numéro)|(?:peut|peuvent) attendre\b|^(?:corrige|répare|fais|finis|termine|"
      r"règle)[sz]? d'abord |^d'abord,? (?:corrige|répare|fais|finis|termine|il faut|on)|"
      r"^concentre-toi (?:d'abord )?sur |^avant tout,? "),
     ("Le plus important, c'est la sécurité des données.", "Corrige d'abord le bug de connexion.",
      "La doc peut attendre.")),
    # Blockers
    ("fr.bloque", "blocker", "fr", 0.9,
     ("bloqué", "bloque", "attend", "bloquant", "ne peut pas", "ne peux pas", "on ne peut"),
     (r"\b(?:on est|je suis|nous sommes|c'est|la release est|le déploiement est|le merge est) (?:toujours |"
      r"encore |complètement )*bloquée?s? (?:par|sur|tant|jusqu|à cause|en attendant)|\b(?:nous bloque|"
      r"bloque (?:la release|le déploiement|tout|le merge|l'équipe|la mise en prod))|^(?:le |point )?(?:bloquant|"
      r"blocage)(?: est| :|:)|\b(?:on|nous|j') ?(?:attend|attends|attendons) (?:toujours |encore )*(?!de voir|"
      r"que tu|ta réponse)(?:le|la|les|l'|des|une|un|que)\b|\b(?:on|je|nous) ne (?:peut|peux|"
      r"pouvons) pas [^,;]{2,50} (?:tant que|avant|sans)\b"),
     ("On est bloqués par le certificat manquant.", "On attend toujours la validation juridique.",
      "On ne peut pas déployer tant que le port est fermé.")),
    # Next steps
    ("fr.prochaine", "next_step", "fr", 0.85,
     ("prochaine étape", "ensuite", "après ça", "demain", "à faire", "n'oublie pas", "reste à", "il reste",
      "puis "),
     (r"^(?:la )?prochaines? étapes?(?: est| c'est| sera| :|:|,)|^(?:et |puis )?(?:ensuite|après ça|"
      r"après cela),? (?:on|il faut|tu|nous|je|ajoute|mets|écris|fais|passe|supprime|corrige|teste|lance|déploie)|"
      r"^(?:à faire|todo) ?:|^(?:et )?n'oublie pas (?:de|d'|le|la|les)|^demain,? (?:on|il faut|je|nous)|"
      r"\b(?:il (?:nous )?reste|reste) (?:encore )?à [a-zé]+|^on doit encore "),
     ("Ensuite, ajoute les tests.", "La prochaine étape est la migration.",
      "N'oublie pas de mettre à jour la doc.")),
    # Preferences
    ("fr.toujours", "preference", "fr", 0.9,
     ("toujours", "jamais", "dorénavant", "désormais", "à partir de maintenant", "à l'avenir", "je préfère",
      "on préfère", "j'aime", "je déteste", "réponds", "convention", "souviens-toi", "retiens"),
     (r"^(?:et |s'il te plaît,? )*(?:dorénavant|désormais|à partir de maintenant|à l'avenir),? |\b(?:je|on|"
      r"nous) préf(?:ère|érons) (?!ne pas savoir){X}(?: (?:à|plutôt que|aux|au) {Y})?{E}|^j(?:e n)?'aime (?:bien |"
      r"pas |beaucoup )*(?:les|des|quand)\b|^je déteste (?:les|des|quand|le|la)\b|"
      r"^(?:[a-zé]+(?:-[a-z]+)?) toujours (?!la même|pas\b|le même|en panne|rouge)|^ne [a-zàâéèê]+ jamais |"
      r"^n'[a-zàâéèê]+ jamais |^(?:réponds|écris|parle)(?:-moi)? (?:toujours |s'il te plaît )*en (?:français|"
      r"anglais|allemand|espagnol)|^(?:notre |la )?convention(?: est| :|:| c'est)|^(?:souviens-toi|"
      r"retiens) (?:que|de|bien)|\b(?:on|tu dois|il faut) (?:utilise |commence |lance |lancer |utiliser |"
      r"commencer |met |mettre |écrit |écrire )?toujours (?:utiliser|lancer|commencer|mettre|écrire|tester)"),
     ("Dorénavant, lance les tests avant chaque commit.", "Je préfère les petites fonctions.",
      "Ne commite jamais sur main.")),
    # Values
    ("fr.valeur", "value", "fr", 0.85,
     (" est ", "s'appelle", " se trouve", " sont ", " tourne ", " écoute ", "url : ", "branche : ", "port : ",
      "ticket : ", "version : ", "branche: "),
     (r"(?:^|[,;:] |\b(?:la|le|l'|notre|les)[ ]?)(?P<name>(?:url|branche|port|ticket|version|chemin|bucket|région|"
      r"timeout|adresse|délai|limite|identifiant|id)(?: (?:de |du |d'|des )?(?:la |le |"
      r"l')?[\w'àâéèêç-]+){0,3}?)(?: (?:est|s'appelle|est maintenant)| ?:) (?:de )?(?P<value>https?://[^\s,;)]+|"
      r"\ue000+|[a-z]{2,10}-\d+|\d[\w.:]*(?: (?:secondes|minutes|ms|mo|go|heures))?|"
      r"[a-z0-9][\w.-]*[/_-][\w./-]*\w|main|master|develop)(?=[.,;!)]?(?:\s|$))|\b(?:la|le|les|notre|"
      r"nos) (?P<name2>[\wàâéèêç-]+(?: [\wàâéèêç-]+)?) (?:se trouvent?|est|sont|tourne|écoute) (?:dans|sous|sur|"
      r"sur le port) (?P<value2>(?:~|\.{1,2})?/?[\w.-]+(?:/[\w.*-]+)+/?|https?://[^\s,;)]+|"
      r"\d{2,5})(?=[.,;!)]?(?:\s|$))"),
     ("L'URL de staging est https://staging.example.fr.", "La branche est feature/login.", "Le port est 5433.")),
)  # fmt: skip
