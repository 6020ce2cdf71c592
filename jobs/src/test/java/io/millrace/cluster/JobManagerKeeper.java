package io.millrace.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.shaded.zookeeper3.org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.flink.shaded.zookeeper3.org.apache.zookeeper.server.ZooKeeperServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a high-available cluster has around its processes: a ZooKeeper server, here in the test's JVM, and a supervisor, here a
 * thread, that starts another JobManager on the same ports when one has died. Close it before the cluster's processes end.
 */
public final class JobManagerKeeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(JobManagerKeeper.class);

    /** ZooKeeper's tick. A session lasts 2 to 20 ticks, and the session of a dead JobManager must end soon. */
    private static final int TICK_MILLIS = 1_000;

    private static final long CHECK_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Path data;
    private final ZooKeeperServer server;
    private final ServerCnxnFactory connections;
    private final Thread watcher;

    /** Volatile because the test's thread sets it and the watcher reads it. */
    private volatile boolean closed;

    /** Starts the server, whose data is in a folder, and watches the JobManager of a cluster that may start later. */
    public JobManagerKeeper(Path data, Path cluster) throws IOException, InterruptedException {
        this.data = Files.createDirectories(data);
        Path log = Files.createDirectories(data.resolve("zookeeper"));
        server = new ZooKeeperServer(log.toFile(), log.toFile(), TICK_MILLIS);
        connections = ServerCnxnFactory.createFactory(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        connections.startup(server);
        watcher = new Thread(() -> watch(new ClusterFolder(cluster)), "keeper");
        watcher.start();
    }

    /** Returns Flink's options for a cluster that uses the server. */
    public Map<String, String> options() {
        return Map.of(
                "high-availability.type",
                "zookeeper",
                "high-availability.zookeeper.quorum",
                "127.0.0.1:" + connections.getLocalPort(),
                "high-availability.zookeeper.client.session-timeout",
                "6 s",
                "high-availability.storageDir",
                data.resolve("jobs").toUri().toString());
    }

    private void watch(ClusterFolder folder) {
        while (!closed) {
            LockSupport.parkNanos(CHECK_INTERVAL_NANOS);
            try {
                boolean died = folder.processes().stream()
                        .anyMatch(process -> process.role() == ProcessRole.JOBMANAGER && !process.isAlive());
                if (died && !closed) {
                    ClusterProcess started = folder.exclusively(
                            () -> ClusterLaunch.stored(folder).jobManager());
                    LOG.info("the JobManager died; process {} is another one", started.pid());
                }
            } catch (ClusterException e) {
                LOG.info("no JobManager was started, because another command uses the folder: {}", e.getMessage());
            } catch (IOException e) {
                LOG.error("the cluster in {} is not watched any more", folder.path(), e);
                return;
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Ends the watcher, and then the server. Afterwards no other JobManager is started. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(watcher);
        try {
            watcher.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        connections.shutdown();
        server.shutdown();
    }
}
