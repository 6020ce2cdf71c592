package io.millrace.sink.progress;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.file.WholeFiles;
import io.millrace.sample.Split;
import io.millrace.sink.files.QuarantineLog;
import io.millrace.sink.files.UnwritableException;
import io.millrace.sink.spec.Trainers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/** The files {@code quarantine.jsonl} of a run's ranks, each of which lists the bad samples of one rank. */
public final class QuarantineFiles {
    /** The name of each file. */
    public static final String NAME = QuarantineLog.NAME;

    private static final ObjectMapper JSON = new ObjectMapper();

    private record Key(Split split, long index) {}

    private QuarantineFiles() {}

    /**
     * Writes one line for each distinct bad sample of all ranks into the run's folder, in order of split and index, in
     * place of rank 0's file. Writing the same files again changes nothing.
     *
     * @param run the run's folder
     * @param ranks the number of ranks of the run, at least 1
     * @param writer a name for this process, which differs from the names of all processes that may write the file at
     *     the same time
     * @return the number of distinct bad samples; empty when a rank's file is not visible to this process; nothing is
     *     written then
     * @throws IOException when a file cannot be read or written; the message names the path
     */
    public static OptionalLong merge(Path run, int ranks, String writer) throws IOException {
        Map<Key, String> lines = new TreeMap<>(Comparator.comparing(Key::split).thenComparing(Key::index));
        for (int rank = 0; rank < ranks; rank++) {
            Path file = Trainers.folder(run, rank).resolve(NAME);
            if (!Files.exists(file)) {
                return OptionalLong.empty();
            }
            for (String line : Files.readAllLines(file)) {
                lines.putIfAbsent(key(file, line), line);
            }
        }
        Path merged = run.resolve(NAME);
        String text = lines.isEmpty() ? "" : String.join("\n", lines.values()) + "\n";
        try {
            WholeFiles.writeAs(writer, merged, text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UnwritableException(merged, e);
        }
        return OptionalLong.of(lines.size());
    }

    private static Key key(Path file, String line) throws IOException {
        JsonNode json = JSON.readTree(line);
        try {
            return new Key(
                    Split.valueOf(json.path("split").asText().toUpperCase(Locale.ROOT)),
                    json.required("index").asLong());
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is damaged: expected a split and an index, found " + line, e);
        }
    }
}
