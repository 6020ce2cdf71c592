package io.millrace.pipeline;

import io.millrace.config.RunConfig;
import io.millrace.file.OwnedFolder;
import io.millrace.file.ProgramFolders;
import io.millrace.file.Swept;
import io.millrace.lifecycle.Handles;
import io.millrace.pipeline.web.OwnWeb;
import java.io.File;
import java.io.IOException;
import java.net.BindException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.client.program.MiniClusterClient;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ConfigurationUtils;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.HeartbeatManagerOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.rpc.RpcSystem;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A Flink cluster in this process: one JobManager, one TaskManager, and the web UI on loopback for the user of this process. */
public final class EmbeddedFlink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedFlink.class);

    /**
     * The interval at which the web UI updates its figures. With Flink's default of 10 s, the web UI would show no
     * figures of a short run.
     */
    private static final Duration METRICS_INTERVAL = Duration.ofMillis(500);

    /** The time after which Flink forgets the result of a savepoint that a request has triggered. Its end waits for that. */
    private static final Duration OPERATIONS_KEPT = Duration.ofSeconds(1);

    /** The longest wait for Flink's end. A task that does not end, for example in a user's function, does not prolong it. */
    private static final Duration MOST_TO_END = Duration.ofSeconds(20);

    /** The beginning of the names of all temporary folders of this class. */
    private static final String FOLDERS = "millrace-";

    /** The property that Snappy reads once, when a checkpoint is compressed or a compressed file is read for the first time. */
    private static final String SNAPPY_FOLDER = "org.xerial.snappy.tempdir";

    private final MiniCluster cluster;
    private final FlinkJobs jobs;
    private final OwnWeb web;
    private final Handles temporary;

    private EmbeddedFlink(MiniCluster cluster, FlinkJobs jobs, OwnWeb web, Handles temporary) {
        this.cluster = cluster;
        this.jobs = jobs;
        this.web = web;
        this.temporary = temporary;
    }

    /**
     * Starts the cluster, whose REST interface only the user of this process can read.
     *
     * @param slots the number of task slots
     * @param more settings that override the defaults of this class
     * @param webPorts a port for the web UI, or a range such as 8081-8180, of which the first free port is used, or 0
     *     for any port
     * @param web whether the user can open the web UI; if not, only this process can read
     * @throws IOException when no port is free, the folder for temporary files cannot be written or the name of this machine is
     *     not known; the message is for the user
     */
    public static EmbeddedFlink start(int slots, String webPorts, RunConfig.Web web, Configuration more)
            throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(RestOptions.ADDRESS, "127.0.0.1");
        configuration.set(RestOptions.BIND_ADDRESS, "127.0.0.1");
        configuration.set(RestOptions.BIND_PORT, webPorts);
        configuration.set(JobManagerOptions.BIND_HOST, "127.0.0.1"); // also of the server for the files of jobs
        configuration.set(TaskManagerOptions.BIND_HOST, "127.0.0.1");
        configuration.set(RestOptions.ASYNC_OPERATION_STORE_DURATION, OPERATIONS_KEPT);
        configuration.set(MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL, METRICS_INTERVAL);
        configuration.set(HeartbeatManagerOptions.HEARTBEAT_INTERVAL, Duration.ofSeconds(1));
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        configuration.set(TaskManagerOptions.NUM_TASK_SLOTS, slots);
        configuration.addAll(more);
        OwnWeb.guard(configuration, web);
        MachineName.makeKnown();
        RpcSystem rpc = SharedRpcSystem.get(configuration);
        Handles temporary = new Handles();
        return temporary.closeOnFailure(() -> {
            ownFolders(configuration, temporary);
            return OwnWeb.guarded(() -> start(slots, webPorts, web, configuration, rpc, temporary));
        });
    }

    /**
     * Lets Flink use folders of its own in the folders for temporary files, which are deleted when this is closed. Flink itself
     * would leave an empty one, and more when the process is killed; those are deleted now.
     */
    private static void ownFolders(Configuration configuration, Handles temporary) throws IOException {
        List<String> own = new ArrayList<>();
        for (String parent : ConfigurationUtils.parseTempDirectories(configuration)) {
            Path folder = Files.createDirectories(Path.of(parent));
            Swept left = OwnedFolder.sweep(folder, FOLDERS);
            if (!left.deleted().isEmpty()) {
                LOG.info("deleted the temporary folders {} of processes that were killed", left.deleted());
            }
            left.kept().forEach(LOG::warn);
            own.add(temporary
                    .add(OwnedFolder.create(folder, FOLDERS + "flink-"))
                    .path()
                    .toString());
        }
        configuration.set(CoreOptions.TMP_DIRS, String.join(File.pathSeparator, own));
        Optional<Path> programs = ProgramFolders.first();
        if (programs.isPresent()) {
            // The library that compresses checkpoints would leave its native code in the folder for temporary files,
            // from which it perhaps cannot be loaded.
            OwnedFolder libraries = temporary.add(OwnedFolder.create(programs.get(), FOLDERS + "native-"));
            System.setProperty(SNAPPY_FOLDER, libraries.path().toString());
        }
        if (!configuration.contains(WebOptions.TMP_DIR)) {
            configuration.set(WebOptions.TMP_DIR, own.get(0));
        }
    }

    private static EmbeddedFlink start(
            int slots,
            String webPorts,
            RunConfig.Web web,
            Configuration configuration,
            RpcSystem rpc,
            Handles temporary)
            throws Exception {
        MiniClusterConfiguration one = new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(slots)
                .build();
        MiniCluster cluster = new MiniCluster(one, () -> Reference.borrowed(rpc));
        try {
            cluster.start();
            URI address = cluster.getRestAddress().get();
            // The cluster runs in this process, so it needs no jars.
            return new EmbeddedFlink(
                    cluster,
                    new FlinkJobs(new MiniClusterClient(configuration, cluster), address, List.of()),
                    OwnWeb.open(address, configuration, web),
                    temporary);
        } catch (Exception e) {
            end(cluster, MOST_TO_END);
            if (ExceptionUtils.findThrowable(e, BindException.class).isPresent()) {
                throw new IOException(
                        "the web UI's port " + webPorts
                                + " is taken by another program: set run.web_port to a free one, or to 0 for any",
                        e);
            }
            throw e;
        }
    }

    /** Returns the address of the web UI and the REST interface, such as http://127.0.0.1:8081. */
    public URI web() {
        return jobs.web();
    }

    /** Returns the same address; empty when the user cannot open the web UI. */
    public Optional<URI> shownWeb() {
        return web.shown();
    }

    /** Returns the cluster's jobs, which can be used until this is closed. */
    public FlinkJobs jobs() {
        return jobs;
    }

    /** Ends the cluster with all its jobs, within {@link #MOST_TO_END}. */
    @Override
    public void close() {
        close(MOST_TO_END);
    }

    void close(Duration most) {
        try {
            end(cluster, most);
        } finally {
            web.close();
            deleteFolders();
        }
    }

    /**
     * Waits for the end of a cluster, at most for some time. What runs longer ends with this process. No failure makes the result
     * of the run worse.
     */
    private static void end(MiniCluster cluster, Duration most) {
        try {
            cluster.closeAsync().get(most.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            LOG.warn("Flink has not ended within {} s. It ends with this process", most.toSeconds(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            LOG.warn("interrupted while Flink ended. It ends with this process", e);
        } catch (ExecutionException e) {
            LOG.warn("Flink has not ended as it should: {}", e.getCause(), e);
        }
    }

    /** Deletes the folders. A failure does not make the run's result worse; the next run deletes what is left. */
    private void deleteFolders() {
        try {
            temporary.close();
        } catch (IllegalStateException e) {
            LOG.warn("Flink's temporary folders cannot be deleted: {}", e.getMessage(), e);
        }
    }
}
