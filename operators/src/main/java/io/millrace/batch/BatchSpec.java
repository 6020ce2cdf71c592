package io.millrace.batch;

import io.millrace.sample.DType;
import java.io.Serializable;
import java.util.List;

/**
 * What the rows of a batch hold.
 *
 * @param columns the fields that are sent, in order
 */
public record BatchSpec(List<Column> columns) implements Serializable {
    public BatchSpec {
        columns = List.copyOf(columns);
    }

    /**
     * One field of fixed shape.
     *
     * @param shape extents of one row, outermost first; images are [height, width, channels]
     */
    public record Column(String name, DType dtype, List<Integer> shape) implements Serializable {
        public Column {
            shape = List.copyOf(shape);
        }

        /** Bytes of one row. */
        public int rowBytes() {
            return Math.toIntExact(shape.stream().mapToLong(e -> e).reduce(dtype.bytes(), Math::multiplyExact));
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
