"""Files that commands write by name (docs/cli.md, "Output files"): what their names say, what they
never replace, and that no digit is lost on the way."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

CSV = "n,x\n1,0.1234567890123456\n2,-1.5e-300\n3,\n4,123456789.123456789\n5,inf\n"
NUMBERS = [0.1234567890123456, -1.5e-300, None, 123456789.123456789, float("inf")]
SIGNATURE = b"\x89HDF\r\n\x1a\n"


class OneTable(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.file = self.dir / "a.h5"
        self.place = f"{self.file}:/t"
        self.stoa("import", self.write("a.csv", CSV), self.place)
        self.before = self.file.read_bytes()
        self.left = sorted(os.listdir(self.dir))

    def nothing_changed(self):
        self.assertEqual(self.file.read_bytes(), self.before)
        self.assertEqual(sorted(os.listdir(self.dir)), self.left)


class Output(OneTable):
    def test_a_name_that_says_no_format_is_refused_before_anything_is_read(self):
        for name in ("a.h5", "out", "out.dat", "out.arrow.gz", "out.gz", "out.orc", "dir.csv/out", "a.h5:t"):
            for command in (["query", self.place, "-o"], ["export", self.place],
                            ["query", f"{self.dir}/none.h5", "-o"]):  # fmt: skip
                self.fails(*command, self.dir / name, status=2, says=[name, "add -f"])
        for name in ("out.gif", "a.h5", "out", "svg"):
            self.fails("plot", self.place, "-o", self.dir / name, status=2, says=[name, ".svg"])
        self.nothing_changed()

    def test_the_suffix_may_be_in_capitals(self):
        self.stoa("query", self.place, "-o", self.dir / "OUT.CSV", "-c", "n")
        self.assertEqual((self.dir / "OUT.CSV").read_text(), "n\n1\n2\n3\n4\n5\n")

    def test_text_is_compressed_by_its_name(self):
        for form in ("csv", "tsv", "jsonl", "json"):
            plain = self.stoa("export", self.place, "-", "-f", form).stdout
            for command in (["export", self.place], ["query", self.place, "-o"]):
                packed = self.dir / f"out.{form}.gz"
                self.stoa(*command, packed)
                self.assertEqual(gzip.decompress(packed.read_bytes()).decode(), plain)
                self.stoa(*command, self.dir / f"out.{form}.zst")
        self.stoa("import", self.dir / "out.csv.zst", f"{self.dir}/back.h5:/t")
        back = self.stoa("export", f"{self.dir}/back.h5:/t", "-", "-f", "csv").stdout
        self.assertEqual(back, self.stoa("export", self.place, "-", "-f", "csv").stdout)
        (self.dir / "full.csv.gz").symlink_to("/dev/full")
        self.fails("export", self.place, self.dir / "full.csv.gz", says="No space")

    def test_no_format_replaces_an_hdf5_file(self):
        self.left += ["b.csv", "link.csv", "late.csv"]
        (self.dir / "b.csv").write_bytes(self.before)
        (self.dir / "link.csv").symlink_to("a.h5")
        blocks = {0: "b.csv", 512: "b.csv", 1024: "b.csv", 1 << 20: "late.csv"}
        self.left.sort()
        for at, name in blocks.items():
            content = b"x" * at + SIGNATURE + b"y" * 100
            (self.dir / "late.csv").write_bytes(b"x" * (1 << 20) + SIGNATURE)
            (self.dir / name).write_bytes(content)
            for command in (["query", self.place, "-o"], ["query", self.place, "-f", "arrow", "-o"],
                            ["query", self.place, "--explain", "-o"], ["export", self.place],
                            ["query", self.place, "--histogram", "n", "-o"]):  # fmt: skip
                self.fails(*command, self.dir / name, says=[name, "is an HDF5 file"])
            self.assertEqual((self.dir / name).read_bytes(), content)
        self.fails("query", self.place, "-o", self.dir / "link.csv", says="is an HDF5 file")
        self.fails("query", self.place, "-f", "csv", "-o", self.file, says="is an HDF5 file")
        self.fails("export", self.place, self.file, "-f", "json", says="is an HDF5 file")
        self.nothing_changed()

    def test_a_pipe_is_written_by_any_of_its_names(self):
        for name in ("/dev/stdout", "/proc/self/fd/1", "/dev/fd/1"):
            if os.path.exists(name):
                said = self.stoa("query", self.place, "-c", "n", "-f", "csv", "-o", name).stdout
                self.assertEqual(said, "n\n1\n2\n3\n4\n5\n")

    def test_a_signature_at_another_place_is_no_hdf5_file(self):
        out = self.write("out.csv", b"x" * 256 + SIGNATURE)
        self.stoa("query", self.place, "-c", "n", "-o", out)
        self.assertTrue(out.read_text().startswith("n\n1\n"))

    def test_floats_come_back_from_every_format_bit_by_bit(self):
        texts = {}
        for suffix in ("csv", "tsv", "txt", "json", "jsonl"):
            out = self.dir / f"out.{suffix}"
            self.stoa("query", self.place, "-c", "x", "-o", out)
            texts[suffix] = out.read_text()
        texts["pipe"] = self.stoa("query", self.place, "-c", "x").stdout
        for name, text in texts.items():
            for number in NUMBERS:
                if number is not None and abs(number) != float("inf"):
                    words = text.replace("\n", " ").replace(",", " ").replace("}", " ")
                    words = words.replace(":", " ").split()
                    found = [w for w in words if w[-1].isdigit() and float(w) == number]
                    self.assertEqual(len(found), 1, (name, number, text))
        self.assertEqual(texts["txt"], texts["pipe"])

    def test_a_link_that_leads_nowhere_leads_to_the_new_file(self):
        away = self.dir / "away"
        away.mkdir()
        for command, name in ((["query", self.place, "-c", "n", "-o"], "out.csv"),
                              (["export", self.place], "two.csv")):  # fmt: skip
            link = self.dir / name
            link.symlink_to(f"away/{name}.link")
            (away / f"{name}.link").symlink_to(f"real-{name}")
            self.stoa(*command, link)
            self.assertTrue(link.is_symlink() and (away / f"{name}.link").is_symlink())
            self.assertTrue((away / f"real-{name}").read_text().startswith("n"))
        link = self.dir / "new.h5"
        link.symlink_to(away / "real.h5")
        self.stoa("import", self.dir / "a.csv", f"{link}:/t")
        self.assertTrue(link.is_symlink())
        self.assertEqual((away / "real.h5").read_bytes()[:8], SIGNATURE)
        self.assertEqual(sorted(os.listdir(away)), sorted(
            ["out.csv.link", "real-out.csv", "two.csv.link", "real-two.csv", "real.h5"]))  # fmt: skip
        ring = self.dir / "ring.csv"
        ring.symlink_to("ring.csv")
        self.fails("query", self.place, "-o", ring, says="ring.csv", status=None)
        self.fails("import", self.dir / "a.csv", f"{ring}:/t", says="ring.csv", status=None)

    def test_a_path_in_an_hdf5_file_gets_a_table(self):
        new = self.dir / "new.h5"
        for command in (["query", self.place, "-w", "n > 1", "-o"], ["export", self.place]):
            for name in ("/t", "/deep/u"):
                self.stoa(*command, f"{new}:{name}")
                self.stoa("check", f"{new}:{name}")
                said = self.stoa("query", f"{new}:{name}", "-f", "csv").stdout
                wanted = self.stoa("query", self.place, "-f", "csv",
                                   *(["-w", "n > 1"] if command[0] == "query" else [])).stdout  # fmt: skip
                self.assertEqual(said, wanted)
            self.fails(*command, f"{new}:/t", says="/t")
            new.unlink()
        self.stoa("query", self.place, "-c", "n", "-o", f"{self.dir}/new.lh5:/t")
        self.assertIn("lh5", self.stoa("ls", self.dir / "new.lh5").stdout)

    def test_the_file_that_is_read_gets_no_table(self):
        (self.dir / "link.h5").symlink_to("a.h5")
        self.left = sorted([*self.left, "link.h5"])
        for name in ("a.h5", "link.h5"):
            self.fails("query", self.place, "-o", f"{self.dir / name}:/u", says=["is being read"])
            self.fails("export", self.place, f"{self.dir / name}:/u", says=["is being read"])
        self.nothing_changed()
        other = self.dir / "list.h5"
        self.stoa("import", self.write("list.csv", "i\n1\n"), f"{other}:/l")
        self.fails("query", self.place, "--rows-of", f"{other}:/l:i", "-o", f"{other}:/u",
                   says=["list.h5", "is being read"])  # fmt: skip


class Killed(OneTable):
    def test_nothing_stays_of_a_killed_command(self):
        random = stoa_test.rng()
        rows = self.write("rows.csv", "n\n" + "1\n" * 100000)
        self.stoa("import", rows, f"{self.dir}/b.h5:/t")
        os.close(os.open(self.dir, os.O_TMPFILE | os.O_RDWR))  # the file system has files without a name
        seen = 0
        for _ in range(40):
            process = subprocess.Popen([stoa_test.STOA, "export", f"{self.dir}/b.h5:/t", self.dir / "out.csv"])
            time.sleep(0.03 * random.random())
            names = os.listdir(self.dir)
            process.kill()
            process.wait()
            seen += "out.csv" not in names
            self.assertEqual([n for n in os.listdir(self.dir) if n.startswith(".")], [])
            (self.dir / "out.csv").unlink(missing_ok=True)
        self.assertGreater(seen, 0)


class ClosedStreams(OneTable):
    def closed(self, stream, *command):
        words = ["sh", "-c", f'"$0" "$@" {stream}&-', stoa_test.STOA, *command]
        return stoa_test.run(*words, cwd=self.dir)

    def test_no_message_goes_into_a_file(self):
        more = self.write("more.csv", "n,x\n6,7\n")
        for stream in ("<", ">", "2>", "<&- >&- 2>"):
            for command in (["append", "none.csv", self.place], ["update", self.place, "--all", "--set", "z=1"],
                            ["index", "add", self.place, "z"], ["attr", self.place, "CLASS=x"]):  # fmt: skip
                self.assertNotEqual(self.closed(stream, *command).returncode, 0)
                self.nothing_changed_but(more)
            self.closed(stream, "append", more, self.place)
            self.stoa("check", self.file, "--strict")
            rows = self.stoa("query", self.place, "-c", "n", "-f", "csv").stdout.split()[1:]
            self.assertEqual(rows, ["1", "2", "3", "4", "5", "6"])
            self.file.write_bytes(self.before)

    def nothing_changed_but(self, *made):
        self.assertEqual(self.file.read_bytes(), self.before)
        self.assertEqual(sorted(os.listdir(self.dir)), sorted([*self.left, *(Path(m).name for m in made)]))

    def test_what_cannot_be_said_is_an_error(self):
        for words in (["ls", self.file], ["ls", "-l", self.file], ["info", self.file], ["query", self.file],
                      ["stat", self.file], ["rules"], ["help"]):  # fmt: skip
            done = stoa_test.run("sh", "-c", '"$0" "$@" >/dev/full', stoa_test.STOA, *words)
            self.assertEqual(done.returncode, 3)
            self.assertIn("No space left on device", done.stderr)
        self.assertEqual(self.closed(">", "query", self.place, "-f", "csv").returncode, 3)
        self.assertEqual(self.closed("<", "import", "-", "new.h5:/t").returncode, 3)
        self.nothing_changed()



class Threads(stoa_test.TestCase):
    """Text is written by threads, in parts of a quarter of a megabyte."""

    N = 60000

    def setUp(self):
        super().setUp()
        self.place = f"{self.dir}/a.h5:/t"
        self.csv = "n,x,word,when\n" + "".join(self.line(i) + "\n" for i in range(self.N))
        self.stoa("import", self.write("a.csv", self.csv), self.place)

    @staticmethod
    def line(i):
        word = ["", '""', "plain", '"a, b"', '"say ""x"""', "é" * (i % 50 + 1), '"two\nlines"', "long " * (i % 90) + "."][i % 8]
        when = f"20{i % 90 + 10}-{i % 12 + 1:02}-{i % 28 + 1:02}T{i % 24:02}:{i % 60:02}:{i % 59:02}.{i % 1000:03}"
        return f"{(-i) ** 3},{i / 7!r},{word},{'' if i % 5 == 0 else when}"

    def test_the_text_does_not_depend_on_their_number(self):
        for n in (1, 2, 5):
            self.assertEqual(self.stoa("query", self.place, "-f", "csv", "--threads", n).stdout, self.csv)
        self.assertEqual(self.stoa("export", self.place, "-", "-f", "csv").stdout, self.csv)
        for form in ("tsv", "jsonl", "json", "markdown"):
            one, many = (self.stoa("query", self.place, "-f", form, "--threads", n).stdout for n in (1, 4))
            self.assertEqual(one, many)
        rows = json.loads(self.stoa("query", self.place, "-f", "json").stdout)
        self.assertEqual([(row["n"], row["x"]) for row in rows], [((-i) ** 3, i / 7) for i in range(self.N)])
        self.assertEqual([row["word"] for row in rows[:8]],
                         [None, "", "plain", "a, b", 'say "x"', "é" * 6, "two\nlines", "long " * 7 + "."])  # fmt: skip

    def test_rows_larger_than_a_part_come_in_their_order(self):
        rows = [f"{i},{chr(97 + i % 26) * (400000 + i)}" for i in range(9)]
        csv = "\n".join(["n,word", *rows, ""])
        self.stoa("import", self.write("b.csv", csv), f"{self.dir}/b.h5:/t")
        self.assertEqual(self.stoa("export", f"{self.dir}/b.h5:/t", "-", "-f", "csv").stdout, csv)

    def test_a_full_disk_is_one_line(self):
        self.fails("query", self.place, "--threads", "3", "-f", "csv", "-o", "/dev/full", says="No space left")

    def begun(self):
        """An export into a pipe whose reader has the first bytes."""
        words = [stoa_test.STOA, "query", self.place, "--threads", "3", "-f", "csv"]
        child = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(child.stderr.close)
        self.assertEqual(child.stdout.read(15), b"n,x,word,when\n0")
        return child

    def test_a_reader_that_goes_ends_it_without_a_word(self):
        child = self.begun()
        child.stdout.close()
        self.assertEqual((child.wait(), child.stderr.read()), (-signal.SIGPIPE, b""))

    def test_an_interrupt_ends_it(self):
        child = self.begun()
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.wait(), 130)
        child.stdout.close()


if __name__ == "__main__":
    stoa_test.main()
