#include "jpeg_scan.h"

#if defined(__x86_64__) || defined(MILLRACE_PLAIN)

#include <string.h>

/* The tests compile this file a second time, without instructions for vectors (src/test/native/baseline_plain.c). */
#if !defined(MILLRACE_PLAIN)
#define VECTORS
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))
#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

/*
 * The MCUs after which scan_skip checks the DC values. A caller checks them after each row of at most 8188 MCUs. Each MCU adds at
 * most 4 * 32767 to one of them, so none leaves 32 bits before.
 */
#define CHECKED_UNITS 4096
#define MOST_DC (1 << 20)

/* The blocks of the copy are written as 32 bytes, so that up to 31 bytes below it are overwritten. */
#define VECTOR 32

/* ---- Bits ---- */

INLINE uint64_t load(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* After it, at least 56 bits are there. */
INLINE struct bits refill(struct bits bits)
{
    bits.next |= load(bits.at) >> (bits.count & 63);
    bits.at -= ~bits.count >> 3 & 7;
    bits.count |= 56;
    return bits;
}

INLINE struct bits use(struct bits bits, uint64_t count)
{
    bits.next <<= count & 63;
    bits.count -= count;
    return bits;
}

/* The bits from the byte that ends before `end` on, without the first `used`, which may be negative. */
INLINE struct bits bits_from(const uint8_t *end, int64_t used)
{
    struct bits bits = {0, 0, end - 8 - (used >> 3)};
    return use(refill(bits), (uint64_t) used & 7);
}

/* Takes back the bits that were used last. They are within 16 bytes from bits.at on. */
INLINE struct bits back(struct bits bits, int count)
{
    return bits_from(bits.at, -64 - (int64_t) (bits.count & 63) - count);
}

/* The number of copied bits that were not used; negative when more were used. */
INLINE int64_t unused_bits(const struct scan *scan)
{
    return (int64_t) (scan->bits.at + 8 - scan->low) * 8 + (int64_t) (scan->bits.count & 63);
}

/* ---- The copy without stuffed zeros ---- */

/*
 * Copies until SCAN_COPIED_BYTES more are there or the interval ends. Anything but a stuffed zero or a single marker after ff
 * counts as no marker, so that nothing can continue behind it.
 */
static void copy(struct scan *scan)
{
#if defined(VECTORS)
    const __m256i ones = _mm256_set1_epi8(-1);
    const __m256i reverse = _mm256_broadcastsi128_si256(_mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
#endif
    const uint8_t *from = scan->source;
    const uint8_t *end = scan->end;
    uint8_t *to = scan->low;
    const uint8_t *marker = NULL;
    while (scan->low - to < SCAN_COPIED_BYTES) {
#if defined(VECTORS)
        if (end - from > VECTOR) {
            __m256i bytes = _mm256_loadu_si256((const __m256i *) from);
            uint32_t escapes = (uint32_t) _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, ones));
            bytes = _mm256_permute4x64_epi64(_mm256_shuffle_epi8(bytes, reverse), 0x4e);
            _mm256_storeu_si256((__m256i *) (to - VECTOR), bytes);
            if (likely(escapes == 0)) {
                from += VECTOR;
                to -= VECTOR;
                continue;
            }
            int count = __builtin_ctz(escapes) + 1;
            from += count;
            to -= count;
        } else
#endif
        {
            if (from == end) {
                scan->ended = true;
                break;
            }
            *--to = *from++;
            if (*to != 0xff) {
                continue;
            }
        }
        /* The last byte of the copy is ff. */
        if (from < end && *from == 0) {
            from++;
            continue;
        }
        to++;
        marker = from - 1;
        scan->marker = from < end && *from != 0xff ? *from++ : 0;
        scan->ended = true;
        break;
    }
    scan->reached = marker ? marker : from;
    scan->source = from;
    if (scan->ended) {
        memset(to - 64, 0, 64);
    }
    scan->low = to;
    scan->told = NULL;
}

static void set_limit(struct scan *scan)
{
    scan->limit = scan->ended ? scan->low - SCAN_AHEAD : scan->low + SCAN_UNIT_BYTES;
}

/* Begins to copy from `source` on, whose first bits are skipped. */
static void begin_copy(struct scan *scan, int skipped_bits)
{
    scan->low = scan->memory + sizeof scan->memory;
    scan->ended = false;
    scan->marker = 0;
    copy(scan);
    set_limit(scan);
    scan->bits = bits_from(scan->memory + sizeof scan->memory, skipped_bits);
}

static void begin_interval(struct scan *scan)
{
    begin_copy(scan, 0);
    memset(scan->predictor, 0, sizeof scan->predictor);
    scan->until_restart = scan->restart_interval > 0 ? scan->restart_interval : INT32_MAX;
}

/* Moves the rest of the copy to the end of the memory, and continues the copy below it. */
static void copy_more(struct scan *scan)
{
    uint8_t *top = scan->memory + sizeof scan->memory;
    /* The reader can go back by 16 bytes at most, and not in front of the interval. */
    ptrdiff_t kept = scan->bits.at - scan->low + 16;
    kept = kept < top - scan->low ? kept : top - scan->low;
    ptrdiff_t distance = top - scan->low - kept;
    memmove(top - kept, scan->low, (size_t) kept);
    scan->low += distance;
    scan->bits.at += distance;
    copy(scan);
}

/* Makes the next MCU readable. Returns false when the interval is shorter than what was read from it. */
static __attribute__((noinline)) bool scan_more(struct scan *scan)
{
    while (!scan->ended && scan->bits.at < scan->low + SCAN_UNIT_BYTES) {
        copy_more(scan);
    }
    set_limit(scan);
    return scan->bits.at >= scan->limit;
}

/*
 * Goes to the next interval. Requires that the last one has been read to its end, and that its marker is the next one. A copy that
 * has not ended has hundreds of bytes that were not read.
 */
static __attribute__((noinline)) bool restart(struct scan *scan)
{
    if (!scan->ended || unused_bits(scan) > 7 || scan->marker != 0xd0 + scan->next_restart || !scan_is_regular(scan)) {
        return false;
    }
    scan->next_restart = (scan->next_restart + 1) & 7;
    begin_interval(scan);
    return true;
}

/* Prepares the next MCU. */
INLINE bool next_unit(struct scan *scan)
{
    if (unlikely(scan->until_restart == 0) && !restart(scan)) {
        return false;
    }
    scan->until_restart--;
    return likely(scan->bits.at >= scan->limit) || scan_more(scan);
}

/* ---- Symbols ---- */

/* A reader after a symbol that no window holds: its symbol, or the index behind a block, or -1 for invalid data. */
struct found {
    struct bits bits;
    int result;
};

/* At least 16 bits are there. */
INLINE struct found search(struct bits bits, const struct codes *codes)
{
    uint32_t window = (uint32_t) (bits.next >> 48);
    int length = 1;
    while (window >= codes->bound[length]) {
        length++;
    }
    if (length > HUFFMAN_LENGTHS) {
        return (struct found) {bits, -1};
    }
    /* The code is less than the bound of its length and not less than the one before, so its symbol exists. */
    int symbol = codes->symbols[(codes->offset[length] + (int) (window >> (HUFFMAN_LENGTHS - length))) & 255];
    return (struct found) {use(bits, (uint64_t) length), symbol};
}

/* At least 16 bits are there. */
INLINE struct found long_symbol(struct bits bits, const struct ac_table *table)
{
    uint32_t at = (uint32_t) (bits.next >> 48) - table->long_from;
    if (likely(at < LONG_CODES && table->longs[at])) {
        return (struct found) {use(bits, table->longs[at] >> 8), table->longs[at] & 255};
    }
    return search(bits, &table->codes);
}

/* The value in the next 1 to 15 bits. */
INLINE int value_of(struct bits bits, int size)
{
    int value = (int) (bits.next >> (64 - size));
    return value >> (size - 1) ? value : value - (1 << size) + 1;
}

/* After a refill. It leaves at least 42 bits. */
INLINE struct found dc_difference(struct bits bits, const struct dc_table *table, bool *valid)
{
    int32_t entry = table->entries[bits.next >> (64 - DC_WINDOW)];
    if (likely(entry != 0)) {
        uint64_t missing = (bits.next & UINT64_MAX >> DC_WINDOW) >> (entry >> 8 & 63);
        return (struct found) {use(bits, (uint64_t) entry & 63), (entry >> 16) + (int) missing};
    }
    struct found found = search(bits, &table->codes);
    int size = found.result;
    if (size < 0) {
        *valid = false;
        return (struct found) {bits, 0};
    }
    int value = size > 0 ? value_of(found.bits, size) : 0;
    return (struct found) {refill(use(found.bits, (uint64_t) size)), value};
}

/* ---- Blocks ---- */

/*
 * The place of each coefficient in a block of a pair. Indexes from 64 on belong to no coefficient. The table is aligned to its
 * size, so that the address in it of the next coefficient shows whether the block has ended.
 */
#define P(natural) (natural) / 8 * 16 + (natural) % 8
static const uint8_t places[256] __attribute__((aligned(256))) = {
    P(0),  P(1),  P(8),  P(16), P(9),  P(2),  P(3),  P(10), P(17), P(24), P(32), P(25), P(18), P(11), P(4),  P(5),
    P(12), P(19), P(26), P(33), P(40), P(48), P(41), P(34), P(27), P(20), P(13), P(6),  P(7),  P(14), P(21), P(28),
    P(35), P(42), P(49), P(56), P(57), P(50), P(43), P(36), P(29), P(22), P(15), P(23), P(30), P(37), P(44), P(51),
    P(58), P(59), P(52), P(45), P(38), P(31), P(39), P(46), P(53), P(60), P(61), P(54), P(47), P(55), P(62), P(63),
    [64 ... 255] = BLOCK_NOWHERE};

/* Reads the rest of a block symbol by symbol, from coefficient `at` on. It is exact where a block ends without a symbol for it. */
static __attribute__((noinline, cold)) struct found finish(
    struct bits bits, const struct ac_table *table, int at, int16_t *block)
{
    while (at < 64) {
        struct found found = search(refill(bits), &table->codes);
        int size = found.result & 15;
        int run = found.result >> 4;
        bits = found.bits;
        if (found.result < 0 || (size == 0 && run != 0 && run != 15)) {
            return (struct found) {bits, -1};
        }
        if (size == 0 && run == 0) {
            return (struct found) {bits, at};
        }
        at += run;
        if (block && size > 0) {
            block[places[at]] = (int16_t) value_of(bits, size); /* at <= 63 + 15 */
        }
        bits = use(bits, (uint64_t) size);
        at++;
    }
    return (struct found) {bits, at == 64 ? 64 : -1};
}

/*
 * Reads the coefficients of a block but for the first. At least 42 bits are there. The result is the index behind the last one.
 *
 * Places that are written: the next coefficient has an index of at most 63. An entry adds at most 16 + 15 to it, or AC_NOWHERE,
 * so the table of places has an entry for it, which is a place of the block or BLOCK_NOWHERE.
 */
INLINE struct found ac_coefficients(struct bits bits, const struct ac_table *table, int16_t *block)
{
    const struct ac_entry *entry;
    const uint8_t *place = places + 1;
/*
 * A macro, because the loop below must be left from the middle. The next lookup waits for the head only. `index` is hidden from
 * the compiler in `same`, so that the head is loaded in one step from the table and an index, a cycle earlier than from the
 * address of the entry. The end of a block is a branch of its own, because the two branches are predicted better than one.
 */
#define LOOK_UP                                                                      \
    {                                                                                \
        uint64_t index = bits.next >> (64 - AC_WINDOW);                              \
        uint64_t same = index;                                                       \
        __asm__("" : "+r"(same));                                                    \
        entry = table->entries + same;                                               \
        uint64_t head = table->entries[index].head;                                  \
        uint64_t missing = (bits.next & UINT64_MAX >> AC_WINDOW) >> (entry->shift & 63); \
        uint32_t value = (uint32_t) (int32_t) entry->value2 + (uint32_t) missing;    \
        bits = use(bits, head);                                                      \
        block[place[entry->first]] = entry->value1;                                  \
        block[place[entry->second]] = (int16_t) value;                               \
        place += head >> 8;                                                          \
        if ((uintptr_t) place & 64) {                                                \
            break;                                                                   \
        }                                                                            \
        if ((uintptr_t) place & AC_END) {                                            \
            return (struct found) {bits, (int) (place - places) - AC_END};           \
        }                                                                            \
    }
    for (;;) {
        for (;;) {
            LOOK_UP
            LOOK_UP
            LOOK_UP
            bits = refill(bits);
            LOOK_UP
        }
        int at = (int) (place - places);
        if (at == 64) {
            return (struct found) {bits, 64};
        }
        if (unlikely(entry->head >> 8 != AC_UNKNOWN)) {
            /* The first symbol of the entry completed the block or left it, and the second one does not belong to it. */
            return finish(back(bits, entry->head & 255), table, at - (entry->head >> 8), block);
        }
        place -= AC_UNKNOWN;
        struct found found = long_symbol(refill(bits), table);
        int size = found.result & 15;
        bits = found.bits;
        if (unlikely(found.result <= 0)) {
            return (struct found) {bits, found.result < 0 ? -1 : (int) (place - places)};
        }
        place += found.result >> 4;
        if (likely(size > 0)) {
            block[*place] = (int16_t) value_of(bits, size); /* an index of at most 63 + 15 */
        } else if (found.result != 0xf0) {
            return (struct found) {bits, -1};
        }
        place++;
        bits = refill(use(bits, (uint64_t) size));
        if (place >= places + 64) {
            return (struct found) {bits, place == places + 64 ? 64 : -1};
        }
    }
#undef LOOK_UP
}

/* The same for a block that is dropped. At least 42 bits are there. */
INLINE struct found skip_coefficients(struct bits bits, const struct ac_table *table)
{
    uint64_t at = 1;
    uint64_t entry;
#define LOOK_UP                                                   \
    {                                                             \
        entry = table->skips[bits.next >> (64 - SKIP_WINDOW)];    \
        bits = use(bits, entry);                                  \
        at += entry >> 6;                                         \
        if (at >= 64) {                                           \
            break;                                                \
        }                                                         \
    }
    for (;;) {
        for (;;) {
            LOOK_UP
            LOOK_UP
            bits = refill(bits);
            LOOK_UP
        }
        if (likely(at - SKIP_END < 64 || at == 64)) {
            return (struct found) {bits, 64};
        }
        if (unlikely(entry >> 6 != SKIP_UNKNOWN)) {
            return finish(back(bits, (int) (entry & 63)), table, (int) (at - (entry >> 6)), NULL);
        }
        at -= SKIP_UNKNOWN;
        struct found found = long_symbol(refill(bits), table);
        int size = found.result & 15;
        bits = found.bits;
        if (unlikely(found.result <= 0 || (size == 0 && found.result != 0xf0))) {
            return (struct found) {bits, found.result == 0 ? 64 : -1};
        }
        bits = refill(use(bits, (uint64_t) size));
        at += (uint64_t) (found.result >> 4) + 1;
        if (at >= 64) {
            return (struct found) {bits, at == 64 ? 64 : -1};
        }
    }
#undef LOOK_UP
}

/* ---- MCUs ---- */

bool scan_unit(struct scan *scan, const struct block_task tasks[])
{
    if (!next_unit(scan)) {
        return false;
    }
    struct bits bits = scan->bits;
    bool valid = true;
    const struct block_task *end = tasks + scan->blocks;
    for (const struct block_task *task = tasks; task < end; task++) {
        struct found found = dc_difference(refill(bits), task->dc, &valid);
        int32_t value = *task->predictor + found.result;
        *task->predictor = value;
        int16_t *block = task->block;
        if (block) {
            block[0] = (int16_t) value;
            found = ac_coefficients(found.bits, task->ac, block);
            *task->last = found.result > *task->last ? found.result : *task->last;
        } else {
            found = skip_coefficients(found.bits, task->ac);
        }
        if (unlikely(found.result < 0)) {
            return false;
        }
        bits = found.bits;
    }
    scan->bits = bits;
    return valid;
}

/* limits: see scan_check; NULL for none */
INLINE bool skip_unit(struct scan *scan, const int32_t *limits)
{
    if (!next_unit(scan)) {
        return false;
    }
    struct bits bits = scan->bits;
    bool valid = true;
    for (int i = 0; i < scan->blocks; i++) {
        struct found found = dc_difference(refill(bits), scan->dc[i], &valid);
        int component = scan->component[i];
        scan->predictor[component] += found.result;
        if (limits) {
            int32_t value = scan->predictor[component];
            valid &= value <= limits[component] && value >= -limits[component];
        }
        found = skip_coefficients(found.bits, scan->ac[i]);
        valid &= found.result >= 0;
        bits = found.bits;
    }
    scan->bits = bits;
    return valid;
}

void scan_prepare_skips(struct scan *scan)
{
    for (int i = 0; i < scan->blocks; i++) {
        huffman_skips(scan->ac[i]);
    }
}

bool scan_skip(struct scan *scan, int64_t units)
{
    if (units > 0) {
        scan_prepare_skips(scan);
    }
    for (int64_t i = 0; i < units; i++) {
        if (unlikely(!skip_unit(scan, NULL)) || (i % CHECKED_UNITS == CHECKED_UNITS - 1 && !scan_is_regular(scan))) {
            return false;
        }
    }
    return true;
}

bool scan_check(struct scan *scan, int64_t units, const int32_t limits[3])
{
    scan_prepare_skips(scan);
    for (int64_t i = 0; i < units; i++) {
        if (unlikely(!skip_unit(scan, limits))) {
            return false;
        }
    }
    return scan_is_regular(scan);
}

bool scan_is_complete(const struct scan *scan)
{
    const uint8_t *next = scan->source;
    /* Some encoders write a restart marker behind every interval, also the last one. */
    bool restart = scan->marker >= 0xd0 && scan->marker <= 0xd7 && scan->end - next >= 2 && next[0] == 0xff && next[1] == 0xd9;
    return scan->ended && (scan->marker == 0xd9 || restart) && unused_bits(scan) <= 7 && scan_is_regular(scan);
}

bool scan_ends_unusually(const struct scan *scan, bool last)
{
    int64_t unused = unused_bits(scan);
    if ((!last && scan->until_restart != 0) || unused < 0 || !scan_is_regular(scan)) {
        return false;
    }
    for (const uint8_t *at = scan->low; at < scan->low + unused / 8; at++) {
        if (*at != 0) {
            return false;
        }
    }
    if (!scan->ended || scan->marker == 0) {
        return true;
    }
    bool restart = scan->marker >= 0xd0 && scan->marker <= 0xd7;
    if (!last) {
        return scan->marker == 0xd0 + scan->next_restart;
    }
    return !restart || (scan->source < scan->end && *scan->source == 0xff);
}

bool scan_is_regular(const struct scan *scan)
{
    for (int i = 0; i < 3; i++) {
        if (scan->predictor[i] > MOST_DC || scan->predictor[i] < -MOST_DC) {
            return false;
        }
    }
    return unused_bits(scan) >= 0;
}

/* ---- Entry points ---- */

static int64_t count_escapes(const uint8_t *at, int64_t bytes)
{
    int64_t count = 0;
#if defined(VECTORS)
    const __m256i ones = _mm256_set1_epi8(-1);
    for (; bytes >= VECTOR; bytes -= VECTOR, at += VECTOR) {
        __m256i equal = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *) at), ones);
        count += __builtin_popcount((unsigned int) _mm256_movemask_epi8(equal));
    }
#endif
    for (; bytes > 0; bytes--) {
        count += *at++ == 0xff;
    }
    return count;
}

bool scan_tell(struct scan *scan, struct entry_point *point)
{
    if (!scan_is_regular(scan)) {
        return false;
    }
    /* The copied bytes that are not completely used. Behind each ff of them, the source has a stuffed zero. */
    int64_t unused = unused_bits(scan);
    int64_t bytes = (unused + 7) / 8;
    const uint8_t *told = scan->low + bytes;
    /* From one MCU to the next, the reader only moves down in the copy, so that each byte is counted once. */
    if (scan->told) {
        scan->escapes -= count_escapes(told, scan->told - told);
    } else {
        scan->escapes = count_escapes(scan->low, bytes);
    }
    scan->told = told;
    int64_t byte = scan->reached - scan->begin - bytes - scan->escapes;
    int64_t bit = byte * 8 + (bytes * 8 - unused);
    if (bit > UINT32_MAX) {
        return false;
    }
    point->bit = (uint32_t) bit;
    for (int i = 0; i < 3; i++) {
        point->predictor[i] = (int16_t) scan->predictor[i];
        if (point->predictor[i] != scan->predictor[i]) {
            return false;
        }
    }
    return true;
}

bool scan_seek(struct scan *scan, struct entry_point point, int64_t unit)
{
    if (point.bit / 8 > scan->end - scan->begin) {
        return false;
    }
    scan->source = scan->begin + point.bit / 8;
    begin_copy(scan, (int) (point.bit % 8));
    for (int i = 0; i < 3; i++) {
        scan->predictor[i] = point.predictor[i];
    }
    scan->until_restart = INT32_MAX;
    if (scan->restart_interval > 0) {
        /* Between two intervals, the marker has not been read yet. */
        int64_t restarts = unit > 0 ? (unit - 1) / scan->restart_interval : 0;
        scan->until_restart = (int) ((restarts + 1) * scan->restart_interval - unit);
        scan->next_restart = (int) (restarts & 7);
    }
    return true;
}

/* ---- Restart intervals ---- */

const uint8_t *scan_find_marker(const uint8_t *at, const uint8_t *end)
{
#if defined(VECTORS)
    const __m256i ones = _mm256_set1_epi8(-1);
    for (; end - at > VECTOR; at += VECTOR) {
        __m256i escapes = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *) at), ones);
        __m256i stuffed = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *) (at + 1)), _mm256_setzero_si256());
        uint32_t markers = (uint32_t) _mm256_movemask_epi8(_mm256_andnot_si256(stuffed, escapes));
        if (markers != 0) {
            return at + __builtin_ctz(markers);
        }
    }
#endif
    while (at < end && (*at != 0xff || (at + 1 < end && at[1] == 0))) {
        at++;
    }
    return at;
}

bool scan_jump(struct scan *scan, int64_t *unit, int64_t to)
{
    if (scan->restart_interval == 0) {
        return false;
    }
    /* Behind the last MCU of an interval, the marker has not been read yet. */
    int64_t begin = *unit - (scan->restart_interval - scan->until_restart);
    int64_t passed = begin / scan->restart_interval;
    int64_t needed = to / scan->restart_interval;
    /* A copy that has not ended stops between two bytes of data. */
    const uint8_t *at = scan->ended ? scan->reached : scan->source;
    int marker = scan->next_restart;
    for (int64_t i = passed; i < needed; i++) {
        at = scan_find_marker(at, scan->end);
        if (scan->end - at < 2 || at[1] != 0xd0 + marker) {
            return false;
        }
        at += 2;
        marker = (marker + 1) & 7;
    }
    if (needed == passed) {
        return false;
    }
    scan->source = at;
    scan->next_restart = marker;
    begin_interval(scan);
    *unit = needed * scan->restart_interval;
    return true;
}

/* ---- Files ---- */

static void add_blocks(struct scan *scan, const struct jpeg_header *header, struct huffman_cache *cache, int component, int count)
{
    struct ac_table *ac = huffman_ac(cache, header->ac_codes[header->component[component].ac]);
    const struct dc_table *dc = huffman_dc(cache, header->dc_codes[header->component[component].dc]);
    for (int i = 0; i < count; i++, scan->blocks++) {
        scan->component[scan->blocks] = component;
        scan->ac[scan->blocks] = ac;
        scan->dc[scan->blocks] = dc;
    }
}

bool scan_begin(struct scan *scan, const struct jpeg_header *header, struct huffman_cache *cache)
{
    scan->blocks = 0;
    for (int i = 0; i < header->components; i++) {
        add_blocks(scan, header, cache, i, i == 0 ? header->across * header->down : 1);
    }
    for (int i = 0; i < scan->blocks; i++) {
        if (!scan->ac[i] || !scan->dc[i]) {
            return false;
        }
    }
    scan->begin = header->scan;
    scan->source = header->scan;
    scan->end = header->end;
    scan->restart_interval = header->restart_interval;
    scan->next_restart = 0;
    begin_interval(scan);
    return true;
}

#endif
