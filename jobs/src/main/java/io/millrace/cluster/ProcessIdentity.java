package io.millrace.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * The identity of a process, which differs from the identity of a later process with the same number.
 *
 * <p>On Linux it consists of the id of the boot and the clock tick after the boot at which the process was started. Unlike the
 * time of day, these do not change when the clock is set. On other systems it is the time of the start.
 */
final class ProcessIdentity {
    /** The identity of a process that ended before anything could be read about it. No living process has it. */
    static final String ENDED = "ended";

    private static final Path PROCESSES = Path.of("/proc");
    private static final Path BOOT = PROCESSES.resolve("sys/kernel/random/boot_id");

    /** A field of {@code /proc/<pid>/stat}, counted after the name, which is in parentheses and may contain any characters. */
    private static final int STATE_FIELD = 0;

    private static final int START_FIELD = 19;

    private ProcessIdentity() {}

    /** Returns the identity of the process with this number; empty when there is none or it has ended. */
    static Optional<String> of(long pid) {
        if (Files.isReadable(BOOT)) {
            try {
                String stat = Files.readString(PROCESSES.resolve(pid + "/stat"), StandardCharsets.ISO_8859_1);
                return fromStat(stat).map(tick -> boot() + "/" + tick);
            } catch (IOException e) {
                return Optional.empty(); // no such process
            }
        }
        return ProcessHandle.of(pid)
                .filter(ProcessHandle::isAlive)
                .flatMap(process -> process.info().startInstant())
                .map(Instant::toString);
    }

    /** Returns the tick of the start from the text of {@code /proc/<pid>/stat}; empty for a process that has ended (Z, X). */
    static Optional<String> fromStat(String stat) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" +", START_FIELD + 2);
        boolean ended = fields[STATE_FIELD].equals("Z") || fields[STATE_FIELD].equals("X");
        return ended || fields.length <= START_FIELD ? Optional.empty() : Optional.of(fields[START_FIELD]);
    }

    private static String boot() {
        try {
            return Files.readString(BOOT).strip();
        } catch (IOException e) {
            throw new IllegalStateException("cannot read " + BOOT, e);
        }
    }
}
