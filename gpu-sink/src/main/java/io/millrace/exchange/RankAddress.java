package io.millrace.exchange;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The address of a rank, which the rank sends to the other ranks.
 *
 * @param rank the rank, from 0
 * @param address the host's address at which the other ranks reach this rank
 * @param port the port on which the rank listens
 * @param process an identifier of the process; ranks with equal identifiers can share objects
 * @param host an identifier of the host; ranks with equal identifiers can share memory through files
 */
public record RankAddress(int rank, String address, int port, String process, String host) implements Serializable {
    /** A value that differs each time this class is loaded. Ranks with the same value can share objects. */
    private static final String PROCESS = UUID.randomUUID().toString();

    /**
     * Returns the address of a rank in this process.
     *
     * @param part a part of the process; ranks of different parts do not share objects
     */
    public static RankAddress ofThisProcess(int rank, String address, int port, String part) {
        return new RankAddress(rank, address, port, PROCESS + " " + part, host(address));
    }

    /**
     * Returns an identifier of the host. On Linux it names the boot and the mount namespace, because containers of one
     * host may see different files. On other systems it is the address.
     */
    private static String host(String address) {
        String user = System.getProperty("user.name");
        try {
            return user + " "
                    + Files.readString(Path.of("/proc/sys/kernel/random/boot_id"))
                            .strip() + " " + Files.readSymbolicLink(Path.of("/proc/self/ns/mnt"));
        } catch (IOException | UnsupportedOperationException e) {
            return user + " " + address;
        }
    }
}
