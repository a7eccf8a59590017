"""Running commands and taking their time: interleaved, so that whatever else this machine does
meanwhile falls on all of them alike."""

import hashlib
import os
import pickle
import statistics
import subprocess
import sys
import time
import traceback
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
    times_itself: bool = False  # the last line on stderr is the time after its start
    seconds: list = field(default_factory=list)
    inside: list = field(default_factory=list)
    peak: int = 0  # bytes
    said: Path = None  # where its last answer is: this process stays small, for each child begins as a copy of it

    def run(self, scratch):
        for path in self.makes:
            Path(path).unlink(missing_ok=True)
        if self.makes:
            os.sync()  # what others left to be written is not this one's to pay for
        for path in self.cold:
            forget(path)
        out, err = scratch / f"stdout of {self.name}".replace("/", "-"), scratch / "stderr"
        with open(out, "wb") as stdout, open(err, "wb") as stderr:
            began = time.perf_counter()
            process = subprocess.Popen(
                [str(word) for word in self.command],
                stdin=subprocess.DEVNULL,
                stdout=stdout,
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
        self.said = out

    @property
    def answer(self):
        """What it wrote to stdout at last."""
        return self.said.read_text(errors="replace")

    @property
    def least(self):
        return min(self.seconds)

    @property
    def middle(self):
        return statistics.median(self.seconds)


@dataclass
class Task:
    """What the runners of one table do, each in its way."""

    name: str
    runners: list
    check: object = None  # called after each round; says what is wrong with the answers, or nothing
    is_said: bool = False  # the answers are what the runners say: the same once more needs no check
    checked: list = None
    wrong: str = ""

    @property
    def stoa(self):
        return next(runner for runner in self.runners if runner.is_stoa)


def digest_of(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


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
            said = [digest_of(runner.said) for runner in task.runners] if task.is_said else None
            if task.check and (said is None or said != task.checked):
                task.checked = said
                found, _ = in_child(lambda: task.check(task))  # noqa: B023
                task.wrong = task.wrong or found or ""
    if shows:
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def in_child(work):
    """What work() returns, and the most memory of its process, which begins as a copy of this one."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            with os.fdopen(write, "wb") as out:
                pickle.dump(work(), out)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read, "rb") as source:
        answer = source.read()
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        raise Broken("a question failed")
    return pickle.loads(answer), usage.ru_maxrss * 1024


class Peak:
    """The most memory of this process since it began to ask, in bytes, without what it had."""

    def __enter__(self):
        Path("/proc/self/clear_refs").write_text("5")
        self.before = self.of("VmRSS")
        return self

    def __exit__(self, *ignored):
        self.bytes = 1024 * max(self.of("VmHWM") - self.before, 0)

    @staticmethod
    def of(what):
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith(what)).split()[1])


def alternate(rounds, asks, digest):
    """The times, the most memory, and what digest() says of the answer, of questions that are asked in turn: three dicts."""
    times, memory, answers = {who: [] for who in asks}, dict.fromkeys(asks, 0), {}
    for k in range(rounds):
        names = list(asks)
        for who in names[k % len(names) :] + names[: k % len(names)]:
            with Peak() as peak:
                began = time.perf_counter()
                found = asks[who]()
                times[who].append(time.perf_counter() - began)
            memory[who] = max(memory[who], peak.bytes)
            if who not in answers:
                answers[who] = digest(found)
            found = None  # frees it
    return times, memory, answers
