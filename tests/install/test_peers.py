"""scripts/peers: when it makes an environment, and what it leaves where it cannot. Python is replaced by a
shell script, which logs what pip is asked for."""

import os
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

SCRIPTS = stoa_test.SOURCE / "scripts"
PYTHON = r"""#!/bin/bash
case "$*" in
    "-c import sysconfig;"*) echo "${0%/bin/*}/include" ;;
    "-c import sys;"*) echo 3.11 ;;
    "-m venv "*) mkdir -p "$3/bin" "$3/lib/python3.11" && cp "$0" "$3/bin/python3"
        printf '#!%s/bin/python3\n' "$3" > "$3/bin/tool" ;;
    *" pip "*) echo "pip ${*:4}" >> "$LOG"; [ -z "$BROKEN" ] ;;
    "-c import pandas") ;;
    "-W ignore -c import h5py"*) ln -s /bin/true "${0%/*}/duckdb" ;;
esac
"""


class Peers(stoa_test.TestCase):
    def setUp(self):
        super().setUp()
        if not shutil.which("flock"):
            self.skipTest("flock is not there")
        self.cache = self.dir / "cache"
        (self.dir / "scripts").mkdir()
        for name in ("peers", "common.sh"):
            shutil.copy(SCRIPTS / name, self.dir / "scripts")
        self.write("scripts/peers.txt", "a==1 --hash=sha256:00\n")
        self.write("scripts/peers-newer.txt", "b==1 --hash=sha256:00\n")
        self.write("bin/python3", PYTHON).chmod(0o755)
        self.write("include/Python.h", "")
        for name in ("aarch64-linux-gnu-gcc", "qemu-aarch64-static", "abidiff"):
            self.write(f"bin/{name}", "#!/bin/sh\n").chmod(0o755)
        for name in ("apt-get", "sudo"):
            self.write(f"bin/{name}", "#!/bin/sh\nexit 1\n").chmod(0o755)

    def peers(self, *arguments, status=None, broken=""):
        env = {"STOA_CACHE_DIR": str(self.cache), "PATH": f"{self.dir}/bin:{os.environ['PATH']}",
               "LOG": str(self.dir / "log"), "BROKEN": broken}  # fmt: skip
        done = stoa_test.run(self.dir / "scripts/peers", *arguments, env=env)
        if status is not None:
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def asked(self):
        log = self.dir / "log"
        return log.read_text().splitlines() if log.exists() else []

    def test_an_environment_is_made_once_for_each_list(self):
        self.assertEqual(self.peers("--print", status=1), "")
        self.peers()
        first = self.peers("--print", status=0).strip()
        self.assertTrue(first.startswith(f"{self.cache}/peers-3.11-"), first)
        self.peers()
        self.assertEqual(len(self.asked()), 2)
        for asked, name in zip(self.asked(), ("peers.txt", "peers-newer.txt")):
            for word in ("--require-hashes", "--only-binary=:all:", f"-r {self.dir}/scripts/{name}"):
                self.assertIn(word, asked)
        self.write("scripts/peers.txt", "a==2 --hash=sha256:00\n")
        self.peers("--print", status=1)
        self.peers()
        self.assertNotEqual(self.peers("--print", status=0).strip(), first)
        self.assertEqual(len(self.asked()), 4)

    def test_its_programs_name_the_place_where_it_lies(self):
        self.peers()
        place = self.peers("--print", status=0).strip()
        with open(f"{place}/bin/tool", encoding="utf-8") as program:
            self.assertEqual(program.read(), f"#!{place}/bin/python3\n")

    def test_what_cannot_be_installed_leaves_nothing(self):
        self.peers(status=1, broken="yes")
        self.peers("--print", status=1)
        self.assertEqual([path.name for path in self.cache.iterdir()], [".peers.lock"])

    def test_an_environment_without_a_stamp_is_made_again(self):
        self.peers()
        place = self.peers("--print", status=0).strip()
        os.remove(f"{place}/.complete")
        self.peers("--print", status=1)
        self.peers()
        self.assertEqual(self.peers("--print", status=0).strip(), place)

    def test_the_lists_have_exact_versions_hashes_and_no_addresses(self):
        for name, least in (("peers.txt", 200), ("peers-newer.txt", 5)):
            lines = (SCRIPTS / name).read_text("utf-8").splitlines()[1:]
            for line in lines:
                self.assertRegex(line, r"^([a-z0-9._-]+==[\w.]+|    --hash=sha256:[0-9a-f]{64})( \\)?$")
            self.assertGreater(len(lines), least)


if __name__ == "__main__":
    stoa_test.main()
