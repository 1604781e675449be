"""The same question over the same data gives the same bytes: 1,000 questions are planned by one thread and by two, and
everything but the times is compared. $QUERENT_TWIN names the same program as another compiler built it: 300 questions more.
Skips without ../shared/data."""
import json, os, subprocess, sys, tempfile

QUERENT = os.environ["QUERENT"]
DATA = os.path.join("..", "shared", "data", "spider")
QUESTIONS = 1000
TWIN = os.environ.get("QUERENT_TWIN")
TWIN_QUESTIONS = 300


def run(questions, jobs, binary=QUERENT):
    out = subprocess.run([binary, "eval", questions, "--databases", os.path.join(DATA, "database"), "--json", "--jobs",
                          str(jobs)], capture_output=True, text=True, timeout=550)
    lines = []
    for line in out.stdout.splitlines():
        answer = json.loads(line)
        if "id" not in answer:
            continue
        for times in ("ms", "us"):
            answer.pop(times, None)
        lines.append(json.dumps(answer, sort_keys=True))
    return lines


def main():
    path = os.path.join(DATA, "train.jsonl")
    if not os.path.exists(path):
        print("skipped: there is no", path)
        print("0 passed, 0 failed")
        return
    with open(path, encoding="utf-8") as f:
        lines = f.readlines()
    with tempfile.TemporaryDirectory() as folder:
        def some(count):
            questions = os.path.join(folder, "%d.jsonl" % count)
            with open(questions, "w", encoding="utf-8") as f:
                f.writelines(lines[:: len(lines) // count][:count])
            return questions

        first, second = run(some(QUESTIONS), 1), run(some(QUESTIONS), 2)
        if TWIN:
            few = some(TWIN_QUESTIONS)
            first += run(few, 2)
            second += run(few, 2, TWIN)
    different = [(a, b) for a, b in zip(first, second) if a != b]
    for a, b in different[:5]:
        print("FAILED:", a, "\n   then", b)
    passed = len(first) - len(different)
    failed = len(different) + abs(len(first) - len(second)) + (len(first) < QUESTIONS * 9 // 10)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
