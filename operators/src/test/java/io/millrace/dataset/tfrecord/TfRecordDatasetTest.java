package io.millrace.dataset.tfrecord;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.option.OptionValues;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The files in the resources are written by TensorFlow's TFRecordWriter: src/test/python/record_vectors.py. */
class TfRecordDatasetTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset/tfrecord");
    private static final Path SHARD = VECTORS.resolve("train-00000-of-00002.tfrecord");

    @TempDir
    Path folder;

    @Test
    void shardsWrittenByTensorFlowHaveEveryFeature() throws Exception {
        Map<String, Object> fields = Map.of(
                "image", "image/encoded",
                "label", "image/class/label",
                "text", Map.of("from", "image/class/text", "as", "text"),
                "boxes", Map.of("from", "boxes", "as", "ragged"),
                "ids", "ids");
        try (Dataset dataset = open(VECTORS + "/train-{00000..00001}-of-00002.tfrecord", without(fields, "boxes"))) {
            List<String> lines = Files.readAllLines(VECTORS.resolve("expected.tsv"));
            assertThat(dataset.size()).isEqualTo(lines.size()).isEqualTo(7);
            for (int index = 0; index < lines.size(); index++) {
                String[] parts = lines.get(index).split("\t", -1);
                Sample sample = dataset.read(index);
                assertThat(sample.key()).isEqualTo(parts[0]);
                assertThat(sample.label()).isEqualTo(Long.parseLong(parts[1])).isEqualTo(dataset.label(index));
                for (String part : Arrays.copyOfRange(parts, 2, parts.length)) {
                    String name = part.substring(0, part.indexOf('='));
                    byte[] digest = MessageDigest.getInstance("SHA-256")
                            .digest(sample.field(name).data());
                    assertThat(name + "=" + HexFormat.of().formatHex(digest)).isEqualTo(part);
                }
            }
        }
        try (Dataset dataset = open(SHARD.toString(), fields)) {
            assertThat(dataset.read(2).field("boxes").kind()).isEqualTo(FieldKind.RAGGED);
            assertThat(dataset.read(2).field("boxes")).hasToString("FLOAT32[8]");
            // The first record has an empty list, which protocol buffers cannot distinguish from no list.
            assertThatThrownBy(() -> dataset.read(0)).hasMessage("expected a feature 'boxes', found none");
        }
    }

    @Test
    void unpackedNumbersAreRead() throws IOException {
        try (Dataset dataset = open(VECTORS.resolve("unpacked.tfrecord").toString(), List.of("ids", "floats"))) {
            assertThat(dataset.read(0).field("ids").data())
                    .containsExactly(7, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0);
            assertThat(dataset.read(0).field("floats").data()).containsExactly(0, 0, 0, 0x3F, 0, 0, 0, 0xC0);
        }
    }

    @Test
    void defaultFeaturesAreTensorFlowsNamesForImageNet() throws IOException {
        try (Dataset dataset = open(SHARD.toString(), null)) {
            assertThat(dataset.read(1).fieldNames()).containsExactly("image");
            assertThat(dataset.read(1).label()).isEqualTo(3);
        }
    }

    @Test
    void featureThatNoneOfTheFirstRecordsHasIsNamed() {
        assertThatThrownBy(() -> open(SHARD.toString(), Map.of("image", "jpeg")))
                .isInstanceOf(DatasetException.class)
                .hasMessage("no feature 'jpeg' for the field 'image' in the first records of " + SHARD
                        + "; found boxes, empty, ids, image/class/label, image/class/text, image/encoded");
    }

    @Test
    void damagedDataIsOneBadSample() throws IOException {
        byte[] bytes = Files.readAllBytes(SHARD);
        long length =
                ByteBuffer.wrap(bytes).order(java.nio.ByteOrder.LITTLE_ENDIAN).getLong();
        int second = (int) length + 16;
        bytes[second + 12 + 30] ^= 4;
        Path file = Files.write(folder.resolve("a.tfrecord"), bytes);

        try (Dataset dataset = open(file.toString(), null)) {
            assertThat(dataset.size()).isEqualTo(3);
            assertThat(dataset.read(0).label()).isZero();
            assertThat(dataset.read(2).label()).isEqualTo(6);
            assertThatThrownBy(() -> dataset.read(1)).isInstanceOfSatisfying(BadSampleException.class, e -> {
                assertThat(e.file()).isEqualTo(file + "#1");
                assertThat(e.offset()).isEqualTo(second + 12);
                assertThat(e.reason())
                        .matches("expected checksum [0-9a-f]{8} of a record of \\d+ bytes, found [0-9a-f]{8}");
            });
        }
    }

    @Test
    void damagedLengthLosesTheRestAsOneBadSample() throws IOException {
        byte[] bytes = Files.readAllBytes(SHARD);
        long length =
                ByteBuffer.wrap(bytes).order(java.nio.ByteOrder.LITTLE_ENDIAN).getLong();
        int second = (int) length + 16;
        bytes[second] ^= 1;
        Path file = Files.write(folder.resolve("a.tfrecord"), bytes);

        try (Dataset dataset = open(file.toString(), null)) {
            assertThat(dataset.size()).isEqualTo(2);
            assertThat(dataset.read(0).label()).isZero();
            assertThatThrownBy(() -> dataset.read(1)).isInstanceOfSatisfying(BadSampleException.class, e -> {
                assertThat(e.file()).isEqualTo(file.toString());
                assertThat(e.offset()).isEqualTo(second);
                assertThat(e.reason())
                        .startsWith("expected a record's length whose checksum is ")
                        .endsWith("; the rest of the file, " + (bytes.length - second)
                                + " bytes with an unknown number of samples, is lost");
            });
        }
    }

    @Test
    void everyTruncationKeepsTheRecordsBeforeIt() throws IOException {
        byte[] bytes = Files.readAllBytes(SHARD);
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(java.nio.ByteOrder.LITTLE_ENDIAN);
        int first = (int) buffer.getLong(0) + 16;
        int second = first + (int) buffer.getLong(first) + 16;
        for (int length = first; length < bytes.length; length += 7) {
            Path file = Files.write(folder.resolve("a.tfrecord"), Arrays.copyOf(bytes, length));
            int whole = length < second ? 1 : 2;
            boolean atBoundary = length == first || length == second;
            try (Dataset dataset = open(file.toString(), null)) {
                assertThat(dataset.size()).isEqualTo(atBoundary ? whole : whole + 1);
                for (int index = 0; index < whole; index++) {
                    assertThat(dataset.read(index).label()).isEqualTo(index * 3L);
                }
                if (!atBoundary) {
                    assertThatThrownBy(() -> dataset.read(whole)).isInstanceOf(BadSampleException.class);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"gzip.tfrecord, gzip", "zlib.tfrecord, zlib"})
    void compressedFileIsRefusedWithTheReason(String name, String compression) {
        assertThatThrownBy(() -> open(VECTORS.resolve(name).toString(), null))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith(VECTORS.resolve(name) + " is compressed with " + compression + " as a whole");
    }

    @Test
    void fileOfZeroBytesHasNoSamples() throws IOException {
        Path empty = Files.write(folder.resolve("a-0.tfrecord"), new byte[0]);
        assertThatThrownBy(() -> open(empty.toString(), null))
                .isInstanceOf(DatasetException.class)
                .hasMessage("no samples in " + empty);
        Files.copy(SHARD, folder.resolve("a-1.tfrecord"));
        Files.write(folder.resolve("a-2.tfrecord"), new byte[0]);
        Files.copy(SHARD, folder.resolve("a-3.tfrecord"));
        try (Dataset dataset = open(folder.toString(), null)) {
            assertThat(dataset.size()).isEqualTo(6);
            for (int index = 0; index < 6; index++) {
                assertThat(dataset.read(index).label()).isEqualTo(index % 3 * 3L);
            }
        }
    }

    @Test
    void fileThatIsNoTfRecordIsRefused() throws IOException {
        Path file = Files.writeString(folder.resolve("a.tfrecord"), "this is no record file");

        assertThatThrownBy(() -> open(file.toString(), null))
                .isInstanceOf(DatasetException.class)
                .hasMessageStartingWith(
                        "no samples in " + file + ": at offset 0 expected a record's length whose checksum");
    }

    private static Map<String, Object> without(Map<String, Object> map, String key) {
        Map<String, Object> less = new HashMap<>(map);
        less.remove(key);
        return less;
    }

    private static Dataset open(String path, @Nullable Object fields) throws IOException {
        Map<String, Object> options = new HashMap<>(Map.of("path", path, "index_cache", "none"));
        if (fields != null) {
            options.put("fields", fields);
        }
        return new DatasetSpec("tfrecord", OptionValues.of(new TfRecordFormat().options(), options)).open();
    }
}
