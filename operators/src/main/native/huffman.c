#include "huffman.h"

#include <string.h>

/* The symbols for the end of the block and for 16 zeros. All others with no bits of a value are invalid. */
#define END_OF_BLOCK 0x00
#define SIXTEEN_ZEROS 0xf0

static bool is_ac_symbol(int symbol)
{
    return (symbol & 15) != 0 || symbol == END_OF_BLOCK || symbol == SIXTEEN_ZEROS;
}

/* Returns whether libjpeg accepts the codes: none of n bits consists of ones, or does not fit into n bits. */
static bool make_codes(struct codes *codes, const uint8_t *counts)
{
    const uint8_t *symbols = counts + HUFFMAN_LENGTHS;
    int32_t index = 0;
    uint32_t code = 0;
    for (int length = 1; length <= HUFFMAN_LENGTHS; length++) {
        uint32_t count = counts[length - 1];
        codes->offset[length] = index - (int32_t) code;
        code += count;
        index += (int32_t) count;
        if (count > 0 && code >= 1u << length) {
            return false;
        }
        codes->bound[length] = code << (HUFFMAN_LENGTHS - length);
        code <<= 1;
    }
    codes->bound[HUFFMAN_LENGTHS + 1] = UINT32_MAX;
    memcpy(codes->symbols, symbols, (size_t) index);
    return true;
}

/* Fills, for each value of `window` bits, symbol | bits << 8 of the code that it begins with, or 0. */
static void make_first(const struct codes *codes, uint16_t *first, int window)
{
    uint32_t at = 0;
    int index = 0;
    for (int length = 1; length <= window; length++) {
        uint32_t end = codes->bound[length] >> (HUFFMAN_LENGTHS - window);
        while (at < end) {
            uint16_t entry = (uint16_t) (codes->symbols[index++] | length << 8);
            for (int i = 0; i < 1 << (window - length); i++) {
                first[at++] = entry;
            }
        }
    }
    memset(first + at, 0, ((1u << window) - at) * sizeof *first);
}

/*
 * Returns the value that a JPEG stores in `size` bits, of which only the upper `known` are in `bits`, without what the others
 * add to it. The uppermost bit must be known, because it decides about the sign.
 */
static int stored_value(int bits, int known, int size, int *missing)
{
    if (size == 0) {
        *missing = 0;
        return 0;
    }
    *missing = size > known ? size - known : 0;
    int value = size > known ? bits << *missing : bits >> (known - size);
    return value >> (size - 1) ? value : value - (1 << size) + 1;
}

/* One symbol at the beginning of a window. */
struct symbol {
    int bits;    /* of the code and the value; 0 when the window does not hold enough of it */
    int run;     /* zeros in front of the coefficient */
    int advance; /* coefficients; AC_END for the end of the block */
    int value, missing, size;
};

/* window: AC_WINDOW bits, of which the upper `known` are known; most: the bits that the symbol may have */
static struct symbol ac_symbol(const uint16_t *first, int window, int known, int most)
{
    int code = first[window];
    int length = code >> 8;
    int symbol = code & 255;
    int size = symbol & 15;
    if (length == 0 || !is_ac_symbol(symbol) || known - length < (size > 0) || length + size > most) {
        return (struct symbol) {0};
    }
    int rest = known - length;
    int missing;
    int value = stored_value(window >> (AC_WINDOW - known) & ((1 << rest) - 1), rest, size, &missing);
    if (symbol == END_OF_BLOCK) {
        return (struct symbol) {.bits = length, .advance = AC_END};
    }
    return (struct symbol) {length + size, symbol >> 4, (symbol >> 4) + 1, value, missing, size};
}

static struct ac_entry ac_entry(const uint16_t *first, int window)
{
    struct symbol one = ac_symbol(first, window, AC_WINDOW, AC_BITS);
    if (one.bits == 0) {
        return (struct ac_entry) {AC_UNKNOWN << 8, AC_NOWHERE, AC_NOWHERE, 0, 0, 63};
    }
    /* Only a complete value of a byte can be the first of two. */
    if (one.advance != AC_END && one.bits < AC_WINDOW && one.size <= 7) {
        int rest = window << one.bits & ((1 << AC_WINDOW) - 1);
        struct symbol two = ac_symbol(first, rest, AC_WINDOW - one.bits, AC_BITS - one.bits);
        if (two.bits > 0) {
            return (struct ac_entry) {
                (uint16_t) (one.bits + two.bits + ((one.advance + two.advance) << 8)), (uint8_t) one.run,
                (uint8_t) (one.advance + two.run), (int16_t) two.value, (int8_t) one.value,
                (uint8_t) (64 - AC_WINDOW - two.missing)};
        }
    }
    return (struct ac_entry) {
        (uint16_t) (one.bits + (one.advance << 8)), 0, (uint8_t) one.run, (int16_t) one.value, 0,
        (uint8_t) (64 - AC_WINDOW - one.missing)};
}

static void make_longs(struct ac_table *table)
{
    const struct codes *codes = &table->codes;
    table->long_from = codes->bound[AC_WINDOW];
    memset(table->longs, 0, sizeof table->longs);
    uint32_t at = table->long_from;
    for (int length = AC_WINDOW + 1; length <= HUFFMAN_LENGTHS; length++) {
        for (; at < codes->bound[length]; at++) {
            int symbol = codes->symbols[codes->offset[length] + (int32_t) (at >> (HUFFMAN_LENGTHS - length))];
            if (at - table->long_from >= LONG_CODES) {
                return;
            }
            table->longs[at - table->long_from] = (uint16_t) (symbol | length << 8);
        }
    }
}

static bool make_ac(struct ac_table *table, const uint8_t *counts)
{
    uint16_t first[1 << AC_WINDOW];
    if (!make_codes(&table->codes, counts)) {
        return false;
    }
    make_first(&table->codes, first, AC_WINDOW);
    for (int window = 0; window < 1 << AC_WINDOW; window++) {
        table->entries[window] = ac_entry(first, window);
    }
    make_longs(table);
    table->skips_made = false;
    return true;
}

/* Makes the entries of windows of 1, 2, ... bits. The symbols after the first one are those of a shorter window. */
void huffman_skips(struct ac_table *table)
{
    if (table->skips_made) {
        return;
    }
    uint16_t first[1 << SKIP_WINDOW];
    uint16_t shorter[2 << SKIP_WINDOW]; /* the entry of n bits is at 1 << n; 0 for no complete symbol */
    make_first(&table->codes, first, SKIP_WINDOW);
    shorter[1] = 0;
    for (int known = 1; known <= SKIP_WINDOW; known++) {
        /* Entries of shorter windows leave room for the bits in front of them. */
        int most = SKIP_BITS - (SKIP_WINDOW - known);
        for (int window = 0; window < 1 << known; window++) {
            int code = first[window << (SKIP_WINDOW - known)];
            int length = code >> 8;
            int symbol = code & 255;
            int bits = length + (symbol & 15);
            int entry = 0;
            if (length > 0 && length <= known && is_ac_symbol(symbol) && bits <= most) {
                entry = bits | (symbol == END_OF_BLOCK ? SKIP_END : (symbol >> 4) + 1) << 6;
                if (symbol != END_OF_BLOCK && bits < known) {
                    entry += shorter[(1 << (known - bits)) + (window & ((1 << (known - bits)) - 1))];
                }
            }
            shorter[(1 << known) + window] = (uint16_t) entry;
        }
    }
    for (int window = 0; window < 1 << SKIP_WINDOW; window++) {
        int entry = shorter[(1 << SKIP_WINDOW) + window];
        table->skips[window] = (uint16_t) (entry ? entry : SKIP_UNKNOWN << 6);
    }
    table->skips_made = true;
}

static bool make_dc(struct dc_table *table, const uint8_t *counts)
{
    uint16_t first[1 << DC_WINDOW];
    if (!make_codes(&table->codes, counts)) {
        return false;
    }
    int symbols = 0;
    for (int i = 0; i < HUFFMAN_LENGTHS; i++) {
        symbols += counts[i];
    }
    for (int i = 0; i < symbols; i++) {
        if (table->codes.symbols[i] > 15) {
            return false;
        }
    }
    make_first(&table->codes, first, DC_WINDOW);
    for (int window = 0; window < 1 << DC_WINDOW; window++) {
        int length = first[window] >> 8;
        int size = first[window] & 255;
        int rest = DC_WINDOW - length;
        int missing = 0;
        int32_t entry = 0;
        if (length > 0 && rest >= (size > 0) && length + size <= DC_BITS) {
            uint32_t value = (uint32_t) stored_value(window & ((1 << rest) - 1), rest, size, &missing);
            entry = (int32_t) (value << 16 | (uint32_t) (64 - DC_WINDOW - missing) << 8 | (uint32_t) (length + size));
        }
        table->entries[window] = entry;
    }
    return true;
}

/* Returns the index of the entry with the codes, or of the one that was used longest ago, whose codes differ then. */
static int find(struct huffman_cache *cache, struct huffman_key *keys, const uint8_t *codes, int bytes)
{
    int oldest = 0;
    cache->time++;
    for (int i = 0; i < CACHED_TABLES; i++) {
        /* The counts come first and determine the length, so that a shorter table cannot equal the beginning of a longer one. */
        if (keys[i].used && memcmp(keys[i].codes, codes, (size_t) bytes) == 0) {
            keys[i].used = cache->time;
            return i;
        }
        oldest = keys[i].used < keys[oldest].used ? i : oldest;
    }
    keys[oldest].used = 0;
    return oldest;
}

static int codes_bytes(const uint8_t *codes)
{
    int bytes = HUFFMAN_LENGTHS;
    for (int i = 0; i < HUFFMAN_LENGTHS; i++) {
        bytes += codes[i];
    }
    return bytes;
}

static void keep(const struct huffman_cache *cache, struct huffman_key *key, const uint8_t *codes, int bytes)
{
    memcpy(key->codes, codes, (size_t) bytes);
    key->used = cache->time;
}

struct ac_table *huffman_ac(struct huffman_cache *cache, const uint8_t *codes)
{
    int bytes = codes_bytes(codes);
    int i = find(cache, cache->ac_key, codes, bytes);
    if (!cache->ac_key[i].used) {
        if (!make_ac(cache->ac + i, codes)) {
            return NULL;
        }
        keep(cache, cache->ac_key + i, codes, bytes);
    }
    return cache->ac + i;
}

const struct dc_table *huffman_dc(struct huffman_cache *cache, const uint8_t *codes)
{
    int bytes = codes_bytes(codes);
    int i = find(cache, cache->dc_key, codes, bytes);
    if (!cache->dc_key[i].used) {
        if (!make_dc(cache->dc + i, codes)) {
            return NULL;
        }
        keep(cache, cache->dc_key + i, codes, bytes);
    }
    return cache->dc + i;
}
