"""Connecting servers over REST: at which stage each fault shows and what would be right; TLS by mode; roles; secrets that
never come back; changes; diagnosis. Against a PostgreSQL and a MariaDB of its own, a stand-in for SQL Server, and small ones on TCP
that misbehave."""
import os, shutil, socket, subprocess, sys, tempfile, threading, time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
from querent import Server, Checks, ROOT
import tds_server

t = Checks()
DS = "/api/v1/datasources"
SECRET = "s3cr3t /:@%?#'\"\\\u00e9"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def lib(script, verb, folder, **env):
    return subprocess.run([os.path.join(ROOT, "tests", "lib", script), verb, folder], env=dict(os.environ, **env),
                          stdout=subprocess.DEVNULL).returncode


def certificates(folder, user):
    """An authority of its own, and a certificate for the name localhost only."""
    def openssl(*args):
        subprocess.run(["openssl", *args], cwd=folder, check=True, capture_output=True)
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=Test CA")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
    with open(os.path.join(folder, "ext"), "w") as f:
        f.write("subjectAltName=DNS:localhost\n")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-out",
            "server.crt", "-extfile", "ext")
    os.chmod(folder, 0o755)
    os.chmod(os.path.join(folder, "server.key"), 0o600)
    if os.getuid() == 0:
        shutil.chown(os.path.join(folder, "server.key"), user)


class StandIn:
    """Accepts and does as it is told: silent, or ends the connection at once, or answers with other bytes."""

    def __init__(self, what):
        self.what, self.held = what, []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                peer = self.socket.accept()[0]
            except OSError:
                return
            if self.what == "silent":
                self.held.append(peer)
            else:
                if self.what == "other":
                    peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                peer.close()


def tried(s, type, connection):
    began = time.time()
    r = s.post(DS + "/test", {"type": type, "connection": connection})
    r.took = time.time() - began
    for word in (SECRET, "s3cr3t", connection.get("host", "\0"), connection.get("user") or "\0", "/tmp/"):
        t.check(word not in r.text, "no host, user or secret in an answer: %r" % word, r)
    return r


def stage(s, type, what, connection, wanted, message=""):
    r = tried(s, type, connection)
    j = r.json or {}
    t.check(r.status == 200 and j.get("stage") == wanted and j["ok"] == (wanted == "done") and message in (j.get("message") or "") and
            (wanted == "done" or j.get("fix")), "%s: %s is told at %s" % (type, what, wanted), r)
    t.check(r.took < 8, "%s: %s within its time" % (type, what), r.took)
    return j


def both(s, type, base, extra):
    """Faults that every server has."""
    silent, closing, other = StandIn("silent"), StandIn("closing"), StandIn("other")
    stage(s, type, "all is well", base, "done")
    stage(s, type, "an unknown host", dict(base, host="no-such-host.invalid"), "resolve")
    stage(s, type, "a closed port", dict(base, port=free_port()), "connect")
    stage(s, type, "a wrong password", dict(base, password="wrong"), "authenticate")
    stage(s, type, "an unknown user", dict(base, user="nobody_here"), "authenticate")
    stage(s, type, "an unknown database", dict(base, database="nothing_here"), "open_database")
    stage(s, type, "a server that says nothing", dict(base, port=silent.port, connect_timeout_ms=700), "connect")
    stage(s, type, "a server that hangs up", dict(base, port=closing.port), "connect")
    stage(s, type, "a server of another kind", dict(base, port=other.port), "connect")
    nowhere = {k: v for k, v in dict(base, host="/nonexistent", tls="prefer").items() if k != "port"}
    if type == "mssql":
        t.equal(tried(s, type, nowhere).json["errors"][0]["pointer"], "/connection/host", "mssql: there are no unix sockets")
    else:
        stage(s, type, "no server's socket", nowhere, "connect")
    stage(s, type, "a role without rights", dict(base, user="poor"), extra["poor"])
    stage(s, type, "a role that can write", dict(base, user="writer"), "open_database", extra["writer"])
    t.check(stage(s, type, "a role that can write, with privileges: warn", dict(base, user="writer", privileges="warn"), "done"
                  ).get("message"), type + ": the warning is told")
    for what, change, pointer in (
        ("an unknown member", {"hots": "x"}, "/connection/hots"),
        ("a port out of range", {"port": 70000}, "/connection/port"),
        ("an unknown mode of TLS", {"tls": "maybe"}, "/connection/tls"),
        ("certificates without TLS", {"tls": "disable", "tls_ca": "/x"}, "/connection/tls"),
        ("half a client's certificate", {"tls_cert": "/x"}, "/connection/tls_key"),
        ("no host", {"host": None}, "/connection/host"),
        ("a URL of another kind", {"url": "redis://h/db"}, "/connection/url"),
    ):
        r = tried(s, type, {k: v for k, v in dict(base, **change).items() if v is not None})
        t.check(r.status == 422 and (r.json["errors"][0]["pointer"] == pointer), type + ": %s is refused by name" % what, r)
    for x in (silent, closing, other):
        x.socket.close()


def tls(s, type, base, folder):
    ca = os.path.join(folder, "ca.crt")
    for mode, more, wanted in (("disable", {}, None), ("prefer", {}, "done"), ("require", {}, "done"), ("verify-ca", {"tls_ca": ca}, "done"),
                               ("verify-full", {"tls_ca": ca}, "tls"), ("verify-full", {"tls_ca": ca, "host": "localhost"}, "done"),
                               ("verify-full", {}, "tls"), ("verify-full", {"host": "localhost"}, "tls")):
        if wanted:
            stage(s, type, "tls %s %s" % (mode, sorted(more)), dict(base, tls=mode, **more), wanted)
    wrong = os.path.join(folder, "wrong.crt")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", "/dev/null", "-out", wrong, "-subj",
                    "/CN=Other"], check=True, capture_output=True)
    stage(s, type, "another authority", dict(base, tls="verify-ca", tls_ca=wrong), "tls")


def kept(s, type, id, base):
    """Stored sealed, changed member by member, diagnosed, never shown."""
    made = s.post(DS, {"id": id, "type": type, "description": "Shop.", "connection": base})
    t.equal(made.status, 201, type + ": connected")
    t.check("s3cr3t" not in made.text and base["host"] not in made.text, type + ": nothing of the connection comes back", made)
    t.equal(s.get(DS + "/" + id).json["status"], "ready", type + ": usable")
    with open(os.path.join(s.state, "querent.db"), "rb") as f:
        t.check(b"s3cr3t" not in f.read(), type + ": sealed in the store")
    t.check("s3cr3t" not in s.read_log(), type + ": not in the log")
    url = DS + "/" + id
    t.equal(s.call("PATCH", url, {"description": "Tea."}).json["description"], "Tea.", type + ": the description alone")
    bad = s.call("PATCH", url, {"connection": {"password": "wrong"}})
    t.equal((bad.status, bad.code), (503, "DATASOURCE_UNAVAILABLE"), type + ": a change that cannot connect is refused")
    t.check("authenticate" in bad.text and "wrong" not in bad.json["detail"], type + ": and says where", bad)
    t.equal(s.get(url + "/diagnosis").status, 200, type + ": the old connection stands")
    good = s.call("PATCH", url, {"connection": {"connect_timeout_ms": 2000}, "options": {"row_limit": 7}})
    t.equal(good.status, 200, type + ": members change and the password stays")
    t.equal(s.call("PATCH", url, {"options": {"row_limit": None}}).status, 200, type + ": null brings the default back")
    for body, pointer in (({"options": {"row_limits": 1}}, "/options/row_limits"), ({"connection": {"hots": "x"}}, "/connection/hots"),
                          ({"connection": 3}, "/connection"), ({"options": []}, "/options"), ({"type": "sqlite"}, "/type"),
                          ({"connection": {"host": None}}, "/connection/host")):
        r = s.call("PATCH", url, body)
        t.check(r.status == 422 and r.json["errors"][0]["pointer"] == pointer, type + ": refused %r" % body, r)
    found = {f["name"]: f for f in s.get(url + "/diagnosis").json["findings"]}
    t.check(len(found) >= 5 and found["version"]["found"] and "s3cr3t" not in str(found) and base["host"] not in str(found),
            type + ": the diagnosis", found)
    s.stop()
    s.start()
    t.equal(s.get(url).json["status"], "ready", type + ": back after a restart")
    return found


BIG = "SELECT count(*) FROM big a, big b, big c WHERE a.n + b.n + c.n < 0"


def really_stops(s, type, id, active):
    """A statement ends on the server itself: when its time is over, and when its client goes away."""
    r = s.post("/api/v1/queries/run", {"sql": BIG, "datasource_id": id})
    t.check(r.code == "EXECUTION_TIMEOUT" and "4 seconds" in r.json["detail"], type + ": a runaway meets the clock", r)
    t.equal(settled(active), 0, type + ": and is not left running")
    body = ('{"sql": "%s", "datasource_id": "%s"}' % (BIG, id)).encode()
    peer = s.connect()
    peer.sendall(b"POST /api/v1/queries/run HTTP/1.1\r\nHost: localhost:%d\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                 % (s.port, len(body), body))
    began = time.time()
    while not active() and time.time() - began < 1.5:
        time.sleep(0.02)
    t.check(active(), type + ": it runs")
    peer.close()
    left = time.time()
    t.equal(settled(active), 0, type + ": a client that goes away takes its statement along")
    t.check(time.time() - left < 3, type + ": before the clock would", time.time() - left)


def settled(active):
    end = time.time() + 5
    while active() and time.time() < end:
        time.sleep(0.05)
    return active()


def goes_on(s, type, id, kill):
    """Every idle connection is gone: the next question gets a new one and hears of nothing."""
    said = []

    def one():
        r = s.post("/api/v1/queries/run", {"sql": "SELECT count(*) FROM big", "datasource_id": id}, validate=False)
        said.append(r)
        return r.status == 200 and r.json["rows"] == [[4000]]
    many = [threading.Thread(target=one) for _ in range(8)]
    for thread in many:
        thread.start()
    for thread in many:
        thread.join()
    t.check(kill() > 0, type + ": idle connections are cut")
    t.check(all(one() for _ in range(3)), type + ": the next statements succeed", said[8:])


def client_certificate(folder, name):
    for args in (("req", "-newkey", "rsa:2048", "-nodes", "-keyout", name + ".key", "-out", name + ".csr", "-subj", "/CN=" + name),
                 ("x509", "-req", "-in", name + ".csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-out", name + ".crt")):
        subprocess.run(["openssl", *args], cwd=folder, check=True, capture_output=True)
    os.chmod(os.path.join(folder, name + ".key"), 0o600)
    return {"tls_cert": os.path.join(folder, name + ".crt"), "tls_key": os.path.join(folder, name + ".key")}


def postgres_roles(s, base, owner, folder):
    owner("""CREATE ROLE maker LOGIN PASSWORD 'x' CREATEROLE; CREATE ROLE filing LOGIN PASSWORD 'x'; GRANT pg_read_server_files TO filing;
        CREATE ROLE holder LOGIN PASSWORD 'x'; CREATE TABLE held (id integer); ALTER TABLE held OWNER TO holder;
        CREATE ROLE analyst NOLOGIN; CREATE ROLE entry LOGIN NOINHERIT PASSWORD 'x'; GRANT analyst TO entry; CREATE ROLE boss NOLOGIN;
        GRANT boss TO entry; CREATE TABLE behind (id integer); INSERT INTO behind VALUES (7); GRANT SELECT ON behind TO analyst;
        GRANT SELECT, DELETE ON behind TO boss; CREATE SCHEMA other; CREATE TABLE other.items (id integer, more text);
        GRANT USAGE ON SCHEMA other TO reader; GRANT SELECT ON other.items TO reader""")
    for user, says in (("maker", "create roles"), ("filing", "files of the server"), ("holder", "owns tables")):
        stage(s, "postgres", "a role that " + user, dict(base, user=user, password="x"), "open_database", says)
    entry = dict(base, user="entry", password="x")
    stage(s, "postgres", "nothing without its role", entry, "read_schema", "no table")
    stage(s, "postgres", "a role to take", dict(entry, role="analyst"), "done")
    stage(s, "postgres", "a role to take that can write", dict(entry, role="boss"), "open_database", "may change rows")
    stage(s, "postgres", "a role that is not the user's", dict(base, role="analyst"), "open_database", "may not take the role")
    stage(s, "postgres", "a role that is not", dict(entry, role="nobody"), "open_database", "may not take the role")
    t.equal(s.post(DS, {"id": "behind", "type": "postgres", "connection": dict(entry, role="analyst", application_name="my name")}).status, 201,
            "postgres: connected through a role")
    r = s.post("/api/v1/queries/run", {"sql": "SELECT id FROM behind", "datasource_id": "behind"})
    t.equal(r.json.get("rows"), [[7]], "postgres: statements run as the role")
    t.equal(owner("SELECT count(*) > 0 FROM pg_stat_activity WHERE application_name = 'my name'"), "t", "postgres: the application's name")
    t.equal(s.post(DS, {"id": "scoped", "type": "postgres", "connection": dict(base, schemas=["other"])}).status, 201, "postgres: one schema")
    names = [c["name"] for c in s.get(DS + "/scoped/tables/items").json["table"]["columns"]]
    t.equal(names, ["id", "more"], "postgres: the table of that schema")
    r = s.post("/api/v1/queries/run", {"sql": "SELECT count(more) FROM items", "datasource_id": "scoped"})
    t.equal(r.json.get("rows"), [[0]], "postgres: and its rows")
    mine = client_certificate(folder, "certified")
    owner("CREATE ROLE certified LOGIN; GRANT SELECT ON items TO certified")
    known = {"host": "localhost", "port": base["port"], "user": "certified", "database": "postgres", "tls": "verify-full",
             "tls_ca": os.path.join(folder, "ca.crt")}
    stage(s, "postgres", "a client's certificate", dict(known, **mine), "done")
    t.check(not tried(s, "postgres", known).json["ok"], "postgres: not without it")
    stage(s, "postgres", "verify-ca without an authority", dict(base, tls="verify-ca"), "tls")


def mariadb_roles(s, base, root, folder, server):
    root("""CREATE USER filing@'127.0.0.1' IDENTIFIED BY 'x'; GRANT SELECT ON shop.* TO filing@'127.0.0.1'; GRANT FILE ON *.* TO filing@'127.0.0.1';
        CREATE ROLE writers; GRANT INSERT ON shop.* TO writers; CREATE USER granted@'127.0.0.1' IDENTIFIED BY 'x';
        GRANT SELECT ON shop.* TO granted@'127.0.0.1'; GRANT writers TO granted@'127.0.0.1'; SET DEFAULT ROLE writers FOR granted@'127.0.0.1';
        CREATE USER certified@'127.0.0.1' IDENTIFIED BY 'x' REQUIRE X509; GRANT SELECT ON shop.* TO certified@'127.0.0.1';
        CREATE USER local@localhost; GRANT SELECT ON shop.* TO local@localhost;""")
    stage(s, "mysql", "a user with files", dict(base, user="filing", password="x"), "open_database", "files of the server")
    stage(s, "mysql", "a user whose role can write", dict(base, user="granted", password="x"), "open_database", "change rows")
    known = dict(base, user="certified", password="x", tls="verify-ca", tls_ca=os.path.join(folder, "ca.crt"))
    stage(s, "mysql", "a client's certificate", dict(known, **client_certificate(folder, "certified")), "done")
    t.check(not tried(s, "mysql", known).json["ok"], "mysql: not without it")
    stage(s, "mysql", "the folder of the socket", {"host": server, "user": "local", "database": "shop"}, "done")
    stage(s, "mysql", "the socket itself", {"host": server + "/socket", "user": "local", "database": "shop"}, "done")
    r = tried(s, "mysql", dict(base, tls="verify-ca"))
    t.check(r.status == 422 and r.json["errors"][0]["pointer"] == "/connection/tls_ca", "mysql: verify-ca without an authority is refused", r)
    import urllib.parse
    whole = "mysql://reader:%s@127.0.0.1:%d/shop?tls=require" % (urllib.parse.quote(SECRET, safe=""), base["port"])
    stage(s, "mysql", "all in a URL", {"url": whole}, "done")
    root("CREATE USER 'per%41cent'@'127.0.0.1' IDENTIFIED BY 'x%41'; GRANT SELECT ON shop.* TO 'per%41cent'@'127.0.0.1'")
    stage(s, "mysql", "decoded once", {"url": "mysql://per%%2541cent:x%%2541@127.0.0.1:%d/shop" % base["port"]}, "done")
    for more, pointer in (({"host": "elsewhere"}, "/connection/host"), ({"password": "x"}, "/connection/password")):
        r = tried(s, "mysql", dict({"url": whole}, **more))
        t.check(r.status == 422 and r.json["errors"][0]["pointer"] == pointer, "mysql: said twice: %s" % pointer, r)
    t.equal(s.post(DS, {"id": "preferred", "type": "mysql", "connection": dict(base, tls="prefer", application_name="my name")}).status, 201,
            "mysql: connected")
    found = {f["name"]: f for f in s.get(DS + "/preferred/diagnosis").json["findings"]}
    t.equal(found["tls"]["state"], "ok", "mysql: prefer takes TLS where there is some")
    t.check(int(root("SELECT count(*) FROM performance_schema.session_connect_attrs WHERE attr_name = 'program_name' AND attr_value = 'my name'")) > 0,
            "mysql: the application's name")


def postgres(s, folder):
    certificates(folder, "postgres")
    server, port = os.path.join(folder, "pg"), free_port()
    code = lib("postgres.sh", "start", server, POSTGRES_OPTIONS="-c listen_addresses=127.0.0.1 -c ssl=on -c ssl_cert_file=%s/server.crt "
               "-c ssl_key_file=%s/server.key -c ssl_ca_file=%s/ca.crt -c port=%d" % (folder, folder, folder, port))
    if code == 3:
        print("# postgres: not to be had on this machine, skipped")
        return
    try:
        with open(server + "/data/pg_hba.conf", "w") as f:
            f.write("local all owner trust\nhostssl all certified 127.0.0.1/32 cert\nhostssl all certified ::1/128 cert\n"
                    "host all all 127.0.0.1/32 scram-sha-256\n")
        password = SECRET.replace("'", "''")
        sql = """CREATE TABLE items (id integer PRIMARY KEY, name text); INSERT INTO items VALUES (1, 'tea');
            CREATE TABLE big AS SELECT n FROM generate_series(1, 4000) n;
            CREATE ROLE reader LOGIN PASSWORD '%s'; GRANT SELECT ON items, big TO reader; CREATE ROLE poor LOGIN PASSWORD '%s';
            CREATE ROLE writer LOGIN PASSWORD '%s'; GRANT SELECT, INSERT ON items TO writer; SELECT pg_reload_conf();
            """ % ((password,) * 3)
        subprocess.run(["psql", "-q", "-h", server, "-p", str(port), "-U", "owner", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-c", sql],
                       check=True, stdout=subprocess.DEVNULL)
        base = {"host": "127.0.0.1", "port": port, "user": "reader", "password": SECRET, "database": "postgres"}
        both(s, "postgres", base, {"poor": "read_schema", "writer": "may change rows"})
        stage(s, "postgres", "a superuser", {"host": server, "port": port, "user": "owner", "database": "postgres"}, "open_database",
              "superuser")
        stage(s, "postgres", "an unknown time zone", dict(base, time_zone="Mars/Base"), "open_database")
        tls(s, "postgres", base, folder)
        import urllib.parse
        whole = "postgresql://reader:%s@127.0.0.1:%d/postgres?sslmode=require" % (urllib.parse.quote(SECRET, safe=""), port)
        stage(s, "postgres", "all in a URL", {"url": whole}, "done")
        found = kept(s, "postgres", "pg", dict(base, tls="require"))
        t.equal((found["superuser"]["found"], found["writable_tables"]["found"], found["tls"]["found"][:3], found["encoding"]["found"]),
                ("no", "0", "TLS", "UTF8"), "postgres: what the role could do")
        t.equal(found["creates_temporary_tables"]["state"], "warning", "postgres: a right of PUBLIC is told")
        def owner(sql):
            return subprocess.run(["psql", "-qAt", "-h", server, "-p", str(port), "-U", "owner", "-d", "postgres", "-v", "ON_ERROR_STOP=1",
                                   "-c", sql], check=True, capture_output=True, text=True).stdout.strip()
        postgres_roles(s, base, owner, folder)
        really_stops(s, "postgres", "pg", lambda: int(owner(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'querent' AND state = 'active' AND query LIKE '%big%'")))
        goes_on(s, "postgres", "pg", lambda: int(owner(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'querent'")))
        began = time.time()
        lib("postgres.sh", "restart", server)
        up = time.time()
        while s.get(DS + "/pg/diagnosis", validate=False).status != 200 and time.time() - up < 10:
            time.sleep(0.01)
        t.check(time.time() - up < 5, "postgres: back after the server's restart")
        print("# postgres: answers %.0f ms after the server is up again (restart itself %.0f ms)" % ((time.time() - up) * 1e3, (up - began) * 1e3))
    finally:
        lib("postgres.sh", "stop", server)


def mariadb(s, folder):
    certificates(folder, "mysql")
    server, port = os.path.join(folder, "my"), free_port()
    code = lib("mariadb.sh", "start", server, MARIADB_OPTIONS="--skip-networking=0 --bind-address=127.0.0.1 --port=%d --skip-name-resolve --performance-schema=ON "
               "--ssl-cert=%s/server.crt --ssl-key=%s/server.key --ssl-ca=%s/ca.crt" % (port, folder, folder, folder))
    if code == 3:
        print("# mysql: not to be had on this machine, skipped")
        return
    try:
        password = SECRET.replace("\\", "\\\\").replace("'", "\\'")
        with open(server + "/fixture.sql", "w") as f:
            f.write("CREATE DATABASE shop CHARACTER SET utf8mb4; CREATE TABLE shop.items (id int PRIMARY KEY, name text);\n"
                    "INSERT INTO shop.items VALUES (1, 'tea'); USE shop; CREATE TABLE big AS SELECT seq AS n FROM seq_1_to_4000; DROP USER IF EXISTS ''@localhost; CREATE DATABASE spare;\n")
            for user, grant in (("reader", "SELECT ON shop.*"), ("writer", "SELECT, INSERT ON shop.*"), ("poor", "SELECT ON spare.*")):
                f.write("CREATE USER %s@'127.0.0.1' IDENTIFIED BY '%s'; GRANT %s TO %s@'127.0.0.1';\n" % (user, password, grant, user))
            f.write("GRANT SELECT ON nothing_here.* TO reader@'127.0.0.1';\n")
        t.equal(lib("mariadb.sh", "load", server), 0, "mysql: the fixture")
        base = {"host": "127.0.0.1", "port": port, "user": "reader", "password": SECRET, "database": "shop"}
        both(s, "mysql", base, {"poor": "open_database", "writer": "may change rows"})
        tls(s, "mysql", base, folder)
        found = kept(s, "mysql", "my", dict(base, tls="require"))
        t.equal((found["privileges"]["state"], found["tls"]["state"], found["read_only"]["found"]), ("ok", "ok", "yes"), "mysql: diagnosis")

        def root(sql):
            return subprocess.run(["mariadb", "--no-defaults", "-N", "--socket=%s/socket" % server, "-u", "root", "-e", sql], check=True,
                                  capture_output=True, text=True).stdout.strip()
        mariadb_roles(s, base, root, folder, server)
        really_stops(s, "mysql", "my", lambda: int(root(
            "SELECT count(*) FROM information_schema.processlist WHERE user = 'reader' AND info LIKE '%big%'")))

        def kill():
            ids = root("SELECT id FROM information_schema.processlist WHERE user = 'reader'").split()
            for id in ids:
                root("KILL CONNECTION " + id)
            return len(ids)
        goes_on(s, "mysql", "my", kill)
    finally:
        lib("mariadb.sh", "stop", server)


class SqlServer:
    """The stand-in, in a process of its own."""

    def __init__(self, folder, tls, users):
        self.folder = folder
        place = os.path.dirname(folder)
        args = ["--tls", tls] + ([] if tls == "off" else ["--cert", place + "/server.crt", "--key", place + "/server.key"])
        self.process = subprocess.Popen([sys.executable, tds_server.__file__, "serve", folder, *args])
        end = time.time() + 30
        while not os.path.exists(folder + "/port") and time.time() < end:
            time.sleep(0.02)
        self.port = int(open(folder + "/port").read().split()[0])
        self.ask(load=["CREATE TABLE items (id int PRIMARY KEY, name nvarchar(40))", "INSERT INTO items VALUES (1, N'tea')",
                       "CREATE TABLE big (id int PRIMARY KEY, note varchar(200))",
                       "INSERT INTO big VALUES " + ", ".join("(%d, '%0100d')" % (i, i) for i in range(1000))], users=users)

    def ask(self, **order):
        return tds_server.ask(self.folder, order)

    def stop(self):
        self.process.kill()
        self.process.wait()


def mssql(s, folder):
    certificates(folder, "root")
    users = {"reader": {}, "writer": {"grants": ["select", "insert"]}, "poor": {"grants": []}, "keeper": {"roles": ["db_datawriter"]},
             "owner": {"roles": ["db_owner"]}, "chief": {"roles": ["sysadmin"]}}
    for u in users.values():
        u["password"] = SECRET
    server = SqlServer(folder + "/on", "on", users)
    plain, strict = SqlServer(folder + "/off", "off", users), SqlServer(folder + "/required", "required", users)
    try:
        base = {"host": "127.0.0.1", "port": server.port, "user": "reader", "password": SECRET, "database": "shop"}
        both(s, "mssql", base, {"poor": "read_schema", "writer": "may change rows"})
        for user, message in (("keeper", "may change rows"), ("owner", "owns the database"), ("chief", "is a sysadmin")):
            stage(s, "mssql", user, dict(base, user=user), "open_database", message)
        tls(s, "mssql", base, folder)
        stage(s, "mssql", "TLS of a server without", dict(base, port=plain.port, tls="require"), "tls", "offers no TLS")
        stage(s, "mssql", "no TLS for a server that demands it", dict(base, port=strict.port, tls="disable"), "tls", "demands TLS")
        for what, port, mode in (("prefer without TLS", plain.port, "prefer"), ("disable", plain.port, "disable"),
                                 ("disable where it is offered", server.port, "disable"), ("prefer where it is demanded", strict.port, "prefer"),
                                 ("require where it is demanded", strict.port, "require")):
            stage(s, "mssql", what, dict(base, port=port, tls=mode), "done")
        for what, change, pointer in (("a named instance", {"host": "h\\i"}, "/connection/host"),
                                      ("a host with a line of its own", {"host": "h\nencryption = off"}, "/connection/host"),
                                      ("a client's certificate", {"tls_cert": "/x", "tls_key": "/y"}, "/connection/tls_cert"),
                                      ("an authority that would not be asked", {"tls": "require", "tls_ca": "/x"}, "/connection/tls_ca"),
                                      ("no database", {"database": None}, "/connection/database"), ("no user", {"user": None}, "/connection/user"),
                                      ("an empty user", {"user": ""}, "/connection/user"),
                                      ("a login of Windows", {"user": "SHOP\\ann"}, "/connection/user")):
            r = tried(s, "mssql", {k: v for k, v in dict(base, **change).items() if v is not None})
            t.check(r.status == 422 and r.json["errors"][0]["pointer"] == pointer, "mssql: %s is refused by name" % what, r)
        import urllib.parse
        stage(s, "mssql", "all in a URL", {"url": "sqlserver://reader:%s@127.0.0.1:%d/shop?tls=require" % (
            urllib.parse.quote(SECRET, safe=""), server.port)}, "done")
        for number, wanted, message in ((18487, "authenticate", "expired"), (18486, "authenticate", "locked"), (40615, "connect", "firewall"),
                                        (4060, "open_database", "no such database"), (99999, "authenticate", "refused the login")):
            server.ask(faults={"refuse": number})
            stage(s, "mssql", "error %d of a login" % number, base, wanted, message)
        server.ask(faults={"silent": True})
        stage(s, "mssql", "silence", dict(base, connect_timeout_ms=700), "connect", "said nothing")
        server.ask(faults={})
        told = server.ask()["logins"][-1]
        t.equal((told["application"], told["database"]), ("querent", "shop"), "mssql: who is connected")
        stage(s, "mssql", "an intent to write", dict(base, intent="read_write", application_name="till"), "done")
        t.check(told["read_only"] and not server.ask()["logins"][-1]["read_only"], "mssql: the intent is told")
        t.equal(server.ask()["logins"][-1]["application"], "till", "mssql: and the application's name")
        found = kept(s, "mssql", "ms", dict(base, tls="require"))
        t.equal((found["privileges"]["state"], found["tls"]["state"], found["isolation"]["state"], found["other_databases"]["found"]),
                ("ok", "warning", "warning", "0"), "mssql: diagnosis")
        server.ask(snapshots=True)
        t.equal(s.call("PATCH", DS + "/ms", {"connection": {"connect_timeout_ms": 3000}}).status, 200, "mssql: a new connection")
        t.equal(s.get(DS + "/ms/diagnosis").json["findings"][4]["found"], "snapshot", "mssql: reads versions where the database keeps them")
        broken(s, server)
    finally:
        for one in (server, plain, strict):
            one.stop()


def broken(s, server):
    """Rows that break off, and a server that does not heed a stop."""
    def run(sql):
        began = time.time()
        r = s.post("/api/v1/queries/run", {"datasource_id": "ms", "sql": sql}, validate=False)
        r.took = time.time() - began
        return r
    s.call("PATCH", DS + "/ms", {"options": {"statement_timeout_ms": 1000}})
    all_rows = "SELECT id, note FROM big ORDER BY id"
    t.equal(run(all_rows).json["row_count"], 200, "mssql: the first page of rows")
    server.ask(faults={"drop_after": 12000})
    r = run(all_rows)
    t.equal((r.status, r.code), (503, "DATASOURCE_UNAVAILABLE"), "mssql: rows that break off are told")
    server.ask(faults={"deaf": True})
    slow = "SELECT count(*) FROM big a, big b, big c WHERE a.note < b.note AND b.note < c.note"
    r = run(slow)
    t.check(r.code == "EXECUTION_TIMEOUT" and r.took < 5, "mssql: a server that does not heed a stop loses its connection", (r, r.took))
    server.ask(faults={})
    t.equal(run(all_rows).json["row_count"], 200, "mssql: and the next query has another")
    before = len(server.ask()["logins"])
    r = run(slow)
    t.check(r.code == "EXECUTION_TIMEOUT" and r.took < 4, "mssql: a slow query is stopped", (r, r.took))
    t.equal((run("SELECT id FROM items").json["row_count"], len(server.ask()["logins"])), (1, before), "mssql: by an attention, and its connection goes on")
    t.equal(run("SELECT 1 / 0 AS x, id FROM items").json["rows"], [[None, 1]], "mssql: the plan's meaning of a division")


folder = tempfile.mkdtemp(prefix="querent-servers-")
os.chmod(folder, 0o755)
s = Server("version: 1\napi: {auth: none}\nmcp: {run_query: {timeout_s: 4}}\n")
try:
    for one in (postgres, mariadb, mssql):
        place = os.path.join(folder, one.__name__)
        os.mkdir(place)
        one(s, place)
finally:
    s.stop()
    shutil.rmtree(s.state, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
t.finish()
