package io.millrace.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.memory.util.MemoryUtil;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.junit.jupiter.api.Test;

class MicroBatchArrowTest {
    @Test
    void dumpIsByteForByteTheOneThatPyarrowRead() throws IOException {
        assertThat(Stored.arrow(Stored.SPEC)).isEqualTo(Stored.bytes(Stored.ARROW));
    }

    @Test
    void dumpOfBitsRaggedRowsAndNumbersIsTheOneThatPyarrowRead() throws IOException {
        assertRead(Stored.FIELDS_SPEC, Stored.FIELDS_ARROW);
    }

    @Test
    void dumpOfBfloat16AndSparseRowsIsTheOneThatPyarrowRead() throws IOException {
        assertRead(Stored.WIRE_SPEC, Stored.WIRE_ARROW);
    }

    private static void assertRead(BatchSpec spec, String file) throws IOException {
        byte[] dump = Stored.arrow(spec);
        assertThat(dump).isEqualTo(Stored.bytes(file));
        String read = new String(Stored.bytes(file + ".txt"), StandardCharsets.UTF_8);
        assertThat(read).contains("file sha256: " + sha256(dump));
        for (BatchSpec.Column column : spec.columns()) {
            assertThat(read)
                    .contains(column.name() + " sha256: " + sha256(values(spec, column)))
                    .contains(column.name() + " rows: " + rowsOf(spec, column));
        }
    }

    /** The values of the rows that are not quarantined, bits a byte each, one row after another. */
    private static byte[] values(BatchSpec spec, BatchSpec.Column column) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (long position : List.of(0L, 1L, 3L, 4L)) {
            all.write(Rows.good(spec, position).field(column.name()).data());
        }
        return all.toByteArray();
    }

    private static List<String> rowsOf(BatchSpec spec, BatchSpec.Column column) {
        List<String> shapes = new ArrayList<>();
        for (long position = 0; position < Stored.ROWS; position++) {
            shapes.add(
                    position == Stored.QUARANTINED
                            ? "null"
                            : Arrays.toString(Rows.good(spec, position)
                                    .field(column.name())
                                    .shape()));
        }
        return shapes;
    }

    @Test
    void whatPyarrowReadIsWhatWasPacked() throws IOException {
        String read = new String(Stored.bytes(Stored.ARROW + ".txt"), StandardCharsets.UTF_8);
        assertThat(read)
                .contains("file sha256: " + sha256(Stored.bytes(Stored.ARROW)))
                .contains(
                        "image: arrow.fixed_shape_tensor of uint8, shape [2, 3, 3], dim_names ['H', 'W', 'C'], nulls 1")
                .contains("mask: arrow.fixed_shape_tensor of float, shape [2], dim_names None, nulls 1")
                .contains("position: int64 [0, 1, 2, 3, 4]")
                .contains("index: int64 [3, 10, 17, 24, 31]")
                .contains("label: int64 [0, 1, 2, 3, 4]")
                .contains("'reason': 'expected an image, found \u00ab\u20ac\u00bb 2'")
                .contains("image sha256: " + sha256(presentRows(0)))
                .contains("mask sha256: " + sha256(presentRows(1)));
    }

    @Test
    void arrowsOwnReaderFindsRowsAndNulls() throws IOException {
        try (RootAllocator allocator = new RootAllocator();
                ArrowStreamReader reader =
                        new ArrowStreamReader(new ByteArrayInputStream(Stored.arrow(Stored.SPEC)), allocator)) {
            assertThat(reader.loadNextBatch()).isTrue();
            VectorSchemaRoot root = reader.getVectorSchemaRoot();
            assertThat(root.getSchema()).isEqualTo(ArrowSchema.of(Stored.SPEC));
            FixedSizeListVector image = (FixedSizeListVector) root.getVector("image");
            for (int row = 0; row < Stored.ROWS; row++) {
                assertThat(image.isNull(row)).isEqualTo(row == Stored.QUARANTINED);
                assertThat(root.getVector("failure").isNull(row)).isEqualTo(row != Stored.QUARANTINED);
            }
            assertThat(root.getVector("failure").getObject(Stored.QUARANTINED)).hasToString("""
                    {"stage":"decode","dataset":"data/photos","file":"train/2.png","offset":1,\
                    "reason":"expected an image, found \u00ab\u20ac\u00bb 2"}""");
        }
    }

    @Test
    void vectorsShareTheMemoryOfWhatArrivedAndGoWithIt() throws IOException {
        try (MicroBatch batch =
                new MicroBatchSerializer(Stored.SPEC).deserialize(new DataInputDeserializer(Stored.serialized()))) {
            FixedSizeListVector image = (FixedSizeListVector) batch.root().getVector("image");
            assertThat(image.getDataVector().getDataBufferAddress()).isEqualTo(batch.address(0, 0));
            assertThat(batch.root()).isSameAs(batch.root());
        }
        assertThat(MicroBatchMemory.allocatedBytes()).isZero();
    }

    /** The bytes of the rows that are not quarantined, one after another. */
    private static byte[] presentRows(int column) throws IOException {
        int rowBytes = Stored.SPEC.columns().get(column).rowBytes();
        byte[] present = new byte[(Stored.ROWS - 1) * rowBytes];
        try (MicroBatch batch =
                new MicroBatchSerializer(Stored.SPEC).deserialize(new DataInputDeserializer(Stored.serialized()))) {
            int at = 0;
            for (int row : List.of(0, 1, 3, 4)) {
                MemoryUtil.copyFromMemory(batch.address(column, row), present, at, rowBytes);
                at += rowBytes;
            }
        }
        return present;
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
