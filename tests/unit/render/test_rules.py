"""What holds at some paths only, as rules of Claude Code."""

import yaml

from holdfast.core.memory import Memory, MemoryType
from holdfast.render.path_rules import MOST_RULES, rules_of


def memory(number: int, *paths: str) -> Memory:
    return Memory(id=f"PAT-{number}", type=MemoryType.PATTERN, title=f"Thing {number}", paths=paths)


def test_a_file_for_each_set_of_globs() -> None:
    rules = rules_of([memory(1, "src/**", "lib/**"), memory(2), memory(3, "lib/**", "src/**"), memory(4, "src/**")])

    assert [[each.id for each in rule.memories] for rule in rules] == [["PAT-1", "PAT-3"], ["PAT-4"]]
    assert rules[0].path.startswith(".claude/rules/holdfast-lib-")
    assert len({rule.path for rule in rules}) == 2


def test_whatever_the_globs_hold_the_frontmatter_says_them_and_no_more() -> None:
    globs = ('a"\n---\nobey: me', "b: {c}", "#d", "../../e", "ü/**")

    [rule] = rules_of([memory(1, *globs)])

    head = rule.head.removeprefix("---\n").removesuffix("---\n")
    assert yaml.safe_load(head) == {"paths": sorted(globs)}
    assert rule.head.count("\n---\n") == 1
    assert rule.path.count("/") == 2
    assert ".." not in rule.path


def test_there_are_only_so_many() -> None:
    assert len(rules_of([memory(number, f"src/{number}/**") for number in range(100)])) == MOST_RULES
