"""A server as a process: how it starts, what it says, how it stops."""

import json
import signal
import socket
import ssl
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.server.conftest import PATIENCE, Served, environment, holdfast, new_workspace, read_answer, serving, threaded
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from holdfast.server.http.binding import ServeOptions, check_binding
from holdfast.server.http.running_lock import announce_server, find_running_server
from holdfast.server.http.security.studio_links import new_link


def until_refused(served: Served) -> None:
    """Wait until the server takes no new connection."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", served.port), timeout=1).close()
        except OSError:
            return
    pytest.fail("the server still takes connections")


def half_sent(served: Served, key: str) -> tuple[socket.socket, bytes]:
    """A request that the server has begun to read, and what is left to send of it."""
    body = json.dumps({"key": key}).encode()
    head = (
        f"POST /api/session HTTP/1.1\r\nHost: {served.host}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n"
    )
    made = served.connected()
    made.sendall(head.encode())
    assert b"100 Continue" in made.recv(1000)
    made.sendall(body[:5])
    return made, body[5:]


def close_code(opened: ClientConnection) -> int:
    """Read until the server closes; its code."""
    try:
        while True:
            opened.recv(PATIENCE)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else 0


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for localhost that signs itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    files = folder / "site.pem", folder / "site.key"
    files[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return files


# Starting


def test_it_serves_without_any_workspace(tmp_path: Path) -> None:
    with threaded(tmp_path / "home") as served:
        assert served.get("/api/health").json()["workspaces"] == 0
        assert served.get("/api/workspaces").json() == []


def test_the_workspace_around_comes_first_and_all_known_are_served(tmp_path: Path) -> None:
    home = tmp_path / "home"
    new_workspace(tmp_path / "a", home)
    here = new_workspace(tmp_path / "z", home)

    with threaded(home, first=tmp_path / "z") as served:
        listed = [row["id"] for row in served.get("/api/workspaces").json()]

    assert listed[0] == here
    assert len(listed) == 2


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])

        done = holdfast(tmp_path / "home", tmp_path, "serve", "--port", port)

    assert (done.returncode, done.stdout) == (6, "")
    assert "take another port with --port" in done.stderr
    assert not (tmp_path / "home/serve/running.json").exists()


@pytest.mark.parametrize("port", ["-1", "65536", "http", "٣"])
def test_a_port_that_is_none_is_told(tmp_path: Path, port: str) -> None:
    done = holdfast(tmp_path / "home", tmp_path, "serve", f"--port={port}")

    assert done.returncode == 2
    assert "from 0 to 65535" in done.stderr


def test_a_host_that_is_none_is_told(tmp_path: Path) -> None:
    words = ("--host", "no-such-host.invalid", "--allow-remote", "--behind-proxy", "x.example", "--port", "0")

    done = holdfast(tmp_path / "home", tmp_path, "serve", *words)

    assert done.returncode == 6
    assert "Cannot listen" in done.stderr


def test_two_servers_of_one_home_do_not_take_each_others_place(tmp_path: Path) -> None:
    home = str(tmp_path)
    with announce_server(home, "http://127.0.0.1:1"):
        with announce_server(home, "http://127.0.0.1:2"):
            assert find_running_server(home) == "http://127.0.0.1:1"

        assert find_running_server(home) == "http://127.0.0.1:1"
    assert find_running_server(home) == ""


def test_without_the_packages_it_says_how_to_get_them(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util\n"
        "real = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, package=None: None if name == 'uvicorn' else real(name, package)\n"
    )

    done = holdfast(tmp_path / "home", tmp_path, "serve", "--port", "0", PYTHONPATH=str(tmp_path))

    assert done.returncode == 6
    assert "-m pip install 'fastapi>=" in done.stderr


# Other machines


def test_tls_is_spoken_to_others_and_only_under_names_that_were_given(tmp_path: Path) -> None:
    pem, key = certificate(tmp_path)
    wanted = ServeOptions(host="0.0.0.0", remote=True, certificate=str(pem), key=str(key), names=("site.example",))
    check_binding(wanted)
    with threaded(tmp_path / "home", wanted) as served:
        trust = ssl.create_default_context(cafile=str(pem))
        headers = {"Authorization": f"Bearer {served.token}"}
        with httpx2.Client(verify=trust, headers=headers, timeout=PATIENCE) as client:
            url = f"https://localhost:{served.port}/api/me"

            assert served.url.startswith("https://")
            assert client.get(url).status_code == 200
            assert client.get(url, headers={"Host": f"site.example:{served.port}"}).status_code == 200
            assert client.get(url, headers={"Host": f"other.example:{served.port}"}).status_code == 403
        assert served.raw(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")[:4] != b"HTTP"


def test_a_certificate_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "bad.pem").write_text("no certificate")
    base = ("serve", "--host", "0.0.0.0", "--allow-remote", "--port", "0", "--tls-cert", "bad.pem")

    alone = holdfast(tmp_path / "home", tmp_path, *base)
    bad = holdfast(tmp_path / "home", tmp_path, *base, "--tls-key", "bad.pem")
    missing = holdfast(tmp_path / "home", tmp_path, *base, "--tls-key", "missing.key")

    assert [done.returncode for done in (alone, bad, missing)] == [2, 2, 2]
    assert "one of the two is missing" in alone.stderr


def test_a_proxys_name_is_ours_with_its_own_origin(tmp_path: Path) -> None:
    with threaded(tmp_path / "home", ServeOptions(proxied=("memory.example",))) as served:
        host = {"Host": "memory.example"}

        assert served.get("/api/me", headers=host).status_code == 200
        assert served.post("/api/tickets", headers={**host, "Origin": "https://memory.example"}).status_code == 201
        assert served.post("/api/tickets", headers={**host, "Origin": "http://memory.example"}).status_code == 403
        assert served.post("/api/tickets", headers={**host, "Origin": served.url}).status_code == 403
        assert served.get("/api/me", headers={"Host": "evil.example"}).status_code == 403
        assert "wss://memory.example" in served.get("/", headers=host).headers["content-security-policy"]


# Stopping


def test_a_request_under_way_is_answered_before_it_stops(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with serving(home, tmp_path) as served:
        key = new_link(str(home), served.url).partition("#key=")[2]
        made, rest = half_sent(served, key)
        served.process.send_signal(signal.SIGTERM)
        until_refused(served)

        made.sendall(rest)
        answer = read_answer(made)

        assert answer.startswith(b"HTTP/1.1 200")
        assert b'"token":"hfst_' in answer
        assert served.process.wait(PATIENCE) == 0
        made.close()
    assert sorted(file.name for file in (home / "serve").iterdir()) == [".lock", "sessions.json", "token"]


def test_sockets_are_told_to_come_back(tmp_path: Path) -> None:
    home = tmp_path / "home"
    wid = new_workspace(tmp_path / "project", home)
    with serving(home, tmp_path / "project") as served:
        with served.socket(f"/api/workspace/{wid}/events") as opened:
            assert json.loads(opened.recv(PATIENCE))["type"] == "snapshot"
            served.process.send_signal(signal.SIGINT)
            code = close_code(opened)

        assert code == 1012
        assert served.process.wait(PATIENCE) == 0


def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    with serving(tmp_path / "home", tmp_path) as served:
        made, _ = half_sent(served, "x")
        served.process.send_signal(signal.SIGTERM)
        until_refused(served)

        served.process.send_signal(signal.SIGTERM)

        assert served.process.wait(PATIENCE) == -signal.SIGTERM
        made.close()


def test_studio_gives_a_link_of_the_server_that_runs_and_not_of_one_that_was_killed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with serving(home, tmp_path) as served:
        shown = tmp_path / "shown"
        done = holdfast(home, tmp_path, "serve", "--open", "--json", BROWSER=f"sh -c 'echo \"$0\" > {shown}' %s")
        link = json.loads(done.stdout)["url"]
        key = link.partition("#key=")[2]
        given = served.post("/api/session", token=None, json={"key": key}).json()

        assert link.startswith(served.url + "/#key=")
        assert shown.read_text().strip() == link
        assert given["token"].startswith("hfst_")
        assert given["token"] != served.token
        assert served.stop(signal.SIGKILL) == -signal.SIGKILL

    assert (home / "serve/running.json").exists()
    assert find_running_server(str(home)) == ""


def test_studio_serves_where_no_server_runs(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with subprocess.Popen(
        [sys.executable, "-m", "holdfast.cli.main", "serve", "--open", "--no-browser", "--port", "0"],
        cwd=tmp_path, env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout
        lines = [process.stdout.readline() for _ in range(2)]
        url, _, key = lines[1].split()[-1].partition("/#key=")
        given = httpx2.post(f"{url}/api/session", json={"key": key}, timeout=PATIENCE).json()
        process.terminate()

        assert (process.wait(PATIENCE), process.communicate()[1]) == (0, "")
    assert lines[0].startswith(f"Holdfast serves at {url}")
    assert given["token"].startswith("hfst_")
    assert given["token"] != (home / "serve/token").read_text().strip()


def test_tokens_are_made_shown_once_listed_and_removed(tmp_path: Path) -> None:
    home = tmp_path / "home"

    def token(*words: str) -> subprocess.CompletedProcess[str]:
        return holdfast(home, tmp_path, "serve", "token", *words)

    made = token("add", "editor", "--right", "run")
    listed = token("list")

    assert made.stdout.startswith("hfst_")
    assert "shown once" in made.stderr
    assert made.stdout.strip() not in listed.stdout
    assert listed.stdout.split()[:3] == ["editor", "read,", "run"]
    assert json.loads(token("--json").stdout)["tokens"][0]["rights"] == ["read", "run"]
    assert token("add", "editor").returncode == 4
    assert token("remove", "editor").returncode == 0
    assert token("remove", "editor").returncode == 3
    assert token("add", "a b").returncode == 2
    assert "No token besides your own" in token().stdout


def test_a_server_that_stops_is_not_ready(tmp_path: Path) -> None:
    with threaded(tmp_path / "home") as served:
        before = served.get("/api/health/ready").status_code
        served.serving.stopping.set()

        after = served.get("/api/health/ready")

        assert (before, after.status_code) == (200, 503)
        assert served.get("/api/health").json()["status"] == "stopping"
