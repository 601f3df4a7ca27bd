"""A login from this machine by a real sshd: an agent inside a client logs in, and accepts its own memory.

MITRE ATT&CK T1021.004 (remote services: SSH) and T1098.004 (authorized keys): the agent has its own key, its own
server and its own settings, all as the user; what runs in the login stands in no client's tree.
"""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.attacks.test_acceptance import COMMAND, Place, needs_proc
from tests.waiting import LONG, wait_for

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
pytestmark = [
    needs_proc,
    pytest.mark.slow,
    pytest.mark.skipif(SSHD is None, reason="sshd is not installed (openssh-server)"),
    pytest.mark.skipif(shutil.which("ssh") is None, reason="ssh is not installed (openssh-client)"),
]
SETTINGS = """\
ListenAddress 127.0.0.1
Port {port}
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
PidFile {folder}/pid
PasswordAuthentication no
KbdInteractiveAuthentication no
StrictModes no
PermitUserEnvironment no
"""


@pytest.fixture
def place(tmp_path: Path, home: Path) -> Place:
    return Place(tmp_path, home)


@pytest.fixture
def login(place: Place, tmp_path: Path) -> Iterator[list[str]]:
    """The words that log in: to a server on a port of its own, with keys of its own."""
    folder = tmp_path / "sshd"
    folder.mkdir(mode=0o700)
    for name in ("host", "user"):
        make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(make, check=True, timeout=LONG)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "settings").write_text(SETTINGS.format(port=port, folder=folder))
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    command = [str(SSHD), "-D", "-e", "-f", str(folder / "settings")]
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stderr=log, env=place.environment()) as server:
        try:
            wait_for(lambda: b"listening" in (folder / "log").read_bytes() or server.poll() is not None, "sshd")
            if server.poll() is not None:
                pytest.skip(f"sshd does not start here: {(folder / 'log').read_text()[-200:]}")
            quiet = ["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR"]
            yield ["ssh", "-F", "/dev/null", *quiet, "-i", str(folder / "user"), "-p", str(port)]
        finally:
            server.terminate()


@pytest.mark.parametrize("terminal", ["-tt", "-T"])
def test_a_real_login_from_this_machine_proves_nobody(place: Place, login: list[str], terminal: str) -> None:
    accept = " ".join([f"cd {place.folder} &&", *place.bare(str(COMMAND), "accept", place.candidate)])

    done = place.inside_client(*login, terminal, "127.0.0.1", accept)

    assert not place.waits(), done.stderr
    place.assert_waits_for_proof()
