package io.millrace.config;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.TimeSpan;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The type of the number of slots: a number, {@code auto}, or {@code {auto: {most: 16}}}. */
final class ParallelismType {
    /** Flink's own limit. */
    private static final int MOST = 32_767;

    /** A number of slots. */
    static final OptionType<Integer> SLOTS = Types.between(1, MOST);

    private static final Option<Integer> LIMIT =
            Option.of("most", SLOTS, "The most slots that may be chosen.").optional();
    private static final Option<TimeSpan> CALIBRATE = Option.of(
                    "calibrate",
                    TimeSpan.between(new TimeSpan(Duration.ofMillis(100)), new TimeSpan(Duration.ofMinutes(10))),
                    "The longest measurement.")
            .orElse(AutoConfig.STANDARD_CALIBRATION);
    private static final List<Option<?>> OPTIONS = List.of(LIMIT, CALIBRATE);

    static final OptionType<Parallelism> TYPE = OptionType.of(
            "integer from 1 to " + MOST + ", auto or {auto: {most: 16, calibrate: 6s}}", ParallelismType::parse);

    private ParallelismType() {}

    /**
     * The number of slots in a pipeline file.
     *
     * @param slots empty when the number is chosen by a measurement
     * @param auto the choices of the measurement
     */
    record Parallelism(Optional<Integer> slots, AutoConfig auto) {
        /** The default, and the number until one has been chosen: one slot for each CPU of this machine. */
        static final Parallelism STANDARD = new Parallelism(Optional.empty(), AutoConfig.NOTHING);

        int number() {
            return slots.orElseGet(() -> Runtime.getRuntime().availableProcessors());
        }
    }

    private static Parallelism parse(Object raw) {
        if (AutoConfig.WORD.equals(raw)) {
            return auto(Map.of());
        }
        if (raw instanceof Map<?, ?> map
                && map.size() == 1
                && map.containsKey(AutoConfig.WORD)
                && (map.get(AutoConfig.WORD) == null || map.get(AutoConfig.WORD) instanceof Map<?, ?>)) {
            return auto(map.get(AutoConfig.WORD) instanceof Map<?, ?> values ? values : Map.of());
        }
        if (raw instanceof Long number && number >= 1 && number <= MOST) {
            return new Parallelism(Optional.of(number.intValue()), AutoConfig.NOTHING);
        }
        throw OptionType.expected(
                "a whole number from 1 to " + MOST + ", auto or {auto: {most: 16, calibrate: 6s}}", raw);
    }

    private static Parallelism auto(Map<?, ?> values) {
        Map<String, Object> raw = new LinkedHashMap<>();
        values.forEach((key, value) -> raw.put(String.valueOf(key), value == null ? Types.NOTHING : value));
        OptionValues options = OptionValues.of(OPTIONS, raw);
        return new Parallelism(
                Optional.empty(),
                new AutoConfig(
                        Set.of(AutoConfig.Choice.PARALLELISM),
                        options.find(LIMIT),
                        options.get(CALIBRATE).duration()));
    }
}
