package io.millrace.dataset.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.files.DataFile;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.dataset.storage.Segments;
import io.millrace.dataset.storage.Storage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OpenFilesTest {
    @TempDir
    Path folder;

    private final List<DataFile> files = new ArrayList<>();

    @BeforeEach
    void write() throws IOException {
        for (int number = 0; number < 20; number++) {
            Path file = Files.write(folder.resolve(number + ".bin"), new byte[] {(byte) number});
            files.add(new DataFile(Storage.of(file.toString()), ""));
        }
    }

    @Test
    void fileBeyondTheLimitIsClosedWhenItsLastReaderIsDone() throws IOException {
        try (OpenFiles open = new OpenFiles(files, 1)) {
            OpenFiles.Lease first = open.lease(0);
            try (OpenFiles.Lease second = open.lease(1)) {
                assertThat(first.file().read(0, 1)).containsExactly(0);
                first.close();
                assertThatThrownBy(() -> first.file().read(0, 1)).isInstanceOf(ClosedChannelException.class);
                assertThat(second.file().read(0, 1)).containsExactly(1);
            }
        }
    }

    @Test
    void manyThreadsReadManyFilesThroughFewOpenOnes() throws IOException {
        try (OpenFiles open = new OpenFiles(files, 3)) {
            IntStream.range(0, 20_000).parallel().forEach(i -> {
                try (OpenFiles.Lease lease = open.lease(i * 7 % 20)) {
                    assertThat(lease.file().read(0, 1)).containsExactly(i * 7 % 20);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    @Test
    void closingKeepsTheFileOfAReaderAndRefusesNewReaders() throws IOException {
        OpenFiles open = new OpenFiles(files, 3);
        OpenFiles.Lease lease = open.lease(0);
        open.close();
        open.close();

        assertThat(lease.file().read(0, 1)).containsExactly(0);
        lease.close();
        assertThatThrownBy(() -> lease.file().read(0, 1)).isInstanceOf(ClosedChannelException.class);
        assertThatThrownBy(() -> open.lease(1)).isInstanceOf(IOException.class).hasMessage("the dataset is closed");
    }

    @Test
    void fileThatWasClosedInBetweenIsOpenedAgain() throws IOException {
        OpenFiles open = new OpenFiles(files, 2);
        List<RangedFile> views = new ArrayList<>();
        for (int number = 0; number < files.size(); number++) {
            views.add(open.file(number));
        }
        for (int round = 0; round < 2; round++) {
            for (int number = 0; number < views.size(); number++) {
                assertThat(views.get(number).read(0, 1)).containsExactly(number);
            }
        }
        for (RangedFile view : views) {
            view.close();
        }
        assertThatThrownBy(() -> views.get(3).read(0, 1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("3.bin is closed");
    }

    @Test
    void fileThatChangedWhileItWasClosedIsRefused() throws IOException {
        try (OpenFiles open = new OpenFiles(files, 1)) {
            RangedFile first = open.file(0);
            open.file(1).read(0, 1);
            Files.write(folder.resolve("0.bin"), new byte[] {1, 2, 3});
            assertThatThrownBy(() -> first.read(0, 1))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("0.bin had 1 bytes when it was first opened and has 3 now");
            assertThatThrownBy(first::map)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("0.bin had 1 bytes when it was first opened and has 3 now");
        }
    }

    @Test
    void mappedFileStaysMappedAfterItIsClosed() throws IOException {
        Segments mapped;
        try (OpenFiles open = new OpenFiles(files, 1)) {
            mapped = Objects.requireNonNull(open.file(7).map());
        }
        assertThat(Objects.requireNonNull(mapped.stored(0, 1)).get(0)).isEqualTo((byte) 7);
    }
}
