package io.millrace.serve;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The place of one field in every buffer. The components have the names and values of the protocol's message PLAN.
 *
 * @param name the name of the column, or {@link BufferLayout#INDEX}, {@link BufferLayout#POSITION} or {@link
 *     BufferLayout#LABEL}
 * @param dtype the type of the elements in the buffer
 * @param shape the extents of one row; of a ragged field, of one entry
 * @param form {@code dense}, {@code bits}, {@code ragged} or {@code sparse}
 * @param kind {@code image}, {@code mask}, {@code tensor} or {@code ragged}
 * @param from the type of the elements in the samples
 * @param offset the offset in bytes of the rows; of a ragged or sparse field, of the place of its entries
 * @param offsets the offset in bytes of the first entry of each row; null unless the field is ragged or sparse
 */
public record BufferField(
        String name,
        String dtype,
        List<Integer> shape,
        String form,
        String kind,
        String from,
        long offset,
        @Nullable Long offsets) {
    public BufferField {
        shape = List.copyOf(shape);
    }
}
