#include "identity/identity.h"

#include "identity/key_token.h"
#include "store/api_keys.h"

#include <string.h>
#include <strings.h>

#define TENANT   "default"
#define NAME_MAX 256

static int unknown(struct call *c, const char *why)
{
    call_detail(c, "%s", why);
    return call_fail(c, ERR_UNAUTHENTICATED, "%s", code_row(ERR_UNAUTHENTICATED)->text);
}

/* The roles that the policy still has; a role it lost grants nothing. */
static void take_roles(struct call *c, const struct policies *policies, const char *const *roles, size_t count)
{
    const char **kept = call_array(c, count ? count : 1, sizeof *kept);
    size_t n = 0;
    for (size_t i = 0; i < count && !policies_allow_all(policies); i++)
        if (policies_has_role(policies, roles[i])) kept[n++] = roles[i];
    c->who.roles = kept;
    c->who.role_count = n;
}

static void take_level(struct call *c, const struct policies *policies, enum level otherwise)
{
    struct principal *who = &c->who;
    if (policies_allow_all(policies))
        who->level = otherwise;
    else
        who->level = policies_level(policies, who->roles, who->role_count, &who->approver);
}

static int by_key(struct call *c, struct db *store, struct key_cache *keys, const struct policies *policies,
                  const char *text)
{
    struct key_token token;
    struct api_key key;
    uint64_t ticket;
    if (!key_token_read(c, text, &token)) return unknown(c, "the credential does not have the form of an API key");
    bool kept = key_cache_find(keys, c, token.id, &key, &ticket), found = kept;
    int rc = kept ? OK : api_keys_find(store, c, token.id, &key, &found);
    if (rc) return rc;
    if (!found) return unknown(c, "there is no such API key");
    if (!key_token_fits(&token, &key)) return unknown(c, "the secret of the API key is wrong");
    if (key.revoked_at) return unknown(c, "the API key is revoked");
    if (!kept) key_cache_put(keys, &key, ticket);
    c->who = (struct principal){ .user = key.user_id, .tenant = key.tenant_id, .source = "api_key", .key_id = key.id };
    take_roles(c, policies, key.roles.items, key.roles.count);
    take_level(c, policies, (enum level)key.level);
    if (c->who.level == LEVEL_ANYONE) return unknown(c, "the policy has none of the API key's roles");
    return OK;
}

/* "a, b" -> a list of names. */
static struct list names_of(struct call *c, const char *text)
{
    struct list l = { 0 };
    while (text && *text) {
        text += strspn(text, ", \t");
        size_t n = strcspn(text, ",");
        const char *next = text + n;
        while (n && (text[n - 1] == ' ' || text[n - 1] == '\t')) n--;
        if (n) *(const char **)list_push(c, &l, sizeof(char *)) = call_strndup(c, text, n);
        text = next;
    }
    return l;
}

static bool name_valid(const char *name)
{
    size_t n = strlen(name);
    if (!n || n > NAME_MAX || !utf8_valid(name, n)) return false;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)name[i] < 0x20 || name[i] == 0x7F) return false;
    return true;
}

static int by_proxy(struct call *c, const struct config *config, const struct policies *policies,
                    const struct credential *cred)
{
    const struct list *believed = &config->api->proxy_addresses;
    bool known = false;
    for (size_t i = 0; i < believed->count && cred->peer; i++)
        if (!strcmp(LIST_AT(believed, const char *, i), cred->peer)) known = true;
    if (!known) return unknown(c, "the peer is not one of api.proxy_addresses");
    if (!cred->proxy_user || !name_valid(cred->proxy_user)) return unknown(c, "the proxy names no user");
    struct list roles = names_of(c, cred->proxy_roles);
    c->who = (struct principal){ .user = call_strdup(c, cred->proxy_user), .tenant = TENANT, .source = "proxy" };
    take_roles(c, policies, roles.items, roles.count);
    take_level(c, policies, LEVEL_VIEWER);
    return OK;
}

static void by_place(struct call *c, const struct policies *policies)
{
    const char *role = policies_default_role(policies);
    c->who = (struct principal){ .user = "local", .tenant = TENANT, .source = "none", .level = LEVEL_ADMIN };
    take_roles(c, policies, &role, role ? 1 : 0);
}

/* The key in `Authorization: Bearer …` or X-API-Key; *sent says that there is a credential at all. */
static const char *key_of(const struct credential *cred, bool *sent)
{
    const char *a = cred->authorization;
    *sent = a || cred->api_key;
    if (!a) return cred->api_key;
    if (cred->api_key || strncasecmp(a, "Bearer", 6) || (a[6] != ' ' && a[6] != '\t')) return NULL;
    a += 6;
    return a + strspn(a, " \t");
}

int identity_resolve(struct call *c, struct db *store, struct key_cache *keys, const struct config *config,
                     const struct policies *policies, const struct credential *credential)
{
    bool sent;
    const char *key = key_of(credential, &sent);
    int auth = credential->mcp ? config->mcp->auth : config->api->auth;
    /* A credential that was sent is always checked: a wrong one is never taken for none. */
    if (sent) return key ? by_key(c, store, keys, policies, key) : unknown(c, "the credential is not an API key");
    if (auth == AUTH_PROXY) return by_proxy(c, config, policies, credential);
    if (auth != AUTH_NONE) return unknown(c, "no credential was sent");
    if (!credential->local) return unknown(c, "auth is none and the caller is not local");
    by_place(c, policies);
    return OK;
}

int identity_check_roles(struct call *c, const struct policies *policies, const char *const *roles, size_t count,
                         const char *pointer)
{
    if (count && policies_allow_all(policies))
        return call_fail_at(c, ERR_VALIDATION_ERROR, pointer,
                            "The policy is allow_all, in which no roles exist: name no role.");
    for (size_t i = 0; i < count; i++) {
        if (policies_has_role(policies, roles[i])) continue;
        struct list known = policies_role_names(policies, c);
        struct buf b;
        buf_init(&b, c, 4096);
        for (size_t k = 0; k < known.count; k++)
            buf_format(&b, "%s%s", k ? ", " : "", LIST_AT(&known, const char *, k));
        return call_fail_at(c, ERR_VALIDATION_ERROR, pointer, "There is no role '%s'; there is: %s.", roles[i], b.data);
    }
    return OK;
}

int identity_operator(struct call *c, const struct policies *policies, const char *user, const char *const *roles,
                      size_t count)
{
    int rc = identity_check_roles(c, policies, roles, count, NULL);
    if (rc) return rc;
    c->who = (struct principal){ .user = user ? call_strdup(c, user) : "operator",
                                 .tenant = TENANT,
                                 .source = "operator",
                                 .level = LEVEL_OPERATOR };
    if (!count) return OK;
    take_roles(c, policies, roles, count);
    take_level(c, policies, LEVEL_VIEWER);
    return OK;
}
