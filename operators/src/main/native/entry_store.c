#include "entry_store.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- Hash ---- */

/* Odd numbers with about as many ones as zeros; the fractions of the square roots of 2, 3, 5, 7, 11 and 13. */
static const uint64_t keys[6] = {UINT64_C(0x6a09e667f3bcc909), UINT64_C(0xbb67ae8584caa73b), UINT64_C(0x3c6ef372fe94f82b),
                                 UINT64_C(0xa54ff53a5f1d36f1), UINT64_C(0x510e527fade682d1), UINT64_C(0x9b05688c2b3e6c1f)};

/* The two halves of the product, combined. */
static uint64_t fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128) a * b;
    return (uint64_t) product ^ (uint64_t) (product >> 64);
}

static uint64_t word(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* Four sums take turns, so that multiplications overlap. The number of bytes is part of the result, so zeros may fill the end. */
struct content content_of(const uint8_t *data, size_t size)
{
    uint64_t sum[4] = {keys[0], keys[1], keys[2], keys[3]};
    uint8_t rest[64] = {0};
    size_t whole = size / 64 * 64;
    memcpy(rest, data + whole, size - whole);
    for (size_t at = 0; at <= whole; at += 64) {
        const uint8_t *from = at < whole ? data + at : rest;
        for (int i = 0; i < 4; i++) {
            sum[i] = fold(sum[i] ^ word(from + 16 * i), keys[4] ^ word(from + 16 * i + 8)) + sum[i] * keys[5];
        }
    }
    uint64_t high = fold(sum[0] ^ keys[2], sum[1] ^ keys[3] ^ size);
    uint64_t low = fold(sum[2] ^ keys[0], sum[3] ^ keys[1] ^ size);
    return (struct content) {fold(high ^ keys[4], low ^ keys[5]) ^ sum[0], fold(low ^ keys[4], high ^ keys[1]) ^ sum[2]};
}

/* ---- Store ---- */

struct file {
    struct content content;
    int count;
    bool intact;
    struct entry_point points[];
};

/* A part of the store, with a lock of its own so that threads rarely wait for one another. */
struct shard {
    pthread_mutex_t lock;
    struct file **files; /* hashed with open addressing; NULL for free places */
    size_t places;       /* a power of two, or 0 */
    size_t used;
    unsigned int refused; /* files for which there was no room */
};

#define SHARDS 64

/* When the store is full, one in so many new files replaces another one, so that the files of a later job get in. */
#define REPLACED 16
#define FIRST_PLACES 64

/* What malloc adds to a block. */
#define BLOCK_BYTES 16

static struct shard shards[SHARDS] = {[0 ... SHARDS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};
static atomic_size_t limit_bytes;
static atomic_size_t used_bytes;

static size_t file_bytes(int count)
{
    return BLOCK_BYTES + sizeof(struct file) + (size_t) count * sizeof(struct entry_point);
}

static struct shard *shard_of(struct content content)
{
    return shards + content.high % SHARDS;
}

/* The place of a file, or a free one. Requires a free place. */
static struct file **place_of(struct file **files, size_t places, struct content content)
{
    for (size_t i = content.low;; i++) {
        struct file **place = files + (i & (places - 1));
        if (!*place || ((*place)->content.high == content.high && (*place)->content.low == content.low)) {
            return place;
        }
    }
}

/* Takes bytes from the limit. Returns false when they exceed it. */
static bool reserve(size_t bytes)
{
    size_t used = atomic_fetch_add(&used_bytes, bytes) + bytes;
    if (used <= atomic_load(&limit_bytes)) {
        return true;
    }
    atomic_fetch_sub(&used_bytes, bytes);
    return false;
}

static void release(size_t bytes)
{
    atomic_fetch_sub(&used_bytes, bytes);
}

/* Makes room for one more file. */
static bool make_place(struct shard *shard)
{
    if (shard->used * 4 < shard->places * 3) {
        return true;
    }
    size_t places = shard->places ? 2 * shard->places : FIRST_PLACES;
    size_t more = (places - shard->places) * sizeof *shard->files;
    if (!reserve(more)) {
        return false;
    }
    struct file **files = calloc(places, sizeof *files);
    if (!files) {
        release(more);
        return false;
    }
    for (size_t i = 0; i < shard->places; i++) {
        if (shard->files[i]) {
            *place_of(files, places, shard->files[i]->content) = shard->files[i];
        }
    }
    free(shard->files);
    shard->files = files;
    shard->places = places;
    return true;
}

size_t entry_store_bytes(void)
{
    return atomic_load(&used_bytes);
}

/* The file with the content; NULL when it is unknown. Requires the lock. */
static const struct file *find(const struct shard *shard, struct content content)
{
    return shard->places ? *place_of(shard->files, shard->places, content) : NULL;
}

void entry_store_get(struct content content, struct entry_points *entries, int capacity)
{
    struct shard *shard = shard_of(content);
    pthread_mutex_lock(&shard->lock);
    const struct file *file = find(shard, content);
    entries->known = !file ? 0 : file->count < capacity ? file->count : capacity;
    entries->intact = file && file->intact;
    if (file) {
        memcpy(entries->points, file->points, (size_t) entries->known * sizeof *entries->points);
    }
    pthread_mutex_unlock(&shard->lock);
}

bool entry_store_is_intact(struct content content)
{
    struct shard *shard = shard_of(content);
    pthread_mutex_lock(&shard->lock);
    const struct file *file = find(shard, content);
    bool intact = file && file->intact;
    pthread_mutex_unlock(&shard->lock);
    return intact;
}

/* Frees a file. Those behind it move up, so that no free place lies between a file and the place where it belongs. */
static void drop(struct shard *shard, size_t at)
{
    size_t mask = shard->places - 1;
    release(file_bytes(shard->files[at]->count));
    free(shard->files[at]);
    shard->files[at] = NULL;
    shard->used--;
    for (size_t next = (at + 1) & mask; shard->files[next]; next = (next + 1) & mask) {
        struct file *moved = shard->files[next];
        shard->files[next] = NULL;
        *place_of(shard->files, shard->places, moved->content) = moved;
    }
}

/* Returns whether bytes could be taken from the limit, perhaps after another file of the shard was dropped. */
static bool reserve_or_replace(struct shard *shard, struct content content, size_t bytes)
{
    if (reserve(bytes)) {
        return true;
    }
    if (shard->refused++ % REPLACED != 0 || shard->used == 0) {
        return false;
    }
    size_t at = content.low / SHARDS & (shard->places - 1); /* any file */
    while (!shard->files[at]) {
        at = (at + 1) & (shard->places - 1);
    }
    drop(shard, at);
    return reserve(bytes);
}

/* Returns a new file of the store; NULL when there is no room. */
static struct file *make_file(struct shard *shard, struct content content, const struct entry_points *entries)
{
    int count = entries->known;
    if (!reserve_or_replace(shard, content, file_bytes(count))) {
        return NULL;
    }
    struct file *file = malloc(file_bytes(count));
    if (!file) {
        release(file_bytes(count));
        return NULL;
    }
    file->content = content;
    file->count = count;
    file->intact = entries->intact;
    memcpy(file->points, entries->points, (size_t) count * sizeof *entries->points);
    return file;
}

void entry_store_put(struct content content, const struct entry_points *entries)
{
    struct shard *shard = shard_of(content);
    pthread_mutex_lock(&shard->lock);
    if (make_place(shard)) {
        const struct file *old = find(shard, content);
        bool more = !old || old->count < entries->known || (entries->intact && !old->intact);
        struct file *made = more ? make_file(shard, content, entries) : NULL;
        if (made) {
            struct file **place = place_of(shard->files, shard->places, content); /* files may have moved */
            if (*place) {
                release(file_bytes((*place)->count));
                free(*place);
            } else {
                shard->used++;
            }
            *place = made;
        }
    }
    pthread_mutex_unlock(&shard->lock);
}

void entry_store_limit(size_t bytes)
{
    atomic_store(&limit_bytes, bytes);
    for (int i = 0; i < SHARDS && bytes == 0; i++) {
        struct shard *shard = shards + i;
        pthread_mutex_lock(&shard->lock);
        for (size_t at = 0; at < shard->places; at++) {
            if (shard->files[at]) {
                release(file_bytes(shard->files[at]->count));
                free(shard->files[at]);
            }
        }
        release(shard->places * sizeof *shard->files);
        free(shard->files);
        shard->files = NULL;
        shard->places = 0;
        shard->used = 0;
        pthread_mutex_unlock(&shard->lock);
    }
}
