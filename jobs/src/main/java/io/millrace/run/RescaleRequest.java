package io.millrace.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The arguments of {@code scale}, translated into settings of the pipeline. */
public final class RescaleRequest {
    /** The name for all stages that have no number of their own. */
    private static final String COMMON = "parallelism";

    private static final int MOST = 32_767;

    private RescaleRequest() {}

    /**
     * Returns the arguments as settings in the syntax of {@code --set}.
     *
     * @param numbers the arguments, for example {@code decode=8} or {@code parallelism=6}
     * @param stages the stages of the job
     * @throws UsageException when an argument names no stage or has no valid number
     */
    public static List<String> settings(List<String> numbers, Set<String> stages) {
        List<String> settings = new ArrayList<>();
        for (String text : numbers) {
            int equals = text.indexOf('=');
            String name = text.substring(0, Math.max(equals, 0));
            String value = text.substring(equals + 1);
            if (equals < 0 || !value.matches("[1-9][0-9]{0,4}") || Integer.parseInt(value) > MOST) {
                throw new UsageException(
                        "expected a stage and its parallelism, for example decode=8, or parallelism=2 for all stages; found '"
                                + text + "'");
            }
            if (!name.equals(COMMON) && !stages.contains(name)) {
                throw new UsageException(
                        "the job has no stage '" + name + "': expected parallelism, or one of " + stages);
            }
            settings.add(name.equals(COMMON) ? COMMON + "=" + value : "stages." + name + "=" + value);
        }
        return settings;
    }
}
