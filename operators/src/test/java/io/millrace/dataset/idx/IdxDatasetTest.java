package io.millrace.dataset.idx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.RowsOf;
import io.millrace.dataset.storage.Segments;
import io.millrace.option.OptionValues;
import io.millrace.sample.DType;
import io.millrace.sample.Sample;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests with files that NumPy wrote, see src/test/python/idx_vectors.py. */
class IdxDatasetTest {
    private static final Path VECTORS = Path.of("src/test/resources/io/millrace/dataset/idx");
    private static final Path IMAGES = VECTORS.resolve("train-images-idx3-ubyte");
    private static final Path LABELS = VECTORS.resolve("train-labels-idx1-ubyte");

    @TempDir
    Path folder;

    @Test
    void folderWithMnistNamesHasEveryPixelAndLabel() throws IOException {
        try (Dataset dataset = open(Map.of("path", VECTORS.toString()))) {
            assertThat(dataset.size()).isEqualTo(12);
            assertThat(dataset.resident()).isTrue();
            assertThat(dataset.classes()).containsExactly("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
            assertSamples(dataset, "train-images-idx3-ubyte", 5, 4, 1);
        }
    }

    @Test
    void testSplitIsReadFromGzipAndNamesWithADot() throws IOException {
        try (Dataset dataset = open(Map.of("path", VECTORS.toString(), "split", "test"))) {
            assertThat(dataset.size()).isEqualTo(6);
            assertSamples(dataset, "t10k-images.idx3-ubyte.gz", 5, 4, 1);
        }
    }

    @Test
    void explicitFilesOfColourImagesAndIntegerLabelsAreRead() throws IOException {
        try (Dataset dataset =
                open(VECTORS.resolve("colour-images-idx4-ubyte"), VECTORS.resolve("colour-labels-idx1-int"))) {
            assertThat(dataset.size()).isEqualTo(3);
            assertThat(dataset.classes()).hasSize(301).endsWith("300");
            assertThat(IntStream.range(0, 3).mapToLong(i -> label(dataset, i))).containsExactly(7L, 0L, 300L);
            assertPixels(dataset.read(2), 2, 4, 3);
        }
    }

    @Test
    void fileUriAndFilesInMnistRawAreFound() throws IOException {
        Path raw = Files.createDirectories(folder.resolve("MNIST/raw"));
        Files.copy(IMAGES, raw.resolve("train-images-idx3-ubyte"));
        Files.copy(LABELS, raw.resolve("train-labels.idx1-ubyte"));

        try (Dataset dataset = open(Map.of("path", folder.toUri().toString()))) {
            assertThat(dataset.size()).isEqualTo(12);
        }
    }

    @Test
    void gzipIsRecognizedByItsContentNotItsName() throws IOException {
        Path misnamed = write("images", gzip(Files.readAllBytes(IMAGES)));

        try (Dataset dataset = open(misnamed, LABELS)) {
            assertSamples(dataset, "images", 5, 4, 1);
        }
    }

    @Test
    void imagesAreRowsInAMappedFileAndInMemory() throws IOException {
        Path gzipped = write("images.gz", gzip(Files.readAllBytes(IMAGES)));
        for (Path images : List.of(IMAGES, gzipped)) {
            try (Dataset dataset = open(images, LABELS)) {
                RowsOf.assertAreTheSamples(dataset);
            }
        }
    }

    @Test
    void manyThreadsReadTheSamePixels() throws IOException {
        try (Dataset dataset = open(IMAGES, LABELS)) {
            IntStream.range(0, 20_000).parallel().forEach(i -> {
                try {
                    assertPixels(dataset.read(i % 12), 5, 4, 1);
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
        }
    }

    @Test
    void itemsAcrossSegmentsAreWhole() throws IOException {
        byte[] file = Files.readAllBytes(IMAGES);
        try (FileChannel channel = FileChannel.open(IMAGES)) {
            Segments segments = Segments.map(channel, 16, file.length - 16, 4);
            for (int start = 0; start < 200; start++) {
                byte[] bytes = new byte[Math.min(37, file.length - 16 - start)];
                segments.read(start, bytes);
                assertThat(bytes).isEqualTo(Arrays.copyOfRange(file, 16 + start, 16 + start + bytes.length));
            }
        }
    }

    @Test
    void indexOutsideTheDatasetIsRefused() throws IOException {
        try (Dataset dataset = open(IMAGES, LABELS)) {
            assertThatThrownBy(() -> dataset.read(12)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> dataset.read(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void wrongMagicNumberIsReportedWithTheBytesFound() throws IOException {
        Path png = write("images", new byte[] {(byte) 0x89, 'P', 'N', 'G', 1, 2, 3, 4});
        assertRefused(png, LABELS, png + " is no IDX file: at offset 0 expected two zero bytes, found other bytes");

        Path floats = write("images", new byte[] {0, 0, 0x0D, 3});
        assertRefused(
                floats,
                LABELS,
                floats + ": at offset 2 expected element type 08 (unsigned bytes) or 0c (32-bit integers), found 0d");

        Path flat = write("images", new byte[] {0, 0, 8, 0});
        assertRefused(flat, LABELS, "at offset 3 expected the number of extents, 1 to 127, found 0");
    }

    @Test
    void exchangedImagesAndLabelsAreRefused() {
        assertRefused(
                LABELS,
                IMAGES,
                LABELS + ": at offset 2 expected images, element type 08 (unsigned bytes) and 3 extents (or 4 with"
                        + " channels), found element type 08 (unsigned bytes) and 1 extent");
        assertRefused(
                IMAGES,
                IMAGES,
                IMAGES + ": at offset 2 expected labels, element type 08 (unsigned bytes) and 1 extent, found element"
                        + " type 08 (unsigned bytes) and 3 extents");
    }

    @Test
    void countsThatDifferAreRefused() {
        Path fewer = VECTORS.resolve("colour-labels-idx1-int");
        assertRefused(
                IMAGES,
                fewer,
                "at offset 4, " + IMAGES + " has 12 images: expected as many labels in " + fewer + ", found 3");
    }

    @Test
    void fileOfWrongLengthIsRefusedWithItsEnd() throws IOException {
        byte[] whole = Files.readAllBytes(IMAGES);
        Path shorter = write("short", Arrays.copyOf(whole, 100));
        assertRefused(
                shorter,
                LABELS,
                shorter + " is cut off: its header states 12 x 5 x 4 unsigned bytes, so expected the end at offset 256,"
                        + " found it at 100");
        Path longer = write("long", Arrays.copyOf(whole, 300));
        assertRefused(longer, LABELS, longer + " is too long", "expected the end at offset 256, found it at 300");

        Path shortGzip = write("short.gz", gzip(Arrays.copyOf(whole, 100)));
        assertRefused(shortGzip, LABELS, "is cut off", "expected the end at offset 256, found it at 100");
        Path longGzip = write("long.gz", gzip(Arrays.copyOf(whole, 300)));
        assertRefused(longGzip, LABELS, "is too long", "expected the end at offset 256, found it at 300");
    }

    @Test
    void truncatedHeaderIsRefusedWithItsEnd() throws IOException {
        byte[] whole = Files.readAllBytes(IMAGES);
        Path empty = write("empty", new byte[0]);
        assertRefused(
                empty, LABELS, empty + " is no IDX file: it ends at offset 0, expected a magic number of 4 bytes");
        Path header = write("header", Arrays.copyOf(whole, 9));
        assertRefused(header, LABELS, header + " ends at offset 9, expected a header of 16 bytes");
    }

    @Test
    void everyCutWithinTheSecondMemberOfAnArchiveIsRefused() throws IOException {
        byte[] plain = Files.readAllBytes(IMAGES);
        byte[] first = gzip(Arrays.copyOf(plain, 100));
        byte[] second = gzip(Arrays.copyOfRange(plain, 100, plain.length));
        byte[] both = ByteBuffer.allocate(first.length + second.length)
                .put(first)
                .put(second)
                .array();
        for (int length = first.length + 1; length < both.length; length++) {
            Path cut = write("cut.gz", Arrays.copyOf(both, length));
            assertRefused(cut, LABELS, cut + " is not valid gzip data: ");
        }
    }

    @Test
    void corruptGzipIsRefused() throws IOException {
        byte[] packed = gzip(Files.readAllBytes(IMAGES));
        Path cut = write("cut.gz", Arrays.copyOf(packed, packed.length - 12));
        assertRefused(cut, LABELS, cut + " is not valid gzip data: ");

        byte[] longer = Arrays.copyOf(packed, packed.length + 8);
        longer[packed.length + 7] = 1;
        Path other = write("longer.gz", longer);
        assertRefused(
                other, LABELS, other + " is not valid gzip data: expected another member or the end after a member");

        byte[] flipped = packed.clone();
        flipped[packed.length - 7] ^= 1;
        Path wrongSum = write("sum.gz", flipped);
        assertRefused(wrongSum, LABELS, wrongSum + " is not valid gzip data: Corrupt GZIP trailer");
    }

    @Test
    void headersWithImpossibleExtentsAreRefused() throws IOException {
        assertRefused(write("a", header(8, -1, 2, 2)), LABELS, "at offset 4 expected an extent", "found 4294967295");
        assertRefused(write("b", header(8, 2, 1 << 30, 1 << 30)), LABELS, "expected items of less than 2 GiB");
        assertRefused(write("c", header(8, 12, 0, 4)), LABELS, "expected images with rows and columns", "12 x 0 x 4");
        assertRefused(write("d", header(8, 0, 5, 4)), LABELS, "expected at least 1 image, found 0");
        assertRefused(write("e", header(8, 0, 5, 4, 2)), LABELS, "at offset 16 expected 1 or 3 channels, found 2");
        assertRefused(
                write("huge.gz", gzip(header(8, Integer.MAX_VALUE, 1 << 15, 1 << 15))),
                LABELS,
                "is cut off",
                "found it at 16");
    }

    @Test
    void negativeLabelIsRefusedWithItsOffset() throws IOException {
        ByteBuffer file = ByteBuffer.allocate(8 + 12 * 4);
        file.put(header(0x0C, 12)).putInt(3).putInt(-5);
        Path labels = write("labels", file.array());

        assertRefused(IMAGES, labels, labels + ": at offset 12 expected a label of 0 or more, found -5");
    }

    @Test
    void missingFilesAreReportedWithTheNamesThatWereTried() {
        Path missing = folder.resolve("nowhere");
        assertThatThrownBy(() -> open(Map.of("path", missing.toString())))
                .isInstanceOf(DatasetException.class)
                .hasMessage("no such folder: " + missing);
        assertThatThrownBy(() -> open(Map.of("path", folder.toString())))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("no images in " + folder + "; expected one of train-images-idx3-ubyte, ")
                .hasMessageContaining("MNIST/raw/train-images-idx3-ubyte")
                .hasMessageEndingWith("with or without .gz");
        assertThatThrownBy(() -> open(Map.of("path", IMAGES.toString())))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining(IMAGES + " is a file; expected a folder");
        assertRefused(missing, LABELS, "no such file: " + missing);
        assertRefused(folder, LABELS, folder + " is a folder; expected an IDX file");
    }

    @Test
    void pathAndFilesTogetherAreRefused() {
        assertThatThrownBy(() -> open(Map.of("path", "x", "images", "y")))
                .isInstanceOf(DatasetException.class)
                .hasMessageContaining("either path")
                .hasMessageContaining("or both images and labels; found [");
        assertThatThrownBy(() -> open(Map.of("images", "y"))).isInstanceOf(DatasetException.class);
    }

    private static void assertSamples(Dataset dataset, String file, int height, int width, int channels)
            throws IOException {
        for (int i = 0; i < dataset.size(); i++) {
            Sample sample = dataset.read(i);
            assertThat(sample.index()).isEqualTo(i);
            assertThat(sample.key()).isEqualTo(file + "#" + i);
            assertThat(sample.label()).isEqualTo(i * 3 % 10);
            assertPixels(sample, height, width, channels);
        }
    }

    private static void assertPixels(Sample sample, int height, int width, int channels) {
        byte[] expected = new byte[height * width * channels];
        for (int at = 0; at < expected.length; at++) {
            int row = at / channels / width;
            int column = at / channels % width;
            expected[at] = (byte) ((int) sample.index() * 31 + row * 7 + column * 3 + at % channels * 11);
        }
        assertThat(sample.image().dtype()).isEqualTo(DType.UINT8);
        assertThat(sample.image().shape()).containsExactly(height, width, channels);
        assertThat(sample.image().data()).isEqualTo(expected);
    }

    private static long label(Dataset dataset, long index) {
        try {
            return dataset.read(index).label();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static void assertRefused(Path images, Path labels, String... words) {
        assertThatThrownBy(() -> open(images, labels))
                .isInstanceOf(DatasetException.class)
                .hasMessageContainingAll(words);
    }

    private static Dataset open(Path images, Path labels) throws IOException {
        return open(Map.of("images", images.toString(), "labels", labels.toString()));
    }

    private static Dataset open(Map<String, String> options) throws IOException {
        return new DatasetSpec("idx", OptionValues.of(new IdxFormat().options(), options)).open();
    }

    private Path write(String name, byte[] bytes) throws IOException {
        return Files.write(folder.resolve(name), bytes);
    }

    private static byte[] header(int type, int... extents) {
        ByteBuffer header = ByteBuffer.allocate(4 + extents.length * 4);
        header.put((byte) 0).put((byte) 0).put((byte) type).put((byte) extents.length);
        for (int extent : extents) {
            header.putInt(extent);
        }
        return header.array();
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(bytes);
        }
        return packed.toByteArray();
    }
}
