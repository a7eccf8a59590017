"""Who takes part: Stoa, DuckDB, pandas, and the machine itself; and how each is asked."""

import os
import shutil
import subprocess
from pathlib import Path

from answers import agree
from clock import Broken, Runner, Task
from questions import QUESTIONS

THREADS = 2
SOURCE = Path(__file__).resolve().parent.parent


def peers_place():
    root = os.environ.get("STOA_PEERS")
    if not root:
        asked = [SOURCE / "scripts/peers", "--print"]
        root = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    if not root or not Path(root).is_dir():
        raise Broken("DuckDB and pandas are of the peers' environment, which is not there; run: make peers")
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

    def pandas(self, name, *words, makes=()):
        command = self.command("python3", "-B", "in_pandas.py", str(THREADS), *words)
        return self.runner(name, command, makes, times_itself=True)

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

    def imports(self, name, csv, file, *more):
        words = ["import", self.scratch / csv, f"{self.scratch / file}:/flights", *more]
        return self.runner(name, *words, makes=[file])

    def asks(self, name, question, *more):
        words = ["query", f"{self.scratch / 'stoa.h5'}:/flights", "-f", "csv"]
        return self.runner(name, *words, "--threads", THREADS, *question.stoa, *more)


def limit(name, *command, makes=()):
    return Runner(name, list(command), list(makes), is_limit=True)


def imports(stoa, peers, scratch, n_bytes):
    csv, packed = scratch / "flights.csv", scratch / "flights.csv.gz"
    copy = "COPY (FROM read_csv('{}')) TO '{}' (FORMAT parquet)"
    yield Task("import", "CSV to a table", [
        stoa.imports("Stoa", "flights.csv", "stoa.h5", "--index", "date"),
        stoa.imports("Stoa, without index", "flights.csv", "plain.h5"),
        peers.duckdb("DuckDB to Parquet", copy.format("flights.csv", "duckdb.parquet"),
                     makes=["duckdb.parquet"]),
        peers.duckdb("DuckDB to its own file", "CREATE TABLE flights AS FROM 'flights.csv'",
                     makes=["native.duckdb"], database=["native.duckdb"]),
        peers.pandas("pandas to Parquet", "import", "parquet", makes=["pandas.parquet"]),
        peers.pandas("pandas to HDF5", "import", "hdf5", makes=["pandas.h5"]),
        limit("cat CSV", "cat", csv),
        limit("copy CSV and sync", "dd", f"if={csv}", f"of={scratch / 'copy'}", "bs=1M",
              "conv=fsync", makes=[scratch / "copy"]),
    ], n_bytes)  # fmt: skip
    yield Task("import", "CSV.gz to a table", [
        stoa.imports("Stoa", "flights.csv.gz", "packed.h5", "--index", "date"),
        peers.duckdb("DuckDB to Parquet", copy.format("flights.csv.gz", "packed.parquet"),
                     makes=["packed.parquet"]),
        limit("gzip -dc", "gzip", "-dc", packed),
    ], n_bytes)  # fmt: skip


def queries(stoa, peers, scratch):
    view = "CREATE TEMP VIEW flights AS FROM '{}'; "
    for number, question in enumerate(QUESTIONS):
        runners = [stoa.asks("Stoa", question)]
        if question.by_index:
            runners.append(stoa.asks("Stoa, without index", question, "--no-index"))
        runners += [
            peers.duckdb("DuckDB on Parquet", view.format("duckdb.parquet") + question.sql),
            peers.duckdb("DuckDB on its own file", question.sql,
                         database=["-readonly", "native.duckdb"]),
            peers.duckdb("DuckDB on CSV", view.format("flights.csv") + question.sql),
            peers.pandas("pandas on Parquet", "ask", "parquet", str(number)),
            peers.pandas("pandas on HDF5", "ask", "hdf5", str(number)),
        ]  # fmt: skip
        runners.append(limit("cat Stoa's file", "cat", scratch / "stoa.h5"))
        yield Task("query", question.name, runners, check=agree(question.ordered))


def lend(scratch, here):
    """Put what the peers run into the bench's directory."""
    for name in ("in_pandas.py", "questions.py"):
        shutil.copy(here / name, scratch)
