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
 * The columns of the rows of a batch.
 *
 * <p>Tested by {@code PackerTest}.
 *
 * @param columns the fields that cross the network, in order, with different names
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
     * One field of a row.
     *
     * @param name the name of the field
     * @param dtype the type of the elements on the wire: not {@link DType#ENCODED}, whose length differs from sample to
     *     sample; BOOL or UINT8 for bits
     * @param shape the extents of one row, outermost first, each at least 1; images are [height, width, channels]. Rows
     *     of a ragged column differ in their first extent, which is left out here: text has no extents, boxes have [4]
     * @param kind the meaning of the values; texts are ragged bytes
     * @param form the form of the rows on the wire
     * @param from the element type of the samples' fields, which packing converts to {@code dtype}. It is also the type
     *     that the model receives if it accepts whole numbers or ragged rows as they are
     */
    public record Column(String name, DType dtype, List<Integer> shape, FieldKind kind, Form form, DType from)
            implements Serializable {
        public Column {
            shape = List.copyOf(shape);
            kind = kind.inBatch();
            if (dtype == DType.ENCODED || from == DType.ENCODED) {
                throw new IllegalArgumentException(
                        "column '" + name + "' holds encoded images, whose length differs from sample to sample");
            }
            if (form == Form.BITS && dtype != DType.BOOL && dtype != DType.UINT8) {
                throw new IllegalArgumentException("column '" + name + "' of " + dtype
                        + " cannot be bits: expected BOOL, or UINT8 that is 0 or 1");
            }
            if (form == Form.SPARSE && shape.isEmpty()) {
                throw new IllegalArgumentException(
                        "column '" + name + "' cannot be sparse: expected several numbers," + " found one");
            }
            for (int extent : shape) {
                if (extent < 1) {
                    throw new IllegalArgumentException(
                            "column '" + name + "' has the shape " + shape + ": extents are at least 1");
                }
            }
        }

        /** Creates a column whose elements cross the network in the type that the samples have. */
        public Column(String name, DType dtype, List<Integer> shape, FieldKind kind, Form form) {
            this(name, dtype, shape, kind, form, dtype);
        }

        /** Creates a dense column: images if there are three extents, otherwise numbers. */
        public Column(String name, DType dtype, List<Integer> shape) {
            this(name, dtype, shape, shape.size() == 3 ? FieldKind.IMAGE : FieldKind.TENSOR, Form.DENSE);
        }

        /** Returns whether the rows are images [height, width, channels] of one size. */
        public boolean pictures() {
            return form != Form.RAGGED && shape.size() == 3 && (kind == FieldKind.IMAGE || kind == FieldKind.MASK);
        }

        /** Returns whether rows differ in length on the wire. */
        public boolean varies() {
            return form == Form.RAGGED || form == Form.SPARSE;
        }

        /** Returns whether the wire type differs from the type of the samples. */
        public boolean converted() {
            return from != dtype;
        }

        /** Returns the number of elements of one row; of a ragged column, of one entry of a row. */
        public int elements() {
            int product = 1;
            for (int extent : shape) {
                product = Math.multiplyExact(product, extent);
            }
            return product;
        }

        /** Returns the number of bytes of {@link #elements} elements when each element has its own bytes. */
        public int elementBytes() {
            return Math.multiplyExact(elements(), dtype.bytes());
        }

        /**
         * Returns the number of bytes of an entry of a row that {@linkplain #varies varies}: the elements of a ragged
         * entry, or an element and its place.
         */
        public int entryBytes() {
            return form == Form.SPARSE ? SparseValues.entryBytes(dtype) : elementBytes();
        }

        /** Returns the number of bytes that every row has: the whole row, or the offset of a row that varies. */
        public int rowBytes() {
            return switch (form) {
                case DENSE -> elementBytes();
                case BITS -> Bits.bytes(elements());
                case RAGGED, SPARSE -> RowBuffers.OFFSET_BYTES;
            };
        }

        /**
         * Describes the type of the column: "UINT8[28, 28, 1]", "UINT8[28, 28, 1] as bits", "FLOAT32[?, 4]" or
         * "FLOAT32[2] as FLOAT16".
         */
        public String describe() {
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

    /**
     * Returns the number of bytes that every row has in all columns together, without the entries of rows that vary.
     */
    public int rowBytes() {
        return columns.stream().mapToInt(Column::rowBytes).reduce(0, Math::addExact);
    }

    /** Returns the column with a name, if there is one. */
    public Optional<Column> find(String name) {
        return columns.stream().filter(c -> c.name().equals(name)).findFirst();
    }

    /**
     * Returns the column with a name.
     *
     * @throws IllegalArgumentException when there is no such column
     */
    public Column column(String name) {
        return find(name).orElseThrow(() -> new IllegalArgumentException("no column '" + name + "' in " + columns));
    }
}
