"""Each mutation of tests/mutation still has its text in the sources, exactly once: a rule that was rewritten keeps its row."""
import os, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "mutation"))
import table

rows = table.read_all()
wrong = table.faults(rows)
for line in wrong:
    print("FAILED:", line)
print("%d passed, %d failed" % (len(rows) - len(wrong), len(wrong)))
sys.exit(1 if wrong or not rows else 0)
