package io.millrace.exchange;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The address of a rank, as it sends it to the others.
 *
 * @param rank the rank, from 0
 * @param address the address of the host at which the others reach it
 * @param port the port on which the rank listens
 * @param process equal for ranks that can share objects, and different otherwise
 * @param host equal for ranks that can share memory through files, and different otherwise
 */
public record RankAddress(int rank, String address, int port, String process, String host) implements Serializable {
    /** A value for each loading of this class: ranks with the same value can share objects. */
    private static final String PROCESS = UUID.randomUUID().toString();

    /**
     * Returns the address of a rank in this process.
     *
     * @param part a part of the process; ranks of different parts do not share objects
     */
    public static RankAddress here(int rank, String address, int port, String part) {
        return new RankAddress(rank, address, port, PROCESS + " " + part, host(address));
    }

    /**
     * Returns the booted system and its view of the files, since containers differ; except on Linux, returns the
     * address.
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
