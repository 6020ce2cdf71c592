package io.millrace.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.option.OptionValues;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests with damaged files. Opening and reading must end soon, with samples or an {@link IOException}, and within the
 * memory of the tests. In half of the cases the checksums are corrected, so that readers read the content behind them.
 */
class ReaderFuzzTest {
    private static final Path VECTORS = Path.of("src/test/resources/vectors/dataset");
    private static final int BLOCK = 512;
    private static final long MOST_SAMPLES = 500;
    private static final Duration MOST_TIME = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    private long filesWritten;

    /** Corrects the parts that a reader checks first. */
    private interface Repair {
        byte[] repair(byte[] bytes);
    }

    @Test
    void damagedTarEndsInSamplesOrAnException() throws IOException {
        Map<String, Object> fields = Map.of(
                "image", "jpg",
                "label", "cls",
                "boxes", "boxes.npy",
                "box", "json/box",
                "txt", "txt",
                "mask", Map.of("from", "seg.png", "as", "mask"));
        for (String name : List.of("ustar.tar", "gnu.tar", "pax.tar")) {
            byte[] archive = Files.readAllBytes(VECTORS.resolve("tar").resolve(name));
            fuzz("tar", "a.tar", archive, ReaderFuzzTest::tarChecksums, Map.of("fields", fields), 4);
        }
        for (String name : List.of("links-by-gnu-tar-pax.tar", "concatenated.tar")) {
            byte[] archive = Files.readAllBytes(VECTORS.resolve("tar").resolve(name));
            fuzz("tar", "a.tar", archive, ReaderFuzzTest::tarChecksums, Map.of("fields", List.of("image", "label")), 8);
        }
        byte[] sparse = Files.readAllBytes(VECTORS.resolve("tar/by-gnu-tar-sparse.tar"));
        fuzz("tar", "a.tar", sparse, ReaderFuzzTest::tarChecksums, Map.of("fields", List.of("image", "cls")), 4);
    }

    @Test
    void damagedTfRecordEndsInSamplesOrAnException() throws IOException {
        Map<String, Object> fields = Map.of(
                "image", "image/encoded",
                "label", "image/class/label",
                "boxes", Map.of("from", "boxes", "as", "ragged"),
                "ids", "ids");
        byte[] shard = Files.readAllBytes(VECTORS.resolve("tfrecord/train-00001-of-00002.tfrecord"));
        fuzz("tfrecord", "a.tfrecord", shard, ReaderFuzzTest::recordChecksums, Map.of("fields", fields), 1);
    }

    @Test
    void damagedNpyEndsInSamplesOrAnException() throws IOException {
        byte[] images = Files.readAllBytes(VECTORS.resolve("npy/version-3.npy"));
        fuzz("npy", "x.npy", images, bytes -> bytes, Map.of("fields", Map.of("image", "x.npy")), 2);
        byte[] labels = Files.readAllBytes(VECTORS.resolve("npy/labels.npy"));
        fuzz("npy", "x.npy", labels, bytes -> Arrays.copyOf(bytes, 160), Map.of("fields", Map.of("label", "x.npy")), 2);
    }

    @Test
    void damagedCifarEndsInSamplesOrAnException() throws IOException {
        byte[] batch = Files.readAllBytes(VECTORS.resolve("cifar100/train.bin"));
        Repair whole = bytes -> Arrays.copyOf(bytes, bytes.length / 3074 * 3074);
        fuzz("cifar", "train.bin", batch, whole, Map.of(), 1);
    }

    @Test
    void damagedMegatronIndexEndsInSamplesOrAnException() throws IOException {
        Path vectors = VECTORS.resolve("tokens");
        Files.copy(vectors.resolve("megatron-uint16.bin"), folder.resolve("a.bin"));
        byte[] index = Files.readAllBytes(vectors.resolve("megatron-uint16.idx"));
        fuzz("megatron", "a.idx", index, bytes -> Arrays.copyOf(bytes, index.length), Map.of(), 1);
    }

    @Test
    void damagedTokensEndInSamplesOrAnException() throws IOException {
        byte[] array = Files.readAllBytes(VECTORS.resolve("tokens/llm-c-gpt-2.bin"));
        Repair whole = bytes -> Arrays.copyOf(bytes, array.length);
        fuzz("tokens", "a.bin", array, whole, Map.of("document_start", 50256L), 1);
    }

    @Test
    void damagedJsonLinesEndInSamplesOrAnException() throws IOException {
        byte[] lines = Files.readAllBytes(VECTORS.resolve("jsonl/odd.jsonl"));
        fuzz("jsonl", "a.jsonl", lines, bytes -> bytes, Map.of(), 1);
        fuzz(
                "jsonl",
                "a.jsonl",
                lines,
                bytes -> bytes,
                Map.of("errors", "replace", "fields", Map.of("x", Map.of("from", "text", "as", "text"))),
                1);
    }

    @Test
    void damagedTextsEndInSamplesOrAnException() throws IOException {
        byte[] lines = Files.readAllBytes(VECTORS.resolve("text/lines.txt"));
        fuzz("text", "a.txt", lines, bytes -> bytes, Map.of("separator", "\n"), 1);
        fuzz("text", "a.txt", lines, bytes -> bytes, Map.of("separator", "\n\n", "errors", "replace"), 1);
        fuzz("text", "a.txt", lines, bytes -> bytes, Map.of("errors", "replace"), 2);
        for (String name : List.of("lines.txt.gz", "lines.txt.zst")) {
            byte[] compressed = Files.readAllBytes(VECTORS.resolve("text").resolve(name));
            fuzz(
                    "text",
                    name,
                    compressed,
                    bytes -> Arrays.copyOf(bytes, compressed.length),
                    Map.of("errors", "replace"),
                    1);
        }
    }

    private void fuzz(
            String format, String name, byte[] original, Repair repair, Map<String, Object> options, int share)
            throws IOException {
        Map<String, Object> values = new HashMap<>(options);
        values.put(
                "path",
                format.equals("npy") ? folder.toString() : folder.resolve(name).toString());
        DatasetFormat reader = ServiceLoader.load(DatasetFormat.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(candidate -> candidate.name().equals(format))
                .findFirst()
                .orElseThrow();
        reader.options().stream()
                .filter(option -> option.key().equals("index_cache"))
                .forEach(option -> values.put("index_cache", "none"));
        OptionValues checked = OptionValues.of(reader.options(), values);
        int read = 0;
        for (int seed = 0; seed < Mutation.CASES / share; seed++) {
            Random random = new Random(seed);
            byte[] damaged = Mutation.mutate(original, random);
            Path file = Files.write(folder.resolve(name), random.nextBoolean() ? repair.repair(damaged) : damaged);
            // Indexes are shared by path, size and time, which two cases of a test could have in common.
            Files.setLastModifiedTime(file, FileTime.fromMillis(++filesWritten));
            long start = System.nanoTime();
            try {
                read += readAll(reader, checked);
            } catch (RuntimeException | Error e) {
                throw new AssertionError(format + ": seed " + seed + " of " + name, e);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .as("seed " + seed)
                    .isLessThan(MOST_TIME);
        }
        assertThat(read).as("samples that were read in spite of the damage").isPositive();
    }

    private static int readAll(DatasetFormat reader, OptionValues options) {
        int read = 0;
        try (Dataset dataset = reader.open(options, StorageOptions.STANDARD)) {
            for (long index = 0; index < Math.min(dataset.size(), MOST_SAMPLES); index++) {
                try {
                    dataset.label(index);
                    dataset.read(index);
                    read++;
                } catch (BadSampleException e) {
                    assertThat(e.reason()).isNotBlank();
                    assertThat(e.offset()).isNotNegative();
                }
            }
        } catch (IOException e) {
            assertThat(e).isInstanceOf(DatasetException.class).message().isNotBlank();
        }
        return read;
    }

    /** Corrects the checksum of each block that could be a header. */
    private static byte[] tarChecksums(byte[] bytes) {
        for (int start = 0; start + BLOCK <= bytes.length; start += BLOCK) {
            if (bytes[start + 257] == 'u' && bytes[start + 258] == 's') {
                Arrays.fill(bytes, start + 148, start + 156, (byte) ' ');
                int sum = 0;
                for (int at = start; at < start + BLOCK; at++) {
                    sum += bytes[at] & 0xFF;
                }
                byte[] digits = String.format("%06o\0 ", sum).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
                System.arraycopy(digits, 0, bytes, start + 148, digits.length);
            }
        }
        return bytes;
    }

    /** Corrects the checksums of each record whose length is still valid. */
    private static byte[] recordChecksums(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int at = 0;
        while (at + 16 <= bytes.length) {
            buffer.putInt(at + 8, masked(bytes, at, 8));
            long length = buffer.getLong(at);
            if (length < 0 || length > bytes.length - at - 16) {
                return bytes;
            }
            buffer.putInt(at + 12 + (int) length, masked(bytes, at + 12, (int) length));
            at += 16 + (int) length;
        }
        return bytes;
    }

    private static int masked(byte[] bytes, int start, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, start, length);
        return Integer.rotateRight((int) crc.getValue(), 15) + 0xA282EAD8;
    }
}
