/* Replays a corpus through a fuzz target without libFuzzer: each file as it is, then damaged in a few repeatable ways.
 * A finding is a crash or an abort; what was being run is named first. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUT_BYTES_MAX ((size_t)1 << 20)
#define MUTATIONS       64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* An exact copy for the target, so that a sanitizer sees the first byte read beyond it. */
static void run(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) abort();
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static size_t damage(uint8_t *data, size_t size, uint64_t *state)
{
    static const char marks[] = "\"'{}[](),:;.*%\\-+0123456789\0\xff\x80 \n";
    size_t edits = 1 + next(state) % 4;
    for (size_t i = 0; i < edits && size; i++) {
        size_t at = next(state) % size, n = next(state) % (size - at);
        switch (next(state) % 5) {
        case 0: data[at] = (uint8_t)marks[next(state) % (sizeof marks - 1)]; break;
        case 1: data[at] = (uint8_t)next(state); break;
        case 2: size = at; break;
        case 3:
            memmove(data + at, data + at + n, size - at - n);
            size -= n;
            break;
        default:
            if (size + n > INPUT_BYTES_MAX) break;
            memmove(data + at + n, data + at, size - at);
            size += n;
            break;
        }
    }
    return size;
}

static int replay(const char *path)
{
    static uint8_t data[INPUT_BYTES_MAX], work[INPUT_BYTES_MAX];
    FILE *f = fopen(path, "rb");
    if (!f) return -1;
    size_t size = fread(data, 1, sizeof data, f);
    fclose(f);
    run(data, size);
    uint64_t state = 88172645463325252u + size;
    for (int i = 0; i < MUTATIONS; i++) {
        memcpy(work, data, size);
        run(work, damage(work, size, &state));
    }
    return 0;
}

static int replay_folder(const char *folder, size_t *count)
{
    DIR *d = opendir(folder);
    if (!d) return replay(folder) ? -1 : (++*count, 0);
    char path[4096];
    int rc = 0;
    for (struct dirent *e; !rc && (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        fprintf(stderr, "%s\n", path);
        rc = replay(path);
        ++*count;
    }
    closedir(d);
    return rc;
}

int main(int argc, char **argv)
{
    size_t count = 0;
    for (int i = 1; i < argc; i++)
        if (replay_folder(argv[i], &count)) {
            fprintf(stderr, "cannot read %s\n", argv[i]);
            return 2;
        }
    run((const uint8_t *)"", 0);
    printf("%zu passed, 0 failed\n", count);
    return count ? 0 : 1;
}
