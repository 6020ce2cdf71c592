package io.millrace.sink;

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
 * Rows that came before their batch could be filled, by batch. They stay in the micro-batch they came in until the last
 * of its rows has left. The source's window bounds how many there are.
 */
final class ParkedRows implements AutoCloseable {
    /** A row of a micro-batch that is kept for later. */
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
        public @Nullable BadSample failure() {
            return microBatch().failure(row);
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
                for (int column = 0; column < columns && microBatch.failure(row) == null; column++) {
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

    /** Rows whose micro-batches go to {@code done}, which closes them, when their last row has left. */
    ParkedRows(Consumer<MicroBatch> done) {
        this.done = done;
    }

    /** Parks the rows listed in {@code batches} by their index; takes ownership of the micro-batch, which is done if none. */
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

    /** Whether rows of that batch wait. */
    boolean has(long batch) {
        return byBatch.containsKey(batch);
    }

    /** Removes the rows of a batch; each is {@linkplain #release released} when it has been copied. */
    List<Row> unpark(long batch) {
        List<Row> found = byBatch.remove(batch);
        return found == null ? List.of() : found;
    }

    /** All rows, by batch. */
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

    /** The bytes of the columns of all micro-batches that are held for them. */
    long bytes() {
        return bytes;
    }

    /** Drops all rows, and closes what they are in; no copies may be under way. */
    @Override
    public void close() {
        holders.forEach(holder -> holder.microBatch.close());
        holders.clear();
        byBatch.clear();
        rows = 0;
        bytes = 0;
    }
}
