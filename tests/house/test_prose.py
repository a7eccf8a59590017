"""Pages and comments read as one thought a sentence: none over 30 words, and no worn-out words."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import stoa_test

LONGEST = 30
# Words that hide a subject that has a name, and riddles.
WORN_OUT = (
    "whoever", "nobody", "somebody", "anybody", "is none", "are none", "is told", "unasked", "reckoning",
    "a caller's ear", "of nothing", "of what is", "to what has", "what is there", "who reads", "who looks",
    "other houses", "by these or",
)  # fmt: skip

COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/', re.S)
# "NULL if there is none" says it at once.
ALLOWED = re.compile(r"\bthere (is|are) none\b|\bis told which\b|listener is told|if it is none of them")
FENCE = re.compile(r"\s*```")
TABLE_RULE = re.compile(r"\s*\|[\s:|-]+\|\s*$")
LIST_ITEM = re.compile(r"(\s*)(?:[-*+]|\d+\.)\s+(.*)")
ANCHOR = re.compile(r"<[^>]*>")
CODE = re.compile(r"(`+)(.+?)\1")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
CELL_END = re.compile(r"(?<!\\)\|")
SENTENCE_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)[\"')*_]*\s+")


def plain(text):
    """The words alone: a span of code is one word, a link is its text."""
    return LINK.sub(r"\1", ANCHOR.sub("", CODE.sub("code", text))).strip()


def blocks(lines):
    """Each paragraph, heading, item of a list and cell of a table, with the number of its first line."""
    start, words = 0, []
    is_fenced = is_after_blank = is_list = False
    for number, line in enumerate(lines + [""], 1):
        if FENCE.match(line):
            is_fenced = not is_fenced
        item = LIST_ITEM.match(line)
        is_code = is_after_blank and not is_list and line.startswith("    ")
        ends = not line.strip() or line[0] in "#|" or item or is_fenced or is_code
        if words and (ends or FENCE.match(line)):
            yield start, " ".join(words)
            words = []
        if not line.strip():
            is_after_blank = True
            continue
        is_after_blank = is_code
        if is_fenced or FENCE.match(line) or is_code:
            continue
        if line[0] not in " " and not item and not words:
            is_list = False
        if line[0] == "|":
            if not TABLE_RULE.match(line):
                for cell in CELL_END.split(line.strip()[1:-1]):
                    yield number, cell
        elif line[0] == "#":
            yield number, line.lstrip("# ")
        else:
            is_list = is_list or bool(item)
            start = start if words else number
            words.append(item.group(2) if item else line.strip())


def comments(text):
    """The comments of a C file, each on its lines. One ends a sentence, and so do @param and `;` in one."""
    kept, end = [], 0
    for match in COMMENT.finditer(text):
        if match[0][0] != "/":
            continue
        kept.append("\n" * text.count("\n", end, match.start()))
        words = re.sub(r"(?m)^\s*\*+ ?", "", re.sub(r"^/\*+<?|\*/$", "", match[0])).rstrip()
        kept.append(re.sub(r"(?m)^@(param|return)\S*", "- ", words).replace(";", ".") + ". ")
        end = match.end()
    return "".join(kept)


def sentences(path):
    text = path.read_text("utf-8")
    text = comments(text) if path.suffix in (".c", ".h") else text
    for number, block in blocks(text.split("\n")):
        for sentence in SENTENCE_END.split(plain(block)):
            yield number, sentence


def words_of(sentence):
    return [word for word in sentence.split() if any(letter.isalnum() for letter in word)]


def pages():
    named = [stoa_test.SOURCE / "README.md", stoa_test.SOURCE / "CONTRIBUTING.md"]
    named += [p for place in ("docs", "src") for p in sorted((stoa_test.SOURCE / place).rglob("*.md"))]
    named += [p for place in ("include", "plugins", "src")
              for p in sorted((stoa_test.SOURCE / place).rglob("*.[ch]"))]  # fmt: skip
    for path in named:
        yield path.relative_to(stoa_test.SOURCE).as_posix(), path


class Prose(stoa_test.TestCase):
    def findings(self, wrong_with):
        return [
            f"{name}:{number}: {wrong}: {sentence}"
            for name, path in pages()
            for number, sentence in sentences(path)
            for wrong in wrong_with(sentence)
        ]

    def test_no_sentence_is_longer_than_one_breath(self):
        def lengths(sentence):
            count = len(words_of(sentence))
            return [f"{count} words"] if count > LONGEST else []

        self.assertEqual(self.findings(lengths), [])

    def test_no_sentence_has_a_worn_out_word(self):
        def worn_out(sentence):
            found = [w for w in WORN_OUT if re.search(rf"\b{w}\b", sentence, re.I)]
            return [f"'{w}'" for w in found if not ALLOWED.search(sentence)]

        self.assertEqual(self.findings(worn_out), [])

    def test_comments_are_cut_out_of_c(self):
        text = """/* One thought; two.\n * On. */\nint a = '/'; /**< not "b" */\n\nchar *c = "/* no */";\n"""
        self.assertEqual(comments(text), " One thought. two.\nOn.. \n not \"b\". ")

    def test_markdown_is_cut_into_sentences(self):
        text = """# A page

One thought of [two words](a.md#b). Another `x y z`; in
two lines. 1.14 is e.g. a number.

    not. prose. at. all.

- An item
  goes on.
- Another

  with a paragraph.

| a | b \\| c |
| --- | --- |
| One. Two. | |

```sh
no. prose.
```
"""
        cut = [plain(s) for _, b in blocks(text.split("\n")) for s in SENTENCE_END.split(plain(b))]
        self.assertEqual(
            [sentence for sentence in cut if sentence],
            ["A page", "One thought of two words.", "Another code; in two lines.",
             "1.14 is e.g. a number.", "An item goes on.", "Another", "with a paragraph.",
             "a", "b \\| c", "One.", "Two."],
        )  # fmt: skip


if __name__ == "__main__":
    stoa_test.main()
