"""Shared by the black-box suites: starts the real binary on a free port with a state folder of its own, talks to it, checks
every reply against openapi.json, and counts what passed.

    from querent import Server, Checks
"""
import json, os, re, shutil, socket, subprocess, sys, tempfile, time
import http.client

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BINARY = os.environ.get("QUERENT", os.path.join(ROOT, "build", "querent"))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import openapi


class Checks:
    """Counts; finish() prints the closing line and ends the process."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, ok, what, detail=""):
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            print("FAILED:", what, str(detail)[:2000], flush=True)
        return bool(ok)

    def equal(self, got, want, what):
        return self.check(got == want, what, "got %r, want %r" % (got, want))

    def finish(self):
        for problem in openapi.document().problems:
            self.check(False, "a reply that openapi.json does not describe", problem)
        print("%d passed, %d failed" % (self.passed, self.failed))
        sys.exit(1 if self.failed or not self.passed else 0)


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self):
        return self.body.decode("utf-8")

    @property
    def json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    @property
    def code(self):
        return (self.json or {}).get("code") if isinstance(self.json, dict) else None

    def __repr__(self):
        return "%d %s" % (self.status, self.body[:600])


class Server:
    """config: text of a querent.yaml, or None for none at all. {state} in it stands for the state folder."""

    def __init__(self, config=None, args=(), env=None, state=None):
        self.own_state = state is None
        self.state = state or tempfile.mkdtemp(prefix="querent-test-")
        self.env = dict(os.environ, QUERENT_STATE=self.state, **(env or {}))
        self.options = []
        if config is not None:
            path = os.path.join(self.state, "querent.yaml")
            with open(path, "w") as f:
                f.write(config.replace("{state}", self.state))
            self.options = ["--config", path]
        self.args = list(args)
        self.start()

    def start(self):
        self.log_path = os.path.join(self.state, "serve.log")
        self.log = open(self.log_path, "a")
        self.process = subprocess.Popen([BINARY, *self.options, "serve", "--listen", "127.0.0.1:0", *self.args],
                                        env=self.env, stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        found = re.search(r":(\d+)$", line.strip())
        if not found:
            self.process.wait(10)
            raise RuntimeError("the server did not start: %s" % self.read_log())
        self.port = int(found.group(1))
        end = time.time() + 30
        while self.call("GET", "/readyz").status != 200:
            if time.time() > end:
                raise RuntimeError("not ready after 30 s: %s" % self.read_log())
            time.sleep(0.02)

    def read_log(self):
        with open(self.log_path) as f:
            return f.read()

    def cli(self, *args, check=True, stdin=None):
        """Runs the command line on the same state; answers its stdout."""
        done = subprocess.run([BINARY, *self.options, *args], env=self.env, capture_output=True, text=True, input=stdin,
                              timeout=120)
        if check and done.returncode:
            raise RuntimeError("querent %s: %s" % (" ".join(args), done.stderr))
        return done.stdout if check else done

    def call(self, method, path, body=None, headers=None, token=None, timeout=60, validate=True):
        """body: dict or list (sent as JSON), str or bytes (sent as they are)."""
        send = {} if headers is None else dict(headers)
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        if isinstance(body, str):
            body = body.encode("utf-8", "surrogatepass")
        if body is not None:
            send.setdefault("Content-Type", "application/json")
        if token:
            send["Authorization"] = "Bearer " + token
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, send)
            got = connection.getresponse()
            reply = Reply(got.status, {k.lower(): v for k, v in got.getheaders()}, got.read())
        finally:
            connection.close()
        if validate:
            openapi.document().check_reply(method, path, reply)
        return reply

    def get(self, path, **more):
        return self.call("GET", path, **more)

    def post(self, path, body=None, **more):
        return self.call("POST", path, body, **more)

    def delete(self, path, **more):
        return self.call("DELETE", path, **more)

    def index(self, datasource, full=False, token=None, timeout=120):
        """Has it indexed and waits for the job's end: the job, or the Reply that refused it."""
        started = self.post("/api/v1/datasources/%s/index" % datasource, {"full": full}, token=token)
        if started.status != 202:
            return started
        end = time.time() + timeout
        while time.time() < end:
            job = self.get(started.headers["location"], token=token).json
            if job["state"] not in ("queued", "running"):
                return job
            time.sleep(0.02)
        raise RuntimeError("the job does not end: %r" % job)

    def connect(self, timeout=30):
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def raw(self, data, timeout=30):
        """Sends bytes as they are and reads to the end; answers everything that came."""
        with self.connect(timeout) as s:
            try:
                s.sendall(data)
            except OSError:
                pass
            got = b""
            try:
                while True:
                    piece = s.recv(65536)
                    if not piece:
                        break
                    got += piece
            except (ConnectionResetError, socket.timeout):
                pass
            return got

    def raw_status(self, data, timeout=30):
        got = self.raw(data, timeout)
        found = re.match(rb"HTTP/1\.1 (\d+)", got)
        return int(found.group(1)) if found else 0

    def events(self, path, body, headers=None, token=None, timeout=60):
        """POSTs and reads an event stream: a list of (name, data), or a Reply when it is none."""
        send = dict(headers or {}, Accept="text/event-stream", **{"Content-Type": "application/json"})
        if token:
            send["Authorization"] = "Bearer " + token
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request("POST", path, json.dumps(body), send)
            got = connection.getresponse()
            data = got.read()
        finally:
            connection.close()
        reply = Reply(got.status, {k.lower(): v for k, v in got.getheaders()}, data)
        openapi.document().check_reply("POST", path, reply)
        if not reply.headers.get("content-type", "").startswith("text/event-stream"):
            return reply
        events = []
        for block in data.decode().split("\n\n"):
            lines = [line for line in block.split("\n") if line and not line.startswith(":")]
            fields = dict(line.split(": ", 1) for line in lines)
            if fields:
                events.append((fields.get("event"), json.loads(fields["data"])))
        return events

    def alive(self):
        return self.process.poll() is None and self.call("GET", "/livez").status == 200

    def memory_kib(self, name="RssAnon"):
        with open("/proc/%d/status" % self.process.pid) as f:
            return int(re.search(r"^%s:\s+(\d+)" % name, f.read(), re.M).group(1))

    def stop(self, timeout=40):
        """SIGTERM; answers the exit code. The state folder goes with the last stop."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = -9
        self.process.stdout.close()
        self.log.close()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        if self.own_state:
            shutil.rmtree(self.state, ignore_errors=True)
