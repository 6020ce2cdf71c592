package io.millrace.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The TCP sockets at which a process of this machine listens, as the operating system lists them. */
public final class ListeningSockets {
    private static final String LISTENS = "0A";
    private static final int LOCAL = 1;
    private static final int STATE = 3;
    private static final int INODE = 9;

    /** 127.0.0.0/8 in a table of IPv4 or, mapped, of IPv6 addresses, and ::1. The four bytes of a word are in reverse order. */
    private static final Pattern LOOPBACK =
            Pattern.compile("((0{16}FFFF0{4}|0{20}FFFF)?[0-9A-F]{6}7F|0{24}01000000):[0-9A-F]{4}");

    private ListeningSockets() {}

    /** Returns the addresses and ports in hexadecimal, as the tables of the operating system show them. */
    public static Set<String> of(long pid) throws IOException {
        Path process = Path.of("/proc", Long.toString(pid));
        Set<String> own = inodes(process.resolve("fd"));
        Set<String> found = new TreeSet<>();
        for (String table : List.of("net/tcp", "net/tcp6")) {
            Path file = process.resolve(table);
            if (!Files.exists(file)) { // no IPv6
                continue;
            }
            for (String line : Files.readAllLines(file)) {
                String[] columns = line.strip().split("\\s+", -1);
                if (columns.length > INODE && columns[STATE].equals(LISTENS) && own.contains(columns[INODE])) {
                    found.add(columns[LOCAL]);
                }
            }
        }
        return found;
    }

    /** Returns those at which others than the users of this machine may connect. */
    public static List<String> beyondLoopback(long pid) throws IOException {
        return of(pid).stream()
                .filter(address -> !LOOPBACK.matcher(address).matches())
                .toList();
    }

    private static Set<String> inodes(Path descriptors) throws IOException {
        Set<String> inodes = new TreeSet<>();
        try (Stream<Path> all = Files.list(descriptors)) {
            for (Path descriptor : all.toList()) {
                if (Files.isSymbolicLink(descriptor)) { // otherwise it was closed meanwhile
                    String target = target(descriptor);
                    if (target.startsWith("socket:[")) {
                        inodes.add(target.substring("socket:[".length(), target.length() - 1));
                    }
                }
            }
        }
        return inodes;
    }

    private static String target(Path descriptor) throws IOException {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (NoSuchFileException closed) {
            return "";
        }
    }
}
