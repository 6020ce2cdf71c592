package io.millrace.report.html;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.sample.ReasonCounts;
import io.millrace.sink.files.QuarantineLine;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The first bad samples of a run.
 *
 * @param count the number of all bad samples
 * @param first the first of them, at most {@link #MOST}
 * @param reasons the reasons of all of them
 */
record QuarantineHead(long count, List<Line> first, ReasonCounts reasons) {
    static final int MOST = 100;

    private static final ObjectMapper JSON = new ObjectMapper();

    /** One bad sample; a value that the file does not contain is an empty string. The index of a mixture is that of {@code which --sample}. */
    record Line(String file, String offset, String index, String stage, String reason) {}

    QuarantineHead {
        first = List.copyOf(first);
    }

    /**
     * Reads {@code quarantine.jsonl}.
     *
     * @return the first bad samples; empty when there is no such file, for example because the trainer is on another
     *     machine
     * @throws IOException when the file is damaged; the message names the file and the line
     */
    static Optional<QuarantineHead> read(Path file) throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        List<Line> first = new ArrayList<>();
        ReasonCounts reasons = new ReasonCounts();
        long count = 0;
        try (BufferedReader lines = Files.newBufferedReader(file)) {
            for (String text = lines.readLine(); text != null; text = lines.readLine()) {
                count++;
                Line line = line(file, count, text);
                reasons.add(line.reason, line.file);
                if (count <= MOST) {
                    first.add(line);
                }
            }
        }
        return Optional.of(new QuarantineHead(count, first, reasons));
    }

    private static Line line(Path file, long number, String text) throws IOException {
        try {
            JsonNode json = JSON.readTree(text);
            return new Line(
                    value(json, "file"),
                    value(json, "offset"),
                    json.has(QuarantineLine.SOURCE)
                            ? value(json, QuarantineLine.SOURCE) + ":" + value(json, QuarantineLine.SOURCE_INDEX)
                            : value(json, "index"),
                    value(json, "stage"),
                    value(json, "reason"));
        } catch (JsonProcessingException e) {
            throw new IOException(file + " is damaged in line " + number + ": expected JSON, found " + text, e);
        }
    }

    private static String value(JsonNode json, String name) {
        return json.path(name).isNull() ? "" : json.path(name).asText();
    }
}
