"""The site, which `make docs` makes of these pages: Sphinx, with the C headers read by Doxygen."""

import re
import subprocess
import tempfile
from pathlib import Path

from pygments.lexers.special import TextLexer

here = Path(__file__).resolve().parent
headers = sorted((here.parent / "include/stoa").glob("*.h"))

project = "Stoa"
release = version = re.search(r'STOA_VERSION "(.*)"', (here.parent / "include/stoa/stoa.h").read_text())[1]
html_title = f"Stoa {release}"
extensions = ["myst_parser", "breathe", "sphinx_copybutton"]
exclude_patterns = []

html_theme = "furo"
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
html_static_path = ["site"]
html_css_files = ["site.css"]

myst_heading_anchors = 4
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
highlight_language = "none"

# The public headers, as Doxygen understands them.
DOXYGEN = """
INPUT = {input}
OUTPUT_DIRECTORY = {output}
GENERATE_XML = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
OPTIMIZE_OUTPUT_FOR_C = YES
QUIET = YES
WARNINGS = NO
WARN_IF_UNDOCUMENTED = NO
WARN_IF_INCOMPLETE_DOC = NO
WARN_NO_PARAMDOC = NO
JAVADOC_AUTOBRIEF = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = STOA_API= STOA_MUST_CHECK= STOA_BEGIN_DECLS= STOA_END_DECLS=
"""
xml = tempfile.TemporaryDirectory()
breathe_projects = {"stoa": f"{xml.name}/xml"}
breathe_default_project = "stoa"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False

# C's own types and those of HDF5 and Arrow have no page here.
nitpicky = False
suppress_warnings = ["c.duplicate_declaration", "duplicate_declaration.c"]


def read_headers(app):
    config = DOXYGEN.format(input=" ".join(f'"{h}"' for h in headers), output=xml.name)
    subprocess.run(["doxygen", "-"], input=config, text=True, check=True, stdout=subprocess.DEVNULL)


def read_page(app, docname, source):
    """The pages are written for GitHub: take its anchors, and name what is not on this site."""
    page = here / f"{docname}.md"

    def link(found):
        inside = (page.parent / found[2]).resolve().is_relative_to(here)
        return found[0] if inside else f"{found[1]} (`{found[2].replace('../', '')}`)"

    text = re.sub(r'(?m)^<a id="([\w-]+)"></a>$', r"(\1)=", source[0])
    text = re.sub(r"\[([^]]+)\]\((\.\./[^)#]+)(?:#[^)]*)?\)", link, text)
    is_listed = not docname.startswith("decisions/") or docname.endswith("README")  # its table lists the others
    source[0] = text if is_listed else f"---\norphan: true\n---\n{text}"


def setup(app):
    app.add_lexer("mermaid", TextLexer)
    app.connect("builder-inited", read_headers)
    app.connect("source-read", read_page)
