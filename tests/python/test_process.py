"""What a table does to its process: memory, ids, signals, threads, forks, the GIL."""

import gc
import os
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python_test
import stoa_test

import pystoa
import pystoa._pystoa
from pystoa import col


def resident():
    """Bytes of memory that this process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def descriptors():
    return len(os.listdir("/proc/self/fd"))


class Memory(python_test.TestCase):
    def cycle(self):
        with pystoa.open(self.path) as file:
            table = file["/events"]
            table.query(col("energy") > 5, columns=["time"]).to_list()
            table["energy"].read(0, 2)[0:1].to_list()
            next(iter(table.query()))
            table.query().__arrow_c_stream__()
            table.query().__arrow_c_schema__()
            table.schema["energy"].metadata
            table["time"].read().__arrow_c_array__()
            for mistake in ("energy >", "charge > 1"):
                try:
                    table.query(mistake).to_list()
                except pystoa.Error:
                    pass

    def test_cycles_keep_no_memory_and_no_ids(self):
        for _ in range(200):
            self.cycle()
        gc.collect()
        ids, files, before = pystoa._pystoa._open_ids(), descriptors(), resident()
        for _ in range(stoa_test.effort(1500)):
            self.cycle()
        gc.collect()
        self.assertEqual((pystoa._pystoa._open_ids(), descriptors()), (ids, files))
        self.assertLess(resident() - before, 3 << 20)

    def test_edits_keep_no_memory_and_no_ids(self):
        def edit():
            table = pystoa.open(self.path, "/events")
            table.append(iter([{"time": [1], "energy": [None], "det": [2]}]))
            table.update("time = ?", {"energy": "?"}, [1, 2.5])
            table.delete(col("time") == 1)
            try:
                table.append({"time": [1]})
            except TypeError:
                pass

        edit()
        gc.collect()
        ids, files = pystoa._pystoa._open_ids(), descriptors()
        for _ in range(20):
            edit()
        gc.collect()
        self.assertEqual((pystoa._pystoa._open_ids(), descriptors()), (ids, files))

    def test_references_are_balanced(self):
        table = self.events()
        params, progress, data = [5.5], lambda *p: None, {"time": [1], "energy": [1.0], "det": [7]}
        objects = [table, params, progress, data, data["time"], None, "energy", pystoa.Array]

        def use():
            for _ in range(50):
                list(table.query("energy > ?", params, progress=progress))
                table["energy"].read(0, 4)[1:3].to_list()
            pystoa.write(self.path, "/t", data, replace=True, progress=progress)

        use()
        gc.collect()
        before = [sys.getrefcount(o) for o in objects]
        use()
        gc.collect()
        after = [sys.getrefcount(o) for o in objects]
        for o, was, now in zip(objects, before, after):
            self.assertLess(abs(now - was), 10, o)

    def test_parts_outlive_what_they_came_from(self):
        table = self.events()
        part = table["energy"].read()[1:3]
        field = table.schema["energy"]
        reader = iter(table.query())
        table.close()
        del table
        gc.collect()
        self.assertEqual((part.to_list(), field.units), ([2.0, 8.25], "keV"))
        self.assertEqual(sum(len(batch) for batch in reader), 4)


class Signals(python_test.TestCase):
    LONG = """
import os, signal, sys, threading, time
import pystoa
table = pystoa.open(sys.argv[1], "/t")
main = threading.get_ident()
threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT)).start()
try:
    while True:
        table.query("(x % 7 = 3 or x % 11 = 5) and x % 13 != 1", sort="x:desc").to_list()
except KeyboardInterrupt:
    print("interrupted")
"""
    EDIT = """
import signal, sys, threading
import pystoa
table = pystoa.open(sys.argv[1], "/t")
def batches():
    signal.raise_signal(signal.SIGINT)
    while True:
        yield {"x": range(100000)}
try:
    table.append(batches())
except KeyboardInterrupt:
    print("interrupted")
"""

    def run_python(self, script, *arguments):
        environment = {"PYTHONPATH": str(python_test.PACKAGE.parent)}
        return stoa_test.run(sys.executable, "-c", script, *arguments, env=environment, timeout=120)

    def test_ctrl_c_ends_a_query(self):
        path = self.dir / "long.h5"
        pystoa.write(path, "/t", {"x": range(1_000_000)})
        done = self.run_python(self.LONG, path)
        self.assertEqual((done.stdout, done.stderr), ("interrupted\n", ""))

    def test_ctrl_c_ends_an_edit_and_leaves_the_file(self):
        path = self.dir / "long.h5"
        pystoa.write(path, "/t", {"x": range(1000)})
        before = path.read_bytes()
        done = self.run_python(self.EDIT, path)
        self.assertEqual((done.stdout, done.stderr), ("interrupted\n", ""))
        self.assertEqual(path.read_bytes(), before)


class Threads(python_test.TestCase):
    def test_other_threads_run_meanwhile(self):
        path = self.dir / "long.h5"
        pystoa.write(path, "/t", {"x": range(2_000_000)})
        table = pystoa.open(path, "/t")
        turns = []
        stop = threading.Event()

        def count():
            while not stop.is_set():
                turns.append(1)
                time.sleep(0.0001)

        counter = threading.Thread(target=count)
        counter.start()
        before = len(turns)
        table.aggregate("count(), median(x)", where="x % 7 = 3 or x % 5 = 1").to_list()
        during = len(turns) - before
        stop.set()
        counter.join()
        self.assertGreater(during, 1)

    def test_threads_share_a_table(self):
        table = self.events()
        expected = table.query("energy > 1", sort="energy").to_list()
        wrong = []

        def ask():
            for _ in range(50):
                found = table.query("energy > 1", sort="energy").to_list()
                if found != expected or table["time"].read(1, 3).to_list() != [20, 30]:
                    wrong.append(found)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_threads_have_files_of_their_own(self):
        wrong = []

        def work(i):
            path = self.dir / f"own-{i}.h5"
            pystoa.write(path, "/t", {"x": range(1000)}, indexes={"x": "sorted"})
            table = pystoa.open(path, "/t")
            for k in range(20):
                table.append({"x": [k]})
                if len(table.query("x = ?", [k]).to_list()) != 2:
                    wrong.append((i, k))

        threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class Processes(python_test.TestCase):
    def test_a_forked_table_is_refused(self):
        table = self.events()
        reader = iter(table.query())
        pid = os.fork()
        if pid == 0:
            said = []
            for use in (lambda: len(table), lambda: next(reader), lambda: table.query().to_list()):
                try:
                    use()
                except pystoa.Error as error:
                    said.append("forked" in str(error))
            os._exit(0 if said == [True] * 3 else 1)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.assertEqual(sum(len(batch) for batch in reader), 4)
        self.assertEqual(len(table), 4)

    def test_a_forked_process_opens_tables_of_its_own(self):
        self.events()
        pid = os.fork()
        if pid == 0:
            os._exit(0 if len(pystoa.open(self.path, "/events")) == 4 else 1)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)

    def test_a_spawned_process_gets_the_table(self):
        script = (
            "import multiprocessing, sys, pystoa\n"
            "if __name__ == '__main__':\n"
            "    context = multiprocessing.get_context('spawn')\n"
            "    table = pystoa.open(sys.argv[1], '/events')\n"
            "    with context.Pool(2) as pool:\n"
            "        print(pool.map(len, [table, table]))\n"
        )
        self.write("spawn.py", script)
        environment = {"PYTHONPATH": str(python_test.PACKAGE.parent)}
        done = stoa_test.run(sys.executable, self.dir / "spawn.py", self.path, env=environment)
        self.assertEqual((done.stdout, done.stderr), ("[4, 4]\n", ""))


class Symbols(stoa_test.TestCase):
    def test_the_extension_shows_one_symbol(self):
        done = stoa_test.run("nm", "-D", "--defined-only", python_test.PACKAGE / "_pystoa.abi3.so")
        names = [line.split()[-1] for line in done.stdout.splitlines()]
        self.assertEqual(names, ["PyInit__pystoa"])

    def test_the_extension_needs_the_stable_abi_alone(self):
        done = stoa_test.run("nm", "-D", "--undefined-only", python_test.PACKAGE / "_pystoa.abi3.so")
        private = [word for word in done.stdout.split() if word.startswith("_Py")]
        allowed = {"_Py_NoneStruct", "_Py_TrueStruct", "_Py_FalseStruct", "_Py_Dealloc", "_PyObject_New",
                   "_Py_IncRef", "_Py_DecRef"}  # fmt: skip
        self.assertEqual(sorted(set(private) - allowed), [])


if __name__ == "__main__":
    stoa_test.main()
