package io.millrace.dataset.arrow;

import java.util.Map;
import java.util.Optional;

/**
 * Where one record batch, or the values of a dictionary, stand in the file. Checked when made: all buffers lie within the
 * batch's body, and the body within the file. Immutable.
 */
final class IpcBatch {
    private final long position;
    private final long rows;
    private final Optional<BufferCodec> codec;
    private final IpcLayout layout;
    private final long[] nodes;
    private final long[] buffers;
    private final Map<Long, IpcDictionary> dictionaries;

    /**
     * Takes ownership of the arrays.
     *
     * @param position of the body in the file
     * @param rows how many
     * @param codec what buffers are compressed with
     * @param nodes for each node its number of values and how many of them are null
     * @param buffers for each buffer its position within the body and its length
     * @param dictionaries by id, as they stood when this batch was written
     */
    IpcBatch(
            long position,
            long rows,
            Optional<BufferCodec> codec,
            IpcLayout layout,
            long[] nodes,
            long[] buffers,
            Map<Long, IpcDictionary> dictionaries) {
        this.position = position;
        this.rows = rows;
        this.codec = codec;
        this.layout = layout;
        this.nodes = nodes;
        this.buffers = buffers;
        this.dictionaries = dictionaries;
    }

    long position() {
        return position;
    }

    long rows() {
        return rows;
    }

    Optional<BufferCodec> codec() {
        return codec;
    }

    IpcLayout layout() {
        return layout;
    }

    Map<Long, IpcDictionary> dictionaries() {
        return dictionaries;
    }

    /** How many values a node has. */
    long length(int node) {
        return nodes[2 * node];
    }

    /** Whether some of a node's values are null. */
    boolean hasNulls(int node) {
        return nodes[2 * node + 1] != 0;
    }

    /** Where a buffer stands in the file. */
    long bufferPosition(int buffer) {
        return position + buffers[2 * buffer];
    }

    /** The bytes that it takes in the file. */
    long bufferLength(int buffer) {
        return buffers[2 * buffer + 1];
    }
}
