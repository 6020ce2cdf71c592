package io.millrace.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.file.WholeFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class StepLogTest {
    @TempDir
    Path folder;

    @Test
    @EnabledOnOs(OS.LINUX) // whose /dev/full is a disk without room
    void fullDiskIsToldWithTheFile() throws Exception {
        Path file = folder.resolve("steps.csv");
        Files.createSymbolicLink(WholeFiles.partial(file), Path.of("/dev/full"));
        StepLog log = new StepLog(folder);

        assertThatThrownBy(log::close).hasMessage("cannot write " + file + ": No space left on device");
        assertThat(file).doesNotExist();
    }
}
