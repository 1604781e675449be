/* mcp: serves MCP on stdin and stdout. There is no authentication there: who started the process is the caller, as the roles
 * named. stdout carries the protocol and nothing else. */
#include "cli/verbs/verb.h"
#include "mcp/mcp.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static const char needs_role[] =
    "Error: querent mcp needs a role: pass --role <role> (repeatable), or set policies.default_role in querent.yaml. A "
    "caller with no role reads nothing.\n";

/* The roles to act as, from the options and the policy; false = printed. */
static bool decide_roles(struct cli *cli, struct engine *e, const char *user, struct list *roles)
{
    struct door_config door;
    struct call probe;
    bool ok = true;
    call_begin(&probe);
    int rc = engine_door_config(e, &probe, &door);
    if (!rc && door.allow_all && !roles->count)
        log_event(engine_log(e), LOG_WARN, "mcp.allow_all", "message",
                  "the policy is allow_all: the client can read every table of every datasource", NULL);
    if (!rc && !door.allow_all && !roles->count) {
        if (door.default_role)
            *(const char **)list_push(cli->call, roles, sizeof(const char *)) = call_strdup(cli->call, door.default_role);
        else
            ok = false;
    }
    /* An unknown role stops here, not at the first request. */
    if (!rc && ok) rc = engine_operator(e, &probe, user, roles->items, roles->count);
    if (!ok) fputs(needs_role, stderr);
    if (rc) cli_fail(&probe);
    call_end(&probe);
    return ok && !rc;
}

static int run(struct cli *cli, int argc, char **argv)
{
    struct list roles = { 0 }, words;
    const char *user = "local";
    const struct option options[] = {
        { "--role", OPTION_LIST, &roles, "ROLE", "act as this role of the policies; may be repeated" },
        { "--user", OPTION_TEXT, &user, "ID", "the user that runs are recorded under" },
        { 0 },
    };
    extern const struct verb verb_mcp;
    struct engine *e;
    int code;
    if (!cli_options(cli, &verb_mcp, options, argc, argv, 0, 0, &words, &code)) return code;
    signal(SIGPIPE, SIG_IGN);
    cli->log.least = LOG_INFO;
    if (!cli_engine(cli, true, &e)) return 1;
    code = 1;
    if (decide_roles(cli, e, user, &roles)) {
        struct mcp_stdio stdio = { .user = user, .roles = roles.items, .role_count = roles.count, .in = STDIN_FILENO,
                                   .out = STDOUT_FILENO };
        code = mcp_stdio(mcp_open(cli->call, e), e, &stdio);
    }
    engine_close(e);
    return code;
}

const struct verb verb_mcp = { "mcp", "[--role ROLE]... [--user ID]", "Serve MCP on stdin and stdout.", run };
