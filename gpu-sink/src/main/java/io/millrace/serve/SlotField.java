package io.millrace.serve;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The place of one field in every slot. The components have the names and values of the protocol's message PLAN.
 *
 * @param name the name of the column, or {@link SlotLayout#INDEX}, {@link SlotLayout#POSITION} or {@link
 *     SlotLayout#LABEL}
 * @param dtype the type of the elements in the slot
 * @param shape the extents of one row; of a ragged field, of one entry
 * @param form {@code dense}, {@code bits}, {@code ragged} or {@code sparse}
 * @param kind {@code image}, {@code mask}, {@code tensor} or {@code ragged}
 * @param from the type of the elements in the samples
 * @param offset the offset in bytes of the rows; of a ragged or sparse field, of the place of its entries
 * @param offsets the offset in bytes of the first entry of each row; null unless the field is ragged or sparse
 */
public record SlotField(
        String name,
        String dtype,
        List<Integer> shape,
        String form,
        String kind,
        String from,
        long offset,
        @Nullable Long offsets) {
    public SlotField {
        shape = List.copyOf(shape);
    }
}
