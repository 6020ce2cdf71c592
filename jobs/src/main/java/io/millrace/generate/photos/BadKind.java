package io.millrace.generate.photos;

import java.util.Locale;

/** How a file can be bad. */
enum BadKind {
    /** A JPEG that ends in the middle of its pixels' data. */
    TRUNCATED,
    /** A JPEG with random bytes over the middle of its pixels' data. */
    CORRUPT,
    /** No byte at all. */
    EMPTY,
    /** Text under the name of a JPEG. */
    WRONG_EXTENSION,
    /** A JPEG whose header says 12 bits per channel, as medical devices write them and few programs read. */
    TWELVE_BITS,
    /** A few hundred bytes whose header claims 30000x30000 pixels. */
    HUGE_HEADER;

    /** As in file names: lower case, with hyphens. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
