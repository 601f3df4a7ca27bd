"""How words on the command line become a command, a form of it, or a suggestion."""

import shlex

import pytest

from holdfast.cli.parse import TwoForms, build_parser, choose_form, load_command, split_common_options
from holdfast.cli.suggest import NoSuchCommand, NoSuchForm, meant
from holdfast.cli.table import COMMANDS, EVERY_DAY, FORMS, GROUPS, calls, in_group


@pytest.mark.parametrize(
    ("words", "call", "left"),
    [
        ("show DEC-1", "show", "DEC-1"),
        ("show DEC-1 --history", "show --history", "DEC-1"),
        ("show --cites --drifted", "show --cites", "--drifted"),
        ("show -C dir DEC-1 --related", "show --related", "-C dir DEC-1"),
        ("list --candidates --rejected", "list --candidates", "--rejected"),
        ("accept CAND-1 --into DEC-1", "accept --into", "CAND-1 --into DEC-1"),
        ("accept CAND-1 --into=DEC-1", "accept --into", "CAND-1 --into=DEC-1"),
        ("log --rate 8 good", "log --rate", "--rate 8 good"),
        ("log -- --rate", "log", "-- --rate"),
        ("report cost --days 3", "report cost", "--days 3"),
        ("report --json cost", "report cost", "--json"),
        ("config model", "config model", ""),
        ("config model list --prices", "config model", "list --prices"),
        ("config --json model", "config model", "--json"),
        ("config model anthropic:x", "config", "model anthropic:x"),
        ("config model --unset", "config", "model --unset"),
        ("config lens show security", "config lens", "show security"),
        ("sync database push", "sync database", "push"),
        ("sync team", "sync", "team"),
        ("team database status", "team database", "status"),
        ("serve token list", "serve token", "list"),
        ("hook merge-driver -- a b c", "hook merge-driver", "-- a b c"),
        ("doctor --verify --json", "doctor --verify", "--json"),
    ],
)
def test_words_choose_a_form(words: str, call: str, left: str) -> None:
    name, *rest = words.split()

    assert choose_form(name, rest) == (call, left.split())


def test_two_forms_at_once_are_refused() -> None:
    with pytest.raises(TwoForms, match="--verify and --rebuild"):
        choose_form("doctor", ["--verify", "--rebuild"])


@pytest.mark.parametrize(
    ("words", "before"),
    [
        ("-C dir search x", "-C dir"), ("-Cdir --json search x", "-Cdir --json"), ("search -C dir", ""), ("-C", "-C"),
        ("--set a=b --set=c=d list", "--set a=b --set=c=d"), ("--help", ""),
    ],
)  # fmt: skip
def test_common_options_may_stand_before_the_command(words: str, before: str) -> None:
    found, rest = split_common_options(words.split())

    assert found == before.split()
    assert [*found, *rest] == words.split()


@pytest.mark.parametrize(
    ("typed", "call"),
    [
        ("delete DEC-1", "forget DEC-1"), ("rm DEC-1", "forget DEC-1"), ("remove DEC-1", "forget DEC-1"),
        ("add 'tests need a clock'", "remember learning 'tests need a clock'"), ("note x", "remember learning x"),
        ("save decision x", "remember decision x"), ("add", "remember learning …"),
        ("find redis", "search redis"), ("grep redis", "search redis"), ("query redis", "search redis"),
        ("approve CAND-1", "accept CAND-1"), ("ok CAND-1", "accept CAND-1"),
        ("install", "init"), ("setup", "init"), ("ls", "list"), ("cat DEC-1", "show DEC-1"),
        ("get DEC-1", "show DEC-1"), ("view DEC-1", "show DEC-1"),
        ("history DEC-1", "show --history DEC-1"), ("cites --fix", "show --cites --fix"),
        ("related DEC-1", "show --related DEC-1"), ("inspect query why", "search --explain why"),
        ("candidates --json", "list --candidates --json"), ("conflicts", "check --memories"),
        ("merge A B --into C", "accept A B --into C"), ("merge A B", "accept B --into A"),
        ("activity", "report activity"), ("lineage a.py", "report lineage a.py"), ("ratings", "report ratings"),
        ("failures", "report failures"), ("research", "report research"), ("synthesis", "report synthesis"),
        ("cost --days 3", "report cost --days 3"), ("progress", "report progress"), ("rate 8", "log --rate 8"),
        ("buffer", "session buffer"), ("model test", "config model test"), ("lens", "config lens"),
        ("git install", "init --merge-driver"), ("git uninstall", "uninstall --merge-driver"),
        ("git status", "init --merge-driver --status"), ("git", "init --merge-driver"),
        ("verify", "doctor --verify"), ("rebuild", "doctor --rebuild"),
        ("compact --dry-run", "doctor --compact --dry-run"),
        ("embed", "doctor --embed"), ("triples", "doctor --triples"), ("changes", "log --system"),
        ("badge", "status --badge"), ("remote add t u", "sync add t u"), ("remote sync t", "sync t"),
        ("remote list", "sync list"), ("vault push", "sync database push"), ("vault sync", "sync database"),
        ("database status", "team database status"), ("studio", "serve --open"), ("token list", "serve token list"),
        ("bootstrap", "distil --code"), ("serach x", "search x"), ("docter", "doctor"), ("qqqqqq", ""),
    ],
)  # fmt: skip
def test_a_wrong_word_suggests_the_command_that_was_meant(typed: str, call: str) -> None:
    assert meant(shlex.split(typed)) == call


@pytest.mark.parametrize("typed", ["verify", "delete", "ls", "vault", "rate", "studio", "approve", "model", "database"])
def test_what_is_suggested_is_a_command(typed: str) -> None:
    name, *rest = meant([typed]).split()

    call, _ = choose_form(name, rest)

    assert call in calls()


def test_a_word_nobody_knows_leads_to_the_list() -> None:
    assert NoSuchCommand(["qqqqqq"]).hint == "`holdfast help all` lists the commands."
    assert NoSuchCommand(["find", "x" * 300]).hint == "did you mean `holdfast search …`?"
    assert NoSuchForm("report", "costs").hint == "did you mean `holdfast report cost`?"


def test_every_form_has_help_with_examples_and_exit_status() -> None:
    for call in calls():
        text = build_parser(call, load_command(call)).format_help()
        assert text.startswith("usage: holdfast "), call
        assert "\nexamples:\n  " in text, call
        assert "\nexit status:\n  " in text, call


def test_help_of_a_command_names_its_forms() -> None:
    for name, forms in FORMS.items():
        text = build_parser(name, load_command(name)).format_help()
        assert all(f"holdfast {name} {form.word}" in text for form in forms)


def test_groups_hold_every_command_once() -> None:
    assert sorted(command.name for group in GROUPS for command in in_group(group)) == sorted(COMMANDS)
    assert len(EVERY_DAY) == 12
    assert len(COMMANDS) < 50
