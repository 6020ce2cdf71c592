package io.millrace.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterFolderTest {
    private static final int READINGS = 3_000;

    @TempDir
    Path path;

    /** {@code status} must not fail because another command forgets a process at the same moment. */
    @Test
    void processesAreReadWhileAnotherCommandForgetsThem() throws Exception {
        ClusterFolder folder = new ClusterFolder(path);
        folder.create();
        ClusterProcess kept =
                new ClusterProcess(ProcessRole.JOBMANAGER, "jobmanager", 1, "a", 0, path.resolve("a.log"));
        ClusterProcess gone =
                new ClusterProcess(ProcessRole.TASKMANAGER, "taskmanager-1", 2, "b", 1, path.resolve("b.log"));
        folder.remember(kept);
        AtomicBoolean ended = new AtomicBoolean();
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            Future<?> forgetting = other.submit((Callable<Void>) () -> {
                while (!ended.get()) {
                    folder.remember(gone);
                    folder.forget(gone);
                }
                return null;
            });
            for (int i = 0; i < READINGS; i++) {
                assertThat(folder.processes()).contains(kept).allMatch(process -> process.slots() < 2);
                assertThat(folder.description()).isEmpty();
            }
            ended.set(true);
            forgetting.get();
        } finally {
            ended.set(true);
            other.shutdown();
        }
    }
}
