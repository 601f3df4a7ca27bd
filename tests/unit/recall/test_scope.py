import pytest

from holdfast.core.path_scope import LONGEST_GLOB, applies_to


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("src/users/repo.py", "src/users/repo.py"),
        ("src/users/repo.py", "./src/users/repo.py"),
        ("src/*.py", "src/repo.py"),
        ("src/**", "src/a/b/c.py"),
        ("src/**/*.py", "src/repo.py"),
        ("src/**/*.py", "src/a/b/repo.py"),
        ("**/repo.py", "repo.py"),
        ("**", "anything/at/all"),
        ("src/**/test/**/*.py", "src/a/test/b/c/d.py"),
        ("src/users", "src/users/deep/repo.py"),
        ("src/users/", "src/users/repo.py"),
        ("src/users/**", "src/users"),
        ("src/*.{ts,tsx}", "src/App.tsx"),
        ("{src,lib}/**/*.{ts,js}", "lib/a/b.js"),
        ("file?.txt", "file1.txt"),
        ("[a-c]*.py", "build.py"),
        ("[!a-c]*.py", "deploy.py"),
        ("[]x].py", "].py"),
        ("src/[id]/page.tsx", "src/i/page.tsx"),
        ("größe/*.md", "größe/ß.md"),
    ],
)
def test_a_glob_fits(glob: str, path: str) -> None:
    assert applies_to([glob], path)


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("src/*.py", "src/users/repo.py"),
        ("*.py", "src/repo.py"),
        ("src/**/*.py", "src/repo.pyc"),
        ("src/users", "src/users2/repo.py"),
        ("src/*", "src/a/b"),
        ("file?.txt", "file10.txt"),
        ("[!a-c]*.py", "build.py"),
        ("SRC/**", "src/a"),
        ("a.c", "abc"),
        ("(a|b)+", "a"),
    ],
)
def test_a_glob_does_not_fit(glob: str, path: str) -> None:
    assert not applies_to([glob], path)


def test_no_globs_apply_everywhere() -> None:
    assert applies_to([], "any/path.py")


def test_one_of_several_globs_is_enough() -> None:
    assert applies_to(["docs/**", "src/**"], "src/a.py")


@pytest.mark.parametrize(
    "glob",
    ["*a" * 200 + "b", "**/" * 150 + "x", "a*" * 200, "{a,b}" * 90, "{" * 400, "[" * 400, "{a,{b,{c,d}}}" * 20],
)
def test_a_hostile_glob_is_matched_in_no_time(glob: str) -> None:
    assert not applies_to([glob], "/".join(["a" * 50] * 20) + "/z.py")


def test_a_glob_beyond_all_measure_fits_nothing() -> None:
    assert not applies_to(["a" * (LONGEST_GLOB + 1)], "a" * (LONGEST_GLOB + 1))
