package io.millrace.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What limits a pipeline, and what it would give to fix it. Rates are in samples per second.
 *
 * @param path the limits in the order in which they would have to be removed, the present one first; each with what the
 *     pipeline then reaches, so that rates grow. Empty when nothing is known
 * @param ceiling what training alone could take; null when unknown
 * @param cores that the job has for itself; null when unknown
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
     * Judges. What the model leaves out takes its share also after a fix: a prediction is the model's, times what was
     * measured over what the model says of now, and never over the ceiling.
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

    /** Beyond these the model is wrong in a way that a factor does not mend. */
    private static final double LEAST_SCALE = 0.5;

    private static final double MOST_SCALE = 1.25;

    /** What was measured over what the model says of it; 1 where these do not go together, or one is unknown. */
    static double scale(CapacityModel model, Observed observed) {
        return model.limit().map(limit -> scale(limit, observed)).orElse(1.0);
    }

    /**
     * What predictions of a model are to be multiplied by: what was measured over what the model says of it.
     *
     * @param limit that the model gives for what was measured
     */
    public static double scale(Limit limit, Observed observed) {
        Double measured = observed.samplesPerSecond();
        if (measured == null || measured <= 0 || limit.isUneven()) {
            return 1; // where all wait for one slot or one sample, what is lost so is gone with the cause
        }
        double scale = measured / limit.samplesPerSecond();
        return scale < LEAST_SCALE || scale > MOST_SCALE ? 1 : scale;
    }

    /** What limits now; empty when that is not known. */
    public Optional<Limit> limit() {
        return path.stream().findFirst();
    }

    /** What limits once that is fixed, with the rate that it then allows. */
    public Optional<Limit> next() {
        return path.stream().skip(1).findFirst();
    }

    /** In one line, as "limited by decode: 1,930 images/s; fixed 3,120, then transfer; ceiling 3,450; starved 44 %". */
    public String line() {
        Optional<Limit> limit = limit();
        if (limit.isEmpty()) {
            return "limit unknown: " + confidence.reason();
        }
        List<String> parts = new ArrayList<>();
        Double measured = observed.samplesPerSecond();
        parts.add("limited by " + told(limit.get()) + ": "
                + rate(measured == null ? limit.get().samplesPerSecond() : measured));
        next().ifPresent(then -> parts.add("fixed " + number(then.samplesPerSecond()) + ", then " + told(then)));
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

    private String told(Limit limit) {
        String culprit = limit.culprit();
        return switch (limit.kind()) {
            case SLOTS, TRAINER, LINK, NETWORK -> culprit;
            case STORAGE -> culprit + " (the storage)";
            case TRAINING -> culprit + " (the model itself)";
            case CORES ->
                culprit
                        + (cores == null
                                ? " (the cores)"
                                : String.format(Locale.ROOT, " (the %.0f cores)", Math.max(1, cores)));
            case STRAGGLER -> culprit + " (a slow slot)";
            case SAMPLES -> culprit + " (a few samples)";
            case EVALUATION -> culprit + " (how often)";
            case OTHERS -> culprit + " on the cores";
        };
    }

    private static String rate(double samplesPerSecond) {
        return number(samplesPerSecond) + " images/s";
    }

    private static String number(double samplesPerSecond) {
        return String.format(Locale.ROOT, samplesPerSecond < 100 ? "%,.1f" : "%,.0f", samplesPerSecond);
    }
}
