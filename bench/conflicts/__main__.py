"""Precision and recall of the conflict gate: python -m bench.conflicts [--data PATH] [--embedder NAME] [--faults].

`tune` is what the rules were made on; `held` was written before them and is not tuned on. What is learned from records
is measured on repositories that it has not seen by `python -m bench.conflicts.learn`.
"""

import argparse
from collections.abc import Callable, Sequence

from bench.conflicts.labels import SETS, load, load_speech
from bench.conflicts.records import FIRST, GATED, NOW, AcceptedPair, Outcome, find_accepted_pairs, outcomes
from bench.conflicts.score import Score, score
from bench.table import Row, table
from holdfast.conflicts.conflict_rules import Nearness
from holdfast.conflicts.read_memory import texts_for_nearness
from holdfast.conflicts.relate import relate, unknown_nearness
from holdfast.core.embedder import Embedder, Missing
from holdfast.core.memory import Memory
from holdfast.core.relation import Kind
from holdfast.embed.open_embedder import open_embedder

HEAD = ("set", "relation", "precision", "recall", "wanted", "found")
SPEECH_HEAD = ("set", "pairs", "flagged by rules alone", "flagged")
RECORD_HEAD = ("decision records", "figure")
NearFor = Callable[[Sequence[Memory]], Nearness]


def rows(name: str, counts: Score) -> list[Row]:
    """Precision and recall per relation."""
    found = [
        (name, str(kind), f"{counts.precision(kind):.2f}", f"{counts.recall(kind):.2f}", str(counts.wanted[kind]),
         str(counts.found[kind]))
        for kind in Kind
    ]  # fmt: skip
    return [*found, (name, "all", f"{counts.accuracy:.2f}", f"{counts.accuracy:.2f}", str(counts.wanted.total()), "")]


def record_rows(found: Sequence[Outcome]) -> list[Row]:
    """How often the superseded record is proposed, and what else is called so."""
    searches = {(each.repository, each.new): each for each in found}.values()
    others = [relation for each in searches for relation in each.proposed if relation.old not in each.olds]
    right = sum(relation.kind in GATED for each in searches for relation in each.proposed if relation.old in each.olds)
    wrong = sum(relation.kind in GATED for relation in others)
    return [
        ("pairs", str(len(found))),
        ("the old one among the neighbours", _share(sum(each.near for each in found), len(found))),
        (f"the old one among the first {FIRST} proposed", _share(sum(0 < e.place <= FIRST for e in found), len(found))),
        ("the old one first", _share(sum(each.place == 1 for each in found), len(found))),
        ("the old one called contradicts or supersedes", _share(sum(e.kind in GATED for e in found), len(found))),
        ("of what is called so, superseded", _share(right, right + wrong)),
        ("of the other neighbours, called so", _share(wrong, len(others))),
    ]


def speech_rows(near_for: NearFor) -> list[Row]:
    """How many reversals of people's speech are flagged, and how many pairs that only look alike; what would block."""
    found: list[Row] = []
    for name in SETS:
        pairs = load_speech(name)
        near = near_for([memory for pair in pairs for memory in (pair.new, pair.old)])
        for title, wanted in (("reversals", True), ("alike", False)):
            kinds = [relate(each.new, each.old, near, now=NOW).kind for each in pairs if each.reversal is wanted]
            flagged = sum(kind in GATED for kind in kinds)
            blunt = sum(
                relate(each.new, each.old, near, now=NOW, learned=False).kind in GATED
                for each in pairs if each.reversal is wanted
            )  # fmt: skip
            found.append((name, title, _share(blunt, len(kinds)), _share(flagged, len(kinds))))
    return found


def accepted_rows(found: Sequence[AcceptedPair], many: int) -> list[Row]:
    """Of records that are all accepted: pairs that are told as conflicts and are none on record."""
    told = [each for each in found if not each.known]
    return [
        ("records accepted", str(many)),
        ("pairs called contradicts that no record says", str(sum(each.kind is Kind.CONTRADICTS for each in told))),
        ("pairs called supersedes that no record says", str(sum(each.kind is Kind.SUPERSEDES for each in told))),
        ("pairs called so that a record says", str(len(found) - len(told))),
    ]


def _share(part: int, whole: int) -> str:
    return f"{part / max(1, whole):.3f} ({part} of {whole})"


def nearness(name: str) -> NearFor:
    """Nearness by an embedder, or by nobody."""
    found = open_embedder({"embedder": name}, "", {})
    if isinstance(found, Missing):
        return lambda _: unknown_nearness
    return lambda memories: _near(found, memories)


def _near(embedder: Embedder, memories: Sequence[Memory]) -> Nearness:
    said = list(dict.fromkeys(text for memory in memories for text in texts_for_nearness(memory) if text.strip()))
    vectors = dict(zip(said, embedder.embed(said), strict=True))
    return lambda one, other: float(vectors[one] @ vectors[other]) if one in vectors and other in vectors else None


def main(arguments: list[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.conflicts", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", default="", metavar="PATH", help="decision records with superseded.json")
    parser.add_argument("--embedder", default="none", metavar="NAME", help="none (default), static, granite, …")
    parser.add_argument("--faults", action="store_true", help="name what is wrong (of `tune` only, unless --set held)")
    parser.add_argument("--set", choices=SETS, help="only this set")
    args = parser.parse_args(arguments)
    near_for = nearness(args.embedder)
    found: list[Row] = []
    faults: list[str] = []
    for name in [args.set] if args.set else SETS:
        pairs = load(name)
        counts = score(pairs, near_for([memory for pair in pairs for memory in (pair.new, pair.old)]))
        found += rows(name, counts)
        faults += counts.faults if name == "tune" or args.set else []
    print(table(f"Relations (embedder: {args.embedder})", HEAD, found), flush=True)
    print(table("People's speech", SPEECH_HEAD, speech_rows(near_for)), flush=True)
    if args.faults:
        print("\n".join(faults), flush=True)
    if args.data:
        print(table("Superseded records", RECORD_HEAD, record_rows(outcomes(args.data, near_for))), flush=True)
        accepted, many = find_accepted_pairs(args.data)
        print(table("All records accepted", RECORD_HEAD, accepted_rows(accepted, many)), flush=True)


if __name__ == "__main__":
    main()
