"""T-SQL as far as Querent writes it -> SQLite, with SQL Server's own types, for the TDS stand-in. Text becomes a tree, the tree
SQL with the type that SQL Server would give each expression: integers stay integers, + joins text by type, decimals have the
scale of its rules. What is not understood is an error (Untranslated), never a guess."""
import datetime, decimal, math, re

UNIT = datetime.timedelta(microseconds=1)


class SqlError(Exception):
    """An error of the server: number, severity, text."""

    def __init__(self, number, text, severity=16):
        super().__init__(text)
        self.number, self.text, self.severity = number, text, severity


class Untranslated(SqlError):
    def __init__(self, what):
        super().__init__(50000, "the stand-in does not translate: " + what)


# ---- words ---------------------------------------------------------------------------------------------------------------

TOKEN = re.compile(r"""\s+|--[^\n]*|/\*.*?\*/
    |(?P<string>[Nn]?'(?:[^']|'')*')|(?P<bracket>\[(?:[^\]]|\]\])*\])|(?P<quoted>"(?:[^"]|"")*")
    |(?P<hex>0[xX][0-9a-fA-F]*)|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<word>[A-Za-z_\u0080-\uffff@#][\w@#$]*)|(?P<op><>|<=|>=|!=|\|\||[-+*/%=<>(),.;])""", re.X | re.S)


class Token:
    def __init__(self, kind, text, value):
        self.kind, self.text, self.value = kind, text, value


def tokens(sql):
    out, at = [], 0
    while at < len(sql):
        m = TOKEN.match(sql, at)
        if not m:
            raise SqlError(102, "Incorrect syntax near '%s'." % sql[at:at + 10], 15)
        at = m.end()
        kind, text = m.lastgroup, m.group()
        if kind == "string":
            text = text.lstrip("Nn") if text[0] != "'" else text
            # A backslash at the end of a line joins it to the next.
            out.append(Token("string", m.group(), re.sub(r"\\(\r\n|\n)", "", text[1:-1].replace("''", "'"))))
        elif kind in ("bracket", "quoted"):
            out.append(Token("name", text, text[1:-1].replace(text[-1] * 2, text[-1])))
        elif kind:
            out.append(Token(kind, text, text))
    return out


RESERVED = set("""all and as asc between by case cast collate convert cross desc distinct else end escape except exists fetch from full
    group having in inner intersect into is join left like not null on or order outer over right select set table then top
    union values when where with within option""".split())


class Parser:
    def __init__(self, sql):
        self.t, self.i = tokens(sql), 0

    # -- helpers
    def peek(self, *words, ahead=0):
        t = self.t[self.i + ahead] if self.i + ahead < len(self.t) else None
        return bool(t and t.kind in ("word", "op") and t.text.lower() in words)

    def take(self, *words):
        if self.peek(*words):
            self.i += 1
            return self.t[self.i - 1].text.lower()
        return None

    def need(self, *words):
        got = self.take(*words)
        if not got:
            self.wrong()
        return got

    def wrong(self):
        near = self.t[self.i].text if self.i < len(self.t) else "end"
        raise SqlError(102, "Incorrect syntax near '%s'." % near, 15)

    def done(self):
        return self.i >= len(self.t)

    def name(self):
        t = self.t[self.i] if not self.done() else None
        if t and (t.kind == "name" or (t.kind == "word" and t.text.lower() not in RESERVED)):
            self.i += 1
            return t.value
        self.wrong()

    def is_name(self):
        t = self.t[self.i] if not self.done() else None
        return bool(t and (t.kind == "name" or (t.kind == "word" and t.text.lower() not in RESERVED)))

    def integer(self):
        t = self.t[self.i] if not self.done() else None
        if not t or t.kind != "number" or not t.text.isdigit():
            self.wrong()
        self.i += 1
        return int(t.text)

    def type(self):
        name = self.name().lower()
        if name == "double":
            self.take("precision")
            return ("float",)
        if name == "national":
            name = "n" + self.name().lower()
        if name in ("character", "nchar") and self.take("varying"):
            name = "varchar" if name == "character" else "nvarchar"
        name = {"integer": "int", "numeric": "numeric", "dec": "decimal", "boolean": "bit", "character": "char"}.get(name, name)
        args = []
        if self.take("("):
            while True:
                args.append(-1 if self.take("max") else self.integer())
                if not self.take(","):
                    break
            self.need(")")
        return make_type(name, args)

    # -- queries
    def query(self):
        ctes = []
        if self.take("with"):
            while True:
                name, columns = self.name(), []
                if self.take("("):
                    columns = self.names()
                self.need("as")
                self.need("(")
                ctes.append((name, columns, self.query()))
                self.need(")")
                if not self.take(","):
                    break
        body = self.body()
        order, limit, offset = [], None, None
        if self.take("order"):
            self.need("by")
            order = self.orders()
        if self.take("offset"):
            offset = self.expression()
            self.need("rows", "row")
            if self.take("fetch"):
                self.need("next", "first")
                limit = self.expression()
                self.need("rows", "row")
                self.need("only")
        if self.take("option"):
            self.need("(")
            self.need("maxrecursion")
            self.integer()
            self.need(")")
        return {"ctes": ctes, "body": body, "order": order, "limit": limit, "offset": offset}

    def names(self):
        out = [self.name()]
        while self.take(","):
            out.append(self.name())
        self.need(")")
        return out

    def orders(self):
        out = []
        while True:
            e = self.expression()
            out.append((e, self.take("asc", "desc") == "desc"))
            if not self.take(","):
                return out

    def body(self):
        left = self.term()
        while self.peek("union", "except", "intersect"):
            op = self.take("union", "except", "intersect")
            if op == "union" and self.take("all"):
                op = "union all"
            left = ("set", op, left, self.term())
        return left

    def term(self):
        if self.take("("):
            q = self.query()
            self.need(")")
            return ("query", q)
        if self.take("values"):
            rows = []
            while True:
                self.need("(")
                rows.append(self.list())
                if not self.take(","):
                    return ("values", rows)
        self.need("select")
        s = {"distinct": bool(self.take("distinct")), "top": None, "items": [], "from": None, "where": None, "group": [], "having": None}
        self.take("all")
        if self.take("top"):
            if self.take("("):
                s["top"] = self.expression()
                self.need(")")
            else:
                s["top"] = self.primary()
        while True:
            s["items"].append(self.item())
            if not self.take(","):
                break
        if self.peek("into"):
            s["into"] = True
            self.take("into")
            self.name()
        if self.take("from"):
            s["from"] = self.sources()
        if self.take("where"):
            s["where"] = self.expression()
        if self.take("group"):
            self.need("by")
            s["group"] = [self.expression()]
            while self.take(","):
                s["group"].append(self.expression())
        if self.take("having"):
            s["having"] = self.expression()
        return ("select", s)

    def item(self):
        if self.take("*"):
            return (("star", None), None)
        if self.is_name() and self.peek(".", ahead=1) and self.peek("*", ahead=2):
            name = self.name()
            self.i += 2
            return (("star", name), None)
        e = self.expression()
        if self.take("as") or self.is_name():
            t = self.t[self.i] if not self.done() else None
            if t and t.kind == "string":
                self.i += 1
                return (e, t.value)
            return (e, self.name())
        return (e, None)

    def sources(self):
        left = self.source()
        while True:
            if self.take(","):
                left = ("join", "CROSS JOIN", left, self.source(), None)
                continue
            kind = None
            if self.peek("join", "inner"):
                self.take("inner")
                kind = "JOIN"
            elif self.peek("left", "right", "full"):
                kind = self.take("left", "right", "full").upper() + " JOIN"
                self.take("outer")
            elif self.take("cross"):
                kind = "CROSS JOIN"
            if not kind:
                return left
            self.need("join")
            right = self.source()
            on = None
            if kind != "CROSS JOIN":
                self.need("on")
                on = self.expression()
            left = ("join", kind, left, right, on)

    def source(self):
        if self.take("("):
            if self.peek("select", "with", "values"):
                q = self.query()
                self.need(")")
                self.take("as")
                alias = self.name()
                return ("derived", q, alias, self.names() if self.take("(") else [])
            inner = self.sources()
            self.need(")")
            return inner
        parts = [self.name()]
        while self.take("."):
            parts.append(self.name())
        args = None
        if self.take("("):
            args = self.list()
        alias = parts[-1]
        if self.take("as") or self.is_name():
            alias = self.name()
        return ("table", parts, alias, args)

    # -- expressions
    def expression(self):
        left = self.conjunction()
        while self.take("or"):
            left = ("logic", "OR", left, self.conjunction())
        return left

    def conjunction(self):
        left = self.negation()
        while self.take("and"):
            left = ("logic", "AND", left, self.negation())
        return left

    def negation(self):
        if self.take("not"):
            return ("not", self.negation())
        return self.predicate()

    def predicate(self):
        left = self.additive()
        while True:
            op = self.take("=", "<>", "!=", "<", "<=", ">", ">=")
            if op:
                left = ("compare", "<>" if op == "!=" else op, left, self.additive())
                continue
            if self.take("is"):
                negated = bool(self.take("not"))
                self.need("null")
                left = ("is null", left, negated)
                continue
            negated = bool(self.peek("not") and self.peek("like", "in", "between", ahead=1) and self.take("not"))
            if self.take("like"):
                pattern = self.additive()
                left = ("like", left, pattern, self.additive() if self.take("escape") else None, negated)
            elif self.take("between"):
                low = self.additive()
                self.need("and")
                left = ("between", left, low, self.additive(), negated)
            elif self.take("in"):
                self.need("(")
                if self.peek("select", "with"):
                    q = self.query()
                    self.need(")")
                    left = ("in query", left, q, negated)
                else:
                    left = ("in", left, self.list(), negated)
            else:
                return left

    def additive(self):
        left = self.multiplicative()
        while self.peek("+", "-"):
            op = self.take("+", "-")
            left = ("binary", op, left, self.multiplicative())
        return left

    def multiplicative(self):
        left = self.unary()
        while self.peek("*", "/", "%"):
            op = self.take("*", "/", "%")
            left = ("binary", op, left, self.unary())
        return left

    def unary(self):
        if self.take("-"):
            return ("minus", self.unary())
        if self.take("+"):
            return self.unary()
        e = self.primary()
        while self.take("collate"):
            e = ("collate", e, self.name())
        return e

    def list(self):
        out = []
        if self.take(")"):
            return out
        while True:
            out.append(self.expression())
            if not self.take(","):
                self.need(")")
                return out

    def primary(self):
        t = self.t[self.i] if not self.done() else self.wrong()
        if t.kind == "number":
            self.i += 1
            return ("number", t.text)
        if t.kind == "string":
            self.i += 1
            return ("string", t.value, t.text[0] in "Nn")
        if t.kind == "hex":
            self.i += 1
            digits = t.text[2:]
            return ("binary literal", bytes.fromhex("0" * (len(digits) % 2) + digits))
        if self.take("("):
            if self.peek("select", "with"):
                q = self.query()
                self.need(")")
                return ("subquery", q)
            e = self.expression()
            self.need(")")
            return ("group", e)
        if self.take("null"):
            return ("null",)
        if self.take("exists"):
            self.need("(")
            q = self.query()
            self.need(")")
            return ("exists", q)
        if self.take("case"):
            return self.case()
        if self.take("cast"):
            self.need("(")
            e = self.expression()
            self.need("as")
            to = self.type()
            self.need(")")
            return ("cast", e, to)
        if t.kind == "word" and t.text.startswith("@@"):
            self.i += 1
            return ("variable", t.text.lower())
        if t.kind == "word" and t.text.lower() in ("left", "right") and self.peek("(", ahead=1):
            self.i += 1
            name = t.text
        else:
            name = self.name()
        if self.take("("):
            return self.call(name.lower())
        parts = [name]
        while self.take("."):
            parts.append(self.name())
        return ("column", parts)

    def case(self):
        operand = None if self.peek("when") else self.expression()
        whens, otherwise = [], None
        while self.take("when"):
            w = self.expression()
            self.need("then")
            whens.append((("compare", "=", operand, w) if operand else w, self.expression()))
        if self.take("else"):
            otherwise = self.expression()
        self.need("end")
        return ("case", whens, otherwise)

    def call(self, name):
        c = {"name": name, "distinct": False, "star": False, "args": [], "over": None, "within": None}
        if self.take("*"):
            c["star"] = True
            self.need(")")
        else:
            c["distinct"] = bool(self.take("distinct"))
            c["args"] = self.list()
        if self.take("within"):
            self.need("group")
            self.need("(")
            self.need("order")
            self.need("by")
            c["within"] = self.orders()
            self.need(")")
        if self.take("over"):
            self.need("(")
            over = {"partition": [], "order": [], "frame": ""}
            if self.take("partition"):
                self.need("by")
                over["partition"] = [self.expression()]
                while self.take(","):
                    over["partition"].append(self.expression())
            if self.take("order"):
                self.need("by")
                over["order"] = self.orders()
            if self.peek("rows", "range"):
                words = []
                while not self.peek(")"):
                    words.append(self.t[self.i].text)
                    self.i += 1
                over["frame"] = " ".join(words)
            self.need(")")
            c["over"] = over
        return ("call", c)


# ---- types ---------------------------------------------------------------------------------------------------------------

INTEGERS = {"bit": 1, "tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
TEXTS = {"char", "varchar", "nchar", "nvarchar", "text", "ntext", "xml", "sysname"}
MOMENTS = {"date", "time", "datetime", "datetime2", "datetimeoffset", "smalldatetime"}
BYTES = {"binary", "varbinary", "image", "hierarchyid", "geometry", "geography", "rowversion", "timestamp"}
OTHERS = {"uniqueidentifier", "money", "smallmoney", "real", "float", "decimal", "numeric", "sql_variant"}


def make_type(name, args=()):
    args = list(args)
    if name in ("decimal", "numeric"):
        return (name, args[0] if args else 18, args[1] if len(args) > 1 else 0)
    if name in ("datetime2", "time", "datetimeoffset"):
        return (name, args[0] if args else 7)
    if name in ("char", "varchar", "nchar", "nvarchar", "binary", "varbinary"):
        return (name, args[0] if args else 1)
    if name == "float":
        return ("real",) if args and args[0] <= 24 else ("float",)
    if name in INTEGERS or name in TEXTS or name in MOMENTS or name in BYTES or name in OTHERS:
        return (name,)
    raise SqlError(2715, "Cannot find data type %s." % name)


def is_decimal(t):
    return t[0] in ("decimal", "numeric", "money", "smallmoney")


def digits_of(t):
    """Precision and scale of a number that is exact."""
    if t[0] in INTEGERS:
        return INTEGERS[t[0]], 0
    if t[0] == "money":
        return 19, 4
    if t[0] == "smallmoney":
        return 10, 4
    return t[1], t[2]


def is_number(t):
    return t[0] in INTEGERS or is_decimal(t) or t[0] in ("real", "float")


def kept_as_text(t):
    """Decimals that a double does not hold."""
    return is_decimal(t) and digits_of(t)[0] > 15


RANK = ["sql_variant", "datetimeoffset", "datetime2", "datetime", "smalldatetime", "date", "time", "float", "real", "decimal", "numeric", "money",
        "smallmoney", "bigint", "int", "smallint", "tinyint", "bit", "uniqueidentifier", "ntext", "text", "nvarchar", "nchar", "varchar",
        "char", "varbinary", "binary", "null"]


def wider(a, b):
    """The type of either value."""
    if a[0] == "null":
        return b
    if b[0] == "null" or a == b:
        return a
    if is_decimal(a) and is_decimal(b) or (is_decimal(a) and b[0] in INTEGERS) or (is_decimal(b) and a[0] in INTEGERS):
        (p, s), (q, u) = digits_of(a), digits_of(b)
        scale = max(s, u)
        return ("decimal", min(38, max(p - s, q - u) + scale), scale)
    ra = RANK.index(a[0]) if a[0] in RANK else 0
    rb = RANK.index(b[0]) if b[0] in RANK else 0
    won = a if ra <= rb else b
    if a[0] in TEXTS and b[0] in TEXTS and len(a) > 1 and len(b) > 1:
        return (won[0], -1 if -1 in (a[1], b[1]) else max(a[1], b[1]))
    if a[0] == b[0] and len(a) > 1:
        return (a[0], max(a[1], b[1]))
    return won


def cut(precision, scale):
    """A result of more than 38 digits: the whole part is kept, of the scale at least six."""
    if precision > 38:
        whole = precision - scale
        scale = min(scale, 38 - whole) if whole < 32 else min(scale, 6)
        precision = 38
    return ("decimal", precision, scale)


def arithmetic(op, a, b):
    if "float" in (a[0], b[0]) or "real" in (a[0], b[0]):
        return ("float",)
    if a[0] in INTEGERS and b[0] in INTEGERS:
        won = a if INTEGERS[a[0]] >= INTEGERS[b[0]] else b
        return won if won[0] != "bit" else ("int",)
    (p, s), (q, u) = digits_of(a), digits_of(b)
    if op in "+-":
        scale = max(s, u)
        return ("decimal", min(38, max(p - s, q - u) + scale + 1), min(scale, 38))
    if op == "*":
        return cut(p + q + 1, s + u)
    if op == "/":
        scale = max(6, s + q + 1)
        return cut(p - s + u + scale, scale)
    return ("decimal", min(38, max(p - s, q - u) + max(s, u)), max(s, u))


class E:
    """An expression in SQLite's words. predicate: true or false, no value. source: (schema, table, column) of a plain column."""

    def __init__(self, sql, type, source=None, predicate=False, digits=None):
        self.sql, self.type, self.source, self.predicate, self.digits = sql, type, source, predicate, digits

    def number(self):
        return "CAST(%s AS REAL)" % self.sql if kept_as_text(self.type) and self.digits != "real" else self.sql


def quote(s):
    return "'" + s.replace("'", "''") + "'"


def name(s):
    return '"' + s.replace('"', '""') + '"'


# ---- values --------------------------------------------------------------------------------------------------------------

def parse_moment(text):
    """(date or None, 100 ns of the day, offset in minutes or None)."""
    m = re.fullmatch(r"\s*(?:(\d{4})-?(\d\d)-?(\d\d))?[T ]?\s*(?:(\d\d?):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?\s*(Z|[+-]\d\d:\d\d)?\s*", text)
    if not m or not (m[1] or m[4]):
        raise SqlError(241, "Conversion failed when converting date and/or time from character string.")
    try:
        day = datetime.date(int(m[1]), int(m[2]), int(m[3])) if m[1] else None
    except ValueError:
        raise SqlError(241, "Conversion failed when converting date and/or time from character string.")
    ticks = ((int(m[4] or 0) * 60 + int(m[5] or 0)) * 60 + int(m[6] or 0)) * 10**7 + int(((m[7] or "") + "0" * 7)[:7])
    offset = None
    if m[8]:
        offset = 0 if m[8] == "Z" else (1 if m[8][0] == "+" else -1) * (int(m[8][1:3]) * 60 + int(m[8][4:6]))
    return day, ticks, offset


def show_ticks(ticks):
    s, f = divmod(ticks, 10**7)
    return "%02d:%02d:%02d.%07d" % (s // 3600, s // 60 % 60, s % 60, f)


def store_moment(kind, scale, text):
    """As kept: seven decimals always, so that text order is time order."""
    day, ticks, offset = parse_moment(text)
    if kind == "date":
        return str(day or datetime.date(1900, 1, 1))
    if scale < 7:
        step = 10 ** (7 - scale)
        ticks = (ticks + step // 2) // step * step
    if ticks >= 86400 * 10**7 and kind != "time":
        day, ticks = (day or datetime.date(1900, 1, 1)) + datetime.timedelta(days=1), ticks - 86400 * 10**7
    if kind == "time":
        return show_ticks(ticks % (86400 * 10**7))
    out = "%s %s" % (day or datetime.date(1900, 1, 1), show_ticks(ticks))
    if kind == "datetimeoffset":
        offset = offset or 0
        out += " %s%02d:%02d" % ("-" if offset < 0 else "+", abs(offset) // 60, abs(offset) % 60)
    return out


def scale_of(t):
    return {"datetime": 3, "smalldatetime": 0}.get(t[0], t[1] if len(t) > 1 else 7)


def show_moment(t, text):
    """As CAST to text shows it."""
    if t[0] == "date":
        return text
    if t[0] == "datetimeoffset":
        head, offset = text.rsplit(" ", 1)
        return show_moment(("datetime2", t[1]), head) + " " + offset
    scale = scale_of(t)
    return text[:len(text) - 7 + scale] if scale else text[:-8]


def show_float(v):
    """As CAST to text shows it: six digits, three in the exponent."""
    text = "%.6g" % v
    return re.sub(r"e([+-])(\d\d)$", r"e\g<1>0\2", text)


def exact(v):
    return decimal.Decimal(repr(v)) if isinstance(v, float) else decimal.Decimal(v)


CONTEXT = decimal.Context(prec=60, rounding=decimal.ROUND_HALF_UP)


def fit(v, precision, scale):
    d = exact(v).quantize(decimal.Decimal(1).scaleb(-scale), context=CONTEXT)
    if len(d.as_tuple().digits) > max(precision, scale):
        raise SqlError(8115, "Arithmetic overflow error converting numeric to data type numeric.")
    return d


RANGES = {"bit": (0, 1), "tinyint": (0, 255), "smallint": (-2**15, 2**15 - 1), "int": (-2**31, 2**31 - 1), "bigint": (-2**63, 2**63 - 1)}


def whole(t, v):
    if t[0] == "bit":
        return 1 if v else 0
    low, high = RANGES[t[0]]
    if not low <= v <= high:
        raise SqlError(8115, "Arithmetic overflow error converting expression to data type %s." % t[0])
    return v


def to_text(t, v):
    if is_decimal(t):
        return str(fit(v, 60, 2 if "money" in t[0] else digits_of(t)[1]))
    if t[0] in ("float", "real"):
        return show_float(float(v))
    if t[0] in MOMENTS:
        return show_moment(t, v)
    if isinstance(v, bytes):
        return v.decode("latin-1")
    return str(v)


def convert(to, frm, v):
    """CAST in Python: v as kept in SQLite for type `frm` -> as kept for `to`."""
    if v is None or to == frm:
        return v
    k = to[0]
    try:
        if k in INTEGERS:
            if k == "bit" and frm[0] in TEXTS and v.strip().lower() in ("true", "false"):
                return int(v.strip().lower() == "true")
            if frm[0] in TEXTS:
                if not re.fullmatch(r"\s*[+-]?\d+\s*", v or "0"):
                    raise ValueError(v)
                return whole(to, int(v or "0"))
            return whole(to, int(exact(v)) if not isinstance(v, int) else v)
        if is_decimal(to):
            p, s = digits_of(to)
            d = fit(v.strip() if isinstance(v, str) else v, p, s)
            return str(d) if kept_as_text(to) else float(d)
        if k == "float":
            return float(v)
        if k == "real":
            import struct
            return struct.unpack("<f", struct.pack("<f", float(v)))[0]
        if k in MOMENTS:
            if frm[0] in MOMENTS and frm[0] == "time" and k == "date":
                raise ValueError(v)
            return store_moment(k, scale_of(to), str(v))
        if k == "uniqueidentifier":
            import uuid
            return str(uuid.UUID(v.strip("{}"))).upper()
        if k in BYTES:
            return v if isinstance(v, bytes) else str(v).encode("utf-16-le" if frm[0].startswith("n") else "latin-1")
        text = to_text(frm, v)
        if len(to) > 1 and to[1] > 0:
            text = text[:to[1]]
            if k in ("char", "nchar"):
                text = text.ljust(to[1])
        return text
    except (ValueError, decimal.InvalidOperation):
        raise SqlError(245, "Conversion failed when converting the %s value '%s' to data type %s." % (frm[0], v, k))


# ---- functions registered with SQLite ------------------------------------------------------------------------------------

def nulls(f):
    def g(*args):
        return None if any(a is None for a in args) else f(*args)
    return g


def split_date(text):
    if KEPT.match(text):  # as store_moment left it
        return datetime.date(int(text[:4]), int(text[5:7]), int(text[8:10])), (
            ((int(text[11:13]) * 60 + int(text[14:16])) * 60 + int(text[17:19])) * 10**7 + int(text[20:27]) if len(text) > 10 else 0)
    day, ticks, _ = parse_moment(text)
    return day or datetime.date(1900, 1, 1), ticks


KEPT = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d\.\d{7})?$")
PLACES = {"year": slice(0, 4), "month": slice(5, 7), "day": slice(8, 10), "yyyy": slice(0, 4), "MM": slice(5, 7), "dd": slice(8, 10),
          "HH": slice(11, 13), "mm": slice(14, 16), "ss": slice(17, 19)}


def datepart(unit, text):
    if unit in PLACES and text[4:5] == "-":
        return int(text[PLACES[unit]])
    day, ticks = split_date(text)
    second = ticks // 10**7
    return {"year": day.year, "quarter": (day.month + 2) // 3, "month": day.month, "iso_week": day.isocalendar()[1], "day": day.day,
            "dayofyear": day.timetuple().tm_yday, "hour": second // 3600, "minute": second // 60 % 60, "second": second % 60}[unit]


def datediff(unit, a, b):
    def count(text):
        day, ticks = split_date(text)
        days, second = day.toordinal(), ticks // 10**7
        return {"year": day.year, "quarter": day.year * 4 + (day.month - 1) // 3, "month": day.year * 12 + day.month, "day": days,
                "week": (days + 0) // 7, "hour": days * 24 + second // 3600, "minute": days * 1440 + second // 60,
                "second": days * 86400 + second}[unit]
    return count(b) - count(a)


def dateadd(unit, n, text, kind):
    day, ticks, offset = parse_moment(text)
    day = day or datetime.date(1900, 1, 1)
    n = int(n)
    try:
        if unit in ("year", "quarter", "month"):
            months = day.year * 12 + day.month - 1 + n * {"year": 12, "quarter": 3, "month": 1}[unit]
            year, month = divmod(months, 12)
            last = [31, 29 if year % 4 == 0 and (year % 100 or year % 400 == 0) else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month]
            day = datetime.date(year, month + 1, min(day.day, last))
        else:
            ticks += n * {"week": 7 * 86400, "day": 86400, "hour": 3600, "minute": 60, "second": 1}[unit] * 10**7
            days, ticks = divmod(ticks, 86400 * 10**7)
            day += datetime.timedelta(days=days)
    except (ValueError, OverflowError):
        raise SqlError(517, "Adding a value to a '%s' column caused an overflow." % kind)
    if kind == "date":
        return str(day)
    if kind == "time":
        return show_ticks(ticks)
    out = "%s %s" % (day, show_ticks(ticks))
    return out if offset is None else out + text[-7:]


def format_value(v, pattern, culture=None):
    if isinstance(v, str):
        return (v + " 00:00:00" if len(v) == 10 else v)[PLACES[pattern]]
    return str(v).rjust(len(pattern), "0")


def like(text, pattern, escape):
    out, i = "", 0
    while i < len(pattern):
        ch = pattern[i]
        if escape and ch == escape and i + 1 < len(pattern):
            i += 1
            out += re.escape(pattern[i])
        elif ch == "%":
            out += ".*"
        elif ch == "_":
            out += "."
        elif ch == "[" and pattern.find("]", i + 2) > 0:
            end = pattern.find("]", i + 2)
            out += "[" + pattern[i + 1:end].replace("\\", "\\\\").replace("[", "\\[") + "]"
            i = end
        else:
            out += re.escape(ch)
        i += 1
    return re.fullmatch(out, text, re.S) is not None


def divide(a, b, integers):
    if b == 0:
        raise SqlError(8134, "Divide by zero error encountered.")
    if not integers:
        return a / b
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def modulo(a, b, integers):
    if b == 0:
        raise SqlError(8134, "Divide by zero error encountered.")
    if not integers:
        a, b = exact(a), exact(b)
        return float(a - b * int(a / b))
    return int(math.fmod(a, b)) if abs(a) < 2**53 and abs(b) < 2**53 else abs(a) % abs(b) * (-1 if a < 0 else 1)


def round_to(v, n, truncate=0):
    d, n = exact(v), int(n)
    with decimal.localcontext(CONTEXT) as context:
        context.rounding = decimal.ROUND_DOWN if truncate else decimal.ROUND_HALF_UP
        r = d.quantize(decimal.Decimal(1).scaleb(-n))
    return int(r) if isinstance(v, int) else float(r)


def domain(f):
    def g(*args):
        try:
            return f(*args)
        except (ValueError, ZeroDivisionError, OverflowError):
            raise SqlError(3623, "An invalid floating point operation occurred.")
    return nulls(g)


FUNCTIONS = {
    "t_datepart": (2, nulls(datepart)), "t_datediff": (3, nulls(datediff)), "t_dateadd": (4, nulls(dateadd)), "t_format": (-1, nulls(format_value)),
    "t_datefromparts": (3, nulls(lambda y, m, d: str(datetime.date(int(y), int(m), int(d))))),
    "t_like": (3, lambda t, p, e: None if t is None or p is None else like(t, p, e)),
    "t_divide": (3, nulls(divide)), "t_modulo": (3, nulls(modulo)), "t_round": (-1, nulls(round_to)),
    "t_len": (1, nulls(lambda s: len(str(s).rstrip(" ")))), "t_charindex": (2, nulls(lambda a, b: b.find(a) + 1)),
    "t_substring": (3, nulls(lambda s, a, n: s[max(0, a - 1):max(0, a - 1 + n)])),
    "t_left": (2, nulls(lambda s, n: s[:max(0, n)])), "t_right": (2, nulls(lambda s, n: s[-n:] if n > 0 else "")),
    "t_lower": (1, nulls(lambda s: s.lower())), "t_upper": (1, nulls(lambda s: s.upper())), "t_trim": (1, nulls(lambda s: s.strip(" "))),
    "t_ltrim": (1, nulls(lambda s: s.lstrip(" "))), "t_rtrim": (1, nulls(lambda s: s.rstrip(" "))),
    "t_replace": (3, nulls(lambda s, a, b: s.replace(a, b) if a else s)),
    "t_concat_ws": (-1, lambda sep, *a: (sep or "").join(x for x in a if x is not None)),
    "t_concat": (-1, lambda *a: "".join("" if x is None else x for x in a)),
    "t_ceiling": (1, nulls(lambda v: v if isinstance(v, int) else float(math.ceil(exact(v))))),
    "t_floor": (1, nulls(lambda v: v if isinstance(v, int) else float(math.floor(exact(v))))),
    "t_sign": (1, nulls(lambda v: (v > 0) - (v < 0))), "t_power": (2, domain(lambda a, b: a ** b)), "t_sqrt": (1, domain(math.sqrt)),
    "t_exp": (1, domain(math.exp)), "t_log": (-1, domain(math.log)), "t_log10": (1, domain(math.log10)), "t_sin": (1, domain(math.sin)),
    "t_cos": (1, domain(math.cos)), "t_tan": (1, domain(math.tan)), "t_asin": (1, domain(math.asin)), "t_acos": (1, domain(math.acos)),
    "t_atan": (1, domain(math.atan)), "t_atn2": (2, domain(math.atan2)), "t_degrees": (1, nulls(math.degrees)),
    "t_radians": (1, nulls(math.radians)),
}


class Spread:
    """STDEV and its like."""

    def __init__(self):
        self.v = []

    def step(self, x):
        if x is not None:
            self.v.append(float(x))

    def result(self, population, root):
        n = len(self.v)
        if n < (1 if population else 2):
            return None
        mean = math.fsum(self.v) / n
        s = math.fsum((x - mean) ** 2 for x in self.v) / (n if population else n - 1)
        return math.sqrt(s) if root else s


def spread(population, root):
    return type("Spread", (Spread,), {"finalize": lambda self: self.result(population, root)})


class Joined:
    """STRING_AGG: text, separator, then keys with their directions."""

    def __init__(self):
        self.v, self.separator = [], ","

    def step(self, text, separator, *keys):
        if text is not None:
            self.separator = separator
            self.v.append((text, keys))

    def finalize(self):
        for i in range(len(self.v[0][1]) - 2 if self.v else -1, -1, -2):
            self.v.sort(key=lambda r: (r[1][i] is not None, r[1][i] if r[1][i] is not None else 0), reverse=bool(self.v[0][1][i + 1]))
        return self.separator.join(t for t, _ in self.v) if self.v else None


AGGREGATES = {"t_stdev": (1, spread(False, True)), "t_stdevp": (1, spread(True, True)), "t_var": (1, spread(False, False)),
              "t_varp": (1, spread(True, False)), "t_string_agg": (-1, Joined)}


def register(connection, session):
    """All functions, on a connection of sqlite3. An error inside is kept in session.error: SQLite only says that there was one."""
    def kept(f):
        def g(*args):
            try:
                return f(*args)
            except SqlError as e:
                session.error = session.error or e
                raise
        return g
    types = {}

    def cast(to, frm, v):
        return convert(types.setdefault(to, eval_type(to)), types.setdefault(frm, eval_type(frm)), v)

    for n, (count, f) in FUNCTIONS.items():
        connection.create_function(n, count, kept(f), deterministic=True)
    connection.create_function("t_cast", 3, kept(cast), deterministic=True)
    connection.create_function("t_whole", 2, kept(lambda t, v: None if v is None else whole((t,), int(v))), deterministic=True)
    for n, (count, f) in AGGREGATES.items():
        connection.create_aggregate(n, count, f)


def type_text(t):
    return ":".join(map(str, t))


def eval_type(text):
    first, *rest = text.split(":")
    return (first, *map(int, rest))


# ---- trees -> SQLite -----------------------------------------------------------------------------------------------------

class Column:
    def __init__(self, name, type, source=None, nullable=True, real=False):
        self.name, self.type, self.source, self.nullable, self.real = name, type, source, nullable, real


class Output:
    def __init__(self, sql, columns):
        self.sql, self.columns = sql, columns


UNITS = {"year": "year", "yy": "year", "quarter": "quarter", "month": "month", "week": "week", "day": "day", "dayofyear": "dayofyear",
         "hour": "hour", "minute": "minute", "second": "second", "iso_week": "iso_week"}
SAME_TYPE = {"abs", "max", "min", "lag", "lead", "first_value", "last_value", "t_floor"}
FLOATS = {"sqrt", "exp", "log", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "atn2", "degrees", "radians"}
SPREADS = {"stdev", "stdevp", "var", "varp"}
COUNTERS = {"row_number", "rank", "dense_rank", "ntile"}
TEXT_FUNCTIONS = {"lower", "upper", "ltrim", "rtrim", "trim", "replace", "left", "right", "substring"}


class Translator:
    """One statement. catalog: has table(parts) -> (SQLite's name, [Column]) or None, function(parts, args) -> (rows, [Column]),
    variable(name), property(name, args) for what depends on the session."""

    def __init__(self, catalog):
        self.catalog, self.scopes, self.ctes, self.tables = catalog, [], [{}], []

    # -- queries
    def query(self, q, wanted=None):
        self.ctes.append(dict(self.ctes[-1]))
        head = []
        for cte_name, columns, inner in q["ctes"]:
            body = inner["body"]
            recursive = body[0] == "set" and mentions(body[3], cte_name)
            if recursive:
                first = self.term(body[2])
                self.ctes[-1][cte_name.lower()] = renamed(first.columns, columns)
            out = self.query(inner)
            self.ctes[-1][cte_name.lower()] = renamed(out.columns, columns)
            names = [c.name for c in self.ctes[-1][cte_name.lower()]]
            head.append("%s(%s) AS (%s)" % (name(cte_name), ", ".join(map(name, names)), out.sql))
        out = self.ordered(q)
        self.ctes.pop()
        if head:
            out.sql = "WITH RECURSIVE %s %s" % (", ".join(head), out.sql)
        return out

    def ordered(self, q):
        body, top = q["body"], None
        if body[0] == "select" and body[1]["top"] is not None:
            top = body[1]["top"]
        out, scope = self.body(body, order=q["order"])
        sql = out.sql
        if q["order"]:
            names = {c.name.lower() for c in out.columns if c.name}
            keys = []
            self.scopes.append(scope)
            for e, desc in q["order"]:
                if e[0] == "subquery":  # ORDER BY (SELECT NULL)
                    continue
                if e[0] == "column" and len(e[1]) == 1 and e[1][0].lower() in names:
                    column = next(c for c in out.columns if c.name.lower() == e[1][0].lower())
                    key = name(column.name)
                    keys.append(("CAST(%s AS REAL)" % key if kept_as_text(column.type) and not column.real else key) + (" DESC" if desc else ""))
                else:
                    keys.append(self.value(e).number() + (" DESC" if desc else ""))
            self.scopes.pop()
            if keys:
                sql += " ORDER BY " + ", ".join(keys)
        if top is not None:
            sql += " LIMIT " + self.value(top).sql
        elif q["limit"] is not None or q["offset"] is not None:
            sql += " LIMIT %s OFFSET %s" % (self.value(q["limit"]).sql if q["limit"] else "-1", self.value(q["offset"]).sql)
        return Output(sql, out.columns)

    def body(self, b, order=()):
        if b[0] == "select":
            return self.select(b[1])
        if b[0] == "set":
            left, right = self.term(b[2]), self.term(b[3])
            if len(left.columns) != len(right.columns):
                raise SqlError(205, "All queries combined using a UNION, INTERSECT or EXCEPT operator must have an equal number of expressions.")
            ops = {x for x in set_ops(b)}
            if "intersect" in ops and len(ops) > 1:
                raise Untranslated("INTERSECT beside another set operator")
            columns = [Column(l.name, wider(l.type, r.type), None, True, l.real or r.real) for l, r in zip(left.columns, right.columns)]
            return Output("%s %s %s" % (self.fitted(left, columns), b[1].upper(), self.fitted(right, columns)), columns), {}
        if b[0] == "values":
            rows = [[self.value(e) for e in row] for row in b[1]]
            columns = [Column("column%d" % (i + 1), wider_all([r[i].type for r in rows])) for i in range(len(rows[0]))]
            return Output("VALUES " + ", ".join("(%s)" % ", ".join(e.sql for e in r) for r in rows), columns), {}
        out = self.query(b[1])
        return Output("SELECT * FROM (%s)" % out.sql, out.columns), {}

    def fitted(self, out, columns):
        """Operands of a set in the columns' common types."""
        if all(a.type[0] == b.type[0] or b.type[0] not in MOMENTS | TEXTS for a, b in zip(out.columns, columns)):
            return out.sql
        names = ["c%d" % i for i in range(len(columns))]
        items = [self.cast(E(n, a.type), b.type).sql for n, a, b in zip(names, out.columns, columns)]
        return "SELECT %s FROM (WITH x(%s) AS (%s) SELECT * FROM x)" % (", ".join("%s AS %s" % (i, name(c.name or n)) for i, c, n in zip(items, columns, names)),
                                                                         ", ".join(names), out.sql)

    def term(self, b):
        out, _ = self.body(b)
        if b[0] == "select" and b[1]["top"] is not None:
            return Output("SELECT * FROM (%s LIMIT %s)" % (out.sql, self.value(b[1]["top"]).sql), out.columns)
        return out

    def select(self, s):
        if s.get("into"):
            raise SqlError(262, "CREATE TABLE permission denied in database.")
        scope, sql = {}, ""
        self.scopes.append(scope)
        if s["from"]:
            sql += " FROM " + self.source(s["from"], scope)
        items, columns = [], []
        for e, alias in s["items"]:
            if e[0] == "star":
                for a, cs in scope.items():
                    if e[1] is None or e[1].lower() == a:
                        for c in cs:
                            items.append("%s.%s" % (name(a), name(c.name)))
                            columns.append(c)
                continue
            v = self.value(e)
            label = alias or (e[1][-1] if e[0] == "column" else "")
            items.append(v.sql + (" AS " + name(label) if label else ""))
            columns.append(Column(label, ("int",) if v.type[0] == "null" else v.type, v.source, not (v.source and not v.nullable) if hasattr(v, "nullable") else True,
                                  v.digits == "real"))
        if s["where"]:
            sql += " WHERE " + self.predicate(s["where"]).sql
        if s["group"]:
            sql += " GROUP BY " + ", ".join(self.value(e).sql for e in s["group"])
        if s["having"]:
            sql += " HAVING " + self.predicate(s["having"]).sql
        self.scopes.pop()
        return Output("SELECT %s%s%s" % ("DISTINCT " if s["distinct"] else "", ", ".join(items), sql), columns), scope

    def source(self, f, scope):
        if f[0] == "join":
            left = self.source(f[2], scope)
            right = self.source(f[3], scope)
            return "%s %s %s%s" % (left, f[1], right, " ON " + self.predicate(f[4]).sql if f[4] else "")
        if f[0] == "derived":
            inner = self.scopes[:]
            self.scopes.pop()  # a derived table does not see its neighbours
            out = self.query(f[1])
            self.scopes[:] = inner
            columns = renamed(out.columns, f[3])
            if any(not c.name for c in columns):
                raise SqlError(8155, "No column name was specified for column %d of '%s'." % (1 + [bool(c.name) for c in columns].index(False), f[2]))
            scope[f[2].lower()] = columns
            names = ", ".join(name(c.name) for c in columns)
            return "(WITH %s(%s) AS (%s) SELECT * FROM %s) AS %s" % (name(f[2]), names, out.sql, name(f[2]), name(f[2].lower()))
        parts, alias, args = f[1], f[2], f[3]
        if args is not None:
            rows, columns = self.catalog.function(parts, [self.constant(a) for a in args])
            scope[alias.lower()] = columns
            values = ", ".join("(%s)" % ", ".join("NULL" if v is None else quote(v) if isinstance(v, str) else str(v) for v in r) for r in rows)
            body = "VALUES " + values if rows else "SELECT %s WHERE 0" % ", ".join(["NULL"] * len(columns))
            return "(WITH x(%s) AS (%s) SELECT * FROM x) AS %s" % (", ".join(name(c.name) for c in columns), body, name(alias.lower()))
        if len(parts) == 1 and parts[0].lower() in self.ctes[-1]:
            scope[alias.lower()] = self.ctes[-1][parts[0].lower()]
            return "%s AS %s" % (name(parts[0]), name(alias.lower()))
        found = self.catalog.table(parts)
        if not found:
            raise SqlError(208, "Invalid object name '%s'." % ".".join(parts))
        scope[alias.lower()] = found[1]
        self.tables.append(parts)
        return "%s AS %s" % (found[0], name(alias.lower()))

    def constant(self, e):
        e = e[1] if e[0] == "group" else e
        if e[0] in ("string",):
            return e[1]
        if e[0] == "number":
            return int(e[1])
        if e[0] == "null":
            return None
        if e[0] == "cast":
            return self.constant(e[1])
        if e[0] == "call" and e[1]["name"] == "concat":
            return "".join(self.constant(a) for a in e[1]["args"])
        raise Untranslated("an argument that is no constant")

    # -- expressions
    def predicate(self, e):
        v = self.expression(e)
        if not v.predicate:
            raise SqlError(4145, "An expression of non-boolean type specified in a context where a condition is expected.", 15)
        return v

    def value(self, e):
        v = self.expression(e)
        if v.predicate:
            raise SqlError(102, "Incorrect syntax: a condition where a value is expected.", 15)
        return v

    def expression(self, e):
        return getattr(self, "x_" + e[0].replace(" ", "_"))(*e[1:])

    def x_number(self, text):
        if "e" in text.lower():
            return E(text, ("float",))
        if "." in text:
            whole_part, fraction = text.split(".")
            return E(text, ("decimal", max(1, len(whole_part.lstrip("0")) + len(fraction)), len(fraction)), digits="real")
        n = int(text)
        if n < 2**31:
            return E(text, ("int",))
        return E(text if n < 2**63 else text + ".0", ("decimal", len(text.lstrip("0")), 0), digits="real" if n >= 2**63 else "whole")

    def x_string(self, text, national):
        return E(quote(text), ("nvarchar" if national else "varchar", max(1, len(text)) if len(text) <= 4000 else -1))

    def x_binary_literal(self, data):
        return E("x'%s'" % data.hex(), ("varbinary", max(1, len(data))))

    def x_null(self):
        return E("NULL", ("null",))

    def x_variable(self, variable):
        return E(str(self.catalog.variable(variable)), ("int",))

    def x_group(self, inner):
        v = self.expression(inner)
        return E("(%s)" % v.sql, v.type, v.source, v.predicate, v.digits)

    def x_collate(self, inner, collation):
        if not re.fullmatch(r"Latin1_General(_100)?_BIN2?", collation):
            raise Untranslated("collation " + collation)
        return self.value(inner)

    def x_column(self, parts):
        if len(parts) > 2:
            parts = parts[-2:]
        for scope in reversed(self.scopes):
            found = [(a, c) for a, cs in scope.items() if len(parts) == 1 or a == parts[0].lower() for c in cs if c.name.lower() == parts[-1].lower()]
            if len(found) > 1:
                raise SqlError(209, "Ambiguous column name '%s'." % parts[-1])
            if found:
                alias, c = found[0]
                v = E("%s.%s" % (name(alias), name(c.name)), c.type, c.source, digits="real" if c.real else None)
                v.nullable = c.nullable
                return v
        if len(parts) == 2 and not any(parts[0].lower() in s for s in self.scopes):
            raise SqlError(4104, "The multi-part identifier \"%s\" could not be bound." % ".".join(parts))
        raise SqlError(207, "Invalid column name '%s'." % parts[-1])

    def x_minus(self, inner):
        v = self.value(inner)
        if not is_number(v.type):
            raise SqlError(8117, "Operand data type %s is invalid for minus operator." % v.type[0])
        return E("(-%s)" % v.number(), v.type, digits="real" if kept_as_text(v.type) else v.digits)

    def x_not(self, inner):
        return E("NOT (%s)" % self.predicate(inner).sql, ("bit",), predicate=True)

    def x_logic(self, op, a, b):
        return E("(%s %s %s)" % (self.predicate(a).sql, op, self.predicate(b).sql), ("bit",), predicate=True)

    def same(self, a, b):
        """Both sides of a comparison in one type."""
        t = wider(a.type, b.type)
        if t[0] in MOMENTS or t[0] in ("uniqueidentifier",):
            return self.cast(a, t).sql, self.cast(b, t).sql
        if is_number(t):
            def one(v):
                return self.cast(v, t if t[0] in INTEGERS or t[0] == "float" else ("float",)).sql if v.type[0] in TEXTS else v.number()
            return one(a), one(b)
        if "char" in (a.type[0], b.type[0]) or "nchar" in (a.type[0], b.type[0]):  # blanks at the end do not count
            return "rtrim(%s)" % a.sql, "rtrim(%s)" % b.sql
        return a.sql, b.sql

    def x_compare(self, op, a, b):
        left, right = self.same(self.value(a), self.value(b))
        return E("(%s %s %s)" % (left, op, right), ("bit",), predicate=True)

    def x_is_null(self, a, negated):
        return E("(%s IS %sNULL)" % (self.value(a).sql, "NOT " if negated else ""), ("bit",), predicate=True)

    def x_between(self, a, low, high, negated):
        v = self.value(a)
        x, l = self.same(v, self.value(low))
        y, h = self.same(v, self.value(high))
        return E("%s(%s >= %s AND %s <= %s)" % ("NOT " if negated else "", x, l, y, h), ("bit",), predicate=True)

    def x_in(self, a, items, negated):
        v, tests = self.value(a), []
        for i in items:
            tests.append("%s = %s" % self.same(v, self.value(i)))
        return E("%s(%s)" % ("NOT " if negated else "", " OR ".join(tests)), ("bit",), predicate=True)

    def x_in_query(self, a, q, negated):
        v, out = self.value(a), self.query(q)
        return E("(%s %sIN (%s))" % (v.number(), "NOT " if negated else "", self.fitted(out, [Column("x", v.type)]) if v.type[0] in MOMENTS else out.sql),
                 ("bit",), predicate=True)

    def x_exists(self, q):
        return E("EXISTS (%s)" % self.query(q).sql, ("bit",), predicate=True)

    def x_like(self, a, pattern, escape, negated):
        v = self.value(a)
        return E("%st_like(%s, %s, %s)" % ("NOT " if negated else "", self.text(v), self.value(pattern).sql, self.value(escape).sql if escape else "NULL"),
                 ("bit",), predicate=True)

    def x_subquery(self, q):
        out = self.query(q)
        if len(out.columns) != 1:
            raise SqlError(116, "Only one expression can be specified in the select list when the subquery is not introduced with EXISTS.")
        c = out.columns[0]
        return E("(%s)" % out.sql, c.type, digits="real" if c.real else None)

    def x_case(self, whens, otherwise):
        values = [self.value(t) for _, t in whens] + ([self.value(otherwise)] if otherwise else [])
        t = wider_all([v.type for v in values])
        shown = [self.common(v, t) for v in values]
        sql = "CASE" + "".join(" WHEN %s THEN %s" % (self.predicate(w).sql, v) for (w, _), v in zip(whens, shown))
        return E(sql + (" ELSE " + shown[-1] if otherwise else "") + " END", t, digits="real" if kept_as_text(t) else None)

    def common(self, v, t):
        if v.type[0] == "null":
            return v.sql
        if kept_as_text(t):
            return v.number()
        return v.sql if v.type[0] == t[0] and v.type[0] not in MOMENTS else self.cast(v, t).sql

    def cast(self, v, t):
        if v.type == t or v.type[0] == "null":
            return E(v.sql, t, digits=v.digits)
        if is_number(v.type) and (t[0] == "float" or is_decimal(t)) and not (is_decimal(t) and digits_of(t)[1] < (digits_of(v.type)[1] if v.type[0] not in ("real", "float") else 99)):
            return E("CAST(%s AS REAL)" % v.sql, t, digits="real")
        if v.type[0] in INTEGERS and t[0] in INTEGERS and INTEGERS[v.type[0]] <= INTEGERS[t[0]]:
            return E(v.sql, t)
        if v.type[0] in ("date", "datetime2") and t[0] in ("date", "datetime2") and scale_of(t) == 7:
            return E("substr(%s, 1, 10)" % v.sql if t[0] == "date" else "(%s || ' 00:00:00.0000000')" % v.sql if v.type[0] == "date" else v.sql, t)
        if kept_as_text(t):
            return E("CAST(t_cast('%s', '%s', %s) AS REAL)" % (type_text(t), type_text(v.type), v.sql), t, digits="real")
        return E("t_cast('%s', '%s', %s)" % (type_text(t), type_text(v.type), v.sql), t)

    def x_cast(self, inner, t):
        v = self.value(inner)
        return self.cast(v, t) if v.type[0] != "null" else E("NULL", t)

    def text(self, v):
        return v.sql if v.type[0] in TEXTS or v.type[0] in ("uniqueidentifier", "null") else self.cast(v, ("nvarchar", 4000)).sql

    def x_binary(self, op, a, b):
        l, r = self.value(a), self.value(b)
        if op == "+" and l.type[0] in TEXTS and r.type[0] in TEXTS:
            sizes = [t[1] if len(t) > 1 else -1 for t in (l.type, r.type)]
            kind = "nvarchar" if "n" in (l.type[0][0], r.type[0][0]) else "varchar"
            return E("(%s || %s)" % (l.sql, r.sql), (kind, -1 if -1 in sizes else min(sum(sizes), 4000 if kind == "nvarchar" else 8000)))
        l, r = [self.cast(x, y.type if is_number(y.type) else ("int",)) if x.type[0] in TEXTS else x for x, y in ((l, r), (r, l))]
        if l.type[0] == "null" or r.type[0] == "null":
            return E("NULL", r.type if l.type[0] == "null" else l.type)
        if not is_number(l.type) or not is_number(r.type):
            raise SqlError(402, "The data types %s and %s are incompatible in the operator." % (l.type[0], r.type[0]))
        t = arithmetic(op, l.type, r.type)
        integers = t[0] in INTEGERS
        x, y = l.number(), r.number()
        if op == "/":
            sql = "t_divide(%s, %s, %d)" % (x, y, integers)
        elif op == "%":
            sql = "t_modulo(%s, %s, %d)" % (x, y, integers)
        else:
            sql = "(%s %s %s)" % (x, op, y)
        if integers:
            sql = "t_whole('%s', %s)" % (t[0], sql)
        elif is_decimal(t) and op == "/":
            # What is beyond the scale is cut off.
            sql = "t_round(%s, %d, 1)" % (sql, t[2])
        return E(sql, t, digits=None if integers else "real")

    # -- functions
    def x_call(self, c):
        n = c["name"]
        special = getattr(self, "f_" + n, None)
        if special:
            return special(c)
        if n in FLOATS:
            args = [self.value(a).number() for a in c["args"]]
            return E("t_%s(%s)" % (n, ", ".join(args)), ("float",))
        if n in COUNTERS:
            return E("%s(%s)%s" % (n, ", ".join(self.value(a).sql for a in c["args"]), self.over(c)), ("bigint",))
        if n in ("percent_rank", "cume_dist"):
            return E("%s()%s" % (n, self.over(c)), ("float",))
        if n in SPREADS:
            if c["over"] or c["distinct"]:
                raise Untranslated(n + " over a window")
            return E("t_%s(%s)" % (n, self.value(c["args"][0]).number()), ("float",))
        if n in TEXT_FUNCTIONS:
            args = [self.value(a) for a in c["args"]]
            first = args[0].type if args[0].type[0] in TEXTS else ("nvarchar", 4000)
            size = first[1] if len(first) > 1 else -1
            kind = "nvarchar" if first[0].startswith("n") else "varchar"
            return E("t_%s(%s)" % (n, ", ".join([self.text(args[0])] + [a.sql for a in args[1:]])), (kind, -1 if n == "replace" and size == -1 else 4000 if n == "replace" else size))
        found = self.catalog.property(n, [self.constant(a) if a[0] in ("string", "number", "null") else self.value(a) for a in c["args"]])
        if found is not None:
            return found
        raise SqlError(195, "'%s' is not a recognized built-in function name." % n, 15)

    def over(self, c):
        o = c["over"]
        if o is None:
            return ""
        parts = []
        if o["partition"]:
            parts.append("PARTITION BY " + ", ".join(self.value(e).sql for e in o["partition"]))
        if o["order"]:
            parts.append("ORDER BY " + ", ".join(self.value(e).number() + (" DESC" if d else "") for e, d in o["order"] if e[0] != "subquery") or "")
        if o["frame"]:
            parts.append(o["frame"])
        return " OVER (%s)" % " ".join(p for p in parts if p != "ORDER BY ")

    def aggregate(self, c, t=None):
        v = self.value(c["args"][0])
        return v, "%s(%s%s)%s" % (c["name"], "DISTINCT " if c["distinct"] else "", v.number(), self.over(c))

    def f_count(self, c, big=False):
        inner = "*" if c["star"] else ("DISTINCT " if c["distinct"] else "") + self.value(c["args"][0]).sql
        return E("count(%s)%s" % (inner, self.over(c)), ("bigint",) if big else ("int",))

    def f_count_big(self, c):
        return self.f_count(c, True)

    def f_sum(self, c):
        v, sql = self.aggregate(c)
        if v.type[0] in INTEGERS:
            if v.type[0] == "bit":
                raise SqlError(8117, "Operand data type bit is invalid for sum operator.")
            t = ("bigint",) if v.type[0] == "bigint" else ("int",)
            return E("t_whole('%s', %s)" % (t[0], sql), t)
        if v.type[0] in ("float", "real"):
            return E(sql, ("float",))
        if not is_decimal(v.type):
            raise SqlError(8117, "Operand data type %s is invalid for sum operator." % v.type[0])
        scale = digits_of(v.type)[1]
        return E("t_round(%s, %d)" % (sql, scale), ("money",) if "money" in v.type[0] else ("decimal", 38, scale), digits="real")

    def f_avg(self, c):
        v, sql = self.aggregate(c)
        if v.type[0] in INTEGERS:
            if v.type[0] == "bit":
                raise SqlError(8117, "Operand data type bit is invalid for avg operator.")
            return E("t_round(%s, 0, 1)" % sql, ("bigint",) if v.type[0] == "bigint" else ("int",))
        if v.type[0] in ("float", "real"):
            return E(sql, ("float",))
        if not is_decimal(v.type):
            raise SqlError(8117, "Operand data type %s is invalid for avg operator." % v.type[0])
        scale = max(6, digits_of(v.type)[1])
        return E("t_round(%s, %d, 1)" % (sql, scale), ("decimal", 38, scale), digits="real")

    def f_min(self, c):
        v, sql = self.aggregate(c)
        if v.type[0] == "bit":
            raise SqlError(8117, "Operand data type bit is invalid for %s operator." % c["name"])
        return E(sql, v.type, digits="real" if kept_as_text(v.type) else v.digits)

    f_max = f_min

    def f_string_agg(self, c):
        if c["over"] or c["distinct"]:
            raise SqlError(102, "Incorrect syntax near 'string_agg'.", 15)
        v, separator = [self.value(a) for a in c["args"]]
        keys = "".join(", %s, %d" % (self.value(e).number(), d) for e, d in c["within"] or [])
        return E("t_string_agg(%s, %s%s)" % (self.text(v), separator.sql, keys), ("nvarchar", -1))

    def f_lag(self, c):
        args = [self.value(a) for a in c["args"]]
        return E("%s(%s)%s" % (c["name"], ", ".join(a.sql for a in args), self.over(c)), args[0].type, digits=args[0].digits)

    f_lead = f_first_value = f_last_value = f_lag

    def f_abs(self, c):
        v = self.value(c["args"][0])
        return E("abs(%s)" % v.number(), v.type, digits="real" if kept_as_text(v.type) else v.digits)

    def f_sign(self, c):
        v = self.value(c["args"][0])
        return E("t_sign(%s)" % v.number(), v.type, digits="real")

    def f_ceiling(self, c):
        v = self.value(c["args"][0])
        t = ("decimal", digits_of(v.type)[0], 0) if is_decimal(v.type) else v.type
        return E("t_%s(%s)" % (c["name"], v.number()), t, digits="real" if is_decimal(v.type) else None)

    f_floor = f_ceiling

    def f_round(self, c):
        v = self.value(c["args"][0])
        rest = "".join(", " + self.value(a).sql for a in c["args"][1:])
        return E("t_round(%s%s)" % (v.number(), rest), v.type, digits="real" if is_decimal(v.type) else None)

    def f_power(self, c):
        a, b = [self.value(x) for x in c["args"]]
        sql = "t_power(%s, %s)" % (a.number(), b.number())
        if a.type[0] in INTEGERS:
            return E("t_whole('%s', %s)" % (a.type[0], sql), a.type)
        if is_decimal(a.type):
            return E("t_round(%s, %d)" % (sql, digits_of(a.type)[1]), ("decimal", 38, digits_of(a.type)[1]), digits="real")
        return E(sql, ("float",))

    def f_pi(self, c):
        return E(repr(math.pi), ("float",))

    def f_len(self, c):
        return E("t_len(%s)" % self.text(self.value(c["args"][0])), ("int",))

    def f_charindex(self, c):
        return E("t_charindex(%s, %s)" % tuple(self.text(self.value(a)) for a in c["args"]), ("int",))

    def f_concat(self, c):
        if len(c["args"]) < 2:
            raise SqlError(189, "The concat function requires 2 to 254 arguments.")
        args = [self.value(a) for a in c["args"]]
        wide = any(a.type[0] in TEXTS and len(a.type) > 1 and a.type[1] == -1 for a in args)
        return E("t_concat(%s)" % ", ".join(self.text(a) for a in args), ("nvarchar", -1 if wide else 4000))

    def f_concat_ws(self, c):
        if len(c["args"]) < 3:
            raise SqlError(189, "The concat_ws function requires 3 to 254 arguments.")
        return E("t_concat_ws(%s)" % ", ".join(self.text(self.value(a)) for a in c["args"]), ("nvarchar", 4000))

    def f_coalesce(self, c):
        args = [self.value(a) for a in c["args"]]
        t = wider_all([a.type for a in args])
        return E("coalesce(%s)" % ", ".join(self.common(a, t) for a in args), t, digits="real" if kept_as_text(t) else None)

    f_isnull = f_coalesce

    def f_nullif(self, c):
        a, b = [self.value(x) for x in c["args"]]
        x, y = self.same(a, b)
        return E("CASE WHEN %s = %s THEN NULL ELSE %s END" % (x, y, a.sql), a.type, digits=a.digits)

    def unit(self, e):
        if e[0] != "column" or e[1][0].lower() not in UNITS:
            raise SqlError(155, "'%s' is not a recognized option." % (e[1],), 15)
        return UNITS[e[1][0].lower()]

    def moment(self, v):
        return v if v.type[0] in MOMENTS else self.cast(v, ("datetime2", 7))

    def f_datepart(self, c):
        return E("t_datepart('%s', %s)" % (self.unit(c["args"][0]), self.moment(self.value(c["args"][1])).sql), ("int",))

    def f_datediff(self, c, t=("int",)):
        a, b = [self.moment(self.value(x)).sql for x in c["args"][1:]]
        return E("t_datediff('%s', %s, %s)" % (self.unit(c["args"][0]), a, b), t)

    def f_datediff_big(self, c):
        return self.f_datediff(c, ("bigint",))

    def f_dateadd(self, c):
        n, v = self.value(c["args"][1]), self.moment(self.value(c["args"][2]))
        unit = self.unit(c["args"][0])
        if v.type[0] == "date" and unit in ("hour", "minute", "second"):
            raise SqlError(9810, "The datepart %s is not supported by date function dateadd for data type date." % unit)
        return E("t_dateadd('%s', %s, %s, '%s')" % (unit, n.number(), v.sql, v.type[0]), v.type)

    def f_datefromparts(self, c):
        return E("t_datefromparts(%s)" % ", ".join(self.value(a).sql for a in c["args"]), ("date",))

    def f_sysutcdatetime(self, c):
        return E(quote(datetime.datetime.utcnow().strftime("%Y-%m-%d %H:%M:%S.%f0")), ("datetime2", 7))

    def f_format(self, c):
        args = [self.value(a) for a in c["args"]]
        return E("t_format(%s)" % ", ".join(a.sql for a in args), ("nvarchar", 4000))


def wider_all(types):
    t = ("null",)
    for u in types:
        t = wider(t, u)
    return t


def renamed(columns, names):
    if names and len(names) != len(columns):
        raise SqlError(8158, "The number of names is not the number of columns.")
    return [Column(names[i] if names else c.name, c.type, c.source, c.nullable, c.real) for i, c in enumerate(columns)]


def set_ops(b):
    if b[0] == "set":
        yield b[1]
        yield from set_ops(b[2])
        yield from set_ops(b[3])


def mentions(tree, table):
    """Does a tree read from a table of this name?"""
    if isinstance(tree, tuple) and len(tree) == 4 and tree[0] == "table" and [p.lower() for p in tree[1]] == [table.lower()]:
        return True
    if isinstance(tree, dict):
        return any(mentions(v, table) for v in tree.values())
    if isinstance(tree, (tuple, list)):
        return any(mentions(v, table) for v in tree)
    return False
