/* Any bytes as a configuration file. What loads is shown as YAML that reads again; its datasources open (nothing is
 * connected) and its policies make a view. */
#include "adapters/adapter.h"
#include "base/yaml.h"
#include "config/load.h"
#include "policy/policy.h"
#include "shop.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool fact)
{
    if (!fact) abort();
}

static void open_all(struct call *c, const struct config *config)
{
    for (size_t i = 0; i < config->datasources.count; i++) {
        const struct datasource_config *d = &LIST_AT(&config->datasources, struct datasource_config, i);
        struct adapter *a = NULL;
        need(!adapter_open(c, d, &a) || (c->err.code && c->err.message));
        adapter_close(a);
        call_forgive(c);
    }
}

static void shown_again(struct call *c, const struct config *config)
{
    const struct json *again;
    struct buf b;
    buf_init(&b, c, (size_t)16 * 1024 * 1024);
    config_show(&b, config);
    need(!yaml_parse(c, "shown", b.data, b.len, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int file = -1;
    struct call c;
    struct config *config;
    const struct json *tree;
    if (file < 0) file = memfd_create("querent.yaml", MFD_CLOEXEC);
    need(!ftruncate(file, 0) && pwrite(file, data, size, 0) == (ssize_t)size);
    call_begin(&c);
    const char *path = call_format(&c, "/proc/self/fd/%d", file);
    if (yaml_parse(&c, "text", (const char *)data, size, &tree)) need(c.err.code && c.err.message);
    call_forgive(&c);
    if (config_load(&c, path, NULL, &config)) {
        need(c.err.code && c.err.message);
    } else {
        open_all(&c, config);
        shown_again(&c, config);
        config_free(config);
    }
    call_end(&c);
    return 0;
}
