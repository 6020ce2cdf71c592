package io.millrace.dataset.arrow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.flatbuffers.FlatBufferBuilder;
import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.columns.DamagedFiles;
import io.millrace.dataset.columns.StoredRows;
import io.millrace.option.OptionValues;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of compressed buffers and indexes. polars and pyarrow wrote the files, see src/test/python/column_vectors.py. */
class ArrowBuffersTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset/arrow");

    @TempDir
    Path folder;

    @Test
    void blocksOfLz4MayReferToTheBlocksBeforeThem() throws IOException {
        try (Dataset dataset = open(VECTORS.resolve("polars.arrow"), "n", "name")) {
            assertThat(dataset.size()).isEqualTo(30_000);
            for (int i = 29_999; i >= 0; i -= 7) {
                assertThat(StoredRows.numbers(dataset.read(i).field("n"))).containsExactly((double) (i % 1000 * 3));
                assertThat(new String(dataset.read(i).field("name").data(), StandardCharsets.UTF_8))
                        .isEqualTo("row " + i % 500);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "unsigned-indexes.arrows, name",
        "unsigned-indexes.arrows, number",
        "unsigned-indexes.arrows, wide",
        "arrow-0.17-lz4.arrows, n",
        "arrow-0.17-lz4.arrows, name",
        "arrow-0.17-zstd.arrows, n",
        "arrow-0.17-zstd.arrows, name",
        "arrow-0.17-unions.arrows, n"
    })
    void everyRowHasTheWritersValue(String file, String column) throws IOException {
        List<JsonNode> rows = StoredRows.of(VECTORS.resolve(file + ".json"));
        try (Dataset dataset = open(VECTORS.resolve(file), column)) {
            assertThat(dataset.size()).isEqualTo(rows.size());
            for (int i = 0; i < rows.size(); i++) {
                StoredRows.assertHolds(
                        dataset.read(i).field(column), rows.get(i).get(column));
            }
        }
    }

    @Test
    void bigEndianFilesAreRefused() throws IOException {
        FlatBufferBuilder builder = new FlatBufferBuilder();
        int fields = Schema.createFieldsVector(builder, new int[0]);
        int schema = Schema.createSchema(builder, Endianness.Big, fields, 0, 0);
        builder.finish(Message.createMessage(builder, MetadataVersion.V5, MessageHeader.Schema, schema, 0, 0));
        byte[] message = builder.sizedByteArray();
        Path file = Files.write(
                folder.resolve("x.arrow"),
                ByteBuffer.allocate(8 + message.length)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(-1)
                        .putInt(message.length)
                        .put(message)
                        .array());
        assertThatThrownBy(() -> open(file, "image"))
                .isInstanceOf(DatasetException.class)
                .hasMessage(file + " is big-endian, which is not supported");
    }

    @Test
    void damagedLz4DataIsABadSample() throws IOException {
        byte[] bytes = Files.readAllBytes(VECTORS.resolve("polars.arrow"));
        int bad = 0;
        for (int at = bytes.length / 4; at < bytes.length * 3 / 4; at += bytes.length / 40) {
            byte[] damaged = bytes.clone();
            damaged[at] ^= 0x55;
            Path file = Files.write(folder.resolve("x.arrow"), damaged);
            try (Dataset dataset = open(file, "n", "name")) {
                dataset.read(29_999);
            } catch (BadSampleException e) {
                bad++;
            }
        }
        assertThat(bad).isPositive();
    }

    @ParameterizedTest
    @ValueSource(strings = {"unsigned-indexes.arrows", "arrow-0.17-lz4.arrows"})
    void damagedFileEndsInSamplesOrExceptions(String file) throws IOException {
        String[] columns =
                file.startsWith("unsigned") ? new String[] {"name", "number", "wide"} : new String[] {"n", "name"};
        DamagedFiles.Outcomes outcomes =
                DamagedFiles.read(VECTORS.resolve(file), folder.resolve(file), damaged -> open(damaged, columns));
        assertThat(outcomes.refused()).isPositive();
        assertThat(outcomes.badSamples() + outcomes.whole()).isPositive();
    }

    private static Dataset open(Path file, String... columns) throws IOException {
        Map<String, Object> all = new TreeMap<>();
        all.put("path", file.toString());
        all.put("fields", List.of(columns));
        return new DatasetSpec("arrow", OptionValues.of(new ArrowFormat().options(), all)).open();
    }
}
