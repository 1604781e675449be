#!/usr/bin/env python3
"""A stand-in for SQL Server: speaks TDS 7.4 over TCP and a unix socket to real clients, and keeps its tables in SQLite. It knows
the T-SQL that Querent writes (tsql.py) and says by name what it does not know. It is no SQL Server: what passes here shows
that the adapter speaks the protocol and reads its types, not that a real server takes every statement.

    tds_server.py serve DIR [--port N] [--tls off|on|required --cert FILE --key FILE]   runs until stopped; DIR/port holds the port
    tds_server.py load DIR FILE     statements of the owner, each ending in NUL
    tds_server.py set DIR JSON      users {name: {password, grants}}, faults; see Server
    tds_server.py stop DIR
"""
import argparse, json, os, re, select, signal, socket, sqlite3, ssl, struct, sys, threading, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tds_types
from tds_types import b_varchar, us_varchar
from tsql import (BYTES, E, INTEGERS, Column, Parser, SqlError, Translator, Untranslated, convert, is_decimal, kept_as_text, name, quote,
                  register)

BATCH, RPC, REPLY, ATTENTION, LOGIN7, PRELOGIN = 0x01, 0x03, 0x04, 0x06, 0x10, 0x12
DONE_FINAL, DONE_MORE, DONE_ERROR, DONE_COUNT, DONE_ATTN = 0x00, 0x01, 0x02, 0x10, 0x20
NO_TLS, TLS_OFF, TLS_ON, TLS_REQUIRED = 2, 0, 1, 3
VERSION = "15.0.2000.5"


class Gone(Exception):
    pass


# ---- packets ---------------------------------------------------------------------------------------------------------------

class Wire:
    """Packets over a socket, with TLS inside once it is agreed."""

    def __init__(self, sock, server):
        self.sock, self.server = sock, server
        self.tls = self.tls_in = self.tls_out = None
        self.size, self.sent, self.lock, self.id = 4096, 0, threading.Lock(), 0

    def _receive(self, n):
        out = b""
        while len(out) < n:
            if self.tls:
                with self.lock:
                    try:
                        data = self.tls.read(n - len(out))
                        if not data:
                            raise Gone
                        out += data
                        continue
                    except ssl.SSLWantReadError:
                        pass
                    except ssl.SSLError:
                        raise Gone
                data = self._socket(65536)
                with self.lock:
                    self.tls_in.write(data)
            else:
                out += self._socket(n - len(out))
        return out

    def _socket(self, n):
        try:
            data = self.sock.recv(n)
        except OSError:
            raise Gone
        if not data:
            raise Gone
        return data

    def message(self):
        """(kind, bytes) of a whole message."""
        out = b""
        while True:
            kind, status, length = struct.unpack(">BBH", self._receive(8)[:4])
            if length < 8:
                raise Gone
            out += self._receive(length - 8)
            if status & 1:
                return kind, out

    def raw(self, data):
        limit = self.server.faults.get("drop_after")
        if limit and self.sent + len(data) > limit:
            data = data[:max(0, limit - self.sent)]
        try:
            self.sock.sendall(data)
        except OSError:
            raise Gone
        self.sent += len(data)
        if limit and self.sent >= limit:
            self.sock.shutdown(socket.SHUT_RDWR)
            raise Gone

    def packet(self, kind, data, last):
        self.id = (self.id + 1) % 256
        head = struct.pack(">BBHHBB", kind, 1 if last else 0, len(data) + 8, 51, self.id, 0)
        if self.tls:
            with self.lock:
                self.tls.write(head + data)
                data = self.tls_out.read()
            self.raw(data)
        else:
            self.raw(head + data)

    def send(self, kind, data):
        room = self.size - 8
        for i in range(0, max(1, len(data)), room):
            self.packet(kind, data[i:i + room], i + room >= len(data))

    def handshake(self, context):
        """TLS whose records travel inside PRELOGIN packets, then without."""
        tls_in, tls_out = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = context.wrap_bio(tls_in, tls_out, server_side=True)
        while True:
            try:
                tls.do_handshake()
                done = True
            except ssl.SSLWantReadError:
                done = False
            except ssl.SSLError:
                raise Gone
            data = tls_out.read()
            if data:
                self.send(PRELOGIN, data)
            if done:
                break
            kind, data = self.message()
            if kind != PRELOGIN:
                raise Gone
            tls_in.write(data)
        self.tls, self.tls_in, self.tls_out = tls, tls_in, tls_out


class Reply:
    """Tokens on their way to the client, sent as packets fill."""

    def __init__(self, wire):
        self.wire, self.data = wire, b""

    def add(self, data):
        self.data += data
        room = self.wire.size - 8
        while len(self.data) > room:
            self.wire.packet(REPLY, self.data[:room], False)
            self.data = self.data[room:]

    def flush(self):
        self.wire.packet(REPLY, self.data, True)
        self.data = b""

    def done(self, status, rows=0, token=0xFD):
        self.add(struct.pack("<BHHQ", token, status, 0xC1, rows))

    def error(self, e):
        body = struct.pack("<iBB", e.number, 1, e.severity) + us_varchar(e.text[:2000]) + b_varchar("stand-in") + b_varchar("") + struct.pack("<I", 1)
        self.add(struct.pack("<BH", 0xAA if e.severity > 10 else 0xAB, len(body)) + body)

    def environment(self, kind, new, old=b"\0"):
        body = bytes([kind]) + new + old
        self.add(struct.pack("<BH", 0xE3, len(body)) + body)

    def columns(self, columns):
        out = struct.pack("<BH", 0x81, len(columns))
        for c in columns:
            out += struct.pack("<IH", 0, 0x0008 | (1 if c.nullable else 0)) + tds_types.type_info(c.type, c.nullable) + b_varchar(c.name or "")
        self.add(out)

    def row(self, columns, values):
        if any(v is None for v in values):
            bits = bytearray((len(values) + 7) // 8)
            for i, v in enumerate(values):
                if v is None:
                    bits[i // 8] |= 1 << i % 8
            self.add(b"\xd2" + bytes(bits) + b"".join(tds_types.value(c.type, c.nullable, v) for c, v in zip(columns, values) if v is not None))
        else:
            self.add(b"\xd1" + b"".join(tds_types.value(c.type, c.nullable, v) for c, v in zip(columns, values)))


# ---- the database ----------------------------------------------------------------------------------------------------------

class Table:
    def __init__(self, id, schema, name, columns):
        self.id, self.schema, self.name, self.columns = id, schema, name, columns
        self.key, self.uniques, self.references, self.view, self.description = [], [], [], False, None
        self.descriptions = {}

    def sqlite(self):
        return name(self.schema + "." + self.name)


def affinity(t):
    if t[0] in INTEGERS:
        return "INTEGER"
    if t[0] in ("float", "real") or (is_decimal(t) and not kept_as_text(t)):
        return "REAL"
    return "BLOB" if t[0] in BYTES or t[0] == "sql_variant" else "TEXT"


class Definitions(Parser):
    """What the owner of the database may say."""

    def column_names(self):
        self.need("(")
        return self.names()

    def create_table(self):
        parts = [self.name()]
        while self.take("."):
            parts.append(self.name())
        t = Table(0, parts[0] if len(parts) > 1 else "dbo", parts[-1], [])
        self.need("(")
        while True:
            if self.peek("primary", "unique", "foreign", "constraint"):
                if self.take("constraint"):
                    self.name()
                self.constraint(t, None)
            else:
                c = Column(self.name(), self.type())
                t.columns.append(c)
                while not self.peek(",", ")"):
                    if self.take("not"):
                        self.need("null")
                        c.nullable = False
                    elif self.take("null"):
                        c.nullable = True
                    else:
                        self.constraint(t, c)
            if not self.take(","):
                self.need(")")
                break
        for c in t.columns:
            c.source = (t.schema, t.name, c.name)
            c.nullable = c.nullable and c.name not in t.key
        return t

    def constraint(self, t, column):
        kind = self.need("primary", "unique", "foreign", "references")
        if kind in ("primary", "foreign"):
            self.need("key")
        names = [column.name] if column else self.column_names()
        if kind == "primary":
            t.key = names
        elif kind == "unique":
            t.uniques.append(names)
        else:
            if kind == "foreign":
                self.need("references")
            parts = [self.name()]
            while self.take("."):
                parts.append(self.name())
            t.references.append((names, parts[0] if len(parts) > 1 else "dbo", parts[-1], self.column_names()))

    def insert(self):
        self.need("into")
        parts = [self.name()]
        while self.take("."):
            parts.append(self.name())
        columns = self.column_names() if self.peek("(") else None
        return parts, columns, self.body()


class Database:
    """The tables, shared by all sessions under one lock."""

    def __init__(self, path, title):
        self.path, self.title, self.lock = path, title, threading.RLock()
        self.tables, self.ids = {}, 1000
        self.owner = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self.owner.execute("PRAGMA journal_mode = WAL")
        self.owner.execute("PRAGMA synchronous = OFF")
        self.error = None
        register(self.owner, self)

    def find(self, parts):
        parts = [p for p in parts if p][-2:]
        schema = parts[0] if len(parts) > 1 else "dbo"
        return self.tables.get((schema.lower(), parts[-1].lower()))

    def next_id(self):
        self.ids += 16
        return self.ids

    def run(self, sql):
        with self.lock:
            self.error = None
            try:
                self.define(sql)
            except sqlite3.Error as e:
                raise self.error or SqlError(50001, str(e))

    def define(self, sql):
        p = Definitions(sql)
        verb = p.need("create", "insert", "drop", "exec")
        if verb == "create":
            kind = p.need("table", "view", "schema")
            if kind == "schema":
                return
            if kind == "table":
                t = p.create_table()
                t.id = self.next_id()
                self.tables[(t.schema.lower(), t.name.lower())] = t
                self.owner.execute("CREATE TABLE %s (%s)" % (t.sqlite(), ", ".join("%s %s" % (name(c.name), affinity(c.type)) for c in t.columns)))
            else:
                view, columns = p.name(), []
                p.need("as")
                out = Translator(Owner(self)).query(p.query())
                t = Table(self.next_id(), "dbo", view, [Column(c.name, c.type, c.source, True, c.real) for c in out.columns])
                t.view = True
                self.tables[("dbo", view.lower())] = t
                self.owner.execute("CREATE VIEW %s AS %s" % (t.sqlite(), out.sql))
        elif verb == "insert":
            self.insert(*p.insert())
        elif verb == "drop":
            p.need("table", "view")
            t = self.tables.pop(("dbo", p.name().lower()))
            self.owner.execute("DROP %s %s" % ("VIEW" if t.view else "TABLE", t.sqlite()))
        else:
            self.describe(p)
        if not p.done():
            p.wrong()

    def describe(self, p):
        """EXEC sp_addextendedproperty with positional arguments, as far as comments go."""
        while not p.peek("sp_addextendedproperty"):
            p.name()
            p.need(".")
        p.name()
        args = [p.additive()]
        while p.take(","):
            args.append(p.additive())
        args = [a[1] if a[0] == "string" else None for a in args]
        t = self.tables[(args[3].lower(), args[5].lower())]
        if len(args) > 6:
            t.descriptions[args[7]] = args[1]
        else:
            t.description = args[1]

    def insert(self, parts, columns, body):
        t = self.find(parts)
        targets = [next(c for c in t.columns if c.name.lower() == n.lower()) for n in columns] if columns else t.columns
        rows = []
        for r in body[1]:
            if len(r) != len(targets):
                raise SqlError(213, "Column name or number of supplied values does not match table definition.")
            rows.append([self.constant(e, c.type) for e, c in zip(r, targets)])
        self.owner.execute("BEGIN")
        self.owner.executemany("INSERT INTO %s (%s) VALUES (%s)" % (t.sqlite(), ", ".join(name(c.name) for c in targets), ", ".join("?" * len(targets))), rows)
        self.owner.execute("COMMIT")

    def constant(self, e, t):
        sign = ""
        while e[0] in ("minus", "group"):
            sign += "-" if e[0] == "minus" else ""
            e = e[1]
        if e[0] == "null":
            return None
        if e[0] == "string":
            return e[1] if t[0] == "sql_variant" else convert(t, ("nvarchar", 4000), e[1])
        if e[0] == "number":
            text = sign + e[1]
            if t[0] == "sql_variant":
                return float(text) if "." in text else int(text)
            if t[0] in ("float", "real"):
                return convert(t, ("float",), float(text))
            return convert(t, ("nvarchar", 4000), text if "e" not in text else repr(float(text)))
        if e[0] == "binary literal":
            return e[1]
        out = Translator(Owner(self)).value(e)
        return self.owner.execute("SELECT " + Translator(Owner(self)).cast(out, t).sql).fetchone()[0]


# ---- what a statement can see: the database as one user ----------------------------------------------------------------------

class Owner:
    def __init__(self, database):
        self.database = database

    def table(self, parts):
        t = self.database.find(parts)
        return (t.sqlite(), t.columns) if t else None

    def function(self, parts, args):
        raise SqlError(208, "Invalid object name '%s'." % ".".join(parts))

    def variable(self, variable):
        raise SqlError(137, "Must declare the scalar variable \"%s\"." % variable)

    def property(self, function, args):
        return None


VISIBLE = {"select", "insert"}


class Seen(Owner):
    """As the user of a session: the catalogue shows only what some right is held on."""

    def __init__(self, session):
        super().__init__(session.server.database)
        self.session = session

    def visible(self):
        u = self.session.user
        return [t for t in self.database.tables.values() if u["grants"]] if u else []

    def table(self, parts):
        if len(parts) == 3:
            if parts[0].lower() != self.database.title:
                raise SqlError(916, "The server principal is not able to access the database.", 14)
            parts = parts[1:]
        if len(parts) == 2 and parts[0].lower() == "sys":
            rows, columns = self.catalogue(parts[1].lower())
            columns = [Column(n, t) for n, t in columns]
            values = ", ".join("(%s)" % ", ".join("NULL" if v is None else quote(v) if isinstance(v, str) else str(v) for v in r) for r in rows)
            body = "VALUES " + values if rows else "SELECT %s WHERE 0" % ", ".join(["NULL"] * len(columns))
            return "(WITH x(%s) AS (%s) SELECT * FROM x)" % (", ".join(name(c.name) for c in columns), body), columns
        found = super().table(parts)
        if found and not self.session.user["grants"]:
            raise SqlError(229, "The SELECT permission was denied on the object '%s', database '%s', schema 'dbo'." % (parts[-1], self.database.title), 14)
        return found

    def catalogue(self, view):
        i, text, seen = ("int",), ("nvarchar", 128), self.visible()
        numbered = [(t, {c.name.lower(): n + 1 for n, c in enumerate(t.columns)}) for t in seen]
        if view == "schemas":
            names = ["dbo"] + sorted({t.schema for t in seen} - {"dbo"})
            return [(s, n + 1, 1) for n, s in enumerate(names)], [("name", text), ("schema_id", i), ("principal_id", i)]
        if view == "objects":
            ids = {s: n for s, n, _ in self.catalogue("schemas")[0]}
            return ([(t.name, t.id, ids[t.schema], "V " if t.view else "U ", 0) for t in seen],
                    [("name", text), ("object_id", i), ("schema_id", i), ("type", ("char", 2)), ("is_ms_shipped", ("bit",))])
        if view == "columns":
            return ([(t.id, c.name, n[c.name.lower()], tds_types.SYSTEM_TYPES[c.type[0]], self.user_type(c.type[0]), *tds_types.describe(c.type),
                      int(c.nullable)) for t, n in numbered for c in t.columns],
                    [("object_id", i), ("name", text), ("column_id", i), ("system_type_id", ("tinyint",)), ("user_type_id", i), ("max_length", ("smallint",)),
                     ("precision", ("tinyint",)), ("scale", ("tinyint",)), ("is_nullable", ("bit",))])
        if view in ("indexes", "index_columns"):
            indexes, columns = [], []
            for t, n in numbered:
                for number, names in enumerate(([t.key] if t.key else []) + t.uniques, 1):
                    indexes.append((t.id, number, int(names == t.key), 1, 0))
                    columns += [(t.id, number, n[c.lower()], at) for at, c in enumerate(names, 1)]
            if view == "indexes":
                return indexes, [("object_id", i), ("index_id", i), ("is_primary_key", ("bit",)), ("is_unique", ("bit",)), ("has_filter", ("bit",))]
            return columns, [("object_id", i), ("index_id", i), ("column_id", i), ("key_ordinal", ("tinyint",))]
        if view in ("foreign_keys", "foreign_key_columns"):
            keys, columns = [], []
            for t, n in numbered:
                for at, (names, schema, table, referred) in enumerate(t.references):
                    to = self.database.find([schema, table])
                    at_there = {c.name.lower(): k + 1 for k, c in enumerate(to.columns)}
                    keys.append((t.id + 1 + at, t.id, to.id))
                    columns += [(t.id + 1 + at, k + 1, t.id, n[a.lower()], to.id, at_there[b.lower()]) for k, (a, b) in enumerate(zip(names, referred))]
            if view == "foreign_keys":
                return keys, [("object_id", i), ("parent_object_id", i), ("referenced_object_id", i)]
            return columns, [(n, i) for n in ("constraint_object_id", "constraint_column_id", "parent_object_id", "parent_column_id",
                                              "referenced_object_id", "referenced_column_id")]
        if view == "partitions":
            count = self.session.db.execute
            return ([(t.id, int(bool(t.key)), count("SELECT count(*) FROM " + t.sqlite()).fetchone()[0]) for t in seen if not t.view],
                    [("object_id", i), ("index_id", i), ("rows", ("bigint",))])
        if view == "extended_properties":
            return ([(1, t.id, 0, "MS_Description", t.description) for t in seen if t.description] +
                    [(1, t.id, n[c.lower()], "MS_Description", d) for t, n in numbered for c, d in t.descriptions.items()],
                    [("class", ("tinyint",)), ("major_id", i), ("minor_id", i), ("name", text), ("value", ("nvarchar", 4000))])
        if view == "database_permissions":
            u = self.session.user
            return ([(u["id"], "G ", {"insert": "IN  ", "update": "UP  ", "delete": "DL  ", "select": "SL  "}.get(g, g)) for g in ["CO  "] + u["grants"]],
                    [("grantee_principal_id", i), ("state", ("char", 1)), ("type", ("char", 4))])
        if view == "databases":
            return ([("master", 1, 1), (self.database.title, 5, int(self.session.server.snapshots))],
                    [("name", text), ("database_id", i), ("snapshot_isolation_state", ("tinyint",))])
        if view == "servers":
            return [("here", 0)], [("name", text), ("is_linked", ("bit",))]
        if view == "configurations":
            return [("xp_cmdshell", 0), ("clr enabled", 0)], [("name", text), ("value_in_use", i)]
        raise SqlError(208, "Invalid object name 'sys.%s'." % view)

    def user_type(self, k):
        return {"hierarchyid": 128, "geometry": 129, "geography": 130}.get(k, tds_types.SYSTEM_TYPES[k])

    def function(self, parts, args):
        if [p.lower() for p in parts] != ["sys", "dm_exec_describe_first_result_set"]:
            return super().function(parts, args)
        text, i = ("nvarchar", 4000), ("int",)
        columns = [Column(n, t) for n, t in (("column_ordinal", i), ("name", text), ("is_hidden", ("bit",)), ("source_database", text), ("source_schema", text),
                                             ("source_table", text), ("source_column", text), ("error_number", i), ("error_message", text))]
        try:
            p = Batch(args[0])
            if not p.peek("select", "with"):
                p.statement_end()
                return [], columns
            out = Translator(self).query(p.query())
            while p.take(";"):
                pass
            p.rest()
            rows = [(n, c.name, 0, *((self.database.title,) + c.source if c.source else (None,) * 4), None, None) for n, c in enumerate(out.columns, 1)]
        except SqlError as e:
            rows = [(0, None, 0, None, None, None, None, e.number, e.text)]
        return rows, columns

    def variable(self, variable):
        if variable == "@@trancount":
            return self.session.transactions
        return super().variable(variable)

    def property(self, function, args):
        def sql(v):
            return v.sql if isinstance(v, E) else "NULL" if v is None else quote(v) if isinstance(v, str) else str(v)
        text = ("nvarchar", 128)
        if function == "is_srvrolemember":
            return E(str(int(args[0] in self.session.user["roles"])), ("int",))
        if function == "is_member":
            return E("t_is_member(%s)" % sql(args[0]), ("int",))
        if function == "user_name":
            return E("t_user_name(%s)" % sql(args[0] if args else self.session.user["id"]), text)
        if function == "user_id":
            return E(str(self.session.user["id"]), ("int",))
        if function == "type_name":
            return E("t_type_name(%s)" % sql(args[0]), text)
        if function == "db_id":
            return E("5", ("int",))
        if function == "db_name":
            return E(quote(self.database.title), text)
        if function == "has_dbaccess":
            return E("(%s = %s)" % (sql(args[0]), quote(self.database.title)), ("int",))
        if function == "serverproperty":
            return E(quote({"ProductVersion": VERSION, "Edition": "Stand-in"}[args[0]]), text)
        if function == "databasepropertyex":
            return E(quote({"Collation": tds_types.COLLATION_NAME, "Updateability": "READ_WRITE"}[args[1]]), text)
        return None


# ---- sessions ----------------------------------------------------------------------------------------------------------------

OPTIONS = """nocount xact_abort implicit_transactions lock_timeout deadlock_priority ansi_nulls ansi_padding ansi_warnings arithabort
    quoted_identifier concat_null_yields_null numeric_roundabort language dateformat datefirst rowcount textsize ansi_null_dflt_on
    cursor_close_on_commit fmtonly""".split()


class Batch(Parser):
    def rest(self):
        if not self.done():
            self.wrong()

    def statement_end(self):
        """Past a statement that only its first word tells of."""
        while not self.done() and not self.peek(";"):
            self.i += 1


class Session:
    def __init__(self, server, sock):
        self.server, self.wire = server, Wire(sock, server)
        self.user, self.transactions, self.options, self.isolation = None, 0, {}, "read committed"
        self.db, self.error, self.stopped, self.running = None, None, False, None
        self.login = {}

    # -- getting in
    def serve(self):
        if "silent" in self.server.faults:
            while True:
                self.wire._socket(4096)
        kind, data = self.wire.message()
        if kind != PRELOGIN:
            raise Gone
        wanted = self.prelogin(data)
        said = self.encryption(wanted)
        body = struct.pack(">BHH", 0, 26, 6) + struct.pack(">BHH", 1, 32, 1) + struct.pack(">BHH", 2, 33, 1) + struct.pack(
            ">BHH", 3, 34, 0) + struct.pack(">BHH", 4, 34, 1) + b"\xff"
        self.wire.send(REPLY, body + b"\x0f\x00\x07\xd0\x00\x00" + bytes([said]) + b"\0" + b"\0")
        if said != NO_TLS:
            if wanted == NO_TLS:
                raise Gone
            self.wire.handshake(self.server.context)
        kind, data = self.wire.message()
        if said == TLS_OFF:
            self.wire.tls = None  # only the login was to be hidden
        if kind != LOGIN7:
            raise Gone
        self.encrypted = said in (TLS_ON, TLS_REQUIRED)
        if self.log_in(data):
            self.answer()

    def prelogin(self, data):
        at = 0
        while data[at] != 0xFF:
            kind, offset, length = struct.unpack(">BHH", data[at:at + 5])
            if kind == 1 and length:
                return data[offset]
            at += 5
        return NO_TLS

    def encryption(self, wanted):
        mode = self.server.tls
        if mode == "off":
            return NO_TLS
        if mode == "required":
            return TLS_ON if wanted == TLS_ON else TLS_REQUIRED
        return {TLS_ON: TLS_ON, TLS_REQUIRED: TLS_ON, TLS_OFF: TLS_OFF}.get(wanted, NO_TLS)

    def log_in(self, data):
        def text(at):
            offset, length = struct.unpack("<HH", data[at:at + 4])
            return data[offset:offset + 2 * length]
        size = struct.unpack("<I", data[8:12])[0]
        secret = bytes(((b ^ 0xA5) >> 4 | (b ^ 0xA5) << 4) & 0xFF for b in text(44))
        self.login = {"user": text(40).decode("utf-16-le"), "password": secret.decode("utf-16-le"), "application": text(48).decode("utf-16-le"),
                      "database": text(68).decode("utf-16-le"), "read_only": bool(data[26] & 0x20)}
        self.server.logins.append({k: v for k, v in self.login.items() if k != "password"})
        reply, user = Reply(self.wire), self.server.users.get(self.login["user"])
        refused = None
        if "refuse" in self.server.faults:
            refused = SqlError(self.server.faults["refuse"], "refused", 14)
        elif not user or user["password"] != self.login["password"]:
            refused = SqlError(18456, "Login failed for user '%s'." % self.login["user"], 14)
        elif self.login["database"] not in ("", self.server.database.title):
            reply.error(SqlError(4060, "Cannot open database \"%s\" requested by the login. The login failed." % self.login["database"], 11))
            refused = SqlError(18456, "Login failed for user '%s'." % self.login["user"], 14)
        if refused:
            reply.error(refused)
            reply.done(DONE_ERROR)
            reply.flush()
            return False
        self.user = user
        title = self.server.database.title
        reply.environment(1, b_varchar(title), b_varchar("master"))
        reply.error(SqlError(5701, "Changed database context to '%s'." % title, 0))
        reply.environment(7, b"\x05" + tds_types.COLLATION)
        reply.environment(2, b_varchar("us_english"), b_varchar(""))
        program = "Microsoft SQL Server".encode("utf-16-le")
        body = b"\x01" + bytes.fromhex("74000004") + bytes([len(program) // 2]) + program + b"\x0f\x00\x07\xd0"
        reply.add(struct.pack("<BH", 0xAD, len(body)) + body)
        size = max(512, min(size or 4096, 32767))
        reply.environment(4, b_varchar(str(size)), b_varchar("4096"))
        reply.done(DONE_FINAL)
        reply.flush()
        self.wire.size = size
        self.connect()
        return True

    def connect(self):
        database = self.server.database
        self.db = sqlite3.connect("file:%s?mode=ro" % database.path, uri=True, check_same_thread=False, isolation_level=None, cached_statements=0)
        register(self.db, self)
        names = {5: self.login["user"], 0: "public", 1: "dbo"}
        types = {v: k for k, v in tds_types.SYSTEM_TYPES.items() if v not in (240, 189)}
        types.update({128: "hierarchyid", 129: "geometry", 130: "geography", 189: "timestamp"})
        self.db.create_function("t_user_name", 1, lambda i: names.get(i))
        self.db.create_function("t_is_member", 1, lambda n: None if n is None else int(n in self.user["roles"] or n == "public"))
        self.db.create_function("t_type_name", 1, lambda i: types.get(i))

    # -- statements
    def answer(self):
        """Messages one after the other; while one is worked on, an attention may come."""
        while True:
            kind, data = self.wire.message()
            if kind == ATTENTION:
                if self.server.faults.get("deaf"):
                    continue
                self.stopped = True
                if self.running and self.running.is_alive():
                    self.db.interrupt()
                    self.running.join()
                self.stopped = False
                reply = Reply(self.wire)  # what was running has ended its own message
                reply.done(DONE_ATTN)
                reply.flush()
                continue
            if self.running:
                self.running.join()
            if kind not in (BATCH, RPC):
                raise Gone
            size = struct.unpack("<I", data[:4])[0]
            body = data[size:]
            sql = body.decode("utf-16-le") if kind == BATCH else self.procedure(body)
            self.running = threading.Thread(target=self.batch, args=(sql, kind == RPC), daemon=True)
            self.running.start()

    def procedure(self, body):
        """sp_executesql with its statement alone."""
        length = struct.unpack("<H", body[:2])[0]
        if length == 0xFFFF:
            number, at = struct.unpack("<H", body[2:4])[0], 4
        else:
            number, at = (10 if body[2:2 + 2 * length].decode("utf-16-le").lower() == "sp_executesql" else 0), 2 + 2 * length
        if number != 10:
            return "EXEC a_procedure"
        at += 2
        at += 1 + 2 * body[at] + 1
        kind, size = struct.unpack("<BH", body[at:at + 3])
        at += 8
        if kind == 0x63:
            return body[at + 6:].decode("utf-16-le")
        if size == 0xFFFF:
            at += 8
            out = b""
            while True:
                n = struct.unpack("<I", body[at:at + 4])[0]
                if not n:
                    return out.decode("utf-16-le")
                out += body[at + 4:at + 4 + n]
                at += 4 + n
        n = struct.unpack("<H", body[at:at + 2])[0]
        return body[at + 2:at + 2 + n].decode("utf-16-le")

    def batch(self, sql, procedure):
        reply, self.error, failed = Reply(self.wire), None, False
        try:
            try:
                self.statements(sql, reply)
            except SqlError as e:
                failed = True
                reply.error(self.error or e)
                if self.options.get("xact_abort"):
                    self.transactions = 0
            except sqlite3.Error as e:
                failed = True
                if not self.stopped:
                    reply.error(self.error or SqlError(50001, str(e)))
            if procedure:
                reply.add(struct.pack("<Bi", 0x79, 0))
                reply.done(DONE_ERROR if failed else DONE_FINAL, token=0xFE)
            else:
                reply.done(DONE_ERROR if failed else DONE_FINAL)
            reply.flush()
        except Gone:
            self.wire.sock.close()

    def statements(self, sql, reply):
        p = Batch(sql)
        while True:
            while p.take(";"):
                pass
            if p.done():
                return
            self.statement(p, reply)

    def statement(self, p, reply):
        if p.peek("select", "with"):
            q = p.query()
            if not p.done() and not p.peek(";", "select", "with", "set", "if", "rollback", "commit"):
                p.wrong()
            self.select(q, reply)
            return
        word = p.t[p.i].text.lower()
        p.i += 1
        if word == "set":
            self.set(p)
        elif word == "if":
            holds = Translator(Seen(self)).predicate(p.expression())
            before = p.i
            if self.db.execute("SELECT " + holds.sql).fetchone()[0]:
                self.statement(p, reply)
            else:
                p.i = before
                p.statement_end()
        elif word in ("begin", "commit", "rollback"):
            p.take("transaction", "tran", "work")
            self.transactions = 1 if word == "begin" else 0
        elif word == "use":
            if p.name() != self.server.database.title:
                raise SqlError(911, "Database does not exist. Make sure that the name is entered correctly.")
        elif word == "waitfor":
            p.name()
            h, m, s = p.primary()[1].split(":")
            end = time.time() + int(h) * 3600 + int(m) * 60 + float(s)
            while time.time() < end and not self.stopped:
                time.sleep(0.01)
        elif word in ("insert", "update", "delete", "merge", "truncate"):
            raise SqlError(229, "The %s permission was denied on the object, database '%s', schema 'dbo'." % (word.upper(), self.server.database.title), 14)
        elif word in ("create", "drop", "alter"):
            raise SqlError(262, "%s permission denied in database '%s'." % (word.upper(), self.server.database.title), 14)
        elif word in ("exec", "execute"):
            raise SqlError(2812, "Could not find stored procedure '%s'." % (p.t[p.i].text if not p.done() else ""))
        else:
            p.i -= 1
            p.wrong()

    def set(self, p):
        if p.take("transaction"):
            for word in ("isolation", "level"):
                if p.name().lower() != word:
                    p.wrong()
            words = [p.name().lower()]
            if words[0] in ("read", "repeatable"):
                words.append(p.name().lower())
            self.isolation = " ".join(words)
            if self.isolation == "snapshot" and not self.server.snapshots:
                raise SqlError(3952, "Snapshot isolation transaction failed: it is not allowed in this database.")
            return
        names = [p.name().lower()]
        while p.take(","):
            names.append(p.name().lower())
        negative = p.take("-")
        t = p.t[p.i]
        p.i += 1
        value = {"on": True, "off": False}.get(t.text.lower(), t.text if not negative else "-" + t.text)
        for n in names:
            if n not in OPTIONS:
                raise SqlError(195, "'%s' is not a recognized SET option." % n, 15)
            self.options[n] = value

    def select(self, q, reply):
        translator = Translator(Seen(self))
        out = translator.query(q)
        for c in out.columns:
            tds_types.type_info(c.type, c.nullable)
        if translator.tables and self.options.get("implicit_transactions"):
            self.transactions = self.transactions or 1
        cursor = self.db.execute(out.sql)
        reply.columns(out.columns)
        most, rows = int(self.options.get("textsize") or 0) or 2**31, 0
        for row in cursor:
            reply.row(out.columns, [v[:most // 2] if isinstance(v, str) and tds_types.is_max(c.type) else v for c, v in zip(out.columns, row)])
            rows += 1
            if self.stopped:
                return
        reply.done(DONE_MORE | DONE_COUNT, rows)


# ---- the server ----------------------------------------------------------------------------------------------------------------

class Server:
    """users: name -> password, grants (select, insert, …; none = sees nothing), roles (db_datareader, sysadmin, …). faults: silent,
    refuse: NUMBER, drop_after: BYTES, deaf (to attentions). snapshots: the database keeps versions of its rows."""

    def __init__(self, folder, tls="off", cert=None, key=None, title="shop"):
        os.makedirs(folder, exist_ok=True)
        self.folder, self.tls, self.faults, self.snapshots, self.logins = folder, tls, {}, False, []
        self.database = Database(os.path.join(folder, "data.sqlite"), title)
        self.users = {}
        self.set_users({"reader": {}})
        self.context = None
        if tls != "off":
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.maximum_version = ssl.TLSVersion.TLSv1_2  # a later one sends records after its handshake
            self.context.load_cert_chain(cert, key)

    def set_users(self, users):
        for user, u in users.items():
            self.users[user] = {"password": u.get("password", ""), "grants": u.get("grants", ["select"]), "roles": u.get("roles", ["db_datareader"]), "id": 5}

    def connection(self, sock):
        session = Session(self, sock)
        try:
            session.serve()
        except (Gone, ssl.SSLError, struct.error, IndexError, UnicodeDecodeError, OSError):
            pass
        finally:
            sock.close()
            if session.db and not (session.running and session.running.is_alive()):
                session.db.close()

    def accept(self, listening):
        while True:
            try:
                sock = listening.accept()[0]
            except OSError:
                return
            if sock.family != socket.AF_UNIX:
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.connection, args=(sock,), daemon=True).start()

    def control(self, sock):
        with sock, sock.makefile("rw", encoding="utf-8") as f:
            order = json.loads(f.readline())
            try:
                for sql in order.get("load", []):
                    try:
                        self.database.run(sql)
                    except (SqlError, sqlite3.Error, KeyError, StopIteration) as e:
                        raise ValueError("%s: %s" % (e, sql[:300]))
                self.set_users(order.get("users", {}))
                if "faults" in order:
                    self.faults = order["faults"]
                self.snapshots = order.get("snapshots", self.snapshots)
                json.dump({"ok": True, "logins": self.logins}, f)
            except ValueError as e:
                json.dump({"ok": False, "error": str(e)}, f)

    def run(self, port=0):
        listening = socket.create_server(("127.0.0.1", port))
        local, control = [socket.socket(socket.AF_UNIX) for _ in range(2)]
        for s, n in ((local, "tds"), (control, "control")):
            s.bind(os.path.join(self.folder, n))
            s.listen(64)
        for s in (listening, local):
            threading.Thread(target=self.accept, args=(s,), daemon=True).start()
        with open(os.path.join(self.folder, "port.new"), "w") as f:
            f.write("%d %d" % (listening.getsockname()[1], os.getpid()))
        os.rename(os.path.join(self.folder, "port.new"), os.path.join(self.folder, "port"))
        signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
        while True:
            self.control(control.accept()[0])


def ask(folder, order):
    """One order to a running server; its answer."""
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(os.path.join(folder, "control"))
        with s.makefile("rw", encoding="utf-8") as f:
            f.write(json.dumps(order) + "\n")
            f.flush()
            answer = json.loads(f.readline())
    if not answer["ok"]:
        raise ValueError(answer["error"])
    return answer


def main():
    a = argparse.ArgumentParser()
    a.add_argument("verb", choices=["serve", "load", "set", "stop"])
    a.add_argument("folder")
    a.add_argument("what", nargs="?")
    a.add_argument("--port", type=int, default=0)
    a.add_argument("--tls", default="off", choices=["off", "on", "required"])
    a.add_argument("--cert")
    a.add_argument("--key")
    o = a.parse_args()
    if o.verb == "serve":
        Server(o.folder, o.tls, o.cert, o.key).run(o.port)
    elif o.verb == "stop":
        os.kill(int(open(os.path.join(o.folder, "port")).read().split()[1]), signal.SIGTERM)
    else:
        with open(o.what, encoding="utf-8") if o.verb == "load" else open(os.devnull) as f:
            order = {"load": [s for s in f.read().split("\0") if s.strip()]} if o.verb == "load" else json.loads(o.what)
        try:
            ask(o.folder, order)
        except ValueError as e:
            sys.exit("tds_server: %s" % e)


if __name__ == "__main__":
    main()
