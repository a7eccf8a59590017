"""The site, which `make docs` makes of these pages: Sphinx, with the C headers read by Doxygen."""

import logging
import re
import subprocess
import sys
import tempfile
import types
from pathlib import Path

from docutils import nodes
from pygments.lexers.special import TextLexer

here = Path(__file__).resolve().parent
headers = sorted((here.parent / "include/stoa").glob("*.h"))

project = "Stoa"
release = version = re.search(r'STOA_VERSION "(.*)"', (here.parent / "include/stoa/stoa.h").read_text())[1]
html_title = f"Stoa {release}"
copyright = "the Stoa authors. Licence: BSD-3-Clause"
extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
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
TYPEDEF_HIDES_STRUCT = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
INPUT_FILTER = "sed -E '/define STOA_(API|MUST_CHECK|PRINTF|BEGIN_DECLS|END_DECLS)/d'"
PREDEFINED = STOA_PRINTF(a,b)= STOA_API= STOA_MUST_CHECK= STOA_BEGIN_DECLS= STOA_END_DECLS=
"""
xml = tempfile.TemporaryDirectory()
breathe_projects = {"stoa": f"{xml.name}/xml"}
breathe_default_project = "stoa"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False

# C's own types and those of HDF5 and Arrow have no page here.
nitpicky = False
suppress_warnings = ["c.duplicate_declaration", "duplicate_declaration.c"]

# The Python package. Its docstrings are those of Google's style, with Markdown's code and pages of this folder.
default_role = "code"
smartquotes = False
add_module_names = False
python_use_unqualified_type_names = True
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
MEMBER_OF_C = re.compile(r'\{"(\w+)",[^"{}]*?((?:"(?:[^"\\]|\\.)*"\s*)+)[,}]')
TYPE_OF_C = re.compile(r'\{Py_tp_doc,\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\}')


def import_pystoa():
    """Import the package without its extension, which need not be built: its stub has the names and types of it,
    and its source the docstrings."""
    python = here.parent / "python"
    made = types.ModuleType("pystoa._pystoa")
    stub = re.sub(r"(?m)^(class \w+:)$", r"\1\n    __slots__ = ()", (python / "pystoa/_pystoa.pyi").read_text())
    exec(compile(stub, "_pystoa.pyi", "exec"), made.__dict__)
    for name in made.__annotations__:
        setattr(made, name, release if name == "version" else ())
    for name in ("Schema", "Array", "Reader", "Table", "Query"):
        of_c = (python / f"src/{name.lower()}.c").read_text()
        kind = getattr(made, name)
        kind.__doc__ = said_in_c(TYPE_OF_C.search(of_c)[1])
        kind.__module__ = "pystoa"
        for member, text in MEMBER_OF_C.findall(of_c):
            if member in vars(kind):
                vars(kind)[member].__doc__ = said_in_c(text)
    sys.path.insert(0, str(python))
    sys.dont_write_bytecode = True
    sys.modules["pystoa._pystoa"] = made
    logging.getLogger("numexpr").setLevel(logging.WARNING)  # it tells how many threads it takes
    import pystoa

    # Types are looked for by name: long ones have an entry of their own, and some are imported for checkers alone.
    known = {name: getattr(pystoa, name) for name in pystoa.__all__ if name[0].isupper() and name != "Entries"}
    short = {name: type(name, (), {"__module__": "pystoa"}) for name in ("Path", "Where", "Params", "Progress")}
    for module in [module for name, module in sys.modules.items() if name.startswith("pystoa.")]:
        vars(module).update({name: kind for name, kind in short.items() if name in vars(module)})
        for name, kind in known.items():
            vars(module).setdefault(name, kind)


def said_in_c(literals):
    text = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals)).replace(r"\n", "\n").replace('\\"', '"')
    return text.split("--\n\n")[-1]  # behind the signature


def read_docstring(app, what, name, obj, options, lines):
    """Make Markdown of docstrings what Sphinx reads: a colon before indented lines begins code, and stars and
    underscores are themselves."""
    code = None  # how far its first line is indented, within code
    for i, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if code is not None and (not line or indent > code) or line[indent:].startswith(">>>"):
            continue
        code = None
        if line.endswith(":") and not line.endswith("::") and lines[i + 1 : i + 2] == [""] and lines[i + 2][:4] == "    ":
            line += ":"
            code = indent
        parts = re.split(r"(`[^`]*`)", line)
        parts[::2] = [re.sub(r"(?<![\\*])\*(?!\*)|(?<=\w)_(?!\w)", r"\\\g<0>", part) for part in parts[::2]]
        lines[i] = "".join(parts)


import_pystoa()


def read_headers(app):
    config = DOXYGEN.format(input=" ".join(f'"{h}"' for h in headers), output=xml.name)
    subprocess.run(["doxygen", "-"], input=config, text=True, check=True, stdout=subprocess.DEVNULL)


def read_page(app, docname, source):
    """The pages are written for GitHub: take its anchors, and name what is not on this site."""
    page = here / f"{docname}.md"
    if docname == "changelog":
        text = (here.parent / "CHANGELOG.md").read_text()
        source[0] = re.sub(r"\]\((?!https?:)", "](../", text).replace("](../docs/", "](")

    def link(found):
        inside = (page.parent / found[2]).resolve().is_relative_to(here)
        return found[0] if inside else f"{found[1]} (`{found[2].replace('../', '')}`)"

    text = re.sub(r'(?m)^<a id="([\w-]+)"></a>$', r"(\1)=", source[0])
    text = re.sub(r"\[([^]]+)\]\((\.\./[^)#]+)(?:#[^)]*)?\)", link, text)
    is_listed = not docname.startswith("decisions/") or docname.endswith("README")  # its table lists the others
    source[0] = text if is_listed else f"---\norphan: true\n---\n{text}"


def link_pages(app, doctree, docname):
    """The name of a page in a comment or docstring, docs/query.md, becomes a link to it."""
    for text in [text for text in doctree.findall(nodes.Text) if "docs/" in text]:
        if isinstance(text.parent, (nodes.literal, nodes.literal_block, nodes.reference)):
            continue
        parts = re.split(r"docs/([\w/-]+)\.md(#[\w-]+)?", text)
        made = []
        for plain, page, anchor in zip(parts[::3], [*parts[1::3], None], [*parts[2::3], None]):
            made.append(nodes.Text(plain))
            if page in app.env.titles:
                place = app.builder.get_relative_uri(docname, page) + (anchor or "")
                made.append(nodes.reference("", app.env.titles[page].astext(), refuri=place, internal=True))
            elif page:
                made.append(nodes.Text(f"docs/{page}.md"))
        text.parent.replace(text, made)


def setup(app):
    app.add_lexer("mermaid", TextLexer)
    app.connect("builder-inited", read_headers)
    app.connect("source-read", read_page)
    app.connect("autodoc-process-docstring", read_docstring)
    app.connect("doctree-resolved", link_pages)
