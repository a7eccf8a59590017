"""stoa update, delete, truncate, preallocate, append --on-index (src/cli/cmd_*.c, HEP001 §11)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

HEAD = "n,x,name,day\n"
ROWS = ["1,0.5,ann,2001-01-01", "2,,bob,2001-01-02", "3,1.5,ann,2001-01-03", "4,2.5,,2001-01-04"]


def csv(*rows):
    return HEAD + "".join(row + "\n" for row in rows)


class EditRows(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        self.state = {"XDG_STATE_HOME": str(self.dir / "state")}
        self.file = self.dir / "a.h5"
        self.place = f"{self.file}:/t"
        self.edit("import", self.write("a.csv", csv(*ROWS)), self.place, "--index", "n,name,day",
                  "--category", "name")  # fmt: skip

    def edit(self, *arguments, **how):
        return self.stoa(*arguments, env=self.state, **how)

    def holds(self, *rows):
        """The table is these rows, conformant, and its indexes are right and still trusted."""
        self.assertEqual(self.stoa("export", self.place, "-", "-f", "csv").stdout, csv(*rows))
        self.assertEqual(self.stoa("check", "--indexes", self.place).stdout, "")

    def indexes(self):
        listed = self.edit("index", "list", self.place).stdout.splitlines()[2:]
        return {line.split()[0]: line.split()[-1] for line in listed}

    def refused(self, *arguments, says, status=3):
        before = self.file.read_bytes()
        self.fails(*arguments, says=says, status=status)
        self.assertEqual(self.file.read_bytes(), before)

    def test_update_changes_the_rows_asked_for(self):
        done = self.edit("update", self.place, "-w", "name = 'ann'", "--set", "x=x*2+n",
                         "--set", "name='eve'", "--set", "day='2002-02-02'")  # fmt: skip
        self.assertEqual(done.stderr, f"{self.place}: 2 rows changed\n")
        self.assertEqual(done.stdout, "")
        self.holds("1,2.0,eve,2002-02-02", ROWS[1], "3,6.0,eve,2002-02-02", ROWS[3])
        self.assertEqual(self.indexes(), dict.fromkeys(("n", "name", "day"), "trusted"))

    def test_update_of_every_row_is_asked_for(self):
        self.edit("update", self.place, "--all", "--set", "x=null")
        self.holds(*(",".join((r.split(",")[0], "", *r.split(",")[2:])) for r in ROWS))
        self.refused("update", self.place, "--set", "x=null", says="-w EXPR, or --all", status=2)
        self.refused("update", self.place, "--all", "-w", "n=1", "--set", "x=null",
                     says="exclude each other", status=2)  # fmt: skip

    def test_update_says_what_is_wrong_and_where(self):
        for pair, text, status in (
            ("n='one'", "value of n, column 1: 'one' is text", 3),
            ("x=x +", "value of x, column 4", 3),
            ("m=1", "there is no column 'm' to set; did you mean 'n'?", 3),
            ("day='soon'", "is no time", 3),
            ("n", "COLUMN=VALUE", 2),
        ):
            self.refused("update", self.place, "--all", "--set", pair, says=text, status=status)
        self.refused("update", self.place, "--all", says="--set", status=2)

    def test_a_quoted_column_and_a_value_with_an_equals_sign(self):
        file = f"{self.dir}/b.h5:/t"
        self.stoa("import", self.write("b.csv", '"a=b",c\n1,true\n2,false\n'), file)
        self.stoa("update", file, "-w", "c", "--set", '"a=b"=7', "--set", 'c="a=b"=2')
        self.assertEqual(self.stoa("query", file, "-f", "csv").stdout,
                         "a=b,c\n7,false\n2,false\n")  # fmt: skip

    def test_delete_takes_rows_out_and_says_that_it_rewrote(self):
        done = self.edit("delete", self.place, "-w", "x is null or n = 3")
        self.assertEqual(done.stderr, f"{self.place}: 2 rows deleted; every column was rewritten "
                                      "from the first of them on\n")  # fmt: skip
        self.holds(ROWS[0], ROWS[3])
        self.assertEqual(self.indexes(), dict.fromkeys(("n", "name", "day"), "trusted"))
        done = self.edit("delete", self.place, "-w", "n > 100")
        self.assertEqual(done.stderr, f"{self.place}: 0 rows deleted\n")
        self.refused("delete", self.place, says="stoa truncate PLACE 0", status=2)
        self.refused("delete", self.place, "-w", "n +", says="where, column 4")

    def large(self):
        """A table of 300,000 rows and 3 MB, three columns wide, of numbers that do not compress."""
        self.n = [(i * 2654435761) % 2**32 for i in range(300_000)]
        rows = "".join(f"{i},{n},{(n * n) % 1000003}\n" for i, n in enumerate(self.n))
        self.edit("import", self.write("b.csv", "i,n,m\n" + rows), self.place, "--force", "--codec",
                  "none", "--index", "n:minmax")  # fmt: skip
        self.edit("repack", self.file)
        return self.file.stat().st_size

    def answers(self, *what):
        return self.stoa("query", self.place, "-a", ", ".join(what), "-f", "csv").stdout.split("\n")[1]

    def holds_all_but(self, gone, trust="trusted"):
        kept = [(i, n, (n * n) % 1000003) for i, n in enumerate(self.n) if i % 100 not in gone]
        self.assertEqual(
            self.answers("count()", "sum(i)", "sum(n)", "sum(m)"),
            ",".join(str(v) for v in (len(kept), *(sum(column) for column in zip(*kept)))),
        )
        shown = self.stoa("query", self.place, "--offset", "198000", "-n", "3", "-f", "csv").stdout
        self.assertEqual(shown.split()[1:], [",".join(map(str, row)) for row in kept[198000:198003]])
        self.assertEqual(self.stoa("check", "--indexes", self.place).stdout, "")
        self.assertEqual(self.indexes(), {"n": trust})

    def test_a_deletion_of_many_rows_gives_their_space_back(self):
        before = self.large()
        done = self.edit("delete", self.place, "-w", "i % 100 = 7")
        self.assertIn(f"{self.file}: written anew, without the space of the old rows", done.stderr)
        self.assertLess(self.file.stat().st_size, 1.1 * before)
        self.holds_all_but((7,))
        self.edit("delete", self.place, "-w", "i % 100 >= 98 or i < 0", "--no-repack")
        self.assertGreater(self.file.stat().st_size, 1.3 * before)
        self.holds_all_but((7, 98, 99))

    def test_updates_do_not_make_the_file_longer_each_time(self):
        before = self.large()
        for value in ("m+1", "m-1") * 4:
            self.edit("update", self.place, "-w", "i % 3 = 1", "--set", f"m={value}")
            self.assertLess(self.file.stat().st_size, 1.1 * before + 2**20)
        self.holds_all_but(())

    def test_a_file_with_two_names_is_not_written_anew(self):
        self.large()
        (self.dir / "other.h5").hardlink_to(self.file)
        self.edit("delete", self.place, "-w", "i % 100 = 7")
        self.holds_all_but((7,), trust="verified")  # the ledger saw the second name come
        self.assertTrue(self.file.samefile(self.dir / "other.h5"))

    def test_truncate_keeps_the_first_rows(self):
        done = self.edit("truncate", self.place, "3")
        self.assertEqual(done.stderr, f"{self.place}: cut from 4 rows to 3; "
                                      "the room of the others stays reserved\n")  # fmt: skip
        self.holds(*ROWS[:3])
        self.assertEqual(self.indexes(), dict.fromkeys(("n", "name", "day"), "trusted"))
        self.refused("truncate", self.place, "4", says="has 3 rows")
        self.refused("truncate", self.place, "few", says="N is a number of rows", status=2)
        self.edit("truncate", self.place, "0")
        self.holds()

    def test_preallocate_makes_room_and_changes_no_row(self):
        done = self.edit("preallocate", self.place, "5000")
        self.assertEqual(done.stderr, f"{self.place}: room for 5000 rows\n")
        self.holds(*ROWS)
        self.assertIn("DATASPACE  SIMPLE { ( 5000 )",
                      self.hdf5("h5dump", "-H", "-d", "/t/name", self.file))  # fmt: skip
        self.refused("preallocate", self.place, "-1", says="", status=2)

    def test_indexes_of_changed_columns_can_be_dropped(self):
        self.edit("update", self.place, "-w", "n=1", "--set", "n=9", "--on-index", "drop")
        self.assertEqual(sorted(self.indexes()), ["day", "name"])
        more = self.write("b.csv", csv("5,5.5,cid,2001-01-05"))
        self.edit("append", more, self.place, "--on-index", "update")
        self.assertEqual(sorted(self.indexes()), ["day", "name"])
        self.edit("append", more, self.place, "--on-index", "drop")
        self.assertEqual(self.indexes(), {})
        self.holds("9,0.5,ann,2001-01-01", *ROWS[1:], *["5,5.5,cid,2001-01-05"] * 2)
        self.refused("truncate", self.place, "1", "--on-index", "keep", says="drop", status=2)

    def test_a_table_whose_indexes_were_not_trusted_is_not_trusted_afterwards(self):
        other = {"XDG_STATE_HOME": str(self.dir / "other")}
        self.stoa("update", self.place, "-w", "n = 1", "--set", "n = 9", env=other)
        listed = self.stoa("index", "list", self.place, env=other).stdout
        self.assertNotIn(" trusted", listed.replace("not trusted", "no"))

    def test_a_full_disk_leaves_the_table(self):
        before = self.file.read_bytes()
        done = stoa_test.run("bash", "-c", 'ulimit -f 1; exec "$@"', "bash", stoa_test.STOA,
                             "update", self.place, "--all", "--set", "name='a label that is new'")  # fmt: skip
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.file.read_bytes(), before)


if __name__ == "__main__":
    stoa_test.main()
