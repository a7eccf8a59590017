"""Running commands and taking their time: interleaved, so that whatever else this machine does
meanwhile falls on all of them alike."""

import os
import resource
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path


class Broken(Exception):
    """The bench cannot go on; the text says why."""


def forget(path):
    """Take a file out of the page cache. The programs that read it stay there."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


@dataclass
class Runner:
    """One way to do a task: a command, what it makes, and what its runs took."""

    name: str
    command: list
    makes: list = field(default_factory=list)  # files, removed before each run
    cold: list = field(default_factory=list)  # files that must come from the disk
    env: dict = None
    is_stoa: bool = False
    is_limit: bool = False  # what the machine can do, not a rival
    times_itself: bool = False  # the last line on stderr is the time after its start
    seconds: list = field(default_factory=list)
    inside: list = field(default_factory=list)
    peak: int = 0  # bytes
    answer: str = ""

    def run(self, scratch):
        for path in self.makes:
            Path(path).unlink(missing_ok=True)
        if self.makes:
            os.sync()  # what others left to be written is not this one's to pay for
        for path in self.cold:
            forget(path)
        out, err = scratch / "stdout", scratch / "stderr"
        with open(out, "wb") as stdout, open(err, "wb") as stderr:
            began = time.perf_counter()
            process = subprocess.Popen(
                [str(word) for word in self.command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL if self.is_limit else stdout,
                stderr=stderr,
                env=self.env,
            )
            try:
                _, status, usage = os.wait4(process.pid, 0)
            except BaseException:
                process.terminate()  # sudo, where it stands between, passes this on
                process.wait()
                raise
            seconds = time.perf_counter() - began
            process.returncode = os.waitstatus_to_exitcode(status)
        said = err.read_text(errors="replace").strip()
        if process.returncode != 0:
            raise Broken(f"{self.name} ended with {process.returncode}: {said[-2000:]}")
        self.seconds.append(seconds)
        self.inside += [float(said.split("\n")[-1])] if self.times_itself else []
        self.peak = max(self.peak, usage.ru_maxrss * 1024)
        self.answer = "" if self.is_limit else out.read_text(errors="replace")

    @property
    def least(self):
        return min(self.seconds)

    @property
    def middle(self):
        return statistics.median(self.seconds)


@dataclass
class Task:
    """What the runners of one table do, each in its way."""

    kind: str  # import, query
    name: str
    runners: list
    bytes: int = 0  # of CSV text, where that is the measure
    check: object = None  # called after each round; raises Broken

    @property
    def stoa(self):
        return next(runner for runner in self.runners if runner.is_stoa)


def measure(tasks, rounds, scratch):
    """Every runner of every task once a round, beginning with another one each time."""
    shows = sys.stderr.isatty()
    for task in tasks:
        for k in range(rounds):
            turn = k % len(task.runners)
            for runner in task.runners[turn:] + task.runners[:turn]:
                if shows:
                    print(f"\r\033[K{task.name}, round {k + 1}: {runner.name}", end="",
                          file=sys.stderr, flush=True)  # fmt: skip
                runner.run(scratch)
            if task.check:
                task.check(task)
    if shows:
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def own_memory():
    """Bytes of this process: less than that no child is seen to use (it begins as a copy of us)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
