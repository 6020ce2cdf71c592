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
 * The process that lets jobs outlive a JobManager: a ZooKeeper on loopback, whose data is in the cluster's folder, and a
 * watch that starts a JobManager anew when the last one died.
 *
 * <p>Flink keeps what a JobManager needs to go on in ZooKeeper or in Kubernetes, never in files alone; the server comes
 * with Flink's own jar of its client. One server is enough here: it dies with the machine that the cluster is on, and
 * its data does not.
 */
public final class KeeperMain {
    private static final Logger LOG = LoggerFactory.getLogger(KeeperMain.class);

    /** ZooKeeper's beat: it allows sessions of 2 to 20 beats, and a dead JobManager's must end soon. */
    private static final Duration BEAT = Duration.ofSeconds(1);

    private static final long WATCH_MILLIS = 200;

    /** A JobManager that lives shorter than this has not worked. */
    private static final Duration SHORT_LIFE = Duration.ofSeconds(20);

    private static final int MOST_SHORT_LIVES = 5;

    private KeeperMain() {}

    /** Runs until it is killed, or its cluster is gone; the argument is the cluster's folder. */
    public static void main(String[] arguments) throws IOException, ConfigException, InterruptedException {
        ClusterFolder folder = new ClusterFolder(Path.of(arguments[0]));
        String quorum = ClusterSettings.written(folder.configuration())
                .configuration()
                .get(HighAvailabilityOptions.HA_ZOOKEEPER_QUORUM);
        serve(folder.highAvailability().resolve("zookeeper"), quorum);
        watch(folder);
    }

    private static void serve(Path data, String quorum) throws IOException, ConfigException {
        // Its own web page would listen on all addresses.
        System.setProperty("zookeeper.admin.enableServer", "false");
        Files.createDirectories(data);
        int colon = quorum.lastIndexOf(':');
        InetSocketAddress address =
                new InetSocketAddress(quorum.substring(0, colon), Integer.parseInt(quorum.substring(colon + 1)));
        Properties properties = new Properties();
        properties.setProperty("dataDir", data.toString());
        properties.setProperty("clientPort", Integer.toString(address.getPort()));
        properties.setProperty("clientPortAddress", address.getHostString());
        properties.setProperty("tickTime", Long.toString(BEAT.toMillis()));
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

    /** Returns when the cluster is gone; a program that starts or stops the cluster meanwhile goes first. */
    private static void watch(ClusterFolder folder) throws IOException, InterruptedException {
        LocalCluster cluster = new LocalCluster(folder.path());
        int shortLives = 0;
        long startedNanos = System.nanoTime();
        while (folder.description().isPresent()) {
            TimeUnit.MILLISECONDS.sleep(WATCH_MILLIS);
            Optional<ClusterProcess> dead = cluster.processes().stream()
                    .filter(process -> process.role() == ProcessRole.JOBMANAGER && !process.isAlive())
                    .findFirst();
            if (dead.isEmpty()) {
                continue;
            }
            shortLives = System.nanoTime() - startedNanos < SHORT_LIFE.toNanos() ? shortLives + 1 : 0;
            if (shortLives > MOST_SHORT_LIVES) {
                LOG.error(
                        "JobManagers die again and again, no other is started; see {}",
                        dead.get().log());
                break;
            }
            try {
                LOG.warn("the JobManager {} died; starting another", dead.get().pid());
                startedNanos = System.nanoTime();
                cluster.revive();
            } catch (ClusterException e) {
                LOG.warn("no JobManager started: {}", e.getMessage());
            }
        }
    }
}
