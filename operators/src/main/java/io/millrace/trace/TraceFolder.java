package io.millrace.trace;

import io.millrace.file.WholeFiles;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The parts of a recording below a run's folder, each a trace file of its own, and the one file into which they are
 * merged.
 */
public final class TraceFolder {
    /** The folder below the run's folder with the parts of processes that nobody has merged yet. */
    public static final String NAME = "trace";

    private TraceFolder() {}

    /**
     * The result of merging the parts.
     *
     * @param file the merged file
     * @param parts the number of parts in it
     */
    public record MergedTrace(Path file, int parts) {}

    /** Writes a process's part. */
    static void write(Path run, ProcessTrace part, int number, int mostEvents) throws IOException {
        // The name contains the process's number and its host.
        String process = ManagementFactory.getRuntimeMXBean().getName().replaceAll("[^A-Za-z0-9._-]", "-");
        Path file = Files.createDirectories(run.resolve(NAME)).resolve("part-" + process + "-" + number + ".json");
        WholeFiles.write(file, TraceFile.json(List.of(part), mostEvents));
    }

    /**
     * Merges the parts that are in the run's folder on this machine.
     *
     * @return the merged file; empty when there are no parts
     * @throws IOException when a part is damaged or the merged file cannot be written. The message contains the path,
     *     and the parts stay in place
     */
    public static Optional<MergedTrace> merge(Path run) throws IOException {
        Path folder = run.resolve(NAME);
        if (!Files.isDirectory(folder)) {
            return Optional.empty();
        }
        List<Path> files;
        try (Stream<Path> listed = Files.list(folder)) {
            files = listed.filter(file -> file.getFileName().toString().matches("part-.*\\.json"))
                    .sorted()
                    .toList();
        }
        if (files.isEmpty()) {
            return Optional.empty();
        }
        List<ProcessTrace> parts = new ArrayList<>();
        for (Path file : files) {
            parts.add(TraceReader.read(file));
        }
        Path whole = run.resolve(TraceFile.NAME);
        WholeFiles.write(whole, TraceFile.json(parts, TraceFile.MOST_EVENTS));
        for (Path file : files) {
            Files.delete(file);
        }
        Files.deleteIfExists(folder);
        return Optional.of(new MergedTrace(whole, parts.size()));
    }
}
