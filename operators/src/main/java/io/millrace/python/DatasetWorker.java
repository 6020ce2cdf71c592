package io.millrace.python;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.metrics.CoreWait;
import io.millrace.sample.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** A worker that gets the items of a dataset. One thread at a time uses it. */
final class DatasetWorker implements AutoCloseable {
    /** The most items of a message. */
    static final int MOST_ITEMS = 1024;

    private static final byte ITEMS = 0;
    private static final byte LABELS = 1;

    private final PythonWorker worker;
    private final ByteBuffer message =
            ByteBuffer.allocateDirect(16 + MOST_ITEMS * 2 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);

    private final int made;

    /**
     * Takes ownership of the worker.
     *
     * @param made the number of the process that has made its dataset, from 1
     */
    DatasetWorker(PythonWorker worker, int made) {
        this.worker = worker;
        this.made = made;
    }

    /** Returns the number of the process that has made its dataset, from 1. Copies of one process have the same number. */
    int made() {
        return made;
    }

    /**
     * Waits until the worker has made the dataset; returns the number of its items.
     *
     * @throws PythonException with Python's error when the dataset cannot be made
     */
    long size() {
        return hello().path("size").asLong();
    }

    /** Returns the names of the classes; empty when the dataset has none. */
    List<String> classes() {
        List<String> classes = new ArrayList<>();
        hello().path("classes").forEach(name -> classes.add(name.asText()));
        return classes;
    }

    private JsonNode hello() {
        worker.awaitStart();
        return worker.hello();
    }

    /**
     * Gets the first items of those wanted: at least one, and as many as make a message.
     *
     * @param indexes 1 to {@link #MOST_ITEMS} indexes
     * @param bits the random bits of each of them
     * @throws WorkerLostException when the worker ended or took too long; {@link #done} then tells with which item
     */
    List<ItemReply> items(long[] indexes, long[] bits) throws WorkerLostException {
        worker.awaitStart();
        worker.memory().order(ByteOrder.LITTLE_ENDIAN).putLong(0, 0);
        message.clear().position(Integer.BYTES).put(ITEMS).putInt(indexes.length);
        for (int i = 0; i < indexes.length; i++) {
            message.putLong(indexes[i]).putLong(bits[i]);
        }
        return exchange(indexes.length);
    }

    /** Begins to measure the time for which the worker is ready and has no core. */
    CoreWait coreWait() {
        return CoreWait.ofProcess(worker.pid());
    }

    /** Returns whether a process that ended in the latest call has been replaced by one that can be asked. */
    boolean replaced() {
        return worker.replaced();
    }

    /** Returns the number of the last wanted items that were done before the worker was lost. */
    int done() {
        return worker.isStarted() ? (int) worker.memory().getLong(0) : 0;
    }

    /** Returns all labels where the dataset has them without its items; otherwise an empty array. */
    long[] labels() throws WorkerLostException {
        worker.awaitStart();
        message.clear().position(Integer.BYTES).put(LABELS).putInt(0);
        List<ItemReply.Value> values = exchange(1).get(0).values();
        if (values.isEmpty()) {
            return new long[0];
        }
        Field field = values.get(0).field();
        long[] labels = new long[field.shape()[0]];
        ByteBuffer.wrap(field.data())
                .order(ByteOrder.LITTLE_ENDIAN)
                .asLongBuffer()
                .get(labels);
        return labels;
    }

    private List<ItemReply> exchange(int most) throws WorkerLostException {
        message.flip().putInt(0, message.limit() - Integer.BYTES);
        return worker.call(message, (reply, memory) -> ItemReply.readAll(reply, memory, most));
    }

    @Override
    public void close() {
        worker.close();
    }
}
