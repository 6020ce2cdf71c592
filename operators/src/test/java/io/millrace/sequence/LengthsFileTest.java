package io.millrace.sequence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.file.WholeFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LengthsFileTest {
    private static final byte[] KEY = "web.jsonl with gpt2".getBytes(StandardCharsets.UTF_8);

    /** More than the writer reads at a time. */
    private static final int DOCUMENTS = 200_000;

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void nameFile() {
        file = folder.resolve("web.lengths");
    }

    @Test
    void lengthsOfAnySizeAreReadBack() throws IOException {
        int[] lengths = {0, DocumentLengths.BAD, 1, Integer.MAX_VALUE, Integer.MAX_VALUE - 1, 2048};
        write(lengths);
        assertThat(read(lengths.length)).isEqualTo(lengths);
        try (var files = Files.list(folder)) {
            assertThat(files.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder("web.lengths", ".web.lengths.lock");
        }
        assertThat(Files.size(file)).isEqualTo(64 + 4L * lengths.length);
    }

    @Test
    void datasetWithoutDocumentsHasAFile() throws IOException {
        write();
        assertThat(LengthsFile.open(file, KEY, 0).size()).isZero();
    }

    @Test
    void chunksOfSeveralThreadsAreOneFile() throws IOException {
        int[] lengths = LengthSamples.FILES.lengths(DOCUMENTS, 1);
        int chunk = 1000;
        try (LengthsWriter writer = LengthsWriter.open(file, KEY, DOCUMENTS, others -> {})) {
            IntStream.range(0, DOCUMENTS / chunk).parallel().forEach(number -> {
                int first = number * chunk;
                try {
                    writer.write(first, Arrays.copyOfRange(lengths, first, first + chunk), chunk);
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(writer.counted()).isEqualTo(DOCUMENTS);
            assertThat(file).doesNotExist();
            writer.publish();
        }
        assertThat(read(DOCUMENTS)).isEqualTo(lengths);
    }

    @Test
    void interruptedCountContinuesWhereItWas() throws IOException {
        int[] lengths = LengthSamples.FILES.lengths(DOCUMENTS, 1);
        try (LengthsWriter writer = LengthsWriter.open(file, KEY, DOCUMENTS, others -> {})) {
            writer.write(0, lengths, 150_000);
            writer.write(150_005, new int[] {DocumentLengths.BAD}, 1);
        }
        assertThat(file).doesNotExist();
        try (LengthsWriter writer = LengthsWriter.open(file, KEY, DOCUMENTS, others -> {})) {
            assertThat(writer.counted()).isEqualTo(150_001);
            assertThat(writer.nextUnknown(0)).isEqualTo(150_000);
            assertThat(writer.nextUnknown(150_005)).isEqualTo(150_006);
            assertThatThrownBy(writer::publish)
                    .hasMessage("the lengths of " + file
                            + " are not complete: document 150000 of 200000 has not been counted");
            writer.write(150_000, Arrays.copyOfRange(lengths, 150_000, DOCUMENTS), 50_000);
            assertThat(writer.counted()).isEqualTo(DOCUMENTS);
            assertThat(writer.nextUnknown(0)).isEqualTo(DOCUMENTS);
            writer.publish();
        }
        assertThat(read(DOCUMENTS)).isEqualTo(lengths);
    }

    @Test
    void countOfOtherDataBeginsAnew() throws IOException {
        try (LengthsWriter writer = LengthsWriter.open(file, KEY, 10, others -> {})) {
            writer.write(0, new int[] {5, 6}, 2);
        }
        try (LengthsWriter writer = LengthsWriter.open(file, KEY, 11, others -> {})) {
            assertThat(writer.counted()).isZero();
            writer.write(0, new int[] {5, 6}, 2);
        }
        try (LengthsWriter writer = LengthsWriter.open(file, new byte[] {1}, 11, others -> {})) {
            assertThat(writer.counted()).isZero();
        }
        Files.write(WholeFiles.partial(file), new byte[30]);
        try (LengthsWriter writer = LengthsWriter.open(file, KEY, 3, others -> {})) {
            assertThat(writer.counted()).isZero();
            writer.write(0, new int[] {5, 6, 7}, 3);
            writer.publish();
        }
        assertThat(read(3)).containsExactly(5, 6, 7);
    }

    @Test
    void secondWriterWaitsUntilTheFirstHasEndedOrFinishedTheFile() throws Exception {
        for (boolean finishes : List.of(false, true)) {
            CompletableFuture<Long> seen = new CompletableFuture<>();
            CompletableFuture<long[]> second;
            try (LengthsWriter writer = LengthsWriter.open(file, KEY, 3, others -> {})) {
                writer.write(0, new int[] {5, 6}, 2);
                second = CompletableFuture.supplyAsync(() -> {
                    try (LengthsWriter other = LengthsWriter.open(file, KEY, 3, seen::complete)) {
                        other.publish();
                        return new long[] {other.counted()};
                    } catch (IOException | IllegalStateException e) {
                        return new long[0];
                    }
                });
                assertThat(seen.get()).isEqualTo(2);
                assertThat(second).isNotDone();
                if (finishes) {
                    writer.write(2, new int[] {7}, 1);
                    writer.publish();
                }
            }
            assertThat(second.get()).containsExactly(finishes ? new long[] {3} : new long[0]);
        }
        assertThat(read(3)).containsExactly(5, 6, 7);
        assertThat(WholeFiles.partial(file)).doesNotExist();
    }

    @Test
    void sharedWriterOfAFinishedFileBeginsNoOther() throws IOException {
        write(5, 6, 7);
        try (LengthsWriter writer = LengthsWriter.share(file, KEY, 3)) {
            assertThat(writer.counted()).isEqualTo(3);
            writer.publishShared();
        }
        assertThat(WholeFiles.partial(file)).doesNotExist();
        assertThatThrownBy(() -> LengthsWriter.share(file, KEY, 4))
                .isInstanceOf(UnusableCountsException.class)
                .hasMessage(file + " has the lengths of 3 documents: expected 4");
        assertThat(read(3)).containsExactly(5, 6, 7);
    }

    @Test
    void fileThatItsWriterIsMovingIntoPlaceIsReadAndContinued() throws IOException {
        write(5, 6, 7);
        Path partial = Files.move(file, WholeFiles.partial(file));
        assertThat(LengthsFile.openGrowing(file, KEY, 3).length(2)).isEqualTo(7);
        try (LengthsWriter writer = LengthsWriter.share(file, KEY, 3)) {
            assertThat(writer.counted()).isEqualTo(3);
        }
        byte[] damaged = Files.readAllBytes(partial);
        damaged[70] ^= 1;
        Files.write(partial, damaged);
        assertThatThrownBy(() -> LengthsFile.openGrowing(file, KEY, 3))
                .isInstanceOf(UnusableCountsException.class)
                .hasMessageContaining("is no file of unfinished document lengths");
        try (LengthsWriter writer = LengthsWriter.open(file, KEY, 3, others -> {})) {
            assertThat(writer.counted()).isZero();
        }
    }

    @Test
    void writerThatBeginsAfterTheFileIsPublishedLeavesNoHiddenFile() throws IOException {
        write(1, 2, 3);
        try (LengthsWriter late = LengthsWriter.share(file, KEY, 3)) {
            late.publishShared();
        }
        assertThat(WholeFiles.partial(file)).doesNotExist();
        assertThat(read(3)).containsExactly(1, 2, 3);
    }

    @Test
    void badLengthsAndPlacesAreRefused() throws IOException {
        try (LengthsWriter writer = LengthsWriter.open(file, KEY, 10, others -> {})) {
            assertThatThrownBy(() -> writer.write(3, new int[] {4, -2}, 2))
                    .hasMessage("document 4 has the length -2: expected 0 or more, or -1 for a bad one");
            assertThatThrownBy(() -> writer.write(9, new int[2], 2)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThat(writer.counted()).isZero();
        }
    }

    @Test
    void missingFileIsNamed() {
        assertThatThrownBy(() -> LengthsFile.open(file, KEY, 10)).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void fileOfOtherDataIsRefused() throws IOException {
        write(1, 2, 3);
        assertThatThrownBy(() -> LengthsFile.open(file, new byte[] {7}, 3))
                .hasMessageStartingWith(file + " belongs to other data or other options: expected the key ")
                .hasMessageContaining("..., found ");
        assertThatThrownBy(() -> LengthsFile.open(file, KEY, 4))
                .hasMessage(file + " has the lengths of 3 documents: expected 4");
    }

    @Test
    void fileOfAnotherKindIsRefused() throws IOException {
        Files.write(file, "{\"a\": 1}".getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> LengthsFile.open(file, KEY, 3))
                .hasMessage(file + " is no file of document lengths: expected a head of 64 bytes that begins with"
                        + " 4d524c454e475448, found 7b2261223a20317d in 8 bytes");
        Files.write(file, new byte[0]);
        assertThatThrownBy(() -> LengthsFile.open(file, KEY, 3)).hasMessageEndingWith("found  in 0 bytes");
        Files.delete(file);
        try (LengthsWriter writer = LengthsWriter.open(file, KEY, 3, others -> {})) {
            writer.write(0, new int[3], 3);
        }
        Files.move(WholeFiles.partial(file), folder.resolve("unfinished"));
        assertThatThrownBy(() -> LengthsFile.open(folder.resolve("unfinished"), KEY, 3))
                .hasMessageContaining("is no file of document lengths");
    }

    @Test
    void truncatedFileIsRefused() throws IOException {
        write(1, 2, 3);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(75);
        }
        assertThatThrownBy(() -> LengthsFile.open(file, KEY, 3))
                .hasMessage(file + " is not whole: expected 76 bytes for 3 numbers, found 75");
    }

    @Test
    void everyChangedByteIsNoticed() throws IOException {
        write(10, 20, 30);
        byte[] whole = Files.readAllBytes(file);
        for (int at = 0; at < whole.length; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 4;
            Files.write(file, damaged);
            assertThatThrownBy(() -> LengthsFile.open(file, KEY, 3))
                    .as("byte %d", at)
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(file.toString())
                    .hasMessageContaining("expected")
                    .hasMessageContaining("found");
        }
    }

    private void write(int... lengths) throws IOException {
        try (LengthsWriter writer = LengthsWriter.open(file, KEY, lengths.length, others -> {})) {
            writer.write(0, lengths, lengths.length);
            writer.publish();
        }
    }

    private int[] read(int documents) throws IOException {
        LengthsFile lengths = LengthsFile.open(file, KEY, documents);
        return IntStream.range(0, documents).map(lengths::length).toArray();
    }
}
