package io.millrace.diagnosis;

import java.util.Locale;

/**
 * The confidence in a verdict, with the reason.
 *
 * @param reason a clause such as "the model predicts 1,900 images/s, 1,850 were measured"
 */
public record Confidence(Level level, String reason) {
    /** The levels of confidence, from the highest to none. */
    public enum Level {
        /** Model and measurement agree within 10 %. */
        HIGH,
        /** Model and measurement agree within 25 %, or the cost of a stage is unknown. */
        MEDIUM,
        /** Model and measurement differ by more: something that is not measured has an influence. */
        LOW,
        /** Too little was measured. */
        UNKNOWN;

        /** Returns the word for this level in JSON and in text. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final double CLOSE = 0.10;
    private static final double NEAR = 0.25;

    static Confidence of(CapacityModel model, Observed observed) {
        Double predicted = model.limit().map(Limit::samplesPerSecond).orElse(null);
        Double measured = observed.samplesPerSecond();
        if (predicted == null || measured == null || measured <= 0) {
            return new Confidence(Level.UNKNOWN, "too little has been measured");
        }
        String figures = String.format(
                Locale.ROOT,
                "the model predicts %,.0f %s, %,.0f were measured",
                predicted,
                observed.unit().perSecond(),
                measured);
        double difference = Math.abs(predicted - measured) / measured;
        if (difference > NEAR) {
            return new Confidence(Level.LOW, figures);
        }
        if (!model.unknown().isEmpty()) {
            return new Confidence(Level.MEDIUM, figures + "; unknown: " + String.join(", ", model.unknown()));
        }
        return new Confidence(difference > CLOSE ? Level.MEDIUM : Level.HIGH, figures);
    }
}
