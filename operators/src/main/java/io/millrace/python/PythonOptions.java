package io.millrace.python;

import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.TimeSpan;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The options that everything in Python has. */
public final class PythonOptions {
    /** The interpreter. */
    public static final Option<String> EXECUTABLE = Option.of(
                    "executable", OptionType.TEXT, "The Python interpreter. Default: that of the section python.")
            .optional()
            .decides(Identity.NOTHING);

    /** The places of the user's modules. */
    public static final Option<List<String>> PATH = Option.of(
                    "path", paths(), "The folders and zip files with modules. Default: those of the section python.")
            .optional()
            .decides(Identity.NOTHING);

    /** The type of keyword arguments. */
    static final OptionType<Map<?, ?>> ARGUMENTS =
            OptionType.of("section of keyword arguments", PythonOptions::arguments);

    private static final int MOST_WORKERS = 64;

    private static final Pattern IDENTIFIERS = Pattern.compile(
            "[\\p{L}_][\\p{L}\\p{N}_]*(\\.[\\p{L}_][\\p{L}\\p{N}_]*)*:[\\p{L}_][\\p{L}\\p{N}_]*(\\.[\\p{L}_][\\p{L}\\p{N}_]*)*");

    private PythonOptions() {}

    /** Returns the type of a list of folders and zip files, which may also be a single one. */
    public static OptionType<List<String>> paths() {
        OptionType<List<String>> list = OptionType.listOf(OptionType.TEXT);
        return OptionType.of(
                "folder or zip file, or a list of them",
                raw -> raw instanceof String ? List.of(OptionType.TEXT.parse(raw)) : list.parse(raw));
    }

    /** Returns the type of the name of an object of a module, described for messages. */
    static OptionType<String> object(String expected) {
        return OptionType.TEXT.where(text -> IDENTIFIERS.matcher(text).matches(), expected);
    }

    /** Returns the option {@code timeout} with this help. */
    static Option<TimeSpan> timeout(String help) {
        return Option.of(
                        "timeout",
                        TimeSpan.between(new TimeSpan(Duration.ofMillis(1)), new TimeSpan(Duration.ofHours(24))),
                        help)
                .orElse(new TimeSpan(Duration.ofSeconds(60)))
                .decides(Identity.NOTHING);
    }

    /** Returns the option {@code start_timeout} with this help. */
    static Option<TimeSpan> startTimeout(String help) {
        return Option.of(
                        "start_timeout",
                        TimeSpan.between(new TimeSpan(Duration.ofMillis(1)), new TimeSpan(Duration.ofHours(24))),
                        help)
                .orElse(new TimeSpan(Duration.ofMinutes(5)))
                .decides(Identity.NOTHING);
    }

    /** Returns the option {@code workers} with this help. */
    static Option<Integer> workers(String help) {
        return Option.of(
                        "workers",
                        OptionType.INTEGER.where(n -> n >= 1 && n <= MOST_WORKERS, "from 1 to " + MOST_WORKERS),
                        help)
                .orElse(1)
                .decides(Identity.NOTHING);
    }

    private static Map<?, ?> arguments(Object raw) {
        if (raw instanceof Map<?, ?> map) {
            return map;
        }
        throw OptionType.expected("keyword arguments as {name: value}", raw);
    }
}
