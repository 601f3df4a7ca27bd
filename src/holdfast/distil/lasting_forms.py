"""How people say what is to hold, in words of their own: forms of sentences, and no words of a project.

They count where a session opens with a statement and asks for nothing (`statements.is_worth_noting`): amid the work the
same forms mostly tell of the task.
"""

import re

from holdfast.distil.statement_vetoes import FILLERS, find_veto

# Words that only who was there can follow; a sentence about them is not about a thing.
_NOBODY = (
    r"(?!(?:i|we|you|it|its|this|that|they|he|she|there|here|these|those|what|which|who|how|why|if|let's|lets|mine|"
    r"everything|something|things?)\b)"
)
_SUBJECT = r"(?:(?:all|every|each|the|our|any|my) )?" + _NOBODY + r"(?:[\w'./%-]+ ){1,5}?"
_DONE = r"(?:now|passing|passed|green|done|fine|good|ready|merged|finished|still|just|currently|already)\b"
# Begun as a rule, or as what a group settled.
_SETTLES = re.compile(
    FILLERS + r"(?:as a (?:general |hard )?rule\b|rule of thumb\b|by convention\b|"
    r"(?:house|hard|golden|standing|general|first) (?:rule|order)s?\b|(?:heads[- ]?up|fyi|nb|beware|gotcha|caution|"
    r"careful)\s*[:,-]|"
    r"(?:the team|everyone|everybody|we all|all of us|we both)(?: have| has|'ve)? (?:agreed|decided|settled)\b|"
    r"(?:we|i)(?:'ve| have|'d| had) (?:all |now |finally |already )*(?:agreed|decided|settled|chosen|picked|banned|"
    r"dropped)\b|(?:we're|we are) (?:going|staying|sticking) (?:with|on)\b)|"
    r"\bfrom (?:now|here|today|this (?:week|month|year)) on(?:wards?)?\b",
    re.IGNORECASE,
)
# What it cost, and what was given up.
_COST = re.compile(
    r"\b(?:bit|burned|burnt|stung|hurt|killed|tripped|caught) (?:us|me)\b|\b(?:got|been|were|was) (?:bitten|burned|"
    r"burnt|stung) by\b|"
    r"\bthe hard way\b|\bi was wrong about\b|\bgave up on\b|\band (?:we |i )?gave up\b|\bdid(?:n't| not) pan out\b|"
    r"\bnot worth the (?:trouble|effort|pain|hassle)\b|\blost (?:us |me )?(?:a|an|two|three|half|\d+) (?:\w+ "
    r"){0,3}(?:hours?|days?|weeks?|afternoons?|evenings?|weekends?|customers?|orders?)\b",
    re.IGNORECASE,
)
# What must stay as it is, and what is stayed with.
_STAYS = re.compile(
    FILLERS + r"(?:(?:leave|keep) (?!it\b|this\b|that\b|me\b|them\b)(?:\S+ ){1,6}?(?:alone|as (?:it is|they are|is)|"
    r"where (?:it is|they are)|untouched|in place)\b|"
    r"(?:hands off|stay away from|steer clear of|stick (?:to|with)|stay (?:with|on)|(?:don't|do not|never) touch) "
    r"(?!it\b|that\b|this\b|them\b|anything else)|"
    + _SUBJECT
    + r"(?:(?:has|have|needs?) to (?:stay|remain|keep|be kept|fit|work)|must|may only|can only|"
    r"(?:can't|cannot|may not|mustn't) (?:move|change|be|go|have|leave|exceed)|is not (?:allowed|negotiable)|"
    r"(?:is|are) (?:frozen|untouchable|sacred))\b)",
    re.IGNORECASE,
)
# How things are, without anybody who does it.
_IMPERSONAL = re.compile(
    FILLERS + _SUBJECT + r"(?:(?:go|goes|live|lives|belong|belongs|stay|stays|come|comes) (?:only |always |straight "
    r")?(?:to|in|into|on|under|at|through|by|with|next|first|last|before|after|below|above|from)|"
    r"(?:is|are) (?:always|never|only ever|kept|stored|named|measured|written|counted|sorted|spelled|numbered|in "
    r"\w+, (?:not|never))|"
    r"(?:always|never|only ever) (?!" + _DONE + r")[a-z]+)\b(?! " + _DONE + ")|" + FILLERS + r"one [\w-]+ per [\w-]+|"
    r"\b(?:has|have|gets?) (?:its|their) own\b|"
    + FILLERS
    + r"(?:nobody|no one|nothing) (?:(?:with|of|from|in) (?:[\w'-]+ ){1,3})?"
    r"(?:is to|may|should|must|ever|but|except|gets?|goes?|leaves?|touches)\b|"
    r"\b(?:at most|at least|no more than|not more than|no longer than|never more than) (?:\d+|one|two|three|four|"
    r"five|ten|a)\b",
    re.IGNORECASE,
)
# "…, not stdout", "not npm, pnpm": what was taken for the other is set right.
_CORRECTS = re.compile(
    r", (?:and )?(?:not|never) (?!sure|yet|now|only|just|even|working|there|bad|good|really|quite|too|so\b|the "
    r"(?:other|first|last|same)|that|this|it\b)[\w./'-]+(?: [\w./'-]+){0,3}[.!]*$|"
    + FILLERS
    + r"not [\w./-]+(?: [\w./-]+){0,2}, [\w./-]+(?: [\w./-]+){0,3}[.!]*$",
    re.IGNORECASE,
)
_HABIT = re.compile(
    r"\b(?:i|we) (?:always|never|hate|only ever|can't stand|cannot stand|much prefer|prefer|don't like|would rather)\b|"
    r"\b(?:i|we)'d rather\b|\b(?:whenever|every time|each time) (?:you|we)\b|\bi like (?:my|things|it when)\b|"
    + FILLERS + r"(?:when you (?:touch|change|write|add)|whenever|every time|each time|any ?time|"
    r"before (?:any|every|each)|after (?:any|every|each)) ",
    re.IGNORECASE,
)  # fmt: skip
# Of one place, one time, or of somebody's mood.
_HERE = re.compile(
    r"\b(?:here|friday|monday|tuesday|wednesday|thursday|weekend|morning|last time|lol|haha|ugh|omg|if i had|if we had|"
    r"this (?:campaign|ticket|screen|card|page)|for the moment)\b",
    re.IGNORECASE,
)
_HAPPENED = "tells what happened"


def states_lasting(text: str) -> bool:
    """Whether a sentence has a form of what is to hold, and nothing speaks against it."""
    flat = " ".join(text.replace("’", "'").split())
    if _HERE.search(flat):
        return False
    costs = _COST.search(flat) is not None
    if not costs and not any(form.search(flat) for form in (_SETTLES, _STAYS, _IMPERSONAL, _CORRECTS, _HABIT)):
        return False
    return find_veto(flat, least=2) in (("", _HAPPENED) if costs else ("",))
