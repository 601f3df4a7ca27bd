"""Why a user's sentence is no statement to keep, whatever its words: it would mean nothing alone, or not for long."""

import re

from holdfast.core.word_lists import word_set
from holdfast.index.terms import split_terms
from holdfast.phrases.phrase_tables import VERBS
from holdfast.recall.engine.prepare_question import FUNCTION_TERMS

LONGEST = 420
# An order or a fault that says none of this is of the moment.
_LASTING = re.compile(
    r"\b(?:always|never|only|every|all|each|any|instead|rather|not|don't|no|must|should|because|since|cause|"
    r"so that|so we|"
    r"otherwise|default|everywhere|consistent(?:ly)?|match|same|too|like we|as we|for (?:both|every|each)|"
    r"enough|better|"
    r"simpler|cheaper|faster|slower|overkill|in this (?:repo|project|code ?base))\b",
    re.IGNORECASE,
)
# Orders that choose, where all others do.
_CHOOSING = word_set(
    "use keep avoid stick go limit switch migrate pick choose drop scrap leave treat stop call name store hold ignore"
)
# A statement names what it is about: so many words beside those that hold every sentence together.
LEAST_CONTENT = 3
_EMPTY = word_set(
    "actually add also always anything apply back basically better bit both case change check do done drop everything "
    "fine first fix get go going good have just keep kind last leave let like look make maybe mean more move much need "
    "never new next nice nothing now ok okay one only option other part please proceed put really remove revert right "
    "same say see seem seems show something sort start stick stuff sure take thing things think time try two update "
    "use want way well work yeah yep yes yup"
)
_ADDRESS = re.compile(r"\w+://\S*")
_EMPTY_TERMS = frozenset(term for word in _EMPTY for term in split_terms(word))
# What may stand before a sentence and adds nothing.
FILLERS = (
    r"^(?:(?:ok(?:ay)?|wait|sorry|alright|like|plus|so|and|but|yes|yeah|no|nope|hm+|well|also|btw|hey|now|then|"
    r"maybe|please|just|actually|because|"
    r"cause)[,.:! ]+)*"
)
_QUESTION = re.compile(
    r"\?\s*$|^(?:(?:one |quick |next )?question\b|wondering|curious|not sure (?:if|what|why|how))", re.IGNORECASE
)
_IMAGINED = re.compile(
    r"\b(?:let's say|say we|suppose|imagine|what if|let's (?:consider|think about|talk about|see|find out|assume)|"
    r"consider what|for example,? (?:we|you|i) could|would want to|hypothetical|if we ever|some ?day)\b",
    re.IGNORECASE,
)
_FLEETING = re.compile(
    r"\b(?:for now|right now|not now|yet|at the moment|this time|today|tomorrow|tonight|yesterday|in the meantime|"
    r"so far|just now|phase \d|step \d|(?:this|that|the|a new|new) (?:branch|pr|worktree|commit)|"
    r"pull request|conflicts?|rebase|cherry-pick|stash|merge (?:it|this|that)|unstaged|uncommitted|"
    r"revert (?:it|that|this)|lines? \d+|"
    r"first (?:cut|iteration|version)|for the [\w ]{2,20} change|next we(?:'ll| will)|then next|start with|"
    r"first (?:fix|do)|go ahead|proceed)\b|"
    r"\b(?:issues?|findings?|items?|points?|comments?|improvements?|tasks?|observations?) #?\d",
    re.IGNORECASE,
)
_HAPPENED = re.compile(
    FILLERS + r"(?:i (?:ran|run|did|tried|see|saw|got|get|just|added|moved|made|"
    r"meant|pushed|merged|updated|had|was|noticed|opened)|we (?:just|already) |there(?:'s| is) (?:a|an|still)|"
    r"i did (?:run|try|see|get)|it (?:looks|seems|says)|we (?:aren't|are not|don't seem|only|still) \w+ing\b|"
    r"here(?:'s| is| are)|the (?:data|result|output|log|error|session)s? (?:for|is|are|of))\b",
    re.IGNORECASE,
)
# What the user is about to do or wishes for, and what is asked for as if it were a question.
_WISH = re.compile(
    FILLERS + r"(?:(?:i|we) (?:want|need|would like|have) to (?!be\b|have\b|keep\b|avoid\b|use\b)|"
    r"(?:i|we) need (?:a|an|some) |i(?:'d| would) like to (?!keep|avoid|use|match)|can (?:we|you|i)\b|"
    r"could (?:we|you|i)\b|"
    r"(?:i )?(?:feel|felt) like\b|i (?:don't|dont) think i\b|i wish\b|give me\b|tell me\b|show me\b|"
    r"let me know\b|remind me\b|any idea\b|research\b|look (?:at|into)\b|make sure\b|go ahead\b|i'm (?:more|"
    r"not)\b|help\b)|\b(?:want|need) to (?:try|see|check|test|know|look|understand|research|figure|find)\b",
    re.IGNORECASE,
)
# Work that is ordered, however its object is named.
_WORK = re.compile(
    FILLERS
    + r"(?:evaluate|take a look|analy[sz]e|compare|explain|address|figure out|find|research|describe|summari[sz]e|"
    r"consider|note how|notice|look|think|investigate|proceed|continue|redo|improve|study|learn|understand|gather|plan|"
    r"propose|suggest|looking (?:for|to)|i'm looking|wish|hoping|trying to|interested in)\b|"
    r"\b(?:somehow|while (?:you|we)(?:'re| are) (?:there|at it))\b",
    re.IGNORECASE,
)
_FAULT = re.compile(
    r"\b(?:is|are|was|were|seems?|looks?|still|being|got|gets?)(?: also| still| now| just)? (?:broken|wrong|missing|"
    r"out of date|outdated|stale|failing|no good|stuck|off|incorrect|empty|not (?:there|shown|working|right))\b",
    re.IGNORECASE,
)
_VERB_FIRST = re.compile(FILLERS + r"(?:let'?s (?:just |also )?)?(?P<verb>[a-z]+(?:-[a-z]+)?)\b(?!['’])", re.IGNORECASE)
# The subject was named before: who was not there cannot know what it is.
_POINTS_BACK = re.compile(
    FILLERS + r"(?:(?:some|all|most|none|each) of (?:those|these|them|that)\b|(?:it|this|that|these|those|they|he|"
    r"she)(?:'s|'re|'ll)?\b"
    r"(?! (?:repo|project|codebase|code base|cli|tool|app)\b)|"
    r"(?:let'?s )?(?:just |also )?(?:go with|apply|do|fix|update|implement|keep|drop|remove|use|put|move|revert|"
    r"turn|add|"
    r"make|take|change|run|try|get|read|write|ship) (?:it|that|this|these|those|them)\b)|"
    r"^(?!(?:[^\s,]+ ){3,}[^\s,]+, ).*\b(?:want|need|use|do|show|have|keep|fix|like|about|for|is|update) (?:it|this|"
    r"that|these|those|them)[.!]*$|"
    r"<-|^\d+:",
    re.IGNORECASE,
)
# A letter or number of a list that only who was there has seen.
_BARE_OPTION = re.compile(
    r"\b(?:options?|approach|variant|choice|plan|alternative|proposal|version|point|number) (?:[a-e]|\d)\b|"
    r"\b(?:do|go with|take|pick|use|choose|prefer|say) (?:[a-e]|\d)\b(?!\s*[%\w])|^(?:[a-e]|\d)\b[\s,.:]|"
    r"^(?:\w+ )?(?:for|on|re|address|do|fix) #?\d+\b|\d+(?: \([^)]*\))?, \d+(?: \([^)]*\))?, \d+|^\W*(?:\d+|"
    r"[a-z])[.)] |"
    r"\b[a-e] (?:instead|is better|then|it is)\b|\b[a-e\d] ?\+ ?[a-e\d]\b|\bthe (?:former|latter)\b",
    re.IGNORECASE,
)
# Of the work at hand: how it is handed in, not what it is.
_PROCESS = re.compile(
    r"\b(?:(?:do|would) you (?:want|like) me to|which (?:fix|step|task|file) (?:do|should)|should i|"
    r"so i can decide|pr|pull request|commits|commit (?:it|this|now|message|hygiene|and)|push|branch|worktree|"
    r"replies|reply|"
    r"thread|proceed|deliver|loop|changelog entry|did you|do you (?:have|believe|mean)|originally|next step|"
    r"go ahead|this run|tests? (?:now|first)|plan (?:above|below))\b",
    re.IGNORECASE,
)
# Not the user's own word, or not their last.
_DOUBTS = re.compile(
    r"\b(?:maybe|perhaps|not (?:yet )?sure|not convinced|i don't know|no idea|might (?:be|want|use|make)|"
    r"i don't think we should|i wonder|we could (?:also|maybe)|feedback (?:from|was|is))\b|"
    r"\b(?:colleague|boss|manager|customer|client|reviewer|user|he|she|they|docs?|readme|issue|ticket|article|"
    r"post|team)\b"
    r"[^,.;]{0,20}\b(?:said|says|claims?|told|wrote|thinks?|wants|complained|suggested|insists)\b",
    re.IGNORECASE,
)
# A detail of one place in one task.
_LOCAL = re.compile(
    r"\b(?:variable|in (?:this|that|the) function|(?:this|that) (?:line|test|file|run)|typos?|paragraph|in line \d|"
    r"for this run|just this once|for the demo|temporar\w+|the ticket is|call it a day|the next file|"
    r"should have (?:asked|done|been)|(?:is|are) broken)\b|\dpx\b|\b(?:bump|tag|release) (?:the )?version\b|"
    r"\bversion to \d",
    re.IGNORECASE,
)
# Somebody else's text: a finding of a review, a log, a shell's line, a file with its line number.
_PASTED = re.compile(
    r"\b[\w/-]+\.\w{1,5}:\d+|\b\w+=\S+ \w+=\S+|^\W*(?:❯|\$ |>>> |\d{1,2}:\d{2}|[\U0001f300-\U0001faff✅⚠]|#{1,6} )|"
    r"^(?:consider|medium|high|low|nit|minor|major|critical|suggestion|finding|recommendation|severity|note)\b\s*[:(]|"
    r"^consider (?:using|adding|moving)|\*\*[^*]+\*\*\s*[:—-]|<<'?\w+|\[Image #|\b[0-9a-f]{16,}\b|\berror ?:|"
    r"—.{60,}|.{120,}—|:\s*$",
    re.IGNORECASE,
)
# A place that only this machine or this one session has.
_OWN_PLACE = re.compile(
    r"(?:^|\s)(?:/Users/|/home/|/tmp/|/var/folders/|[A-Z]:\\)\S*|~/\S+/\S+/\S+|[0-9a-f]{8}-[0-9a-f]{4}-|"
    r"\b\d{4}-\d{2}-\d{2}"
)


def find_veto(text: str, agent_text: str = "", *, least: int = LEAST_CONTENT) -> str:
    """Why a sentence is not to be proposed; an empty text where nothing speaks against it.

    `agent_text` is what the agent said before, on one line: who repeats it quotes it. `least` words must name what it
    is about.
    """
    flat = " ".join(text.split())
    why = next((why for why, pattern in _REASONS if pattern.search(flat)), "") or _of_the_moment(flat)
    if why:
        return why
    if len(flat) > LONGEST:
        return "too long for one statement"
    if len(flat) > _LONG_ENOUGH_TO_QUOTE and flat.strip(" .\"'`") in agent_text:
        return "the agent's own words"
    return "" if names_subject(flat, least) else "does not say what it is about"


def _of_the_moment(flat: str) -> str:
    """Whether a sentence orders a piece of work, or reports a fault, and says nothing that lasts."""
    if _LASTING.search(flat):
        return ""
    if _FAULT.search(flat):
        return "reports a fault"
    first = _VERB_FIRST.match(flat)
    orders = first is not None and first["verb"].lower() in VERBS["en"] - _CHOOSING
    return "orders a piece of work" if orders else ""


_LONG_ENOUGH_TO_QUOTE = 30
_REASONS = (
    ("a question", _QUESTION),
    ("a wish of the moment", _WISH),
    ("orders a piece of work", _WORK),
    ("does not say what it is about", _POINTS_BACK),
    ("names an option of a list", _BARE_OPTION),
    ("only imagined", _IMAGINED),
    ("not their own or last word", _DOUBTS),
    ("a detail of the task", _LOCAL),
    ("pasted", _PASTED),
    ("of this machine or session", _OWN_PLACE),
    ("a step of the task", _FLEETING),
    ("tells what happened", _HAPPENED),
)


def names_subject(text: str, least: int = LEAST_CONTENT) -> bool:
    """Whether a sentence names enough to mean something to who did not hear what was said before."""
    return len(subject_terms(text)) >= least


def subject_terms(text: str) -> set[str]:
    """The terms of a sentence that tell what it is about."""
    return set(split_terms(_ADDRESS.sub(" ", text))) - FUNCTION_TERMS - _EMPTY_TERMS


def asks_of_process(text: str) -> bool:
    """Whether words are about how the work at hand is handed in: commits, branches, replies."""
    return _PROCESS.search(text) is not None
