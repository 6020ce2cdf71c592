package io.millrace.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFolderTest {
    private static final LocalDateTime NOON = LocalDateTime.of(2026, 11, 20, 12, 0);

    @TempDir
    Path temporary;

    @Test
    void runsOfTheSameSecondGetDifferentFoldersAndLatestIsTheLast() throws IOException {
        Path parent = temporary.resolve("runs/digits");
        assertThat(RunFolder.fresh(parent, NOON).path()).isEqualTo(parent.resolve("20261120-120000"));
        Path second = RunFolder.fresh(parent, NOON).path();
        assertThat(second).isEqualTo(parent.resolve("20261120-120000-2")).isDirectory();
        assertThat(parent.resolve("latest").toRealPath()).isEqualTo(second.toRealPath());
    }

    @Test
    void folderOfTheUserNamedLatestIsKept() throws IOException {
        Path latest = Files.createDirectories(temporary.resolve("latest"));
        RunFolder.fresh(temporary, NOON);
        assertThat(latest).isDirectory();
        assertThat(Files.isSymbolicLink(latest)).isFalse();
    }

    @Test
    void summaryReplacesAnEarlierOneAndLeavesNoOtherFile() throws IOException {
        RunFolder folder = RunFolder.at(temporary.resolve("mine"));
        folder.write("summary.json", "old".getBytes(UTF_8));
        folder.write(RunSummaryTest.summary(0.5));
        byte[] written = Files.readAllBytes(folder.file("summary.json"));
        assertThat(new ObjectMapper().readTree(written).path("final_loss").asDouble())
                .isEqualTo(0.5);
        try (Stream<Path> files = Files.list(folder.path())) {
            assertThat(files).containsExactly(folder.file("summary.json"));
        }
    }

    @Test
    void fileInPlaceOfTheFolderIsReportedWithThePath() throws IOException {
        Path file = Files.createFile(temporary.resolve("runs"));
        assertThatThrownBy(() -> RunFolder.at(file))
                .isInstanceOf(IOException.class)
                .hasMessage("cannot write " + file + ": " + file + " is a file, not a folder");
        assertThatThrownBy(() -> RunFolder.fresh(file.resolve("digits"), NOON))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("cannot write " + file.resolve("digits") + ": ");
    }

    @Test
    void failedWriteLeavesNoFile() throws IOException {
        RunFolder folder = RunFolder.at(temporary.resolve("mine"));
        // A file cannot be moved over a folder that is not empty.
        Path inTheWay = Files.createDirectories(folder.file("summary.json").resolve("content"));
        assertThatThrownBy(() -> folder.write("summary.json", new byte[1]))
                .hasMessageStartingWith("cannot write " + folder.file("summary.json") + ": ");
        assertThat(inTheWay).isDirectory();
        try (Stream<Path> files = Files.list(folder.path())) {
            assertThat(files).containsExactly(folder.file("summary.json"));
        }
    }

    @Test
    void emptyFoldersAreRemovedAndOthersStay() throws IOException {
        RunFolder run = RunFolder.at(temporary.resolve("run"));
        Files.createDirectories(run.file("checkpoints/job/shared"));
        Files.createDirectories(run.file("checkpoints/other/chk-1"));
        Files.writeString(run.file("checkpoints/other/chk-1/_metadata"), "x");

        run.removeEmpty("checkpoints");
        run.removeEmpty("absent");

        assertThat(run.file("checkpoints/job")).doesNotExist();
        assertThat(run.file("checkpoints/other/chk-1/_metadata")).exists();
    }
}
