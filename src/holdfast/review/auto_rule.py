"""What a rule of the user's may look at in a candidate, and which candidates no rule can wave through."""

from collections.abc import Sequence

from holdfast.core.memory import PROPOSED_BY, Memory, MemoryType, SaidBy, Status
from holdfast.core.relation import Kind
from holdfast.review.expression import CandidateRule, Facts

KEY = "auto_accept"
NAMES = (
    "type", "said_by", "confidence", "conflicts", "duplicates", "tags", "paths", "category", "title", "source",
    "evidence", "attempts",
)  # fmt: skip


def read_rule(text: str) -> CandidateRule:
    """A rule for candidates. Raises BadRule, also for one that compares a number with words."""
    rule = CandidateRule(text, NAMES)
    rule.fits(collect_facts(Memory(id="CAND-000000", type=MemoryType.LEARNING), ()))
    return rule


def may_qualify(candidate: Memory) -> bool:
    """What an agent or a tool said may be a web page's words, and what to quote an agent chose: no rule accepts it."""
    own = candidate.said_by is SaidBy.USER and PROPOSED_BY not in candidate.extra
    return own and candidate.status is Status.CANDIDATE


def collect_facts(candidate: Memory, kinds: Sequence[Kind]) -> Facts:
    """A candidate as a rule sees it, with what it is to the memories near it."""
    return {
        "type": str(candidate.type), "said_by": str(candidate.said_by), "title": candidate.title,
        "category": candidate.category, "source": candidate.source, "tags": candidate.tags, "paths": candidate.paths,
        "confidence": 1.0 if candidate.confidence is None else float(candidate.confidence),
        "conflicts": float(kinds.count(Kind.CONTRADICTS) + kinds.count(Kind.SUPERSEDES)),
        "duplicates": float(kinds.count(Kind.DUPLICATES)),
        "evidence": float(len(candidate.evidence)), "attempts": float(candidate.attempts or 0),
    }  # fmt: skip
