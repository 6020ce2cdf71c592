package io.millrace.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.millrace.sample.DType;
import io.millrace.sample.FieldKind;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterTry;
import org.apache.arrow.memory.RootAllocator;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputViewStreamWrapper;

class MicroBatchSerializerTest {
    @AfterTry
    void noMemoryIsLeaked() {
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
    }

    @Property(tries = 100)
    void rowsOfAnyShapeAreReadAsWritten(
            @ForAll("specs") BatchSpec spec, @ForAll @Size(min = 1, max = 40) List<Boolean> quarantined)
            throws IOException {
        MicroBatchSerializer serializer = new MicroBatchSerializer(spec);
        byte[] fast = serialized(spec, quarantined);
        assertThat(serializedToStream(spec, quarantined))
                .as("views without bulk access receive the same bytes")
                .isEqualTo(fast);

        DataOutputSerializer copied = new DataOutputSerializer(64);
        serializer.copy(new DataInputDeserializer(fast), copied);
        assertThat(copied.getCopyOfBuffer()).isEqualTo(fast);

        DataInputDeserializer in = new DataInputDeserializer(fast);
        try (MicroBatch batch = serializer.deserialize(in)) {
            assertThat(in.available()).isZero();
            assertThat(batch.rows()).isEqualTo(quarantined.size());
            for (int row = 0; row < batch.rows(); row++) {
                assertThat(batch.position(row)).isEqualTo(1000 + row);
                assertThat(batch.isQuarantined(row)).isEqualTo(quarantined.get(row));
                Rows.check(batch, row);
            }
        }
    }

    @Property(tries = 100)
    void truncatedMicroBatchLeaksNoMemory(@ForAll("specs") BatchSpec spec, @ForAll("cuts") double share)
            throws IOException {
        byte[] whole = serialized(spec, List.of(false, true, false));
        byte[] cut = Arrays.copyOf(whole, (int) (whole.length * share));
        MicroBatchSerializer serializer = new MicroBatchSerializer(spec);
        assertThatExceptionOfType(EOFException.class)
                .isThrownBy(
                        () -> serializer.deserialize(new DataInputViewStreamWrapper(new ByteArrayInputStream(cut))));
    }

    @Example
    void brokenBadSampleIsRefusedAndLeaksNoMemory() throws IOException {
        byte[] broken = serialized(Rows.IMAGE_AND_MASK, List.of(true));
        int failureRow = MicroBatchWire.HEADER_BYTES + RowBuffers.KEY_BYTES + Rows.IMAGE_AND_MASK.rowBytes();
        broken[failureRow + 3] = 9;
        assertRefused(broken, Rows.IMAGE_AND_MASK, "row 9");
    }

    @Example
    void brokenOffsetsAreRefusedAndLeakNoMemory() throws IOException {
        BatchSpec text = new BatchSpec(
                List.of(new BatchSpec.Column("text", DType.UINT8, List.of(), FieldKind.RAGGED, Form.RAGGED)));
        byte[] broken = serialized(text, List.of(false, false));
        int secondOffset = MicroBatchWire.HEADER_BYTES + 2 * RowBuffers.KEY_BYTES + RowBuffers.OFFSET_BYTES;
        broken[secondOffset + 3] = (byte) 0x80;
        assertRefused(broken, text, "broken offsets in column 'text': row 1 begins at -");
    }

    @Property(tries = 50)
    void snapshotsKeepEveryColumn(@ForAll("converted") BatchSpec spec) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        TypeSerializerSnapshot.writeVersionedSnapshot(out, new MicroBatchSerializer(spec).snapshotConfiguration());
        assertThat(TypeSerializerSnapshot.<MicroBatch>readVersionedSnapshot(
                                new DataInputDeserializer(out.getCopyOfBuffer()),
                                getClass().getClassLoader())
                        .restoreSerializer())
                .isEqualTo(new MicroBatchSerializer(spec));
    }

    @Example
    void snapshotOfVersion1HasDenseColumns() throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        out.writeInt(1);
        out.writeUTF("image");
        out.writeUTF("UINT8");
        out.writeInt(1);
        out.writeInt(7);
        MicroBatchSerializerSnapshot snapshot = new MicroBatchSerializerSnapshot();
        snapshot.readSnapshot(
                1, new DataInputDeserializer(out.getCopyOfBuffer()), getClass().getClassLoader());
        assertThat(snapshot.restoreSerializer())
                .isEqualTo(new MicroBatchSerializer(
                        new BatchSpec(List.of(new BatchSpec.Column("image", DType.UINT8, List.of(7))))));
    }

    @Example
    void snapshotOfVersion2HasColumnsOfTheSamplesTypes() throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        out.writeInt(1);
        out.writeUTF("map");
        out.writeUTF("UINT8");
        out.writeInt(1);
        out.writeInt(7);
        out.writeUTF("MASK");
        out.writeUTF("BITS");
        MicroBatchSerializerSnapshot snapshot = new MicroBatchSerializerSnapshot();
        snapshot.readSnapshot(
                2, new DataInputDeserializer(out.getCopyOfBuffer()), getClass().getClassLoader());
        assertThat(snapshot.restoreSerializer())
                .isEqualTo(new MicroBatchSerializer(new BatchSpec(
                        List.of(new BatchSpec.Column("map", DType.UINT8, List.of(7), FieldKind.MASK, Form.BITS)))));
    }

    @Example
    void columnsWithAnotherTypeOfTheSamplesAreOtherColumns() throws IOException {
        BatchSpec halves = new BatchSpec(List.of(
                new BatchSpec.Column("x", DType.FLOAT16, List.of(2), FieldKind.TENSOR, Form.DENSE, DType.FLOAT32)));
        BatchSpec stored = new BatchSpec(List.of(new BatchSpec.Column("x", DType.FLOAT16, List.of(2))));
        assertRefused(serialized(stored, List.of(false)), halves, "other columns");
    }

    @Example
    void unknownVersionIsRefusedWithTheKnownVersions() throws IOException {
        byte[] future = serialized(Rows.IMAGE_AND_MASK, List.of(false));
        future[0] = 2;
        assertRefused(future, Rows.IMAGE_AND_MASK, "version 2 arrived, but this Millrace reads only version 1");
    }

    @Example
    void otherColumnsAreRefused() throws IOException {
        BatchSpec other = new BatchSpec(List.of(new BatchSpec.Column("image", DType.UINT8, List.of(3, 2, 3))));
        assertRefused(serialized(Rows.IMAGE_AND_MASK, List.of(false)), other, "other columns");
    }

    @Example
    void storedVersion1IsReadAndWrittenAsBefore() throws IOException {
        byte[] stored = StoredMicroBatch.bytes(StoredMicroBatch.VERSION_1);
        try (MicroBatch batch =
                new MicroBatchSerializer(StoredMicroBatch.SPEC).deserialize(new DataInputDeserializer(stored))) {
            assertThat(batch.rows()).isEqualTo(StoredMicroBatch.ROWS);
            for (int row = 0; row < batch.rows(); row++) {
                assertThat(batch.position(row)).isEqualTo(row);
                assertThat(batch.isQuarantined(row)).isEqualTo(row == StoredMicroBatch.QUARANTINED);
                Rows.check(batch, row);
            }
        }
        assertThat(StoredMicroBatch.serialized()).isEqualTo(stored);
    }

    @Example
    void snapshotRestoresTheSerializerAndComparesColumns() throws IOException {
        MicroBatchSerializer serializer = new MicroBatchSerializer(Rows.IMAGE_AND_MASK);
        DataOutputSerializer out = new DataOutputSerializer(64);
        TypeSerializerSnapshot.writeVersionedSnapshot(out, serializer.snapshotConfiguration());
        TypeSerializerSnapshot<MicroBatch> read = TypeSerializerSnapshot.readVersionedSnapshot(
                new DataInputDeserializer(out.getCopyOfBuffer()), getClass().getClassLoader());
        assertThat(read.restoreSerializer()).isEqualTo(serializer);
        assertThat(serializer
                        .snapshotConfiguration()
                        .resolveSchemaCompatibility(read)
                        .isCompatibleAsIs())
                .isTrue();
        assertThat(new MicroBatchSerializer(new BatchSpec(List.of()))
                        .snapshotConfiguration()
                        .resolveSchemaCompatibility(read)
                        .isIncompatible())
                .isTrue();
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> new MicroBatchSerializerSnapshot()
                        .readSnapshot(
                                4,
                                new DataInputDeserializer(new byte[9]),
                                getClass().getClassLoader()))
                .withMessageContaining("version 4");
    }

    @Provide
    Arbitrary<BatchSpec> converted() {
        Arbitrary<DType> from = Arbitraries.of(DType.class).filter(dtype -> dtype != DType.ENCODED);
        return Combinators.combine(Rows.anySpec(), from)
                .as((spec, type) -> new BatchSpec(spec.columns().stream()
                        .map(c -> new BatchSpec.Column(c.name(), c.dtype(), c.shape(), c.kind(), c.form(), type))
                        .toList()));
    }

    @Provide
    Arbitrary<BatchSpec> specs() {
        return Rows.anySpec();
    }

    @Provide
    Arbitrary<Double> cuts() {
        return Arbitraries.doubles().between(0, 0.99);
    }

    private static void assertRefused(byte[] bytes, BatchSpec spec, String sentence) {
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> new MicroBatchSerializer(spec).deserialize(new DataInputDeserializer(bytes)))
                .withMessageContaining(sentence);
    }

    private static byte[] serialized(BatchSpec spec, List<Boolean> quarantined) throws IOException {
        DataOutputSerializer out = new DataOutputSerializer(64);
        try (RootAllocator allocator = new RootAllocator();
                Packer packer = filled(allocator, spec, quarantined);
                MicroBatch batch = packer.flush()) {
            new MicroBatchSerializer(spec).serialize(batch, out);
        }
        return out.getCopyOfBuffer();
    }

    private static byte[] serializedToStream(BatchSpec spec, List<Boolean> quarantined) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (RootAllocator allocator = new RootAllocator();
                Packer packer = filled(allocator, spec, quarantined);
                MicroBatch batch = packer.flush()) {
            new MicroBatchSerializer(spec).serialize(batch, new DataOutputViewStreamWrapper(out));
        }
        return out.toByteArray();
    }

    private static Packer filled(RootAllocator allocator, BatchSpec spec, List<Boolean> quarantined) {
        Packer packer =
                new Packer(allocator, spec, new PackLimits(64 << 20, quarantined.size(), Duration.ofMillis(50)));
        for (int row = 0; row < quarantined.size(); row++) {
            packer.add(quarantined.get(row) ? Rows.bad(spec, 1000 + row) : Rows.good(spec, 1000 + row));
        }
        return packer;
    }
}
