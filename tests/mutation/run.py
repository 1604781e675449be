#!/usr/bin/env python3
"""Takes every safety rule out in turn and asks whether a test notices.

    tests/mutation/run.py [--only REGEX] [--jobs N] [--build DIR] [--all-tests] [--list]

All mutations of the tables (table.py) are compiled into one copy of the tree, each behind a switch that the environment
sets (MUTANT=number), so that one build serves all; then the tests that a table's head names run once a mutation,
until one fails. Rows marked `=>!` are built one by one. Exit 0: every mutation was killed. --only looks at table, file
and text of a row.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import time

import table

SWITCH = """#ifndef MUTANT_SWITCH
#define MUTANT_SWITCH
#include <stdlib.h>
static inline int mutant(int number)
{
    static int chosen = -1;
    if (chosen < 0) {
        const char *text = getenv("MUTANT");
        chosen = text ? atoi(text) : 0;
    }
    return chosen == number;
}
#endif
"""


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def switched(source, mutations):
    """The source with a switch at each mutation; texts may stand inside each other."""
    marks = []
    for m in mutations:
        (start, end), = m.spans(source)
        if m.is_statement():
            marks.append((start, 0, -end, f"{{ if (!mutant({m.number})) {{ "))
            marks.append((end, -1, -start, " } }"))
        else:
            marks.append((start, 0, -end, f"(mutant({m.number}) ? ({m.replacement}) : ("))
            marks.append((end, -1, -start, "))"))
    out, at = [], 0
    for place, _, _, text in sorted(marks):
        out += [source[at:place], text]
        at = place
    return SWITCH + '#line 1\n' + "".join(out) + source[at:]


def write_if_changed(path, text):
    try:
        with open(path, encoding="utf-8") as f:
            if f.read() == text:
                return
    except (OSError, UnicodeDecodeError):
        pass
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


class Lab:
    def __init__(self, build):
        self.tree, self.build = os.path.join(build, "tree"), os.path.join(build, "build")

    def copy(self, mutations):
        files = run(["git", "-C", table.ROOT, "ls-files", "-co", "--exclude-standard"]).stdout.split("\n")
        by_file = collections.defaultdict(list)
        for m in mutations:
            if not m.rebuild:
                by_file[m.path].append(m)
        os.makedirs(self.tree, exist_ok=True)
        plain = "\n".join(f for f in files if f and f not in by_file and os.path.exists(os.path.join(table.ROOT, f)))
        # Without their times: a copy is as new as the build must take it.
        done = run(["rsync", "-rlp", "--checksum", "--files-from=-", table.ROOT, self.tree], input=plain)
        if done.returncode:
            sys.exit(done.stdout)
        for path, those in by_file.items():
            with open(os.path.join(table.ROOT, path), encoding="utf-8") as f:
                write_if_changed(os.path.join(self.tree, path), switched(f.read(), those))
        for name in (".deps",):
            link = os.path.join(self.tree, name)
            if os.path.exists(os.path.join(table.ROOT, name)) and not os.path.lexists(link):
                os.symlink(os.path.join(table.ROOT, name), link)
        shared, link = os.path.join(table.ROOT, "..", "shared"), os.path.join(self.tree, "..", "shared")
        if os.path.isdir(shared) and not os.path.lexists(link):
            os.symlink(os.path.realpath(shared), link)

    def configure(self):
        return run(["cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
                    "-DCMAKE_C_FLAGS=-w"])

    def make_for(self, expressions):
        """Builds what these tests run, no more."""
        targets = set()
        for expression in expressions:
            listed = run(["ctest", "--test-dir", self.build, "-N", "-R", expression]).stdout
            for folder, name in re.findall(r"Test +#\d+: (\w+)/(\w+)", listed):
                targets.add(name if folder in ("unit", "contract", "fault") else "querent")
        return run(["cmake", "--build", self.build, "--target", *sorted(targets)])

    def test(self, expression, number=0):
        """True when all tests pass."""
        env = {**os.environ, "MUTANT": str(number)}
        done = run(["ctest", "--test-dir", self.build, "-R", expression, "--stop-on-failure", "--timeout", "120",
                    "--no-tests=error"], env=env)
        return done.returncode == 0, done.stdout


def killed_switch(lab, m, expression):
    passed, _ = lab.test(expression, m.number)
    return not passed


def killed_rebuild(lab, m, expression):
    path = os.path.join(lab.tree, m.path)
    with open(path, encoding="utf-8") as f:
        before = f.read()
    try:
        (start, end), = m.spans(before)
        after = before[:start] + m.replacement + before[end:]
        with open(path, "w", encoding="utf-8") as f:
            f.write(after)
        if lab.make_for([expression]).returncode:
            return True # the compiler notices
        return not lab.test(expression)[0]
    finally:
        with open(path, "w", encoding="utf-8") as f:
            f.write(before)


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--only", default="", help="regular expression over table, file and text")
    ask.add_argument("--jobs", type=int, default=2)
    ask.add_argument("--build", default=os.path.join(table.ROOT, "build-mutation"))
    ask.add_argument("--all-tests", action="store_true", help="every unit test, not only the table's own")
    ask.add_argument("--list", action="store_true")
    args = ask.parse_args()

    every = table.read_all()
    wrong = table.faults(every)
    if wrong:
        sys.exit("\n".join(wrong))
    chosen = [m for m in every if re.search(args.only, str(m))]
    if args.list:
        print("\n".join(f"{m.number} {m}" for m in chosen))
        return 0
    lab = Lab(args.build)
    lab.copy(every)
    expression = {m: "^(unit|contract)/" if args.all_tests else f"^({m.tests})$" for m in chosen}
    made = lab.configure()
    if not made.returncode:
        made = lab.make_for(sorted(set(expression.values())))
    if made.returncode:
        sys.exit(made.stdout[-4000:])
    for tests in sorted(set(expression.values())):
        passed, said = lab.test(tests)
        if not passed:
            sys.exit(f"without a mutation {tests} fails:\n{said[-3000:]}")

    begun, survivors, counts = time.time(), [], collections.defaultdict(lambda: [0, 0])
    def judge(m, killed):
        counts[m.path][0] += killed
        counts[m.path][1] += 1
        if not killed:
            survivors.append(m)
            print(f"SURVIVED {m.number} {m}", flush=True)
    switch = [m for m in chosen if not m.rebuild]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for m, killed in zip(switch, pool.map(lambda m: killed_switch(lab, m, expression[m]), switch)):
            judge(m, killed)
    for m in chosen:
        if m.rebuild:
            judge(m, killed_rebuild(lab, m, expression[m]))

    for path, (killed, total) in sorted(counts.items()):
        print(f"{killed:4} of {total:4}  {path}")
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} killed in {time.time() - begun:.0f} s")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
