package io.millrace.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The state of a cluster, combined from its processes and from the JobManager's answers. */
final class StatusReading {
    private StatusReading() {}

    /**
     * Returns the state of a cluster.
     *
     * @param rest address and port of REST; null when there is no cluster
     * @param registered the names of the TaskManagers that have registered with the JobManager
     * @param answers whether the JobManager answers
     */
    static ClusterStatus of(
            @Nullable String rest,
            List<ClusterProcess> processes,
            Set<String> registered,
            boolean answers,
            List<ClusterStatus.Job> jobs)
            throws IOException {
        ClusterStatus.Member jobManager = null;
        List<ClusterStatus.Worker> workers = new ArrayList<>();
        for (ClusterProcess process : processes) {
            boolean alive = process.isAlive();
            String reason = alive ? null : ClusterLogs.reason(process.log(), process.output());
            switch (process.role()) {
                case JOBMANAGER -> jobManager = new ClusterStatus.Member(process.pid(), state(alive, answers), reason);
                case TASKMANAGER ->
                    workers.add(new ClusterStatus.Worker(
                            process.id(),
                            process.pid(),
                            process.slots(),
                            state(alive, registered.contains(process.id())),
                            reason));
            }
        }
        return new ClusterStatus(rest, jobManager, workers, jobs);
    }

    private static ClusterStatus.State state(boolean alive, boolean works) {
        return !alive ? ClusterStatus.State.DEAD : works ? ClusterStatus.State.RUNNING : ClusterStatus.State.STARTING;
    }

    /** Returns whether the JobManager answers and all TaskManagers among the processes have registered. */
    static boolean allRun(ClusterStatus status, List<ClusterProcess> awaited) {
        Set<String> running = status.taskManagers().stream()
                .filter(worker -> worker.state() == ClusterStatus.State.RUNNING)
                .map(ClusterStatus.Worker::id)
                .collect(Collectors.toSet());
        return status.jobManager() != null
                && status.jobManager().state() == ClusterStatus.State.RUNNING
                && awaited.stream()
                        .filter(process -> process.role() == ProcessRole.TASKMANAGER)
                        .allMatch(process -> running.contains(process.id()));
    }
}
