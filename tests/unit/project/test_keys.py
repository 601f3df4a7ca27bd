"""Previews of key files: what tells most, bounded, without secrets, never outside the folder."""

import os
from pathlib import Path

import pytest

from holdfast.project.key_files import PreviewLimits, is_secret, read_preview, read_previews
from holdfast.project.read_beginning import decode_text
from holdfast.project.scan_project import scan_workspace


def names(root: Path) -> list[str]:
    return [path for path, _ in scan_workspace(str(root)).key_files]


def test_what_explains_comes_first_then_manifests_then_where_it_starts(tmp_path: Path) -> None:
    for name in ("Makefile", "main.py", "pyproject.toml", "AGENTS.md", "README.md", "other.py"):
        (tmp_path / name).write_text("x = 1\n")

    assert names(tmp_path) == ["README.md", "AGENTS.md", "pyproject.toml", "main.py", "Makefile"]


def test_a_secret_in_a_file_is_not_in_its_preview(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(
        "# Shop\nexport AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzK3mLpQ9x\n"
    )

    text = read_preview(str(tmp_path), "README.md")

    assert "# Shop" in text
    assert "wJalrXUtnFEMI" not in text


def test_a_secret_at_the_cut_is_not_half_shown(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (tmp_path / "README.md").write_text("x" * 150 + f" {secret}\n")

    assert "ghp_" not in read_preview(str(tmp_path), "README.md")


@pytest.mark.parametrize(
    "name", [".env", ".env.local", "id_ed25519", "a.pem", "credentials.json", "secrets.yaml", ".netrc"]
)
def test_files_that_hold_secrets_by_nature_have_no_preview(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("HARMLESS=1\n")

    assert is_secret(f"deep/{name}")
    assert read_preview(str(tmp_path), name) == ""


def test_an_example_of_an_environment_is_no_secret() -> None:
    assert not is_secret(".env.example")


def test_a_link_out_of_the_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("outside")
    inside = tmp_path / "inside"
    (inside / "docs").mkdir(parents=True)
    (inside / "docs/real.md").write_text("inside")
    (inside / "README.md").symlink_to("../secret.txt")
    (inside / "there.md").symlink_to("docs/real.md")
    (inside / "up").symlink_to("..")

    assert read_preview(str(inside), "README.md") == ""
    assert read_preview(str(inside), "../secret.txt") == ""
    assert read_preview(str(inside), "up/secret.txt") == ""
    assert read_preview(str(inside), str(tmp_path / "secret.txt")) == ""
    assert read_preview(str(inside), "there.md") == "inside"


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "README.md")

    assert read_preview(str(tmp_path), "README.md") == ""


def test_a_binary_readme_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_bytes(os.urandom(5000) + b"\0")
    (tmp_path / "main.py").write_text("print()")

    assert names(tmp_path) == ["main.py"]


def test_a_huge_file_of_one_line_is_cut(tmp_path: Path) -> None:
    with (tmp_path / "README.md").open("wb") as file:
        file.write(b"word " * 1000)
        file.truncate(3 << 30)

    # What follows the words is a hole of zeros, and is not read.
    assert read_preview(str(tmp_path), "README.md") == ""
    (tmp_path / "README.md").write_text("word " * 1_000_000)
    assert len(read_preview(str(tmp_path), "README.md")) <= 160


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xef\xbb\xbfhi\r\n", "hi\n"),
        ("hé".encode("utf-16"), "hé"),
        (b"caf\xe9 and much more plain text", "caf\ufffd and much more plain text"),
        (b"\xff\xfe\xff" * 50, None),
        (b"a\0b", None),
    ],
)
def test_bytes_become_text_or_nothing(data: bytes, text: str | None) -> None:
    assert decode_text(data) == text


def test_previews_keep_to_their_room(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"f{number}").write_text("a line of text\n" * 500)

    found = read_previews(
        str(tmp_path), [f"f{number}" for number in range(20)], PreviewLimits(files=8, all_characters=3_000)
    )

    assert len(found) <= 8
    assert sum(len(text) for _, text in found) <= 3_100
    assert all(text.endswith("…") for _, text in found)


def test_escape_codes_in_a_preview_are_shown_not_obeyed(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("\x1b]0;owned\x07 \u202eevil\n")

    assert read_preview(str(tmp_path), "README.md") == "\\x1b]0;owned\\x07 \\u202eevil"
