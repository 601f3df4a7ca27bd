"""A session told: its summary, its briefing, which files changed for which prompt, and what each step taught."""

import re
from collections import Counter
from collections.abc import Iterator

from holdfast.core.conversation import Conversation, Turn, TurnKind
from holdfast.core.distilled import Briefing, FileChange, Learned, Lineage, Observation, Progress, Summary
from holdfast.core.memory import Memory, MemoryType
from holdfast.core.word_lists import word_set
from holdfast.distil.episodes import Episode, is_order
from holdfast.distil.failure_signature import normalize_message
from holdfast.distil.make_candidate import cut_at_clause, make_title
from holdfast.distil.offers import says_yes
from holdfast.distil.statement_vetoes import find_veto, names_subject
from holdfast.distil.tool_failures import last_passed_check
from holdfast.records.answer_ratings import find_rating
from holdfast.records.tool_steps import ToolStep, is_web_tool
from holdfast.records.work_unit import error_line, first_sentence, one_line, quote_output

MOST_LINES = 12
MOST_HOT = 10
MOST_SKILLS = 8
MOST_HAZARDS = 8
MOST_OBSERVED = 200
LONGEST = 200
_GOOD = 7
_SHORT = 50
_LANGUAGES = {
    "py": "python", "ts": "typescript", "tsx": "typescript", "js": "javascript", "jsx": "javascript", "go": "go",
    "rs": "rust", "rb": "ruby", "java": "java", "kt": "kotlin", "swift": "swift", "c": "c", "h": "c", "cpp": "c++",
    "cs": "c#", "php": "php", "sh": "shell", "sql": "sql", "svelte": "svelte", "vue": "vue", "css": "css",
    "html": "html", "tf": "terraform", "proto": "protobuf", "md": "documentation", "yml": "yaml", "yaml": "yaml",
}  # fmt: skip
_TOOLS = word_set(
    "pytest npm pnpm yarn cargo go make docker kubectl terraform ruff mypy tsc jest vitest playwright alembic psql "
    "git uv poetry gradle mvn eslint"
)
_PATHS = ("file_path", "filePath", "path", "absolute_path")
_SEARCHES = ("grep", "glob", "search", "find", "codebase_search")
_CREATES = word_set("write create_file write_file create")
_POLITE = re.compile(
    r"^(?:(?:hi|hey|ok(?:ay)?|so|now|please)[ ,.!]+)*(?:(?:can|could|would) you (?:please )?|please |"
    r"i(?:'d| would) like you to |i (?:want|need) you to )",
    re.IGNORECASE,
)
_NO_MISSION = frozenset({
    "only imagined", "a question", "pasted", "does not say what it is about", "names an option of a list",
    "tells what happened", "reports a fault",
})  # fmt: skip
_A_PATH = re.compile(r"[^\s|()*?;$\"'<>]+")
_LIST_OF_NUMBERS = re.compile(r"(?:[A-Z]*#?\d+(?: ?- ?\d+)?,? (?:and )?){2,}|#\d+$")
_GONE = re.compile(
    r"\b(?:unblocked|no longer blocked|got (?:the )?(?:access|approval|keys?|credentials)|blocker is (?:gone|"
    r"resolved))\b",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"^(?:next(?: steps?)?|todo|remaining|still (?:open|to do)|follow-ups?|nächste schritte|prochaines étapes|"
    r"siguientes? pasos?)\b[^:\n]{0,30}:\s*(?P<rest>(?!https?:).*)$",
    re.IGNORECASE,
)
# What a user puts off for later, of all that they say is next: the rest is done in the same breath.
_PUT_OFF = word_set("en.tomorrow en.todo de.morgen fr.demain es.manana")
# A run that ended because it was refused, cut short, or never began: it says nothing of the code.
_NO_VERDICT = re.compile(
    r"The user doesn't want to|Cancelled|Sibling tool call|command not found|[Ii]nterrupted|No such file or directory|"
    r"--- PASS"
)
_STILL_FAILS = re.compile(r"\b(?:fails?|failing|failed|failures?|red|broken)\b", re.IGNORECASE)
_NOT_OURS = re.compile(r"\b(?:pre-?existing|unrelated|expected to fail)\b", re.IGNORECASE)
_SETTLES = re.compile(r"\bgit (?:commit|push|revert|reset|checkout|stash)\b")
_MOST_BACK = 2
_DONE = re.compile(
    r"\b(?:done|added|fixed|implemented|updated|removed|renamed|moved|created|refactored|replaced|now|passes?|pass|"
    r"works|wrote|migrated|switched|changed|erledigt|ajouté|añadido)\b",
    re.IGNORECASE,
)
_REMOVES = re.compile(r"(?:^|&&|;|\n)\s*(?:git )?(?P<verb>rm|mv)\s+(?P<rest>[^;&|\n]+)")
_SHELL_MARKS = frozenset("*?$`'\"(){}[]<>\\")


def summarize(episodes: list[Episode], candidates: tuple[Memory, ...]) -> Summary:
    """What was asked, looked at, learned and done, and what is next."""
    requests = _requests(episodes)
    return Summary(
        title=_find_title(requests),
        request=tuple(requests[:MOST_LINES]),
        investigated=tuple(_find_investigated(episodes)),
        learned=tuple(
            f"{memory.title} ({memory.type}, said by {memory.said_by})" for memory in candidates[:MOST_LINES]
        ),
        completed=tuple(_find_completed(episodes))[:MOST_LINES],
        next=tuple(_find_next_steps(episodes))[:MOST_LINES],
        files=tuple(_files(episodes)),
    )


def write_briefing(episodes: list[Episode], candidates: tuple[Memory, ...], told: Summary) -> Briefing:
    """What the next session must know."""
    hot = _hot_files(episodes)
    hazards = [*_blockers(episodes), *_failing_checks(episodes)]
    hazards += [
        f"{memory.title} (failed {memory.attempts or 1}×)" for memory in candidates if memory.type is MemoryType.FAILURE
    ]
    return Briefing(
        mission=told.title,
        status=_status(episodes),
        progress=told.completed[-1] if told.completed else _last_request(episodes),
        hazards=tuple(dict.fromkeys(hazards))[:MOST_HAZARDS],
        hot_files=hot,
        next_action=_next_action(episodes, told),
        predicted_skills=_skills(hot, episodes),
    )


def find_lineage(conversation: Conversation, episodes: list[Episode]) -> tuple[Lineage, ...]:
    """Which file was changed by which step, for which prompt."""
    models = {turn.id: turn for turn in conversation.turns if turn.kind is TurnKind.TOOL}
    rows: list[Lineage] = []
    known: set[str] = set()
    for episode in episodes:
        wish = one_line(episode.wish, 160)
        for step in episode.steps:
            if step.failed:
                continue
            turn = models.get(step.event)
            gone = dict(_removed_files(step))
            for path in dict.fromkeys((*step.files, *gone)):
                what = gone.get(path) or _change_kind(path, step, known)
                rows.append(_row(path, what, step, turn, episode, wish))
                known.add(path)
    return tuple(rows)


def find_observations(episodes: list[Episode]) -> tuple[Observation, ...]:
    """One line per step that taught something; of failures that differ in numbers only, the first."""
    found: dict[str, Observation] = {}
    touched: set[str] = set()
    for episode in episodes:
        for step in episode.steps:
            text = _lesson_of(step, touched)
            touched.update(step.files)
            if text:
                found.setdefault(
                    normalize_message(text) if step.failed else text,
                    Observation(
                        event=step.event,
                        at=step.at,
                        kind=_kind(step),
                        text=one_line(text, LONGEST),
                        paths=step.files[:5],
                    ),
                )
    return tuple(found.values())[:MOST_OBSERVED]


def list_learnings(candidates: tuple[Memory, ...]) -> tuple[Learned, ...]:
    """The learnings and failures of a session as records, sorted system or algorithm."""
    return tuple(
        Learned(
            category=memory.category if memory.category in ("system", "algorithm") else "algorithm",
            text=memory.fact
            or f"{memory.title}"
            + (f": {memory.root_cause}" if memory.root_cause and memory.root_cause not in memory.title else ""),
            event=memory.evidence[0].event,
            at=memory.valid_from,
        )
        for memory in candidates
        if memory.type in (MemoryType.LEARNING, MemoryType.FAILURE) and memory.category != "overview"
    )


def write_log_line(
    conversation: Conversation, episodes: list[Episode], told: Summary, candidates: tuple[Memory, ...]
) -> str:
    """The day's line for a session; nothing for one in which nothing was asked."""
    if not told.title:
        return ""
    checks = [step for episode in episodes for step in episode.steps if step.check]
    failed = sum(step.failed for step in checks)
    counts = [
        _count(len(told.files), "file"),
        f"{_count(len(checks) - failed, 'check')} passed" if len(checks) > failed else "",
        f"{failed} failed" if failed else "",
    ]
    done = ", ".join(filter(None, counts)) or "nothing changed"
    waiting = f"; {_count(len(candidates), 'candidate')}" if candidates else ""
    return f"session: {told.title} ({conversation.client}): {done}{waiting}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}" if number else ""


def _requests(episodes: list[Episode]) -> list[str]:
    """The user's orders: the first sentence of each prompt of some substance."""
    found = []
    for episode in episodes:
        line = one_line(episode.wish, 160)
        short = len(line) < _SHORT
        if len(line.split()) > 2 and not (short and (says_yes(line) or find_rating(line) is not None)):
            found.append(make_title(line))
    return list(dict.fromkeys(found))


def _find_title(requests: list[str]) -> str:
    """The first order that says what it is about, as a title; what is only imagined or asked is no mission."""
    orders = [_POLITE.sub("", request).rstrip("? ") if _POLITE.match(request) else request for request in requests]
    told = next(filter(_is_mission, orders), "")
    return cut_at_clause(make_title(told), 90).rstrip(" .!,;:?")


def _is_mission(order: str) -> bool:
    numbered = _LIST_OF_NUMBERS.search(order)
    return not numbered and names_subject(order) and find_veto(order, least=1) not in _NO_MISSION


def _find_investigated(episodes: list[Episode]) -> Iterator[str]:
    read: Counter[str] = Counter()
    searched = looked_up = 0
    for episode in episodes:
        for turn in episode.tools:
            name = turn.tool.lower()
            if name.startswith(("read", "view")):
                path = next((turn.input[key] for key in _PATHS if isinstance(turn.input.get(key), str)), "")
                read.update([path.rpartition("/")[2]] if path else [])
            elif name.startswith(_SEARCHES):
                searched += 1
            elif "web" in name or "fetch" in name or "browser" in name:
                looked_up += is_web_tool(turn.tool)
    if read:
        names = ", ".join(name for name, _ in read.most_common(6))
        yield f"read {_count(len(read), 'file')}: {names}"
    if searched:
        yield f"searched the code {_count(searched, 'time')}"
    if looked_up:
        yield f"looked up {_count(looked_up, 'page')} on the web"


def _find_completed(episodes: list[Episode]) -> Iterator[str]:
    """What the last answer of an episode says was done, when its last check did not fail."""
    for episode in episodes:
        checks = [step for step in episode.steps if step.check]
        changed = any(step.files and not step.failed for step in episode.steps)
        if not (changed or checks) or not episode.answers or (checks and checks[-1].failed):
            continue
        line = one_line(first_sentence(episode.answers[-1].text), 200)
        if line and _DONE.search(line):
            yield line
        elif changed and episode.sentences:
            yield one_line(episode.wish, 200)


def _find_next_steps(episodes: list[Episode]) -> Iterator[str]:
    last = episodes[-1] if episodes else None
    untouched = last is not None and not last.steps and not last.answers
    for one in last.sentences if last else ():
        said = {trigger.pattern for trigger in one.triggers if trigger.kind == "next_step"}
        if said & _PUT_OFF or (said and untouched):
            yield one_line(one.text, 160)
    if episodes and episodes[-1].answers:
        yield from _listed_next_steps(episodes[-1].answers[-1].text)
    yield from (f"fix: {line}" for line in _failing_checks(episodes))


def _listed_next_steps(answer: str) -> Iterator[str]:
    """The items under "Next steps:" at the end of an answer."""
    lines = [line.strip(" #*") for line in answer[-2000:].splitlines()]
    for at, line in enumerate(lines):
        found = _NEXT.match(line)
        if not found:
            continue
        if found["rest"].strip():
            yield one_line(found["rest"], 160)
        for item in lines[at + 1 : at + 6]:
            bare = item.lstrip("-•0123456789.) ")
            if not bare or bare == item:
                break
            yield one_line(bare, 160)
        return


def _files(episodes: list[Episode]) -> Iterator[FileChange]:
    why: dict[str, str] = {}
    for episode in episodes:
        wish = one_line(episode.wish, 120)
        for step in episode.steps:
            for path in step.files if not step.failed else ():
                why[path] = why.get(path) or wish
    yield from (FileChange(path=path, why=wish) for path, wish in list(why.items())[:100])


def _hot_files(episodes: list[Episode]) -> tuple[str, ...]:
    counts: Counter[str] = Counter()
    last: dict[str, int] = {}
    number = 0
    for episode in episodes:
        for step in episode.steps:
            for path in filter(_A_PATH.fullmatch, step.files if not step.failed else ()):
                number += 1
                counts[path] += 1
                last[path] = number
    return tuple(sorted(counts, key=lambda path: (-counts[path], -last[path])))[:MOST_HOT]


def _blockers(episodes: list[Episode]) -> list[str]:
    """What the user said at the end that the work waits for."""
    found: list[str] = []
    for episode in episodes[-_MOST_BACK:]:
        for one in episode.sentences:
            if _GONE.search(one.text):
                found = []
            elif any(trigger.kind == "blocker" for trigger in one.triggers):
                found.append(one_line(one.text, 160))
    return found


def _failing_checks(episodes: list[Episode]) -> list[str]:
    """Checks that fail as the session ends: the last run of their kind failed, and nothing was changed after it."""
    last: dict[str, ToolStep] = {}
    for step in (step for episode in episodes for step in episode.steps):
        if step.check:
            last[step.check] = step
        if (step.files and not step.failed) or _SETTLES.search(step.command):
            last = {}
    failed = [step for step in last.values() if step.failed and not _NO_VERDICT.search(step.output)]
    answer = next((turn for episode in reversed(episodes) for turn in reversed(episode.answers)), None)
    if answer is not None and (_NOT_OURS.search(answer.text) or not _STILL_FAILS.search(answer.text)):
        # The agent spoke after it, of something else.
        failed = [step for step in failed if step.at > answer.ts]
    return [one_line(f"`{one_line(step.command, 80)}` fails{_printed(step)}", LONGEST) for step in failed]


def _printed(step: ToolStep) -> str:
    said = quote_output(step.output)
    return f"; {said}" if said else ""


def _status(episodes: list[Episode]) -> Progress:
    if _blockers(episodes):
        return Progress.BLOCKED
    changed = [episode for episode in episodes if any(step.files and not step.failed for step in episode.steps)]
    if not any(episode.steps or episode.answers for episode in episodes):
        return Progress.NOT_STARTED
    last = episodes[-1]
    liked = find_rating(last.prompt.text) if last.prompt and not last.steps else None
    if liked is not None and liked.rating >= _GOOD and changed:
        return Progress.COMPLETE
    if changed and changed[-1] is last and last_passed_check(last) is not None:
        return Progress.COMPLETE
    return Progress.IN_PROGRESS


def _last_request(episodes: list[Episode]) -> str:
    requests = _requests(episodes)
    return f"asked: {requests[-1]}" if requests else ""


def _next_action(episodes: list[Episode], told: Summary) -> str:
    if told.next:
        return told.next[-1] if told.next[-1].startswith("fix: ") else told.next[0]
    asked = [
        one.text
        for episode in episodes[-1:]
        if not episode.answers and not episode.steps
        for one in episode.sentences
        if is_order(one.text)
    ]
    return one_line(asked[0], 160) if asked else ""


def _skills(hot: tuple[str, ...], episodes: list[Episode]) -> tuple[str, ...]:
    found = [_LANGUAGES[end] for path in hot if (end := path.rpartition(".")[2].lower()) in _LANGUAGES]
    ran = Counter(word for episode in episodes for step in episode.steps for word in set(step.command.split()) & _TOOLS)
    return tuple(dict.fromkeys([*found, *(name for name, _ in ran.most_common())]))[:MOST_SKILLS]


def _row(path: str, what: str, step: ToolStep, turn: Turn | None, episode: Episode, wish: str) -> Lineage:
    return Lineage(
        path=path,
        what=what,
        event=step.event,
        prompt=episode.prompt.id if episode.prompt else "",
        asked=wish,
        at=step.at,
        tool=step.tool,
        agent=turn.agent if turn else "",
        model=turn.model if turn else "",
    )


def _change_kind(path: str, step: ToolStep, known: set[str]) -> str:
    created = step.tool.lower().rpartition("__")[2] in _CREATES and path not in known
    return "created" if created else "edited"


def _removed_files(step: ToolStep) -> Iterator[tuple[str, str]]:
    """The files that a plain `rm` or `mv` of a command names, and what became of them."""
    if not step.command or step.failed:
        return
    for match in _REMOVES.finditer(step.command):
        names = [word for word in match["rest"].split() if not word.startswith("-")]
        if any(set(name) & _SHELL_MARKS or name.startswith(("/", "~", "..")) for name in names):
            continue
        if match["verb"] == "rm":
            yield from ((name.removeprefix("./"), "deleted") for name in names)
        elif len(names) == 2:
            yield from ((name.removeprefix("./"), "moved") for name in names)


def _lesson_of(step: ToolStep, touched: set[str]) -> str:
    if step.failed and step.command:
        return f"`{one_line(step.command, 80)}` failed: {error_line(step.output) or 'no output'}"
    if step.failed:
        return f"{step.tool} failed: {error_line(step.output)}" if step.output else ""
    if step.check:
        return f"`{one_line(step.command, 80)}` passed ({step.check})"
    if step.kind == "web":
        return f"looked up with {step.tool}"
    fresh = [path for path in step.files if path not in touched]
    return f"changed {', '.join(fresh[:3])}" if fresh else ""


def _kind(step: ToolStep) -> str:
    if step.failed:
        return "failure"
    return "check" if step.check else step.kind if step.kind in ("edit", "web") else "run"
