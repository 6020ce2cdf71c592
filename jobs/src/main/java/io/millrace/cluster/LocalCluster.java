package io.millrace.cluster;

import io.millrace.file.AvailableMemory;
import io.millrace.rest.ClusterRest;
import io.millrace.rest.TaskManagerReading;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.SecurityOptions;
import org.jspecify.annotations.Nullable;

/**
 * A Flink cluster of processes on this machine. Its folder describes it, so that any program can continue to control it; the
 * processes outlive the program that starts them.
 *
 * <p>Not thread-safe. While one program starts or stops processes, the attempt of another one fails with a message.
 */
public final class LocalCluster {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(90);

    /** The time limit of one call. A starting JobManager may accept connections before it answers. */
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(2);

    private final ClusterFolder folder;

    /** The client for the latest address. To make one costs more than many calls. */
    private @Nullable Client client;

    private record Client(URI address, ClusterRest rest) {}

    /** Creates the object for the cluster of a folder, which may not exist yet. */
    public LocalCluster(Path folder) {
        this.folder = new ClusterFolder(folder);
    }

    /**
     * Returns the clusters with a living process, in the order of their names.
     *
     * @param parent the folder whose subfolders are those of clusters; it may not exist
     */
    public static List<LocalCluster> running(Path parent) throws IOException {
        if (!Files.isDirectory(parent)) {
            return List.of();
        }
        List<LocalCluster> running = new ArrayList<>();
        try (Stream<Path> folders = Files.list(parent)) {
            for (Path folder : folders.sorted().toList()) {
                LocalCluster cluster = new LocalCluster(folder);
                if (cluster.processes().stream().anyMatch(ClusterProcess::isAlive)) {
                    running.add(cluster);
                }
            }
        }
        return running;
    }

    /** Returns the name of the cluster, which is the name of its folder. */
    public String name() {
        return String.valueOf(folder().getFileName());
    }

    /** Returns the folder with the cluster's files. */
    public Path folder() {
        return folder.path();
    }

    /**
     * Starts the cluster and returns when its TaskManagers have registered.
     *
     * @return the processes of the cluster
     * @throws ClusterException when the cluster already runs, needs more memory than is available, or one of its
     *     processes ends at once; in this case no process remains
     */
    public List<ClusterProcess> start(ClusterStart start) throws IOException, ClusterException, InterruptedException {
        return folder.exclusively(() -> {
            refuseRunning();
            folder.clear();
            folder.clearLogs();
            folder.create();
            client = null; // the new cluster may have other certificates
            ClusterSettings settings = ClusterDefaults.complete(folder, start.settings());
            ClusterLaunch launch = ClusterLaunch.fresh(folder, settings);
            try {
                long workers = start.taskManagers() * launch.memoryBytes(ProcessRole.TASKMANAGER, start.taskManager());
                requireMemory(
                        "a JobManager and " + start.taskManagers() + " TaskManagers",
                        workers + launch.memoryBytes(ProcessRole.JOBMANAGER, ProcessOptions.NONE));
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

    /** Requires that the processes that {@code what} names can get this much memory. */
    private static void requireMemory(String what, long neededBytes) throws ClusterException {
        OptionalLong available = AvailableMemory.bytes();
        if (available.isPresent() && available.getAsLong() < neededBytes) {
            throw new ClusterException("not enough memory: " + what + " may use " + gigabytes(neededBytes) + ", "
                    + gigabytes(available.getAsLong())
                    + " are available; start fewer TaskManagers or set -D taskmanager.memory.process.size=<less>");
        }
    }

    private static String gigabytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f GB", bytes / 1e9);
    }

    /**
     * Adds a TaskManager and returns when it has registered.
     *
     * @throws ClusterException when there is no cluster, or when the TaskManager ends at once, which removes it from the cluster
     */
    public ClusterProcess add(ProcessOptions options) throws IOException, ClusterException, InterruptedException {
        return folder.exclusively(() -> {
            if (process(ProcessRole.JOBMANAGER).filter(ClusterProcess::isAlive).isEmpty()) {
                throw new ClusterException("no cluster is running here; start one with ./millrace cluster start");
            }
            ClusterLaunch launch = ClusterLaunch.stored(folder);
            requireMemory("a TaskManager", launch.memoryBytes(ProcessRole.TASKMANAGER, options));
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
     * Stops all processes of the cluster and no others; the logs remain.
     *
     * @return the processes that were stopped, without those that were already dead
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

    /** Returns the processes that were started and not stopped, including dead ones: JobManager, TaskManagers by age. */
    public List<ClusterProcess> processes() throws IOException {
        return folder.processes();
    }

    /** Returns the address of the web UI and of REST; empty when there is no cluster. */
    public Optional<URI> web() throws IOException {
        Optional<ClusterFolder.Description> description = folder.description();
        return description.isEmpty()
                ? Optional.empty()
                : Optional.of(URI.create(scheme() + "://" + description.get().rest()));
    }

    /** Returns a line for each kind of port of the cluster, with its address and with the people whom it admits. */
    public List<String> openPorts() throws ClusterException {
        return OpenPorts.describe(ClusterSettings.written(folder.configuration()));
    }

    private String scheme() {
        return configuration().get(SecurityOptions.SSL_REST_ENABLED) ? "https" : "http";
    }

    private Configuration configuration() {
        return ClusterSettings.written(folder.configuration()).configuration();
    }

    private ClusterRest rest(URI address) throws IOException {
        Client known = client;
        if (known == null || !known.address.equals(address)) {
            known = new Client(address, new ClusterRest(address, configuration(), ANSWER_TIMEOUT));
            client = known;
        }
        return known.rest;
    }

    /** Returns the state of the cluster. */
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
                ClusterRest rest = rest(web.get());
                registered =
                        rest.taskManagers().stream().map(TaskManagerReading::id).collect(Collectors.toSet());
                jobs = rest.jobs().stream().map(ClusterStatus.Job::of).toList();
                answers = true;
            } catch (IOException e) {
                answers = false; // the status shows that the JobManager is starting or does not answer
            }
        }
        return StatusReading.of(
                folder.description().map(ClusterFolder.Description::rest).orElse(null),
                folder.processes(),
                registered,
                answers,
                jobs);
    }

    /** Removes dead TaskManagers from the cluster; {@link #status} shows them until then. */
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
                                + "; ./millrace cluster add starts another TaskManager, ./millrace cluster stop ends the cluster"
                        : "the JobManager at " + where + " died; ./millrace cluster stop ends the remaining processes");
    }

    /** Stops all processes at once, the newest first, so that no TaskManager searches for the JobManager. */
    private List<ClusterProcess> stopProcesses() throws IOException, InterruptedException {
        List<ClusterProcess> living = new ArrayList<>(
                folder.processes().stream().filter(ClusterProcess::isAlive).toList());
        List<ClusterProcess> stopped = List.copyOf(living);
        Collections.reverse(living);
        living.forEach(ClusterProcess::requestStop);
        for (ClusterProcess process : living) {
            process.stop();
        }
        return stopped;
    }

    /** Waits until the processes work. */
    private void await(List<ClusterProcess> awaited) throws IOException, ClusterException, InterruptedException {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
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
            if (System.nanoTime() > deadline) {
                throw new ClusterException("the cluster did not start within " + START_TIMEOUT.toSeconds()
                        + " s; the logs are in " + folder.logs());
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }
}
