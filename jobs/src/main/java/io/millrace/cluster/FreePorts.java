package io.millrace.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Iterator;
import java.util.OptionalInt;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.util.NetUtils;

/** Ports of this machine that nothing listens on. Another program may take one before the cluster does. */
final class FreePorts {
    private FreePorts() {}

    /** Any. */
    static int any() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /**
     * The first free one.
     *
     * @param ports one port, or a list of ports and ranges as 8081-8180; 0 is any
     */
    static OptionalInt first(String ports) throws IOException, ClusterException {
        Iterator<Integer> candidates;
        try {
            candidates = NetUtils.getPortRangeFromString(ports);
        } catch (IllegalConfigurationException | NumberFormatException e) {
            throw new ClusterException("'" + ports + "' is no port and no range of ports as 8081-8180", e);
        }
        while (candidates.hasNext()) {
            int port = candidates.next();
            if (port == 0) {
                return OptionalInt.of(any());
            }
            if (isFree(port)) {
                return OptionalInt.of(port);
            }
        }
        return OptionalInt.empty();
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
