"""The command line as a newcomer meets it: every verb's help, wrong words, and that the README and scripts/demo show what the
program really answers."""
import os, re, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from querent import BINARY, ROOT, Checks

t = Checks()
state = tempfile.TemporaryDirectory()


def querent(*args, **more):
    return subprocess.run([BINARY, *args], capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL,
                          env=dict(os.environ, QUERENT_STATE=state.name), **more)


def helps():
    whole = querent("--help")
    t.equal(whole.returncode, 0, "--help")
    names = re.findall(r"^  ([a-z][a-z-]*)  +\S", whole.stdout, re.M)
    t.check(len(names) > 8, "--help lists the verbs", names)
    for name in names:
        got = querent(name, "--help")
        t.check(got.returncode == 0 and got.stdout.startswith("usage: querent " + name) and "--config FILE" in got.stdout,
                name + " --help", got)
        t.equal(got.stderr, "", name + " --help says nothing else")
        wrong = querent(name, "--no-such-option")
        t.check(wrong.returncode == 2 and "--no-such-option" in wrong.stderr, name + " with an unknown option", wrong)
        many = querent(name, *["word"] * 9)
        t.check(many.returncode == 2 and "usage:" in many.stderr, name + " with nine words", many)
    t.equal(querent("asj", "x").returncode, 2, "an unknown verb")
    t.check("'ask'" in querent("asj", "x").stderr, "names the nearest verb")


def example():
    with open(os.path.join(ROOT, "README.md")) as f:
        shown = re.search(r'^\$ querent ask "([^"]+)"\n(.*?)^```', f.read(), re.M | re.S)
    if t.check(shown, "README shows a question with its answer"):
        got = querent("ask", shown.group(1))
        trimmed = "".join(line.rstrip() + "\n" for line in got.stdout.splitlines())
        t.equal(trimmed, shown.group(2), "README's answer is the program's")


def demo():
    with open(os.path.join(ROOT, "scripts", "demo")) as f:
        questions = re.findall(r'^ask "([^"]+)"', f.read(), re.M)
    t.equal(len(questions), 3, "scripts/demo asks three questions")
    for question in questions:
        got = querent("ask", question)
        t.check(got.returncode == 0 and "\nSQL: SELECT " in got.stdout, "scripts/demo is answered: " + question, got)


def quiet():
    refused = querent("ask", "What is the airspeed of an unladen swallow?")
    t.check(refused.returncode == 1 and "error: " in refused.stdout, "a question without an answer", refused)
    t.equal(refused.stderr, "", "is said once, without a log")


def wrong_files():
    cases = [("servr: {}\n", "/servr"), ("server: {threads: 2}\n", "/server/threads"), ("api: {auth: maybe}\n", "/api/auth"),
             ("policies: {roles: {a: {allow: ['x']}}}\n", "/policies/roles/a/allow/0"),
             ("policies: {default_role: b, roles: {a: {allow: ['x.*']}}}\n", "/policies/default_role"),
             ("policies: {roles: {a: {allow: ['x.*'], filters: {x.t: {c: '{who}'}}}}}\n", "/policies/roles/a/filters/x.t")]
    path = os.path.join(state.name, "querent.yaml")
    for text, pointer in cases:
        with open(path, "w") as f:
            f.write("version: 1\n" + text)
        got = querent("--config", path, "check")
        t.check(got.returncode == 1 and got.stderr.startswith("Error: ") and pointer in got.stderr, "check names " + pointer, got)
    os.remove(path)


def container():
    """The image listens where the published port leads, with the README's configuration."""
    with open(os.path.join(ROOT, "Dockerfile")) as f:
        listen = re.search(r"QUERENT_SERVER_LISTEN=(\S+)", f.read())
    with open(os.path.join(ROOT, "docker-compose.yml")) as f:
        published = re.search(r'ports: \["127\.0\.0\.1:\d+:(\d+)"\]', f.read())
    with open(os.path.join(ROOT, "README.md")) as f:
        text = re.search(r"^```yaml\n(.*?)^```", f.read(), re.M | re.S)
    if t.check(listen and published and text, "Dockerfile, docker-compose.yml and README are as this test reads them"):
        t.equal(listen.group(1), "0.0.0.0:" + published.group(1), "the image's address")
        path = os.path.join(state.name, "querent.yaml")
        with open(path, "w") as f:
            f.write(text.group(1))
        got = subprocess.run([BINARY, "--config", path, "check"], capture_output=True, text=True, timeout=60,
                             env=dict(os.environ, QUERENT_STATE=state.name, QUERENT_SERVER_LISTEN=listen.group(1)))
        t.check(got.returncode == 0 and '"%s"' % listen.group(1) in got.stdout, "README's configuration holds there", got)
        os.remove(path)


helps()
container()
wrong_files()
example()
demo()
quiet()
state.cleanup()
t.finish()
