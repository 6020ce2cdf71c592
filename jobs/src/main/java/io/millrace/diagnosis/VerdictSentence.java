package io.millrace.diagnosis;

import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A verdict in one sentence with one throughput, for people who want to know what to change. Pure. */
final class VerdictSentence {
    /** The share of the cores from which other programs make a measurement doubtful. */
    private static final double BUSY = 0.25;

    private VerdictSentence() {}

    /** Returns the sentence with the throughput of the verdict; empty when the verdict cannot be relied on. */
    static Optional<String> certain(Verdict verdict, @Nullable CoreUse use) {
        return isCertain(verdict) ? Optional.of(of(verdict, null, use)) : Optional.empty();
    }

    /**
     * Returns a sentence such as "limited by decode: 1,930 images/s, about 3,100 without this limit".
     *
     * @param steady the throughput of the run without its start, in samples per second; null to state that of the verdict
     * @param use the use of the machines' cores; null when unknown
     */
    static String of(Verdict verdict, @Nullable Double steady, @Nullable CoreUse use) {
        Double measured = verdict.observed().samplesPerSecond();
        Double rate = steady == null ? measured : steady;
        String speed = rate == null ? "" : verdict.observed().unit().rate(Prediction.number(rate), rate);
        Limit limit = verdict.limit().orElse(null);
        if (limit == null || !isCertain(verdict)) {
            return (speed.isEmpty() ? "" : speed + "; ") + "what limits the run is uncertain: " + doubt(verdict, use);
        }
        return "limited by " + verdict.describe(limit) + (speed.isEmpty() ? "" : ": " + speed) + without(verdict, rate);
    }

    /** Returns the words for the likely throughput without the limit, if the run has the throughput {@code rate} with it. */
    private static String without(Verdict verdict, @Nullable Double rate) {
        Prediction fixed = verdict.fixed();
        Double measured = verdict.observed().samplesPerSecond();
        return fixed == null || rate == null || measured == null || measured <= 0
                ? ""
                : ", about " + Prediction.number(fixed.likely() * rate / measured) + " without this limit";
    }

    /** Returns whether model and measurement agree so well that the verdict can be relied on. */
    private static boolean isCertain(Verdict verdict) {
        Confidence.Level level = verdict.confidence().level();
        return verdict.limit().isPresent() && (level == Confidence.Level.HIGH || level == Confidence.Level.MEDIUM);
    }

    private static String doubt(Verdict verdict, @Nullable CoreUse use) {
        return use != null && use.others() > BUSY * use.all()
                ? String.format(
                        Locale.ROOT,
                        "the machine was too busy, other programs used %.1f of %.0f cores",
                        use.others(),
                        use.all())
                : verdict.confidence().reason();
    }
}
