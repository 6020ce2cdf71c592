package io.millrace.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The memory that processes can still get. */
public final class AvailableMemory {
    private static final Path SYSTEM = Path.of("/proc/meminfo");
    private static final Path LIMIT = Path.of("/sys/fs/cgroup/memory.max");
    private static final Path USED = Path.of("/sys/fs/cgroup/memory.current");
    private static final Path DETAILS = Path.of("/sys/fs/cgroup/memory.stat");
    private static final Pattern AVAILABLE = Pattern.compile("(?m)^MemAvailable: +(\\d+) kB$");

    /** Cached files, whose memory the system frees when a process needs it. */
    private static final Pattern DROPPABLE = Pattern.compile("(?m)^inactive_file (\\d+)$");

    private AvailableMemory() {}

    /** Returns the bytes of the machine, or of this container if it has less; empty where the system does not report them. */
    public static OptionalLong bytes() {
        try {
            if (!Files.isReadable(SYSTEM)) {
                return OptionalLong.empty();
            }
            OptionalLong machine = number(AVAILABLE, Files.readString(SYSTEM));
            if (machine.isEmpty() || !Files.isReadable(LIMIT) || !Files.isReadable(USED)) {
                return machine.isEmpty() ? machine : OptionalLong.of(machine.getAsLong() * 1024);
            }
            long bytes = machine.getAsLong() * 1024;
            String limit = Files.readString(LIMIT).strip();
            if (!limit.equals("max")) {
                long droppable = number(DROPPABLE, Files.readString(DETAILS)).orElse(0);
                long used = Long.parseLong(Files.readString(USED).strip()) - droppable;
                bytes = Math.min(bytes, Long.parseLong(limit) - used);
            }
            return OptionalLong.of(bytes);
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    private static OptionalLong number(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? OptionalLong.of(Long.parseLong(matcher.group(1))) : OptionalLong.empty();
    }
}
