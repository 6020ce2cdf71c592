package io.millrace.sink.rows;

import io.millrace.batch.MicroBatch;
import io.millrace.batch.RowStore;
import io.millrace.sample.BadSample;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.arrow.memory.util.MemoryUtil;
import org.jspecify.annotations.Nullable;

/**
 * Rows that arrived before their batch could be filled, by batch. They stay in the micro-batch in which they arrived
 * until the last of its rows has been released. The source's window bounds their number.
 *
 * <p>Tested by {@code BatchRingTest}.
 */
final class ParkedRows implements AutoCloseable {
    /** A parked row of a micro-batch. */
    record Row(Holder holder, int row) implements RowStore.Row {
        MicroBatch microBatch() {
            return holder.microBatch;
        }

        @Override
        public long position() {
            return microBatch().position(row);
        }

        @Override
        public long index() {
            return microBatch().index(row);
        }

        @Override
        public long label() {
            return microBatch().label(row);
        }

        @Override
        public @Nullable BadSample badSample() {
            return microBatch().badSample(row);
        }

        @Override
        public int bytes(int column) {
            return microBatch().bytes(column, row);
        }

        @Override
        public void copyTo(int column, long address) {
            MemoryUtil.copyMemory(microBatch().address(column, row), address, bytes(column));
        }
    }

    private static final class Holder {
        private final MicroBatch microBatch;
        private final long bytes;
        private int parked;

        private Holder(MicroBatch microBatch) {
            this.microBatch = microBatch;
            this.bytes = bytes(microBatch);
        }

        private static long bytes(MicroBatch microBatch) {
            long bytes = 0;
            int columns = microBatch.spec().columns().size();
            for (int row = 0; row < microBatch.rows(); row++) {
                for (int column = 0; column < columns && microBatch.badSample(row) == null; column++) {
                    bytes += microBatch.bytes(column, row);
                }
            }
            return bytes;
        }
    }

    private final Consumer<MicroBatch> done;
    private final Map<Long, List<Row>> byBatch = new TreeMap<>();
    private final Set<Holder> holders = new LinkedHashSet<>();
    private long rows;
    private long bytes;

    /**
     * Creates an empty store. When the last parked row of a micro-batch has been released, the micro-batch is passed to
     * {@code done}, which closes it.
     */
    ParkedRows(Consumer<MicroBatch> done) {
        this.done = done;
    }

    /**
     * Parks rows of a micro-batch and takes ownership of the micro-batch. If there are no rows to park, the micro-batch
     * is passed on at once.
     *
     * @param rowNumbers the rows to park
     * @param batches the batch of each of these rows
     */
    void park(MicroBatch microBatch, List<Integer> rowNumbers, List<Long> batches) {
        if (rowNumbers.isEmpty()) {
            done.accept(microBatch);
            return;
        }
        Holder holder = new Holder(microBatch);
        holder.parked = rowNumbers.size();
        holders.add(holder);
        for (int i = 0; i < rowNumbers.size(); i++) {
            byBatch.computeIfAbsent(batches.get(i), b -> new ArrayList<>()).add(new Row(holder, rowNumbers.get(i)));
        }
        rows += rowNumbers.size();
        bytes += holder.bytes;
    }

    /** Returns whether rows of the batch are parked. */
    boolean has(long batch) {
        return byBatch.containsKey(batch);
    }

    /** Removes and returns the rows of a batch; each must be {@linkplain #release released} when it has been copied. */
    List<Row> unpark(long batch) {
        List<Row> found = byBatch.remove(batch);
        return found == null ? List.of() : found;
    }

    /** Returns all rows, by batch. */
    List<Row> rows() {
        return byBatch.values().stream().flatMap(List::stream).toList();
    }

    void release(Row row) {
        rows--;
        if (--row.holder.parked == 0) {
            bytes -= row.holder.bytes;
            holders.remove(row.holder);
            done.accept(row.holder.microBatch);
        }
    }

    long size() {
        return rows;
    }

    /** Returns the bytes of all columns of the micro-batches that contain parked rows. */
    long bytes() {
        return bytes;
    }

    /** Drops all rows and passes on their micro-batches, some of whose other rows may have pending copies. */
    void drop() {
        List<Holder> dropped = List.copyOf(holders);
        forget();
        dropped.forEach(holder -> done.accept(holder.microBatch));
    }

    /** Drops all rows and closes their micro-batches; no copies may be pending. */
    @Override
    public void close() {
        holders.forEach(holder -> holder.microBatch.close());
        forget();
    }

    private void forget() {
        holders.clear();
        byBatch.clear();
        rows = 0;
        bytes = 0;
    }
}
