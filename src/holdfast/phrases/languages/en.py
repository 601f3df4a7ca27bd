"""English: sentences that must not be lost; what makes one a question, a guess or somebody else's."""

from holdfast.core.word_lists import word_set

# Where a thing ends: the words that may follow it.
ENDS = (
    r"(?=[,;!]| [(–—]| - |: |[.\s]*$| (?:for|because|since|so|as|when|here|now|please|but|instead|everywhere|"
    r"throughout|until|unless|if|then|across|thanks|going forward|from now on|and (?:then|let|we|i|you|also)|"
    r"(?:in|on|at|by|with|to|inside) (?:the|this|these|our|all|every|production|prod|staging|tests?|ci)|to [a-z]+|"
    r"in [a-z]+)\b)"
)

# Where an order may begin.
ORDER = (
    r"(?:^|^for [\w /-]{2,30}?,? |[,;:–—] |\b(?:please|just|we|should|must|need to|have to|want you to|let's|lets|"
    r"rather|simply|only|always|and|but|then|also|actually|no|said|said to|told you to|asked you to|"
    r"asked for you to) )"
)

# Verbs that open an order worth keeping ("no, put it in utils").
VERBS = word_set(
    "add allow apply avoid base bring build bump call change check choose commit convert copy create default "
    "define delete deploy disable do drop edit emit enable expose export extend fetch filter fix format generate "
    "give go group handle hide hold ignore implement import include inline insert install invert join keep leave "
    "limit link list load log look make map mark match merge mock modify mount move name open order pass pick "
    "pin point prefix put query raise read remove rename render replace restore return revert rewrite round run "
    "save scope send separate set ship show skip sort split squash start stick stop store strip suppress swap "
    "switch take target test throw touch treat trim try turn update upgrade use validate wait wrap write push "
    "rebase refactor get clean tag finish document publish release migrate measure verify review port optimize "
    "optimise profile wire polish integrate benchmark close archive notify ask scrap regenerate reindex rerun "
    "double-check subscribe stream batch cache encode serialize compute derive"
)

QUESTIONS = (
    r"^(?:(?:so|and|but|or|hmm|wait|ok|no|hey|also|then),? )*(?:do (?:we|i|you|they|these|those|any|our|your)\b|"
    r"(?:should|shall|could|can|would|will|does|did|is|are|was|were|has|have|may|might|am|isn't|aren't|wouldn't|"
    r"shouldn't|couldn't|can't|don't|doesn't|didn't|won't) (?:we|i|you|it|they|this|that|there|the|he|she|these|"
    r"those|any|anyone|someone|somebody|our|my|your)\b|why\b|how (?:about|do|does|did|should|can|would|could|is|"
    r"are|many|much|to|come|long|often)\b|what (?:is|are|was|about|if|should|do|does|did|would|could|happens|"
    r"happened|else|kind|version|branch|port|else)\b|what's\b|whats\b|which\b|who\b|whose\b|where (?:is|are|do|"
    r"does|should|did|can|would)\b|where's\b|when (?:is|are|do|does|should|did|can|would|will)\b|any (?:reason|"
    r"idea|chance)\b|(?:can|could|would) you (?:tell|explain|check|confirm))"
)

HEDGES = (
    r"\b(?:maybe|perhaps|might|possibly|probably|wonder|wondering|not sure|unsure|i guess|what if|imagine|suppose|"
    r"supposing|hypothetically|in theory|theoretically|let's say|lets say|say we|thinking (?:of|about)|"
    r"considering|tempted|could (?:also |just |always |use|go|be|try|have|consider)|one option|another option|"
    r"an option|for example|for instance|e\.g\.|pretend|would (?:be|have|it|that|we|mean|need|never|always|then|"
    r"use|make)|we'd|it'd|they'd|would've|if only|as if|whether|haven't|hasn't|not (?:saying|suggesting|decided)|"
    r"don't (?:think|know|remember)|used to|(?:last|previous) (?:year|job|company|project|month)|years? ago|"
    r"months? ago|back in|at my (?:old|last)|previously|in the past|wish|hope|assuming|depends|"
    r"until we(?:'ve)? decide|once we(?:'ve)? decide|before we decide|had decided|didn't|wasn't|weren't|"
    r"never said|no longer matters)\b|\bif\b(?! you| possible| needed| necessary|$)"
)

REPORTED = (
    r"\b(?:docs?|documentation|readme|article|blog|post|book|tutorial|guide|spec|rfc|manual|comments?|error|"
    r"errors|logs?|message|warning|linter|output|ticket|issue|pr|overflow|chatgpt|copilot|changelog|commit|"
    r"compiler|policy document|reviewers?|test|he|she|they|someone|somebody|people|everyone|boss|manager|"
    r"colleague|coworker|customer|client|vendor|cto|lead|team lead|who|which|you|some|many|others|"
    r"[a-z]+) (?:also |just |always |still |keeps? |once |only |actually )*(?:says?|saying|said|told (?:me|us)|"
    r"tells?|states?|stated|recommends?|recommended|suggests?|suggested|suggesting|mentions?|mentioned|claims?|"
    r"claimed|advises?|advised|warns?|warned|proposed|proposes|argues|argued|insists?|complains?|reads:|wrote|"
    r"writes:|thinks?|believes?|asked (?:me|us|if|whether))\b|\b(?:according to|quote|quoting|i (?:read|heard|"
    r"saw)(?: (?:that|somewhere|online))?|is it true|apparently|supposedly|they (?:use|decided|went|chose|"
    r"switched|prefer|always|never|want)|their|title:|subject:|as in the|the upstream)\b"
)

# Speech that is the user's own after all: taken out before REPORTED looks.
OWN = (
    r"\b(?:that said|having said that|(?:i|we)(?:'ve| have)?(?: already| just| explicitly| clearly)? (?:said|say|"
    r"told (?:you|them)|suggest|recommend|think|believe|insist|asked)|as i said|like i said|easier said)\b"
)

# Parts a system is made of.
PARTS = (
    r"layer|layers|service|services|microservice|module|modules|package|packages|component|components|client|"
    r"clients|server|frontend|front end|backend|back end|api|apis|database|db|worker|workers|queue|handlers?|"
    r"controllers?|gateway|repository|repositories|adapters?|plugins?|domain|core|kernel|ui|cli|writes|reads|"
    r"requests|queries|traffic|jobs|events|state|logic|access|commands|crate|endpoints?|models?|tenants?|sessions|"
    r"migrations|process|processes|messages|consumers|producers|domain code|hot path|scheduler|parser|engine|"
    r"renderer|runtime|daemon|agent|router|proxy|loader|compiler|planner|executor|cache|bus|pipeline|app|web app|"
    r"library"
)

# What a technology may be used for.
ROLES = (
    r"database|db|primary database|cache|caching|queue|queues|queueing|message queue|message bus|messaging|broker|"
    r"auth|authentication|authorization|storage|object storage|blob storage|file storage|persistence|frontend|"
    r"front end|backend|back end|ui|tui|styling|state management|tests|testing|unit tests|e2e tests|"
    r"end-to-end tests|integration tests|logging|logs|metrics|tracing|telemetry|monitoring|observability|build|"
    r"builds|bundling|packaging|ci|ci/cd|deployment|deployments|deploys|hosting|orchestration|validation|"
    r"migrations|schema migrations|orm|api|api layer|apis|public api|internal apis|transport|rpc|serialization|"
    r"search|full-text search|vector search|embeddings|scheduling|background jobs|jobs|cron|workers|sessions|"
    r"session storage|config|configuration|secrets|secrets management|feature flags|routing|forms|web framework|"
    r"web server|reverse proxy|load balancing|linting|formatting|type checking|dependency management|"
    r"package management|package manager|docs|documentation|analytics|payments|email|notifications|realtime|"
    r"real-time updates|infrastructure|infra|iac|data access|data layer|http client|http calls|"
    r"communication between .{1,30}|service-to-service .{1,20}|inter-service communication|event bus|events|"
    r"data store|datastore|event store|job queue|task queue|rate limiting|templating|charts|maps|i18n|animations"
)

# Places that keep data.
STORES = (
    r"postgres|postgresql|mysql|mariadb|redis|sqlite|s3|dynamodb|dynamo|mongo|mongodb|kafka|elasticsearch|"
    r"opensearch|clickhouse|bigquery|snowflake|gcs|r2|minio|etcd|consul|vault|parquet|duckdb|firestore|cosmosdb|"
    r"cassandra|memcached|object storage|the database|the db|git|local storage|localstorage|cookies|plain files|"
    r"markdown files|jsonl|a json file"
)

# id, kind, language, confidence, cues, regex, examples: see patterns.py.
PATTERNS = (
    # Corrections
    ("en.use-not", "correction", "en", 0.9, (" not ",),
     (r"{I}(?:use|pick|choose|take|import|call|write|put|return|target|install|prefer|do) {X},? (?:and |"
      r"but )?not (?!only|just|yet|sure|necessarily|because|if|when|until|to be|at all|working|be\b|have\b|"
      r"exist)(?:with |in |on |to |as )?{Y}{E}"),
     ("Use tabs not spaces.", "no, use pnpm, not npm", "Please use httpx and not requests here.")),
    ("en.use-instead-of", "correction", "en", 0.9, ("instead of", "rather than", "in place of"),
     (r"{I}(?:use|using|pick|choose|take|import|call|write|return|target|install|try|do|do it (?:with|in|as)|"
      r"make (?:it|this|that)|run|put|go with|go for|build it (?:with|as|in)|implement it (?:with|as|in)|"
      r"write it (?:with|as|in)) {X},? (?:instead of|rather than|in place of) {Y}{E}"),
     ("Use uv instead of pip.", "You should use a dataclass rather than a dict.")),
    ("en.use-instead", "correction", "en", 0.8, (" instead",),
     (r"{I}(?:use|pick|choose|take|import|call|write|return|try|do|make it|run|put it in|go with|"
      r"go for) {X} instead(?:[.!,;]|$| please)"),
     ("Use the built-in json module instead.",)),
    ("en.instead-use", "correction", "en", 0.85, ("instead of", "rather than"),
     (r"^(?:instead of|rather than) {Y}, ?(?:please |just |let's |you should |we should |"
      r"we'll )*(?P<verb>[a-z]+) {X}{E}"),
     ("Instead of requests, use httpx.", "Rather than a global, pass it as a parameter.")),
    ("en.should-be-not", "correction", "en", 0.9, (" not ",),
     (r"\b(?:should|must|needs to|has to|have to|ought to) (?:be|say|return|use|read|point to|live in|go in|"
      r"go into|go to|come from|call|go through|be called|have) {X},? (?:and )?not (?!only|just|yet|sure|"
      r"necessarily|because|be\b)(?:in |on |to |as |from )?{Y}{E}"),
     ("The default should be 30, not 60.", "it should return None not an empty list")),
    ("en.its-not", "correction", "en", 0.8, (", not ",),
     (r"^(?:no[,.;:]? |actually,? |sorry,? )?(?:it's|it is|that's|that is|they're|we're|we are|it was|"
      r"the [\w -]{1,30} is) (?!not |just |only |like |more |about )(?:called |named |on |in |a |an |"
      r"the )*{X}, not (?!only|just|yet|sure|necessarily|because|really|that|so\b|working|in \w+ing)(?:on |in |a |"
      r"an |the )*{Y}(?=[.!,]?\s*$)"),
     ("It's staging, not production.", "no, it's called ledger, not journal")),
    ("en.not-but", "correction", "en", 0.7, ("not ",),
     (r"^(?:no[,.;:]? )?not (?!(?:bad|sure|now|really|yet|much|great|today|working|only|just|quite|too|all|"
      r"a (?:big|bad)|exactly|ideal|perfect|good|an?|my|your|that|so|again|everything|always|necessarily|at|in a|"
      r"what|because|to|possible|happy|urgent)\b)(?:the |in |on )*(?P<rejected>[^\s,;]+(?: [^\s,;]+){0,2})[,;—–] ?"
      r"(?:but |use |i meant |i mean )?(?:the |in |on )*(?P<choice>[^\s,;]+(?: [^\s,;]+){0,2})[.!]?$"),
     ("Not staging, production.", "not MySQL, Postgres")),
    ("en.meant", "correction", "en", 0.9, ("i meant",),
     (r"\bi meant (?!to (?:ask|thank|mention|tell)|well|it\b|every)(?:the |to say |to use |"
      r"to )?{X}(?:,? not (?:the )?{Y})?{E}"),
     ("No, I meant the other file.", "I meant the v2 endpoint, not v1.")),
    ("en.mean", "correction", "en", 0.8, ("i mean",),
     r"^(?:no|sorry|wait|oops|nope)[,.]? (?:no[,.]? )?i mean(?! it\b),? {X}{E}",
     ("Sorry, I mean the users table.",)),
    ("en.wrong", "correction", "en", 0.85,
     ("wrong", "incorrect", "not right", "not correct", "mistaken", "not quite", "not exactly"),
     (r"^(?:no[,.!;]? |nope[,.]? |sorry,? |(?:i think )?you're mistaken)?(?:(?:that|this|it)(?:'s| is|"
      r" was)(?: still| just| completely| totally| all)? (?:wrong|incorrect|not (?:right|correct))(?=[,;:.!–—]|"
      r"\s*$| - )|you(?:'re| are) (?:wrong|mistaken)\b|you got (?:that|it|this|the [\w ]{1,20}) wrong|"
      r"not (?:quite|exactly)[:;,–—])"),
     ("That's wrong.", "No, that is not correct: the field is optional.", "You got that wrong.")),
    ("en.wrong-thing", "correction", "en", 0.85, ("wrong",),
     (r"^(?:no[,.!]? |nope[,.!]? )?(?:(?:that's|that is|this is|that was|those are|you're (?:in|on|editing|"
      r"looking at|using)|you (?:[a-z]+ed|put it in|have|chose|took|ran|built|wrote)(?: to| from|"
      r" in)?) the wrong [a-z]|wrong[,.:;!]|wrong (?:file|directory|folder|branch|table|repo|column|function|"
      r"place|version|environment|endpoint|method|one|test|module|package|class|line|order|field|way around)\b)"),
     ("You edited the wrong file.", "that's the wrong branch", "Wrong, the header is optional.",
      "nope, wrong directory")),
    ("en.want-not", "correction", "en", 0.85, (", not ", " instead of ", " rather than "),
     (r"^(?:no[,.!;:]? |sorry,? |actually,? )*(?:i|we)(?:'d|'ve| had)? (?:want|wanted|need|needed|expected|expect|"
      r"asked for|meant) (?!to know)(?:to (?:have|use|see) )?{X}(?:, not| instead of| rather than) (?!yet|sure|"
      r"only|just|because)(?:in |on |as )?{Y}{E}"),
     ("I wanted a dict, not a tuple.", "We need a count rather than a list.")),
    ("en.supposed", "correction", "en", 0.85, ("supposed to", "should have", "shouldn't have"),
     (r"^(?:no[,.!]? |but )*(?:you (?:were|weren't|are|aren't|were not) (?:only |just )?supposed to|"
      r"you (?:should have|should've|shouldn't have|should not have)|(?:it|that|this)(?:'s| is| was| isn't|"
      r" wasn't) (?:not )?supposed to be) [a-z]"),
     ("You were supposed to leave the tests alone.", "You shouldn't have changed the schema.")),
    ("en.not-what", "correction", "en", 0.95,
     ("not what i", "isn't what i", "wasn't what i", "not how i", "not the one i"),
     (r"\b(?:not|isn't|wasn't) (?:what|how|the (?:one|file|way)) i (?:asked|wanted|want|meant|said|need|"
      r"had in mind|described|requested)"),
     ("That's not what I asked for.", "this isn't what I meant")),
    ("en.misunderstood", "correction", "en", 0.9,
     ("misunderst", "misread", "you forgot", "you missed", "you ignored", "you skipped", "you keep",
      "you overlooked", "you broke"),
     (r"^(?:no[,.!]? |i think |sorry,? )*you(?:'ve| have)? (?:misunderstood|misread|misunderstand|forgot|"
      r"forgotten|missed|ignored|skipped|overlooked|broke|keep (?!going|it up|up\b|that|this|the|in mind|"
      r"doing great))\b"),
     ("You misunderstood me.", "you forgot the migration", "You keep adding comments.")),
    ("en.i-said", "correction", "en", 0.85, ("i said", "i told you", "i asked for", "i asked you"),
     (r"^(?:no[,.!]? |but |as |like )*i (?:already |explicitly |clearly |just )?(?:said|told you|asked for|"
      r"asked you)\b(?! (?:that i|hi|hello|thanks|about it|yesterday))"),
     ("I said no new dependencies.", "As I told you, keep the old signature.", "I asked for a list.")),
    ("en.actually-do", "correction", "en", 0.85, ("actually",),
     (r"^(?:no[,.]? |wait[,.]? |sorry,? |hmm,? )*actually,? (?:no,? |please |just |wait,? |let's |"
      r"lets )*(?P<verb>[a-z]+)\b"),
     ("Actually, put it in the utils module.", "actually let's keep the old name", "Wait, actually remove that.")),
    ("en.actually-want", "correction", "en", 0.85, ("actually",),
     (r"^(?:no[,.]? |wait[,.]? )*actually,? (?:no\b|don't\b|do not\b|never mind the|i(?:'d| would)? (?:rather|"
      r"want|wanted|prefer|need|meant|changed)|we (?:need|want|should|don't|do not|use|can't|must|have to|"
      r"already have)|(?:it|that|this|they|the [\w -]{1,40}?) (?:should|must|needs? to|has to|shouldn't|mustn't|"
      r"is supposed|isn't supposed))"),
     ("Actually no.", "Actually, I want a table.", "actually the timeout should be configurable")),
    ("en.no-do", "correction", "en", 0.85,
     ("no,", "no.", "no!", "no:", "no;", "no -", "no –", "nope", "nah", "wait", "hold on"),
     (r"^(?:wait,? |ah,? |oh,? )?(?:no|nope|nah|wait|hold on)(?:[,.!:;–—]| -)+ ?(?:no,? |please |just |"
      r"you should |you need to |you have to |you must |let's )*(?P<verb>[a-z]+)\b(?! (?:me know|ahead|on,|"
      r"a (?:second|minute|moment)|for it|up))"),
     ("No, put it in the shared package.", "nope, rename the column", "Wait, keep the old endpoint.")),
    ("en.no-should", "correction", "en", 0.8, ("no,", "no.", "no!", "no:", "no;", "no -", "no –"),
     (r"^no(?:[,.!:;–—]| -)+ ?(?:it|that|this|they|the [\w -]{1,40}?|we|you|those|these) (?:should|must|needs? to|"
      r"has to|have to|shouldn't|mustn't|don't want|do not want|can't be|is supposed to|are supposed to)"),
     ("No, it should be in UTC.", "no, the key must stay unique")),
    ("en.dont-use", "correction", "en", 0.8, ("don't ", "do not ", "dont "),
     (r"^(?:no[,.!;:]? |nope[,.!]? |wait[,.!]? |hold on[,.!]? |hey,? |actually,? |just |and |but |"
      r"instead,? )*(?:please )?(?:don't|do not|dont) (?:use|add|touch|import|install|modify|change|edit|delete|"
      r"remove|rename|create|mock|push|commit|merge|rewrite|refactor|call|write|put|introduce|depend on|bump|"
      r"upgrade|catch|swallow|hardcode|hard-code|break|make|generate|include|move|copy|log|return|deploy|run|"
      r"reformat|format|squash|rebase|rely on|invent|guess|assume|skip|do|start|mix) (?:any )?{Y}{E}"),
     ("Don't use mocks in these tests.", "Do not touch the generated files.", "please don't add new dependencies")),
    ("en.stop-doing", "correction", "en", 0.9, ("stop ",),
     r"^(?:no[,.!;]? |please |and |just )*stop (?P<rejected>[a-z]+ing\b[^,;.!]{0,60})",
     ("Stop adding comments everywhere.", "please stop using print for debugging")),
    ("en.undo", "correction", "en", 0.85,
     ("undo", "revert", "roll back", "roll that", "put it back", "change it back", "put that back"),
     (r"^(?:no[,.!;]? |please |and |just |actually,? |can you )*(?:(?:undo|revert|roll back) (?:that|this|it|"
      r"the last|your|those|these|all of|the)\b|roll (?:that|this|it) back|(?:put|change) (?:it|that|this) back)"),
     ("Undo that.", "please revert your last change", "put it back the way it was")),
    ("en.scratch-that", "correction", "en", 0.85,
     ("scratch that", "strike that", "disregard", "ignore my last", "ignore what i"),
     (r"^(?:actually,? |no[,.]? |wait,? )*(?:scratch that|strike that|disregard (?:that|my|what i|the previous)|"
      r"ignore (?:my last|what i said))"),
     ("Scratch that, keep both.",)),
    ("en.correction-label", "correction", "en", 0.9, ("correction",),
     r"^(?:small |one |quick )?correction(?::| -|,)",
     ("Correction: the limit is per user.",)),
    # Decisions
    ("en.lets-with", "decision", "en", 0.95, ("let's ", "lets ", "let us "),
     (r"\b(?:let's|lets|let us) (?:just |please |definitely |rather |simply |all )*(?:go (?:with|for)|use|"
      r"stick (?:with|to)|stay (?:with|on)|adopt|choose|pick|settle (?:on|for)|switch (?:over )?to|"
      r"move (?:over )?to|migrate to|standardi[sz]e on|target|commit to) (?!it\b|up\b)(?!the next|the following|"
      r"another topic|a different topic){X}(?:,? (?:instead of|rather than|not|over|and not) {Y})?{E}"),
     ("Let's go with Postgres.", "let's use SQLite instead of Postgres", "Ok, let's stick with REST for now.")),
    ("en.lets-from", "decision", "en", 0.95, (" from ",),
     (r"(?:^|\b(?:let's|lets|we're|we are|we'll|we will|please|we've|we have|we|should|going to) )(?:switch|"
      r"switching|switched|(?<!^)move|moving|moved|migrate|migrating|migrated|(?<!^)change|changing|"
      r"changed) (?:over |it |this |everything )?from {Y} to {X}{E}"),
     ("Switch from npm to pnpm.", "We're moving from REST to gRPC.", "let's migrate from Jest to Vitest")),
    ("en.were-dropping", "decision", "en", 0.9, ("we're ", "we are "),
     (r"\bwe(?:'re| are)(?: now| also| just)? (?:going to (?:drop|remove|skip|ditch|abandon|deprecate|postpone|"
      r"retire|defer) {Y}|(?:dropping|removing|skipping|ditching|abandoning|deprecating|killing|postponing|"
      r"sunsetting|retiring|deferring|not (?:using|supporting|doing)) {Y}|(?:adopting|keeping|standardi[sz]ing on|"
      r"sticking (?:with|to)|staying (?:with|on)|replacing [^,;]{2,40} (?:with|by)|switching (?:over )?to|"
      r"moving to|migrating to|renaming it to|going) (?!to\b|on\b|through|over\b|in\b|with\b|for\b){X}){E}"),
     ("We're dropping IE11 support.", "We are standardizing on OpenTelemetry.")),
    ("en.do-it-with", "decision", "en", 0.75,
     ("do it", "do this", "do that", "build it", "implement it", "write it", "make it", "solve it", "solve this",
      "implement this", "build this"),
     (r"^(?:just |then |yes,? |please )*(?:do|build|implement|write|solve) (?:it|this|that) (?:with|using|via|as|"
      r"in) (?!me\b|the same|one go|a moment|care|mind|case|order|parallel|a loop|steps|it\b){X}{E}"),
     ("OK do it with websockets.", "Build it as a single binary.")),
    ("en.id-go", "decision", "en", 0.75, ("i'd ", "i would "),
     (r"^(?:i think |yes,? |honestly,? )*i(?:'d| would) (?:go with|pick|choose|take|stick with|keep) (?!it\b|"
      r"a (?:look|break)){X}(?:,? (?:instead of|rather than|not|over) {Y})?{E}"),
     ("I'd go with the second variant.",)),
    ("en.i-choose", "decision", "en", 0.85, ("i choose", "i pick", "i opt for", "i vote for"),
     r"^i (?:choose|pick|opt for|vote for) {X}{E}",
     ("I choose the event-based one.",)),
    ("en.no-more", "decision", "en", 0.75, ("no more ",),
     r"^no more {Y}(?<!questions)(?<!errors)(?<!issues)(?<!problems)(?<!warnings)(?<!failures){E}",
     ("No more feature work on v1.",)),
    ("en.lets-keep", "decision", "en", 0.8, ("let's ", "lets "),
     (r"\b(?:let's|lets|let us) (?:just |please )*(?:keep|leave|make|call|name|put|store|treat|rename|target|"
      r"support|require|assume|split|extract|ship|release|limit|freeze) (?!going|in mind|it up|you|me\b|sure|"
      r"an eye|this conversation|moving|a note|working|digging|trying|looking){X}{E}"),
     ("Let's keep the old API.", "let's call it Harbor", "Let's make the cache optional.")),
    ("en.lets-replace", "decision", "en", 0.9, ("replace", "swap"),
     (r"\b(?:let's|lets|let us|we'll|we will|we're going to|we should) (?:replace|swap|swap out) {Y} (?:with|for|"
      r"by) {X}{E}"),
     ("Let's replace moment with date-fns.",)),
    ("en.lets-drop", "decision", "en", 0.9, ("let's ", "lets "),
     (r"\b(?:let's|lets|let us) (?:just |please )*(?:drop|skip|ditch|abandon|avoid|remove|kill|scrap|defer|"
      r"postpone|park|forget about|get rid of|deprecate|leave out) {Y}{E}"),
     ("Let's drop support for Python 3.9.", "let's skip that", "Let's postpone the billing page.")),
    ("en.lets-not", "decision", "en", 0.9, ("let's not", "lets not", "let's don't"),
     (r"\b(?:let's|lets) (?:not|don't) (?!forget|worry|get ahead|panic|rush)(?:use |do |add |go with |support |"
      r"build )?{Y}{E}"),
     ("Let's not use an ORM here.",)),
    ("en.go-with", "decision", "en", 0.9,
     ("go with", "going with", "stick with", "sticking with", "go for", "stay with", "staying with", "settle on",
      "settled on", "going for"),
     (r"(?:^|^(?:just|then|please|yes,?|yep,?) |[,;:] |\b(?:i'll|i will|we'll|we will|i'm|i am|we're|we are|"
      r"i'm going to|we're going to|i've|we've|we|i|please|just|to) )(?:go with|going with|going to go with|"
      r"go for|going for|stick with|sticking with|stay with|staying with|settle on|settled on|"
      r"settling on) (?!it\b(?! for)|me\b|you\b|a walk|lunch|the flow){X}(?:,? (?:instead of|rather than|not|over|"
      r"and not) {Y})?{E}"),
     ("Go with option B.", "We'll go with Tailwind.", "I'm going with the second approach",
      "We settled on UUIDv7.")),
    ("en.we-will-use", "decision", "en", 0.85,
     ("we'll use", "we will use", "we're going to use", "we are going to use", "i'll use", "we're using",
      "we are using", "i want to use", "we want to use"),
     (r"\b(?:we'll|we will|we're going to|we are going to|i'll|we're|we are|i want to|we want to) (?:only |just |"
      r"now |be )*(?:use|using) {X}(?:,? (?:instead of|rather than|not|over|and not) {Y})?{E}"),
     ("We'll use Alembic for migrations.", "We're going to use Bun instead of Node.")),
    ("en.decided", "decision", "en", 0.95,
     ("decided", "agreed", "opted", "chose", "made the decision", "made a decision"),
     (r"\b(?:i|we|the team|team)(?:'ve| have)?(?: now| finally| already| all| just)? (?:decided|agreed|opted|"
      r"chose|chosen|made (?:the|a) decision) (?:(?:to (?:use|go with|adopt|keep)|on|for|"
      r"in favou?r of) {X}(?:,? (?:instead of|rather than|not|over) {Y})?{E}|(?:against|not to(?: use)?) {Y}{E}|"
      r"to |that |[a-z])"),
     ("We decided to use Kafka.", "I've decided against GraphQL.", "We agreed on trunk-based development.")),
    ("en.decision-label", "decision", "en", 0.95, ("decision", "decided:", "agreed:", "verdict"),
     r"^(?:the |our |my |final )*(?:decision|verdict)(?: made)?(?: is|:| -| was to)|^(?:decided|agreed)[:!]",
     ("Decision: one repo per service.", "The decision is to ship without SSO.")),
    ("en.skip-that", "decision", "en", 0.85, ("skip ", "drop ", "ditch ", "leave out", "forget ", "omit "),
     (r"^(?:just |you can |we can |please |no[,.]? |then )*(?:skip|drop|ditch|omit|leave out|"
      r"forget(?: about)?) (?:(?P<rejected>(?:the|that|this|those|these|all|any|"
      r"it)\b[^,;.!]{0,50}))(?<!the cache)(?<!the table)(?<!the database)(?<!the index)"),
     ("Skip that.", "just skip the integration tests for now", "Drop the retry logic.")),
    ("en.keep", "decision", "en", 0.75, ("keep ", "leave "),
     (r"^(?:just |then |yes,? |no[,.]? )*(?:please )?(?:keep|leave) (?P<choice>(?:the|our|both|using|it as|it in|"
      r"it at|it on|this as|that as|everything as|those)\b(?! (?:good|great) work)[^,;.!]{0,60})"),
     ("Keep the old endpoint.", "keep both versions", "Leave the schema as it is.")),
    ("en.option", "decision", "en", 0.9,
     ("option", "approach", "variant", "version", "first", "second", "third", "the latter", "the former",
      "alternative", "plan "),
     (r"^(?:yes,? |i'll take |i'd take |do |take |pick |choose |i choose |i pick |go |go for |let's do |"
      r"let's take |i like )*(?:the )?(?P<choice>(?:option|approach|variant|plan|alternative) (?:[a-f]|\d|one|two|"
      r"three|four)|(?:first|second|third|last|simpler|simplest) (?:one|option|approach|variant|alternative)|"
      r"latter|former)(?:,? (?:it is|please|then|sounds good|looks good|wins|is fine|is better|is good|works|"
      r"works for me))*[.!]?$"),
     ("Option B.", "Do option 2, please.", "the second one", "I'll take the first approach.")),
    ("en.it-is", "decision", "en", 0.85, (" it is", " wins"),
     (r"^(?:agreed|deal|done|right),? ?(?P<choice2>[^\s,;]+) it is[.!]*$|"
      r"^(?P<choice>[^\s,;]+(?: [^\s,;]+){0,3}?),? (?:it is|wins|"
      r"it is then)[.!]*$(?<!what it is.)(?<!what it is)(?<!how it is)(?<!as it is)(?<!as it is.)(?<!where it is)"),
     ("Postgres it is.", "Tabs it is!")),
    ("en.it-is-because", "decision", "en", 0.85, (" it is,", " it is;", " it is –", " it is —", " it is because"),
     (r"^(?P<choice>(?!what|how|as|where|that|this|so|then|here|there|whatever|because|if|when|since|like|which|who|"
      r"why|and|but|wrong|right)[^\s,;]+(?: [^\s,;]+)?) it is(?:[,;]| [–—]| because) "),
     ("argparse it is, click is slow to import", "Kafka it is, because we need replay.")),
    ("en.went-with", "decision", "en", 0.9, ("went with", "went for", "gone with", "ended up with", "landed on"),
     (r"(?:^|[,;:] |\b(?:and|so|that) )(?:we|i)(?:'ve| have)? (?:finally |now |just )*(?:went with|went for|gone with|"
      r"ended up with|landed on) (?!it\b|that\b|the flow|a walk|lunch){X}(?:,? (?:over|instead of|rather than|not|"
      r"and not) {Y})?{E}"),
     ("We went with Terraform over Pulumi.", "So we ended up with plain files instead of a database.")),
    ("en.wont", "decision", "en", 0.8, ("won't ", "not going to", "will not", "aren't going to"),
     (r"\bwe(?: won't| will not| are not going to| aren't going to|'re not going to)(?: be)? (?:use|using|"
      r"support|supporting|do|doing|need|ship|build|implement|add|touch|change|migrate|rewrite|port|maintain|"
      r"offer) {Y}{E}"),
     ("We won't support Windows.", "We're not going to use Redux.")),
    ("en.scope", "decision", "en", 0.85, ("out of scope", "in scope", "not in scope"),
     r"^(?P<rejected>[^,;:]{2,60}?) (?:is|are|stays?|remains?) (?:out of|not in) scope\b",
     ("Mobile is out of scope.",)),
    ("en.no-need", "decision", "en", 0.7, ("don't need", "do not need", "no need for"),
     (r"(?:^|\b(?:and|so|but) )(?:we (?:really )?(?:don't|do not) need|no need for) (?!to (?:worry|apologi|say|"
      r"thank)|you\b|it\b){Y}{E}"),
     ("We don't need a cache layer.",)),
    ("en.plan-is", "decision", "en", 0.8, ("the plan is", "our plan is", "plan of record"),
     r"\b(?:the|our) plan (?:now )?is to (?!be\b){X}{E}",
     ("The plan is to ship the CLI first.",)),
    ("en.settled", "decision", "en", 0.85,
     ("that's settled", "it's settled", "that's final", "final answer", "decision made", "that's decided"),
     r"\b(?:that's|it's|that is|it is) (?:settled|final|decided)\b|\bfinal answer\b",
     ("That's settled then: one queue.",)),
    # Architecture
    ("en.use-for", "architecture", "en", 0.9, ("use & for ", "use & as ", "using & for ", "using & as "),
     (r"{I}(?:use|using) {X} (?:for|as) (?:the |our |all |all our |its |a |primary |main |internal |any |local |"
      r"remote |distributed |shared )*(?:{ROLES})(?=[,;.!]|$| (?:and|with|in|on|because|since|so|instead|not|"
      r"rather|too)\b)"),
     ("Use Postgres for the database.", "We use Redis as the cache.",
      "For the backend use FastAPI as the web framework.")),
    ("en.arch-label", "architecture", "en", 0.9, ("architecture", "tech stack", "our stack", "the stack", "design"),
     (r"^(?:(?:the |our |overall |high-level )*(?:architecture|tech stack|stack)(?: decision| note| choice|"
      r" rule)?(?: is|:| -| will be| consists of)|design(?: decision| rule| choice)?:)(?! (?:overflow|trace|great|"
      r"good|nice|bad|wrong|broken|solid|clean|fine|okay|ok|unclear|confusing|a mess|too|very|really|not))"),
     ("Architecture: one process, SQLite, no daemon.", "Our stack is Django, Celery and Postgres.")),
    ("en.arch-must", "architecture", "en", 0.9,
     ("must", "should", "has to", "have to", "may ", "can ", "never", "only"),
     (r"(?:^|[,;:–—] )(?:(?:the|all|every|each|any|no|our|only the|only|"
      r"[a-z]+) )?(?:[\w/-]+ ){0,4}?(?:{PARTS})(?: [\w/-]+){0,3}? (?:must(?: not| never| only|n't) (?:know|use|"
      r"call|contain|hold|see|mutate|query|bypass|reference|keep|store|load|render)\b|(?:must|should|has to|"
      r"have to|may|can|needs to|need to|never|always|only|is allowed to|are allowed to)(?: not| never| only|"
      r" always|n't)* (?:goe?s? through|imports?|depends? on|talks? to|access|accesses|know about|knows? about|"
      r"be (?:stateless|idempotent|split|stored|async|asynchronous|synchronous|immutable|append-only|behind|"
      r"isolated|versioned|owned|pure|event-driven|pluggable|decoupled|a separate|its own)|live in|lives in|"
      r"communicate|own|owns its|run in|runs? in|publish|subscribe|write to|writes to|read from|reads from|expose|"
      r"speak|speaks|touch|share|hit)\b)"),
     ("The domain layer must not import the web layer.", "All writes must go through the repository.",
      "Every service should own its database.")),
    ("en.arch-belongs", "architecture", "en", 0.85,
     ("belongs in", "belong in", "lives in", "live in", "stays in", "stay in", "goes in"),
     (r"^(?:all )?(?:the |our )?(?P<name>[\w-]+(?: [\w-]+){0,3}) (?:belongs?|lives?|stays?|goes|should live|"
      r"must live|should stay) in(?:side)? (?:the |a |its own |our )?(?P<choice>(?:[\w-]+ ){0,3}(?:layer|service|"
      r"module|package|crate|library|process|room|adapter|gateway|backend|frontend|core|domain|server|client|"
      r"database|browser|kernel))(?=[,;.!]|$| )"),
     ("Business logic belongs in the domain layer.",)),
    ("en.arch-talks", "architecture", "en", 0.85, (" via ", " over ", " through ", " using "),
     (r"(?:^|\b(?:the|our|each|every|all) )(?:[\w-]+ ){0,3}?(?:{PARTS}) (?:talks?|speaks?|connects?|communicates?|"
      r"will talk|will communicate|should talk|should communicate|must talk|exchange \w+) (?:to |with |"
      r"only )*[^,;]{0,40}?(?:via|over|through|using) {X}{E}"),
     ("The frontend talks to the backend over GraphQL.", "Services communicate via NATS.",
      "All services communicate via NATS.")),
    ("en.arch-split", "architecture", "en", 0.85, ("split", "extract", "separate", "break "),
     (r"{I}(?:split|extract|separate|break|pull) (?:the |our |up )?[^,;]{2,50}? (?:into|out into|out of|from|"
      r"out as) (?:a |an |its own |their own |two |three |several |separate |own |the |dedicated |different |"
      r"independent |smaller )*(?:[\w-]+ ){0,2}?(?:services?|modules?|packages?|crates?|librar(?:y|ies)|"
      r"process(?:es)?|repos?|repositories|layers?|microservices|monolith|workers?)\b"),
     ("Split the billing code into its own service.",)),
    ("en.arch-no-may", "architecture", "en", 0.9, (" may ", "the only ", " per ", " its own", "no "),
     (r"^(?:each|every) (?:[\w-]+ ){0,2}?(?:{PARTS}) (?:owns|has|gets|keeps|runs in|runs as) (?:its|a|an) (?:own|"
      r"separate|dedicated|isolated)\b|^no (?:[\w-]+ ){0,2}?(?:{PARTS}) (?:may|can|should|must|"
      r"is allowed to) [a-z]|\b(?:is|are) the only (?:thing|things|service|component|module|layer|place|part|"
      r"process|one|ones|code|piece)s? (?:that|which|allowed|where|to) |\b(?:we(?:'ll| will)?(?: have| use| want|"
      r" need| run)?|use|with|there(?:'s| is| will be)|have|run|keep) (?:exactly |only )?(?:one|a single|"
      r"a separate|a dedicated|its own) (?:database|schema|queue|process|repo|service|table|worker|instance|"
      r"bucket|cluster|container|index|topic) (?:per|for each|for every|for all)\b"),
     ("Each module owns its own tables.", "No service may read another service's tables.",
      "The gateway is the only thing that talks to the internet.", "We'll have one database per tenant.")),
    ("en.arch-with-as", "architecture", "en", 0.85, (" as ",),
     r"\b(?:with|have|keep|keeping) {X} as (?:the |our |its |a )+(?:{ROLES})(?=[,;.!]|$)",
     ("Jobs run in Celery with Redis as the broker.",)),
    ("en.arch-put", "architecture", "en", 0.85, ("put ", "keep ", "place "),
     (r"{I}(?:put|keep|place) (?:all |the |any |our )*(?P<name>(?:[\w-]+ ){0,3}?(?:logic|code|rules|validation|"
      r"queries|state|checks|handling|types|sql|access)) (?:in|inside|out of|behind|at) (?:the |a |"
      r"its own )?(?P<choice>(?:[\w-]+ ){0,3}?(?:layer|service|services|module|package|adapters?|gateway|domain|"
      r"core|repository|controllers?|models?|backend|frontend|edge|boundary|interface))(?=[,;.!]|$| )"),
     ("Put the validation logic in the domain layer.",)),
    ("en.arch-style", "architecture", "en", 0.8,
     ("hexagonal", "event sourc", "event-sourc", "microservice", "monolith", "monorepo", "cqrs", "serverless",
      "ports and adapters", "event-driven", "local-first", "offline-first", "multi-tenant", "server-side render"),
     (r"(?:\b(?:we're|we are|this is|it's|keep it|make it|build it as|stay|staying|should be|will be|must be|"
      r"remain|want|go|we|follows?|as|is|be|stays?) )(?:building |doing |going |using |use |follow |following |a |"
      r"an |with |one |fully |strictly |single |modular )*(?:hexagonal|event[- ]sourc(?:ed|ing)|microservices?|"
      r"monolith|monorepo|cqrs|serverless|ports and adapters|event-driven|local-first|offline-first|multi-tenant|"
      r"server-side rendered)\b(?! (?:is|was|are) (?:hard|bad|slow|annoying|overkill))"),
     ("We're building a modular monolith.", "It should be event-driven.", "This is a monorepo.")),
    ("en.arch-store", "architecture", "en", 0.85, ("store ", "stored in", "persist", "keep ", "save ", "cached in"),
     (r"(?:{I}(?:store|keep|persist|save|cache) (?P<name>[^,;]{2,50}?)|^(?P<name2>[^,;]{2,50}?) (?:are|is|will be|"
      r"should be|must be|get|gets) (?:stored|persisted|kept|cached|saved)) in (?P<choice>{STORES})(?=[,;.!]|$|"
      r" (?:and|not|with|instead|because|so|only|rather)\b)"),
     ("Store sessions in Redis.", "Uploads are stored in S3.")),
    # Priorities
    ("en.top-priority", "priority", "en", 0.9,
     ("most important", "priority", "p0", "p1", "main goal", "main concern", "main focus", "matters most",
      "biggest concern", "number one"),
     (r"^p[01](?::| -|,)|\b(?:most important(?: (?:thing|part|bit|task|point|goal|requirement))?(?: (?:here|now|"
      r"right now|for now|today|for me|to me|for us))?|(?:top|highest|first|main|number one|no\. 1|#1|biggest|"
      r"only|current|my|our|the) (?:priority|concern|goal|focus)(?: (?:here|now|right now|for now|today|this week|"
      r"for me))?|(?:what )?matters most(?: (?:here|now|to me|to us))?)(?: is| are|:| -|"
      r" right now is)(?! (?:unclear|wrong|what|clear|not set|missing|null|ignored))"),
     ("The most important thing is data safety.", "Top priority: fix the login bug.",
      "What matters most is latency.")),
    ("en.is-priority", "priority", "en", 0.85, ("priority", "urgent", "critical"),
     (r"\b(?:is|are|isn't|aren't|has|have|gets?|takes?|'s) (?:now |still |really |not |no |very |super |"
      r"extremely |the |a |an |our |my |of )*(?:top|highest|high|low|lowest|higher|lower|number one|first|"
      r"medium)?[ -]?(?:priority|urgent)\b(?! (?:queue|class|level|field|inversion|column|flag|order|mail|value|"
      r"band|number))"),
     ("The login bug is top priority.", "Docs are low priority.", "This is urgent.")),
    ("en.comes-first", "priority", "en", 0.85, (" first",),
     (r"(?:^|[,;:] )(?P<choice>[^,;:]{2,50}?) (?:comes|come|goes|go|has to come|must come|should come|has to go|"
      r"needs to come) first(?=[,;.!]|$| )"),
     ("Security comes first.",)),
    ("en.do-first", "priority", "en", 0.8, (" first",),
     (r"^(?:please |then |but |let's |i want you to |we need to |you should |we should )*(?:do|fix|finish|handle|"
      r"tackle|get|solve|address|implement|ship|build|finalize|complete|resolve|land|merge|start with|"
      r"begin with) (?P<choice>(?!the first)[^,;]{2,60}?) first(?=[,;.!]|$| (?:and|then|before|because|please|"
      r"thing)\b)"),
     ("Fix the failing tests first.", "Let's get the parser done first, then the CLI.")),
    ("en.before-all", "priority", "en", 0.85,
     ("before anything else", "before everything else", "above all", "first and foremost",
      "before you do anything"),
     r"\b(?:before (?:anything|everything) else|above all(?: else)?,|first and foremost|before you do anything)",
     ("Before anything else, fix CI.",)),
    ("en.focus", "priority", "en", 0.85, ("focus ", "concentrate "),
     (r"(?:^(?:now |just |then |for now,? )*|\b(?:please|let's|lets|you should|we should|need to|want you to|"
      r"we must|i want to|we'll|going to) )(?:only |just |first )*(?:focus|concentrate) (?:only |first |purely |"
      r"mainly |entirely )*on {X}{E}"),
     ("Focus on the API.", "Let's focus on correctness for now.")),
    ("en.more-important", "priority", "en", 0.9,
     ("more important", "matter more", "matters more", "more urgent", "less important", "outweigh", "trumps",
      "more critical"),
     (r"(?:^|[,;:] )(?:{X} (?:is|are) (?:way |much |far |always |even )?more (?:important|urgent|"
      r"critical)(?: to (?:me|us))?(?: than {Y})?|(?P<rejected2>[^,;]{2,50}) (?:is|are) (?:way |much |"
      r"far )?less (?:important|urgent)(?: than [^,;]{1,50})?|(?P<choice2>[^,;]{2,50}?) (?:matters?|"
      r"counts?) (?:way |much |far )?more(?: to (?:me|us))?(?: than [^,;]{1,60})?|"
      r"(?P<choice3>[^,;]{2,50}?) (?:trumps|outweighs?) [^,;]{2,40}){E}"),
     ("Correctness is more important than speed.", "Readability matters more than performance here.")),
    ("en.prioritize", "priority", "en", 0.9, ("prioriti", "take precedence", "takes precedence", "favor ", "favour "),
     (r"(?:^(?:now |just )*|\b(?:please|let's|lets|should|must|we need to|need to|want to|want you to|"
      r"have to) )(?:de)?prioriti[sz]e {X}(?: over {Y})?{E}|(?:^|[,;] )(?:please )?favou?r {X} over|"
      r"\btakes? precedence over\b"),
     ("Prioritize the mobile bug.", "Please prioritise safety over speed.", "Favor readability over cleverness.")),
    ("en.x-over-y", "priority", "en", 0.75, (" over ",),
     (r"^(?P<choice>(?!game|all|hand|take|move|just|glanced|went|go |get |start|it|use|run|hover|mouse|click|"
      r"switch|carry|cross|roll|hold|turn)[a-z-]+(?: [a-z-]+)?) over (?P<rejected>(?!the|a|an|my|it|and|to|time|"
      r"again|there|here|http|https|ssh|tcp|tls|ssl|udp|wifi|usb)[a-z-]+(?: [a-z-]+)?)[.!]?$"),
     ("Correctness over speed.",)),
    ("en.can-wait", "priority", "en", 0.85,
     ("can wait", "is not urgent", "isn't urgent", "not a priority", "nice to have", "nice-to-have"),
     (r"(?:^|[,;:] |\b(?:and|but) )(?P<rejected>[^,;:]{2,50}?) (?:can wait|(?:is|are)(?: just|"
      r" only)? (?:a )?nice[ -]to[ -]haves?)(?=[,;.!]|$| (?:for|until|till)\b)"),
     ("The docs can wait.", "Dark mode is a nice-to-have.")),
    ("en.deadline", "priority", "en", 0.85, (" by ", " before ", "deadline", "today", "tomorrow", "this week"),
     (r"\b(?:must|needs? to|has to|have to|need this|need it|need that) (?:be )?(?:ship|shipped|done|finished|"
      r"ready|released|live|out|go live|land|landed|merged|deployed|delivered|launch|work|in production|"
      r"fixed)[^,;]{0,20}? (?:by (?:[a-z]+day\b|tomorrow|tonight|noon|the end|end of|eod|next|\d)|"
      r"before (?:[a-z]+day\b|the (?:release|demo|launch|weekend|meeting|freeze)|\d|we (?:ship|release|launch))|"
      r"today|tomorrow|this week)|\b(?:the )?deadline (?:is|:|was moved to)"),
     ("This must ship by Friday.", "The deadline is March 3.")),
    ("en.must-have", "priority", "en", 0.8,
     ("non-negotiable", "a must", "must-have", "not a concern", "isn't a concern", "critical", "paramount",
      "is key", "crucial"),
     (r"^(?P<choice>[^,;:]{2,40}?) (?:is|are) (?:absolutely |really |not |the )*(?:non-negotiable|"
      r"a must(?:-have)?|paramount|key|mission[- ]critical|crucial|our main concern)(?=[,;.!]|$| (?:here|for us|"
      r"for me|right now))|^(?P<rejected>[^,;:]{2,40}?) (?:isn't|aren't|is not|are not) (?:a |our |"
      r"my )?(?:concern|focus|goal|priority)\b"),
     ("Security is non-negotiable.", "Performance isn't a concern right now.")),
    ("en.first-later", "priority", "en", 0.8, (" first",),
     (r"^(?P<choice>(?!at|the|my|your|his|is|was|for|it)[a-z-]+(?: [a-z-]+){0,2}) first[,;:]? (?:then |"
      r"and )?(?P<rejected>[a-z-]+(?: [a-z-]+){0,2}) (?:later|second|after|afterwards|last)[.!]?$|"
      r"^(?P<choice2>safety|security|correctness|stability|quality|tests|performance|simplicity|readability|"
      r"accessibility|privacy) first[.!]?$"),
     ("Stability first, features later.", "Safety first.")),
    ("en.before-you", "priority", "en", 0.8, ("before you ", "before we "),
     (r"^before (?:you|we) (?:touch|start|do|change|write|add|go|continue|move on|begin|implement|refactor|work|"
      r"build)\b[^,;]{0,50}, (?:please |we (?:need to|should|must) |you (?:need to|should|must) |let's |"
      r"first )*(?P<verb>[a-z]+)\b"),
     ("Before you touch the UI, get the tests green.",)),
    ("en.ignore-now", "priority", "en", 0.8, ("for now", "at this stage", "for the moment"),
     (r"^(?:you can |we can |just |please )*(?:ignore|don't worry about|do not worry about|don't bother with|"
      r"leave aside|park) (?P<rejected>[^,;]{2,50}?) (?:for now|at this stage|for the moment)\b"),
     ("Ignore the styling for now.",)),
    # Blockers
    ("en.blocked", "blocker", "en", 0.9, ("blocked",),
     (r"(?:\b(?:we|i|this|that|it|work|release|deploy|deployment|rollout|pr|ticket|task|story|migration|merge|"
      r"launch|feature|issue|everything|team|upgrade|project|refactor|review|integration|pipeline|ship(?:ping)?|"
      r"[a-z]+-\d+|#\d+)(?:'s|'re|'m| is| are| am| remains?| stays?)(?: still| currently| now| completely|"
      r" totally| fully| also| kind of)* |^(?:still |currently |now |we are |i am )?)(?<!not )blocked (?:by|on|"
      r"until|because|waiting|pending|behind|due to|for now)\b|^(?:i'm|i am|we're|we are) (?:still |currently |"
      r"completely |totally )*blocked(?=[,.:;!–—]|$| -)"),
     ("We're blocked on the API keys.", "The release is blocked by the legal review.",
      "Blocked until ops opens the port.")),
    ("en.blocker-label", "blocker", "en", 0.9, ("blocker", "showstopper"),
     (r"^(?:the |our |my |main |only |current |biggest |one |remaining |real |another )*(?:blockers?|"
      r"showstopper)(?: right now| for now| now| here| left)?(?: is| are|:| -)(?! (?:gone|resolved|fixed|removed|"
      r"done))|\b(?:is|are|'s) (?:still )?(?:a|the|our|my|the only|a real|a hard|"
      r"the main) (?:release )?(?:blocker|showstopper)\b"),
     ("Blocker: no access to the prod logs.", "The missing certificate is a blocker.")),
    ("en.is-blocking", "blocker", "en", 0.85, ("blocking", "blocks", "holding up", "holding us"),
     (r"\b(?:is|are|'s|keeps?|still) (?:blocking|holding up) (?:us|me|everyone|everything|the (?:release|deploy|"
      r"deployment|launch|merge|rollout|team|pr|migration|upgrade|demo|whole|others?|rest)|my|our|all|progress|"
      r"work)\b|\bholding us up\b|\bblocks (?:us|me|the (?:release|launch|merge|deploy|rollout|migration)|"
      r"everything|all further)\b"),
     ("The flaky test is blocking the release.",)),
    ("en.cant-until", "blocker", "en", 0.85, ("can't", "cannot", "can not", "unable to", "won't be able"),
     (r"(?:^|\b(?:we|i|you|this|it|that|the [\w -]{1,30}|they) )(?:can't|cannot|can not|won't be able to|"
      r"are unable to|am unable to|is unable to) (?:[^,;]{2,70}?) (?:until|before|without|because (?:we|i|the|"
      r"there|our|of) [^,;]{0,50}(?:missing|access|expired|down|waiting|approv|permission|credential|broken|yet|"
      r"lack))"),
     ("We can't deploy until the cert is renewed.", "I cannot merge without Ana's approval.")),
    ("en.waiting", "blocker", "en", 0.85, ("waiting for", "waiting on", "wait for", "depends on the"),
     (r"\b(?:(?:we're|we are|i'm|i am|still|it's|this is|currently|which is) (?:still |currently |all |just )*|"
      r"^)waiting (?:for|on) (?!you\b|it\b|this\b|me\b)[^,;]{0,50}?\b(?:approval|approve|access|credentials?|"
      r"review|reviews|team|legal|ops|answer|reply|decision|keys?|token|vendor|permission|permissions|sign-?off|"
      r"quota|feedback|upstream|security|design|customer|client|support|finance|infra|devops|it department|"
      r"them to|her to|him to|domain|certificate|license|licence|purchase|response|confirmation|merge|release|"
      r"fix)\b"),
     ("Still waiting for credentials from ops.", "We're waiting on legal to approve the license.")),
    ("en.stuck", "blocker", "en", 0.8,
     ("stuck", "have no ", "don't have", "do not have", "lack ", "any further", "continue", "proceed",
      "make progress"),
     (r"\b(?:we're|we are|i'm|i am|we got|i got|still|totally|completely) (?:still |totally |completely |really |"
      r"a bit |now )*stuck (?:on|with|at|because|until|here|since)\b|\b(?:release|upgrade|migration|rollout|"
      r"deploy|deployment|pr|merge|launch|work|project|ticket|review) is (?:still |currently )?stuck (?:because|"
      r"until|on|in|at|behind)\b|\b(?:we|i) (?:still )?(?:have no|don't have|do not have|"
      r"lack) (?:any )?(?:\w+ )?(?:access|permissions?|credentials|budget|approval|license|quota)\b[^,;]*(?:, so|"
      r"yet|, and|$)|\b(?:can't|cannot) (?:get any further|continue|proceed|make progress) "),
     ("I'm stuck on the OAuth callback.",)),
    # Next steps
    ("en.next", "next_step", "en", 0.85, ("next",),
     (r"^(?:and |then |so )*(?:next(?: up)?[,:] |up next[,:] |next,? (?:we(?:'ll| will| need| should| have| can)?|"
      r"i(?:'ll| will| want| need)|you (?:should|need|can|will)|let's|please|add|implement|write|fix|build|do)\b|"
      r"(?:the |our |my |immediate )*next (?:steps?|tasks?|thing|things|item|action|up|milestone|goal|"
      r"job)(?: (?:here|for tomorrow|for me|for us|to do|on the list|after that|after this))?(?: is| are|:| -|"
      r" will be| would be to|, )(?! (?:unclear|wrong|failing|skipped|what|not)))"),
     ("Next, add the retry logic.", "The next step is the migration.", "Next up: docs.")),
    ("en.after-that", "next_step", "en", 0.8,
     ("after that", "after this", "once that", "once this", "when that", "when this", "when you're done",
      "once you're done", "afterwards", "when done", "once done", "once ", "as soon as"),
     (r"^(?:and |then |but )?(?:after (?:that|this)|afterwards|(?:once|when|as soon as) (?:(?:that|this|it|these|"
      r"those|everything|[\w ]{1,30}?)(?:'s| is| are|'re)? (?:done|finished|merged|in|green|fixed|works|working|"
      r"passes|pass|landed|through|deployed|complete|ready|up)|you're (?:done|finished)|done))(?: with (?:that|"
      r"this|it))?,? (?:please |then |we(?:'ll| will| can| need to| should| must)? |let's |i(?:'ll| will|"
      r" want you to| want to| need to| need you to)? |you (?:can|should|need to|must) )*(?P<verb>[a-z]+)\b"),
     ("After that, update the changelog.", "Once that's merged, we can remove the flag.",
      "When you're done, run the benchmarks.")),
    ("en.todo", "next_step", "en", 0.85,
     ("todo", "to do", "to-do", "follow-up", "follow up", "remaining", "left to do", "action item", "still open"),
     (r"^(?:the |my |our |one |a )?(?:todos?|to[ -]dos?|follow[ -]ups?|remaining(?: work| tasks| items| steps)?|"
      r"still to do|left to do|action items?|still open)(?: for (?:later|tomorrow|next week|us|me|you|"
      r"monday))?(?::| -| is| are)(?! (?:list|comment|comments|app))"),
     ("TODO: add an index on user_id.", "Follow-up: clean up the old table.",
      "Remaining work: docs and release notes.")),
    ("en.still-need", "next_step", "en", 0.8,
     ("still need", "still have to", "still must", "still has to", "remains to", "left to", "have yet to", "later",
      "is still missing", "are still missing"),
     (r"\b(?:we|i|you) still (?:need|have|must)(?: to)? (?!know|figure|understand|think|see\b|"
      r"get the (?:same )?error)[a-z]+|\b(?:we|i) have yet to [a-z]+|^later,? (?:on,? )?(?:we|i)(?:'ll|"
      r" will)? (?:need|have|should|must|want)\b|^(?:what )?(?:remains|is left) to (?:be )?(?:do|done)|"
      r"^(?:the )?[^,;]{2,40} (?:is|are) still missing[.!]?$"),
     ("We still need to write the migration.", "I still have to update the docs.")),
    ("en.tomorrow", "next_step", "en", 0.8,
     ("tomorrow", "next week", "next sprint", "on monday", "later today", "next session"),
     (r"^(?:and |then )?(?:tomorrow|next week|next sprint|on monday|later today|later this week|next session|"
      r"in the next session),? (?:morning,? )?(?:we(?:'ll| will| need to| should| can| have to|'re going to)?|"
      r"i(?:'ll| will| want to| need to| have to)?|let's|please|you) (?!is|was|had|got|met)[a-z]+|\b(?:we'll|i'll|"
      r"we will|i will|let's|we need to|we should|continue|finish|do|tackle) [^,;]{0,50}(?:tomorrow|next week|"
      r"next sprint|on monday|in the next session)[.!]?$"),
     ("Tomorrow we'll wire up the webhook.", "We'll do the rollout next week.")),
    ("en.lets-continue", "next_step", "en", 0.75,
     ("let's start", "let's begin", "let's continue", "let's proceed", "let's move on", "lets start",
      "lets continue", "continue with", "start with", "proceed with", "move on to"),
     (r"(?:\b(?:let's|lets) (?:now |then )?(?:start|begin|continue|proceed|move on|carry on)|^(?:now |then |"
      r"please |and )*(?:continue|proceed|start|begin|move on|carry on)) (?:with|to|by) (?!it\b|that\b|this\b|"
      r"me\b|you\b|caution){X}{E}"),
     ("Let's continue with the exporter.", "Now move on to the settings page.")),
    ("en.remind", "next_step", "en", 0.85, ("remind me", "don't forget", "do not forget", "dont forget"),
     (r"^(?:and |but |please |also )*(?:remind me (?:later |tomorrow )?(?:to|that|about)|(?:don't|do not|"
      r"dont) forget (?:to|the|about)) "),
     ("Remind me to rotate the token.", "Don't forget to bump the version.")),
    ("en.then-do", "next_step", "en", 0.7, ("then ", "finally", "lastly"),
     (r"^(?:and )?(?:then|finally|lastly),? (?:please |we(?:'ll| will| need to| should| can) |let's |"
      r"i want you to |you (?:should|need to|can) )*(?P<verb>[a-z]+) (?:the|a|an|all|our|it|that|up|on|in|it's|"
      r"every|tests?|docs?)\b"),
     ("Then we need to update the docs.", "Finally, add the metrics.")),
    # Preferences
    ("en.prefer", "preference", "en", 0.9, ("prefer", "rather use", "rather have", "rather you"),
     (r"(?:^|[,;:] |\b(?:and|but|because|as|since|so) )(?:personally,? )?(?:i|we)(?:'d| would)?(?: (?:always|"
      r"really|much|strongly|generally|usually|personally|also|still))* (?:prefer (?:to (?:use |have |see |"
      r"keep )?|using |it when |if |that |you |not to )?{X}(?:,? (?:over|to|rather than|instead of|not) {Y})?{E}|"
      r"rather (?:use|have|see|keep|avoid|you|not) )"),
     ("I prefer composition over inheritance.", "We prefer small PRs.", "I'd rather have one big file.")),
    ("en.prefer-order", "preference", "en", 0.85, ("prefer ",),
     r"^(?:please |always |in general,? |generally,? )*prefer {X}(?:,? (?:over|to|rather than|instead of) {Y}){E}",
     ("Prefer early returns over nested ifs.",)),
    ("en.from-now-on", "preference", "en", 0.95,
     ("from now on", "going forward", "in future", "in the future", "from here on", "henceforth", "from today on"),
     (r"(?:^|[,;:] )(?:and |so )?(?:from now on|going forward|in (?:the )?future|from here on(?: out)?|henceforth|"
      r"from today on),? (?:please |we |you |i |let's |always |never |all |every |the |use |don't |do not |only |"
      r"just |run |write |commit |put |keep |ask |no |add |make |when )|\b(?:from now on|going forward|"
      r"from here on(?: out)?|henceforth)[.!]?$"),
     ("From now on, run the linter before committing.", "Use conventional commits from now on.")),
    ("en.always-do", "preference", "en", 0.9, ("always ", "never "),
     (r"^(?:and |but |also |remember,? |note,? |in this (?:repo|project|codebase),? |in general,? |(?:if|when|"
      r"before|after) (?:you|we|i) [^,;]{2,50}, |(?:for|in|on) [^,;]{2,30}, )*(?:please )?(?:always|never,? ever|"
      r"never) (?!mind|the\b|a\b|an\b|been|was|were|is\b|had|got|gets?\b|seen?\b|seems|worked|works|fails|failed|"
      r"happen|thought|knew|heard|again|fun|nice|good|great|on\b|there|here|with\b|my\b|your\b|in\b|returns|"
      r"ending|gonna|say never|used|tried|crashes|too\b|been\b|know\b|null|true|false)[a-z-]+\b(?!ed\b)"),
     ("Always run the tests before you commit.", "Never commit directly to main.",
      "When you add an endpoint, always add a test.")),
    ("en.every-must", "preference", "en", 0.85, ("must", "should", "needs ", "need ", "has to", "have to"),
     (r"^(?:all|every|each|any|no) (?:of (?:our|my|the) )?(?:[\w-]+ ){0,3}?(?:functions?|methods?|class|classes|"
      r"commits?|prs?|pull requests?|files?|endpoints?|names?|changes?|migrations?|variables?|branches|"
      r"commit messages|strings|dates|timestamps|tests?|components?|modules?) (?:must|should|needs?|has to|"
      r"have to)(?: to)?(?: always| never| not)? (?!pass|be (?:green|passing|fixed|working|done)|work|run\b|fail|"
      r"still|now)[a-z]+"),
     ("Every public function must have a docstring.",)),
    ("en.dont-ever", "preference", "en", 0.9, ("don't ever", "do not ever", "dont ever"),
     r"^(?:please |and |but )*(?:don't|do not|dont) ever [a-z]+",
     ("Don't ever push without asking.",)),
    ("en.dont-want", "preference", "en", 0.8, ("don't want", "do not want", "never want"),
     (r"^(?:and |but |also |please,? )*i (?:don't|do not|never) (?:ever )?want (?:any |to see |you to |to have |"
      r"to use |to depend on ){Y}{E}"),
     ("I don't want any comments that restate the code.",)),
    ("en.whenever", "preference", "en", 0.85, ("whenever ", "every time", "each time", "any time"),
     (r"^(?:and |also )?(?:whenever|every time|each time|any time) (?:you|we) [^,;]{2,60}, (?:please |also |"
      r"always |you (?:must|should|need to) |we )*(?P<verb>[a-z]+)\b"),
     ("Whenever you change the schema, update the ERD.",)),
    ("en.we-never-here", "preference", "en", 0.85, ("we never", "we always", "we don't", "we only"),
     (r"^we (?:never|always|don't|only) [a-z-]+ [^,;]{0,60}?\b(?:in this (?:repo|repository|project|codebase|"
      r"team)|around here|in our (?:team|repo|codebase))\b"),
     ("We never force-push in this repo.",)),
    ("en.should-always", "preference", "en", 0.9, (" always ", " never "),
     (r"\bi want you to (?:always|never) [a-z]|\b(?:you|we|please|make sure (?:to|you|we)|tests|commits|functions|"
      r"files|prs|commit messages|all [\w ]{1,25}|every [\w ]{1,25}) (?:(?:should|must|have to|need to|"
      r"want you to|can) (?:always|never) (?=[a-z])|(?:always|never) (?:use|run|write|put|name|prefix|add|commit|"
      r"ask|check|keep|test|push|squash|rebase|include|format|document|log|deploy|merge|create|validate|pin|"
      r"return|mock|edit|touch|start|import|call|store|update|bump|review|quote|hardcode|follow|wrap|prefer|avoid|"
      r"require|end|read)\b)(?! (?:able|there|fun|fine|the same))"),
     ("We always squash before merging.", "You should never edit generated files.",
      "Commit messages must always reference a ticket.")),
    ("en.like", "preference", "en", 0.8,
     ("i like", "i hate", "i dislike", "i don't like", "i love", "i can't stand", "i do not like"),
     (r"(?:^|[,;:] |\b(?:and|but|because) )i (?:really |generally |usually |strongly )*(?!(?:hate|"
      r"love) \w+[.!]?$)(?:like|hate|dislike|don't like|do not like|love|can't stand) (?!it[.!,]?$|"
      r"it\b(?! when you)|this|that|these|those|the |where|how|what|your|you\b|both|them|him|her|all|working|"
      r"everything|none|either|option|idea|an? idea){X}(?: (?:over|to|instead of|rather than) {Y})?{E}"),
     ("I like short functions.", "I hate emojis in commit messages.", "I don't like one-letter names.")),
    ("en.convention", "preference", "en", 0.9,
     ("convention", "our style", "our rule", "our policy", "house rule", "my style", "rule of thumb",
      "our standard", "my preference", "our preference", "the rule"),
     (r"\b(?:our|my|the team's|house|the project's|team|the) (?:coding |naming |code |commit |house |team |"
      r"general )*(?:convention|preference|style|rules?|policy|standard|rule of thumb)s?(?: here| for [\w ]{1,30}|"
      r" in this [\w ]{1,20})?(?: is|:| are| says)(?! (?:broken|wrong|failing|weird|unclear|missing|disabled|"
      r"ignored|off))|\bby convention,"),
     ("Our convention is snake_case for JSON keys.", "The rule is: no network in unit tests.")),
    ("en.by-default", "preference", "en", 0.8, ("by default", "as a default", "unless i say", "unless told"),
     (r"^by default,? (?:please |you should |we |always )*(?:use|run|write|put|create|keep|ask|commit|deploy|log|"
      r"return|open|make)\b|{I}(?:use|run|write|keep|put) [^,;]{2,50} by default[.!]?$|\bunless i say otherwise\b|"
      r"\bunless told otherwise\b"),
     ("By default, use the small model.", "Unless I say otherwise, write TypeScript.")),
    ("en.in-this-repo", "preference", "en", 0.85,
     ("in this repo", "in this project", "in this codebase", "around here", "in our team", "in this team",
      "in our codebase", "in our repo"),
     (r"^(?:in this (?:repo|repository|project|codebase|team)|around here|in our (?:team|codebase|"
      r"repo)),? we (?:always |never |only |don't |do not )*(?:use|write|put|name|prefix|add|commit|keep|test|"
      r"push|squash|rebase|format|document|deploy|merge|follow|avoid|prefer|require|mock|run|allow|like|want)\b|"
      r"^we (?:always |never |only |don't |do not )*(?:use|write|put|name|prefix|follow|avoid|prefer|require|mock|"
      r"allow) [^,;]{2,60} (?:in this (?:repo|repository|project|codebase)|around here)\b"),
     ("In this repo we use spaces.", "We don't use default exports in this project.")),
    ("en.keep-answers", "preference", "en", 0.85, ("keep ", "make your", "be brief", "be concise", "be terse"),
     (r"^(?:please |and |also )*(?:(?:keep|make) (?:your |all |the |my )?(?:answers?|responses?|replies|commits?|"
      r"commit messages|functions|messages|prs|pull requests|summaries|explanations|output|diffs?|changes|"
      r"comments|docstrings) (?:very |really |as |more |much )*(?:short|brief|small|concise|simple|under|below|"
      r"shorter|minimal|focused|terse|atomic|to )|be (?:more |very )?(?:brief|concise|terse)\b)"),
     ("Keep your answers short.", "please keep commits small")),
    ("en.write-commits", "preference", "en", 0.85,
     ("commit", "branch", "pr ", "prs", "docstring", "comments", "changelog"),
     (r"^(?:always )?(?:write|format|name|prefix|start|phrase|title) (?:all |your |the |our |"
      r"every )*(?:commit messages?|commits?|branches|branch names|prs|pr titles|pull requests|changelog entries|"
      r"docstrings|comments) (?:in|with|as|like|using|after)\b"),
     ("Please write commit messages in the imperative mood.",)),
    ("en.answer-in", "preference", "en", 0.85,
     ("answer", "respond", "reply", "write", "speak", "talk to me", "call me"),
     (r"^(?:please |always |from now on,? |you can |just )*(?:(?:answer|respond|reply|write|speak|talk to me|"
      r"communicate)(?: to me| your answers| everything| comments)? in (?P<choice>german|english|french|spanish|"
      r"chinese|italian|japanese|portuguese|dutch|korean|polish|bullet points|plain language|plain english|"
      r"british english|american english)\b|call me (?!back|when|if|crazy|old))"),
     ("Answer in German please.", "Reply in bullet points.")),
    ("en.remember", "preference", "en", 0.8,
     ("remember", "keep in mind", "bear in mind", "note that", "for the record"),
     (r"^(?:and |but |also )?(?:please )?(?:remember(?: that| to|:|,| this:) |(?:keep|bear) in mind(?: that|:)? |"
      r"for (?:the record|future reference)[,:] )(?!when|how|the time|what)"),
     ("Remember that we deploy on Tuesdays.", "Keep in mind the API is public.")),
    ("en.no-x", "preference", "en", 0.75, ("no ",),
     (r"^(?:and |but |also |absolutely )?no (?:more )?(?P<rejected>(?!idea|problem|worries|need|way|thanks|one|"
      r"matter|luck|rush|more|it|that|this|reason|longer|doubt|output|errors?|change|changes|clue|such|tests? ran|"
      r"result)[a-z-]+(?: [a-z-]+){0,2}) (?:please|ever|anywhere|in (?:the |this |these |our )?(?:repo|codebase|"
      r"tests|code|commits?|commit messages|answers|production|project|public api|docs|comments|names|code base)|"
      r"allowed)[.!]?$"),
     ("No emojis in the code.", "no default exports please")),
    # Values
    ("en.url", "value", "en", 0.9,
     ("http://", "https://", "ws://", "wss://", "git@", "postgres://", "redis://", "s3://"),
     (r"(?:^|[,;:.–—] |\b(?:the|our|my|and|use|that|remember|note) )(?P<name>(?!it\b|this\b|that\b|"
      r"error)[a-z][\w/'-]*(?: (?!is\b|at\b|lives\b|runs\b|failed|returned|to\b|from\b|on\b|"
      r"for\b)[\w/'-]+){0,4})(?: (?:url|link))? ?(?:is(?: now| still)?(?: at| on| here:?| available at|"
      r" hosted (?:at|on)| running (?:at|on)| deployed (?:at|to))?|are(?: at)?|=|:|->|→|lives at|lives here:|"
      r"runs (?:at|on)|can be found at|can be reached at|moved to|has moved to|points to|"
      r"is under) (?P<value>(?:https?|wss?|postgres(?:ql)?|redis|s3|amqp|mongodb(?:\+srv)?)://[^\s,;)>\"'`]+|"
      r"git@[^\s,;)]+)"),
     ("The staging URL is https://staging.example.com.", "Docs: https://docs.example.com/v2",
      "our dashboard lives at https://grafana.example.com")),
    ("en.branch", "value", "en", 0.9, ("branch",),
     (r"(?:\b(?P<name>(?:(?:feature|base|target|release|main|default|working|current|correct|right|integration|"
      r"deploy|production|staging|hotfix|dev) )?branch)(?: name| for [\w ]{1,25})?(?: is| is called| is named|:|"
      r" is now| should be| called| named)(?: called| named)? |{I}(?:work on|use|push to|commit to|base (?:it|"
      r"this|your work) on|branch off|branch off of|branch from|target|create|rebase onto|merge into|check out|"
      r"checkout)(?: the)? (?P<name2>branch) )(?P<value>(?:main|master|develop|dev|trunk|staging|production|next|"
      r"stable)(?=[.,;!]|$| )|[a-z0-9][\w.-]*(?:[/_-][\w./#-]*\w)|\ue000+)"),
     ("The branch is feature/login-v2.", "Base branch: develop", "Push to branch fix/cache-42.")),
    ("en.port", "value", "en", 0.9, ("port", "localhost:", "listen", " on :"),
     (r"(?:\b(?P<name>(?:(?!the|that|and|is\b|on\b|at\b)[\w-]+ ){0,3}?port)(?: number)?(?: is| is now|:| =|"
      r" should be| must be| has to be) |\b(?:the |our )?(?P<name2>(?!it\b|"
      r"something)[\w-]+(?: [\w-]+){0,2}?) (?:runs|listens|is running|is listening|should listen|should run|is|"
      r"lives|is exposed|is served) on (?:port |localhost:|:)|\b(?:the |"
      r"our )?(?P<name3>(?!it\b)[\w-]+(?: [\w-]+)?) (?:listens|is listening) on )(?P<value>\d{2,5})\b(?! (?:is|"
      r"are|files|times))"),
     ("The port is 5433.", "The API listens on port 8081.", "db port: 6432")),
    ("en.version", "value", "en", 0.85,
     ("version", "we're on", "we are on", "running", "pin ", "pinned", "we use ", "we're using", "target",
      "upgrade", "requires", "minimum"),
     (r"(?:\b(?P<name>(?:(?!the|that|and|of\b|a\b|is\b|in\b)[\w.+-]+ ){0,3}?version)(?: number| we use| we target|"
      r" in use| we need)?(?: is| is now|:| =| should be| must be|s?:) (?:at least )?|\bwe(?:'re| are)?(?: still|"
      r" currently| now)? (?:on|using|running|targeting|pinned to|stuck on|use|run|target|"
      r"support) (?P<name2>[a-z][\w.+-]*(?: [a-z][\w.+-]*)?) |{I}(?:pin|lock|bump|upgrade|downgrade|target|set|"
      r"require)(?: down| it)? (?P<name3>[a-z][\w.@/-]*(?: version)?) (?:to|at) |"
      r"\b(?P<name4>minimum [a-z]+(?: version)?) is )(?:version )?(?P<value>v?\d+(?:\.\d+)+(?:[-.]?(?:x|rc|alpha|"
      r"beta|dev|post)[\w.]*)?|v?\d{1,2}(?=[.,;!]?(?:\s*$)|,))"),
     ("The version is 2.4.1.", "We're on Python 3.12.", "Pin numpy to 1.26.4.")),
    ("en.id", "value", "en", 0.85,
     ("ticket", "issue", "jira", "project", " id", "account", "channel", "region", "bucket", "cluster",
      "namespace", "database", "table", "tenant", "key is", "repo", "env", "host", "user", "queue", "topic",
      "instance", "zone", "commit", "tag", "image", "service", "container", "flag", "variable", "package",
      "codename", "prefix", "header", "endpoint"),
     (r"(?:^|[,;:.–—] |\b(?:the|our|my|and|that|your|its) )(?P<name>(?:(?!the|that|and|is\b|if\b|when\b|of\b|in\b|"
      r"to\b)[\w-]+ ){0,3}?(?:ticket|issue|jira|(?:[\w-]+ )?ids?|account|channel|region|bucket|cluster|namespace|"
      r"database|db|table|tenant|repo|repository|env|environment|host|hostname|user|username|queue|topic|instance|"
      r"zone|commit|tag|image|service|container|flag|feature flag|variable|env var|package|package name|codename|"
      r"prefix|header|endpoint|project|service account|model))(?: name| number| (?:for|on|in|of|"
      r"at) [\w ]{1,25}?)? ?(?:(?:is|are|=|:|will be|should be|must be|is now|→|->)(?: called| named| at)?|called|"
      r"named) (?P<value>\ue000+|#[\w-]*\w|/[\w./{}:-]*\w|[a-z]{2,10}-\d+|(?=[\w.:/@-]*(?:\d|"
      r"[_/@:.-]\w))(?!\d+(?:[.,;!)]|\s|$))(?!(?:one|on|in|not|a|an|the|re|pre|non|up|out|under|well|still|auto|"
      r"read|case|self|state|built|half|third|open|hand)-)(?![a-z]+(?:-[a-z]+)*-(?:only|in|out|date|art|based|"
      r"driven|free|safe|ready|specific|related|sensitive|insensitive|wide|level|aware|side|first|like|friendly|"
      r"compatible|dependent|heavy|bound|proof|critical|tenant|threaded|sourced|agnostic|existent|ended|managed|"
      r"hosted|by|to|up|off)\b)[a-z0-9](?:[\w.:/@-]*\w))(?=[.,;!)]?(?:\s|$))(?! (?:and|or) (?:is|are))"),
     ("The ticket is PAY-1432.", "our bucket is acme-prod-uploads", "The region is eu-central-1.")),
    ("en.number", "value", "en", 0.85, (" id", "ticket", "issue", "account", "build", "pr ", "pull request", "number"),
     (r"(?:^|[,;:.–—] |\b(?:the|our|my|and|that|your) )(?P<name>(?:(?!the|that|and|is\b|if\b)[\w-]+ ){0,3}?(?:id|"
      r"ticket|issue|account|build|pr|pull request|tenant|customer|order)(?: number| id)?)(?: is|:|"
      r" =) #?(?P<value>\d{2,})(?=[.,;!)]?(?:\s|$))(?! (?:years|days|lines|files|times|hours|mb|gb|%))"),
     ("Our Sentry project id is 45012.", "account id: 443218")),
    ("en.path", "value", "en", 0.85, ("/",),
     (r"(?:^|[,;:.–—] |\b(?:the|our|my|all|and|that) )(?P<name>(?!it\b|this\b|error|there\b|he\b|she\b|they\b|i\b|"
      r"we\b)[a-z][\w.-]*(?: (?!is\b|are\b|at\b|lives?\b|in\b|under\b|to\b|from\b|failed|"
      r"error)[\w.-]+){0,3}) (?:is|are|lives?|sits?|goes?|go|belongs?|can be found|is located|are located|"
      r"is stored|are stored)(?: now)? (?:in|at|under|inside|into|here:) (?:the )?(?P<value>(?:~|"
      r"\.{1,2})?/?[\w.@-]+(?:/[\w.@*{}-]+)+/?|/[\w.-]+(?:/[\w.*-]+)*/?)(?=[.,;!)]?(?:\s|$))"),
     ("The config is in /etc/harbor/app.toml.", "Migrations live in db/migrations.",
      "Our fixtures are under tests/data/fixtures.")),
    ("en.setting", "value", "en", 0.85,
     ("timeout", "limit", "retries", "interval", "size", "threshold", "budget", "ttl", "rate", "max", "min",
      "concurrency", "quota", "capacity", "deadline", "batch", "length", "coverage", "set ", "pool", "delay",
      "retention", "line length"),
     (r"(?:(?:^|[,;:.–—] |\b(?:the|our|my|and|that|a) )(?P<name>(?:(?!the|that|and|is\b|of\b|if\b|a\b|"
      r"in\b)[\w-]+ ){0,3}?(?:timeout|limit|retries|interval|size|threshold|budget|ttl|rate|max|maximum|min|"
      r"minimum|concurrency|quota|capacity|length|coverage|delay|retention|pool))(?: period|"
      r" for [\w ]{1,25})?(?: is| is now|:| =| should be| must be| has to be| stays at| needs to be|"
      r" are) (?:at least |at most |exactly |about |around )?|"
      r"{I}set (?:the )?(?P<name2>[a-z][\w.-]*(?:[_.][\w-]+)+|(?:[\w-]+ ){0,2}(?:timeout|limit|retries|interval|"
      r"size|threshold|ttl|rate|concurrency|quota|length|log level|delay|retention|"
      r"pool size)) to )(?P<value>\d[\d.,_]*\d?(?: ?(?:%|ms|s|sec|secs|seconds?|mins?|minutes?|h|hours?|days?|"
      r"weeks?|months?|kb|mb|gb|tb|kib|mib|gib|k|requests?(?: per \w+)?|req/s|rps|/s|per \w+|characters|chars|"
      r"items|rows|connections|tokens|lines|times|attempts|bytes|workers|x|€|usd|dollars))?|\ue000+|true|false|"
      r"debug|info|none|utf-8)(?=[.,;!)]?(?:\s|$))"),
     ("The timeout is 30 seconds.", "Set max_retries to 5.", "the rate limit should be 100 requests per minute")),
    ("en.env", "value", "en", 0.8, ("=",),
     (r"(?:^|\b(?:with|set|use|export|needs?|is) )(?P<name>[a-z][a-z0-9]*(?:_[a-z0-9]+)+)=(?P<value>[^\s,;\"'`]+|"
      r"\ue000+)(?=[.,;!]?(?:\s|$))"),
     ("Set LOG_LEVEL=debug for this.",)),
)  # fmt: skip
