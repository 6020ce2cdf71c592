package io.millrace.dataset.arrow;

import io.millrace.sample.DType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A column of an Arrow schema, or a part of a column, with the properties that decide where its values are stored.
 *
 * @param name the column's name
 * @param kind the layout of its values
 * @param type Arrow's name of the type, for messages
 * @param width the number of bytes of one element ({@link Kind#FIXED}) or of one offset (binary, lists); otherwise 0
 * @param dtype the element type of the sample's field, which may be wider than the stored type; null when the values
 *     cannot become a field
 * @param text whether bytes are UTF-8
 * @param listSize the number of elements of each {@link Kind#FIXED_LIST}, otherwise 0
 * @param children the columns that this column consists of
 * @param dictionary the values that this column's numbers stand for
 * @param metadata the field's own metadata
 */
record IpcField(
        String name,
        Kind kind,
        String type,
        int width,
        @Nullable DType dtype,
        boolean text,
        int listSize,
        List<IpcField> children,
        Optional<Dictionary> dictionary,
        Map<String, String> metadata) {

    /** The layout of values. Each constant lists the buffers of a field in their order. */
    enum Kind {
        NULL(0),
        /** A buffer of validity bits and a buffer of one bit for each value. */
        BOOL(2),
        /** Validity bits, and elements of one width. */
        FIXED(2),
        /** Validity bits, offsets, and bytes. */
        BINARY(3),
        /** Validity bits and views, and then a number of buffers of bytes that each batch states. */
        VIEW(2),
        /** Validity bits and offsets. */
        LIST(2),
        /** Validity bits, offsets, and sizes. */
        LIST_VIEW(3),
        /** Validity bits only. */
        FIXED_LIST(1),
        /** Validity bits only. */
        STRUCT(1),
        /** A buffer of type numbers only. */
        SPARSE_UNION(1),
        /** Type numbers and offsets. */
        DENSE_UNION(2),
        RUN_END(0);

        private final int buffers;

        Kind(int buffers) {
            this.buffers = buffers;
        }

        /** Returns the number of buffers of this field itself, without those of its children. */
        int buffers() {
            return buffers;
        }
    }

    /**
     * A dictionary, whose values the column's numbers stand for.
     *
     * @param id the id by which dictionary batches name the dictionary
     * @param values the type of the values
     */
    record Dictionary(long id, IpcField values) {}

    /** Returns the child with the given name, if it exists. */
    Optional<IpcField> child(String childName) {
        return children.stream().filter(c -> c.name().equals(childName)).findFirst();
    }
}
