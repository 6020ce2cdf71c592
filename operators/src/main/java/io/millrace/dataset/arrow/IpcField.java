package io.millrace.dataset.arrow;

import io.millrace.sample.DType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A column of an Arrow schema, or a part of one, as far as it matters for where its values stand.
 *
 * @param kind how its buffers are made up
 * @param type Arrow's name of the type, for messages
 * @param width bytes of one element ({@link Kind#FIXED}) or of one offset (binary, lists); otherwise 0
 * @param dtype what elements are as a field, which may be wider; null where they can be none
 * @param text whether bytes are UTF-8
 * @param listSize elements of each {@link Kind#FIXED_LIST}, otherwise 0
 * @param dictionary the values that this column's numbers stand for
 * @param metadata the field's own
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

    /** How values are laid out, which says how many buffers there are. */
    enum Kind {
        NULL(0),
        /** Validity; bits. */
        BOOL(2),
        /** Validity; elements of one width. */
        FIXED(2),
        /** Validity; offsets; bytes. */
        BINARY(3),
        /** Validity; views; then as many buffers of bytes as each batch says. */
        VIEW(2),
        /** Validity; offsets. */
        LIST(2),
        /** Validity; offsets; sizes. */
        LIST_VIEW(3),
        /** Validity. */
        FIXED_LIST(1),
        /** Validity. */
        STRUCT(1),
        /** Types. */
        SPARSE_UNION(1),
        /** Types; offsets. */
        DENSE_UNION(2),
        RUN_END(0);

        private final int buffers;

        Kind(int buffers) {
            this.buffers = buffers;
        }

        /** Buffers of this field itself, children's left out. */
        int buffers() {
            return buffers;
        }
    }

    /**
     * What numbers stand for.
     *
     * @param id by which dictionary batches name it
     * @param values the type of the values
     */
    record Dictionary(long id, IpcField values) {}

    /** The child of that name, if there is one. */
    Optional<IpcField> child(String childName) {
        return children.stream().filter(c -> c.name().equals(childName)).findFirst();
    }
}
