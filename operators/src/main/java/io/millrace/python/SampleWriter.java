package io.millrace.python;

import io.millrace.dataset.BadSampleException;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes the call for a sample: the message, and the values into the shared memory. One thread uses an instance. */
final class SampleWriter {
    /** The values of each field begin at a multiple of this number of bytes. */
    private static final int ALIGNMENT = 64;

    private static final List<FieldKind> KINDS = List.of(FieldKind.values());
    private static final List<DType> DTYPES = List.of(DType.values());

    private static final int MOST_FIELDS = 1024;
    private static final int MOST_NAME_BYTES = 255;
    private static final int MOST_KEY_BYTES = 4096;

    /**
     * Enough for the longest key, the random bits of {@link WorkerSettings#MOST_STAGES} functions, and {@link #MOST_FIELDS} fields
     * with the longest names and 32 extents each.
     */
    private static final int MESSAGE_BYTES = 1 << 19;

    private final ByteBuffer message = ByteBuffer.allocateDirect(MESSAGE_BYTES).order(ByteOrder.LITTLE_ENDIAN);

    /**
     * Writes a sample.
     *
     * @param memory the part of the shared memory for samples, from 0 to its capacity
     * @param bits the random bits of the sample, 128 for each function of the call
     * @return the message with its length, valid until the next call
     * @throws BadSampleException when the sample does not fit
     */
    ByteBuffer write(Sample sample, ByteBuffer memory, long[] bits) throws BadSampleException {
        if (sample.fieldNames().size() > MOST_FIELDS) {
            throw bad(
                    sample,
                    "expected at most " + MOST_FIELDS + " fields, found "
                            + sample.fieldNames().size());
        }
        byte[] key = sample.key().getBytes(StandardCharsets.UTF_8);
        int keyBytes = key.length <= MOST_KEY_BYTES ? key.length : 0; // a cut name could end within a character
        message.clear()
                .position(Integer.BYTES)
                .putLong(sample.index())
                .putInt(sample.epoch())
                .putLong(sample.label())
                .putLong(bits[0])
                .putLong(bits[1])
                .putShort((short) keyBytes)
                .put(key, 0, keyBytes);
        for (int i = 2; i < bits.length; i++) {
            message.putLong(bits[i]);
        }
        message.putShort((short) sample.fieldNames().size());
        long at = 0;
        for (String name : sample.fieldNames()) {
            Field field = sample.field(name);
            if (at + field.bytes() > memory.capacity()) {
                throw bad(
                        sample,
                        "expected fields of at most " + memory.capacity() + " bytes together, found more: '" + name
                                + "' has " + field.bytes());
            }
            describe(sample, name, field, at);
            copy(field, memory, (int) at);
            at += (field.bytes() + ALIGNMENT - 1L) / ALIGNMENT * ALIGNMENT;
        }
        return message.flip().putInt(0, message.limit() - Integer.BYTES);
    }

    private void describe(Sample sample, String name, Field field, long at) throws BadSampleException {
        byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
        if (nameBytes.length > MOST_NAME_BYTES || field.shape().length > ReplyField.MOST_RANK) {
            throw bad(
                    sample,
                    "expected names of at most " + MOST_NAME_BYTES + " bytes and at most " + ReplyField.MOST_RANK
                            + " extents, found field '" + name + "' with " + field.shape().length);
        }
        message.put((byte) nameBytes.length)
                .put(nameBytes)
                .put((byte) KINDS.indexOf(field.kind()))
                .put((byte) DTYPES.indexOf(field.dtype()))
                .put((byte) field.shape().length);
        for (int extent : field.shape()) {
            message.putInt(extent);
        }
        message.putLong(at);
    }

    private static void copy(Field field, ByteBuffer memory, int at) {
        ByteBuffer stored = field.stored();
        if (stored == null) {
            memory.put(at, field.data(), 0, field.data().length);
        } else {
            memory.put(at, stored, 0, stored.capacity());
        }
    }

    private static BadSampleException bad(Sample sample, String reason) {
        return new BadSampleException(sample.key(), -1, reason);
    }
}
