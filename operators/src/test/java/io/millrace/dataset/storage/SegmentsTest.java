package io.millrace.dataset.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.arrow.memory.util.MemoryUtil;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SegmentsTest {
    @TempDir
    Path folder;

    @Test
    void mappedBytesAreFoundWhereTheyAreUnlessTheyLieInTwoSegments() throws IOException {
        byte[] bytes = counting(100);
        Path file = Files.write(folder.resolve("file"), bytes);
        try (FileChannel channel = FileChannel.open(file)) {
            Segments segments = Segments.map(channel, 4, 96, 5);
            assertThat(bytes(segments.stored(8, 24))).isEqualTo(Arrays.copyOfRange(bytes, 12, 36));
            assertThat(bytes(segments.stored(64, 32))).isEqualTo(Arrays.copyOfRange(bytes, 68, 100));
            assertThat(segments.stored(8, 25))
                    .as("the 25th byte is in the next segment")
                    .isNull();
            assertThat(segments.areNearlyLoaded())
                    .as("the file was written just now")
                    .isTrue();
        }
    }

    @Test
    void bytesAreCopiedAcrossSegmentsFromFilesAndFromMemory() throws IOException {
        byte[] bytes = counting(100);
        Path file = Files.write(folder.resolve("file"), bytes);
        try (FileChannel channel = FileChannel.open(file)) {
            for (Segments segments : List.of(
                    Segments.map(channel, 0, 100, 5),
                    Segments.read(new ByteArrayInputStream(bytes), 100).segments())) {
                ByteBuffer copy = ByteBuffer.allocateDirect(80);
                segments.load(15, 75);
                segments.copy(15, 75, MemoryUtil.getByteBufferAddress(copy));
                assertThat(bytes(copy))
                        .startsWith(Arrays.copyOfRange(bytes, 15, 90))
                        .endsWith(new byte[5]);
            }
        }
    }

    /** An array of NumPy may have items without elements. */
    @Test
    void emptyFileHasNoSegments() throws IOException {
        Path file = Files.write(folder.resolve("empty"), new byte[4]);
        try (FileChannel channel = FileChannel.open(file)) {
            Segments segments = Segments.map(channel, 4, 0);
            assertThat(segments.stored(0, 0)).isNull();
            byte[] none = {};
            segments.read(0, none);
            assertThat(segments.areNearlyLoaded()).isTrue();
        }
    }

    @Test
    void bytesInMemoryHaveNoMappedPlace() throws IOException {
        Segments segments =
                Segments.read(new ByteArrayInputStream(new byte[10]), 10).segments();
        assertThat(segments.stored(0, 5)).isNull();
        assertThat(segments.areNearlyLoaded()).isTrue();
    }

    private static byte[] counting(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) i;
        }
        return bytes;
    }

    private static byte[] bytes(@Nullable ByteBuffer stored) {
        ByteBuffer found = Objects.requireNonNull(stored);
        byte[] bytes = new byte[found.capacity()];
        found.get(0, bytes);
        return bytes;
    }
}
