"""What a learning is about: the tools and the set-up (system), or how the task was done (algorithm)."""

import re

SYSTEM, ALGORITHM = "system", "algorithm"
LONGEST = 4000

# Each find counts by its weight: words that also occur in plain talk of code weigh less than those that do not.
_TOOLING = {
    3: r"hook (?:crash\w*|fail\w*|timed? ?out|did not|didn't|never)"
    r"|config(?:uration)? (?:error|file|was|is)|deploy\w* (?:fail\w*|broke|error)|permission denied"
    r"|command not found|no such (?:file or directory|module|command)|module ?not ?found\w*"
    "|not installed|connection (?:refused|reset|timed? ?out)|name resolution|out of (?:memory|disk)"
    r"|no space left|disk (?:is )?full|rate limit\w*|environment variable|wrong (?:python|node) version"
    "|version (?:conflict|mismatch)|certificate|proxy|sandbox|credentials?",
    2: r"docker\w*|container|kubernetes|ci (?:job|pipeline|run|fail\w*)|pipeline|virtualenv|venv"
    "|node_modules|lock ?file|npm|pnpm|pip|uv|poetry|install(?:ed|ation|ing)?|deploy(?:ed|ment|ing)?"
    r"|config(?:ure|ured|uration|s)?|hooks?|plugin|mcp|network|firewall|port \d+|timeouts?|timed out"
    r"|env(?:ironment)?|permissions?|shell|path variable|\$path|tool(?:ing|chain)?"
    r"|server (?:down|start|crash)\w*|crash(?:ed|es)?|token expired",
    1: "tools?|server|token|path|setup|set-up|machine|terminal|version",
}
_APPROACH = {
    3: r"wrong approach|over-?engineer\w*|missed the point|misunderst\w+|misread"
    "|not what i (?:asked|wanted|meant)|ignored (?:the|my|what)|you ignored"
    "|too (?:complicated|complex|much code)|without (?:asking|reading|testing|checking)"
    "|did(?:n't| not) (?:ask|read|test|check|verify|listen|follow)"
    r"|should have (?:asked|read|tested|checked|used)|assum(?:ed|ing|ption) \w+|jumped to"
    "|half (?:done|finished)|forgot (?:to|the)|scope creep",
    2: r"approach|algorithm|requirements?|edge cases?|refactor\w*|abstraction|design|duplicat\w+"
    r"|test(?:s|ed|ing)? (?:first|missing|fail\w*)|off by one|logic"
    r"|wrong (?:file|function|answer|result|place)|regress\w*|too (?:slow|long|short|many)"
    r"|simpl(?:er|ify|est)|hallucinat\w+|invented",
    1: "code|function|bug|fix(?:ed)?|tests?|edit(?:ed)?|answer|rewrite|naming",
}


def category_of(text: str) -> str:
    """`system` or `algorithm`, by the words of a learning; the approach wins a tie."""
    low = " ".join(text[:LONGEST].lower().replace("’", "'").split())
    return SYSTEM if _weight(low, _TOOLING) > _weight(low, _APPROACH) else ALGORITHM


def _weight(text: str, table: dict[int, str]) -> int:
    """How much of a text speaks of a kind; what a heavier word covers is not counted again."""
    total = 0
    for weight, words in table.items():
        text, found = re.subn(rf"(?<![\w-])(?:{words})(?![\w-])", " ", text)
        total += weight * found
    return total
