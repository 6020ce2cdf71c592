package io.millrace.cluster;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A process that this cluster has started.
 *
 * @param id the name in the cluster, for example {@code taskmanager-2}; a TaskManager has the same name in Flink
 * @param pid the number of the process
 * @param identity a text that distinguishes the process from a later process with the same number
 * @param slots the number of task slots; 0 for a process that is not a TaskManager
 * @param log the log file
 */
public record ClusterProcess(ProcessRole role, String id, long pid, String identity, int slots, Path log) {
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

    /** Returns whether this process runs. A later process with the same number does not count. */
    @JsonIgnore
    public boolean isAlive() {
        return ProcessIdentity.of(pid).filter(identity::equals).isPresent();
    }

    /** Returns the file with the standard output and the standard error, for example errors of the JVM itself. */
    Path output() {
        return log.resolveSibling(id + ".out");
    }

    /** Ends the process at once, as {@code kill -9} does, and waits for its end. Does nothing if the process has ended. */
    public void kill() throws InterruptedException {
        handle().ifPresent(ProcessHandle::destroyForcibly);
        awaitEnd(STOP_TIMEOUT);
    }

    /** Requests the end of the process, and kills it after 10 s. Does nothing if the process has ended. */
    public void stop() throws InterruptedException {
        requestStop();
        if (!awaitEnd(STOP_TIMEOUT)) {
            kill();
        }
    }

    /** Requests the end of the process and does not wait for it. */
    void requestStop() {
        handle().ifPresent(ProcessHandle::destroy);
    }

    private Optional<ProcessHandle> handle() {
        return isAlive() ? ProcessHandle.of(pid) : Optional.empty();
    }

    private boolean awaitEnd(Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (isAlive()) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        return true;
    }
}
