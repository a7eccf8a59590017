"""scripts/peers: when it makes an environment, and what it leaves where it cannot. Python is replaced by a
shell script, which logs what pip is asked for."""

import base64
import hashlib
import os
import shutil
import sys
from pathlib import Path

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
    "-c import base64"*) exec /usr/bin/env -S PATH=/usr/bin:/bin python3 "$@" ;;
    "-W ignore -c import h5py"*) ln -s /bin/true "${0%/*}/duckdb" ;;
esac
"""
# Packs a file "library".
NPM = r"""#!/bin/bash
echo "npm $*" >> "$LOG"
mkdir package && echo "library" > package/libduckdb.so && tar --sort=name --mtime=@0 --owner=0 --group=0 --mode=644 \
    -cf package.tar package && gzip -n < package.tar > x.tgz
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
        self.write("scripts/peers-npm.txt", "")
        self.write("bin/python3", PYTHON).chmod(0o755)
        self.write("bin/npm", NPM).chmod(0o755)
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

    def list_duckdb(self, version, hash):
        self.write("scripts/peers-npm.txt", "".join(f"duck-{x} {version} {hash}\n" for x in ("x64", "arm64")))

    def hash_of_package(self):
        self.write("package/libduckdb.so", "library\n").chmod(0o644)
        stoa_test.run("bash", "-c", f"cd '{self.dir}' && rm -r package && LOG=/dev/null bin/npm")
        return "sha512-" + base64.b64encode(hashlib.sha512((self.dir / "x.tgz").read_bytes()).digest()).decode()

    def test_the_library_of_duckdb_is_fetched_once_for_each_version(self):
        for version in ("1.5", "1.6"):
            self.list_duckdb(version, self.hash_of_package())
            self.peers("--print-duckdb", status=1)
            self.peers()
            self.peers()
            self.assertEqual(sum(f"@{version}" in asked for asked in self.asked()), 1)
            file = self.peers("--print-duckdb", status=0).strip()
            self.assertEqual(file, f"{self.peers('--print').strip()}/lib/libduckdb-{version}.so")
            self.assertEqual(Path(file).read_text("utf-8"), "library\n")
        self.assertEqual(sum(asked.startswith("pip") for asked in self.asked()), 2)

    def test_a_library_of_another_hash_is_refused(self):
        self.list_duckdb("1.5", "sha512-AAAA")
        self.peers(status=1)
        self.peers("--print-duckdb", status=1)
        self.peers("--print", status=0)

    def test_the_list_of_npm_has_exact_versions_and_hashes(self):
        lines = (SCRIPTS / "peers-npm.txt").read_text("utf-8").splitlines()[1:]
        self.assertEqual(len(lines), 2)
        for line in lines:
            self.assertRegex(line, r"^@duckdb/node-bindings-linux-(x64|arm64) [\w.-]+ sha512-[\w+/]{86}==$")

    def test_the_lists_have_exact_versions_hashes_and_no_addresses(self):
        for name, least in (("peers.txt", 200), ("peers-newer.txt", 5)):
            lines = (SCRIPTS / name).read_text("utf-8").splitlines()[1:]
            for line in lines:
                self.assertRegex(line, r"^([a-z0-9._-]+==[\w.]+|    --hash=sha256:[0-9a-f]{64})( \\)?$")
            self.assertGreater(len(lines), least)


if __name__ == "__main__":
    stoa_test.main()
