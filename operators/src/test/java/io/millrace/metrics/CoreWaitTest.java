package io.millrace.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CoreWaitTest {
    private static final Path FIGURES = Path.of("/proc/thread-self/schedstat");

    @TempDir
    Path proc;

    @Test
    void secondNumberOfTheLineIsTheWait() {
        assertThat(CoreWait.parse("1000 250 3\n")).hasValue(250);
    }

    @Test
    void kernelThatDoesNotCountIsUnknownAndNotZero() {
        assertThat(CoreWait.parse("0 0 0\n")).isEmpty();
        assertThat(CoreWait.parse("")).isEmpty();
        assertThat(CoreWait.parse("not a number\n")).isEmpty();
    }

    @Test
    void systemWithoutTheFileIsUnknownAndNotZero() {
        assertThat(CoreWait.ofThisThread(proc).nanos()).isEmpty();
    }

    @Test
    void waitIsCountedFromCreationAndStaysKnownAfterTheThreadEnds() throws IOException {
        Path task = Files.createDirectories(proc.resolve("7/task/8"));
        Files.createSymbolicLink(proc.resolve("thread-self"), Path.of("7/task/8"));
        Files.writeString(task.resolve("schedstat"), "10 500 1\n");
        CoreWait wait = CoreWait.ofThisThread(proc);

        assertThat(wait.nanos()).hasValue(0);
        Files.writeString(task.resolve("schedstat"), "20 740 2\n");
        assertThat(wait.nanos()).hasValue(240);
        Files.delete(task.resolve("schedstat"));
        assertThat(wait.nanos()).hasValue(240);
    }

    @Test
    void moreThreadsThanCoresHaveToWait() throws Exception {
        assumeTrue(Files.exists(FIGURES)
                && CoreWait.parse(Files.readString(FIGURES)).isPresent());
        int threads = 2 * Runtime.getRuntime().availableProcessors() + 1;
        CountDownLatch waited = new CountDownLatch(1);
        List<Thread> busy = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(() -> {
                CoreWait wait = CoreWait.ofThisThread();
                while (waited.getCount() > 0 && wait.nanos().orElse(0) < 1_000_000) {
                    Thread.onSpinWait();
                }
                waited.countDown();
            });
            thread.start();
            busy.add(thread);
        }

        boolean one = waited.await(5, TimeUnit.MINUTES);
        waited.countDown();
        for (Thread thread : busy) {
            thread.join();
        }
        assertThat(one).as("a thread waited a millisecond for a core").isTrue();
    }
}
