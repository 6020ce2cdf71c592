package io.millrace.cluster;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A process that we started.
 *
 * @param id its name in the cluster, as {@code taskmanager-2}, which for TaskManagers is also Flink's
 * @param pid its number
 * @param identity tells it from a later process of the same number
 * @param slots task slots; 0 for what is no TaskManager
 * @param log the file that it logs to
 */
public record ClusterProcess(ProcessRole role, String id, long pid, String identity, int slots, Path log) {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Whether it runs, it and not another with its number. */
    @JsonIgnore
    public boolean isAlive() {
        return ProcessIdentity.of(pid).filter(identity::equals).isPresent();
    }

    /** The file with what it prints beside its log, such as errors of the JVM itself. */
    Path output() {
        return log.resolveSibling(id + ".out");
    }

    /** Ends it at once, as {@code kill -9} does, and waits until it is gone. Does nothing when it is gone already. */
    public void kill() throws InterruptedException {
        handle().ifPresent(ProcessHandle::destroyForcibly);
        awaitEnd(PATIENCE);
    }

    /** Asks it to end, and kills it when it has not within 10 s. Does nothing when it is gone already. */
    public void stop() throws InterruptedException {
        requestStop();
        if (!awaitEnd(PATIENCE)) {
            kill();
        }
    }

    /** Asks it to end. */
    void requestStop() {
        handle().ifPresent(ProcessHandle::destroy);
    }

    private Optional<ProcessHandle> handle() {
        return isAlive() ? ProcessHandle.of(pid) : Optional.empty();
    }

    private boolean awaitEnd(Duration patience) throws InterruptedException {
        long giveUp = System.nanoTime() + patience.toNanos();
        while (isAlive()) {
            if (System.nanoTime() > giveUp) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        return true;
    }
}
