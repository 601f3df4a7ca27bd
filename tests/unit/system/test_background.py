import shutil
import time
from pathlib import Path

import pytest

from holdfast.system import background

SOON = 10


@pytest.mark.slow
def test_it_ends_when_its_folder_is_gone(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    folder.mkdir()

    background.start_background(str(home), str(folder), "serve", "--port", "0")
    started = background._started[-1]
    time.sleep(1.5)
    assert started.poll() is None, (home / "logs/work.log").read_text()
    shutil.rmtree(folder)

    assert started.wait(SOON) == 0
