package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessStarterTest {
    @TempDir
    Path folder;

    @Test
    void aStartedProcessIsAliveUntilItIsKilled() throws Exception {
        ClusterProcess process = ProcessStarter.start(
                ProcessRole.TASKMANAGER,
                "taskmanager-1",
                2,
                List.of("sh", "-c", "echo $GREETING; sleep 600"),
                Map.of("GREETING", "hello"),
                folder.resolve("taskmanager-1.log"));

        assertThat(process.isAlive()).isTrue();
        assertThat(process.slots()).isEqualTo(2);

        process.kill();
        assertThat(process.isAlive()).isFalse();
        assertThat(process.output()).isEqualTo(folder.resolve("taskmanager-1.out"));
        assertThat(Files.exists(process.output())).isTrue();
    }

    /** The caller reports its end with the reason from its log, as for a process that ends a moment later. */
    @Test
    void aProcessThatHasAlreadyEndedIsNotAlive() throws Exception {
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();

        ClusterProcess process = ProcessStarter.started(
                ProcessRole.TASKMANAGER, "taskmanager-1", ended.pid(), 2, folder.resolve("taskmanager-1.log"));

        assertThat(process.isAlive()).isFalse();
        process.kill();
        process.stop();
    }
}
