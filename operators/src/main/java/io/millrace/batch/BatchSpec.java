package io.millrace.batch;

import io.millrace.sample.DType;
import java.io.Serializable;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

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
     * One field of fixed shape.
     *
     * @param dtype not {@link DType#ENCODED}, whose length differs from sample to sample
     * @param shape extents of one row, outermost first, each at least 1; images are [height, width, channels]
     */
    public record Column(String name, DType dtype, List<Integer> shape) implements Serializable {
        public Column {
            shape = List.copyOf(shape);
            if (dtype == DType.ENCODED) {
                throw new IllegalArgumentException(
                        "column '" + name + "' holds encoded images, whose length differs from sample to sample");
            }
            for (int extent : shape) {
                if (extent < 1) {
                    throw new IllegalArgumentException(
                            "column '" + name + "' has the shape " + shape + ": extents are at least 1");
                }
            }
        }

        /** Bytes of one row. */
        public int rowBytes() {
            return Math.toIntExact(shape.stream().mapToLong(e -> e).reduce(dtype.bytes(), Math::multiplyExact));
        }

        /** Elements of one row. */
        public int rowElements() {
            return rowBytes() / dtype.bytes();
        }
    }

    /** Bytes of one row over all columns. */
    public int rowBytes() {
        return columns.stream().mapToInt(Column::rowBytes).reduce(0, Math::addExact);
    }

    /** The column of that name. */
    public Column column(String name) {
        return columns.stream()
                .filter(c -> c.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no column '" + name + "' in " + columns));
    }
}
