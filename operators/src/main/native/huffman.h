/*
 * Tables that decode several Huffman symbols of a JPEG with one lookup. They are large and take some microseconds to make, so
 * a cache keeps them from file to file: most files of a dataset share their tables.
 */
#ifndef MILLRACE_HUFFMAN_H
#define MILLRACE_HUFFMAN_H

#include <stdbool.h>
#include <stdint.h>

#include "jpeg_header.h"

/* The numbers of bits by which the tables are looked up. */
#define AC_WINDOW 10
#define DC_WINDOW 9
#define SKIP_WINDOW 11

/*
 * The most bits of one entry. The decoder has at least 56 bits after it reads more: enough for an entry of DC and three of AC,
 * for four of AC, and for three that skip.
 */
#define AC_BITS 14
#define DC_BITS 14
#define SKIP_BITS 18

/* An entry advances by the coefficients of its symbols, 32 at most, and by these amounts, which leave the block. */
#define AC_END 128      /* the end of the block */
#define AC_UNKNOWN 192  /* the window holds no complete code, or too many bits: the decoder searches one symbol */
#define SKIP_END 256
#define SKIP_UNKNOWN 640

/* A place behind the last coefficient of the block from every coefficient of it. Less than 256 - 63. */
#define AC_NOWHERE 100

/* All codes of a table by their lengths, for the codes that the windows do not hold. */
struct codes {
    uint32_t bound[HUFFMAN_LENGTHS + 2]; /* codes of n bits or fewer, filled up to 16 bits, are less than bound[n]; the last is the most */
    int32_t offset[HUFFMAN_LENGTHS + 1]; /* the index of a code's symbol is offset[n] + code */
    uint8_t symbols[HUFFMAN_MOST_SYMBOLS];
};

/*
 * Two coefficients, or one and the end of the block; or one alone, which is the second then, and the first is a zero in a place
 * that nothing was written to. The lowest bits of value2 may follow the window. They are missing in value2 and are added to it:
 * the number that begins below the window, shifted to the right by `shift`.
 */
struct ac_entry {
    uint16_t head;          /* bits, and coefficients << 8 */
    uint8_t first, second;  /* the places of the values, from the next coefficient on */
    int16_t value2;
    int8_t value1;
    uint8_t shift;
};

/* The rarer codes, longer than AC_WINDOW, by their 16 bits from long_from on. */
#define LONG_CODES 1024

struct ac_table {
    struct ac_entry entries[1 << AC_WINDOW];
    uint16_t skips[1 << SKIP_WINDOW]; /* bits | coefficients << 6: as many symbols as the window holds; see huffman_skips */
    uint16_t longs[LONG_CODES];       /* symbol | bits << 8; 0 for no such code */
    uint32_t long_from;
    bool skips_made;
    struct codes codes;
};

struct dc_table {
    int32_t entries[1 << DC_WINDOW]; /* bits | shift << 8 | difference << 16, with the shift of ac_entry; 0 for unknown */
    struct codes codes;
};

/* The latest tables. One file uses at most three of either kind, so a table stays valid while its file is decoded. */
#define CACHED_TABLES 6

struct huffman_key {
    uint64_t used; /* the time of the latest use; 0 for an empty entry */
    uint8_t codes[HUFFMAN_LENGTHS + HUFFMAN_MOST_SYMBOLS];
};

/* Belongs to one thread. Begins with zeros. */
struct huffman_cache {
    struct ac_table ac[CACHED_TABLES];
    struct dc_table dc[CACHED_TABLES];
    struct huffman_key ac_key[CACHED_TABLES], dc_key[CACHED_TABLES];
    uint64_t time;
};

/* Return the table of a JPEG's codes (see jpeg_header.h), which the cache owns, or NULL when libjpeg refuses the codes. */
struct ac_table *huffman_ac(struct huffman_cache *cache, const uint8_t *codes);
const struct dc_table *huffman_dc(struct huffman_cache *cache, const uint8_t *codes);

/* Fills `skips`, unless they are filled. */
void huffman_skips(struct ac_table *table);

#endif
