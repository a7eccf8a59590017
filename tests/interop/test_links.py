"""Links that PyTables made are followed once, and never in a circle (docs/layouts/pytables.md)."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import stoa_test
from interop_test import PeerTestCase

TABLES = {"/e": 3, "/eg/u": 4, "/g/v": 5, "/t": 2}
LINKS = {
    "/c1 -> /c2": "dangling",
    "/c2 -> /c1": "dangling",
    "/e -> far.h5:/t": "external",
    "/eg -> far.h5:/g": "external",
    "/eg/back -> near.h5:/": "external",
    "/gone -> gone.h5:/t": "dangling",
    "/no -> /nowhere": "dangling",
    "/s -> /t": "soft",
    "/self -> near.h5:/t": "external",
    "/sg -> /g": "soft",
}


class Links(PeerTestCase):
    def setUp(self):
        super().setUp()
        self.peer("python3", "linked.py")
        self.near = f"{self.dir}/near.h5"

    def listed(self, place):
        """{path: (layout, kind, rows)}, links by what they are and where they lead."""
        found = {}
        for line in self.stoa("ls", place, "--follow-external").stdout.splitlines()[2:]:
            path, _, rest = line.partition("  ")
            layout, kind, rows = rest.split()[:3]
            self.assertNotIn(path, found)
            found[path] = (layout, kind, rows)
        return found

    def test_ls_shows_each_table_once_and_where_links_lead(self):
        wanted = {path: ("pytables", "table", str(n)) for path, n in TABLES.items()}
        wanted |= {path: ("link", kind, "-") for path, kind in LINKS.items()}
        self.assertEqual(self.listed(self.near), wanted)

    def test_what_lies_in_other_files_is_neither_listed_nor_read(self):
        said = self.stoa("ls", self.near).stdout
        self.assertIn("/gone -> gone.h5:/t", said)
        self.assertNotIn("/eg/u", said)
        for path in ("/e", "/eg/u", "/gone"):
            self.fails("query", f"{self.near}:{path}", says=["another file", "--follow-external"])

    def test_a_file_is_converted_with_what_its_links_lead_to(self):
        self.stoa("convert", self.near, self.dir / "own.h5", "--to", "hep001", "--follow-external")
        self.stoa("check", self.dir / "own.h5")
        wanted = {path: ("hep001", "table", str(n)) for path, n in TABLES.items()}
        self.assertEqual(self.listed(self.dir / "own.h5"), wanted)
        for path, n in TABLES.items():
            said = self.stoa("query", f"{self.dir}/own.h5:{path}", "-a", "count(), min(a), max(a)",
                             "-f", "csv").stdout.splitlines()  # fmt: skip
            self.assertEqual(said[1], f"{n},{n},{n}", path)

    def test_a_place_may_lie_behind_links(self):
        for path, n in (("/s", 2), ("/sg/v", 5), ("/e", 3), ("/eg/u", 4), ("/g/loop/loop/v", 5)):
            said = self.stoa("query", f"{self.near}:{path}", "-w", f"a = {n}", "-a", "count()",
                             "-f", "csv", "--follow-external").stdout.splitlines()  # fmt: skip
            self.assertEqual(said[1], str(n), path)
        for path in ("/no", "/c1", "/gone"):
            self.fails("query", f"{self.near}:{path}", says=["near.h5:" + path])

    def test_a_table_that_a_link_alone_leads_to_is_the_only_one(self):
        self.peer_python(
            "import h5py\n"
            "with h5py.File('only.h5', 'w') as f: f['x'] = h5py.ExternalLink('far.h5', '/t')\n"
        )
        query = ("query", f"{self.dir}/only.h5", "-a", "count()", "-f", "csv")
        self.fails(*query, says=["'/x'", "far.h5", "--follow-external"])
        said = self.stoa(*query, "--follow-external").stdout
        self.assertEqual(said.split(), ["count()", "3"])


if __name__ == "__main__":
    stoa_test.main()
