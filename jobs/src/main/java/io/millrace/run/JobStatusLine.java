package io.millrace.run;

import io.millrace.rest.SavedState;
import io.millrace.rest.StageReading;
import io.millrace.sample.Counted;
import io.millrace.sample.SampleUnit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The status of a job on a cluster. Unknown values are null.
 *
 * @param sinceMillis the time at which the job entered its state, in milliseconds since 1970
 * @param imagesPerSecond the mean over the whole training time, including evaluation
 * @param unit the word for the samples in the throughput
 * @param saved the last checkpoint or savepoint
 * @param run the run's folder; null for a job that is not a Millrace job
 * @param summary the file for the summary that the job itself writes at its end; null when its client writes it
 * @param waits a sentence about the missing slots, if the job waits for slots
 */
public record JobStatusLine(
        String job,
        String name,
        String state,
        long sinceMillis,
        int parallelism,
        @Nullable Long epochs,
        @Nullable Long steps,
        @Nullable Double imagesPerSecond,
        SampleUnit unit,
        @Nullable Integer restarts,
        @Nullable SavedState saved,
        @Nullable String run,
        @Nullable String summary,
        @Nullable String waits,
        List<StageReading> stages) {
    private static final int ID_DIGITS = 8;
    private static final double MIB = 1024 * 1024;

    public JobStatusLine {
        stages = List.copyOf(stages);
    }

    /** Returns the beginning of a job's id, which is enough to name the job in commands. */
    static String shortId(String job) {
        return job.substring(0, ID_DIGITS);
    }

    /** Returns whether the job was stopped with a savepoint. Flink's state of such a job is the same as at the end of its input. */
    private boolean isStopped() {
        return saved != null && saved.ofStop() && state.equals("FINISHED");
    }

    /** Returns the keys and values of a line of JSON. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("job", job);
        map.put("name", name);
        map.put("state", state);
        map.put("since", Instant.ofEpochMilli(sinceMillis).toString());
        map.put("parallelism", parallelism);
        put(map, "epochs", epochs);
        put(map, "steps", steps);
        put(map, "images_per_s", imagesPerSecond);
        put(map, "restarts", restarts);
        put(map, "checkpoint", saved == null ? null : saved.path());
        put(
                map,
                "checkpoint_at",
                saved == null ? null : Instant.ofEpochMilli(saved.atMillis()).toString());
        put(map, "checkpoint_bytes", saved == null ? null : saved.bytes());
        map.put("stopped", isStopped());
        put(map, "run", run);
        put(map, "summary", summary);
        put(map, "waits", waits);
        map.put("stages", stages);
        return map;
    }

    @SuppressWarnings("NullAway") // in JSON, unknown values are null
    private static void put(Map<String, Object> map, String key, @Nullable Object value) {
        map.put(key, value);
    }

    /** Returns one to four lines of text. The first line has the most important figures. */
    public List<String> lines(long nowMillis) {
        List<String> facts = new ArrayList<>();
        facts.add(Counted.of(parallelism, "slot"));
        add(facts, epochs, "epoch");
        add(facts, steps, "step");
        if (imagesPerSecond != null) {
            facts.add(unit.rate(imagesPerSecond));
        }
        add(facts, restarts, "restart");
        if (saved != null) {
            facts.add(String.format(
                    Locale.ROOT, "saved %s ago (%,.1f MiB)", age(nowMillis - saved.atMillis()), saved.bytes() / MIB));
        }
        List<String> lines = new ArrayList<>();
        lines.add(shortId(job) + "  " + name + "  " + (isStopped() ? "stopped" : state.toLowerCase(Locale.ROOT))
                + " for " + age(nowMillis - sinceMillis) + ", " + String.join(", ", facts));
        if (waits != null) {
            lines.add("          " + waits);
        }
        if (saved != null && isStopped()) {
            lines.add("          savepoint " + saved.path());
        }
        if (run != null) {
            lines.add("          run " + run + (summary == null ? "" : ", summary " + summary));
        }
        return lines;
    }

    private static void add(List<String> facts, @Nullable Number value, String noun) {
        if (value != null) {
            facts.add(Counted.of(value.longValue(), noun));
        }
    }

    private static String age(long millis) {
        Duration age = Duration.ofMillis(Math.max(0, millis));
        if (age.toHours() > 0) {
            return age.toHours() + " h " + age.toMinutesPart() + " min";
        }
        return age.toMinutes() > 0 ? age.toMinutes() + " min " + age.toSecondsPart() + " s" : age.toSeconds() + " s";
    }
}
