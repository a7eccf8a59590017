"""Who takes part: Stoa, and the programs and libraries of the peers' environment; how each is started."""

import os
import subprocess
from pathlib import Path

from clock import Broken, Runner

THREADS = 2
SOURCE = Path(__file__).resolve().parent.parent


def peers_place():
    root = os.environ.get("STOA_PEERS")
    if not root:
        asked = [SOURCE / "scripts/peers", "--print"]
        root = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    if not root or not Path(root).is_dir():
        raise Broken("DuckDB and others are of the peers' environment, which is not there; run: make peers")
    return Path(root)


class Peers:
    """The programs and libraries of the peers' environment, run in the bench's directory."""

    def __init__(self, root, scratch):
        self.scratch = scratch
        self.root = root

    def command(self, *words):
        settings = [f"PATH={self.root}/bin:/usr/bin:/bin", "HOME=/tmp", "LC_ALL=C.UTF-8", "TZ=UTC"]
        settings += [f"{name}={THREADS}" for name in ("OMP_NUM_THREADS", "NUMEXPR_MAX_THREADS")]
        return ["env", "-i", "-C", str(self.scratch), *settings, *words]

    def says(self, *words):
        done = subprocess.run(self.command(*words), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Broken(f"the peers' {words[0]} does not work: {done.stderr.strip()}")
        return done.stdout.strip()

    def duckdb(self, name, sql, makes=(), database=()):
        sql = f"SET threads={THREADS}; {sql}"
        command = self.command("duckdb", *database, "-csv", "-noheader", "-bail", "-c", sql)
        return self.runner(name, command, makes)

    def runner(self, name, command, makes, **more):
        makes = [self.scratch / name for name in makes]
        return Runner(name, command, makes, **more)


class Stoa:
    def __init__(self, binary, scratch):
        self.binary = binary
        self.scratch = scratch
        # What this bench teaches Stoa to trust, it forgets.
        self.env = {**os.environ, "XDG_STATE_HOME": str(scratch / "state")}

    def runner(self, name, *words, makes=()):
        makes = [self.scratch / name for name in makes]
        return Runner(name, [self.binary, *words], makes, env=self.env, is_stoa=True)
