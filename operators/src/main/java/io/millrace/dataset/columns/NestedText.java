package io.millrace.dataset.columns;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.millrace.dataset.fields.Utf8;
import io.millrace.sample.DType;
import io.millrace.sample.Halves;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The JSON text of one value of a column of structs and lists, such as the messages of a chat. It has no white space, and NaN and
 * Infinity are written as Python's json does. Belongs to one thread.
 *
 * <p>Tested by {@code NestedColumnsTest}.
 */
public final class NestedText {
    private static final JsonFactory FACTORY =
            JsonFactory.builder().disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS).build();

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final JsonGenerator json;

    /** Creates the text of a value that is not written yet. */
    public NestedText() throws IOException {
        this.json = FACTORY.createGenerator(bytes);
    }

    /** Begins a struct. */
    public void beginStruct() throws IOException {
        json.writeStartObject();
    }

    /** Writes the name of the next value of the struct. */
    public void name(String name) throws IOException {
        json.writeFieldName(name);
    }

    /** Ends the struct. */
    public void endStruct() throws IOException {
        json.writeEndObject();
    }

    /** Begins a list. */
    public void beginList() throws IOException {
        json.writeStartArray();
    }

    /** Ends the list. */
    public void endList() throws IOException {
        json.writeEndArray();
    }

    /** Writes null. */
    public void absent() throws IOException {
        json.writeNull();
    }

    /**
     * Writes a text.
     *
     * @throws IllegalArgumentException when the bytes are no UTF-8; the message states the reason
     */
    public void text(byte[] utf8) throws IOException {
        if (Utf8.firstBad(utf8, 0) >= 0) {
            throw new IllegalArgumentException("expected text in UTF-8, found other bytes");
        }
        json.writeUTF8String(utf8, 0, utf8.length);
    }

    /** Writes one of several numbers, which are little-endian. */
    public void number(DType dtype, byte[] numbers, int index) throws IOException {
        ByteBuffer values = ByteBuffer.wrap(numbers).order(ByteOrder.LITTLE_ENDIAN);
        int at = index * dtype.bytes();
        switch (dtype) {
            case BOOL -> json.writeBoolean(values.get(at) != 0);
            case INT8 -> json.writeNumber(values.get(at));
            case UINT8 -> json.writeNumber(values.get(at) & 0xFF);
            case INT16 -> json.writeNumber(values.getShort(at));
            case UINT16 -> json.writeNumber(values.getShort(at) & 0xFFFF);
            case INT32 -> json.writeNumber(values.getInt(at));
            case INT64 -> json.writeNumber(values.getLong(at));
            case FLOAT16 -> json.writeNumber((double) Halves.toFloat(values.getShort(at)));
            case FLOAT32 -> json.writeNumber((double) values.getFloat(at));
            case FLOAT64 -> json.writeNumber(values.getDouble(at));
            case BFLOAT16, ENCODED -> throw new IllegalArgumentException("no column has numbers of the type " + dtype);
        }
    }

    /** Returns the whole text. */
    public StoredValue value() throws IOException {
        json.close();
        return StoredValue.text(bytes.toByteArray());
    }
}
