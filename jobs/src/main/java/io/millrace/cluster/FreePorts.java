package io.millrace.cluster;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Iterator;
import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.util.NetUtils;

/** Ports of this machine on which no program listens. Another program may use a port before the cluster does. */
public final class FreePorts {
    /** Linux gives ports from 32768 on to connections and to programs that ask for any port, unless it is set otherwise. */
    private static final int END = 32_768;

    private static final int FIRST = 10_000;
    private static final int TRIES = 100;

    private FreePorts() {}

    /** Returns any free port, if possible one that the system gives to no other program meanwhile. */
    public static int any() throws IOException {
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            if (isFree(port)) {
                return port;
            }
        }
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
