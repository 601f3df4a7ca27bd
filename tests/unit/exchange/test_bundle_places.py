"""Where bundles go to and come from: nobody's file is replaced unasked, and what cannot be read is told."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.nobody import closed, passable

from holdfast.app import build_app
from holdfast.exchange.bundles.bundle_places import BundleUnreadable, ExportFileExists, export_to, is_bundle
from holdfast.exchange.bundles.export_import import BundleRecipients, build_export_request
from holdfast.exchange.open_store import join_address, split_address
from holdfast.setup.init_workspace import init, plan_init
from holdfast.workspace import App


class Meanwhile:
    """A clock; while it is looked at, somebody else writes a file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def now(self) -> datetime:
        self._path.write_bytes(b"of somebody else")
        return datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.fixture
def app(tmp_path: Path) -> App:
    (tmp_path / "shop").mkdir()
    init(plan_init(str(tmp_path / "shop"), named=True))
    return build_app(str(tmp_path / "shop"))


def test_of_two_exports_at_once_the_second_replaces_nothing(app: App, tmp_path: Path) -> None:
    path = tmp_path / "out" / "x.tar.zst"
    path.parent.mkdir()
    app.clock = Meanwhile(path)  # type: ignore[assignment]  # a clock

    with pytest.raises(ExportFileExists):
        export_to(app, str(path), build_export_request(app), BundleRecipients())

    assert path.read_bytes() == b"of somebody else"
    assert [each.name for each in path.parent.iterdir()] == ["x.tar.zst"]


def test_with_force_it_is_replaced_and_nothing_else_stays(app: App, tmp_path: Path) -> None:
    path = tmp_path / "out" / "x.tar.zst"
    path.parent.mkdir()
    app.clock = Meanwhile(path)  # type: ignore[assignment]  # a clock

    export_to(app, str(path), build_export_request(app), BundleRecipients(), force=True)

    assert is_bundle(str(path))
    assert path.read_bytes() != b"of somebody else"
    assert [each.name for each in path.parent.iterdir()] == ["x.tar.zst"]


def test_what_may_not_be_read_is_told() -> None:
    with passable() as folder:
        (folder / "x.tar.zst").write_bytes(b"x")
        with closed(folder / "x.tar.zst"), pytest.raises(BundleUnreadable, match="Permission denied"):
            is_bundle(str(folder / "x.tar.zst"))
        (folder / "inner").mkdir()
        with closed(folder / "inner"), pytest.raises(BundleUnreadable, match="Permission denied"):
            is_bundle(str(folder / "inner"))


@pytest.mark.parametrize(
    ("store", "place"),
    [
        ("/mnt/x", "/mnt/x/n.tar.zst"),
        ("s3://bucket/x", "s3://bucket/x/n.tar.zst"),
        ("postgresql://u@/db/p?host=/s", "postgresql://u@/db/p/n.tar.zst?host=/s"),
    ],
)
def test_the_address_of_an_object_is_parted_again(store: str, place: str) -> None:
    assert join_address(store, "n.tar.zst") == place
    assert split_address(place) == (store, "n.tar.zst")
