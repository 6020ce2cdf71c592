package io.millrace.cluster;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.SecurityOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.WebOptions;

/** The ports of a cluster's processes: the addresses at which they listen, and the people whom they admit. */
public final class OpenPorts {
    /** The options with the addresses at which Flink's processes listen. */
    private static final List<ConfigOption<String>> LISTENING =
            List.of(RestOptions.BIND_ADDRESS, JobManagerOptions.BIND_HOST, TaskManagerOptions.BIND_HOST);

    /** The options with the addresses at which Flink's processes find each other, and clients find the JobManager. */
    private static final List<ConfigOption<String>> FINDING =
            List.of(RestOptions.ADDRESS, JobManagerOptions.ADDRESS, TaskManagerOptions.HOST);

    private static final String ALL_USERS = "all users of this machine";

    private OpenPorts() {}

    /**
     * Returns the options with which all processes of a cluster listen at an address.
     *
     * @param host the address of an interface of this machine, or one that stands for all of them, such as 0.0.0.0
     * @throws ClusterException when the text is not an address
     */
    public static Map<String, String> at(String host) throws ClusterException {
        Map<String, String> options = new LinkedHashMap<>();
        LISTENING.forEach(option -> options.put(option.key(), host));
        if (!address(host).isAnyLocalAddress()) {
            FINDING.forEach(option -> options.put(option.key(), host));
        }
        return options;
    }

    /**
     * Requires that the processes of a cluster listen on the loopback interface only.
     *
     * @param settings the options of the cluster; what they leave open is the loopback interface
     * @throws ClusterException when an option has another address
     */
    public static void requireLoopback(ClusterSettings settings) throws ClusterException {
        for (ConfigOption<String> option : LISTENING) {
            String host = settings.options().get(option.key());
            if (host != null && !address(host).isLoopbackAddress()) {
                throw new ClusterException(option.key() + " is " + host
                        + ", where others than the users of this machine may reach the cluster and run code in it:"
                        + " expected a loopback address such as 127.0.0.1. To permit it, add --bind " + host
                        + "; docs/cluster/cluster.md shows how to protect such a cluster");
            }
        }
    }

    /** Returns a line for each kind of port, with its address and with the people whom it admits. */
    static List<String> describe(ClusterSettings settings) throws ClusterException {
        Configuration flink = settings.configuration();
        boolean ownRest = asksForCertificates(flink);
        List<String> lines = new ArrayList<>();
        lines.add(line(
                "web UI and REST, where jobs are submitted"
                        + (flink.get(WebOptions.SUBMIT_ENABLE) ? " and jars uploaded" : ""),
                flink.get(RestOptions.BIND_ADDRESS),
                ownRest));
        boolean ownInternal = flink.get(SecurityOptions.SSL_INTERNAL_ENABLED);
        lines.add(line("JobManager: RPC and files", flink.get(JobManagerOptions.BIND_HOST), ownInternal));
        lines.add(line("TaskManagers: RPC and data", flink.get(TaskManagerOptions.BIND_HOST), ownInternal));
        return lines;
    }

    private static boolean asksForCertificates(Configuration flink) {
        return flink.get(SecurityOptions.SSL_REST_ENABLED)
                && flink.get(SecurityOptions.SSL_REST_AUTHENTICATION_ENABLED);
    }

    private static String line(String what, String host, boolean certified) throws ClusterException {
        String who = certified
                ? "those who have a certificate"
                : address(host).isLoopbackAddress() ? ALL_USERS : "everybody who reaches this machine";
        return what + ": on " + host + ", open to " + who;
    }

    /**
     * Returns a sentence about the people whose code a cluster runs: all who reach a port without a certificate. A cluster that does
     * not say where its processes listen lets them listen at all addresses, as Flink does.
     *
     * @param configuration the cluster's options, as its JobManager reports them
     * @return empty when the cluster asks for certificates
     */
    public static Optional<String> warning(Map<String, String> configuration) {
        Configuration flink = Configuration.fromMap(configuration);
        Map<String, String> open = new LinkedHashMap<>();
        if (!asksForCertificates(flink)) {
            open.put(SecurityOptions.SSL_REST_AUTHENTICATION_ENABLED.key(), where(flink, RestOptions.BIND_ADDRESS));
        }
        if (!flink.get(SecurityOptions.SSL_INTERNAL_ENABLED)) {
            open.put(
                    SecurityOptions.SSL_INTERNAL_ENABLED.key(),
                    Stream.of(JobManagerOptions.BIND_HOST, TaskManagerOptions.BIND_HOST)
                            .map(option -> where(flink, option))
                            .distinct()
                            .collect(Collectors.joining(" and ")));
        }
        return open.isEmpty()
                ? Optional.empty()
                : Optional.of("the cluster runs the code of everybody who reaches its ports, because it asks for no"
                        + " certificates ("
                        + open.entrySet().stream()
                                .map(port -> "no " + port.getKey() + ", listens at " + port.getValue())
                                .collect(Collectors.joining("; "))
                        + "): see docs/cluster/cluster.md");
    }

    private static String where(Configuration flink, ConfigOption<String> option) {
        return flink.getOptional(option).orElse("all addresses");
    }

    private static InetAddress address(String host) throws ClusterException {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new ClusterException(notOfThisMachine(host), e);
        }
    }

    /**
     * Requires an address at which a process of this machine can listen. Otherwise Flink would name its port as the reason.
     *
     * @throws ClusterException when the text is not such an address
     */
    public static void requireOfThisMachine(String host) throws ClusterException {
        InetAddress address = address(host);
        try {
            // The loopback interface has more addresses than it lists, such as 127.0.0.2.
            if (!address.isAnyLocalAddress()
                    && !address.isLoopbackAddress()
                    && NetworkInterface.getByInetAddress(address) == null) {
                throw new ClusterException(notOfThisMachine(host));
            }
        } catch (SocketException e) {
            throw new ClusterException("the interfaces of this machine cannot be listed", e);
        }
    }

    private static String notOfThisMachine(String host) {
        return "'" + host + "' is not the address of an interface of this machine";
    }
}
