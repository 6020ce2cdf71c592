package io.millrace.python;

import io.millrace.sample.Sample;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The reply to a call of one function, or of several that are stages behind one another.
 *
 * @param stages the work of the functions that were called, of which the last one gave the result; empty when there is only one
 * @param result the result of the last function that was called
 */
record RunReply(List<Work> stages, WorkerReply result) {
    /**
     * The work of one function.
     *
     * @param bytes the bytes of field data after it
     */
    record Work(long nanos, long cpuNanos, long bytes) {}

    /**
     * Reads a reply.
     *
     * @param message the message without its length, in little-endian order, from its position to its limit
     * @param memory the whole memory that is shared with the worker
     * @param before the sample of the call
     * @param functions the number of functions of the worker
     * @throws MalformedReplyException when the message does not follow the protocol
     */
    static RunReply read(ByteBuffer message, ByteBuffer memory, Sample before, int functions)
            throws MalformedReplyException {
        List<Work> stages = new ArrayList<>();
        if (functions > 1) {
            ReplyField.requireBytes(message, 1, "the number of stages");
            int count = Byte.toUnsignedInt(message.get());
            if (count == 0 || count > functions) {
                throw new MalformedReplyException("expected 1 to " + functions + " stages, found " + count);
            }
            ReplyField.requireBytes(message, count * 3 * Long.BYTES, "the work of " + count + " stages");
            for (int i = 0; i < count; i++) {
                stages.add(new Work(
                        Math.max(0, message.getLong()),
                        Math.max(0, message.getLong()),
                        Math.max(0, message.getLong())));
            }
        }
        return new RunReply(stages, WorkerReply.read(message, memory, before));
    }

    /** Returns the CPU time of the process, without the work of the functions after the first one. */
    long firstCpuNanos() {
        long nanos = result.cpuNanos();
        for (int i = 1; i < stages.size(); i++) {
            nanos -= stages.get(i).cpuNanos();
        }
        return Math.max(0, nanos);
    }
}
