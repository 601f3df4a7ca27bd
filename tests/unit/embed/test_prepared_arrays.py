"""Arrays that were kept are mapped as they were; a file that is none is made anew, never a failure."""

from pathlib import Path

import numpy as np
import pytest

from holdfast.embed.prepared_arrays import arrays_path, map_arrays, save_arrays

KEPT = {"words": np.arange(12, dtype=np.uint32).reshape(3, 4), "scale": np.array([0.5, 2.0], np.float32)}


def test_what_was_kept_is_mapped(tmp_path: Path) -> None:
    path = str(tmp_path / "deep" / "model.arrays")

    save_arrays(path, KEPT, {"longest": 512})
    found = map_arrays(path)

    assert found is not None
    arrays, about = found
    assert about == {"longest": 512}
    assert {name: array.tolist() for name, array in arrays.items()} == {n: a.tolist() for n, a in KEPT.items()}


@pytest.mark.parametrize("data", [b"", b"HFARRAY1", b"HFARRAY1" + b"\xff" * 64, b"something else entirely"])
def test_a_broken_file_is_none(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "model.arrays"
    path.write_bytes(data)

    assert map_arrays(str(path)) is None
    assert map_arrays(str(tmp_path / "missing")) is None


def test_half_a_file_is_none(tmp_path: Path) -> None:
    path = tmp_path / "model.arrays"
    save_arrays(str(path), KEPT, {})
    path.write_bytes(path.read_bytes()[:-64])

    assert map_arrays(str(path)) is None


def test_a_folder_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    save_arrays(str(tmp_path / "file" / "model.arrays"), KEPT, {})

    assert map_arrays(str(tmp_path / "file" / "model.arrays")) is None


def test_the_cache_is_the_users() -> None:
    assert arrays_path({"XDG_CACHE_HOME": "/cache"}, "granite") == "/cache/holdfast/models/granite.arrays"
    assert arrays_path({"XDG_CACHE_HOME": "relative"}, "granite") == ""
