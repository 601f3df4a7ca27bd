"""Spanish: sentences that must not be lost; what makes one a question, a guess or somebody else's."""

from holdfast.core.word_lists import word_set

# Where a thing ends: the words that may follow it.
ENDS = r"(?=[,;!]| [(–—]| - |: |[.\s]*$| (?:para|porque|ya que|aquí|ahora|por favor|pero|en|y|como|desde)\b)"

VERBS = word_set(
    "usa use utiliza utilice pon ponga haz haga deja quita añade cambia mueve elimina mantén renombra ponlo "
    "hazlo déjalo cámbialo"
)

QUESTIONS = r"^¿|^(?:y |o |pero )*(?:por qué|cómo|cuál|cuáles|qué|dónde|cuándo|quién|deberíamos|podríamos)\b"

HEDGES = (
    r"\b(?:quizás?|tal vez|probablemente|podría|podríamos|debería|deberíamos|sería|habría|si (?:usáramos|usamos|"
    r"fuera|el|la|los|no|tuviéramos)|supongamos|imagina|no estoy segur|me pregunto|antes usábamos|el año pasado|"
    r"en teoría|por ejemplo|a lo mejor|no hemos decidido|no sé)"
)

REPORTED = (
    r"\b(?:dice|dicen|dijo|dijeron|recomienda|recomiendan|según|sugiere|sugieren|afirma|escribió|aconseja|indica|"
    r"aparentemente|pregunta si)\b"
)

OWN = r"\b(?:te|ya) (?:dije|dijo)\b|\b(?:quería|quise) decir\b|\bes decir\b"

# id, kind, language, confidence, cues, regex, examples: see patterns.py.
PATTERNS = (
    # Corrections
    ("es.no-sino", "correction", "es", 0.9, ("en vez de", "en lugar de", " no ", "sino", "en vez del"),
     (r"(?:^|[,;:] |\b(?:no|mejor|favor|hay que|debes) )(?:usa|use|usar|utiliza|utilice|utilizar|pon|elige|"
      r"escribe) {X},? (?:(?:en vez|en lugar) del? {Y}|(?:y )?no (?!solo|sé|funciona|hay|se\b){Y}){E}|^no (?:es |"
      r"uses |en )?{Y},? sino {X}{E}"),
     ("Usa pnpm en vez de npm.", "No MySQL, sino Postgres.", "Usa tabuladores, no espacios.")),
    ("es.queria", "correction", "es", 0.9,
     ("quería decir", "quise decir", "me refería", "te dije", "ya dije", "he dicho", "te pedí", "había dicho"),
     (r"^(?:no[,.!]? |perdón,? |pero |como )*(?:quería decir|quise decir|me refería a|me refería al|"
      r"(?:ya )?te (?:dije|pedí)|ya dije|(?:he|había) dicho)\b"),
     ("No, quería decir el otro archivo.",)),
    ("es.mal", "correction", "es", 0.85,
     ("está mal", "es incorrecto", "no es correcto", "no es lo que", "eso no", "olvidaste", "has olvidado",
      "entendiste mal", "has entendido mal", "equivocad", "te equivocaste"),
     (r"^(?:no[,.!]? )*(?:(?:eso|esto) (?:sigue |todavía )?(?:está mal|es incorrecto|no es (?:correcto|lo que|"
      r"así))|no es lo que (?:te )?(?:pedí|quería|dije)|(?:te )?(?:olvidaste|has olvidado|entendiste mal|"
      r"has entendido mal|te equivocaste)|(?:ese|esa|este|esta) es (?:el|la) [\w]+ equivocad[oa]|(?:editaste|"
      r"cambiaste|usaste) (?:el|la) [\w]+ equivocad[oa])"),
     ("Eso está mal.", "Eso no es lo que pedí.", "Te olvidaste de la migración.")),
    ("es.no-haz", "correction", "es", 0.85, ("no,", "no.", "no:", "no!", "en realidad", "espera", "mejor,"),
     r"^(?:no|en realidad|espera|para|mejor)[,.!:;]+ (?:no,? |mejor |por favor,? )*(?P<verb>[a-záéíóúñ]+)\b",
     ("No, ponlo en utils.", "En realidad, mantén la API antigua.")),
    ("es.no-debe", "correction", "es", 0.8, ("debe", "tiene que"),
     (r"^no[,.:;]+ (?:(?:el|la|los|las|eso|esto) )?(?:[\wáéíóúñ-]+ ){0,3}?(?:debe|deben|debería ser|tiene que|"
      r"tienen que)\b"),
     ("No, el campo debe ser opcional.",)),
    ("es.no-uses", "correction", "es", 0.8, ("no ", "deja de"),
     (r"^(?:por favor,? |y |pero |no, )*(?:no (?:uses|toques|modifiques|cambies|borres|añadas|agregues|pongas|"
      r"hagas|renombres|inventes|subas|crees|elimines|instales) (?:ningun[oa]s? |más |nada de )?{Y}{E}|"
      r"deja de (?P<rejected2>[^,;.!]{3,50}))"),
     ("No uses mocks en estas pruebas.", "Deja de añadir comentarios.")),
    ("es.deshaz", "correction", "es", 0.85, ("deshaz", "revierte", "vuelve atrás"),
     r"^(?:no[,.!]? |por favor,? )*(?:deshaz|revierte) (?:eso|esto|el|la|tus|los|tu)\b|^(?:no[,.]? )?vuelve atrás",
     ("Deshaz eso.",)),
    # Decisions
    ("es.vamos", "decision", "es", 0.9,
     ("vamos con", "vamos a usar", "usemos", "usaremos", "al final", "nos quedamos con", "quedémonos con",
      "optamos por", "elegimos", "vamos a quedarnos", "me quedo con", "cambiemos", "pasamos de", "dejemos",
      "mantengamos", "vamos a dejar", "cambiamos"),
     (r"(?:^|[,;:] |\b(?:entonces|pues|mejor|finalmente) )(?:vamos con|vamos a usar|usemos|usaremos|"
      r"al final usamos|nos quedamos con|quedémonos con|optamos por|elegimos|vamos a quedarnos con|me quedo con|"
      r"mantengamos|(?:cambiemos|pasamos|cambiamos) de (?P<rejected2>[^,;]{1,40}?) a) {X}(?:,? (?:en vez de|"
      r"en lugar de|y no|no) {Y})?{E}|^(?:dejemos|vamos a dejar) (?:de lado |fuera )?(?P<rejected3>(?:el|la|los|"
      r"las|eso|esto)\b[^,;.!]{0,50})"),
     ("Vamos con Postgres.", "Usemos SQLite en vez de Postgres.", "Nos quedamos con REST.")),
    ("es.decidido", "decision", "es", 0.95,
     ("decidido", "decidimos", "decidí", "decisión", "acordamos", "hemos acordado"),
     (r"\b(?:hemos|he|hemos ya|ya hemos) decidido|(?:^|[,;] )(?:al final |finalmente |ya )?(?:decidimos|decidí|"
      r"acordamos|hemos acordado) |^(?:la |nuestra )?decisión(?: es| final|:)"),
     ("Hemos decidido usar Kafka.", "Decisión: un repositorio por servicio.")),
    ("es.salta", "decision", "es", 0.85, ("sáltate", "salta ", "omite", "olvídate", "no necesitamos", "descarta"),
     (r"^(?:no[,.]? |pues |de momento )*(?:sáltate|salta|omite|olvídate de|descarta) (?:eso|esto|el|la|los|las|"
      r"ese|esa)\b|^no necesitamos "),
     ("Sáltate eso.", "No necesitamos una caché.")),
    # Architecture
    ("es.arquitectura", "architecture", "es", 0.9,
     ("arquitectura", "para la ", "para el ", "para las", "como ", "capa", "servicio"),
     (r"^(?:la |nuestra )?arquitectura(?: es|:)|(?:^|\b(?:hay que|debes|vamos a) )(?:usa|usar|usamos|utiliza|"
      r"utilizar|utilizamos) {X} (?:para|como) (?:la |el |los |las |nuestra )?(?:base de datos|caché|cache|cola|"
      r"colas|autenticación|frontend|backend|pruebas|tests|registro|logs|almacenamiento|búsqueda|api|interfaz|"
      r"validación|migraciones|despliegue)\b|^(?:la|el|los|las|cada|todas las|todos los|ningún|"
      r"ninguna) (?:[\wáéíóúñ-]+ ){0,2}?(?:capa|servicio|servicios|módulo|módulos|peticiones|escrituras|lecturas|"
      r"accesos?|frontend|backend|cliente|clientes)(?: (?:de )?[\wáéíóúñ-]+){0,2} (?:no )?(?:debe|deben|puede|"
      r"pueden|tiene que|tienen que|habla|hablan|se comunican?)\b"),
     ("Usa Postgres para la base de datos.", "La capa de dominio no debe importar la capa web.",
      "Arquitectura: un solo proceso.")),
    # Priorities
    ("es.prioridad", "priority", "es", 0.85,
     ("más importante", "prioridad", "prioritario", "primero", "urgente", "puede esperar", "pueden esperar",
      "céntrate", "concéntrate", "ante todo"),
     (r"\blo más importante(?: aquí| ahora)? es|\b(?:es|son) (?:mucho )?más importantes? que|\b(?:es|son|tiene|"
      r"tienen) (?:la |muy |de )?(?:máxima |alta |baja |poca )?(?:prioridad|urgentes?|prioritari[oa]s?)\b|^(?:la |"
      r"nuestra )?(?:máxima )?prioridad(?: es|:| ahora es)|(?:puede|pueden) esperar\b|^(?:primero|antes que nada|"
      r"ante todo),? (?:arregla|corrige|haz|termina|hay que|vamos)|^(?:arregla|corrige|haz|termina) (?:primero |"
      r"[^,;.]{2,40} primero\b)|^(?:con)?céntrate en "),
     ("Lo más importante es la seguridad de los datos.", "Primero arregla el error de inicio de sesión.",
      "La documentación puede esperar.")),
    # Blockers
    ("es.bloqueado", "blocker", "es", 0.9,
     ("bloquead", "bloquea", "bloqueante", "bloqueo", "esperando", "no podemos", "no puedo", "atascad"),
     (r"\b(?:estamos|estoy|está|sigue|seguimos) (?:todavía |aún |totalmente )*(?:bloquead|atascad)[oa]s? (?:por|"
      r"con|hasta|en|a la espera)|\b(?:nos bloquea|está bloqueando (?:el|la|todo|al)|bloquea (?:el lanzamiento|"
      r"el despliegue|la entrega|todo))|^(?:el )?(?:bloqueo|bloqueante)(?: es|:)|\b(?:estamos|estoy|seguimos|"
      r"sigo) (?:todavía |aún )*esperando (?:a |por )?(?!tu|que termine|que acabe)(?:el|la|los|las|que|una?|"
      r"aprobación|acceso|respuesta)\b|\bno (?:podemos|puedo) [^,;]{2,50} (?:hasta|sin|antes de)\b"),
     ("Estamos bloqueados por el certificado.", "Seguimos esperando la aprobación legal.",
      "No podemos desplegar hasta que abran el puerto.")),
    # Next steps
    ("es.siguiente", "next_step", "es", 0.85,
     ("siguiente", "próximo paso", "próximos pasos", "después", "luego", "mañana", "pendiente", "no olvides",
      "no te olvides", "falta ", "a continuación", "todavía tenemos"),
     (r"^(?:el |los )?(?:siguientes?|próximos?) pasos?(?: es| son| será|:)|^(?:y )?(?:después|luego|"
      r"a continuación)(?: de eso)?,? (?:hay que|tenemos que|vamos a|añade|actualiza|haz|escribe|crea|pasa|prueba|"
      r"ejecuta|podemos|agrega|arregla|borra|elimina)|^(?:pendiente|por hacer|todo|pendientes):|"
      r"^(?:y )?no (?:te )?olvides (?:de )?|^mañana (?:hay que|tenemos|vamos|haremos|toca|haré)|\b(?:todavía|"
      r"aún) (?:tenemos que|hay que|falta|tengo que) |^(?:nos )?falta (?!de\b)[a-z]+r\b"),
     ("El siguiente paso es la migración.", "Después, actualiza la documentación.", "No olvides subir la versión.")),
    # Preferences
    ("es.siempre", "preference", "es", 0.9,
     ("siempre", "nunca", "a partir de ahora", "de ahora en adelante", "en el futuro", "prefiero", "preferimos",
      "me gusta", "no me gusta", "odio", "responde", "convención", "recuerda que", "en adelante"),
     (r"^(?:y |por favor,? )*(?:a partir de ahora|de ahora en adelante|en adelante|en el futuro),? |(?:^|"
      r"[,;] )(?:yo )?(?:prefiero|preferimos) (?!no saber){X}(?: (?:a|antes que|en vez de|en lugar de) {Y})?{E}|"
      r"^(?:no )?me gustan? (?:más )?(?:las|los|cuando|que) |^odio (?:las|los|cuando|que|el|la) |^siempre (?:usa|"
      r"ejecuta|escribe|haz|añade|pon|prueba|usamos|pregunta|comprueba|documenta|incluye|corre|actualiza)\b|"
      r"^nunca (?:uses|hagas|subas|borres|toques|pongas|escribas|añadas|commitees|hagas|edites|mezcles|"
      r"modifiques)\b|^(?:usa|ejecuta|escribe|haz|pon|prueba) siempre |^(?:responde|escribe|contesta|"
      r"háblame)(?:me)? (?:siempre |por favor )*en (?:español|inglés|francés|alemán)|^(?:nuestra |"
      r"la )?convención(?: es|:)|^recuerda que "),
     ("A partir de ahora, ejecuta las pruebas antes de cada commit.", "Prefiero funciones pequeñas.",
      "Nunca hagas commit en main.")),
    # Values
    ("es.valor", "value", "es", 0.85,
     (" es ", " está ", " están ", "se llama", " corre ", " escucha ", "rama: ", "puerto: ", "versión: ", "ruta: "),
     (r"(?:^|[,;:] |\b(?:la|el|nuestra|nuestro|los|las) )(?P<name>(?:url|rama|puerto|ticket|versión|ruta|bucket|"
      r"región|timeout|dirección|límite|identificador|id|tiempo de espera)(?: (?:de |del )?(?:la |"
      r"el )?[\wáéíóúñ-]+){0,3}?)(?: (?:es|se llama|ahora es)|:) (?:de )?(?P<value>https?://[^\s,;)]+|\ue000+|"
      r"[a-z]{2,10}-\d+|\d[\w.:]*(?: (?:segundos|minutos|ms|mb|gb|horas))?|[a-z0-9][\w.-]*[/_-][\w./-]*\w|main|"
      r"master|develop)(?=[.,;!)]?(?:\s|$))|\b(?:la|el|los|las|nuestra|"
      r"nuestro) (?P<name2>[\wáéíóúñ-]+(?: [\wáéíóúñ-]+)?) (?:está|están|corre|escucha|"
      r"vive) en (?:el puerto )?(?P<value2>(?:~|\.{1,2})?/?[\w.-]+(?:/[\w.*-]+)+/?|https?://[^\s,;)]+|"
      r"\d{2,5})(?=[.,;!)]?(?:\s|$))"),
     ("La URL de staging es https://staging.example.es.", "La rama es feature/login.", "El puerto es 5433.")),
)  # fmt: skip
