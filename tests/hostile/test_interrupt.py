"""Ctrl-C and SIGTERM: one line, status 128 + signal, and the file as it was."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

HEAD = "i,x,w\n"
LAYOUTS = ("pytables", "h5tb", "pandas-table", "pandas-fixed", "anndata")


def rows(first, last):
    return "".join(f"{i},{i * 7919 % 65521 / 7},w{i * 31 % 97}\n" for i in range(first, last))


class Interrupt(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.file = self.dir / "a.h5"
        self.place = f"{self.file}:/t"
        self.stoa("import", self.write("a.csv", HEAD + rows(0, 5000)), self.place)

    def snapshot(self):
        return {path.name: path.read_bytes() for path in self.dir.iterdir() if path.is_file()}

    def start(self, *arguments, **how):
        return subprocess.Popen(
            [stoa_test.STOA, *map(str, arguments)],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            **how,
        )

    def interrupt_input(self, signal_number, *arguments):
        """Feed a command on stdin, then signal it while it waits for more."""
        before = self.snapshot()
        process = self.start(*arguments, stdin=subprocess.PIPE)
        process.stdin.write(HEAD + rows(5000, 60000))
        process.stdin.flush()
        time.sleep(0.5)
        process.send_signal(signal_number)
        _, said = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 128 + signal_number, said)
        self.assertEqual(self.snapshot(), before)
        return said

    def words(self, place):
        """What it says; the latter where a busy machine gave it no time to end by itself."""
        return (f"stoa: interrupted; {place} is unchanged\n",
                "stoa: interrupted; no file was changed\n")  # fmt: skip

    def test_an_import_that_waits_for_input_ends_at_once(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            new = f"{self.dir}/new.h5:/t"
            self.assertIn(self.interrupt_input(number, "import", "-", new), self.words(new))

    def test_a_fifo_is_waited_for_as_input_alone_and_until_a_signal(self):
        fifo = self.dir / "fifo"
        os.mkfifo(fifo)
        for command in (("ls", fifo), ("info", fifo), ("query", fifo), ("check", fifo),
                        ("diff", fifo, self.file), ("diff", self.file, fifo), ("dump", fifo),
                        ("stat", fifo), ("repack", fifo, self.dir / "out.h5"),
                        ("convert", fifo, self.dir / "out.h5", "--to", "hep001"),
                        ("update", f"{fifo}:/t", "--all", "--set", "i=1"),
                        ("copy", self.place, f"{fifo}:/t"), ("remove", f"{fifo}:/t"),
                        ("import", self.dir / "a.csv", f"{fifo}:/t")):  # fmt: skip
            with self.subTest(command=command):
                self.fails(*command, timeout=60)
        for command in (("import", fifo, f"{self.dir}/new.h5:/t"), ("append", fifo, self.place)):
            before = self.snapshot()
            process = self.start(*command)
            time.sleep(0.3)
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 128 + signal.SIGTERM, said)
            self.assertEqual(self.snapshot(), before)

    def test_an_append_that_waits_for_input_ends_at_once(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            said = self.interrupt_input(number, "append", "-", self.place)
            self.assertIn(said, self.words(self.place))

    def any_moment(self, *arguments, done):
        """Signal a command at moments all over its run: it is undone, or (`done()`) complete."""
        before = self.snapshot()
        began = time.monotonic()
        self.stoa(*arguments)
        whole = time.monotonic() - began
        self.restore(before)
        random = stoa_test.rng()
        statuses = []
        tries = stoa_test.effort(20)
        # Until one came in the middle: a few tries may all come before or after the work. How long
        # a run takes changes with what else the machine does: signals that come before there is
        # anything to clean up (-SIGINT) move the moments to later, those after the end to earlier.
        while len(statuses) < tries or (130 not in statuses and len(statuses) < 10 * tries + 50):
            process = self.start(*arguments)
            self.wait(process, random.uniform(0, whole))
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=600)
            statuses.append(process.returncode)
            if process.returncode == 0:
                whole /= 1.2
                done()
            else:
                whole *= 1.2 if process.returncode == -signal.SIGINT else 1
                self.assertIn(process.returncode, (130, -signal.SIGINT), said)
                self.assertEqual(sorted(os.listdir(self.dir)), sorted(before))
                self.assertTrue(self.snapshot() == before, "the file has changed")
            self.restore(before)
        self.assertIn(130, statuses)

    def wait(self, process, seconds):
        """So long, but no longer than it runs."""
        try:
            process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            pass

    def restore(self, before):
        for path in self.dir.iterdir():
            if path.name not in before:
                path.unlink()
        for name, content in before.items():
            (self.dir / name).write_bytes(content)

    def count(self, place):
        return self.stoa("query", place, "-a", "count()", "-f", "csv").stdout.splitlines()[1]

    def test_import_at_any_moment(self):
        csv = self.write("b.csv", HEAD + rows(0, 100000))
        new = f"{self.dir}/new.h5:/t"
        self.any_moment(
            "import",
            csv,
            new,
            "--index",
            "i",
            done=lambda: self.assertEqual(self.count(new), "100000"),
        )

    def test_append_at_any_moment(self):
        csv = self.write("b.csv", HEAD + rows(5000, 100000))
        self.any_moment(
            "append",
            csv,
            self.place,
            done=lambda: self.assertEqual(self.count(self.place), "100000"),
        )

    def test_convert_at_any_moment(self):
        self.stoa("import", self.write("b.csv", HEAD + rows(0, 100000)), self.place, "--force")
        new = f"{self.dir}/new.h5:/t"
        for layout in LAYOUTS:
            with self.subTest(layout):
                self.any_moment(
                    "convert",
                    self.place,
                    new,
                    "--to",
                    layout,
                    done=lambda: self.assertEqual(self.count(new), "100000"),
                )

    def test_convert_within_a_file_at_any_moment(self):
        self.stoa("import", self.write("b.csv", HEAD + rows(0, 50000)), self.place, "--force")
        new = f"{self.file}:/deep/new"
        for layout in LAYOUTS:
            with self.subTest(layout):
                self.any_moment(
                    "convert",
                    self.place,
                    new,
                    "--to",
                    layout,
                    done=lambda: self.assertEqual(self.count(new), "50000"),
                )

    def test_objects_are_added_to_a_file_of_arkouda_at_any_moment(self):
        self.stoa("import", self.write("b.csv", HEAD + rows(0, 100000)), self.place, "--force")
        old = f"{self.dir}/old.h5"
        self.stoa("convert", self.place, old, "--to", "arkouda", "--as", "index")
        self.any_moment(
            "convert",
            self.place,
            old,
            "--to",
            "arkouda",
            done=lambda: self.assertEqual(self.count(f"{old}:/i"), "100000"),
        )

    def test_a_set_of_files_of_arkouda_at_any_moment(self):
        """New files, files that are added to, and files that are replaced."""
        self.stoa("import", self.write("b.csv", HEAD + rows(0, 100000)), self.place, "--force")
        out = f"{self.dir}/set.h5"
        to = ("convert", self.place, out, "--to", "arkouda", "--locales", 3)
        for name, how in (("i", ()), ("more", ("--as", "index")), ("i", ("--mode", "truncate"))):
            more = f"{self.dir}/set.h5:/{name}" if name == "more" else out
            with self.subTest(how=how):
                place = f"{out[:-3]}:/{name}"
                self.any_moment(*to[:2], more, *to[3:], *how,
                                done=lambda place=place: self.assertEqual(self.count(place),
                                                                          "100000"))  # fmt: skip
            if not how:
                self.stoa(*to)

    def test_an_append_to_another_layout_at_any_moment(self):
        csv = self.write("b.csv", HEAD + 19 * rows(0, 5000))
        for layout in ("pytables", "pandas-table"):
            with self.subTest(layout=layout):
                place = f"{self.dir}/{layout}.h5:/t"
                self.stoa("convert", self.place, place, "--to", layout)
                self.any_moment(
                    "append",
                    csv,
                    place,
                    done=lambda place=place: self.assertEqual(self.count(place), "100000"),
                )

    def test_a_query_into_a_file_at_any_moment(self):
        self.stoa("import", self.write("b.csv", HEAD + rows(0, 100000)), self.place, "--force")
        out = self.write("out.csv", "precious")
        self.any_moment(
            "query",
            self.place,
            "-o",
            out,
            done=lambda: self.assertEqual(out.read_text().count("\n"), 100001),
        )

    def test_repack_into_other_storage_at_any_moment(self):
        numbers = self.write("d.txt", " ".join(str(i * 7919 % 65521) for i in range(100000)))
        config = self.write("d.conf", "PATH x\nINPUT-CLASS TEXTIN\nRANK 1\nDIMENSION-SIZES 100000\n")
        dense = self.dir / "dense.h5"
        self.hdf5("h5import", numbers, "-c", config, "-o", dense)
        new = self.dir / "new.h5"
        self.any_moment(
            "repack",
            "-l",
            "x:SPARSECHUNK=10",
            dense,
            new,
            done=lambda: self.stoa("diff", dense, new),
        )

    def test_a_second_signal_ends_a_command_that_does_not_listen(self):
        process = self.start("import", "-", f"{self.dir}/new.h5:/t", stdin=subprocess.PIPE)
        time.sleep(0.5)
        process.send_signal(signal.SIGSTOP)  # both arrive before it can look at either
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGCONT)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=600)
        self.assertIn(process.returncode, (130, 143, -signal.SIGINT, -signal.SIGTERM))
        self.assertFalse((self.dir / "new.h5").exists())


if __name__ == "__main__":
    stoa_test.main()
