"""`stoa sql` on a terminal: lines, history, completion, commands, and Ctrl-C."""

import os
import pty
import select
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test


class Shell(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.stoa("import", self.write("e.csv", "id,energy\n1,1.5\n2,7.5\n"), f"{self.dir}/run.h5:/events")
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(self.dir)
            os.environ.update(TERM="xterm", NO_COLOR="1", XDG_STATE_HOME=str(self.dir / "state"))
            os.execv(stoa_test.STOA, ["stoa", "sql"])
        self.addCleanup(os.close, self.terminal)
        self.wait_for("stoa> ")

    def wait_for(self, text, seconds=60):
        """What appears until a text does, that included."""
        seen = ""
        end = time.monotonic() + seconds
        while text not in seen:
            ready = select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0]
            if not ready:
                self.fail(f"{text!r} does not appear: {seen!r}")
            try:
                seen += os.read(self.terminal, 65536).decode()
            except OSError:  # the shell has ended
                self.assertIn(text, seen)
        return seen

    def type(self, keys, until="stoa> "):
        os.write(self.terminal, keys.encode())
        return self.wait_for(until)

    def leave(self):
        os.write(self.terminal, b".quit\n")
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])

    def test_a_statement_may_have_several_lines(self):
        self.type("select sum(energy) as e\n", until="... ")
        self.assertIn("9.0", self.type("from 'run.h5:/events'; \n"))
        self.assertIn("41", self.type("create table t as select 41 as x; from t;\n"))
        self.assertEqual(self.leave(), 0)

    def test_a_mistake_does_not_end_it(self):
        self.assertIn("Parser Error", self.type("select 1 form t;\n"))
        self.assertIn("none.h5: no such file", self.type("from 'none.h5';\n"))
        self.assertIn("'run.h5:/events'", self.type(".tables run.h5\n"))
        self.assertIn("Ctrl-D", self.type(".help\n"))
        self.assertEqual(self.leave(), 0)

    def test_ctrl_c_ends_a_statement_and_clears_a_line(self):
        os.write(self.terminal, b"select count(*) from range(100000000000), range(1000);\n")
        time.sleep(0.5)
        began = time.monotonic()
        self.assertIn("interrupted", self.type("\x03"))
        self.assertLess(time.monotonic() - began, 2)
        self.type("select 1 as\n", until="... ")
        self.type("\x03")
        self.assertIn("17", self.type("select 17 as x;\n"))
        self.assertEqual(self.leave(), 0)

    def test_words_are_completed_and_lines_come_back(self):
        editor = stoa_test.run(sys.executable, "-c", "import ctypes; ctypes.CDLL('libedit.so.2')")
        if editor.returncode != 0:
            self.leave()
            self.skipTest("libedit is not there")
        self.assertIn("9.0", self.type("sel\t sum(energy) from 'run.h5:/ev\t';\n"))
        self.assertIn("9.0", self.type("\x10\n"))  # Ctrl-P
        self.assertEqual(self.leave(), 0)
        self.assertIn("sum(energy)", (self.dir / "state/stoa/sql_history").read_text())


if __name__ == "__main__":
    stoa_test.needs_duckdb()
    stoa_test.need_terminals()
    stoa_test.main()
