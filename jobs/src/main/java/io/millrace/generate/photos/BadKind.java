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
    /** A sound JPEG with four components, cyan, magenta, yellow and black, as printers like them. */
    CMYK,
    /** A few hundred bytes whose header claims 30000x30000 pixels. */
    HUGE_HEADER;

    /** As in file names: lower case, with hyphens. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
