"""The tables of mutations (tests/mutation/*.txt): how they read and where their texts stand in the sources.

A table is blocks of one source file each:

    @ engine/policy/view.c  unit/(policy|access)_test
    [table_allowed] if (any_pattern(deny, n, ds, t)) return false; =>
    [role_allows] h->all =>  true

The head names the file and the ctest expression that must notice. A row is a text that stands exactly once in the function
in brackets, or without one in the file (spaces and line ends count as one space), and what stands in its place. A statement is taken out: nothing follows the arrow.
An expression gets another value. `=>!` marks a text that no running program can switch (a constant of a table): it is
replaced in the source and built anew. A line that starts with # is a comment.
"""
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class Mutation:
    def __init__(self, table, line, path, tests, text, replacement, rebuild):
        named = re.match(r"\[(\w+)\]\s*(.*)", text)
        self.table, self.line, self.path, self.tests = table, line, path, tests
        self.function, self.text = named.groups() if named else ("", text)
        self.replacement, self.rebuild = replacement, rebuild
        self.number = 0

    def is_statement(self):
        return not self.replacement

    def spans(self, source):
        """Where the text stands."""
        begin, end = 0, len(source)
        if self.function:
            body = re.search(r"^[a-z][^;={}]*?\b" + self.function + r"\([^;{}]*\)\s*\{$.*?^\}", source, re.M | re.S)
            if not body:
                return []
            begin, end = body.span()
        return [m.span() for m in re.compile(pattern(self.text)).finditer(source, begin, end)]

    def __str__(self):
        return f"{self.table}:{self.line} {self.path} {self.function}: {self.text} => {self.replacement}"


def pattern(text):
    """The text, with any run of spaces where it has some."""
    return r"\s+".join(re.escape(word) for word in text.split())


def read(name):
    found, path, tests = [], None, None
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            if line.startswith("@ "):
                path, tests = line[2:].split()
                continue
            text, mark, replacement = line.partition("=>")
            if not mark or not path:
                raise ValueError(f"{name}:{number}: expected `text => replacement`")
            rebuild = replacement.startswith("!")
            found.append(Mutation(name, number, path, tests, text.strip(), replacement.lstrip("!").strip(), rebuild))
    return found


def read_all():
    found = []
    for name in sorted(os.listdir(HERE)):
        if name.endswith(".txt"):
            found += read(name)
    for number, mutation in enumerate(found, 1):
        mutation.number = number
    return found


def faults(mutations):
    """Rows whose text does not stand exactly once in its file."""
    sources, wrong = {}, []
    for m in mutations:
        if m.path not in sources:
            try:
                with open(os.path.join(ROOT, m.path), encoding="utf-8") as f:
                    sources[m.path] = f.read()
            except OSError:
                sources[m.path] = ""
        n = len(m.spans(sources[m.path]))
        if n != 1:
            wrong.append(f"{m}: stands {n} times in the file")
        elif m.is_statement() and not m.rebuild and m.text[-1] not in ";}":
            wrong.append(f"{m}: only a statement can be taken out")
    return wrong
