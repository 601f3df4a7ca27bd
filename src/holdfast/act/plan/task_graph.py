"""The graph of a plan's tasks: whether it is sound, and what can be done at the same time."""

from collections.abc import Iterator, Sequence

from holdfast.core.run import Task

MOST_TASKS = 40


def find_problems(tasks: Sequence[Task]) -> list[str]:
    """What is wrong with a graph, in words a planner can fix it by; nothing for a sound one."""
    if not tasks:
        return ["there is no task"]
    return [*_names(tasks), *_orphans(tasks), *_circle(tasks), *_owners(tasks), *_places(tasks)]


def build_waves(tasks: Sequence[Task]) -> list[list[Task]]:
    """The tasks of a sound graph in waves: each wave needs only those before it."""
    done: set[str] = set()
    left, found = list(tasks), []
    while left:
        ready = [task for task in left if done.issuperset(task.depends_on)]
        if not ready:
            raise ValueError("a graph with a circle has no waves")
        found.append(ready)
        done |= {task.id for task in ready}
        left = [task for task in left if task.id not in done]
    return found


def _names(tasks: Sequence[Task]) -> Iterator[str]:
    if len(tasks) > MOST_TASKS:
        yield f"there are {len(tasks)} tasks; {MOST_TASKS} is the most"
    seen: set[str] = set()
    for task in tasks:
        if not task.id or not task.description.strip():
            yield f"task {task.id!r} has no id or no description"
        if task.id in seen:
            yield f"two tasks are called {task.id!r}"
        seen.add(task.id)


def _orphans(tasks: Sequence[Task]) -> Iterator[str]:
    known = {task.id for task in tasks}
    for task in tasks:
        for other in task.depends_on:
            if other not in known:
                yield f"task {task.id!r} depends on {other!r}, which is no task"


def _circle(tasks: Sequence[Task]) -> Iterator[str]:
    known = {task.id for task in tasks}
    needs = {task.id: [other for other in task.depends_on if other in known] for task in tasks}
    done: set[str] = set()
    while ready := [name for name in needs if name not in done and done.issuperset(needs[name])]:
        done.update(ready)
    if left := [name for name in needs if name not in done]:
        yield f"tasks depend on each other in a circle: {', '.join(left)}"


def _owners(tasks: Sequence[Task]) -> Iterator[str]:
    """Two tasks that write one file must not run at the same time."""
    above = _collect_dependencies(tasks)
    owner: dict[str, str] = {}
    for task in tasks:
        for path in task.produces:
            other = owner.setdefault(path, task.id)
            if other != task.id and other not in above[task.id] and task.id not in above[other]:
                yield f"tasks {other!r} and {task.id!r} both write {path!r}, and neither depends on the other"


def _collect_dependencies(tasks: Sequence[Task]) -> dict[str, set[str]]:
    """What each task depends on, also through others."""
    needs = {task.id: set(task.depends_on) for task in tasks}
    for _ in tasks:
        for name, others in needs.items():
            others.update({each for other in others for each in needs.get(other, ())} - {name})
    return needs


def _places(tasks: Sequence[Task]) -> Iterator[str]:
    for task in tasks:
        for path in (*task.produces, task.target_path):
            if path.startswith(("/", "~")) or ".." in path.split("/") or "\0" in path:
                yield f"task {task.id!r} names {path!r}, which is not inside the workspace"
