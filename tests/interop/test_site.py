"""The site of docs/ (`make docs`): every link inside it leads somewhere, and it needs no network."""

import ast
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import stoa_test

# What a browser fetches for a page, in HTML and in CSS.
FETCHED = re.compile(r"""<(?:script|img|link|iframe)\b[^>]*?(?:src|href)="([^"]*)"|url\(["']?([^)"']*)|@import ["']([^"']*)""")
OF_PAGE = re.compile(r'<link rel="(?:index|search|next|prev|canonical)"[^>]*>')


class Site(stoa_test.PeersTestCase):
    def test_links_lead_somewhere_and_nothing_is_fetched(self):
        place = self.dir / "site"
        done = stoa_test.run(f"{stoa_test.PEERS}/bin/python3", "-B", "-m", "sphinx", "-q", "-W", "--keep-going", "-E",
                             "-d", self.dir / "trees", "-b", "html", stoa_test.SOURCE / "docs", place)  # fmt: skip
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        pages = sorted(place.rglob("*.html"))
        self.assertGreater(len(pages), 50)
        for page in [*pages, *place.rglob("*.css")]:
            text = OF_PAGE.sub("", page.read_text("utf-8"))
            elsewhere = [name for found in FETCHED.findall(text) for name in found if re.match(r"(?:[a-z]+:)?//", name)]
            self.assertEqual(elsewhere, [], page)
        self.assertIn("sorted", (place / "searchindex.js").read_text("utf-8"))
        described = set(re.findall(r'id="pystoa\.([\w.]+)"', (place / "python-api.html").read_text("utf-8")))
        self.assertEqual(self.public_names() - described, set())

    def public_names(self):
        """The names of the Python package, and the public methods of its classes that are written in Python."""
        package = stoa_test.SOURCE / "python/pystoa"
        parsed = ast.parse((package / "__init__.py").read_text("utf-8"))
        names = {word for node in parsed.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__"
                 for word in ast.literal_eval(node.value)}  # fmt: skip
        for source in package.glob("_*.py"):
            for node in ast.parse(source.read_text("utf-8")).body:
                if isinstance(node, ast.ClassDef) and node.name in names:
                    names |= {f"{node.name}.{member.name}" for member in node.body
                              if isinstance(member, ast.FunctionDef) and not member.name.startswith("_")}  # fmt: skip
        return names

    def test_the_page_of_the_c_library_has_every_header(self):
        declared = set()
        for header in (stoa_test.SOURCE / "include/stoa").glob("*.h"):
            declared.add(f"<stoa/{header.name}>")
        page = (stoa_test.SOURCE / "docs/c-api.md").read_text("utf-8")
        self.assertEqual(declared, set(re.findall(r"<stoa/[a-z0-9_]+\.h>", page)))


if __name__ == "__main__":
    stoa_test.main()
