"""What pasted text, and what a person says of it, looks like: patterns as data, each compiled when it is needed."""

import re
from functools import cache

# Marks that cannot be seen.
_HIDDEN = r"[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
# Between pictures and in scripts that need them, joiners are letters.
_JOINED = r"(?<=[\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])\u200d|(?<=[\u0600-ۿऀ-\u0dff])[\u200c\u200d]"
_COMMAND = r"^\s*/[a-z][\w:-]*(?:\s|$)"
_CHAT = r"^\s*\[\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AP]M)?\]"
_HEADING = r"^#{1,6} \S|^\"\"\""
# Behind such words all is somebody else's.
_HANDED = (
    r"\b(?:look at|check|see|try|review|verify|consider|about|investigate|address|fix|think of|"
    r"make of)\s+(?:this|these|that|the following|those)(?: \w+){0,2}\s*[:?]?\s*$|\bhere(?:'s| is|"
    r" are) (?:the|a|what|some|my)\b(?! (?:i|we)\b).*[:.]\s*$"
)
# A line before the person's own rules, in a list of their own.
_MINE = (
    r"\b(?:what i (?:want|need|mean)|i(?:'d| would)? (?:want|need|like)|we need|my (?:rules|plan|idea|wish|"
    r"take)|our (?:rules|conventions?|decisions?)|(?:two|three|some|few|a few|other) (?:\w+ )?(?:things|rules|"
    r"points|notes|requests|changes|fixes)|please (?:do|make sure)|todos?|next|requirements|remember|"
    r"rules)\s*[:：]?\s*$"
)
# A line that asks something about what follows it.
_ABOUT = (
    r"^(?:please\s+|can you\s+|could you\s+|pls\s+)*(?:summari[sz]e|explain|translate|proofread|rewrite|"
    r"rephrase|reword|shorten|simplify|paraphrase|reply to|respond to|answer|draft|improve|polish|format|"
    r"convert|turn|adapt|classify|extract|analy[sz]e|critique|compare|debug|diagnose|decode|write (?:a |"
    r"an )?(?:better |shorter )?\w+ (?:for|of|to|about) this|review|read|check|look (?:at|into|over)|address|"
    r"fix|implement|handle|resolve|investigate|see|fasse?|übersetz\w*|erkläre?|résume|traduis|resume|traduce|"
    r"explica)\b(?=.*(?:\b(?:this|that|these|those|it|the following|the (?:review|comments?|feedback|issue|"
    r"ticket|spec|specification|page|article|text|mail|email|message|log|logs|output|error|diff|patch|"
    r"paragraph|post|thread|answer|proposal|report|bug|story|below)|below|gh-?\d+|#\d+|[a-z]{2,10}-\d+|"
    r"zusammen|das|dies\w*|ceci|esto)\b|:\s*$))(?!.*\b(?:by|so that|with|using)\b\s+\w+\s+\w+\s+\w+\s+\w+)|"
    r"^(?:proofread|translate|summari[sz]e|explain|übersetze?|traduis|traduce)\b.*:\s*$|^(?:what|why|how|is|"
    r"does|do|did|are|any|thoughts|opinions?|ideas?)\b.{0,80}\b(?:this|that|these|it|mean|fail|going on|think|"
    r"make of|right|true|happens?|crash)\b.{0,40}[?:]?\s*$|^(?:i |we |just )?(?:got|found|received|saw|copied|"
    r"pasted?)\b.{0,40}\b(?:from|on|in|this)\b.{0,40}[:.]?\s*$|\b(?:this is|it is|that's|this came|taken|"
    r"copied|straight) (?:from|out of)\b.{0,60}[:.]\s*$"
)
# A line with a colon at its end that names where the rest is from.
_SOURCE = (
    r"^(?:from|via|per|source|quote|on|in)\b|\b(?:says?|said|wrote|writes?|told|tells?|suggests?|suggested|"
    r"proposes?|proposed|recommends?|recommended|answer(?:s|ed)?|responds?|responded|replied|output|prints?|"
    r"printed|results?|transcript|minutes|excerpt|snippet|paste|pasted|quoted?|readme|docs|wiki|blog|article|"
    r"page|google|stack ?overflow|slack|discord|teams|jira|linear|github|issue|ticket|mail|email|chat|call|"
    r"meeting|chatgpt|gpt|claude|gemini|copilot|model|colleague|boss|customer|reviewer|ci|log|logs|error|"
    r"following)\b"
)
# The first line of a ticket, a mail, a commit, a review, a page.
_DOCUMENT = (
    r"^(?:#\d{1,6}\s+\S|[A-Z][A-Z0-9]{1,9}-\d{1,6}\s*$|(?i:title|reporter|assignee|labels?|priority|status|"
    r"environment|severity|component|steps to reproduce|expected(?: behaviou?r| result)?|actual(?: behaviou?r|"
    r" result)?|acceptance criteria|technical notes|description|as an? \w+,? i want)\b\s*(?::|$)|"
    r"(?i:as an? \w+(?: \w+)?,? i want)\b|\*\*[^*]{3,60}\*\*:?\s*$|(?i:fwd?|re|aw|wg)\s*:\s*\S|[\w-]+(?:\[bot\]|"
    r"\s+bot)?\s+(?:commented|reviewed|opened|requested)\b|(?i:opened by) \S|(?i:by) "
    r"[A-Z][\w.-]+(?: [A-Z][\w.-]+)+\b.*|.{0,60}·\s*\d+ min read|diff --git |@@ |(?i:signed-off-by):|(?:feat|"
    r"fix|chore|docs|"
    r"refactor|build|ci|perf|test|style)(?:\([\w./-]+\))?!?: \S|(?i:reviewer|speaker)\s*#?\d|\S+\.(?:ya?ml|"
    r"toml|json|ini|conf|env)\s*:\s*$|\S+\.\w{1,4}\s+line\s+\d+|\d+(?:\.\d+)+\s+[A-Z]\w+|(?i:best practices)\b.*:|"
    r"[A-Z][\w .'-]{1,30}\s+\d{1,2}:\d{2}\s?(?:[AP]M)?\s*$|\*[A-Z]\w+(?: [A-Z]\w+)+\*\s*$|"
    r"https?://\S+.{0,60}$)"
)
# How models begin.
_ASSISTANT = (
    r"^(?:sure[!,.]|certainly[!,.]|of course[!,.]|absolutely[!,.]|great (?:question|idea|point)|good question|"
    r"i(?:'ve| have) (?:analy[sz]ed|reviewed|looked|examined|gone through)|here(?:'s| is) (?:a|an|the|"
    r"my) (?:plan|summary|breakdown|overview|analysis|list|suggestion|revised|refactored|updated)|"
    r"based on (?:my|the|your) (?:analysis|review|code)|as an ai\b|i(?:'d| would) (?:recommend|suggest)\b|"
    r"my recommendation|you are an? \w+|you should (?:always|never|consider|use|avoid)\b|the best (?:approach|"
    r"way|practice) is\b|let me know if)"
)
# How letters begin, and how they end.
_SALUTATION = r"^(?:dear|hi|hello|hey|hallo|bonjour|hola|liebe[rs]?|sehr geehrte\w*)\b[^.!?]{0,40}[,!]?\s*(?:\S.*)?$"
_CLOSING = (
    r"(?m)(?:^|[.!?]\s+)(?:best|best regards|kind regards|regards|cheers|sincerely|thanks|thank you|"
    r"yours(?: \w+)?|mit freundlichen grüßen|viele grüße|liebe grüße|gruß|cordialement|"
    r"saludos)\s*[,.]?\s*(?:$|[A-Z])"
)
# A last line that asks about what stands above it.
_ASKS = (
    r"^(?:(?:so|and|but|ok|hm+|please|pls|lol)[, ]+)*(?:(?:what|how|was|wie|que|qué)\b.{0,50}\b(?:think|"
    r"make of|mean|say|respond|reply|answer|going on|do about|meinst|davon|dazu|halten?|pense\w*|"
    r"opinas?)\b.{0,30}|(?:thoughts|opinions?|ideas|agree|comments|feedback)\b.{0,20}|(?:do|does|is|are|"
    r"should|can|could|would|will)\b.{0,20}\b(?:this|that|it|these|those|you agree|we do|i push|i answer|"
    r"i reply|fit|ok|true|right)\b.{0,40}|(?:can|could|would) you\b.{0,30}\b(?:summari[sz]e|draft|write|reply|"
    r"answer|explain|translate|implement|fix|check|review|improve)\b.{0,50}|(?:summari[sz]e|turn|make|fix|"
    r"implement|improve|translate|explain|rewrite|format|convert|fasse?|übersetze?|do|apply|adapt|check|"
    r"review)\b.{0,40}\b(?:this|that|it|those|these|them|minutes|a list|a doc|for me|the decision|zusammen|"
    r"das|comments?|prompt|above)\b.{0,30}|make (?:minutes|a (?:list|table|doc|summary))|what(?:'s|"
    r" is) (?:this|that|going on|wrong)\b.{0,30}|what licen[cs]e.{0,30}|why\b.{0,40}\?)[?.!]*\s*$"
)
# Words by which a person speaks of themselves.
_OWN = r"(?i)\b(?:i|i'm|i'd|my|me|we|we're|our|us|let's|please|ich|wir|mir|unser\w*|nous|notre|nuestr\w+)\b"
# How documents, reviews and answers of models are laid out.
_LAID = (
    r"(?m)^\s*(?:\d+[.)]\s+\*\*|[-*]\s+\*\*|\*\*[^*\n]+\*\*\s*$|#{1,6} |>|\||\[\d{1,2}:\d{2}|(?:[A-Z][\w'-]*|"
    r"[a-z]{2,12})(?: \d+)?\s*(?:\([^)\n]*\))?:\s+\S.*\n\s*(?:[A-Z][\w'-]*|"
    r"[a-z]{2,12})(?: \d+)?\s*(?:\([^)\n]*\))?:\s+\S)|^.{0,80}\n\s*\n.{160,}|\bMUST(?: NOT)?\b|\b(?:npm|yarn|"
    r"pip) ERR|^\s*//|^\s*You (?:are|should|must)\b|\b(?:whose|which|sincerely|regards)\b.*\n"
)
_FENCED = r"(?ms)^[ \t]*(```|~~~)[^\n]*\n.*?^[ \t]*\1[ \t]*$"
_BLOCK_TAG = r"(?is)<([a-z][\w:-]{1,60})(?:\s[^<>]{0,500})?>.*?</\1\s*>"
_OPEN_TAG = r"<(?:system|hook|user|command|local|environment|task|context|instructions?)[\w:-]*(?:\s[^<>]{0,500})?>"
_CLOSE_TAG = r"</[a-z][\w:-]{0,60}\s*>"
# A line that another person, a log or a program would begin like this; "note: …" and the like are the user's own.
_SPEAKER = (
    r"^\s*(?:[-*>#]+\s*)?(?:\*\*)?(?:\[?\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[ap]m)?\]?\s+)?@?(?:\*\*)"
    r"?(?!(?:note|notes|todo|fyi|remember|policy|lesson|decision|decisions|architecture|design|rule|rules|"
    r"goal|priority|blocker|correction|next|update|edit|ps|p\.s|assumption|convention|context|also|ok|yes|no|"
    r"important|warning|reminder|plan|agreed|decided|preference|hint|entscheidung|architektur|annahme|"
    r"priorität|décision|hypothèse|decisión|arquitectura|supuesto|base branch|docs|stack|top priority|"
    r"follow-up|remaining work|two things|one thing|one thing to know|"
    r"one more thing)\b)(?P<name>[A-Za-zÀ-ÿ][\w.' -]{0,24}?)(?:\*\*)?\s?(?:\([^)]{1,30}\)\s?)?(?:\*\*)?[:>]"
    r"\s+\S"
)
_ROLE = (
    r"^\s*[\[<(*#]*\s*(?:system|user|human|assistant|ai|developer|tool|admin|claude|codex|gemini|gpt|chatgpt|"
    r"copilot|bot)\s*[\])>*]*\s*[:>]"
)
_CLOCKED = r"^\s*\[?\(?\d{1,2}[:.]\d{2}"
_MAIL = r"^\s*(?:from|to|subject|date|cc|sent|reply-to|von|an|betreff|de|objet|asunto)\s*:\s"
_MAIL_INTRO = (
    r"^\s*(?:on .{5,60} wrote:|am .{5,60} schrieb|le .{5,60} a écrit|el .{5,60} escribió|-{3,}\s?(?:original|"
    r"forwarded))"
)
_ANNOUNCED = (
    r"(?:\b(?:says?|said|wrote|writes|reads|states?|told (?:me|us)|quote|quoting|pasted?|copied|"
    r"from the (?:docs?|readme|issue|ticket|wiki|spec|thread|chat|mail|email|slack)|here(?:'s| is|"
    r" are) (?:the|a|an|what|his|her|their|my colleague)(?! i\b)(?! we\b)|see the (?:thread|mail|issue|ticket|"
    r"log|chat)|sagt|schreibt|dit|écrit|dice|escribe|message|thread|transcript|answer from|feedback|review|"
    r"comment)\b[^.!?\n]{0,60}|(?:says|said|wrote|reads))[:：]\s*$"
)
# Somebody else's words in one sentence.
_REPORT = (
    r"\b(?:readme|docs?|documentation|wiki|issue|ticket|comment|mail|email|slack|message|file|log|output|"
    r"article|post|policy|spec|page|memory|note|agents\.md|claude\.md|boss|he|she|they|colleague|customer|"
    r"reviewer|bot|assistant|tool|website|injection|prompt|header|banner|sign|linter|doku|kollege|chef|"
    r"documentation|collègue|documentación|jefe)\b[^.!?:\n]{0,40}\b(?:says?|said|reads?|states?|wrote|writes?|"
    r"tells?|told|contains?|claims?|sagt|sagte|schreibt|meint|dit|écrit|dice|dijo)\b[^.!?:\n]{0,20}[:：,]"
)
# What is quoted at length is somebody's text, not a name; it may hold whole sentences.
_QUOTED = r"“[^”\n]*”|\"[^\"\n]*\"|«[^»\n]*»|„[^“\n]*“|`[^`\n]*`|「[^」\n]*」"
_SENSITIVE = {
    "hidden": _HIDDEN,
    "joined": _JOINED,
    "command": _COMMAND,
    "heading": _HEADING,
    "document": _DOCUMENT,
    "own": _OWN,
    "laid": _LAID,
    "fenced": _FENCED,
    "block tag": _BLOCK_TAG,
    "clocked": _CLOCKED,
    "quoted": _QUOTED,
}
_ANY_CASE = {
    "chat": _CHAT,
    "handed": _HANDED,
    "mine": _MINE,
    "about": _ABOUT,
    "source": _SOURCE,
    "assistant": _ASSISTANT,
    "salutation": _SALUTATION,
    "closing": _CLOSING,
    "asks": _ASKS,
    "open tag": _OPEN_TAG,
    "close tag": _CLOSE_TAG,
    "speaker": _SPEAKER,
    "role": _ROLE,
    "mail": _MAIL,
    "mail intro": _MAIL_INTRO,
    "announced": _ANNOUNCED,
    "report": _REPORT,
}


@cache
def paste_pattern(name: str) -> re.Pattern[str]:
    """A pattern by its name: most messages need few of them."""
    if name in _SENSITIVE:
        return re.compile(_SENSITIVE[name])
    return re.compile(_ANY_CASE[name], re.IGNORECASE)
