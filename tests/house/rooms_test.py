#!/usr/bin/env python3
"""The house rules that no compiler checks: levels of rooms, homes of third-party headers, banned functions, no mutable state
at file scope, contiguous migrations, one caller of adapter_execute, one constructor of statements, codes, names, words."""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("BUILD_DIR", os.path.join(ROOT, "build"))
SELF = os.path.relpath(os.path.abspath(__file__), ROOT)

# Third-party headers and the only files that include them.
HOMES = {
    r"civetweb\.h": r"api/server\.c",
    r"jansson\.h": r"engine/base/json\.c",
    r"yaml\.h": r"engine/base/yaml\.c",
    r"curl/.*": r"engine/base/http_client\.c",
    r"openssl/.*": r"engine/base/(secret|hash)\.c",
    r"sqlite3\.h": r"engine/(adapters/sqlite\w*\.[ch]|store/(sqlite|demo)\w*\.[ch])|cli/measure/gold\.c",
    r"libpq-fe\.h": r"engine/(adapters/postgres\w*\.[ch]|store/postgres\.c)",
    r"pg_query\.h": r"engine/adapters/postgres_inspect\.c",
    r"mysql.*": r"engine/adapters/mysql\w*\.[ch]",
    r"sybdb\.h|sybfront\.h": r"engine/adapters/mssql\w*\.[ch]",
    r"jwt\.h": r"engine/identity/\w+\.c",
    r"(libstemmer|utf8proc)\.h": r"engine/(schema|planners|base)/[\w/]+\.c",
}
BANNED = "sprintf vsprintf strcpy strcat strtok atoi atol atof sscanf strncpy gets alloca".split()
HEAP = "malloc calloc realloc free strdup strndup".split()
HEAP_HOMES = r"engine/(base|store|adapters|schema|policy|config|jobs)/|engine/\w+\.[ch]$|api/(server|raw/)|tests/|train/|cli/measure/"
WORDS = [r"/work/", r"\bTODO\b", r"\bFIXME\b", r"\bHACK\b", r"\bClaude\b", r"\bChatGPT\b", r"\bCopilot\b", r"\bissue #?\d"]
LINES_MAX, FUNCTION_MAX = 800, 90

failures, passed = [], 0


def check(name, problems):
    global passed
    problems = sorted(set(problems))
    if problems:
        failures.append(name)
        print(f"FAILED {name}")
        for p in problems[:40]:
            print(f"    {p}")
    else:
        passed += 1


def tracked():
    # Files that a commit would hold: tracked ones and new ones that are not ignored.
    out = subprocess.check_output(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, text=True)
    return [f for f in out.splitlines() if os.path.isfile(os.path.join(ROOT, f))]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as f:
        return f.read()


def bare(text):
    """C text without comments and literals, lines kept."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m.group(0))
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


FILES = tracked()
TEXT = {f: read(f) for f in FILES if re.search(r"\.(c|h|py|sql|md|txt|json|cmake|yml|yaml|sh)$|^scripts/|^\.ci/|CMakeLists|Dockerfile", f)}
C = {f: bare(t) for f, t in TEXT.items() if f.endswith((".c", ".h"))}
PRODUCT = {f: t for f, t in C.items() if f.startswith(("engine/", "api/", "mcp/", "cli/"))}  # train/ is a tool beside the product
LEVELS = {room: int(n) for n, rooms in re.findall(r"^level\((\d+) ([^)]*)\)", TEXT["CMakeLists.txt"], re.M) for room in rooms.split()}
FACADE = {os.path.basename(f) for f in FILES if f.startswith("engine/include/")}


def includes(path):
    return re.findall(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', TEXT[path], re.M)


def room_of(path):
    m = re.match(r"engine/(\w+)/", path)
    return m.group(1) if m else None


def levels():
    for path in PRODUCT:
        for kind, name in includes(path):
            if kind != '"' or name in FACADE:
                continue
            target, here = name.split("/")[0], room_of(path)
            if path.startswith("engine/include/"):
                yield f"{path} includes {name}: the facade stands alone"
            elif here:
                if "/" not in name:
                    yield f'{path} includes "{name}": write it as "room/file.h"'
                elif target not in LEVELS or here not in LEVELS:
                    yield f"{path} includes {name}: not a room of CMakeLists.txt"
                elif target != here and LEVELS[target] >= LEVELS[here]:
                    yield f"{path} (level {LEVELS[here]}) includes {name} (level {LEVELS[target]})"
            elif not path.startswith("engine/"):
                door = path.split("/")[0]
                allowed = {"api": {"api"}, "mcp": {"mcp"}, "cli": {"cli", "api", "mcp"}}[door]
                if target not in allowed and not (path == "api/raw/mcp.c" and name == "mcp/mcp.h"):
                    yield f"{path} includes {name}: a door sees engine/include only"


def homes():
    for path in PRODUCT:
        for _, name in includes(path):
            for header, home in HOMES.items():
                if re.fullmatch(header, name) and "/" + name not in path and not re.fullmatch(home, path):
                    yield f"{path} includes {name}; its home is {home}"


def functions():
    for path, text in C.items():
        for name in set(re.findall(r"(?<![.>])\b([a-z]+) ?\(", text)):
            if name in BANNED:
                yield f"{path} calls {name}"
            elif name in HEAP and not re.match(HEAP_HOMES, path):
                yield f"{path} calls {name}: memory comes from the call"


def symbols():
    """Of our archives: (archive, member, name, class, type, section)."""
    archives = [f for f in sorted(os.listdir(BUILD)) if re.fullmatch(r"lib\w+\.a", f)
                and f not in ("libcivetweb.a", "libembedded_data.a")]
    out = subprocess.check_output(["nm", "-f", "sysv", *archives], text=True, cwd=BUILD)
    place = ("?", "?")
    for line in out.splitlines():
        part = line.split("|")
        if len(part) == 7:
            yield (*place, part[0].strip(), part[2].strip(), part[3].strip(), part[6].strip())
        elif m := re.search(r"(lib\w+\.a)\[(.*)\]:", line):
            place = m.groups()


SYMBOLS = list(symbols())


def sanitized():
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as f:
        cache = f.read()
    return re.search(r"^QUERENT_(SANITIZE:STRING=.+|COVERAGE:BOOL=ON|FUZZ:BOOL=ON)$", cache, re.M)


def mutable_state():
    for archive, member, name, _, kind, section in SYMBOLS if not sanitized() else []:
        if kind == "OBJECT" and re.match(r"\.(data(?!\.rel\.ro)|bss|tbss|tdata)|\*COM\*", section):
            yield f"{archive} {member}: {name} is mutable ({section})"


def documents():
    """ARCHITECTURE.md's table of rooms is what engine/ holds; every link of a page leads to a file."""
    rows = re.findall(r"^\| \d+ \| ([a-z_, ]+) \|", read("ARCHITECTURE.md"), re.M)
    named = {name.strip() for row in rows for name in row.split(",")}
    engine = os.path.join(ROOT, "engine")
    rooms = {d for d in os.listdir(engine) if d != "include" and any(f.startswith("engine/%s/" % d) for f in tracked())}
    for room in sorted(rooms - named):
        yield f"ARCHITECTURE.md: no row for engine/{room}"
    for room in sorted(named - rooms):
        yield f"ARCHITECTURE.md: there is no engine/{room}"
    for page in (f for f in tracked() if f.endswith(".md")):
        for link in re.findall(r"\]\(([^)#:]+)\)", read(page)):
            if not os.path.exists(os.path.join(ROOT, os.path.dirname(page), link)):
                yield f"{page}: {link} is not there"


def migrations():
    seen = {}
    for path in FILES:
        m = re.fullmatch(r"migrations/(\d{4})_(\w+?)(\.sqlite|\.postgres)?\.sql", path)
        if path.startswith("migrations/") and not m:
            yield f"{path}: a migration is NNNN_name.sql or NNNN_name.sqlite.sql"
        elif m:
            seen.setdefault(int(m.group(1)), []).append((m.group(2), m.group(3) or ""))
    for n, number in enumerate(sorted(seen), 1):
        names = {name for name, _ in seen[number]}
        kinds = sorted(kind for _, kind in seen[number])
        if n != number:
            yield f"migration {n:04} is missing"
        if len(names) > 1 or kinds not in ([""], [".sqlite"], [".postgres", ".sqlite"]):
            yield f"migration {number:04}: {sorted(seen[number])}"


def execute_callers():
    for archive, member, name, kind, _, _ in SYMBOLS:
        if name == "adapter_execute" and kind == "U" and (archive, member) != ("libguard.a", "run.c.o"):
            yield f"{archive} {member} calls adapter_execute; only guard/run.c may"
    for path, text in PRODUCT.items():
        if re.search(r"(->|\.)execute\s*\(", text) and path != "engine/adapters/adapter.c":
            yield f"{path} calls an adapter's execute itself"


def statements():
    for path, text in PRODUCT.items():
        if path.startswith("engine/sql/") or path == "engine/domain/statement.h":
            continue
        if re.search(r"sizeof\s*\(?\s*struct statement\b|\(struct statement\)|\bstruct statement\s+\w+\s*[=;\[]", text):
            yield f"{path} makes a struct statement; only sql/render.c may"
        if not path.startswith("engine/guard/") and re.search(r"(?<!const )\bstruct statement\s*\*", text):
            yield f"{path} holds a statement that it could change: write const"


def codes():
    rows = set(re.findall(r"^\s*X\((\w+),", TEXT["engine/include/codes.h"], re.M))
    used = set()
    for text in (TEXT[p] for p in PRODUCT if p != "engine/include/codes.h"):
        used |= set(re.findall(r"\bERR_([A-Z_]+)\b", text)) | set(re.findall(r'"([A-Z]+(?:_[A-Z]+)*)"', text))
        # The text of a finding's code.
        for w in re.findall(r'call_finding\([^;]*?,\s*"([A-Z_]+)"', text):
            if w not in rows:
                yield f'the code "{w}" of a finding has no row in codes.h'
    for name in rows - used:
        yield f"{name} has a row in codes.h and no use"


def names():
    for path in PRODUCT:
        if not re.fullmatch(r"[a-z0-9_/]+\.[ch]", path):
            yield f"{path}: file names are lower case words"
        if re.search(r"^\s*typedef\b", C[path], re.M):
            yield f"{path} has a typedef"
        if path.endswith(".h") and not re.search(r"#ifndef (QUERENT_\w+)\n#define \1\n", TEXT[path]):
            yield f"{path}: the guard is QUERENT_…"
        if path.endswith(".h") and not TEXT[path].startswith("/* "):
            yield f"{path} does not say what it is"
    for path in PRODUCT:
        m = re.fullmatch(r"engine/ops/(\w+)\.c", path)
        for op, name in re.findall(r'\bop_(\w+) = \{\s*\.name = "(\w+)"', TEXT[path]) if m else []:
            if not op == name == m.group(1):
                yield f"{path} holds op_{op} named {name}: they are one name"
    rows = re.findall(r"&op_(\w+)", TEXT.get("engine/ops/table.c", ""))
    if rows != sorted(rows):
        yield "engine/ops/table.c is not sorted by name"


def sizes():
    for path, text in PRODUCT.items():
        lines = text.count("\n")
        if lines > LINES_MAX and not path.endswith("/table.c") and "functions.c" not in path:
            yield f"{path} has {lines} lines; split it"
        for body in re.finditer(r"^\{\n(.*?)^\}", text, re.M | re.S):
            if body.group(1).count("\n") > FUNCTION_MAX:
                yield f"{path}, line {text[:body.start()].count(chr(10))}: {body.group(1).count(chr(10))} lines in a function"


def words():
    for path, text in TEXT.items():
        for word in WORDS if path != SELF else []:
            m = re.search(word, text)
            if m:
                yield f"{path}, line {text[:m.start()].count(chr(10)) + 1}: {m.group(0)}"


for rule in (levels, homes, functions, mutable_state, documents, migrations, execute_callers, statements, codes, names, sizes, words):
    check(rule.__name__, rule())
print(f"{passed} passed, {len(failures)} failed")
sys.exit(1 if failures else 0)
