package io.millrace.exchange;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Where a rank is, as it tells the others.
 *
 * @param rank from 0
 * @param address the host's, by which the others reach it
 * @param port on which it listens
 * @param process the same for ranks that can share objects, and for no others
 * @param host the same for ranks that can share memory through files, and for no others
 */
public record RankAddress(int rank, String address, int port, String process, String host) implements Serializable {
    /** One for each loading of this class: objects can be shared within. */
    private static final String PROCESS = UUID.randomUUID().toString();

    /**
     * A seat in this process.
     *
     * @param part of the process; ranks of different parts do not share objects
     */
    public static RankAddress here(int rank, String address, int port, String part) {
        return new RankAddress(rank, address, port, PROCESS + " " + part, host(address));
    }

    /** The booted system, and what of its files is seen: containers differ. Elsewhere than on Linux the address. */
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
