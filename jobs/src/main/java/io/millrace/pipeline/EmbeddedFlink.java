package io.millrace.pipeline;

import io.millrace.file.OwnedFolder;
import io.millrace.file.ProgramFolders;
import io.millrace.file.Swept;
import io.millrace.lifecycle.Handles;
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
import org.apache.flink.client.program.MiniClusterClient;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ConfigurationUtils;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.HeartbeatManagerOptions;
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

/** A Flink cluster in this process: one JobManager, one TaskManager, and the web UI on loopback. */
public final class EmbeddedFlink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedFlink.class);

    /**
     * The interval at which the web UI updates its figures. With Flink's default of 10 s, the web UI would show no
     * figures of a short run.
     */
    private static final Duration METRICS_INTERVAL = Duration.ofMillis(500);

    /** The beginning of the names of all temporary folders of this class. */
    private static final String FOLDERS = "millrace-";

    /** The property that Snappy reads once, when a checkpoint is compressed or a compressed file is read for the first time. */
    private static final String SNAPPY_FOLDER = "org.xerial.snappy.tempdir";

    private final MiniCluster cluster;
    private final FlinkJobs jobs;
    private final Handles temporary;

    private EmbeddedFlink(MiniCluster cluster, FlinkJobs jobs, Handles temporary) {
        this.cluster = cluster;
        this.jobs = jobs;
        this.temporary = temporary;
    }

    /**
     * Starts the cluster.
     *
     * @param slots the number of task slots
     * @param more settings that override the defaults of this class
     * @param webPorts a port for the web UI, or a range such as 8081-8180, of which the first free port is used, or 0
     *     for any port
     * @throws IOException when no port is free, the folder for temporary files cannot be written or the name of this machine is
     *     not known; the message is for the user
     */
    public static EmbeddedFlink start(int slots, String webPorts, Configuration more) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(RestOptions.ADDRESS, "127.0.0.1");
        configuration.set(RestOptions.BIND_ADDRESS, "127.0.0.1");
        configuration.set(RestOptions.BIND_PORT, webPorts);
        configuration.set(WebOptions.SUBMIT_ENABLE, false);
        configuration.set(MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL, METRICS_INTERVAL);
        configuration.set(HeartbeatManagerOptions.HEARTBEAT_INTERVAL, Duration.ofSeconds(1));
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
        configuration.set(TaskManagerOptions.NUM_TASK_SLOTS, slots);
        configuration.addAll(more);
        MachineName.makeKnown();
        RpcSystem rpc = SharedRpcSystem.get(configuration);
        Handles temporary = new Handles();
        return temporary.closeOnFailure(() -> {
            ownFolders(configuration, temporary);
            return start(slots, webPorts, configuration, rpc, temporary);
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
            int slots, String webPorts, Configuration configuration, RpcSystem rpc, Handles temporary)
            throws Exception {
        MiniClusterConfiguration one = new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(slots)
                .build();
        MiniCluster cluster = new MiniCluster(one, () -> Reference.borrowed(rpc));
        try {
            cluster.start();
            // The cluster runs in this process, so it needs no jars.
            return new EmbeddedFlink(
                    cluster,
                    new FlinkJobs(
                            new MiniClusterClient(configuration, cluster),
                            cluster.getRestAddress().get(),
                            List.of()),
                    temporary);
        } catch (Exception e) {
            cluster.closeAsync().join();
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

    /** Returns the cluster's jobs, which can be used until this is closed. */
    public FlinkJobs jobs() {
        return jobs;
    }

    @Override
    public void close() {
        try {
            cluster.closeAsync().join();
        } finally {
            deleteFolders();
        }
    }

    /** A failure does not make the run's result worse; the next run deletes what is left. */
    private void deleteFolders() {
        try {
            temporary.close();
        } catch (IllegalStateException e) {
            LOG.warn("Flink's temporary folders cannot be deleted: {}", e.getMessage(), e);
        }
    }
}
