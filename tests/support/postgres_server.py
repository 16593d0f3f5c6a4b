"""A throw-away PostgreSQL server on loopback, which can be stopped and started again."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import URL, create_engine, text
from sqlalchemy.exc import OperationalError

PASSWORD = "s3cret/with@signs"  # the two characters a URL must encode
DATABASE = "exams"


class Server:
    """One server; `start` it and `stop` it as often as you like."""

    def __init__(self, binaries: Path, home: Path, port: int) -> None:
        self.port = port
        self._binaries = binaries
        self._home = home
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, *, password: str | None = PASSWORD, database: str = DATABASE) -> str:
        url = URL.create("postgresql", "examiner", password, "127.0.0.1", self.port, database)
        return url.render_as_string(hide_password=False)

    def start(self) -> None:
        options = {"listen_addresses": "127.0.0.1", "unix_socket_directories": self._home, "port": self.port}
        # durable against a killed server, not against a power cut
        options |= {"fsync": "off", "max_connections": 200}
        arguments = [part for key, value in options.items() for part in ("-c", f"{key}={value}")]
        command = [self._binaries / "postgres", "-D", self._home / "data", *arguments]
        with (self._home / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self._home, **_as_somebody())
        self._wait_until_ready()

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT: connections are cut, what was committed stays. SIGQUIT: at once, as if it had crashed."""
        assert self._process is not None
        self._process.send_signal(how)
        self._process.wait(timeout=30)

    def _wait_until_ready(self) -> None:
        for _ in range(400):
            try:
                self.make_database(DATABASE)
            except OperationalError:
                assert self._process is not None
                assert self._process.poll() is None, "the server did not start"
                time.sleep(0.05)
            else:
                return

    def make_database(self, name: str) -> str:
        """Make it where it is not there yet; its URL."""
        engine = create_engine(self.url(database="postgres").replace("postgresql:", "postgresql+psycopg:"))
        try:
            with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                if not connection.scalar(text(f"SELECT 1 FROM pg_database WHERE datname = '{name}'")):
                    connection.execute(text(f"CREATE DATABASE {name}"))
        finally:
            engine.dispose()
        return self.url(database=name)


@contextmanager
def started() -> Iterator[Server]:
    """A server with an empty database; skips the test where PostgreSQL is not installed."""
    binaries = _binaries()
    if binaries is None:
        pytest.skip("PostgreSQL's initdb is not in /usr/lib/postgresql")
    somebody = _as_somebody()
    home = Path(tempfile.mkdtemp(prefix="viva-postgres-"))
    try:
        (home / "password").write_text(PASSWORD, encoding="ascii")
        if somebody:
            shutil.chown(home, somebody["user"])
            shutil.chown(home / "password", somebody["user"])
        # a collation that is not C: orders must not come from the server
        icu = ["--locale-provider=icu", "--icu-locale=en"] if int(binaries.parent.name) >= 15 else []
        command = [binaries / "initdb", "-D", home / "data", "-U", "examiner", "--encoding=UTF8", "--no-sync"]
        command += ["--auth=scram-sha-256", f"--pwfile={home / 'password'}", "--locale=C.UTF-8", *icu]
        subprocess.run(command, check=True, capture_output=True, cwd=home, **somebody)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        server = Server(binaries, home, port)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _binaries() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parent.parent.name))
    return found[-1].parent if found else None


def _as_somebody() -> dict[str, str]:
    """initdb refuses to run as root."""
    import pwd

    if os.getuid() != 0:
        return {}
    names = {entry.pw_name for entry in pwd.getpwall()}
    return {"user": "postgres" if "postgres" in names else "nobody"}
