package io.millrace.batch;

import io.millrace.sample.DType;
import io.millrace.sample.FieldKind;
import java.io.Serializable;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the rows of a batch hold.
 *
 * @param columns the fields that are sent, in order; names differ
 */
public record BatchSpec(List<Column> columns) implements Serializable {
    public BatchSpec {
        columns = List.copyOf(columns);
        Set<String> names = new HashSet<>();
        for (Column column : columns) {
            if (!names.add(column.name())) {
                throw new IllegalArgumentException("two columns are called '" + column.name() + "'");
            }
        }
    }

    /**
     * One field.
     *
     * @param dtype of the elements as they travel; not {@link DType#ENCODED}, whose length differs from sample to sample;
     *     BOOL or UINT8 for bits
     * @param shape extents of one row, outermost first, each at least 1; images are [height, width, channels]. Of a ragged
     *     column the extents behind the first, which differs: text has none, boxes have [4]
     * @param kind what the values mean
     * @param form how they travel
     * @param from the element type of the samples' fields, and of what the model is given where it takes whole numbers or
     *     ragged rows as they are; packing turns it into {@code dtype}
     */
    public record Column(String name, DType dtype, List<Integer> shape, FieldKind kind, Form form, DType from)
            implements Serializable {
        public Column {
            shape = List.copyOf(shape);
            if (dtype == DType.ENCODED || from == DType.ENCODED) {
                throw new IllegalArgumentException(
                        "column '" + name + "' holds encoded images, whose length differs from sample to sample");
            }
            if (form == Form.BITS && dtype != DType.BOOL && dtype != DType.UINT8) {
                throw new IllegalArgumentException("column '" + name + "' of " + dtype
                        + " cannot be sent as bits: expected BOOL, or UINT8 that is 0 or 1");
            }
            if (form == Form.SPARSE && shape.isEmpty()) {
                throw new IllegalArgumentException("column '" + name + "' is one number, of which none can be left out:"
                        + " expected several to send them sparse");
            }
            for (int extent : shape) {
                if (extent < 1) {
                    throw new IllegalArgumentException(
                            "column '" + name + "' has the shape " + shape + ": extents are at least 1");
                }
            }
        }

        /** A column whose elements travel as the samples have them. */
        public Column(String name, DType dtype, List<Integer> shape, FieldKind kind, Form form) {
            this(name, dtype, shape, kind, form, dtype);
        }

        /** A dense column: images where there are three extents, else numbers. */
        public Column(String name, DType dtype, List<Integer> shape) {
            this(name, dtype, shape, shape.size() == 3 ? FieldKind.IMAGE : FieldKind.TENSOR, Form.DENSE);
        }

        /** Whether its rows are pictures, [height, width, channels], of one size. */
        public boolean pictures() {
            return form != Form.RAGGED && shape.size() == 3 && (kind == FieldKind.IMAGE || kind == FieldKind.MASK);
        }

        /** Whether rows differ in length as they travel. */
        public boolean varies() {
            return form == Form.RAGGED || form == Form.SPARSE;
        }

        /** Whether elements travel as another type than the samples have. */
        public boolean converted() {
            return from != dtype;
        }

        /** Elements of one row; of a ragged column, of one entry of a row. */
        public int elements() {
            return Math.toIntExact(shape.stream().mapToLong(e -> e).reduce(1, Math::multiplyExact));
        }

        /** Bytes of {@link #elements} when each has bytes of its own. */
        public int elementBytes() {
            return Math.multiplyExact(elements(), dtype.bytes());
        }

        /** Bytes of an entry of a row that {@linkplain #varies varies}: elements of a ragged one, or an element and its place. */
        public int entryBytes() {
            return form == Form.SPARSE ? SparseValues.entryBytes(dtype) : elementBytes();
        }

        /** Bytes that every row has: all of them, or where a row that varies ends. */
        public int rowBytes() {
            return switch (form) {
                case DENSE -> elementBytes();
                case BITS -> Bits.bytes(elements());
                case RAGGED, SPARSE -> RowBuffers.OFFSET_BYTES;
            };
        }

        /** For people: "UINT8[28, 28, 1]", "UINT8[28, 28, 1] as bits", "FLOAT32[?, 4]", "FLOAT32[2] as FLOAT16". */
        public String told() {
            String extents = Stream.concat(form == Form.RAGGED ? Stream.of("?") : Stream.empty(), shape.stream())
                    .map(String::valueOf)
                    .collect(Collectors.joining(", ", "[", "]"));
            String as =
                    switch (form) {
                        case BITS -> " as bits";
                        case SPARSE -> (converted() ? " as " + dtype : "") + " sparse";
                        case DENSE, RAGGED -> converted() ? " as " + dtype : "";
                    };
            return from + extents + as;
        }
    }

    /** Bytes that every row has over all columns; the entries of those that vary come on top. */
    public int rowBytes() {
        return columns.stream().mapToInt(Column::rowBytes).reduce(0, Math::addExact);
    }

    /** The column of that name, if there is one. */
    public Optional<Column> find(String name) {
        return columns.stream().filter(c -> c.name().equals(name)).findFirst();
    }

    /** The column of that name. */
    public Column column(String name) {
        return find(name).orElseThrow(() -> new IllegalArgumentException("no column '" + name + "' in " + columns));
    }
}
