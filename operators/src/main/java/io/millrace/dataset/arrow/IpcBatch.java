package io.millrace.dataset.arrow;

import java.util.Map;
import java.util.Optional;

/**
 * The position of one record batch, or of the values of a dictionary, in the file. {@link IpcBatchReader} has checked
 * that all buffers lie within the batch's body, and that the body lies within the file. Immutable.
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
     * Creates a batch and takes ownership of the arrays.
     *
     * @param position the offset of the body in the file
     * @param rows the number of rows
     * @param codec the compression of the buffers
     * @param nodes for each node, the number of its values and the number of nulls among them
     * @param buffers for each buffer, its offset within the body and its length
     * @param dictionaries the dictionaries by id, as they were when this batch was written
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

    /** Returns the number of values of a node. */
    long length(int node) {
        return nodes[2 * node];
    }

    /** Returns whether some of a node's values are null. */
    boolean hasNulls(int node) {
        return nodes[2 * node + 1] != 0;
    }

    /** Returns the offset of a buffer in the file. */
    long bufferPosition(int buffer) {
        return position + buffers[2 * buffer];
    }

    /** Returns the length of a buffer in the file in bytes. */
    long bufferLength(int buffer) {
        return buffers[2 * buffer + 1];
    }
}
