/* yaml: YAML text -> the same tree JSON gives. One document; plain scalars become null, booleans, integers or strings as in
 * the YAML 1.2 core schema, except that a number with a fraction stays a string (exact). Refused: duplicate keys, aliases,
 * anchors, tags, keys that are not strings, more than JSON_DEPTH_MAX levels, more than 1 MiB. */
#ifndef QUERENT_YAML_H
#define QUERENT_YAML_H

#include "json.h"

/* ERR_CONFIG_INVALID with line and column; `name` is what the message calls the text (a file's base name). */
int yaml_parse(struct call *c, const char *name, const char *text, size_t n, const struct json **out);

#endif
