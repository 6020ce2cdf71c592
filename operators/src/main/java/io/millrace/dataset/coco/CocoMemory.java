package io.millrace.dataset.coco;

import io.millrace.dataset.DatasetException;
import io.millrace.file.HeapLimit;

/**
 * An estimate of the memory that the content of an annotations file takes, with what its ordering takes for a while. A file that would take
 * more than three quarters of the heap is refused, because a full heap makes the process slow before it fails. The estimate depends only on the
 * content, so that the same files are read each time.
 *
 * <p>Tested by {@code CocoBombsTest}.
 */
final class CocoMemory {
    /** The bytes of an image without the letters of its path, of an annotation without its lists, and of a text. */
    static final long IMAGE = 200;

    static final long ANNOTATION = 100;
    static final long TEXT = 100;

    private final String file;
    private final long most;
    private long bytes;

    CocoMemory(String file) {
        this(file, Runtime.getRuntime().maxMemory() / 4 * 3);
    }

    CocoMemory(String file, long most) {
        this.file = file;
        this.most = most;
    }

    /** Adds bytes that stay in memory. */
    void add(long more) throws DatasetException {
        bytes += more;
        if (bytes > most) {
            throw new DatasetException(
                    file + ": expected images and annotations that take at most three quarters of the heap, " + most
                            + " bytes, found more; " + HeapLimit.REMEDY);
        }
    }

    /** Adds a text, of which each letter takes up to two bytes. */
    void add(String text) throws DatasetException {
        add(TEXT + 2L * text.length());
    }
}
