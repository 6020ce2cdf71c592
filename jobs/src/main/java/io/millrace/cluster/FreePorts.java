package io.millrace.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Iterator;
import java.util.OptionalInt;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.util.NetUtils;

/** Ports of this machine on which no program listens. Another program may use a port before the cluster does. */
final class FreePorts {
    private FreePorts() {}

    /** Returns any free port. */
    static int any() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /**
     * Returns the first free port, or nothing when all are used.
     *
     * @param ports one port, or a list of ports and ranges such as 8081-8180; 0 stands for any free port
     * @throws ClusterException when the text is not such a list
     */
    static OptionalInt first(String ports) throws IOException, ClusterException {
        Iterator<Integer> candidates;
        try {
            candidates = NetUtils.getPortRangeFromString(ports);
        } catch (IllegalConfigurationException | NumberFormatException e) {
            throw new ClusterException("'" + ports + "' is not a port or a range of ports such as 8081-8180", e);
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
