package io.millrace.serve;

import java.io.Serializable;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The place where the sink of a rank listens, in a process of a cluster.
 *
 * @param addresses the addresses of the sink: {@code unix:/path}, then {@code host:port}
 * @param machine the machine of the sink
 */
public record SinkPlace(List<String> addresses, Machine machine) implements Serializable {
    private static final String UNIX = "unix:";

    public SinkPlace {
        addresses = List.copyOf(addresses);
    }

    /**
     * Requires that a client can reach the sink. A sink that listens on the loopback interface is reached by processes of its
     * own machine only, and an address such as 127.0.0.1 would lead the others to their own machine.
     *
     * @param id the {@link Machine#id} that the client has stated; null if it has stated none
     * @param client the machine of the client; empty when the client is not on the machine of this process
     * @throws Refusal when the client cannot reach the sink
     */
    void requireReachable(int rank, @Nullable String id, Optional<Machine> client) throws Refusal {
        boolean reachable = !isLoopback()
                || machine.id().equals(id)
                || client.filter(at -> at.id().equals(machine.id()) || sharesSocket())
                        .isPresent();
        if (!reachable) {
            throw new Refusal(
                    Refusal.Code.UNREACHABLE,
                    "the sink of rank " + rank + " listens on the loopback interface of " + machine.name()
                            + ", which the client cannot reach from "
                            + client.map(Machine::name).orElse("another machine")
                            + ": start serve with --listen and an address of the network, such as 0.0.0.0:8815, with TLS"
                            + " or --insecure, on a cluster whose taskmanager.host is not a loopback address. Or train on "
                            + machine.name());
        }
    }

    private boolean isLoopback() {
        List<String> tcp =
                addresses.stream().filter(address -> !address.startsWith(UNIX)).toList();
        return !tcp.isEmpty() && tcp.stream().allMatch(SinkPlace::isLoopback);
    }

    private static boolean isLoopback(String address) {
        String host = address.substring(0, address.lastIndexOf(':')).replaceAll("^\\[|]$", "");
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false; // the client may know the name
        }
    }

    /** Returns whether this process, on the machine of the client, sees the Unix socket: containers may share its folder. */
    private boolean sharesSocket() {
        return addresses.stream()
                .filter(address -> address.startsWith(UNIX))
                .anyMatch(address -> Files.exists(Path.of(address.substring(UNIX.length()))));
    }
}
