package io.millrace.metrics;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * How the time of a stage is distributed: over the lines of the user's code that it calls, or over the datasets of a mixture that it
 * reads. The running code was looked at many times, at random intervals, and the line in which it was found was counted; the reading
 * of a dataset is counted in milliseconds. Unlike a {@link Figure} it is no number. Its metric is a text.
 *
 * @param call the name of the code, such as {@code augment:train_transform}; empty for the datasets of a mixture
 * @param samples the number of times that a running call was looked at, or of milliseconds, at least the sum over the lines
 * @param lines the lines that were found most often, or the datasets, by falling number
 */
public record CodeProfile(String call, long samples, List<CodeLine> lines) implements Serializable {
    /** The name of the metric. */
    public static final String METRIC = "code";

    /** The number of lines in reports. */
    public static final int SHOWN = 10;

    /** With fewer samples, the most frequent line may be so by chance. */
    private static final int FEW = 10;

    /** More lines than reports show, because each slot has lines of its own. */
    private static final int MOST_LINES = 50;

    private static final String MODULE = ".py";

    private static final ObjectMapper JSON = new ObjectMapper();

    public CodeProfile {
        lines = List.copyOf(lines);
    }

    /** Returns a profile without samples. */
    public static CodeProfile of(String call) {
        return new CodeProfile(call, 0, List.of());
    }

    /**
     * Returns the profile of the reading of a mixture.
     *
     * @param millis the time that was spent on each dataset, by its name
     */
    public static CodeProfile ofDatasets(Map<String, Long> millis) {
        List<CodeLine> datasets = new ArrayList<>();
        millis.forEach((name, spent) -> datasets.add(new CodeLine(name, 0, "", "", spent)));
        return of("").plus(datasets);
    }

    /** Returns whether this is the profile of the reading of a mixture, and not of code. */
    public boolean describesDatasets() {
        return call.isEmpty();
    }

    /** Returns this profile with more samples. */
    public CodeProfile plus(Collection<CodeLine> more) {
        List<CodeLine> merged = new ArrayList<>(lines);
        long added = 0;
        for (CodeLine line : more) {
            added += line.samples();
            int at = 0;
            while (at < merged.size() && !merged.get(at).isSameLine(line)) {
                at++;
            }
            if (at < merged.size()) {
                merged.set(at, merged.get(at).plus(line.samples()));
            } else {
                merged.add(line);
            }
        }
        merged.sort(Comparator.comparingLong(CodeLine::samples).reversed());
        return new CodeProfile(call, samples + added, merged.subList(0, Math.min(MOST_LINES, merged.size())));
    }

    /** Returns the profile of several slots of a stage; empty when there is none. */
    public static Optional<CodeProfile> whole(Collection<CodeProfile> slots) {
        return slots.stream().reduce((one, other) -> {
            CodeProfile sum = one.plus(other.lines);
            return new CodeProfile(sum.call, one.samples + other.samples, sum.lines);
        });
    }

    /** Returns the lines of reports. */
    public List<CodeLine> shown() {
        return lines.subList(0, Math.min(SHOWN, lines.size()));
    }

    /** Returns the share of the samples in a line, 0 to 1. */
    public double share(CodeLine line) {
        return samples == 0 ? 0 : (double) line.samples() / samples;
    }

    /** Returns the line that costs most; empty when there are too few samples, or no Python code was running. */
    public Optional<CodeLine> costliest() {
        return samples < FEW
                ? Optional.empty()
                : lines.stream().findFirst().filter(line -> !line.file().isEmpty());
    }

    /**
     * Returns the words for the line that costs most: {@code line 31}, with the file if it is not the module that is called; for the
     * datasets of a mixture {@code code 71 % of the time}.
     */
    public Optional<String> costliestLine() {
        if (describesDatasets()) {
            return costliest()
                    .map(line -> String.format(Locale.ROOT, "%s %.0f %% of the time", line.file(), 100 * share(line)));
        }
        return costliest().map(line -> (isModule(line.file()) ? "" : line.file() + " ") + "line " + line.line());
    }

    private boolean isModule(String file) {
        String path = call.substring(0, Math.max(0, call.indexOf(':'))).replace('.', '/');
        return file.equals(path + MODULE) || file.equals(path + "/__init__" + MODULE);
    }

    /** Returns the keys and values of the profile in {@code summary.json}, with the lines of reports. */
    public Map<String, Object> json() {
        Map<String, Object> json = new LinkedHashMap<>();
        if (describesDatasets()) {
            json.put("datasets", shown().stream().map(this::dataset).toList());
            return json;
        }
        json.put("call", call);
        json.put("samples", samples);
        json.put("lines", shown().stream().map(this::json).toList());
        return json;
    }

    private Map<String, Object> json(CodeLine line) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("file", line.file());
        json.put("line", line.line());
        json.put("function", line.function());
        json.put("text", line.text());
        json.put("samples", line.samples());
        json.put("share", share(line));
        return json;
    }

    private Map<String, Object> dataset(CodeLine line) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("dataset", line.file());
        json.put("share", share(line));
        return json;
    }

    /**
     * Returns the call and the line that costs most, if it is known, or the dataset, as keys and values of the verdict in
     * {@code summary.json}.
     */
    public Map<String, Object> limit() {
        Map<String, Object> json = new LinkedHashMap<>();
        if (describesDatasets()) {
            costliest().ifPresent(line -> json.putAll(dataset(line)));
            return json;
        }
        json.put("call", call);
        costliest().ifPresent(line -> json.putAll(json(line)));
        return json;
    }

    /** Returns the text of the metric. */
    public String text() {
        try {
            return JSON.writeValueAsString(this);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a profile cannot be written as JSON", e);
        }
    }

    /** Returns the profile with this text; empty when the text is none, for example from another version. */
    public static Optional<CodeProfile> parse(String text) {
        try {
            return Optional.of(JSON.readValue(text, CodeProfile.class));
        } catch (JsonProcessingException e) {
            return Optional.empty();
        }
    }
}
