"""Reading what h5dump prints: each object's and attribute's description, by its path."""

import re

BLOCK = re.compile(r'(?P<what>GROUP|DATASET|ATTRIBUTE) "(?P<name>.*)" \{$')


def described(text):
    """{"/t/x": "DATATYPE ... DATASPACE ...", "/t/x@units": ...}, blanks made single."""
    found = {}
    stack = []  # [path, depth] of the blocks that have a name
    depth = 0
    for line in (line.strip() for line in text.splitlines()):
        block = BLOCK.match(line)
        if block:
            above = stack[-1][0] if stack else ""
            sign = "@" if block["what"] == "ATTRIBUTE" else "/"
            name = "" if block["name"] == "/" else block["name"]
            stack.append([above + sign + name if name else above, depth])
            found[stack[-1][0]] = []
            depth += 1
            continue
        depth += line.count("{") - line.count("}")
        if stack and depth == stack[-1][1]:
            stack.pop()
        elif stack and line:
            found[stack[-1][0]].append(line)
    return {path: re.sub(r"\s+", " ", " ".join(lines)) for path, lines in found.items()}


def string(size=r"\d+", padding=r"\w+", cset="UTF8"):
    """A pattern for a fixed-length string datatype, open where the specification leaves it so."""
    return (rf"H5T_STRING \{{ STRSIZE {size}; STRPAD H5T_STR_{padding}; "
            rf"CSET H5T_CSET_{cset}; CTYPE H5T_C_S1; \}}")  # fmt: skip


SCALAR = "DATASPACE SCALAR"
STD_REF = r"DATATYPE H5T_REFERENCE \{ H5T_STD_REF \}"
TEXT = rf"DATATYPE {string()} {SCALAR}"
BOOLEAN = rf'DATATYPE H5T_ENUM \{{ H5T_STD_I8LE; "FALSE" 0; "TRUE" 1; \}} {SCALAR}'


def vector(n):
    return rf"DATASPACE SIMPLE \{{ \( {n} \) / \( {n} \) \}}"
