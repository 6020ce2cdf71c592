package io.millrace.cluster;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.HighAvailabilityOptions;
import org.apache.flink.shaded.zookeeper3.org.apache.zookeeper.server.ServerConfig;
import org.apache.flink.shaded.zookeeper3.org.apache.zookeeper.server.ZooKeeperServerMain;
import org.apache.flink.shaded.zookeeper3.org.apache.zookeeper.server.admin.AdminServer.AdminServerException;
import org.apache.flink.shaded.zookeeper3.org.apache.zookeeper.server.quorum.QuorumPeerConfig;
import org.apache.flink.shaded.zookeeper3.org.apache.zookeeper.server.quorum.QuorumPeerConfig.ConfigException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process that lets jobs survive the death of a JobManager: a ZooKeeper server on loopback, whose data is in the cluster's
 * folder, and a loop that starts another JobManager when one has died.
 *
 * <p>Flink stores the state of a JobManager for its successor in ZooKeeper or in Kubernetes, never in files alone. Flink's jar
 * of the ZooKeeper client also contains the server. One server is enough here: it ends with the machine that the cluster runs
 * on, and its data remains.
 */
public final class KeeperMain {
    private static final Logger LOG = LoggerFactory.getLogger(KeeperMain.class);

    /**
     * ZooKeeper's tick. It is short, because a session lasts 2 to 20 ticks, and the session of a dead JobManager must
     * end soon.
     */
    private static final Duration TICK = Duration.ofSeconds(1);

    private static final long CHECK_INTERVAL_MILLIS = 200;

    /** The time that a JobManager must live. If it dies earlier, it counts as one that could not start. */
    private static final Duration SHORT_LIFE = Duration.ofSeconds(20);

    private static final int MAX_SHORT_LIVES = 5;

    private KeeperMain() {}

    /** Runs until the process is killed or the cluster is stopped; the argument is the cluster's folder. */
    public static void main(String[] arguments) throws IOException, ConfigException, InterruptedException {
        ClusterFolder folder = new ClusterFolder(Path.of(arguments[0]));
        String quorum = ClusterSettings.written(folder.configuration())
                .configuration()
                .get(HighAvailabilityOptions.HA_ZOOKEEPER_QUORUM);
        serve(folder.highAvailability().resolve("zookeeper"), quorum);
        watch(folder);
    }

    private static void serve(Path data, String quorum) throws IOException, ConfigException {
        // ZooKeeper's own web page would listen on all addresses.
        System.setProperty("zookeeper.admin.enableServer", "false");
        Files.createDirectories(data);
        int colon = quorum.lastIndexOf(':');
        InetSocketAddress address =
                new InetSocketAddress(quorum.substring(0, colon), Integer.parseInt(quorum.substring(colon + 1)));
        Properties properties = new Properties();
        properties.setProperty("dataDir", data.toString());
        properties.setProperty("clientPort", Integer.toString(address.getPort()));
        properties.setProperty("clientPortAddress", address.getHostString());
        properties.setProperty("tickTime", Long.toString(TICK.toMillis()));
        QuorumPeerConfig parsed = new QuorumPeerConfig();
        parsed.parseProperties(properties);
        ServerConfig config = new ServerConfig();
        config.readFrom(parsed);
        Thread server = new Thread(
                () -> {
                    try {
                        new ZooKeeperServerMain().runFromConfig(config);
                        LOG.error("ZooKeeper ended");
                    } catch (IOException | AdminServerException e) {
                        LOG.error("ZooKeeper cannot serve at {}", quorum, e);
                    }
                    Runtime.getRuntime().halt(1);
                },
                "zookeeper");
        server.start();
    }

    /** Returns when the cluster has been stopped. While another program starts or stops the cluster, nothing is started. */
    private static void watch(ClusterFolder folder) throws IOException, InterruptedException {
        LocalCluster cluster = new LocalCluster(folder.path());
        int shortLives = 0;
        long startedNanos = System.nanoTime();
        while (folder.description().isPresent()) {
            TimeUnit.MILLISECONDS.sleep(CHECK_INTERVAL_MILLIS);
            Optional<ClusterProcess> dead = cluster.processes().stream()
                    .filter(process -> process.role() == ProcessRole.JOBMANAGER && !process.isAlive())
                    .findFirst();
            if (dead.isEmpty()) {
                continue;
            }
            shortLives = System.nanoTime() - startedNanos < SHORT_LIFE.toNanos() ? shortLives + 1 : 0;
            if (shortLives > MAX_SHORT_LIVES) {
                LOG.error(
                        "the JobManager died repeatedly, and is not started again; see {}",
                        dead.get().log());
                break;
            }
            try {
                LOG.warn("the JobManager {} died; starting another", dead.get().pid());
                startedNanos = System.nanoTime();
                cluster.revive();
            } catch (ClusterException e) {
                LOG.warn("no JobManager was started: {}", e.getMessage());
            }
        }
    }
}
