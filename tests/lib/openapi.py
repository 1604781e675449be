"""Checks replies and values against openapi/openapi.json: the part of JSON Schema 2020-12 that the file uses."""
import json, os, re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_document = None


def document():
    global _document
    if _document is None:
        _document = Document(os.path.join(ROOT, "openapi", "openapi.json"))
    return _document


TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


class Document:
    def __init__(self, path):
        with open(path) as f:
            self.tree = json.load(f)
        self.problems = []
        self.seen = set()  # (operationId, status)
        self.routes = []
        for template, item in self.tree["paths"].items():
            pattern = re.compile("^" + re.sub(r"\\\{[^}]*\\\}", "[^/]+", re.escape(template)) + "$")
            for method, operation in item.items():
                if method != "parameters":
                    self.routes.append((method.upper(), "{" in template, pattern, operation))
        self.routes.sort(key=lambda r: r[1])  # literal paths first

    def resolve(self, schema):
        while isinstance(schema, dict) and "$ref" in schema:
            at = self.tree
            for part in schema["$ref"].lstrip("#/").split("/"):
                at = at[part]
            schema = at
        return schema

    def expand(self, schema):
        """The schema with every reference replaced."""
        if isinstance(schema, dict) and "$ref" in schema:
            beside = {k: v for k, v in schema.items() if k != "$ref"}
            return dict(self.expand(self.resolve(schema)), **beside)
        if isinstance(schema, dict):
            return {k: self.expand(v) for k, v in schema.items()}
        if isinstance(schema, list):
            return [self.expand(v) for v in schema]
        return schema

    def errors(self, value, schema, at=""):
        schema = self.resolve(schema)
        types = schema.get("type")
        types = [types] if isinstance(types, str) else types
        if types and not any(is_type(value, t) for t in types):
            return ["%s: %r is not %s" % (at or "/", value, "|".join(types))]
        found = []
        if "enum" in schema and value not in schema["enum"]:
            found.append("%s: %r is not one of %s" % (at, value, schema["enum"]))
        if "const" in schema and value != schema["const"]:
            found.append("%s: %r is not %r" % (at, value, schema["const"]))
        if isinstance(value, str):
            if len(value) < schema.get("minLength", 0):
                found.append("%s: too short" % at)
            if "pattern" in schema and not re.search(schema["pattern"], value):
                found.append("%s: %r does not match %s" % (at, value, schema["pattern"]))
        if is_type(value, "number"):
            if value < schema.get("minimum", value) or value > schema.get("maximum", value):
                found.append("%s: %r is out of bounds" % (at, value))
        if isinstance(value, dict):
            properties = schema.get("properties", {})
            for name in schema.get("required", []):
                if name not in value:
                    found.append("%s: '%s' is missing" % (at, name))
            for name, item in value.items():
                if name in properties:
                    found += self.errors(item, properties[name], at + "/" + name)
                elif schema.get("additionalProperties", True) is False:
                    found.append("%s: '%s' is not described" % (at, name))
        if isinstance(value, list) and "items" in schema:
            for i, item in enumerate(value):
                found += self.errors(item, schema["items"], "%s/%d" % (at, i))
        for part in schema.get("allOf", []):
            found += self.errors(value, part, at)
        for word in ("anyOf", "oneOf"):
            if word in schema and not any(not self.errors(value, part, at) for part in schema[word]):
                found.append("%s: fits none of %s" % (at, word))
        return found

    def closed(self, schema):
        """The same schema, but a member that it does not name is an error: replies say nothing that is not described."""
        schema = self.expand(schema)

        def close(s):
            if isinstance(s, dict):
                s = {k: close(v) for k, v in s.items()}
                if "properties" in s:
                    s.setdefault("additionalProperties", False)
            elif isinstance(s, list):
                s = [close(v) for v in s]
            return s

        return close(schema)

    def operation(self, method, path):
        path = path.split("?")[0]
        for name, _, pattern, operation in self.routes:
            if name == method and pattern.match(path):
                return operation
        return None

    def check_reply(self, method, path, reply):
        operation = self.operation(method, path)
        where = "%s %s -> %d" % (method, path[:100], reply.status)
        media = reply.headers.get("content-type", "").split(";")[0]
        if method == "HEAD":
            return
        if reply.status >= 400 and not path.startswith("/mcp") and path != "/readyz":
            found = self.errors(reply.json, self.closed({"$ref": "#/components/schemas/Problem"}))
            if media != "application/problem+json":
                found.append("media type %r" % media)
            elif reply.json and reply.json.get("status") != reply.status:
                found.append("the problem says status %r" % reply.json.get("status"))
            self.problems += ["%s: %s" % (where, f) for f in found]
        if operation is None:
            return
        described = operation["responses"].get(str(reply.status))
        if described is None:
            if reply.status < 400:
                self.problems.append("%s: the status is not described" % where)
            return
        self.seen.add((operation["operationId"], reply.status))
        content = self.resolve(described).get("content", {})
        if reply.status >= 400:
            return
        if not content and reply.body:
            self.problems.append("%s: a body that is not described" % where)
        if content and media not in content:
            self.problems.append("%s: media type %r is not described" % (where, media))
        elif media == "application/json" and "schema" in content[media]:
            found = self.errors(reply.json, self.closed(content[media]["schema"]))
            self.problems += ["%s: %s" % (where, f) for f in found[:5]]
