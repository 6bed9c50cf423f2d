"""A PostgreSQL server in a temporary folder, reachable through a unix socket only."""

import contextlib
import os
import pathlib
import pwd
import subprocess
import tempfile

FOLDERS = [pathlib.Path(f"/usr/lib/postgresql/{version}/bin") for version in (17, 15)]
PROGRAMS = next((folder for folder in FOLDERS if (folder / "initdb").exists()), None)


@contextlib.contextmanager
def server():
    """Starts a server, and gives its folder. PostgreSQL does not run as root; then it runs as the user postgres."""
    user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
    prefix = ["/usr/sbin/runuser", "-u", "postgres", "--"] if user else []
    with tempfile.TemporaryDirectory(prefix="outrider-pg-", ignore_cleanup_errors=True) as folder:
        if user:
            os.chown(folder, user.pw_uid, user.pw_gid)

        def run(program, *words):
            nothing = subprocess.DEVNULL
            subprocess.run([*prefix, PROGRAMS / program, *words], check=True, cwd="/", stdin=nothing, stdout=nothing)

        run("initdb", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-sync", "-D", f"{folder}/data")
        with open(f"{folder}/data/postgresql.conf", "a") as file:
            file.write(f"listen_addresses = ''\nunix_socket_directories = '{folder}'\nfsync = off\n")
        run("pg_ctl", "-w", "-s", "-D", f"{folder}/data", "-l", f"{folder}/log", "start")
        try:
            yield folder
        finally:
            run("pg_ctl", "-w", "-s", "-m", "immediate", "-D", f"{folder}/data", "stop")


def psql(folder, database, text):
    """Runs statements. Returns the rows, and the fault."""
    words = ["psql", "-h", folder, "-U", "postgres", "-d", database, "-XAtq", "-v", "ON_ERROR_STOP=1"]
    done = subprocess.run(words, input=text, capture_output=True, text=True)
    return done.stdout.splitlines(), done.stderr.strip()
