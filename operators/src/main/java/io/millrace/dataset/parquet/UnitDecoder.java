package io.millrace.dataset.parquet;

import io.millrace.dataset.parquet.DecodedRows.State;
import io.millrace.sample.DType;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.parquet.column.ColumnReader;

/** A decoder that combines the values and levels of one unit into rows. Belongs to one thread. */
final class UnitDecoder {
    private final ParquetColumn column;
    private final ColumnReader reader;
    private final List<State> states = new ArrayList<>();
    private final List<Integer> firsts = new ArrayList<>();
    private final List<int[]> shapes = new ArrayList<>();
    private final List<ByteBuffer> slices = new ArrayList<>();
    private final ByteArrayOutputStream numbers = new ByteArrayOutputStream();
    private final ByteBuffer scratch = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final ListShape shape;
    private int elements;
    private State state = State.VALUE;

    private UnitDecoder(ParquetColumn column, ColumnReader reader) {
        this.column = column;
        this.reader = reader;
        this.shape = new ListShape(column.depth());
    }

    /** Decodes the values of a reader. {@code values} is their number, including absent values. */
    static DecodedRows decode(ParquetColumn column, ColumnReader reader, long values) {
        UnitDecoder decoder = new UnitDecoder(column, reader);
        for (long i = 0; i < values; i++) {
            decoder.decodeValue(i == 0);
            reader.consume();
        }
        if (values > 0) {
            decoder.endRow();
        }
        decoder.firsts.add(decoder.elements);
        return new DecodedRows(
                column,
                List.copyOf(decoder.states),
                decoder.firsts.stream().mapToInt(i -> i).toArray(),
                decoder.shapes,
                decoder.numbers.toByteArray(),
                decoder.slices);
    }

    private void decodeValue(boolean first) {
        int repetition = reader.getCurrentRepetitionLevel();
        if (repetition == 0) {
            if (!first) {
                endRow();
            }
            firsts.add(elements);
            state = State.VALUE;
            shape.beginRow();
        } else if (first) {
            throw new IllegalArgumentException("the page begins in the middle of a row");
        }
        int definition = reader.getCurrentDefinitionLevel();
        if (definition == column.descriptor().getMaxDefinitionLevel()) {
            shape.add(repetition);
            addElement();
        } else if (column.depth() > 0 && definition == column.listLevel() - 1) {
            // An empty list has no element to add.
            state = repetition == 0 ? state : State.IRREGULAR;
        } else {
            state = column.depth() > 0 && definition >= column.listLevel() ? State.IRREGULAR : State.NULL;
        }
    }

    private void endRow() {
        if (column.depth() > 1) {
            int[] extents = shape.extents();
            long product = 1;
            for (int extent : extents) {
                product *= extent;
            }
            shapes.add(extents);
            boolean whole = shape.isRegular() && product == elements - firsts.get(firsts.size() - 1);
            state = state == State.VALUE && !whole ? State.IRREGULAR : state;
        }
        states.add(state);
    }

    private void addElement() {
        elements++;
        DType dtype = column.content().dtype();
        if (dtype == null) {
            slices.add(reader.getBinary().toByteBuffer());
            return;
        }
        scratch.clear();
        switch (column.descriptor().getPrimitiveType().getPrimitiveTypeName()) {
            case BOOLEAN -> scratch.put((byte) (reader.getBoolean() ? 1 : 0));
            case INT32 -> integer(dtype, reader.getInteger());
            case INT64 -> scratch.putLong(reader.getLong());
            case FLOAT -> scratch.putFloat(reader.getFloat());
            case DOUBLE -> scratch.putDouble(reader.getDouble());
            default -> scratch.put(Objects.requireNonNull(reader.getBinary()).toByteBuffer());
        }
        numbers.write(scratch.array(), 0, scratch.position());
    }

    private void integer(DType dtype, int value) {
        switch (dtype.bytes()) {
            case Byte.BYTES -> scratch.put((byte) value);
            case Short.BYTES -> scratch.putShort((short) value);
            case Integer.BYTES -> scratch.putInt(value);
            default -> scratch.putLong(Integer.toUnsignedLong(value));
        }
    }
}
