package io.millrace.generate.photos;

import java.util.Locale;

/** A kind of damage to a file. */
enum BadKind {
    /** A JPEG that ends in the middle of its entropy-coded data. */
    TRUNCATED,
    /** A JPEG with random bytes in the middle of its entropy-coded data. */
    CORRUPT,
    /** An empty file. */
    EMPTY,
    /** A text file with the name of a JPEG. */
    WRONG_EXTENSION,
    /**
     * A JPEG whose header declares 12 bits per channel. Medical devices write such files, and few programs can read
     * them.
     */
    TWELVE_BITS,
    /** A file of a few hundred bytes whose header declares 30000x30000 pixels. */
    HUGE_HEADER;

    /** Returns the name for file names: lower case, with hyphens. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
