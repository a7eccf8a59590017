"""The filter's plugin works with whatever libhdf5 a process has, and with several (plugins/hdf5_caller.h)."""

import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import older
import stoa_test
from interop_test import PeerTestCase

PLUGIN = stoa_test.BUILD / "plugins/libh5z_stoa_sparse.so"
CODECS = ["none", "deflate", "zstd", "lz4", "small"]
ENTRIES = {(0, 1): 1.5, (3, 2): 2.5, (7, 7): -3.0}
SYSTEM = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}

PEERS = """
import os, sys, threading
ENTRIES = {entries}
CODECS = {codecs}

def check(array):
    assert array.shape == (10, 8)
    assert {{(int(i), int(k)): array[i, k] for i, k in zip(*array.nonzero())}} == ENTRIES, array

def read_nbit(open):
    with open("nbit.h5") as file:
        array = (file.root.x if hasattr(file, "root") else file["x"])[:]
        assert array[3, 3] == 9 and array.sum() == 9, array

def h5py():
    import h5py
    for codec in CODECS:
        with h5py.File(codec + ".h5") as file:
            check(file["x"][()])
    with h5py.File("h5py.h5", "w") as file:
        data = file.create_dataset("x", (100, 100), "f4", chunks=(10, 10), compression=53131,
                                   compression_opts=(257, 0, 1, 1 << 24 | 1, 6))
        data[5, 5] = 7
    with h5py.File("h5py.h5") as file:
        assert file["x"][5, 5] == 7 and file["x"][()].sum() == 7
    with h5py.File("nbit.h5", "w") as file: # a filter of libhdf5 alone, in section 1
        data = file.create_dataset("x", (10, 8), "i4", chunks=(10, 8), compression=53131,
                                   compression_opts=(257, 0, 1, 5))
        data[3, 3] = 9
    read_nbit(h5py.File)

def tables():
    import tables
    for codec in CODECS:
        with tables.open_file(codec + ".h5") as file:
            check(file.root.x[:])

def nbit():
    import tables
    read_nbit(tables.open_file)

def both():
    import h5py as first, tables as second
    assert first.version.hdf5_version != second.hdf5_version
    wrong = []

    def often(read):
        try:
            for _ in range(50):
                read()
        except BaseException as problem:
            wrong.append(problem)

    threads = [threading.Thread(target=often, args=[read]) for read in (h5py, tables)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert not wrong, wrong

{before}
for name in sys.argv[1:]:
    globals()[name]()
print("fine")
"""


class Plugin(PeerTestCase):
    def setUp(self):
        super().setUp()
        if os.environ.get("STOA_SANITIZE"):
            self.skipTest("other programs cannot load what is built with a sanitizer")
        lines = [f"{i},{k},{value}" for (i, k), value in ENTRIES.items()]
        self.write("x.csv", "\n".join(["row,column,value", *lines]) + "\n")
        for codec in CODECS:
            self.stoa("import", "--sparse", "--shape", "10x8", "--codec", codec, "x.csv", f"{codec}.h5:/x",
                      cwd=self.dir)  # fmt: skip
        (self.dir / "alone").mkdir()
        shutil.copy(PLUGIN, self.dir / "alone")

    def python(self, *names, before="", plugins=True):
        script = PEERS.format(entries=ENTRIES, codecs=CODECS, before=before)
        self.write("script.py", script)
        found = [f"HDF5_PLUGIN_PATH={self.dir}/alone"] if plugins else []
        self.assertEqual(self.peer("env", *found, "python3", "script.py", *names), "fine\n")

    def test_it_is_linked_with_the_c_library_alone(self):
        said = stoa_test.run("readelf", "-dW", PLUGIN, env={"LC_ALL": "C"}).stdout
        needed = {line.split("[")[1].split("]")[0] for line in said.splitlines() if "(NEEDED)" in line}
        self.assertLessEqual(needed, SYSTEM)
        self.assertNotIn("RUNPATH", said)
        self.assertNotIn("RPATH", said)

    def test_h5py_and_pytables_in_one_process_each_with_its_own_libhdf5(self):
        self.python("h5py", "tables", "nbit", "h5py")
        self.python("tables", "h5py", "tables")

    def test_both_at_the_same_time(self):
        self.python("both")

    def test_both_beside_stoa_itself(self):
        if not (stoa_test.BUILD / "python/pystoa/_pystoa.abi3.so").is_file():
            self.skipTest("the Python package was not built")
        self.python("h5py", "tables", before=f"sys.path.insert(0, {str(stoa_test.BUILD / 'python')!r})\n"
                    "import pystoa\npystoa.sparse('zstd.h5', '/x')")  # fmt: skip

    def check_tools(self, tools):
        env = {"HDF5_PLUGIN_PATH": str(self.dir / "alone")}
        for codec in CODECS:
            copy = self.dir / f"{codec}-dense.h5"
            done = stoa_test.run(tools / "h5repack", "-f", "x:GZIP=5", f"{self.dir}/{codec}.h5", copy, env=env)
            self.assertEqual(done.returncode, 0, done.stderr)
            done = stoa_test.run(tools / "h5dump", "-d", "/x", "-y", "-w", "0", f"{self.dir}/{codec}.h5", env=env)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("0, 1.5, 0, 0, 0, 0, 0, 0,", done.stdout)
        said = self.peer("python3", "-c", f"import h5py\nfor codec in {CODECS}:\n"  # without the plugin
                         "    a = h5py.File(codec + '-dense.h5')['x'][()]\n"
                         "    print(a[0, 1], a[3, 2], a[7, 7], (a != 0).sum())")  # fmt: skip
        self.assertEqual(said, "1.5 2.5 -3.0 3\n" * len(CODECS))
        # Of this program the linker has put variables in the place of libhdf5's, which the filter reads for n-bit.
        self.python("h5py")
        done = stoa_test.run(tools / "h5repack", "-f", "x:NONE", f"{self.dir}/nbit.h5", self.dir / "plain.h5", env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = self.peer("python3", "-c", "import h5py; a = h5py.File('plain.h5')['x'][()]; print(a[3, 3], a.sum())")
        self.assertEqual(said, "9 9\n")

    def test_hdf5_tools_of_the_build(self):
        self.check_tools(Path(stoa_test.HDF5_BIN))

    def test_hdf5_tools_of_1_14(self):
        if not older.PREFIX:
            self.skipTest(older.PROBLEM)
        self.check_tools(Path(older.HDF5_BIN))

    def test_the_package_tells_h5py_where_it_is(self):
        package = self.dir / "stoa_hdf5plugin"
        shutil.copytree(stoa_test.SOURCE / "python/plugin/stoa_hdf5plugin", package,
                        ignore=shutil.ignore_patterns("__pycache__"))  # fmt: skip
        done = stoa_test.run("cmake", "--install", stoa_test.BUILD, "--component", "filter", "--prefix", package)
        self.assertEqual(done.returncode, 0, done.stderr)
        files = {p.name for p in package.rglob("*") if p.is_file()}
        self.assertEqual(files, {"__init__.py", "libh5z_stoa_sparse.so", "LICENSE"})
        self.python("h5py", "tables", before="import stoa_hdf5plugin", plugins=False)
        self.python("h5py", before="import h5py as first\nfirst.File\nimport stoa_hdf5plugin", plugins=False)
        said = self.peer("env", "HDF5_PLUGIN_PATH=/mine", "python3", "-c", "import os, stoa_hdf5plugin as p\n"
                         "print(os.environ['HDF5_PLUGIN_PATH'] == p.PLUGIN_PATH + ':/mine', p.FILTER)")  # fmt: skip
        self.assertEqual(said, "True 53131\n")


if __name__ == "__main__":
    stoa_test.main()
