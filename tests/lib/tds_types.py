"""Types and values of TDS 7.4 as bytes: what stands in COLMETADATA and in a row. Values come as tsql.py keeps them."""
import datetime, decimal, struct, uuid

from tsql import INTEGERS, digits_of, exact, fit, is_decimal, parse_moment, scale_of

COLLATION = struct.pack("<IB", 0x0409 | 0x0D00000, 0)  # Latin1_General_BIN
COLLATION_NAME = "Latin1_General_BIN"
CHARSET = "cp1252"

SYSTEM_TYPES = {"int": 56, "bigint": 127, "smallint": 52, "tinyint": 48, "bit": 104, "decimal": 106, "numeric": 108, "money": 60,
                "smallmoney": 122, "float": 62, "real": 59, "date": 40, "time": 41, "datetime2": 42, "datetimeoffset": 43, "datetime": 61,
                "smalldatetime": 58, "char": 175, "varchar": 167, "nchar": 239, "nvarchar": 231, "text": 35, "ntext": 99, "binary": 173,
                "varbinary": 165, "image": 34, "uniqueidentifier": 36, "xml": 241, "sql_variant": 98, "hierarchyid": 240, "geometry": 240,
                "geography": 240, "timestamp": 189, "rowversion": 189}
FIXED = {"tinyint": 0x30, "bit": 0x32, "smallint": 0x34, "int": 0x38, "smalldatetime": 0x3A, "real": 0x3B, "money": 0x3C, "datetime": 0x3D,
         "float": 0x3E, "smallmoney": 0x7A, "bigint": 0x7F}
NULLABLE = {"tinyint": (0x26, 1), "smallint": (0x26, 2), "int": (0x26, 4), "bigint": (0x26, 8), "bit": (0x68, 1), "real": (0x6D, 4),
            "float": (0x6D, 8), "smallmoney": (0x6E, 4), "money": (0x6E, 8), "smalldatetime": (0x6F, 4), "datetime": (0x6F, 8)}
LONG = {"char": 0xAF, "varchar": 0xA7, "nchar": 0xEF, "nvarchar": 0xE7, "binary": 0xAD, "varbinary": 0xA5, "timestamp": 0xAD, "rowversion": 0xAD}
INTEGER_FORMATS = {"tinyint": "<B", "bit": "<B", "smallint": "<h", "int": "<i", "bigint": "<q"}


def b_varchar(s):
    return struct.pack("<B", len(s.encode("utf-16-le")) // 2) + s.encode("utf-16-le")


def us_varchar(s):
    return struct.pack("<H", len(s.encode("utf-16-le")) // 2) + s.encode("utf-16-le")


def is_max(t):
    return t[0] in LONG and len(t) > 1 and t[1] == -1


def type_info(t, nullable):
    k = t[0]
    if k in FIXED and not nullable:
        return bytes([FIXED[k]])
    if k in NULLABLE:
        return bytes(NULLABLE[k])
    if k in ("decimal", "numeric"):
        return bytes([0x6A if k == "decimal" else 0x6C, numeric_bytes(t[1]) + 1, t[1], t[2]])
    if k == "date":
        return b"\x28"
    if k in ("time", "datetime2", "datetimeoffset"):
        return bytes([{"time": 0x29, "datetime2": 0x2A, "datetimeoffset": 0x2B}[k], t[1]])
    if k == "uniqueidentifier":
        return b"\x24\x10"
    if k in LONG:
        n = t[1] if len(t) > 1 else 8
        size = 0xFFFF if n == -1 else n * 2 if k.startswith("n") else n
        return struct.pack("<BH", LONG[k], size) + (COLLATION if "char" in k else b"")
    if k == "xml":
        return b"\xf1\x00"
    if k in ("hierarchyid", "geometry", "geography"):
        return struct.pack("<BH", 0xF0, 0xFFFF) + b_varchar("shop") + b_varchar("sys") + b_varchar(k) + us_varchar(
            "Microsoft.SqlServer.Types.Sql" + k.title() + ", Microsoft.SqlServer.Types")
    if k in ("text", "ntext", "image"):
        code = {"text": 0x23, "ntext": 0x63, "image": 0x22}[k]
        return struct.pack("<BI", code, 0x7FFFFFFF) + (COLLATION if k != "image" else b"") + b"\x01" + us_varchar("t")
    if k == "sql_variant":
        return struct.pack("<BI", 0x62, 8009)
    raise ValueError("no encoding of " + k)


def numeric_bytes(precision):
    return 4 if precision <= 9 else 8 if precision <= 19 else 12 if precision <= 28 else 16


def days_since_1(day):
    return (day - datetime.date(1, 1, 1)).days


def time_bytes(ticks, scale):
    return (ticks // 10 ** (7 - scale)).to_bytes(3 if scale <= 2 else 4 if scale <= 4 else 5, "little")


def raw(t, v):
    """The value's bytes, without a length."""
    k = t[0]
    if k in INTEGER_FORMATS:
        return struct.pack(INTEGER_FORMATS[k], int(v))
    if k == "real":
        return struct.pack("<f", v)
    if k == "float":
        return struct.pack("<d", v)
    if k in ("money", "smallmoney"):
        units = int(fit(v, 60, 4).scaleb(4))
        return struct.pack("<i", units) if k == "smallmoney" else struct.pack("<iI", units >> 32, units & 0xFFFFFFFF)
    if is_decimal(t):
        p, s = digits_of(t)
        units = int(fit(v, 38, s).scaleb(s, context=decimal.Context(prec=60)))
        return bytes([units >= 0]) + abs(units).to_bytes(numeric_bytes(p), "little")
    if k == "uniqueidentifier":
        return uuid.UUID(v).bytes_le
    if k in ("nchar", "nvarchar", "ntext", "xml"):
        return v.encode("utf-16-le")
    if k in ("char", "varchar", "text"):
        return v.encode(CHARSET, "replace")
    if isinstance(v, bytes):
        return v
    if k in ("date", "time", "datetime2", "datetimeoffset", "datetime", "smalldatetime"):
        return moment(t, v)
    return str(v).encode("latin-1")


def moment(t, v):
    k, scale = t[0], scale_of(t)
    day, ticks, offset = parse_moment(v)
    if k == "date":
        return days_since_1(day).to_bytes(3, "little")
    if k == "time":
        return time_bytes(ticks, scale)
    if k == "datetime":
        return struct.pack("<iI", (day - datetime.date(1900, 1, 1)).days, (ticks * 300 + 5 * 10**6) // 10**7)
    if k == "smalldatetime":
        return struct.pack("<HH", (day - datetime.date(1900, 1, 1)).days, ticks // (60 * 10**7))
    if k == "datetime2":
        return time_bytes(ticks, scale) + days_since_1(day).to_bytes(3, "little")
    ticks -= offset * 60 * 10**7  # told in UTC
    day += datetime.timedelta(days=ticks // (86400 * 10**7))
    return time_bytes(ticks % (86400 * 10**7), scale) + days_since_1(day).to_bytes(3, "little") + struct.pack("<h", offset)


VARIANTS = {int: (("int",), b"\x38\x00"), float: (("float",), b"\x3e\x00")}


def variant(v):
    if isinstance(v, str):
        data = v.encode("utf-16-le")
        body = b"\xe7\x07" + COLLATION + struct.pack("<H", 8000) + data
    else:
        t, head = VARIANTS[type(v)]
        body = head + raw(t, v)
    return struct.pack("<I", len(body)) + body


def plp(data):
    out = struct.pack("<Q", len(data))
    for i in range(0, len(data), 8000):
        out += struct.pack("<I", len(data[i:i + 8000])) + data[i:i + 8000]
    return out + b"\0\0\0\0"


def value(t, nullable, v):
    """A cell of a ROW token."""
    k = t[0]
    if k in ("xml", "hierarchyid", "geometry", "geography") or is_max(t):
        return b"\xff" * 8 if v is None else plp(raw(t, v))
    if k in ("text", "ntext", "image"):
        data = raw(t, v) if v is not None else b""
        return b"\0" if v is None else b"\x10" + b"p" * 16 + b"\0" * 8 + struct.pack("<I", len(data)) + data
    if k == "sql_variant":
        return struct.pack("<I", 0) if v is None else variant(v)
    if k in LONG:
        if v is None:
            return b"\xff\xff"
        data = raw(t, v)
        return struct.pack("<H", len(data)) + data
    if k in FIXED and not nullable:
        return raw(t, v)
    if v is None:
        return b"\0"
    data = raw(t, v)
    return bytes([len(data)]) + data


def describe(t):
    """How the catalogue names a type's size: max_length, precision, scale."""
    k = t[0]
    if k in INTEGERS:
        return {"bit": 1, "tinyint": 1, "smallint": 2, "int": 4, "bigint": 8}[k], INTEGERS[k], 0
    if is_decimal(t):
        p, s = digits_of(t)
        return {"money": 8, "smallmoney": 4}.get(k, numeric_bytes(p) + 1), p, s
    if k in ("float", "real"):
        return (8, 53, 0) if k == "float" else (4, 24, 0)
    if k in ("time", "datetime2", "datetimeoffset"):
        return 8, {"time": 8, "datetime2": 19, "datetimeoffset": 26}[k] + (t[1] and t[1] + 1), t[1]
    if k in LONG:
        n = t[1] if len(t) > 1 else 8
        return (-1 if n == -1 else n * 2 if k.startswith("n") else n), 0, 0
    return {"uniqueidentifier": 16, "date": 3, "datetime": 8, "smalldatetime": 4, "text": 16, "ntext": 16, "image": 16,
            "sql_variant": 8016}.get(k, -1), 0, 0
