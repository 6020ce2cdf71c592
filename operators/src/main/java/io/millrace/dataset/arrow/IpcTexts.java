package io.millrace.dataset.arrow;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.arrow.IpcLayout.FieldLayout;
import io.millrace.dataset.columns.NestedText;
import io.millrace.dataset.columns.StoredValue;
import io.millrace.dataset.columns.StoredValue.Form;
import java.io.IOException;

/**
 * A reader of structs and lists as JSON text. Safe for several threads.
 *
 * <p>Tested by {@code NestedColumnsTest}.
 */
record IpcTexts(IpcBuffers buffers, IpcValues values) {
    /**
     * Returns the JSON text of a row.
     *
     * @param column a column of which {@link IpcColumns#isNestedText} is true
     * @throws BadSampleException when there is no value, its position lies outside of the batch, or a text is no UTF-8
     */
    StoredValue text(IpcBatch batch, FieldLayout column, long row) throws IOException {
        values.requireValue(batch, column, row);
        NestedText text = new NestedText();
        try {
            write(batch, column, row, text);
        } catch (IllegalArgumentException e) {
            throw buffers.badSample(batch, IpcValues.firstBuffer(column), String.valueOf(e.getMessage()));
        }
        return text.value();
    }

    private void write(IpcBatch batch, FieldLayout column, long row, NestedText text) throws IOException {
        values.requireRow(batch, column, row);
        if (values.isNull(batch, column, row)) {
            text.absent();
            return;
        }
        switch (column.field().kind()) {
            case STRUCT -> {
                text.beginStruct();
                for (FieldLayout child : column.children()) {
                    text.name(child.field().name());
                    write(batch, child, row, text);
                }
                text.endStruct();
            }
            case LIST, LIST_VIEW -> {
                long[] range = values.range(batch, column, row);
                writeList(batch, column, range[0], range[1], text);
            }
            case FIXED_LIST -> {
                long size = column.field().listSize();
                writeList(batch, column, row * size, (row + 1) * size, text);
            }
            default -> {
                StoredValue value = values.value(batch, column, row);
                if (value.form() == Form.FIXED) {
                    text.number(value.dtype(), value.data(), 0);
                } else {
                    text.text(value.data());
                }
            }
        }
    }

    private void writeList(IpcBatch batch, FieldLayout column, long from, long to, NestedText text) throws IOException {
        text.beginList();
        for (long i = from; i < to; i++) {
            write(batch, column.children().get(0), i, text);
        }
        text.endList();
    }
}
