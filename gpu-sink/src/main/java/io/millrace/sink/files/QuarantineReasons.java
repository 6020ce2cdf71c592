package io.millrace.sink.files;

import io.millrace.sample.BadSample;
import io.millrace.sample.ReasonCounts;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The reasons of the bad samples in {@code quarantine.jsonl}. */
public final class QuarantineReasons {
    private QuarantineReasons() {}

    /**
     * Counts the reasons in the list of a run. There are none where the list is on another machine.
     *
     * @param folder the run's folder
     * @throws IOException when the file is damaged; the message names it
     */
    public static ReasonCounts of(Path folder) throws IOException {
        ReasonCounts counts = new ReasonCounts();
        Path file = folder.resolve(QuarantineLog.NAME);
        if (!Files.exists(file)) {
            return counts;
        }
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                BadSample bad = QuarantineLine.read(file, line).bad();
                counts.add(bad.reason(), bad.file());
            }
        }
        return counts;
    }
}
