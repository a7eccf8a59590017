"""`stoa sql` answers the 22 questions of TPC-H as DuckDB does on the Parquet files that the tables were made of."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

sys.path.insert(0, str(stoa_test.SOURCE / "bench"))
import answers
import tpch_asked

SCALE = 0.01


class TpcH(stoa_test.SharedPeersTestCase):
    @classmethod
    def make(cls, shared):
        tpch_asked.make(f"{stoa_test.PEERS}/bin/tpchgen-cli", SCALE, shared.dir)
        for command in tpch_asked.imports(stoa_test.STOA, shared.dir, shared.dir / "tpch.h5"):
            shared.stoa(*command[1:])

    def test_all_answers_are_those_of_duckdb(self):
        own = tpch_asked.questions(SCALE, lambda name: f"'{self.shared.dir}/tpch.h5:/{name}'")
        parquet = tpch_asked.questions(SCALE, lambda name: f"'{name}.parquet'")
        self.assertEqual(len([name for name in own if name.startswith("Q")]), 22)
        for name in own:
            found = answers.table(self.stoa("sql", own[name], "-f", "csv").stdout, ordered=True)
            wanted = answers.table(self.shared.peer_duckdb(parquet[name]).replace("NULL", ""), ordered=True)
            with self.subTest(name):
                self.assertGreater(len(wanted), 1)
                self.assertTrue(answers.same(found, wanted), f"{found[:3]} instead of {wanted[:3]}")

    def test_tables_go_back_to_parquet_as_they_were(self):
        for name in tpch_asked.TABLES:
            self.stoa("query", f"{self.shared.dir}/tpch.h5:/{name}", "-o", self.shared.dir / f"{name}.back.parquet")
            for one, other in ((name, f"{name}.back"), (f"{name}.back", name)):
                left = self.shared.peer_duckdb(f"select count(*) as n from (from '{one}.parquet' except all from '{other}.parquet')")
                self.assertEqual(left, "n\n0\n")


if __name__ == "__main__":
    stoa_test.main()
