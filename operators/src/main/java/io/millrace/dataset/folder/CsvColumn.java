package io.millrace.dataset.folder;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.fields.DecimalText;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.FieldSource.As;
import io.millrace.dataset.fields.FieldValues;
import io.millrace.dataset.fields.ValuePlace;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * A column of {@code labels.csv}. If all values are whole numbers, the fields are whole numbers. If all values are
 * numbers, the fields are floating-point numbers. Otherwise the fields are text. A missing value does not change the type of
 * the column; a sample without a number is bad. One thread fills the column, and then any thread may read it.
 */
final class CsvColumn {
    private final int index;
    private final boolean picture;
    private final FileList values = new FileList();
    private boolean whole = true;
    private boolean number = true;
    private boolean empty = true;

    /**
     * Creates an empty column.
     *
     * @param index the index of the column's values in a line, from 0
     * @param picture whether the values are files of pictures
     */
    CsvColumn(int index, boolean picture) {
        this.index = index;
        this.picture = picture;
    }

    int index() {
        return index;
    }

    /** Adds the value of the next sample, and, if it is the file of a picture, adds that to the files of the folder. */
    void add(String value, FolderListings listings) throws IOException {
        if (picture) {
            listings.addPicture(value);
        }
        values.add(value, 0);
        String stripped = value.strip();
        if (stripped.isEmpty()) {
            return;
        }
        empty = false;
        DecimalText.Form form = DecimalText.form(stripped);
        whole &= form == DecimalText.Form.WHOLE;
        number &= form != DecimalText.Form.OTHER;
    }

    /** Returns a sample's value as the file stores it. */
    String text(int sample) {
        return values.path(sample);
    }

    /** Returns the value of a sample as a field. */
    Field field(FieldSource source, int sample, ValuePlace where) throws BadSampleException {
        String text = text(sample);
        if (!number || empty || source.as() == As.TEXT) {
            return FieldValues.text(source, text.getBytes(StandardCharsets.UTF_8), where);
        }
        text = text.strip();
        if (text.isEmpty()) {
            throw where.badSample(
                    "expected a number in the column '" + source.from() + "' of " + LabelsFile.NAME + ", found none");
        }
        ByteBuffer value = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        value = whole ? value.putLong(Long.parseLong(text)) : value.putDouble(DecimalText.real(text));
        return FieldValues.numbers(source, whole ? DType.INT64 : DType.FLOAT64, new int[0], value.array(), where);
    }
}
