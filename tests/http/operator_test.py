"""The operator's side: keys from the command line reach a running server, configuration is checked and read again, stores
that are not what they should be, backup, and kill -9 in the middle of work."""
import json, os, signal, sqlite3, subprocess, sys, tempfile, threading, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from querent import BINARY, Server, Checks

t = Checks()
ME, KEYS = "/api/v1/me", "/api/v1/api-keys"
ROLES = "version: 1\npolicies:\n  editor_roles: [writer]\n  roles:\n    reader: {allow: ['*.*']}\n    writer: {allow: ['*.*']}\n"


def keys_reach_the_server():
    with Server(ROLES) as s:
        token = s.cli("keys", "create", "--user", "ann", "--role", "writer", "--label", "a test").strip()
        me = s.get(ME, token=token)
        t.equal((me.status, me.json["user"], me.json["level"], me.json["roles"]), (200, "ann", "editor", ["writer"]),
                "a key made beside the server works at once")
        t.equal(s.get(KEYS, token=token).code, "FORBIDDEN", "an editor lists no keys")
        listed = json.loads(s.cli("keys", "list", "--json"))
        t.check("secret_hash" not in listed and token[12:] not in json.dumps(listed), "a list holds no secret", listed)
        s.cli("keys", "revoke", me.json["key_id"])
        since = time.monotonic()
        while s.get(ME, token=token).status == 200 and time.monotonic() - since < 3:
            time.sleep(0.05)
        t.equal(s.get(ME, token=token).status, 401, "a key revoked beside the server ends")
        t.check(time.monotonic() - since < 2.5, "about a second later", time.monotonic() - since)
        t.check("revoked" in s.cli("keys", "list"), "a revoked key stays listed")
        for words, code, text in ((["keys", "create"], 2, "--user"), (["keys", "create", "--user", "a"], 1, "role"),
                                  (["keys", "create", "--user", "a", "--role", "ghost"], 1, "reader"),
                                  (["keys", "revoke", "nothing"], 1, "nothing"), (["keys", "burn"], 2, "usage")):
            done = s.cli(*words, check=False)
            t.check(done.returncode == code and text in done.stderr, "querent " + " ".join(words), done)
        t.check(s.alive(), "the server lives")


def configuration_read_again():
    with Server(ROLES) as s:
        path = os.path.join(s.state, "querent.yaml")
        token = s.cli("keys", "create", "--user", "ann", "--role", "reader").strip()
        t.equal(s.get(ME, token=token).json["level"], "viewer", "level before")
        for text, level in ((ROLES.replace("[writer]", "[reader]"), "editor"), ("version: 1\nnonsense: 1\n", "editor"),
                            ("version: 1\npolicies: {roles: 7}\n", "editor"), (ROLES, "viewer")):
            with open(path, "w") as f:
                f.write(text)
            s.process.send_signal(signal.SIGHUP)
            end = time.time() + 10
            while s.get(ME, token=token).json["level"] != level and time.time() < end:
                time.sleep(0.02)
            time.sleep(0.1)
            t.equal(s.get(ME, token=token).json["level"], level, "level after a reload of %r" % text[:40])
        t.check("nonsense" in s.read_log(), "the log says what was wrong")


def check_verb():
    with tempfile.TemporaryDirectory() as folder:
        def check(text, env=None):
            with open(os.path.join(folder, "q.yaml"), "w") as f:
                f.write(text)
            return subprocess.run([BINARY, "--config", os.path.join(folder, "q.yaml"), "check"], capture_output=True, text=True,
                                  env=dict(os.environ, **(env or {})), timeout=20)
        done = check("version: 1\nserver: {listen: '${env:T_LISTEN}'}\n", {"T_LISTEN": "127.0.0.1:7"})
        t.check(done.returncode == 0 and '"${env:T_LISTEN}"' in done.stdout and "127.0.0.1:7" not in done.stdout,
                "check shows references", done)
        for text, words in (("version: 1\nserver: {lisen: x}\n", "Did you mean 'listen'?"),
                            ("version: 1\nserver: {listen: '${env:T_UNSET}'}\n", "T_UNSET is not set"),
                            ("version: 1\npolicies: {default_role: ghost, roles: {a: {allow: ['*.*']}}}\n", "ghost"),
                            ("version: 1\na: [\n", "line 3")):
            done = check(text)
            t.check(done.returncode == 1 and words in done.stderr and not done.stdout, "check of %r" % text, done)
        done = subprocess.run([BINARY, "--config", "/nowhere.yaml", "check"], capture_output=True, text=True, timeout=20)
        t.check(done.returncode == 1 and "/nowhere.yaml" in done.stderr, "check without the file", done)


def odd_stores():
    with tempfile.TemporaryDirectory() as state:
        store = os.path.join(state, "querent.db")

        def keys(*more):
            return subprocess.run([BINARY, "--state", state, "keys", "list", *more], capture_output=True, text=True, timeout=60)
        with open(store, "wb") as f:
            f.write(b"this is no database, whatever its name says. " * 200)
        done = keys()
        t.check(done.returncode == 1 and "not an SQLite database" in done.stderr, "a store that is not one", done)
        os.unlink(store)
        with sqlite3.connect(store) as db:
            db.execute("CREATE TABLE theirs (x)")
        done = keys()
        t.check(done.returncode == 1 and "not a store of Querent" in done.stderr, "somebody else's database", done)
        os.unlink(store)
        t.equal(keys().returncode, 0, "a new store")
        db = sqlite3.connect(store, isolation_level=None)
        db.execute("INSERT INTO migrations VALUES (9999, '9999_later', 'x', 1)")
        done = keys()
        t.check(done.returncode == 1 and "newer" in done.stderr, "a newer store", done)
        db.execute("DELETE FROM migrations WHERE version = 9999")
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")
        done = keys()
        t.check(done.returncode == 1 and "locked by another process" in done.stderr, "a locked store", done)
        db.close()
        os.chmod(os.path.join(state, "master.key"), 0o644)
        t.check("chmod 600" in keys().stderr, "a master key that others read")
        done = subprocess.run([BINARY, "--state", "/proc/nothing", "keys", "list"], capture_output=True, text=True, timeout=20)
        t.check(done.returncode == 1 and "/proc/nothing" in done.stderr, "no place for the state", done)


def backup():
    with Server() as s:
        token = s.post(KEYS, {"user_id": "ann", "level": "viewer"}).json["token"]
        copy = os.path.join(s.state, "copy.db")
        s.cli("backup", copy)
        t.equal(os.stat(copy).st_mode & 0o777, 0o600, "a copy is nobody else's to read")
        with sqlite3.connect(copy) as db:
            t.equal(db.execute("PRAGMA integrity_check").fetchall(), [("ok",)], "the copy is whole")
            t.equal(db.execute("SELECT user_id FROM api_keys").fetchall(), [("ann",)], "the copy holds the key")
        t.equal(s.cli("backup", copy, check=False).returncode, 1, "a file that exists is not replaced")
        t.equal(s.get(ME, token=token).status, 200, "the server goes on")


def killed():
    """Whatever was answered 201 is there after the process was killed."""
    server = Server()
    state, made, stop = server.state, [], threading.Event()
    try:
        for round_ in range(3):
            stop.clear()

            def work():
                while not stop.is_set():
                    try:
                        reply = server.post(KEYS, {"user_id": "ann"}, validate=False)
                    except OSError:
                        return
                    if reply.status == 201:
                        made.append((reply.json["api_key"]["id"], reply.json["token"]))
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            time.sleep(0.2 + 0.15 * round_)
            server.process.kill()
            stop.set()
            for thread in threads:
                thread.join()
            server.stop()
            server = Server(state=state)
        t.check(len(made) > 20, "there was work to lose", len(made))
        listed, cursor = set(), ""
        while cursor is not None:
            page = server.get(KEYS + "?limit=200" + ("&cursor=" + cursor if cursor else "")).json
            listed |= {key["id"] for key in page["items"]}
            cursor = page["next"]
        t.equal({key for key, _ in made} - listed, set(), "nothing acknowledged is lost")
        t.equal(server.get(ME, token=made[-1][1]).status, 200, "the last key works")
        with sqlite3.connect(os.path.join(state, "querent.db")) as db:
            t.equal(db.execute("PRAGMA integrity_check").fetchall(), [("ok",)], "the store is whole")
            done = db.execute("SELECT count(*) FROM audit WHERE op = 'api_key_create' AND outcome = 'done'").fetchone()[0]
            t.check(done >= len(made), "each has its record", (done, len(made)))
    finally:
        server.own_state = True
        server.__exit__()


for part in (keys_reach_the_server, configuration_read_again, check_verb, odd_stores, backup, killed):
    part()
t.finish()
