package io.millrace.cli;

import io.millrace.diagnosis.TrialLimits;
import io.millrace.option.OptionType;
import io.millrace.option.TimeSpan;
import io.millrace.run.UsageException;
import java.time.Duration;
import picocli.CommandLine.Option;

/** The options for the length of a measurement; a mixin. */
final class MeasurementArguments {
    /** The warm-up of a short measurement lasts at most its time divided by this number. */
    private static final int WARM_UP_SHARE = 3;

    @Option(
            names = "--spread",
            paramLabel = "SHARE",
            description = "Measure until the spread is below this share; default: 3%%.")
    private String spread = "3%";

    @Option(
            names = "--most",
            paramLabel = "TIME",
            description =
                    "The longest time of one measurement; three times as long when the speed rises or varies; default: 15s.")
    private String most = "15s";

    /**
     * Returns the limits of a measurement.
     *
     * @throws UsageException when a value is not valid
     */
    TrialLimits limits() {
        Duration time = parsed("--most", TimeSpan.TYPE, most).duration();
        Double share = parsed("--spread", OptionType.SHARE, spread);
        Duration warmUp = TrialLimits.STANDARD.warmUp();
        Duration shorter = time.dividedBy(WARM_UP_SHARE);
        try {
            return new TrialLimits(warmUp.compareTo(shorter) < 0 ? warmUp : shorter, share, time);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--spread and --most: " + e.getMessage());
        }
    }

    private static <T> T parsed(String option, OptionType<T> type, String text) {
        try {
            return type.parse(text);
        } catch (IllegalArgumentException e) {
            throw new UsageException(option + ": " + e.getMessage());
        }
    }
}
