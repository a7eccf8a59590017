"""Kill a command at a moment of one's choice."""

import os
import signal
import subprocess
import time

import stoa_test

JOURNAL_ENDS = b"STOAJEND"  # docs/crash-safety.md: the last bytes of a file between commit and end


def whole_time(command, again):
    """Seconds that an undisturbed run takes, the longest of three; `again()` puts things back."""
    longest = 0
    for _ in range(3):
        began = time.monotonic()
        done = stoa_test.run(*command)
        longest = max(longest, time.monotonic() - began)
        assert done.returncode == 0, done.stderr
        again()
    return longest


def kill_after(command, seconds):
    """Start a command and kill it `seconds` later; whether it had not ended by itself."""
    process = start(command)
    time.sleep(seconds)
    return kill(process)


def kill_in_commit(command, file, seconds):
    """Kill a command `seconds` after its journal record is seen at the end of `file`."""
    process = start(command)
    descriptor = os.open(file, os.O_RDONLY)
    try:
        while process.poll() is None:
            end = os.fstat(descriptor).st_size
            if os.pread(descriptor, len(JOURNAL_ENDS), end - len(JOURNAL_ENDS)) == JOURNAL_ENDS:
                break
    finally:
        os.close(descriptor)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass  # a sleep would be longer than the moment we are after
    return kill(process)


def start(command):
    return subprocess.Popen(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def kill(process):
    process.kill()
    return process.wait() == -signal.SIGKILL


def leaves_nothing(directory):
    """Can files without a name be made there? Then a killed program leaves nothing behind."""
    try:
        os.close(os.open(directory, os.O_TMPFILE | os.O_WRONLY))
    except (OSError, AttributeError):
        return False
    return True
