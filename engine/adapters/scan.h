/* scan: what could be connected here: files of known magic bytes in folders that the configuration opens, and servers
 * whose usual port answers on loopback. A file is read for its first bytes, a port is probed and left; nothing is
 * opened as a database. Blocks. */
#ifndef QUERENT_SCAN_H
#define QUERENT_SCAN_H

#include "adapters/adapter.h"

struct scan_hit {
    const struct adapter_kind *kind;
    const char *path; /* of a file, else NULL */
    int64_t port;     /* of a server */
};

/* Adds struct scan_hit, by path: regular files under the folder, no symbolic links, eight folders deep, at most 10,000
 * entries looked at. */
int scan_folder(struct call *c, const char *folder, struct list *out);
/* Adds the servers whose usual port on 127.0.0.1 accepts a connection. */
int scan_ports(struct call *c, struct list *out);

#endif
