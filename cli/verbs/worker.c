/* worker: what an adapter starts to load a driver in a process of its own; not for people. */
#include "cli/verbs/verb.h"

/* The socket to the parent. */
enum { WORKER_FD = 3 };

static int run(struct cli *cli, int argc, char **argv)
{
    (void)cli;
    return engine_worker(argc > 1 ? argv[1] : "", WORKER_FD);
}

const struct verb verb_worker = { "worker", "", NULL, run };
