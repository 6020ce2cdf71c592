package io.millrace.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The limit of a pipeline, and the throughput after the limit is removed. Rates are in samples per second.
 *
 * @param path the limits in the order in which they must be removed, the present one first, each with the throughput that
 *     it allows; the throughputs increase. Empty when no limit is known
 * @param ceiling the throughput of training alone; null when unknown
 * @param cores the number of cores that other programs leave to the job; null when unknown
 * @param observed the measured throughput and starvation
 */
public record Verdict(
        List<Limit> path,
        @Nullable Double ceiling,
        @Nullable Double cores,
        Observed observed,
        Confidence confidence) {
    public Verdict {
        path = List.copyOf(path);
    }

    /**
     * Returns the verdict on a pipeline. Work that the model leaves out still uses its share of the time after a fix.
     * Therefore each prediction of the model is multiplied by the ratio of the measured throughput to the throughput
     * that the model computes for the present. A prediction is never above the ceiling.
     */
    public static Verdict of(CapacityModel model, Observed observed) {
        Double ceiling = model.ceiling().orElse(null);
        List<Limit> path = model.path();
        double scale = scale(model, observed);
        List<Limit> scaled = new ArrayList<>();
        for (Limit limit : path) {
            double rate = limit.samplesPerSecond() * scale;
            scaled.add(new Limit(limit.kind(), limit.culprit(), ceiling == null ? rate : Math.min(rate, ceiling)));
        }
        return new Verdict(scaled, ceiling, model.cores(), observed, Confidence.of(model, observed));
    }

    /** The limits of the factor. Outside of them, the model is wrong in a way that a factor does not correct. */
    private static final double LEAST_SCALE = 0.5;

    private static final double MOST_SCALE = 1.25;

    /** Returns the factor for predictions of the model; 1 when model and measurement do not agree or one is unknown. */
    static double scale(CapacityModel model, Observed observed) {
        return model.limit().map(limit -> scale(limit, observed)).orElse(1.0);
    }

    /**
     * Returns the factor for predictions of a model: the ratio of the measured throughput to the modelled one.
     *
     * @param limit the limit that the model computes for the measured pipeline
     */
    public static double scale(Limit limit, Observed observed) {
        Double measured = observed.samplesPerSecond();
        if (measured == null || measured <= 0 || limit.isUneven()) {
            return 1; // waiting for one slow slot or sample ends when its cause is removed
        }
        double scale = measured / limit.samplesPerSecond();
        return scale < LEAST_SCALE || scale > MOST_SCALE ? 1 : scale;
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
     * Returns the verdict in one line, such as "limited by decode: 1,930 images/s; fixed 3,120, then transfer; ceiling 3,450;
     * starved 44 %".
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
        next().ifPresent(then -> parts.add("fixed " + number(then.samplesPerSecond()) + ", then " + describe(then)));
        if (ceiling != null) {
            parts.add("ceiling " + number(ceiling));
        }
        if (observed.starvation() != null) {
            parts.add(String.format(Locale.ROOT, "starved %.0f %%", 100 * observed.starvation()));
        }
        if (confidence.level() == Confidence.Level.LOW) {
            parts.add("uncertain: " + confidence.reason());
        }
        return String.join("; ", parts);
    }

    private String describe(Limit limit) {
        String culprit = limit.culprit();
        return switch (limit.kind()) {
            case SLOTS, TRAINER, LINK, NETWORK -> culprit;
            case STORAGE -> culprit + " (the storage)";
            case TRAINING -> culprit + " (the model itself)";
            case CORES -> culprit + (cores == null ? " (the cores)" : " (" + cores(cores) + ")");
            case STRAGGLER -> culprit + " (a slow slot)";
            case SAMPLES -> culprit + " (a few samples)";
            case EVALUATION -> culprit + " (too often)";
            case OTHERS -> culprit + " on the cores";
        };
    }

    /** Returns the words for a number of cores, such as "the 2 cores". */
    public static String cores(double cores) {
        long number = Math.max(1, Math.round(cores));
        return number == 1 ? "the only free core" : "the " + number + " cores";
    }

    private static String rate(double samplesPerSecond) {
        return number(samplesPerSecond) + " images/s";
    }

    private static String number(double samplesPerSecond) {
        return String.format(Locale.ROOT, samplesPerSecond < 100 ? "%,.1f" : "%,.0f", samplesPerSecond);
    }
}
