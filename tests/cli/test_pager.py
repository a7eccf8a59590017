"""Long output on a terminal goes through a pager (src/cli/common/pager.c)."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test


class Pager(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.file = self.dir / "a.h5"
        self.stoa("import", self.write("a.csv", "n\n" + "".join(f"{i}\n" for i in range(100000))), self.file)

    def on_terminal(self, *arguments, rows=24, keys=None, wait_for=None, **env):
        """Run stoa on a terminal of its own; its status, and what was shown. `keys` are pressed
        once the file `wait_for` is there."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))
        clean = {k: v for k, v in os.environ.items() if k not in ("PAGER", "STOA_PAGER", "LESS")}
        process = subprocess.Popen(
            [stoa_test.STOA, *map(str, arguments)], stdin=theirs, stdout=theirs, stderr=theirs, cwd=self.dir,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            env={**clean, "TERM": "xterm", "NO_COLOR": "1", **env},
        )  # fmt: skip
        shown = b""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if keys and (self.dir / wait_for).exists():
                time.sleep(0.1)
                os.write(ours, keys)
                keys = None
            if select.select([ours], [], [], 0.05)[0]:
                shown += os.read(ours, 65536)
            elif process.poll() is not None:
                break
        else:
            process.kill()
            self.fail(f"it did not end: {shown[-500:]}")
        os.close(theirs)
        os.close(ours)
        return process.returncode, shown.decode("utf-8", "replace").replace("\r", "")

    def seen(self):
        return (self.dir / "seen").read_text().splitlines()

    def rows(self, n, **how):
        return self.on_terminal("query", self.file, "-n", n, **how)

    def test_only_output_that_is_longer_than_the_screen_is_paged(self):
        plain = self.stoa("query", self.file, "-n", "22").stdout
        for env in ({"PAGER": "cat > seen"}, {"STOA_PAGER": "cat > seen", "PAGER": "false"}):
            self.assertEqual(self.rows(21, **env), (0, self.stoa("query", self.file, "-n", "21").stdout))
            self.assertFalse((self.dir / "seen").exists())
            self.assertEqual(self.rows(22, **env), (0, ""))
            self.assertEqual("\n".join(self.seen()) + "\n", plain)
            (self.dir / "seen").unlink()

    def test_long_lines_count_as_the_terminal_wraps_them(self):
        self.stoa("import", self.write("b.csv", "s\n" + ("é" * 200 + "\n") * 8), self.dir / "b.h5")
        status, shown = self.on_terminal("query", self.dir / "b.h5", "-f", "csv", PAGER="cat > seen")
        self.assertEqual((status, shown, len(self.seen())), (0, "", 9))

    def test_messages_go_where_the_output_goes(self):
        status, shown = self.on_terminal("query", self.file, PAGER="cat > seen")
        self.assertEqual((status, shown), (0, ""))
        self.assertIn("the first 50 of 100000 rows", self.seen()[-1])
        status, shown = self.on_terminal("info", self.file, self.dir / "none.h5", self.file, rows=100, PAGER="cat > seen")
        self.assertEqual(status, 3)
        self.assertLess(shown.index("table "), shown.index("none.h5"))
        self.assertGreater(shown.rindex("table "), shown.index("none.h5"))

    def test_help_is_paged_too(self):
        self.assertEqual(self.on_terminal("convert", "--help", PAGER="cat > seen"), (0, ""))
        self.assertEqual("\n".join(self.seen()) + "\n", self.stoa("convert", "--help").stdout)

    def test_less_shows_the_first_screen_until_it_is_left(self):
        bin = self.dir / "bin"
        bin.mkdir()
        (bin / "less").write_text('#!/bin/sh\necho "$LESS" > options\nexec cat > seen\n')
        (bin / "less").chmod(0o755)
        path = f"{bin}:{os.environ['PATH']}"
        self.assertEqual(self.rows(100, PATH=path), (0, ""))
        self.assertEqual((self.dir / "options").read_text(), "FRX\n")
        self.assertEqual(self.rows(100, PATH=path, LESS="S"), (0, ""))
        self.assertEqual((self.dir / "options").read_text(), "S\n")

    def test_no_pager_where_none_is_wanted(self):
        wanted = self.stoa("query", self.file, "-n", "100").stdout
        for env in ({"PAGER": ""}, {"PAGER": "cat"}, {"STOA_PAGER": "", "PAGER": "cat > seen"},
                    {"PAGER": "cat > seen", "TERM": "dumb"}, {"PAGER": "nosuchpager -x"},
                    {"PAGER": "/no/such/pager"}):  # fmt: skip
            self.assertEqual(self.rows(100, **env), (0, wanted), env)
        self.assertEqual(self.on_terminal("query", self.file, "-n", "100", "--no-pager", PAGER="cat > seen"), (0, wanted))
        self.assertFalse((self.dir / "seen").exists())
        piped = self.stoa("query", self.file, "-n", "100", env={"PAGER": "cat > seen"}, cwd=self.dir)
        self.assertEqual(piped.stdout, wanted)

    def test_a_pager_that_is_left_early_ends_the_query_without_an_error(self):
        for pager in ("head -n 2", "exec sleep 0", "false"):
            status, shown = self.rows(100000, PAGER=pager)
            self.assertEqual(status, 0, shown)
            self.assertNotIn("stoa:", shown)
        self.assertEqual(shown, "")

    def test_the_status_is_that_of_the_command(self):
        bad = [self.file] * 12 + [self.dir / "none.h5"]
        self.assertEqual(self.on_terminal("info", *bad, PAGER="cat > seen")[0], 3)
        self.assertIn("none.h5", self.seen()[-2] + self.seen()[-1])
        self.assertEqual(self.on_terminal("info", *bad, PAGER="head -n 1")[0], 3)

    def test_it_is_waited_for(self):
        status, shown = self.rows(100, PAGER="cat > seen; sleep 0.5; echo $$ > pid; echo done")
        self.assertEqual((status, shown), (0, "done\n"))
        with self.assertRaises(ProcessLookupError):
            os.kill(int((self.dir / "pid").read_text()), 0)

    def test_ctrl_c_interrupts_the_command_and_waits_for_the_pager(self):
        # The pager reads nothing, so that the command waits for it.
        pager = "trap '' INT; touch up; sleep 0.5; cat > seen; echo done"
        status, shown = self.rows(100000, PAGER=pager, keys=b"\x03", wait_for="up")
        self.assertEqual((status, shown.replace("^C", "")), (130, "done\n"))
        self.assertTrue(any("interrupted" in line for line in self.seen()[-2:]), self.seen()[-2:])

    def test_ctrl_c_in_the_pager_leaves_a_command_that_is_done_alone(self):
        pager = "trap '' INT; cat > seen; touch up; sleep 0.5; echo done"
        status, shown = self.rows(100, PAGER=pager, keys=b"\x03", wait_for="up")
        self.assertEqual((status, shown.replace("^C", "")), (0, "done\n"))


if __name__ == "__main__":
    stoa_test.need_terminals()
    stoa_test.main()
