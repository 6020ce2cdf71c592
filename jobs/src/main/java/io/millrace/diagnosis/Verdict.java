package io.millrace.diagnosis;

import io.millrace.metrics.CodeProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The limit of a pipeline, and the throughput after the limit is removed. Rates are in samples per second.
 *
 * @param path the limits in the order in which they must be removed, the present one first, each with the throughput that
 *     it allows. The throughputs increase, except that a busy trainer may come before a data stage that is slightly slower.
 *     Empty when no limit is known
 * @param ceiling the throughput of training alone; null when unknown
 * @param cores the number of cores that other programs leave to the job; null when unknown
 * @param observed the measured throughput and starvation
 * @param fixed the throughput without the present limit; null when it is unknown or the limit cannot be removed
 * @param code the profiles of the user's code, by stage
 */
public record Verdict(
        List<Limit> path,
        @Nullable Double ceiling,
        @Nullable Double cores,
        Observed observed,
        Confidence confidence,
        @Nullable Prediction fixed,
        Map<String, CodeProfile> code) {
    public Verdict {
        path = List.copyOf(path);
        code = Map.copyOf(code);
    }

    /** Returns this verdict, with names of the user's code in its line. */
    Verdict with(Map<String, CodeProfile> profiles) {
        return new Verdict(path, ceiling, cores, observed, confidence, fixed, profiles);
    }

    /**
     * Returns the verdict on a pipeline for which the use of the cores is unknown.
     *
     * @see #of(Predictor)
     */
    public static Verdict of(CapacityModel model, Observed observed) {
        return of(new Predictor(model, observed, null));
    }

    /**
     * Returns the verdict on a pipeline. Work that the model leaves out still uses its share of the time after a fix.
     * Therefore the model's throughputs are multiplied by the ratio of the measured throughput to the throughput
     * that the model computes for the present. A prediction is never above the ceiling.
     */
    static Verdict of(Predictor predictor) {
        CapacityModel model = predictor.model();
        Observed observed = predictor.observed();
        Double ceiling = model.ceiling().orElse(null);
        List<Limit> path = path(model, observed);
        double factor = predictor.factor();
        List<Limit> scaled = new ArrayList<>();
        for (Limit limit : path) {
            double rate = limit.samplesPerSecond() * factor;
            scaled.add(new Limit(limit.kind(), limit.culprit(), ceiling == null ? rate : Math.min(rate, ceiling)));
        }
        Double measured = observed.samplesPerSecond();
        Prediction fixed = path.size() < 2
                ? null
                : predictor
                        .predict(model.without(path.get(0)))
                        .map(prediction -> prediction.atLeast(measured == null ? 0 : measured))
                        .map(prediction -> ceiling == null ? prediction : prediction.atMost(ceiling))
                        .orElse(null);
        return new Verdict(scaled, ceiling, model.cores(), observed, Confidence.of(model, observed), fixed, Map.of());
    }

    /** The share of its time for which a trainer may wait for data and still be the limit itself. */
    private static final double BUSY = 0.05;

    /**
     * Returns the limits in the order in which they must be removed. A trainer that hardly waits for data is the first one,
     * even when the model computes a lower throughput for a data stage: faster data would bring no more than the
     * share of time for which the trainer waits.
     */
    private static List<Limit> path(CapacityModel model, Observed observed) {
        List<Limit> path = model.path();
        Double starvation = observed.starvation();
        Optional<Limit> trainer = TaskLimits.ofTrainer(model.trainer());
        if (path.isEmpty() || starvation == null || starvation >= BUSY || trainer.isEmpty()) {
            return path;
        }
        Limit data = path.get(0);
        Limit busy = trainer.get();
        if (!data.isOfDataStage()) {
            return path;
        }
        List<Limit> changed = new ArrayList<>(List.of(busy));
        if (busy.kind() != Limit.Kind.TRAINING) {
            changed.addAll(model.without(busy).path());
        }
        return changed;
    }

    /** Returns the present limit; empty when it is unknown. */
    public Optional<Limit> limit() {
        return path.stream().findFirst();
    }

    /** Returns the next limit after the present one is removed, with the throughput that it allows. */
    public Optional<Limit> next() {
        return path.stream().skip(1).findFirst();
    }

    /**
     * Returns the verdict in one line, such as "limited by decode: 1,930 images/s; fixed 2,950 to 3,250, then transfer; ceiling
     * 3,450; starved 44 %".
     */
    public String line() {
        Optional<Limit> limit = limit();
        if (limit.isEmpty()) {
            return "limit unknown: " + confidence.reason();
        }
        List<String> parts = new ArrayList<>();
        Double measured = observed.samplesPerSecond();
        parts.add("limited by " + describe(limit.get()) + ": "
                + rate(measured == null ? limit.get().samplesPerSecond() : measured));
        next().ifPresent(then -> parts.add("fixed " + (fixed == null ? number(then.samplesPerSecond()) : fixed.text())
                + ", then " + describe(then)));
        if (ceiling != null) {
            parts.add("ceiling " + number(ceiling));
        }
        if (observed.starvation() != null) {
            parts.add(String.format(Locale.ROOT, "starved %.0f %%", 100 * observed.starvation()));
        }
        if (storesCheckpointsSlowly() && observed.storing() != null) {
            parts.add(String.format(Locale.ROOT, "storage of checkpoints busy %.0f %%", 100 * observed.storing()));
        }
        if (confidence.level() == Confidence.Level.LOW) {
            parts.add("uncertain: " + confidence.reason());
        }
        return String.join("; ", parts);
    }

    /**
     * Returns whether Flink stores checkpoints for most of the time. Training continues during that time, so this is no limit of
     * the throughput. But if the storage were slower, the checkpoints would be rarer than the pipeline requires.
     */
    public boolean storesCheckpointsSlowly() {
        return observed.storing() != null && observed.storing() > MOSTLY;
    }

    private static final double MOSTLY = 0.5;

    /** Returns the words for a limit, such as "python augment:noise (line 31, the 2 cores)". */
    String describe(Limit limit) {
        String culprit = limit.culprit();
        if (limit.kind() == Limit.Kind.OTHERS) {
            return culprit + " on the cores";
        }
        CodeProfile profile = code.get(culprit);
        List<String> details = new ArrayList<>();
        if (profile != null) {
            profile.costliestLine().ifPresent(details::add);
        }
        if (culprit.equals(TaskLimits.READ) && observed.packs() != null) {
            details.add(SEQUENCES);
        }
        String cause = cause(limit);
        if (!cause.isEmpty()) {
            details.add(cause);
        }
        return culprit
                + (profile == null || profile.describesDatasets() ? "" : " " + profile.call())
                + (details.isEmpty() ? "" : " (" + String.join(", ", details) + ")");
    }

    /** What reading is where documents are packed: it computes which documents a sequence has, too. */
    private static final String SEQUENCES = "reading and packing of documents";

    private String cause(Limit limit) {
        String culprit = limit.culprit();
        return switch (limit.kind()) {
            case SLOTS, TRAINER, LINK, NETWORK, COLLECTIONS, OTHERS -> "";
            case STORAGE -> "the storage";
            case TRAINING -> culprit.equals(TaskLimits.CLIENTS) ? "" : "the model itself";
            case CORES -> cores == null ? "the cores" : cores(cores);
            case STRAGGLER -> "a slow slot";
            case SAMPLES -> "a few samples";
            case EVALUATION -> culprit.equals(TaskLimits.EVALUATION) ? "too often" : "evaluation";
        };
    }

    /** Returns the words for a number of cores, such as "the 2 cores". */
    public static String cores(double cores) {
        long number = Math.max(1, Math.round(cores));
        return number == 1 ? "the only free core" : "the " + number + " cores";
    }

    private String rate(double samplesPerSecond) {
        return observed.unit().rate(number(samplesPerSecond), samplesPerSecond);
    }

    private static String number(double samplesPerSecond) {
        return Prediction.number(samplesPerSecond);
    }
}
