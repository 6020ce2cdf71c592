package io.millrace.batch;

import io.millrace.sample.BadSample;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVectorHelper;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;

/** Makes Arrow vectors over the memory of packed rows: the data is shared, validity and failures are built. */
final class ArrowView {
    /** The caller closes the root, before the buffers. */
    static VectorSchemaRoot over(RowBuffers buffers, int rows, SortedMap<Integer, BadSample> failures) {
        VectorSchemaRoot root = VectorSchemaRoot.create(ArrowSchema.of(buffers.spec()), buffers.allocator());
        boolean whole = false;
        try {
            share(root.getVector(ArrowSchema.POSITION), rows, buffers.positions());
            share(root.getVector(ArrowSchema.INDEX), rows, buffers.indexes());
            share(root.getVector(ArrowSchema.LABEL), rows, buffers.labels());
            List<BatchSpec.Column> columns = buffers.spec().columns();
            for (int i = 0; i < columns.size(); i++) {
                FieldVector vector = root.getVector(columns.get(i).name());
                share(vector, columns.get(i), buffers, i, rows);
                // Not setNull: a list's would write into the offsets, which are the packed rows' own.
                failures.keySet().forEach(row -> BitVectorHelper.unsetBit(vector.getValidityBuffer(), row));
            }
            StructVector failure = (StructVector) root.getVector(ArrowSchema.FAILURE);
            failure.setInitialCapacity(rows);
            failure.allocateNew();
            failures.forEach((row, why) -> put(failure, row, why));
            root.setRowCount(rows);
            whole = true;
            return root;
        } finally {
            if (!whole) {
                root.close();
            }
        }
    }

    private static void share(FieldVector vector, BatchSpec.Column column, RowBuffers buffers, int number, int rows) {
        List<ArrowBuf> none = List.of(buffers.allocator().getEmpty());
        switch (column.form()) {
            case DENSE -> {
                if (vector instanceof FixedSizeListVector list) {
                    list.loadFieldBuffers(new ArrowFieldNode(rows, 0), none);
                    share(list.getDataVector(), Math.multiplyExact(rows, column.elements()), buffers.column(number));
                } else {
                    share(vector, rows, buffers.column(number));
                }
            }
            case BITS -> {
                vector.loadFieldBuffers(new ArrowFieldNode(rows, 0), none);
                int bits = Math.multiplyExact(Math.multiplyExact(rows, column.rowBytes()), Byte.SIZE);
                share(((FixedSizeListVector) vector).getDataVector(), bits, buffers.column(number));
            }
            case RAGGED, SPARSE -> {
                ListVector list = (ListVector) vector;
                list.loadFieldBuffers(
                        new ArrowFieldNode(rows, 0), List.of(buffers.allocator().getEmpty(), buffers.offsets(number)));
                int entries = buffers.offset(number, rows);
                if (list.getDataVector() instanceof FixedSizeListVector entry) {
                    entry.loadFieldBuffers(new ArrowFieldNode(entries, 0), none);
                    share(
                            entry.getDataVector(),
                            Math.multiplyExact(entries, column.elements()),
                            buffers.values(number));
                } else {
                    share(list.getDataVector(), entries, buffers.values(number));
                }
            }
        }
    }

    private static void share(FieldVector vector, int values, ArrowBuf data) {
        // No validity is given, and no nulls: Arrow fills in that every value is there.
        ArrowBuf none = vector.getAllocator().getEmpty();
        vector.loadFieldBuffers(new ArrowFieldNode(values, 0), List.of(none, data));
    }

    private static void put(StructVector failure, int row, BadSample why) {
        failure.setIndexDefined(row);
        Map.of(
                        ArrowSchema.STAGE, why.stage(),
                        ArrowSchema.DATASET, why.dataset(),
                        ArrowSchema.FILE, why.file(),
                        ArrowSchema.REASON, why.reason())
                .forEach((name, text) -> failure.getChild(name, VarCharVector.class)
                        .setSafe(row, text.getBytes(StandardCharsets.UTF_8)));
        failure.getChild(ArrowSchema.OFFSET, BigIntVector.class).setSafe(row, why.offset());
    }

    private ArrowView() {}
}
