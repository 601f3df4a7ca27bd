"""`holdfast check`: diffs, plans, files and texts against what was decided; and the agent told before it writes."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.journeys.conftest import Ran, Run
from tests.journeys.hooking import Client, injected

Git = Callable[..., str]
PYPROJECT = '[project]\nname = "x"\ndependencies = [\n  "textual",\n]\n'
DECISION = """\
---
id: DEC-7K2MQ4
type: decision
title: Use Textual for the TUI
question: Which TUI toolkit?
choice: Textual
rejected:
  - {option: curses, reason: no layout engine}
enforce:
  forbid_dependency: [urwid]
  forbid_import: [urwid]
---
Fast iteration.
"""


def keep(folder: Path, text: str = DECISION, name: str = "d.md") -> None:
    file = folder / ".holdfast/memory" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def enforcing(folder: Path, enforce: str, more: str = "", name: str = "INV-000001") -> None:
    keep(
        folder,
        f"---\nid: {name}\ntype: invariant\ntitle: A rule\n{more}enforce:\n{enforce}\n---\nText.\n",
        f"{name}.md",
    )


def seen(done: Ran) -> list[tuple[str, str, int | None]]:
    return [(each["rule"], each["path"], each["line"]) for each in done.json["findings"]]


@pytest.fixture
def repository(holdfast: Run, folder: Path, git: Git) -> Path:
    """A workspace with a decision and a manifest, committed."""
    keep(folder)
    assert holdfast("allow").status == 0
    (folder / "pyproject.toml").write_text(PYPROJECT)
    (folder / "src").mkdir()
    (folder / "src/app.py").write_text("import textual\n")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "one")
    return folder


def add_urwid(folder: Path) -> None:
    (folder / "pyproject.toml").write_text(PYPROJECT.replace('  "textual",\n', '  "textual",\n  "Urwid>=2",\n'))


def test_a_diff_that_adds_what_is_forbidden_fails_like_a_compiler(repository: Path, holdfast: Run) -> None:
    add_urwid(repository)

    done = holdfast("check", "--diff", "HEAD")

    assert done.status == 1
    assert "pyproject.toml:5: error DEC-7K2MQ4 forbids the dependency 'Urwid' [forbid_dependency]" in done.out
    assert "comply: take 'Urwid' out" in done.out
    assert "supersede: holdfast remember … --supersedes DEC-7K2MQ4" in done.out
    assert "narrow: holdfast edit DEC-7K2MQ4" in done.out


def test_json_says_what_where_why_how_sure_and_how_to_resolve(repository: Path, holdfast: Run) -> None:
    add_urwid(repository)

    done = holdfast("check", "--diff", "HEAD", "--json")

    [found] = done.json["findings"]
    assert (found["memory"], found["severity"], found["path"], found["line"]) == (
        "DEC-7K2MQ4",
        "error",
        "pyproject.toml",
        5,
    )
    assert (found["confidence"], found["title"], len(found["resolve"])) == (1.0, "Use Textual for the TUI", 3)
    assert done.json["checked"]["memories"] == 1
    assert (done.json["unread"], done.json["problems"], done.json["held_back"]) == ([], [], 0)


def test_only_what_is_added_counts(repository: Path, holdfast: Run, git: Git) -> None:
    add_urwid(repository)
    (repository / "src/app.py").write_text("import textual\nimport urwid\n")
    git("commit", "-qam", "it is there now")
    (repository / "src/app.py").write_text("import textual\nimport urwid\nx = 1\n")
    (repository / "pyproject.toml").write_text((repository / "pyproject.toml").read_text().replace("2", "3"))

    assert seen(holdfast("check", "--diff", "HEAD", "--json")) == []
    assert seen(holdfast("check", "--diff", "HEAD~1", "--json")) == [
        ("forbid_dependency", "pyproject.toml", 5), ("forbid_import", "src/app.py", 2),
    ]  # fmt: skip
    assert seen(holdfast("check", "--diff", "HEAD~1..HEAD", "--json")) == seen(
        holdfast("check", "--diff", "HEAD~1", "--json")
    )


def test_staged_is_the_index_and_nothing_else(repository: Path, holdfast: Run, git: Git) -> None:
    (repository / "src/app.py").write_text("import urwid\n")
    git("add", "src/app.py")
    (repository / "src/app.py").write_text("import textual\n")
    add_urwid(repository)

    assert seen(holdfast("check", "--staged", "--json")) == [("forbid_import", "src/app.py", 1)]


def test_new_files_that_git_does_not_know_count_and_ignored_ones_do_not(repository: Path, holdfast: Run) -> None:
    (repository / "new.py").write_text("import urwid\n")
    (repository / ".gitignore").write_text("ignored.py\n")
    (repository / "ignored.py").write_text("import urwid\n")

    assert seen(holdfast("check", "--diff", "HEAD", "--json")) == [("forbid_import", "new.py", 1)]


def test_odd_names_renames_and_copies_of_heads_in_text_keep_their_lines(
    repository: Path, holdfast: Run, git: Git
) -> None:
    odd = repository / 'a "b"\té\n+++ b.py'
    odd.write_text("x = 1\ny = 2\n")
    git("mv", "src/app.py", "src/moved.py")
    git("add", "-A")
    git("commit", "-qm", "odd")
    odd.write_text("x = 1\n# @@ -1 +1 @@\n# --- a/x\nimport urwid\ny = 2\n")
    git("mv", "src/moved.py", "src/again.py")

    assert seen(holdfast("check", "--diff", "HEAD", "--json")) == [("forbid_import", odd.name, 4)]


def test_a_workspace_below_the_repositorys_root(bare: Run, folder: Path, git: Git) -> None:
    inner = folder / "service"
    inner.mkdir()
    (folder / "requirements.txt").write_text("")
    assert bare("init", "--yes", "--client", "none", at=inner).status == 0
    keep(inner)
    assert bare("allow", at=inner).status == 0
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "one")
    (folder / "requirements.txt").write_text("urwid\n")
    (inner / "requirements.txt").write_text("urwid\n")

    assert seen(bare("check", "--diff", "HEAD", "--json", at=inner)) == [("forbid_dependency", "requirements.txt", 1)]


def test_every_key_in_files_without_git(holdfast: Run, folder: Path) -> None:
    enforcing(
        folder,
        "  forbid_import: lodash\n  forbid_path: ['legacy/**']\n  require_path: [README.md]\n"
        "  forbid_pattern: ['\\bprint\\(']\n"
        "  approve_new_dependency: true",
    )
    keep(folder)
    (folder / "legacy").mkdir()
    (folder / "legacy/a.ts").write_text("import fp from 'lodash/fp'\n")
    (folder / "b.py").write_text("print(1)\n")
    (folder / "requirements.txt").write_text("urwid\n")
    (folder / "node_modules/x").mkdir(parents=True)
    (folder / "node_modules/x/i.js").write_text("import 'lodash'\n")

    done = holdfast("check", ".", "--json")

    assert done.status == 1
    assert seen(done) == [
        ("require_path", "", None), ("forbid_pattern", "b.py", 1), ("forbid_path", "legacy/a.ts", None),
        ("forbid_import", "legacy/a.ts", 1), ("forbid_dependency", "requirements.txt", 1),
    ]  # fmt: skip
    assert "approve_new_dependency was not looked at" in done.err


def test_approval_compares_files_with_the_newest_commit(repository: Path, holdfast: Run) -> None:
    enforcing(repository, "  approve_new_dependency: [httpx]")
    (repository / "pyproject.toml").write_text(PYPROJECT.replace('"textual"', '"textual", "httpx", "rich"'))

    done = holdfast("check", "pyproject.toml", "--json")

    assert [each["what"] for each in done.json["findings"]] == ["rich"]


def test_a_plan_by_file_and_by_standard_input(holdfast: Run, folder: Path) -> None:
    keep(folder)
    plan = "# Plan\n\n1. Run `pip install urwid`\n2. Build the TUI with curses.\n3. Write tests.\n"
    (folder / "PLAN.md").write_text(plan)

    by_file, by_stdin = holdfast("check", "--plan", "PLAN.md"), holdfast("check", "--plan", "-", "--json", stdin=plan)

    assert "PLAN.md:3: error DEC-7K2MQ4 forbids the dependency 'urwid'" in by_file.out
    assert "PLAN.md:4: warning DEC-7K2MQ4 rejected 'curses': no layout engine [rejected, 85% sure]" in by_file.out
    assert by_file.status == by_stdin.status == 1
    assert [(each["rule"], each["line"]) for each in by_stdin.json["findings"]] == [
        ("forbid_dependency", 3),
        ("rejected", 4),
    ]


def test_warnings_fail_only_where_that_is_asked_for(holdfast: Run, folder: Path) -> None:
    keep(folder)

    assert holdfast("check", "--text", "Build the TUI with curses.").status == 0
    assert holdfast("check", "--text", "Build the TUI with curses.", "--strict").status == 1
    assert holdfast("check", "--text", "Build the TUI with Textual.", "--strict").status == 0


def test_paths_narrow_what_counts_for_a_text(holdfast: Run, folder: Path) -> None:
    keep(folder, DECISION.replace("choice:", "paths: ['src/tui/**']\nchoice:"))

    assert holdfast("check", "--text", "`pip install urwid`", "src/tui/a.py").status == 1
    assert holdfast("check", "--text", "`pip install urwid`", "src/api/a.py").status == 0
    assert holdfast("check", "--text", "`pip install urwid`").status == 1


@pytest.mark.parametrize(
    "change",
    [
        ("type: decision", "type: decision\nstatus: superseded"),
        ("type: decision", "type: decision\nstatus: candidate"),
        ("type: decision", "type: decision\nstatus: deprecated"),
        ("type: decision", "type: decision\nvalid_until: 2020-01-01"),
        ("type: decision", "type: decision\nvalid_from: 2999-01-01"),
    ],
)
def test_memory_that_does_not_hold_does_not_count(holdfast: Run, folder: Path, change: tuple[str, str]) -> None:
    keep(folder, DECISION.replace(*change))

    done = holdfast("check", "--text", "`pip install urwid` and use curses for the TUI", "--json")

    assert (done.status, done.json["findings"], done.json["checked"]["memories"]) == (0, [], 0)


def test_memory_that_another_one_replaced_does_not_count(holdfast: Run, folder: Path) -> None:
    keep(folder)
    holdfast("remember", "decision", "Any toolkit will do", "--supersedes", "DEC-7K2MQ4")

    assert holdfast("check", "--text", "`pip install urwid`", "--json").json["findings"] == []


def test_memory_of_a_clone_counts_once_the_user_allows_it(
    repository: Path, bare: Run, git: Git, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    git("clone", "-q", str(repository), str(clone))
    add_urwid(clone)

    before = bare("check", "--diff", "HEAD", at=clone)
    strict = bare("check", "--diff", "HEAD", "--strict", "--json", at=clone)
    allowed = bare("allow", at=clone)
    after = bare("check", "--diff", "HEAD", at=clone)

    assert (before.status, "Nothing was checked" in before.out, "held back" in before.err) == (0, True, True)
    assert (strict.status, strict.json["held_back"]) == (1, 1)
    assert allowed.status == 0
    assert after.status == 1


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--diff", "nope"], 2, "knows no revision 'nope'"),
        (["--diff=-x"], 2, "knows no revision '-x'"),
        (["--branch", "nope"], 2, "knows no revision 'nope'"),
        (["--branch=-x"], 2, "knows no revision '-x'"),
        (["missing.py"], 3, "nothing at 'missing.py'"),
        (["/etc/hosts"], 2, "is not in"),
        (["../x"], 2, "is not in"),
        (["--plan", "missing.md"], 3, "no plan 'missing.md'"),
        (["--plan", "src"], 2, "it is a folder"),
        (["--plan", "latin.md"], 2, "not UTF-8"),
        (["--staged", "x.py"], 2, "take no paths"),
        (["--staged", "--diff", "HEAD"], 2, "not allowed with"),
        (["--staged", "--json", "--sarif"], 2, "two forms"),
    ],
)
def test_what_cannot_be_says_what_to_do(
    repository: Path, holdfast: Run, words: list[str], status: int, said: str
) -> None:
    (repository / "latin.md").write_bytes(b"caf\xe9")

    done = holdfast("check", *words)

    assert done.status == status
    assert said in done.err


def test_without_a_repository_a_diff_says_so(holdfast: Run) -> None:
    for words in (["--staged"], ["--diff", "HEAD"]):
        done = holdfast("check", *words)
        assert done.status == 2
        assert "in no git repository" in done.err


def test_hostile_files_are_unread_and_stop_nothing(repository: Path, holdfast: Run, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("import urwid\n")
    (repository / "link.py").symlink_to(tmp_path / "secret.py")
    (repository / "big.py").write_bytes(b"#" * (2 * 1024 * 1024 + 1))
    (repository / "bad.py").write_bytes(b"\xff\xfe import urwid")
    (repository / "image.bin").write_bytes(b"\x00\x01" * 100)
    (repository / "broken.py").write_text("def (")
    (repository / "package.json").write_text('{"dependencies": ')
    (repository / "pipe.py").unlink(missing_ok=True)
    os.mkfifo(repository / "pipe.py")
    (repository / "ok.py").write_text("import urwid\n")
    enforcing(repository, "  forbid_pattern: ['urwid', '(a+)+$', '[']\n  forbid_thing: 1")

    by_diff = holdfast("check", "--diff", "HEAD", "--json")
    by_path = holdfast("check", ".", "link.py", "pipe.py", "--json")

    for done in (by_diff, by_path):
        assert done.status == 1
        assert {"ok.py"} == {each["path"] for each in done.json["findings"]}
        unread = {each["path"] for each in done.json["unread"]}
        assert {"big.py", "bad.py", "broken.py", "package.json"} <= unread
        assert "image.bin" not in unread
        assert len(done.json["problems"]) == 2
    assert {"link.py", "pipe.py"} <= {each["path"] for each in by_path.json["unread"]}
    assert holdfast("check", "--diff", "HEAD").out.count("note: could not be read, so nothing can be said of it: ") >= 4


PHP = '{\n  "require": {\n    "monolog/monolog": "^3"\n  }\n}\n'
CONDA = "dependencies:\n  - python=3.12\n  - numpy\n"


@pytest.mark.parametrize(
    ("path", "before", "after", "line"),
    [
        ("composer.json", PHP, PHP.replace('"^3"\n', '"^3",\n    "Vendor/Urwid": "^1"\n'), 4),
        ("environment.yml", CONDA, CONDA + "  - pip:\n      - Urwid>=2\n", 5),
        ("environment.yml", CONDA, CONDA + "  - conda-forge::urwid=2\n", 4),
    ],
)
def test_manifests_of_php_and_conda_are_held_to_what_was_decided(
    repository: Path, holdfast: Run, git: Git, path: str, before: str, after: str, line: int
) -> None:
    keep(repository, DECISION.replace("forbid_dependency: [urwid]", "forbid_dependency: [urwid, vendor/urwid]"))
    assert holdfast("allow").status == 0
    (repository / path).write_text(before)
    git("add", "-A")
    git("commit", "-qm", "two")
    assert holdfast("check", path).status == 0
    (repository / path).write_text(after)

    by_diff, by_path = holdfast("check", "--diff", "HEAD", "--json"), holdfast("check", path, "--json")

    for done in (by_diff, by_path):
        assert (done.status, seen(done)) == (1, [("forbid_dependency", path, line)])


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("composer.json", b'{"require": {"vendor/urwid": }}'), ("environment.yml", b"dependencies:\n\t- urwid\n"),
        ("pyproject.toml", b"[project\n"), ("pom.xml", b"<project>"), ("package.json", '{"a": "ü"}'.encode("utf-16")),
        ("Cargo.toml", b"# \xff\n[dependencies]\n"), ("composer.json", b" " * (2 * 1024 * 1024 + 1)),
        ("setup.py", b"setup(install_requires=made())\n"), ("requirements.txt", b"-r ../outside.txt\n"),
        ("requirements.txt", b"-r absent.txt\n"),
    ],
)  # fmt: skip
def test_a_manifest_that_cannot_be_read_is_never_passed_silently(
    holdfast: Run, folder: Path, path: str, data: bytes
) -> None:
    keep(folder)
    (folder / path).write_bytes(data)

    done = holdfast("check", path)

    assert done.status == 0
    assert ": note: could not be read, so nothing can be said of it: " in done.out
    assert "in what could be read" in done.out
    assert holdfast("check", path, "--strict").status == 1
    assert holdfast("check", path, "--json").json["unread"]


def test_requirements_that_a_file_takes_in_count_whatever_they_are_called(
    repository: Path, holdfast: Run, git: Git
) -> None:
    (repository / "deps").mkdir()
    (repository / "requirements.txt").write_text("rich\n-r deps/base.txt\n")
    (repository / "deps/base.txt").write_text("-r more.txt\n")
    (repository / "deps/more.txt").write_text("httpx\n")
    (repository / "deps/notes.txt").write_text("urwid\n")
    git("add", "-A")
    git("commit", "-qm", "two")
    (repository / "deps/more.txt").write_text("httpx\nurwid\n")
    (repository / "deps/notes.txt").write_text("urwid\nurwid\n")

    enforcing(repository, "  forbid_path: [deps/**]\n  forbid_pattern: [httpx]")

    by_diff, by_path = holdfast("check", "--diff", "HEAD", "--json"), holdfast("check", "requirements.txt", "--json")

    for done in (by_diff, by_path):
        assert seen(done) == [("forbid_dependency", "deps/more.txt", 2)]
    assert ("forbid_dependency", "deps/more.txt", 2) in seen(holdfast("check", ".", "--json"))


def test_a_repositorys_own_filter_does_not_run(repository: Path, holdfast: Run, git: Git) -> None:
    (repository / ".gitattributes").write_text("*.py filter=evil diff=evil\n")
    git("config", "filter.evil.clean", f"touch '{repository}/RAN'; cat")
    git("config", "diff.evil.textconv", f"touch '{repository}/RAN'; cat")
    git("config", "diff.external", f"touch '{repository}/RAN'")
    (repository / "src/app.py").write_text("import urwid\n")

    assert holdfast("check", "--diff", "HEAD").status == 1
    assert not (repository / "RAN").exists()


def test_sarif_is_one_document(repository: Path, holdfast: Run) -> None:
    add_urwid(repository)

    done = holdfast("check", "--diff", "HEAD", "--sarif")

    assert done.status == 1
    [result] = done.json["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("DEC-7K2MQ4", "error")


def test_escape_codes_in_names_are_shown_and_not_obeyed(holdfast: Run, folder: Path) -> None:
    keep(folder, DECISION.replace("Use Textual for the TUI", '"Use \\e[31mTextual"'))
    (folder / "a\x1b[31m.py").write_text("import urwid\n")

    done = holdfast("check", "a\x1b[31m.py")

    assert done.status == 1
    assert "\x1b" not in done.out


def test_the_pre_commit_hook_runs_what_is_there() -> None:
    import yaml

    [hook] = yaml.safe_load((Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text())

    assert hook["entry"] == "holdfast check --staged"
    assert hook["pass_filenames"] is False


# Before a tool runs


@pytest.fixture
def client(holdfast: Run, folder: Path) -> Client:
    keep(folder)
    assert holdfast("list").status == 0
    return Client(folder)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Write", {"file_path": "requirements.txt", "content": "rich\nurwid\n"}),
        ("Write", {"file_path": "src/a.py", "content": "import urwid\n"}),
        ("Edit", {"file_path": "requirements.txt", "old_string": "rich", "new_string": "urwid"}),
        ("MultiEdit", {"file_path": "requirements.txt", "edits": [{"old_string": "rich", "new_string": "urwid"}]}),
        ("Bash", {"command": "cd x && pip install urwid"}),
        ("Bash", {"command": "echo urwid >> requirements.txt"}),
        ("Bash", {"command": "uv add curses"}),
        ("Bash", {"command": "conda install -y urwid"}),
        ("Write", {"file_path": "environment.yml", "content": "dependencies:\n  - urwid\n"}),
        ("Write", {"file_path": "setup.cfg", "content": "[options]\ninstall_requires =\n  urwid\n"}),
    ],
)
def test_an_agent_about_to_break_a_decision_is_told_before(
    client: Client, folder: Path, tool: str, given: dict[str, Any]
) -> None:
    (folder / "requirements.txt").write_text("rich\n")

    told = client.send("PreToolUse", tool_name=tool, tool_input=given)

    assert "CHECK (DEC-7K2MQ4): " in told
    assert "“Use Textual for the TUI”" in told
    assert [row["ids"] for row in injected(folder)] == [["DEC-7K2MQ4"]]
    assert "CHECK (DEC-7K2MQ4): " in client.send("PreToolUse", tool_name=tool, tool_input=given)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Write", {"file_path": "requirements.txt", "content": "urwid\nrich\n"}),
        ("Write", {"file_path": "/elsewhere/requirements.txt", "content": "urwid\n"}),
        ("Read", {"file_path": "requirements.txt"}),
        ("Bash", {"command": "pip uninstall urwid"}),
        ("Bash", {"command": "git commit -m 'pip install urwid'"}),
        ("Write", {"file_path": "notes.md", "content": "pip install urwid, import urwid"}),
    ],
)
def test_what_breaks_nothing_is_not_spoken_of(client: Client, folder: Path, tool: str, given: dict[str, Any]) -> None:
    (folder / "requirements.txt").write_text("urwid\n")

    assert "CHECK" not in client.send("PreToolUse", tool_name=tool, tool_input=given)


def test_the_rules_kept_for_the_hook_follow_the_files(client: Client, holdfast: Run, folder: Path) -> None:
    time.sleep(2.1)
    assert "CHECK" in client.runs("pip install urwid")
    kept = json.loads((folder / ".holdfast/state/rules.json").read_text())
    assert [row[3] for row in kept["enforced"]] == ["forbid_dependency", "forbid_import"]
    assert "CHECK" in client.runs("pip install urwid")

    keep(folder, DECISION.replace("[urwid]", "[blessed]"))
    # It changed while a call of the agent was running, so it may be the agent's.
    assert "CHECK" not in client.runs("pip install blessed")
    assert holdfast("allow").status == 0

    assert "CHECK" not in client.runs("pip install urwid")
    assert "CHECK" in client.runs("pip install blessed")


def test_a_decision_that_a_person_called_wrong_warns_nobody_until_that_is_taken_back(
    client: Client, holdfast: Run
) -> None:
    warned = client.runs("pip install urwid")
    holdfast("session", "told", "--wrong", "DEC-7K2MQ4")
    silent = client.runs("pip install urwid")
    holdfast("session", "told", "--none", "DEC-7K2MQ4")

    assert "DEC-7K2MQ4" in warned
    assert "DEC-7K2MQ4" not in silent
    assert "DEC-7K2MQ4" in client.runs("pip install urwid")


def test_the_hook_does_not_speak_of_memory_that_nobody_allowed(
    repository: Path, bare: Run, git: Git, tmp_path: Path
) -> None:
    clone = tmp_path / "clone"
    git("clone", "-q", str(repository), str(clone))
    assert bare("init", "--yes", "--client", "none", at=clone).status == 0

    assert "CHECK" not in Client(clone).runs("pip install urwid")
