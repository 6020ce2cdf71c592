/*
 * The entry points of the files that this process has decoded, by the content of the files. A file with another content, even
 * if it has the same name, size and time, has other entry points: nothing else is needed to trust them.
 */
#ifndef MILLRACE_ENTRY_STORE_H
#define MILLRACE_ENTRY_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "baseline.h"

/* A hash of all bytes of a file. It finds changes by accident, not by an attacker, who could change the pixels anyway. */
struct content {
    uint64_t high, low;
};

struct content content_of(const uint8_t *data, size_t size);

/*
 * Sets the bytes that the store may use. A lower limit frees nothing, except that 0 frees everything. More files than fit into them
 * are decoded without entry points: most of the first ones stay, because epochs visit all files, and the file that was used longest
 * ago is the one that comes next.
 * Thread-safe, like the functions below.
 */
void entry_store_limit(size_t bytes);

/* Sets what is known of a file. `entries` has room for `capacity` entry points. */
void entry_store_get(struct content content, struct entry_points *entries, int capacity);

/* Returns whether the file is known to be intact. */
bool entry_store_is_intact(struct content content);

/* Keeps what is known of a file if there is room, instead of less that was kept before. */
void entry_store_put(struct content content, const struct entry_points *entries);

/* Returns the bytes that the store uses. */
size_t entry_store_bytes(void);

#endif
