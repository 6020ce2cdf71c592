package io.millrace.sink.trainer;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.batch.BatchSpec;
import io.millrace.batch.Form;
import io.millrace.batch.MicroBatch;
import io.millrace.batch.MicroBatchSerializer;
import io.millrace.batch.PackLimits;
import io.millrace.batch.Packer;
import io.millrace.order.BatchPlan;
import io.millrace.sample.BadSample;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/** Rows of every wire form whose bytes depend on their position, as the network delivers them. */
public final class TransferRows implements AutoCloseable {
    static final int PIXELS = 21;
    static final int BITS = 13;
    static final int BIT_BYTES = 2;
    static final int MOST_WORDS = 5;

    static final BatchSpec SPEC = new BatchSpec(List.of(
            new BatchSpec.Column(Sample.IMAGE, DType.UINT8, List.of(7, 3, 1)),
            new BatchSpec.Column("mask", DType.UINT8, List.of(BITS, 1, 1), FieldKind.MASK, Form.BITS),
            new BatchSpec.Column("words", DType.INT32, List.of(), FieldKind.RAGGED, Form.RAGGED)));

    private final BatchPlan plan;
    private final Packer packer;
    private final MicroBatchSerializer serializer = new MicroBatchSerializer(SPEC);
    private final DataOutputSerializer bytes = new DataOutputSerializer(1 << 16);
    private long bad;

    TransferRows(BufferAllocator allocator, BatchPlan plan) {
        this.plan = plan;
        this.packer = new Packer(allocator, SPEC, PackLimits.ofRows(512));
    }

    /** Returns the number of bad rows so far. */
    long bad() {
        return bad;
    }

    /**
     * Returns the rows at consecutive positions. In one of fifty micro-batches, the rows are in another order. One of a
     * thousand rows is bad.
     */
    MicroBatch microBatch(long first, int count, Random random) throws Exception {
        List<Long> positions = new ArrayList<>();
        for (long position = first; position < first + count; position++) {
            positions.add(position);
        }
        if (random.nextInt(50) == 0) {
            Collections.shuffle(positions, random);
        }
        for (long position : positions) {
            packer.add(sample(position, random.nextInt(1000) == 0));
        }
        bytes.clear();
        try (MicroBatch lent = packer.flush()) {
            serializer.serialize(lent, bytes);
        }
        return serializer.deserialize(new DataInputDeserializer(bytes.getSharedBuffer(), 0, bytes.length()));
    }

    private Sample sample(long position, boolean isBad) {
        Sample sample = new Sample(index(position), "k", label(position))
                .placeAt(position, plan.place(position).epoch(), Split.TRAIN);
        if (isBad) {
            bad++;
            sample.quarantine(new BadSample("read", "d", "f", 0, "bad"));
            return sample;
        }
        byte[] pixels = new byte[PIXELS];
        for (int i = 0; i < PIXELS; i++) {
            pixels[i] = pixel(position, i);
        }
        byte[] mask = new byte[BITS];
        for (int i = 0; i < BITS; i++) {
            mask[i] = bit(position, i);
        }
        ByteBuffer words = ByteBuffer.allocate(words(position) * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < words(position); i++) {
            words.putInt(word(position, i));
        }
        return sample.put(Sample.IMAGE, Field.image(7, 3, 1, pixels))
                .put("mask", Field.of(DType.UINT8, new int[] {BITS, 1, 1}, mask))
                .put("words", Field.of(DType.INT32, new int[] {words(position)}, words.array()));
    }

    public static long index(long position) {
        return position * 7 % 1_000_003;
    }

    static long label(long position) {
        return position ^ 0x5555;
    }

    private static byte pixel(long position, int i) {
        return (byte) (position * 31 + (position >> 7) + i * 11L);
    }

    private static byte bit(long position, int i) {
        return (byte) (((position >> (i % 17)) ^ i) & 1);
    }

    private static int words(long position) {
        return (int) (position % (MOST_WORDS + 1));
    }

    private static int word(long position, int i) {
        return (int) (position * 3 + i);
    }

    /** Compares a batch's bytes from the device with the bytes that the network delivered. */
    public static void assertHolds(
            List<Long> positions,
            ByteBuffer pixels,
            ByteBuffer mask,
            ByteBuffer words,
            ByteBuffer ends,
            ByteBuffer labels) {
        int at = 0;
        for (int row = 0; row < positions.size(); row++) {
            long position = positions.get(row);
            for (int i = 0; i < PIXELS; i++) {
                require(pixels.get(row * PIXELS + i) == pixel(position, i), position, "pixel", i);
            }
            for (int i = 0; i < BITS; i++) {
                int found = (mask.get(row * BIT_BYTES + i / Byte.SIZE) >> (i % Byte.SIZE)) & 1;
                require(found == bit(position, i), position, "bit", i);
            }
            require(ends.getLong(row * Long.BYTES) == at, position, "begin of words", row);
            for (int i = 0; i < words(position); i++) {
                require(words.getInt((at + i) * Integer.BYTES) == word(position, i), position, "word", i);
            }
            at += words(position);
            require(labels.getLong(row * Long.BYTES) == label(position), position, "label", 0);
        }
        assertThat(ends.getLong(positions.size() * Long.BYTES)).isEqualTo(at);
    }

    private static void require(boolean equal, long position, String what, int number) {
        if (!equal) {
            throw new AssertionError("the row at position " + position + " has another " + what + " " + number);
        }
    }

    @Override
    public void close() {
        packer.close();
    }
}
