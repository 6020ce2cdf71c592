#include "jpeg_header.h"

#include <string.h>

/* The largest extent that libjpeg accepts. */
#define MOST_PIXELS 65500

/* The number of bytes of a JFIF segment, and of an Adobe segment, from which libjpeg recognises them. */
#define JFIF_BYTES 14
#define ADOBE_BYTES 12

/* The place of each coefficient in natural order, by its index in the file. */
static const uint8_t natural_order[64] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63};

/* The tables of ITU-T T.81, annex K. libjpeg-turbo uses them for frames of Motion JPEG, which have none. */
static const uint8_t luma_dc[] = {
    0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7,
    8, 9, 10, 11};
static const uint8_t chroma_dc[] = {
    0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7,
    8, 9, 10, 11};
static const uint8_t luma_ac[] = {
    0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125, 1, 2, 3, 0, 4, 17, 5, 18,
    33, 49, 65, 6, 19, 81, 97, 7, 34, 113, 20, 50, 129, 145, 161, 8, 35, 66, 177, 193, 21, 82, 209, 240,
    36, 51, 98, 114, 130, 9, 10, 22, 23, 24, 25, 26, 37, 38, 39, 40, 41, 42, 52, 53, 54, 55, 56, 57,
    58, 67, 68, 69, 70, 71, 72, 73, 74, 83, 84, 85, 86, 87, 88, 89, 90, 99, 100, 101, 102, 103, 104, 105,
    106, 115, 116, 117, 118, 119, 120, 121, 122, 131, 132, 133, 134, 135, 136, 137, 138, 146, 147, 148, 149, 150, 151, 152,
    153, 154, 162, 163, 164, 165, 166, 167, 168, 169, 170, 178, 179, 180, 181, 182, 183, 184, 185, 186, 194, 195, 196, 197,
    198, 199, 200, 201, 202, 210, 211, 212, 213, 214, 215, 216, 217, 218, 225, 226, 227, 228, 229, 230, 231, 232, 233, 234,
    241, 242, 243, 244, 245, 246, 247, 248, 249, 250};
static const uint8_t chroma_ac[] = {
    0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119, 0, 1, 2, 3, 17, 4, 5, 33,
    49, 6, 18, 65, 81, 7, 97, 113, 19, 34, 50, 129, 8, 20, 66, 145, 161, 177, 193, 9, 35, 51, 82, 240,
    21, 98, 114, 209, 10, 22, 36, 52, 225, 37, 241, 23, 24, 25, 26, 38, 39, 40, 41, 42, 53, 54, 55, 56,
    57, 58, 67, 68, 69, 70, 71, 72, 73, 74, 83, 84, 85, 86, 87, 88, 89, 90, 99, 100, 101, 102, 103, 104,
    105, 106, 115, 116, 117, 118, 119, 120, 121, 122, 130, 131, 132, 133, 134, 135, 136, 137, 138, 146, 147, 148, 149, 150,
    151, 152, 153, 154, 162, 163, 164, 165, 166, 167, 168, 169, 170, 178, 179, 180, 181, 182, 183, 184, 185, 186, 194, 195,
    196, 197, 198, 199, 200, 201, 202, 210, 211, 212, 213, 214, 215, 216, 217, 218, 226, 227, 228, 229, 230, 231, 232, 233,
    234, 242, 243, 244, 245, 246, 247, 248, 249, 250};

/* What the segments say, and the header does not keep. */
struct facts {
    bool frame, jfif, adobe;
    int adobe_transform;
    unsigned int quanta; /* a bit for each table that is defined */
    uint8_t ids[3], sampling[3];
};

/* The contents of a segment, without its marker and its length. */
struct segment {
    const uint8_t *at, *end;
};

static int u16(const uint8_t *at)
{
    return at[0] << 8 | at[1];
}

static bool read_quanta(struct jpeg_header *header, struct facts *facts, struct segment segment)
{
    while (segment.at < segment.end) {
        int bytes = (*segment.at >> 4) + 1;
        int table = *segment.at & 15;
        segment.at++;
        if (bytes > 2 || table >= JPEG_TABLES || segment.end - segment.at < 64 * bytes) {
            return false;
        }
        for (int i = 0; i < 64; i++) {
            header->quanta[table][natural_order[i]] = (uint16_t) (bytes == 2 ? u16(segment.at + 2 * i) : segment.at[i]);
        }
        facts->quanta |= 1u << table;
        segment.at += 64 * bytes;
    }
    return true;
}

/* Returns whether all codes of a table exist. Tables that no scan uses are checked too, as in io.millrace.image.codec. */
static bool codes_exist(const uint8_t *counts)
{
    uint32_t code = 0;
    for (int length = 1; length <= HUFFMAN_LENGTHS; length++) {
        code = 2 * code + counts[length - 1];
        if (code > 1u << length) {
            return false;
        }
    }
    return true;
}

static bool read_codes(struct jpeg_header *header, struct segment segment)
{
    while (segment.at < segment.end) {
        int kind = *segment.at >> 4;
        int table = *segment.at & 15;
        segment.at++;
        if (kind > 1 || table >= JPEG_TABLES || segment.end - segment.at < HUFFMAN_LENGTHS) {
            return false;
        }
        int symbols = 0;
        for (int i = 0; i < HUFFMAN_LENGTHS; i++) {
            symbols += segment.at[i];
        }
        if (symbols > HUFFMAN_MOST_SYMBOLS || !codes_exist(segment.at) || segment.end - segment.at < HUFFMAN_LENGTHS + symbols) {
            return false;
        }
        (kind == 0 ? header->dc_codes : header->ac_codes)[table] = segment.at;
        segment.at += HUFFMAN_LENGTHS + symbols;
    }
    return true;
}

static bool read_frame(struct jpeg_header *header, struct facts *facts, struct segment segment)
{
    const uint8_t *at = segment.at;
    if (facts->frame || segment.end - at < 6 || at[0] != 8) {
        return false;
    }
    facts->frame = true;
    header->height = u16(at + 1);
    header->width = u16(at + 3);
    header->components = at[5];
    if (header->height < 1 || header->height > MOST_PIXELS || header->width < 1 || header->width > MOST_PIXELS
        || (header->components != 1 && header->components != 3) || segment.end - at != 6 + 3 * header->components) {
        return false;
    }
    for (int i = 0; i < header->components; i++) {
        const uint8_t *component = at + 6 + 3 * i;
        facts->ids[i] = component[0];
        facts->sampling[i] = component[1];
        header->component[i].quanta = component[2];
        if (component[2] >= JPEG_TABLES) {
            return false;
        }
    }
    return true;
}

/* Gives a file without any table those that libjpeg-turbo uses then. If only some are missing, the file is damaged. */
static void use_standard_codes(struct jpeg_header *header)
{
    for (int table = 0; table < JPEG_TABLES; table++) {
        if (header->dc_codes[table] || header->ac_codes[table]) {
            return;
        }
    }
    header->dc_codes[0] = luma_dc;
    header->dc_codes[1] = chroma_dc;
    header->ac_codes[0] = luma_ac;
    header->ac_codes[1] = chroma_ac;
}

/* Requires all components in the order of the frame, and all coefficients at once. */
static bool read_scan(struct jpeg_header *header, const struct facts *facts, struct segment segment)
{
    int count = header->components;
    const uint8_t *at = segment.at;
    if (!facts->frame || segment.end - at != 4 + 2 * count || at[0] != count) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        struct jpeg_component *component = header->component + i;
        component->dc = at[2 + 2 * i] >> 4;
        component->ac = at[2 + 2 * i] & 15;
        if (at[1 + 2 * i] != facts->ids[i] || component->dc >= JPEG_TABLES || component->ac >= JPEG_TABLES
            || !header->dc_codes[component->dc] || !header->ac_codes[component->ac]
            || !(facts->quanta >> component->quanta & 1)) {
            return false;
        }
    }
    const uint8_t *coefficients = at + 1 + 2 * count;
    return coefficients[0] == 0 && coefficients[1] == 63 && coefficients[2] == 0;
}

/* Sets the sampling. A scan of one component has one block in each MCU, whatever its sampling factors are. */
static bool set_sampling(struct jpeg_header *header, const struct facts *facts)
{
    int across = facts->sampling[0] >> 4;
    int down = facts->sampling[0] & 15;
    if (header->components == 1) {
        header->across = header->down = 1;
        return across >= 1 && across <= 4 && down >= 1 && down <= 4;
    }
    header->across = across;
    header->down = down;
    return (across == 1 || across == 2) && (down == 1 || down == 2) && facts->sampling[1] == 0x11 && facts->sampling[2] == 0x11;
}

/* Sets the colour space by libjpeg's rules, in this order: the JFIF segment, the Adobe segment, the names of the components. */
static bool set_color(struct jpeg_header *header, const struct facts *facts)
{
    const uint8_t *ids = facts->ids;
    header->rgb = false;
    if (header->components == 1) {
        return true;
    }
    if (ids[0] == ids[1] || ids[0] == ids[2] || ids[1] == ids[2]) {
        return false;
    }
    if (!facts->jfif) {
        header->rgb = facts->adobe ? facts->adobe_transform == 0 : memcmp(ids, "RGB", 3) == 0;
    }
    return !header->rgb || (header->across == 1 && header->down == 1);
}

/* Reads one segment in front of the scan. */
static bool read_segment(struct jpeg_header *header, struct facts *facts, int marker, struct segment segment)
{
    ptrdiff_t length = segment.end - segment.at;
    switch (marker) {
    case 0xc0:
    case 0xc1:
        return read_frame(header, facts, segment);
    case 0xc4:
        return read_codes(header, segment);
    case 0xdb:
        return read_quanta(header, facts, segment);
    case 0xdd:
        header->restart_interval = length == 2 ? u16(segment.at) : 0;
        return length == 2;
    case 0xe0:
        facts->jfif |= length >= JFIF_BYTES && memcmp(segment.at, "JFIF", 5) == 0;
        return true;
    case 0xee:
        if (length >= ADOBE_BYTES && memcmp(segment.at, "Adobe", 5) == 0) {
            facts->adobe = true;
            facts->adobe_transform = segment.at[11];
        }
        return true;
    default:
        /* Other application data and comments. libjpeg refuses or treats specially what is left. */
        return (marker >= 0xe1 && marker <= 0xef) || marker == 0xfe;
    }
}

bool jpeg_header_read(struct jpeg_header *header, const uint8_t *data, size_t size)
{
    struct facts facts = {0};
    header->restart_interval = 0;
    memset(header->dc_codes, 0, sizeof header->dc_codes);
    memset(header->ac_codes, 0, sizeof header->ac_codes);
    if (size < 4 || data[0] != 0xff || data[1] != 0xd8) {
        return false;
    }
    const uint8_t *at = data + 2;
    header->end = data + size;
    for (;;) {
        while (header->end - at >= 2 && at[0] == 0xff && at[1] == 0xff) {
            at++;
        }
        if (header->end - at < 4 || at[0] != 0xff) {
            return false;
        }
        int marker = at[1];
        int length = u16(at + 2);
        if (length < 2 || header->end - at - 2 < length) {
            return false;
        }
        struct segment segment = {at + 4, at + 2 + length};
        at = segment.end;
        if (marker == 0xda) {
            header->scan = at;
            use_standard_codes(header);
            return read_scan(header, &facts, segment) && set_sampling(header, &facts) && set_color(header, &facts);
        }
        if (!read_segment(header, &facts, marker, segment)) {
            return false;
        }
    }
}
