"""What lies beside search indexes (HEP001 §10.1) after every kind of edit, as h5py finds it.

References are of the type that h5py can follow. Tables begin with indexes as Stoa writes them, and with
sorted indexes of older Stoa, which had two datasets beside each of them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

N = 9000  # more than two fences of older Stoa

# The sorted index of a column gets its values, and every 4096th of them, in datasets beside it.
COVER = """
import h5py, numpy, sys

with h5py.File('old.h5', 'r+') as file:
    for name in 'i', 'x', 's':
        indexes = file['t/SEARCH_INDEXES']
        index = indexes[name + '__sorted_rows']
        n = len(index) - index.attrs['fill_tail_length'] - index.attrs['nan_tail_length']
        values = file['t'][name][...][index[:n]]
        for what, part in ('sorted_values', values), ('fence_keys', values[::4096]):
            made = indexes.create_dataset(f'{index.name}__{what}', data=part, chunks=(4096,),
                                          maxshape=(None,), dtype=file['t'][name].dtype)
            index.attrs.create(what, made.ref, dtype=h5py.ref_dtype)
        del index.attrs['stoa_fences']
"""

# Of each file: how many indexes there are, how many datasets of older Stoa they have, and objects
# that nothing leads to. A bitmap requires its values, and no other kind requires anything.
JUDGE = """
import glob, h5py

def targets(owner, name):
    refs = owner.attrs.get(name)
    refs = [] if refs is None else [refs] if isinstance(refs, h5py.Reference) else list(refs)
    return [owner.file[ref].name for ref in refs]

for path in sorted(glob.glob('*.h5')):
    with h5py.File(path, 'r') as file:
        groups = [file] + [item for item in file.values() if isinstance(item, h5py.Group)]
        tables = [group for group in groups if 'CLASS' in group.attrs]
        known, spare, wrong, n = set(), set(), [], 0
        for table in tables:
            known.add(table.name)
            for column in table.values():
                if isinstance(column, h5py.Dataset):
                    known.add(column.name)
                    known.update(targets(column, 'CATEGORIES'))
                    for name in targets(column, 'SEARCH_INDEX_LIST'):
                        n += 1
                        known.add(name)
                        if not name.startswith(table.name.rstrip('/') + '/SEARCH_INDEXES/'):
                            wrong.append(f'{name} of {column.name}')
                        if file[name].attrs['KIND'] == b'BITMAP':
                            known.update(targets(file[name], 'VALUES'))
                        spare.update(targets(file[name], 'sorted_values'))
                        spare.update(targets(file[name], 'fence_keys'))
        found = []
        file.visititems(lambda name, item: found.append(item))
        for item in found:
            is_part = item.name.rsplit('/', 1)[-1] in ('SEARCH_INDEXES', 'CATEGORIES') and len(item)
            if item.name not in known | spare and not is_part:
                wrong.append(item.name)
    print(path, n, len(spare), *wrong)
"""

# Datasets of older Stoa beside the indexes that an edit does not change: two for each sorted one.
KEPT = {"index-drop": 4, "index-drop-kind": 4, "column-drop": 4, "column-rename": 6, "move": 6,
        "copy": 6, "copy-to-other": 6, "repack": 6, "column-storage": 6, "update": 4, "update-all": 4}  # fmt: skip

INDEXES = ("i:sorted", "i:minmax", "x:sorted", "s:sorted", "s:bloom", "c:bitmap", "c:minmax")


class IndexCompany(stoa_test.PeersTestCase):
    def rows(self, first, n):
        texts = ("alpha", "beta", "", "gamma")
        return "i,x,s,c\n" + "".join(
            f"{(r * 7919) % 20011},{(r * 31) % 1009 / 8},k{r * 13 % 5003},{texts[r % 4]}\n"
            for r in range(first, first + n)
        )

    def make(self):
        rows = self.write("a.csv", self.rows(0, N))
        self.stoa("import", rows, f"{self.dir}/new.h5:/t", "--references", "object", "--codec", "none",
                  "--category", "c", "--index", ",".join(INDEXES))  # fmt: skip
        (self.dir / "old.h5").write_bytes((self.dir / "new.h5").read_bytes())
        self.peer_python(COVER)

    def edits(self, file, to):
        """(name, number of indexes afterwards, commands) for each edit of the table in `file`."""
        place = f"{file}:/t"
        more = self.write("more.csv", self.rows(N, 700))
        all_of_them = len(INDEXES)
        return [
            ("append", all_of_them, [["append", more, place]]),
            ("append-drop", 0, [["append", more, place, "--on-index", "drop"]]),
            ("append-twice", all_of_them, [["append", more, place], ["append", more, place]]),
            ("update", all_of_them, [["update", place, "-w", "i < 100", "--set", "i=5"]]),
            ("update-all", all_of_them, [["update", place, "--all", "--set", "x=x + 1"]]),
            ("truncate", all_of_them, [["truncate", place, "100"]]),
            ("truncate-none", all_of_them, [["truncate", place, "0"]]),
            ("delete", all_of_them, [["delete", place, "-w", "i < 700"]]),
            ("index-drop", all_of_them - 2, [["index", "drop", place, "i"]]),
            ("index-drop-kind", all_of_them - 1, [["index", "drop", place, "i", "--kind", "sorted"]]),
            ("index-repair", all_of_them, [["index", "verify", "--repair", place]]),
            ("column-drop", all_of_them - 1, [["column", "drop", place, "x"]]),
            ("column-rename", all_of_them, [["column", "rename", place, "i", "j"]]),
            ("column-storage", all_of_them, [["column", "storage", place, "i", "--codec", "deflate"]]),
            ("move", all_of_them, [["move", place, f"{file}:/u"]]),
            ("copy", 2 * all_of_them, [["copy", place, f"{file}:/u"], ["append", more, f"{file}:/u"]]),
            ("copy-to", all_of_them, [["copy", place, f"{to}:/u"], ["remove", place]]),
            ("repack", all_of_them, [["repack", file]]),
            ("remove", 0, [["remove", place]]),
        ]  # fmt: skip

    def test_no_edit_leaves_anything_beside_indexes_but_what_they_require(self):
        self.make()
        expected = {}
        for form in ("new", "old"):
            for name, n_indexes, commands in self.edits("FILE", "OTHER"):
                file = self.dir / f"{form}-{name}.h5"
                other = self.dir / f"{form}-{name}-other.h5"
                file.write_bytes((self.dir / f"{form}.h5").read_bytes())
                for command in commands:
                    words = [str(w).replace("FILE", str(file)).replace("OTHER", str(other))
                             for w in command]  # fmt: skip
                    self.stoa(*words)
                if name == "copy-to":
                    expected[other.name] = n_indexes
                    n_indexes = 0
                expected[file.name] = n_indexes
        for form in ("new", "old"):
            (self.dir / f"{form}.h5").unlink()
        said = dict(line.split(" ", 1) for line in self.peer_python(JUDGE).splitlines())
        for name, n_indexes in expected.items():
            n, n_spare, *wrong = said[name].split()
            self.assertEqual((int(n), wrong), (n_indexes, []), name)
            # Those that leave indexes as they are leave their datasets, too.
            edit = name[4:-3]
            self.assertEqual(int(n_spare), KEPT.get(edit, 0) if name.startswith("old") else 0, name)


if __name__ == "__main__":
    stoa_test.main()
