package io.millrace.serve;

import java.io.IOException;
import java.io.Serializable;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The machine of a process, or its container: the processes that share a loopback interface.
 *
 * @param name the name of the host, for messages
 * @param id a text that is equal for two processes exactly when they share a loopback interface: Linux's id of this boot and
 *     the number of the network namespace; elsewhere the name
 */
public record Machine(String name, String id) implements Serializable {
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path NETWORK = Path.of("/proc/self/ns/net");

    /** Returns the machine of this process. */
    public static Machine here() {
        String name = hostName();
        try {
            return new Machine(name, Files.readString(BOOT).strip() + " " + Files.readSymbolicLink(NETWORK));
        } catch (IOException | UnsupportedOperationException noLinux) {
            return new Machine(name, name);
        }
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException noName) { // its message begins with the name that nothing resolves
            String message = String.valueOf(noName.getMessage());
            int colon = message.indexOf(':');
            return colon < 0 ? message : message.substring(0, colon);
        }
    }
}
