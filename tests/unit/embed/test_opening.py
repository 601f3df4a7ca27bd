"""Which embedder a setting names, and what is said when there is none."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.embed.models import settings
from tests.waiting import LONG

from holdfast.config.settings import SETTINGS
from holdfast.core.embedder import Missing
from holdfast.embed.embedder_request import RequiredPackage, install_command
from holdfast.embed.open_embedder import open_embedder


def missing(wanted: str, home: str = "/") -> Missing:
    found = open_embedder(settings(wanted), home, {})
    assert isinstance(found, Missing)
    return found


def test_none_is_no_notice() -> None:
    assert not missing("none").wanted


def test_a_name_nobody_knows_lists_those_that_are() -> None:
    found = missing("word2vec:large")

    assert found.wanted
    assert "'word2vec:large'" in found.reason
    assert "folder:PATH" in found.hint


@pytest.mark.parametrize(
    ("wanted", "form"), [("static:256", "'static'"), ("folder", "'folder:PATH'"), ("openai:", "'openai:MODEL'")]
)
def test_a_misspelt_one_says_its_form(wanted: str, form: str) -> None:
    assert form in missing(wanted).hint


def test_another_package_may_bring_a_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "extra_kind.py").write_text("def make(asked): return asked.rest\n", encoding="utf-8")
    about = tmp_path / "extra_kind-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: extra-kind\nVersion: 1\n", encoding="utf-8")
    (about / "entry_points.txt").write_text("[holdfast.embedders]\nextra = extra_kind:make\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))

    assert open_embedder(settings("extra:something"), "", {}) == "something"


def test_no_repository_may_name_a_model_an_address_or_a_key() -> None:
    assert [key for key in SETTINGS if key.startswith("embedder") and SETTINGS[key].harmless] == []


@pytest.mark.parametrize(
    ("prefix", "start"),
    [
        ("/home/x/.local/share/pipx/venvs/holdfast", "pipx runpip holdfast install"),
        ("/home/x/.local/share/uv/tools/holdfast", f"uv pip install --python {sys.executable}"),
        ("/home/x/project/.venv", f"{sys.executable} -m pip install"),
    ],
)
def test_what_to_type_fits_how_holdfast_was_installed(prefix: str, start: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", prefix)

    assert install_command(RequiredPackage(name="some")) == f"{start} some"
    assert install_command(RequiredPackage(name="some", bare=True)) == f"{start} --no-deps some"


def test_a_package_that_denies_this_python_is_asked_for_all_the_same() -> None:
    assert "--ignore-requires-python" in install_command(RequiredPackage(name="some", bare=True, newest_python=(3, 10)))


def test_the_port_loads_no_numpy() -> None:
    code = "import sys, holdfast.core.embedder, holdfast.embed.open_embedder; print('numpy' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=LONG)

    assert done.stdout.strip() == "False"
