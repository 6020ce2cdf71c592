package io.millrace.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.millrace.sample.BadSample;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputViewStreamWrapper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PackerTest {
    private static final BatchSpec SPEC = Rows.IMAGE_AND_MASK;
    private static final int ROW_BYTES = 24 + 18 + 8;

    private static final BatchSpec.Column TEXT =
            new BatchSpec.Column("text", DType.UINT8, List.of(), FieldKind.RAGGED, Form.RAGGED);

    private final RootAllocator allocator = new RootAllocator();

    @AfterEach
    void noMemoryIsLeaked() {
        assertThat(allocator.getAllocatedMemory()).isZero();
        allocator.close();
    }

    @Test
    void rowsHoldTheValuesOfTheSamples() {
        try (Packer packer = packer(1000, 100)) {
            for (int i = 0; i < 5; i++) {
                packer.add(i == 2 ? Rows.bad(SPEC, i) : Rows.good(SPEC, i));
            }
            try (MicroBatch batch = packer.flush()) {
                assertThat(batch.rows()).isEqualTo(5);
                assertThat(batch.quarantined()).isEqualTo(1);
                for (int row = 0; row < 5; row++) {
                    assertThat(batch.position(row)).isEqualTo(row);
                    assertThat(batch.isQuarantined(row)).isEqualTo(row == 2);
                    Rows.check(batch, row);
                }
                assertThatIllegalStateException()
                        .isThrownBy(() -> batch.address(0, 2))
                        .withMessageContaining("quarantined");
                assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> batch.position(5));
            }
        }
    }

    @Test
    void storedRowsAreSentAsRowsInArraysAre() throws IOException {
        int bytes = 5000;
        BatchSpec spec = new BatchSpec(List.of(
                new BatchSpec.Column("long", DType.UINT8, List.of(bytes)),
                new BatchSpec.Column("short", DType.INT32, List.of(2))));
        for (Filling filling : new Filling[] {Filling.EVERY_ROW, Filling.NOT_STORED}) {
            try (Packer stored = new Packer(allocator, spec, PackLimits.ofRows(4), filling);
                    Packer copied = new Packer(allocator, spec, PackLimits.ofRows(4))) {
                for (int round = 0; round < 2; round++) {
                    for (int i = 0; i < 4; i++) {
                        // Rows of one place are stored, copied and quarantined in turn.
                        boolean bad = (i + round) % 3 == 2;
                        stored.add(bad ? Rows.bad(spec, i) : i == round ? Rows.good(spec, i) : stored(spec, i));
                        copied.add(bad ? Rows.bad(spec, i) : Rows.good(spec, i));
                    }
                    try (MicroBatch first = stored.flush();
                            MicroBatch second = copied.flush()) {
                        for (int row = 0; row < 4; row++) {
                            Rows.check(first, row);
                        }
                        assertThat(serialized(first)).isEqualTo(serialized(second));
                        assertThat(bytesInSteps(first)).isEqualTo(serialized(second));
                    }
                }
            }
        }
    }

    @Test
    void longStoredRowsLieWhereTheyAreStored() {
        int bytes = 5000;
        BatchSpec spec = new BatchSpec(List.of(new BatchSpec.Column("x", DType.UINT8, List.of(bytes))));
        ByteBuffer values = ByteBuffer.allocateDirect(3 * bytes);
        long at = MemoryUtil.getByteBufferAddress(values);
        try (Packer packer = new Packer(allocator, spec, PackLimits.ofRows(4), Filling.NOT_STORED)) {
            for (int i : new int[] {0, 1, 0, 2}) {
                packer.add(new Sample(i, "k", 0)
                        .put("x", Field.stored(DType.UINT8, new int[] {bytes}, values.slice(i * bytes, bytes)))
                        .placeAt(i, 0, Split.TRAIN));
            }
            try (MicroBatch batch = packer.flush()) {
                assertThat(batch.address(0, 1)).isEqualTo(at + bytes);
                assertThat(batch.adjacent(0, 0, 4)).isEqualTo(2);
                assertThat(batch.adjacent(0, 0, 1)).isEqualTo(1);
                assertThat(batch.adjacent(0, 1, 3)).isEqualTo(1);
                assertThat(batch.adjacent(0, 3, 1)).isEqualTo(1);
            }
        }
    }

    @Test
    void storedRowsThatDoNotLastAreCopied() {
        int bytes = 5000;
        BatchSpec spec = new BatchSpec(List.of(new BatchSpec.Column("x", DType.UINT8, List.of(bytes))));
        ByteBuffer values = ByteBuffer.allocateDirect(bytes);
        try (Packer packer = new Packer(allocator, spec, PackLimits.ofRows(2), Filling.NOT_STORED)) {
            for (int i = 0; i < 2; i++) {
                values.put(0, (byte) (7 + i)); // as a transform does for its next sample
                packer.add(new Sample(i, "k", 0)
                        .put("x", Field.passing(DType.UINT8, new int[] {bytes}, values))
                        .placeAt(i, 0, Split.TRAIN));
            }
            try (MicroBatch batch = packer.flush()) {
                for (int i = 0; i < 2; i++) {
                    assertThat(MemoryUtil.getByte(batch.address(0, i))).isEqualTo((byte) (7 + i));
                }
            }
        }
    }

    @Test
    void rowsThatWereHandedOverStayUntilTheyAreClosed() {
        MicroBatch third;
        try (Packer packer = packer(1000, 2)) {
            packer.add(Rows.good(SPEC, 0));
            MicroBatch first = packer.handOver();
            packer.add(Rows.good(SPEC, 1));
            MicroBatch second = packer.handOver();
            packer.add(Rows.good(SPEC, 2));
            Rows.check(first, 0);
            Rows.check(second, 0);
            assertThat(first.position(0)).isZero();

            long memory = allocator.getAllocatedMemory();
            first.close();
            second.close();
            third = packer.handOver();
            assertThatIllegalStateException().isThrownBy(packer::handOver);
            packer.add(Rows.good(SPEC, 3));
            Rows.check(third, 0);
            assertThat(allocator.getAllocatedMemory())
                    .as("memory that came back is used again")
                    .isEqualTo(memory);
        }
        Rows.check(third, 0);
        third.close(); // the operator that received it may be closed later
    }

    /** Returns a good sample whose values lie outside the Java heap. */
    private static Sample stored(BatchSpec spec, long position) {
        Sample sample = Rows.good(spec, position);
        for (String name : List.copyOf(sample.fieldNames())) {
            Field field = sample.field(name);
            ByteBuffer values = ByteBuffer.allocateDirect(field.bytes()).put(0, field.data());
            sample.put(name, Field.stored(field.dtype(), field.shape(), values));
        }
        return sample;
    }

    private static byte[] serialized(MicroBatch batch) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        new MicroBatchSerializer(batch.spec()).serialize(batch, out);
        return out.getCopyOfBuffer();
    }

    /** Returns the bytes that an output receives which takes no native memory. */
    private static byte[] bytesInSteps(MicroBatch batch) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new MicroBatchSerializer(batch.spec()).serialize(batch, new DataOutputViewStreamWrapper(bytes));
        return bytes.toByteArray();
    }

    @Test
    void fillsUpToTheByteLimit() throws IOException {
        int limit = MicroBatchWire.HEADER_BYTES + 3 * ROW_BYTES + ROW_BYTES - 1;
        try (Packer packer = packer(limit, 100)) {
            for (int i = 0; i < 3; i++) {
                assertThat(packer.isFull()).isFalse();
                packer.add(Rows.good(SPEC, i));
            }
            assertThat(packer.isFull()).isTrue();
            assertThatIllegalStateException().isThrownBy(() -> packer.add(Rows.good(SPEC, 3)));
            try (MicroBatch batch = packer.flush()) {
                assertThat(serializedBytes(batch)).isEqualTo(MicroBatchWire.HEADER_BYTES + 3 * ROW_BYTES);
            }
        }
    }

    @Test
    void textOfBadSamplesCountsTowardsTheByteLimit() throws IOException {
        Sample bad = Rows.bad(SPEC, 1);
        int withBadSample = MicroBatchWire.HEADER_BYTES + 2 * ROW_BYTES + MicroBatchWire.bytes(badSample(bad));
        try (Packer packer = packer(withBadSample, 100)) {
            packer.add(Rows.good(SPEC, 0));
            assertThat(packer.fits(bad)).isTrue();
            packer.add(bad);
            assertThat(packer.isFull()).isTrue();
            try (MicroBatch batch = packer.flush()) {
                assertThat(serializedBytes(batch)).isEqualTo(withBadSample);
            }
        }
        try (Packer packer = packer(withBadSample - 1, 100)) {
            packer.add(Rows.good(SPEC, 0));
            assertThat(packer.fits(bad)).isFalse();
            assertThat(packer.fits(Rows.good(SPEC, 1))).isTrue();
        }
    }

    @Test
    void rowLargerThanTheLimitIsPackedAlone() {
        try (Packer packer = packer(10, 100)) {
            packer.add(Rows.good(SPEC, 4));
            assertThat(packer.isFull()).isTrue();
            try (MicroBatch batch = packer.flush()) {
                assertThat(batch.rows()).isEqualTo(1);
                Rows.check(batch, 0);
            }
        }
    }

    @Test
    void packerIsFullAtTheRowLimit() {
        try (Packer packer = packer(1 << 20, 2)) {
            packer.add(Rows.good(SPEC, 0));
            assertThat(packer.isFull()).isFalse();
            packer.add(Rows.good(SPEC, 1));
            assertThat(packer.isFull()).isTrue();
        }
    }

    @Test
    void memoryIsAllocatedOnceAndReused() {
        try (Packer packer = packer(1000, 100)) {
            long taken = allocator.getAllocatedMemory();
            assertThat(taken).isPositive();
            for (int round = 0; round < 10; round++) {
                packer.add(Rows.bad(SPEC, round));
                packer.add(Rows.good(SPEC, round + 1));
                try (MicroBatch batch = packer.flush()) {
                    assertThat(batch.rows()).isEqualTo(2);
                    assertThat(batch.isQuarantined(0)).isTrue();
                    Rows.check(batch, 0);
                    Rows.check(batch, 1);
                }
                packer.add(Rows.good(SPEC, round + 2));
                try (MicroBatch batch = packer.flush()) {
                    assertThat(batch.isQuarantined(0)).isFalse();
                    Rows.check(batch, 0);
                }
                assertThat(allocator.getAllocatedMemory()).isEqualTo(taken);
            }
            assertThat(allocator.getPeakMemoryAllocation()).isEqualTo(taken);
        }
    }

    @Test
    void lentMicroBatchCannotBeReadAfterItIsClosed() {
        try (Packer packer = packer(1000, 100)) {
            packer.add(Rows.good(SPEC, 0));
            MicroBatch batch = packer.flush();
            assertThatIllegalStateException()
                    .isThrownBy(() -> packer.add(Rows.good(SPEC, 1)))
                    .withMessageContaining("LENT");
            assertThatIllegalStateException().isThrownBy(packer::close).withMessageContaining("before its packer");
            batch.close();
            batch.close();
            assertThatIllegalStateException()
                    .isThrownBy(() -> batch.position(0))
                    .withMessageContaining("network edge");
            assertThatIllegalStateException().isThrownBy(packer::flush).withMessageContaining("nothing to flush");
        }
    }

    @Test
    void otherShapeNamesTheSampleAndBothShapes() {
        try (Packer packer = packer(1000, 100)) {
            Sample sample = Rows.good(SPEC, 9).put(Sample.IMAGE, Field.image(3, 2, 3, new byte[18]));
            assertThatExceptionOfType(SampleMismatchException.class)
                    .isThrownBy(() -> packer.add(sample))
                    .withMessageContainingAll("train/9.png", "index 66", "UINT8[2, 3, 3]", "UINT8[3, 2, 3]");
            assertThat(packer.isEmpty()).isTrue();
        }
    }

    @Test
    void sampleWithoutAPlaceInTheRunIsRefused() {
        try (Packer packer = packer(1000, 100)) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> packer.add(new Sample(5, "a/b.png", 0)))
                    .withMessageContainingAll("a/b.png", "no place");
        }
    }

    @Test
    void encodedImageIsRefusedWithTheAdviceToDecodeIt() {
        try (Packer packer = packer(1000, 100)) {
            Sample sample = Rows.good(SPEC, 9).put(Sample.IMAGE, Field.encoded(new byte[18]));
            assertThatExceptionOfType(SampleMismatchException.class)
                    .isThrownBy(() -> packer.add(sample))
                    .withMessageContainingAll("train/9.png", "ENCODED[18]", "add decode");
        }
    }

    @Test
    void missingFieldNamesTheSampleAndTheFieldsItHas() {
        try (Packer packer = packer(1000, 100)) {
            Sample sample = new Sample(5, "a/b.png", 0)
                    .put(Sample.IMAGE, Field.image(2, 3, 3, new byte[18]))
                    .placeAt(5, 0, Split.TRAIN);
            assertThatExceptionOfType(SampleMismatchException.class)
                    .isThrownBy(() -> packer.add(sample))
                    .withMessageContainingAll("a/b.png", "'mask'", "[image]", "FLOAT32[2]");
        }
    }

    @Test
    void insufficientMemoryIsGivenBack() {
        try (RootAllocator small = new RootAllocator(4096)) {
            assertThatExceptionOfType(org.apache.arrow.memory.OutOfMemoryException.class)
                    .isThrownBy(() -> new Packer(small, SPEC, new PackLimits(1 << 20, 1000, Duration.ofMillis(1))));
            assertThat(small.getAllocatedMemory()).isZero();
        }
    }

    @Test
    void columnsThatCannotBePackedAreRefusedWhenDeclared() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new BatchSpec.Column("image", DType.ENCODED, List.of(10)))
                .withMessageContaining("'image'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new BatchSpec.Column("image", DType.UINT8, List.of(0, 3, 3)))
                .withMessageContaining("[0, 3, 3]");
        BatchSpec.Column column = SPEC.columns().get(0);
        assertThatIllegalArgumentException().isThrownBy(() -> new BatchSpec(List.of(column, column)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PackLimits.ofRows(0))
                .withMessageContaining("0 rows");
    }

    @Test
    void raggedRowsCountTowardsTheByteLimitAndTheMemoryGrows() throws IOException {
        BatchSpec spec = new BatchSpec(List.of(TEXT));
        int limit = MicroBatchWire.overheadBytes(spec) + 2 * (24 + 4) + 5000;
        try (Packer packer = new Packer(allocator, spec, new PackLimits(limit, 100, Duration.ofMillis(50)))) {
            assertThat(packer.add(text(0, 4500))).isEqualTo(4 + 4500);
            assertThat(packer.fits(text(1, 501))).isFalse();
            assertThat(packer.fits(text(1, 500))).isTrue();
            packer.add(text(1, 500));
            try (MicroBatch batch = packer.flush()) {
                assertThat(serializedBytes(batch)).isEqualTo(limit);
                assertThat(batch.bytes(0, 0)).isEqualTo(4500);
                assertThat(batch.bytes(0, 1)).isEqualTo(500);
                assertThat(batch.address(0, 1)).isEqualTo(batch.address(0, 0) + 4500);
            }
            long taken = allocator.getAllocatedMemory();
            for (int round = 0; round < 5; round++) {
                packer.add(text(round, 5000));
                packer.flush().close();
            }
            assertThat(allocator.getAllocatedMemory()).isEqualTo(taken);
        }
    }

    @Test
    void raggedRowLargerThanTheLimitIsPackedAlone() {
        BatchSpec spec = new BatchSpec(List.of(TEXT));
        try (Packer packer = new Packer(allocator, spec, new PackLimits(1000, 100, Duration.ofMillis(50)))) {
            packer.add(text(0, 10));
            assertThat(packer.fits(text(1, 9000))).isFalse();
            packer.flush().close();
            packer.add(text(1, 9000));
            assertThat(packer.isFull()).isTrue();
            try (MicroBatch batch = packer.flush()) {
                assertThat(batch.rows()).isEqualTo(1);
                assertThat(batch.bytes(0, 0)).isEqualTo(9000);
            }
        }
    }

    @Test
    void valuesThatAreNotBinaryAreNotPackedAsBits() {
        BatchSpec spec = new BatchSpec(
                List.of(new BatchSpec.Column("mask", DType.UINT8, List.of(2, 2, 1), FieldKind.MASK, Form.BITS)));
        try (Packer packer = new Packer(allocator, spec, PackLimits.ofRows(4))) {
            Sample sample = new Sample(5, "a/b.png", 0)
                    .put("mask", Field.image(2, 2, 1, new byte[] {0, 1, 7, 1}))
                    .placeAt(5, 0, Split.TRAIN);
            assertThatExceptionOfType(BadValueException.class)
                    .isThrownBy(() -> packer.add(sample))
                    .withMessage("'mask' has the wire form bits: expected 0 and 1, or 0 and 255, found 7 at element 2");
            assertThat(PackCheck.refusal(spec, sample))
                    .contains("'mask' has the wire form bits: expected 0 and 1, or 0 and 255, found 7 at element 2");
            assertThat(packer.isEmpty()).isTrue();
        }
    }

    @Test
    void tensorsOfDifferentLengthsAreRefusedWithTheAdviceToUseRagged() {
        BatchSpec spec = new BatchSpec(List.of(new BatchSpec.Column("tokens", DType.INT64, List.of(2))));
        try (Packer packer = new Packer(allocator, spec, PackLimits.ofRows(4))) {
            Sample sample = new Sample(5, "a", 0)
                    .put("tokens", Field.of(DType.INT64, new int[] {3}, new byte[24]))
                    .placeAt(5, 0, Split.TRAIN);
            assertThatExceptionOfType(SampleMismatchException.class)
                    .isThrownBy(() -> packer.add(sample))
                    .withMessageContainingAll("INT64[3]", "INT64[2]", "{forms: {tokens: ragged}}");
        }
    }

    @Test
    void raggedRowsMayDifferInTheFirstExtentOnly() {
        BatchSpec spec = new BatchSpec(
                List.of(new BatchSpec.Column("boxes", DType.FLOAT32, List.of(4), FieldKind.RAGGED, Form.RAGGED)));
        try (Packer packer = new Packer(allocator, spec, PackLimits.ofRows(4))) {
            Sample sample = new Sample(5, "a", 0)
                    .put("boxes", Field.of(DType.FLOAT32, new int[] {3, 5}, new byte[60]))
                    .placeAt(5, 0, Split.TRAIN);
            assertThatExceptionOfType(SampleMismatchException.class)
                    .isThrownBy(() -> packer.add(sample))
                    .withMessageContainingAll("FLOAT32[3, 5]", "FLOAT32[?, 4]", "only in their first extent");
        }
    }

    @ParameterizedTest
    @CsvSource({"DENSE, 1, 9, true", "RAGGED, 1, 9, true", "DENSE, 2, 7, false"})
    void soundsOfDifferentLengthsAreRefusedWithTheAdviceToReadThemRagged(
            Form form, int channels, int frames, boolean advised) {
        List<Integer> shape = form == Form.RAGGED ? List.of(7) : List.of(1, 7);
        BatchSpec spec =
                new BatchSpec(List.of(new BatchSpec.Column("audio", DType.FLOAT32, shape, FieldKind.TENSOR, form)));
        try (Packer packer = new Packer(allocator, spec, PackLimits.ofRows(4))) {
            Sample sample = new Sample(5, "a", 0)
                    .put(
                            "audio",
                            Field.of(DType.FLOAT32, new int[] {channels, frames}, new byte[4 * channels * frames]))
                    .placeAt(5, 0, Split.TRAIN);
            assertThatExceptionOfType(SampleMismatchException.class)
                    .isThrownBy(() -> packer.add(sample))
                    .withMessageEndingWith(
                            advised
                                    ? ". If 'audio' is a decoded sound, read it with as: ragged in dataset.fields, which makes it"
                                            + " [frames, channels]"
                                    : ": make the field ragged, batch: {forms: {audio: ragged}}");
        }
    }

    @Test
    void numbersAreConvertedToTheWireTypeAndTheSampleStaysUnchanged() {
        BatchSpec spec = new BatchSpec(List.of(
                column("half", DType.FLOAT16, Form.DENSE, DType.FLOAT32),
                column("brain", DType.BFLOAT16, Form.RAGGED, DType.FLOAT32),
                column("ids", DType.UINT8, Form.DENSE, DType.INT64),
                column("flags", DType.UINT8, Form.BITS, DType.INT64),
                column("rare", DType.FLOAT16, Form.SPARSE, DType.FLOAT32)));
        try (Packer packer = new Packer(allocator, spec, PackLimits.ofRows(4))) {
            for (int row = 0; row < 2; row++) {
                Sample sample = new Sample(5, "a", 0).placeAt(row, 0, Split.TRAIN);
                sample.put("half", floats(1.5f + row, 2049));
                sample.put("brain", floats(1, 257, -3));
                sample.put("ids", longs(250 + row, 3));
                sample.put("flags", longs(1 - row, 1));
                sample.put("rare", floats(0, 2 + row));
                long sent = packer.add(sample);
                assertThat(sent).isEqualTo(2 * 2 + (4 + 3 * 2) + 2 + 1 + (4 + 6));
                assertThat(sample.field("half").dtype()).isEqualTo(DType.FLOAT32);
            }
            try (MicroBatch batch = packer.flush()) {
                assertThat(sent(batch, 0, 1)).containsExactly(0x00, 0x41, 0x00, 0x68); // 2.5, and 2048 by ties to even
                assertThat(sent(batch, 1, 0)).containsExactly(0x80, 0x3f, 0x80, 0x43, 0x40, 0xc0); // 1, 256, -3
                assertThat(sent(batch, 2, 1)).containsExactly(251, 3);
                assertThat(sent(batch, 3, 1)).containsExactly(0b10);
                assertThat(sent(batch, 4, 1)).containsExactly(1, 0, 0, 0, 0x00, 0x42); // place 1: 3.0
            }
        }
    }

    @Test
    void numberThatDoesNotFitItsColumnLeavesThePackerUnchanged() throws IOException {
        BatchSpec spec = new BatchSpec(List.of(
                column("text", DType.UINT8, Form.RAGGED, DType.UINT8),
                column("ids", DType.UINT8, Form.DENSE, DType.INT64)));
        try (Packer packer = new Packer(allocator, spec, PackLimits.ofRows(4))) {
            packer.add(texted(0, "abc", longs(1, 2)));
            assertThatExceptionOfType(BadValueException.class)
                    .isThrownBy(() -> packer.add(texted(1, "never", longs(3, 256))))
                    .withMessage(
                            "'ids' has the wire type uint8, which cannot represent 256 at element 1: batch.wire sets"
                                    + " the wire type");
            assertThat(PackCheck.refusal(spec, texted(1, "never", longs(3, 256))))
                    .hasValueSatisfying(why -> assertThat(why).contains("cannot represent 256"));
            assertThat(PackCheck.refusal(spec, texted(2, "de", longs(5, 6)))).isEmpty();
            packer.add(texted(2, "de", longs(5, 6)));
            try (MicroBatch batch = packer.flush()) {
                assertThat(batch.rows()).isEqualTo(2);
                assertThat(sent(batch, 0, 1)).containsExactly('d', 'e');
                assertThat(sent(batch, 1, 1)).containsExactly(5, 6);
                assertThat(serializedBytes(batch)).isEqualTo(MicroBatchWire.overheadBytes(spec) + 2 * (24 + 4 + 2) + 5);
            }
        }
    }

    @Test
    void sparseRowsCountTowardsTheByteLimitByTheirElementsOtherThan0() {
        BatchSpec spec = new BatchSpec(
                List.of(new BatchSpec.Column("rare", DType.UINT8, List.of(1000), FieldKind.TENSOR, Form.SPARSE)));
        int limit = MicroBatchWire.overheadBytes(spec) + 2 * (24 + 4) + 30 * 5;
        try (Packer packer = new Packer(allocator, spec, new PackLimits(limit, 100, Duration.ofMillis(50)))) {
            assertThat(packer.add(rare(0, 10))).isEqualTo(4 + 50);
            assertThat(packer.fits(rare(1, 21))).isFalse();
            assertThat(packer.fits(rare(1, 20))).isTrue();
            packer.add(rare(1, 20));
            assertThat(packer.isFull()).isTrue();
            packer.flush().close();
            assertThat(packer.fits(rare(2, 1000)))
                    .as("an empty packer accepts any row, even one that is larger sparse than dense")
                    .isTrue();
            assertThat(packer.add(rare(2, 1000))).isEqualTo(4 + 5000);
        }
    }

    @Test
    void contradictoryColumnsAreRefusedWhenDeclared() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new BatchSpec.Column("x", DType.FLOAT32, List.of(), FieldKind.TENSOR, Form.SPARSE))
                .withMessageContaining("'x' cannot be sparse");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> column("x", DType.FLOAT16, Form.BITS, DType.FLOAT32))
                .withMessageContaining("cannot be bits");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> column("x", DType.UINT8, Form.DENSE, DType.ENCODED))
                .withMessageContaining("encoded");
    }

    private static BatchSpec.Column column(String name, DType dtype, Form form, DType from) {
        return new BatchSpec.Column(
                name, dtype, form == Form.RAGGED ? List.of() : List.of(2), FieldKind.TENSOR, form, from);
    }

    private static Sample texted(long position, String text, Field ids) {
        return new Sample(position, "t" + position, 0)
                .put("text", Field.text(text.getBytes(StandardCharsets.UTF_8)))
                .put("ids", ids)
                .placeAt(position, 0, Split.TRAIN);
    }

    private static Sample rare(long position, int ones) {
        byte[] values = new byte[1000];
        Arrays.fill(values, 1000 - ones, 1000, (byte) 1);
        return new Sample(position, "r" + position, 0)
                .put("rare", Field.of(DType.UINT8, new int[] {1000}, values))
                .placeAt(position, 0, Split.TRAIN);
    }

    private static Field floats(float... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * 4).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(values);
        return Field.of(DType.FLOAT32, new int[] {values.length}, bytes.array());
    }

    private static Field longs(long... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * 8).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asLongBuffer().put(values);
        return Field.of(DType.INT64, new int[] {values.length}, bytes.array());
    }

    /** Returns the bytes of a row as unsigned numbers. */
    private static int[] sent(MicroBatch batch, int column, int row) {
        byte[] bytes = new byte[batch.bytes(column, row)];
        MemoryUtil.copyFromMemory(batch.address(column, row), bytes, 0, bytes.length);
        int[] unsigned = new int[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            unsigned[i] = bytes[i] & 255;
        }
        return unsigned;
    }

    private static Sample text(long position, int bytes) {
        return new Sample(position, "t" + position, 0)
                .put(TEXT.name(), Field.text(new byte[bytes]))
                .placeAt(position, 0, Split.TRAIN);
    }

    private Packer packer(int bytes, int rows) {
        return new Packer(allocator, SPEC, new PackLimits(bytes, rows, Duration.ofMillis(50)));
    }

    private static BadSample badSample(Sample sample) {
        return Objects.requireNonNull(sample.badSample());
    }

    private static int serializedBytes(MicroBatch batch) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        new MicroBatchSerializer(batch.spec()).serialize(batch, out);
        return out.length();
    }
}
