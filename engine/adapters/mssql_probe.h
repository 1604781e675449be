/* mssql_probe: why a login failed of which the server said nothing. The library keeps that to itself, so the first
 * packet of the protocol is sent once more, by hand. Worker's side. */
#ifndef QUERENT_MSSQL_PROBE_H
#define QUERENT_MSSQL_PROBE_H

/* One of enum mssql_trouble. encryption is what was wanted: off, request or require. Blocks up to `seconds`. */
int mssql_probe(const char *host, const char *port, const char *encryption, int seconds);

#endif
