package io.millrace.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * Tells a process from another one that gets the same number later.
 *
 * <p>On Linux by the boot and the tick of the clock since then in which the process was started: unlike the time of day,
 * these do not change when somebody sets the clock. Elsewhere by the time of its start.
 */
final class ProcessIdentity {
    private static final Path PROCESSES = Path.of("/proc");
    private static final Path BOOT = PROCESSES.resolve("sys/kernel/random/boot_id");

    /** In {@code /proc/<pid>/stat}, counted behind the name, which is in brackets and may hold anything. */
    private static final int STATE_FIELD = 0;

    private static final int START_FIELD = 19;

    private ProcessIdentity() {}

    /** The identity of the process with this number, or nothing when there is none or it has ended. */
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

    /** The tick of the start from a line of {@code /proc/<pid>/stat}; nothing for a process that ended (Z, X). */
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
