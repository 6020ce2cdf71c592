package io.millrace.cluster;

import io.millrace.rest.ClusterRest;
import io.millrace.rest.TaskManagerReading;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.SecurityOptions;

/**
 * A Flink cluster of processes on this machine. What is known of it is in its folder, so that any program may go on where
 * another left off; the processes outlive the program that starts them.
 *
 * <p>For one thread. A second program that starts or stops at the same time is refused.
 */
public final class LocalCluster {
    private static final Duration START_PATIENCE = Duration.ofSeconds(90);

    /** A JobManager that starts may take connections before it answers. */
    private static final Duration ANSWER_PATIENCE = Duration.ofSeconds(2);

    private final ClusterFolder folder;

    /** The cluster of this folder, which may be none yet. */
    public LocalCluster(Path folder) {
        this.folder = new ClusterFolder(folder);
    }

    /** Where its files are. */
    public Path folder() {
        return folder.path();
    }

    /**
     * Starts the cluster and returns when its TaskManagers have registered.
     *
     * @return its processes
     * @throws ClusterException when it runs already, does not fit, or one of its processes ends at once; nothing is left
     */
    public List<ClusterProcess> start(ClusterStart start) throws IOException, ClusterException, InterruptedException {
        return folder.exclusively(() -> {
            refuseRunning();
            folder.clear();
            folder.clearLogs();
            folder.create();
            ClusterSettings settings = ClusterDefaults.complete(folder, start.settings(), start.loss());
            ClusterLaunch launch = ClusterLaunch.fresh(folder, settings, start.jobManager());
            try {
                long workers = start.taskManagers() * launch.memoryBytes(ProcessRole.TASKMANAGER, start.taskManager());
                AvailableMemory.require(
                        "a JobManager and " + start.taskManagers() + " TaskManagers",
                        workers + launch.memoryBytes(ProcessRole.JOBMANAGER, start.jobManager()));
                if (start.loss() == ClusterStart.JobManagerLoss.SURVIVED) {
                    launch.keeper();
                }
                launch.jobManager();
                for (int i = 0; i < start.taskManagers(); i++) {
                    launch.taskManager(start.taskManager());
                }
                await(folder.processes());
                return folder.processes();
            } catch (IOException | ClusterException | InterruptedException e) {
                stopProcesses();
                folder.clear();
                throw e;
            }
        });
    }

    /**
     * Starts the JobManager of this cluster anew after its death, on the same ports, and its keeper where it had one;
     * living TaskManagers come back to it by themselves. Touches nothing that lives.
     *
     * @return what was started
     * @throws ClusterException when there was no cluster
     */
    public List<ClusterProcess> revive() throws IOException, ClusterException, InterruptedException {
        return folder.exclusively(() -> {
            if (folder.description().isEmpty()) {
                throw new ClusterException("there was no cluster in " + folder.path());
            }
            List<ClusterProcess> started = new ArrayList<>();
            ClusterLaunch launch = ClusterLaunch.stored(folder);
            Optional<ClusterProcess> keeper = process(ProcessRole.KEEPER);
            if (keeper.isPresent() && !keeper.get().isAlive()) {
                started.add(launch.keeper());
            }
            if (process(ProcessRole.JOBMANAGER).filter(ClusterProcess::isAlive).isEmpty()) {
                started.add(launch.jobManager());
            }
            await(started);
            return started;
        });
    }

    /**
     * Adds a TaskManager and returns when it has registered.
     *
     * @throws ClusterException when there is no cluster, or it ends at once; then it is forgotten
     */
    public ClusterProcess add(ProcessOptions options) throws IOException, ClusterException, InterruptedException {
        return folder.exclusively(() -> {
            if (process(ProcessRole.JOBMANAGER).filter(ClusterProcess::isAlive).isEmpty()) {
                throw new ClusterException("no cluster is running here; start one with ./millrace cluster start");
            }
            ClusterLaunch launch = ClusterLaunch.stored(folder);
            AvailableMemory.require("a TaskManager", launch.memoryBytes(ProcessRole.TASKMANAGER, options));
            ClusterProcess added = launch.taskManager(options);
            try {
                await(List.of(added));
            } catch (IOException | ClusterException | InterruptedException e) {
                added.kill();
                folder.forget(added);
                throw e;
            }
            return added;
        });
    }

    /**
     * Stops all processes of the cluster, and only these; logs stay.
     *
     * @return what was stopped; dead processes are not among it
     */
    public List<ClusterProcess> stop() throws IOException, ClusterException, InterruptedException {
        return folder.exclusively(() -> {
            List<ClusterProcess> stopped = stopProcesses();
            folder.clear();
            return stopped;
        });
    }

    /** Stops one TaskManager. */
    public void stop(ClusterProcess taskManager) throws IOException, InterruptedException {
        taskManager.stop();
        folder.forget(taskManager);
    }

    /** The processes that were started and not stopped, dead ones too: keeper, JobManager, TaskManagers by age. */
    public List<ClusterProcess> processes() throws IOException {
        return folder.processes();
    }

    /** The address of web UI and REST; nothing when there is no cluster. */
    public Optional<URI> web() throws IOException {
        Optional<ClusterFolder.Description> description = folder.description();
        return description.isEmpty()
                ? Optional.empty()
                : Optional.of(URI.create(scheme() + "://" + description.get().rest()));
    }

    private String scheme() {
        return configuration().get(SecurityOptions.SSL_REST_ENABLED) ? "https" : "http";
    }

    private Configuration configuration() {
        return ClusterSettings.written(folder.configuration()).configuration();
    }

    /** How the cluster is. */
    public ClusterStatus status() throws IOException, InterruptedException {
        Optional<URI> web = web();
        Set<String> registered = Set.of();
        List<ClusterStatus.Job> jobs = List.of();
        boolean answers = false;
        if (web.isPresent()
                && process(ProcessRole.JOBMANAGER)
                        .filter(ClusterProcess::isAlive)
                        .isPresent()) {
            try {
                ClusterRest rest = new ClusterRest(web.get(), configuration(), ANSWER_PATIENCE);
                registered =
                        rest.taskManagers().stream().map(TaskManagerReading::id).collect(Collectors.toSet());
                jobs = rest.jobs().stream().map(ClusterStatus.Job::of).toList();
                answers = true;
            } catch (IOException e) {
                answers = false; // it is starting, or does not answer: the status says so
            }
        }
        return StatusReading.of(
                folder.description().map(ClusterFolder.Description::rest).orElse(null),
                folder.processes(),
                registered,
                answers,
                jobs);
    }

    /** Forgets processes that died; {@link #status} shows them until then. */
    public void forgetDead() throws IOException {
        for (ClusterProcess process : folder.processes()) {
            if (process.role() == ProcessRole.TASKMANAGER && !process.isAlive()) {
                folder.forget(process);
            }
        }
    }

    private Optional<ClusterProcess> process(ProcessRole role) throws IOException {
        return folder.processes().stream()
                .filter(process -> process.role() == role)
                .findFirst();
    }

    private void refuseRunning() throws IOException, ClusterException {
        List<ClusterProcess> living =
                folder.processes().stream().filter(ClusterProcess::isAlive).toList();
        if (living.isEmpty()) {
            return;
        }
        String where = web().map(URI::toString).orElse("an unknown address");
        boolean works = living.stream().anyMatch(process -> process.role() == ProcessRole.JOBMANAGER);
        throw new ClusterException(
                works
                        ? "a cluster is running already, at " + where
                                + "; ./millrace cluster add gives it another TaskManager, ./millrace cluster stop ends it"
                        : "the JobManager at " + where
                                + " died; ./millrace cluster start without options brings it back,"
                                + " ./millrace cluster stop ends what is left");
    }

    /** Newest first, all at once, so that TaskManagers do not spend time on looking for a JobManager that is gone. */
    private List<ClusterProcess> stopProcesses() throws IOException, InterruptedException {
        List<ClusterProcess> living = new ArrayList<>(
                folder.processes().stream().filter(ClusterProcess::isAlive).toList());
        List<ClusterProcess> stopped = List.copyOf(living);
        // The keeper first and alone: it would take the end of the JobManager for an accident.
        for (ClusterProcess process : living) {
            if (process.role() == ProcessRole.KEEPER) {
                process.kill();
            }
        }
        Collections.reverse(living);
        living.forEach(ClusterProcess::requestStop);
        for (ClusterProcess process : living) {
            process.stop();
        }
        return stopped;
    }

    /** Waits until these work. */
    private void await(List<ClusterProcess> awaited) throws IOException, ClusterException, InterruptedException {
        long giveUp = System.nanoTime() + START_PATIENCE.toNanos();
        while (true) {
            for (ClusterProcess process : awaited) {
                if (!process.isAlive()) {
                    throw new ClusterException("the " + process.role().title() + " " + process.id()
                            + " ended while it started: " + ClusterLogs.reason(process.log(), process.output())
                            + " (its log: " + process.log() + ")");
                }
            }
            ClusterStatus status = status();
            if (StatusReading.allRun(status, awaited)) {
                return;
            }
            if (System.nanoTime() > giveUp) {
                throw new ClusterException("the cluster did not start within " + START_PATIENCE.toSeconds()
                        + " s; the logs are in " + folder.logs());
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }
}
