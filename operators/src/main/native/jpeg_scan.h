/*
 * The entropy-coded data of a baseline JPEG: blocks of coefficients, one MCU after the other. It uses AVX2 and BMI2, so its
 * functions are called only if the CPU has both.
 *
 * The data are copied without stuffed zeros before they are decoded, a part of a restart interval at a time, and in reverse, so
 * that one load reads eight bytes as a number whose upper bits come first. The copy ends at the first marker, and zeros follow.
 *
 * Why reads need no check for each symbol:
 * - An MCU has at most SCAN_BLOCKS blocks. A block has at most 64 symbols of at most 16 + 15 bits, because each symbol advances
 *   by one coefficient or more and the decoder stops at 64. With what is loaded ahead, an MCU reads less than SCAN_UNIT_BYTES.
 * - Before each MCU, either that many bytes are copied, or the copy has ended and the MCU begins at most SCAN_AHEAD bytes behind
 *   its end. SCAN_SLACK bytes of memory lie there.
 * - The number of bits that were read is compared with the number of bits that exist before pixels are made of them.
 */
#ifndef MILLRACE_JPEG_SCAN_H
#define MILLRACE_JPEG_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "huffman.h"
#include "jpeg_header.h"

/* The blocks of an MCU: at most four of luma and two of chroma. */
#define SCAN_BLOCKS 6

/* 6 * 65 * 31 bits are 1512 bytes, and two loads of eight bytes follow. */
#define SCAN_UNIT_BYTES 2048
#define SCAN_AHEAD 16
#define SCAN_SLACK (SCAN_UNIT_BYTES + SCAN_AHEAD + 64)

/* The bytes that are copied at once. All of the copy stays in the first-level cache until it is decoded. */
#define SCAN_COPIED_BYTES 4096

/* The rest of an earlier copy, at most SCAN_UNIT_BYTES + 16 bytes; a new one, which may be 31 bytes longer; and the slack. */
#define SCAN_MEMORY (SCAN_UNIT_BYTES + 64 + SCAN_COPIED_BYTES + 64 + SCAN_SLACK)

/*
 * Two blocks side by side: eight rows of 8 + 8 coefficients. Values that belong to no place of a block are written behind them,
 * to index BLOCK_NOWHERE of either block.
 */
#define BLOCK_PAIR 144
#define BLOCK_NOWHERE 128

/* A reader of bits, by value in functions so that it stays in registers. */
struct bits {
    uint64_t next;     /* the next bits are the upper ones */
    uint64_t count;    /* modulo 64: how many of them are accounted for; those below are also right, or 0 */
    const uint8_t *at; /* the eight bytes to load next; descending */
};

/* What happens to one block of an MCU. */
struct block_task {
    const struct dc_table *dc;
    const struct ac_table *ac;
    int16_t *block;     /* zeros, in a pair; NULL to drop the block */
    int32_t *predictor; /* of its component */
    int *last;          /* becomes at least the index behind its last coefficient */
};

/*
 * A place between two MCUs from which the data can be read, without what is before: the bit in the entropy-coded data (their
 * first byte has bits 0 to 7, and stuffed zeros count), and the DC values of the components.
 */
struct entry_point {
    uint32_t bit;
    int16_t predictor[3];
} __attribute__((packed, aligned(2)));

/* Belongs to one thread, and stays where it is. Begins with zeros. */
struct scan {
    const uint8_t *begin;        /* the entropy-coded data */
    const uint8_t *source, *end; /* what is not yet copied */
    const uint8_t *reached;      /* the end of what was copied: before `source` if a marker follows */
    uint8_t memory[SCAN_MEMORY]; /* the copy, which ends at the end of the memory */
    uint8_t *low;                /* the last byte of the copy */
    const uint8_t *told;         /* the last place in the copy that scan_tell has found; NULL for none */
    int64_t escapes;             /* the bytes ff of the copy below it */
    bool ended;                  /* whether the copy has the whole interval */
    int marker;                  /* the marker behind the interval, if it has ended; 0 for none, or something irregular */
    struct bits bits;
    const uint8_t *limit;        /* when bits.at is below, scan_more is needed before the next MCU */
    int32_t predictor[3];
    int restart_interval;
    int until_restart;           /* MCUs; INT32_MAX without restarts */
    int next_restart;            /* 0 to 7 */
    int blocks;                  /* of an MCU */
    const struct dc_table *dc[SCAN_BLOCKS];
    struct ac_table *ac[SCAN_BLOCKS];
    int component[SCAN_BLOCKS];
};

/* Begins a file. `cache` keeps the tables until the next file. Returns false for tables that libjpeg refuses. */
bool scan_begin(struct scan *scan, const struct jpeg_header *header, struct huffman_cache *cache);

/*
 * Sets `point` to the place of the next MCU. Returns false if the place cannot be stored, because it is too far from the beginning,
 * or because something before it is irregular.
 */
bool scan_tell(struct scan *scan, struct entry_point *point);

/*
 * Continues at a place that scan_tell has found in the same data. `unit` is the number of MCUs before it. A place in other data,
 * whose content has the same hash, gives wrong pixels. If it lies behind these data, the scan stays where it is and the result
 * is false, so that nothing outside of them is read.
 */
bool scan_seek(struct scan *scan, struct entry_point point, int64_t unit);

/*
 * Jumps over whole restart intervals, to the last one that begins at or before a MCU. Searches their markers only. libjpeg decodes
 * each interval alone, so what the skipped ones contain changes no pixel of the others, even when it is damaged.
 *
 * unit: the number of MCUs that were read; it becomes the one at which the interval begins
 * Returns false, and stays where it is, if there is no such interval, or if the markers are not those that are expected.
 */
bool scan_jump(struct scan *scan, int64_t *unit, int64_t to);

/* Returns the first byte ff that no stuffed zero follows, or `end`. */
const uint8_t *scan_find_marker(const uint8_t *at, const uint8_t *end);

/* Reads MCUs and drops them. Returns false for irregular data. */
bool scan_skip(struct scan *scan, int64_t units);

/*
 * Reads MCUs and drops them, like scan_skip. Also returns false when a DC value is further from 0 than the limit of its component:
 * after damage, the sum of differences drifts, although all codes may be valid.
 */
bool scan_check(struct scan *scan, int64_t units, const int32_t limits[3]);

/* Returns whether the data end behind the MCUs that were read, with the end of the image. */
bool scan_is_complete(const struct scan *scan);

/*
 * Returns whether all MCUs of the current interval were read, and its data end in a way that is no sign of damage, although
 * scan_check or scan_is_complete has returned false: with zeros, which some cameras write as padding, with more than one byte ff in
 * front of a marker, or with another marker than EOI behind the last interval. The file's markers are intact.
 */
bool scan_ends_unusually(const struct scan *scan, bool last);

/* Makes the tables that drop blocks. scan_unit requires them when a task drops its block. */
void scan_prepare_skips(struct scan *scan);

/* Reads one MCU. Returns false for irregular data; then the blocks have any values. */
bool scan_unit(struct scan *scan, const struct block_task tasks[]);

/* Returns whether all bits that were read exist, and no DC value is far too large. */
bool scan_is_regular(const struct scan *scan);

#endif
