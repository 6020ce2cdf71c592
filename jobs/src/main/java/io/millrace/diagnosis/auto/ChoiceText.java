package io.millrace.diagnosis.auto;

import io.millrace.config.PipelineConfig;
import io.millrace.diagnosis.Limit;
import io.millrace.sample.SampleUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The text form of a choice. Pure. */
public final class ChoiceText {
    private ChoiceText() {}

    /**
     * Returns a line with the choice and its reasons, such as "parallelism 3 (1 slot delivers 420 images/s, the trainer processes
     * 1,150; measured in 4.1 s)".
     *
     * @param config the pipeline with the choice
     * @param unit the word for the samples in throughputs
     * @param most the largest number of slots that could be chosen, at least 1
     * @param limit the origin of that limit, for the line
     * @param seconds the duration of the measurement
     */
    public static String line(
            PipelineConfig config, Demand demand, SampleUnit unit, int most, String limit, double seconds) {
        List<String> reasons = new ArrayList<>();
        double each = demand.samplesPerSlot();
        reasons.add((Double.isInfinite(each)
                        ? "the stages cost no measurable time"
                        : "1 slot delivers " + number(each) + " " + unit.perSecond())
                + ", " + consumer(demand.target()) + " "
                + number(demand.target().samplesPerSecond()));
        boolean limited = demand.common(config.slots().stages()) > most
                || config.slots().stages().parallelism().keySet().stream().anyMatch(stage -> demand.of(stage) > most);
        if (limited) {
            reasons.add("no more than " + most + ": " + limit);
        }
        reasons.add(String.format(Locale.ROOT, "measured in %.1f s", seconds));
        return slots(config) + " (" + String.join("; ", reasons) + ")";
    }

    /** Returns the numbers of slots of a pipeline, such as "parallelism 2, decode 8". */
    public static String slots(PipelineConfig config) {
        List<String> numbers = new ArrayList<>();
        numbers.add("parallelism " + config.slots().parallelism());
        for (Map.Entry<String, Integer> stage :
                config.slots().stages().parallelism().entrySet()) {
            numbers.add(stage.getKey() + " " + stage.getValue());
        }
        return String.join(", ", numbers);
    }

    private static String consumer(Limit target) {
        return switch (target.kind()) {
            case TRAINER, TRAINING, LINK, EVALUATION -> "the trainer processes";
            case CORES, OTHERS -> "the cores allow";
            case COLLECTIONS -> "garbage collection allows";
            case NETWORK -> "the network transfers";
            case SLOTS, STRAGGLER, SAMPLES, STORAGE -> target.culprit() + " processes";
        };
    }

    private static String number(double samplesPerSecond) {
        return String.format(Locale.ROOT, samplesPerSecond < 100 ? "%,.1f" : "%,.0f", samplesPerSecond);
    }
}
