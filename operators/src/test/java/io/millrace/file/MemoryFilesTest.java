package io.millrace.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryFilesTest {
    @TempDir
    private Path folder;

    @Test
    void folderHasRoomForAsMuchAsTheMachineHasMemory() throws Exception {
        assumeThat(AvailableMemory.bytes()).isPresent();
        long memory = AvailableMemory.bytes().getAsLong();
        // A folder on a disk stands for one in memory that has room for more than the machine has memory.
        assumeThat(Files.getFileStore(folder).getUsableSpace()).isGreaterThan(3 * memory);

        assertThat(MemoryFiles.hasRoom(folder, 2 * memory)).isFalse();
        assertThat(MemoryFiles.hasRoom(folder, 1 << 20)).isTrue();
        assertThat(MemoryFiles.hasRoom(folder.resolve("none"), 1)).isFalse();
    }
}
