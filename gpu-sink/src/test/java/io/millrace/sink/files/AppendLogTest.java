package io.millrace.sink.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.file.WholeFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class AppendLogTest {
    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void name() {
        file = folder.resolve("steps.csv");
    }

    @Test
    void fileExistsFromTheBeginningAndHoldsFlushedText() throws Exception {
        try (AppendLog log = AppendLog.begin(file, "head\n")) {
            assertThat(file).hasContent("head\n");
            log.append("1,é\n");
            assertThat(log.flush()).isEqualTo(Files.size(file)).isEqualTo(10);
        }
        assertThat(file).hasContent("head\n1,é\n");
    }

    @Test
    void resumingDropsTextWrittenAfterTheCheckpoint() throws Exception {
        try (AppendLog log = AppendLog.begin(file, "head\n")) {
            log.append("1\n");
            long checkpoint = log.flush();
            log.append("2\n");
            log.flush();

            try (AppendLog next = AppendLog.resume(file, file, checkpoint)) {
                assertThat(file).hasContent("head\n1\n");
                next.append("2 again\n");
                assertThat(next.flush()).isEqualTo(checkpoint + 8);
            }
        }
        assertThat(file).hasContent("head\n1\n2 again\n");
        assertThat(WholeFiles.partial(file)).doesNotExist();
    }

    @Test
    void replacedTrainerWritesIntoAnUnlinkedFile() throws Exception {
        try (AppendLog replaced = AppendLog.begin(file, "head\n")) {
            long checkpoint = replaced.flush();
            try (AppendLog next = AppendLog.resume(file, file, checkpoint)) {
                replaced.append("from the dead\n");
                replaced.flush();
                next.append("1\n");
            }
        }
        assertThat(file).hasContent("head\n1\n");
    }

    @Test
    void anotherRunBeginsWithACopyAndLeavesTheOldFileAsItWas() throws Exception {
        Files.writeString(file, "head\n1\n2\n");
        Path other = Files.createDirectory(folder.resolve("next")).resolve("steps.csv");

        try (AppendLog log = AppendLog.resume(other, file, 7)) {
            log.append("x\n");
        }

        assertThat(other).hasContent("head\n1\nx\n");
        assertThat(file).hasContent("head\n1\n2\n");
    }

    @Test
    void shortenedFileIsRefused() throws Exception {
        Files.writeString(file, "head\n");

        assertThatThrownBy(() -> AppendLog.resume(file, file, 7))
                .isInstanceOf(StateRefusedException.class)
                .hasMessage("the checkpoint continues the file " + file
                        + " at byte 7, but the file has only 5 bytes: it was truncated or replaced since");
        assertThat(file).hasContent("head\n");
    }

    @Test
    void missingFileIsRefused() {
        assertThatThrownBy(() -> AppendLog.resume(file, file, 7))
                .isInstanceOf(StateRefusedException.class)
                .hasMessageContaining(file + ", which is missing");
    }

    @Test
    @EnabledOnOs(OS.LINUX) // /dev/full behaves like a full disk
    void fullDiskIsReportedWithTheFile() throws Exception {
        Files.createSymbolicLink(WholeFiles.partial(file), Path.of("/dev/full"));

        assertThatThrownBy(() -> AppendLog.begin(file, "head\n"))
                .hasMessage("cannot write " + file + ": No space left on device");
        assertThat(file).doesNotExist();
    }
}
