package io.millrace.device;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.MicroBatch;
import io.millrace.batch.RowStore;
import io.millrace.sample.BadSample;
import java.util.ArrayList;
import java.util.List;

/**
 * The filling of a {@link DeviceBatch}: copies rows to their places on the device's stream of copies, and records which
 * rows have arrived. A batch returns it between {@link DeviceBatch#begin} and {@link DeviceBatch#seal}, and callers
 * must not keep it longer. The operator's thread calls its methods, or the thread that received the batch before it was
 * sealed.
 *
 * <p>Tested by {@code AsynchronousDeviceTest} and {@code DeviceBatchTest}.
 */
public final class BatchFilling {
    private final Device device;
    private final BatchSpec spec;
    private final List<ColumnRows> columns;
    private final RowArrivals arrivals;

    /** Fills these columns; the batch owns them. */
    BatchFilling(Device device, BatchSpec spec, List<ColumnRows> columns, RowArrivals arrivals) {
        this.device = device;
        this.spec = spec;
        this.columns = columns;
        this.arrivals = arrivals;
    }

    /**
     * Copies consecutive rows of a micro-batch to consecutive places and records them as present. Rows of one length
     * need one copy per column; those of a small part of the batch are copied to the device together, when the last row of the batch
     * has arrived. The micro-batch must stay open until the {@linkplain Device#copies copies} enqueued so
     * far are done.
     *
     * @param row the place of the first row
     * @param source a micro-batch, none of whose rows {@code from} to {@code from + count - 1} is quarantined
     * @param from the first row of the micro-batch
     * @param count the number of rows, at least 1
     * @throws IllegalStateException when one of the rows has arrived already
     */
    public void put(int row, MicroBatch source, int from, int count) {
        for (int i = 0; i < count; i++) {
            arrivals.requireAwaited(row + i, source.index(from + i));
        }
        boolean timed = copiesDirectly(count);
        if (timed) {
            device.use().copying();
        }
        long copied = 0;
        for (int column = 0; column < columns.size(); column++) {
            if (columns.get(column) instanceof DenseRows dense) {
                for (int done = 0; done < count; ) {
                    int together = source.adjacent(column, from + done, count - done);
                    copied += dense.putPiece(
                            row + done, together, source.address(column, from + done), arrivals.expected());
                    done += together;
                }
            }
        }
        if (timed) {
            device.use().copied(copied);
        }
        for (int column = 0; column < columns.size(); column++) {
            if (!(columns.get(column) instanceof DenseRows)) {
                for (int i = 0; i < count; i++) {
                    if (columns.get(column) instanceof RaggedRows ragged) {
                        ragged.requireRoom(source.bytes(column, from + i), source.index(from + i));
                    }
                    columns.get(column).put(row + i, source.address(column, from + i), source.bytes(column, from + i));
                }
            }
        }
        for (int i = 0; i < count; i++) {
            arrivals.place(row + i, source.position(from + i), source.index(from + i), source.label(from + i));
        }
        if (isComplete()) {
            copyGathered();
        }
    }

    /** Returns whether a piece of so many rows is copied to the device at once, where its rows are neighbours in memory. */
    private boolean copiesDirectly(int count) {
        return columns.stream()
                .anyMatch(column -> column instanceof DenseRows dense && dense.isDirect(count, arrivals.expected()));
    }

    /** Copies the rows that wait in this process's memory to the device. */
    private void copyGathered() {
        if (columns.stream().noneMatch(column -> column instanceof DenseRows dense && dense.hasGathered())) {
            return;
        }
        device.use().copying();
        long copied = 0;
        for (ColumnRows column : columns) {
            if (column instanceof DenseRows dense) {
                copied += dense.copyGathered();
            }
        }
        device.use().copied(copied);
    }

    /**
     * Copies one row of one column, in wire form, from memory of this process. The memory must stay untouched until the
     * copies enqueued so far are done.
     *
     * @param column the column's place in the {@link BatchSpec}
     * @param row the row's place in the batch
     * @param address the address of the row's first byte
     * @param bytes the length of the row, {@link BatchSpec.Column#rowBytes()} unless the column is ragged or sparse
     */
    public void put(int column, int row, long address, int bytes) {
        arrivals.checkExpected(row);
        ColumnRows rows = columns.get(column);
        if (!(rows instanceof DenseRows)) {
            rows.put(row, address, bytes); // copied to the device when all rows have arrived
            return;
        }
        device.use().copying();
        rows.put(row, address, bytes);
        device.use().copied(bytes);
    }

    /** Copies one row of a column whose rows have one length; see {@link #put(int, int, long, int)}. */
    public void put(int column, int row, long address) {
        put(column, row, address, spec.columns().get(column).rowBytes());
    }

    /**
     * Records a row as present, with its sample and label.
     *
     * @param row the row's place in the batch
     * @param position the sample's position in the run
     * @param index the sample's index in its dataset
     * @throws IllegalStateException when the row has arrived already
     */
    public void place(int row, long position, long index, long label) {
        arrivals.requireAwaited(row, index);
        arrivals.place(row, position, index, label);
    }

    /**
     * Records that the sample of a row is bad: the row stays empty.
     *
     * @param row the row's place in the batch
     * @param position the sample's position in the run
     * @param index the sample's index in its dataset
     * @throws IllegalStateException when the row has arrived already
     */
    public void quarantine(int row, long position, long index, BadSample bad) {
        arrivals.requireAwaited(row, index);
        arrivals.quarantine(row, new QuarantinedRow(position, index, bad));
        if (isComplete()) {
            copyGathered();
        }
    }

    /**
     * Puts a padded row into a batch that has no present row: zeros in each column and the label 0, a single entry of zeros where
     * rows vary in length, and the position and index -1. All expected rows must be quarantined.
     */
    public void pad() {
        arrivals.pad();
        int bytes = spec.columns().stream()
                .mapToInt(BatchFilling::paddedBytes)
                .max()
                .orElse(0);
        try (AlignedMemory zeros = AlignedMemory.allocate(Math.max(1, bytes), "the zeros of a padded row")) {
            for (int column = 0; column < columns.size(); column++) {
                put(column, 0, zeros.address(), paddedBytes(spec.columns().get(column)));
            }
            device.copies().synchronize();
        }
    }

    /** Returns the bytes of a padded row. A sparse row of zeros has no entries. */
    private static int paddedBytes(BatchSpec.Column column) {
        return switch (column.form()) {
            case DENSE, BITS -> column.rowBytes();
            case RAGGED -> column.entryBytes();
            case SPARSE -> 0;
        };
    }

    /**
     * Returns the rows that have arrived so far in wire form, quarantined ones first. The rows are valid until the
     * batch is sealed. Waits for the copies, also for those of rows that are on the device alone, a few for each column.
     */
    public List<RowStore.Row> arrivedRows() {
        columns.forEach(column -> column.fetch(arrivals.present(), arrivals.expected()));
        device.copies().synchronize();
        List<RowStore.Row> arrived = new ArrayList<>(arrivals.quarantined());
        for (int row = 0; row < arrivals.expected(); row++) {
            if (arrivals.present()[row]) {
                arrived.add(new PresentRow(arrivals, columns, row));
            }
        }
        return arrived;
    }

    /** Returns the number of rows that have arrived so far, quarantined ones included. */
    public int arrived() {
        return arrivals.arrived();
    }

    /** Returns the number of rows that are present so far, quarantined ones not included. */
    public int present() {
        return arrivals.count();
    }

    /** Returns whether all rows of the batch have arrived. */
    public boolean isComplete() {
        return arrivals.arrived() == arrivals.expected();
    }

    /**
     * Returns places whose rows have not arrived, in order.
     *
     * @param limit the largest number of places to return
     */
    public List<Integer> awaited(int limit) {
        return arrivals.awaited(limit);
    }
}
