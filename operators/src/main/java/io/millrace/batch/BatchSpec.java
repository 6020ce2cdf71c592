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
     * @param dtype not {@link DType#ENCODED}, whose length differs from sample to sample; BOOL or UINT8 for bits
     * @param shape extents of one row, outermost first, each at least 1; images are [height, width, channels]. Of a ragged
     *     column the extents behind the first, which differs: text has none, boxes have [4]
     * @param kind what the values mean
     * @param form how they travel
     */
    public record Column(String name, DType dtype, List<Integer> shape, FieldKind kind, Form form)
            implements Serializable {
        public Column {
            shape = List.copyOf(shape);
            if (dtype == DType.ENCODED) {
                throw new IllegalArgumentException(
                        "column '" + name + "' holds encoded images, whose length differs from sample to sample");
            }
            if (form == Form.BITS && dtype != DType.BOOL && dtype != DType.UINT8) {
                throw new IllegalArgumentException("column '" + name + "' of " + dtype
                        + " cannot be sent as bits: expected BOOL, or UINT8 that is 0 or 1");
            }
            for (int extent : shape) {
                if (extent < 1) {
                    throw new IllegalArgumentException(
                            "column '" + name + "' has the shape " + shape + ": extents are at least 1");
                }
            }
        }

        /** A dense column: images where there are three extents, else numbers. */
        public Column(String name, DType dtype, List<Integer> shape) {
            this(name, dtype, shape, shape.size() == 3 ? FieldKind.IMAGE : FieldKind.TENSOR, Form.DENSE);
        }

        /** Whether its rows are pictures, [height, width, channels], of one size. */
        public boolean pictures() {
            return form != Form.RAGGED && shape.size() == 3 && (kind == FieldKind.IMAGE || kind == FieldKind.MASK);
        }

        /** Elements of one row; of a ragged column, of one entry of a row. */
        public int elements() {
            return Math.toIntExact(shape.stream().mapToLong(e -> e).reduce(1, Math::multiplyExact));
        }

        /** Bytes of {@link #elements} when each has bytes of its own. */
        public int elementBytes() {
            return Math.multiplyExact(elements(), dtype.bytes());
        }

        /** Bytes that every row has: all of them, or where a ragged row ends. */
        public int rowBytes() {
            return switch (form) {
                case DENSE -> elementBytes();
                case BITS -> Bits.bytes(elements());
                case RAGGED -> RowBuffers.OFFSET_BYTES;
            };
        }

        /** For people: "UINT8[28, 28, 1]", "UINT8[28, 28, 1] as bits", "FLOAT32[?, 4]". */
        public String told() {
            String extents = Stream.concat(form == Form.RAGGED ? Stream.of("?") : Stream.empty(), shape.stream())
                    .map(String::valueOf)
                    .collect(Collectors.joining(", ", "[", "]"));
            return dtype + extents + (form == Form.BITS ? " as bits" : "");
        }
    }

    /** Bytes that every row has over all columns; the values of ragged ones come on top. */
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
