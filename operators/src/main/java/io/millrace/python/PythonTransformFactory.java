package io.millrace.python;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.TimeSpan;
import io.millrace.transform.OutputSize;
import io.millrace.transform.Transform;
import io.millrace.transform.TransformContext;
import io.millrace.transform.TransformFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The factory of {@code python}, which calls a function of the user. */
public final class PythonTransformFactory implements TransformFactory {
    /** The transform's name in pipeline files. */
    public static final String NAME = "python";

    private static final Pattern IDENTIFIERS = Pattern.compile(
            "[\\p{L}_][\\p{L}\\p{N}_]*(\\.[\\p{L}_][\\p{L}\\p{N}_]*)*:[\\p{L}_][\\p{L}\\p{N}_]*(\\.[\\p{L}_][\\p{L}\\p{N}_]*)*");

    private static final Option<String> CALL = Option.of(
            "call",
            OptionType.TEXT.where(
                    text -> IDENTIFIERS.matcher(text).matches(), "module:function, such as augment:train_transform"),
            "The function, as module:function. With args: the class or function that makes it.");

    private static final Option<Map<?, ?>> ARGS = Option.of(
                    "args",
                    OptionType.of("section of keyword arguments", PythonTransformFactory::arguments),
                    "The keyword arguments with which call is called once, to make the function.")
            .optional();

    private static final Option<Boolean> TENSORS = Option.of(
                    "tensors",
                    OptionType.BOOLEAN,
                    "Whether fields are torch tensors, with pictures as [channels, height, width], and not numpy arrays.")
            .orElse(false);

    private static final Option<Boolean> SEED = Option.of(
                    "seed",
                    OptionType.BOOLEAN,
                    "Whether the global generators of random, numpy and torch are seeded before each call.")
            .orElse(true);

    private static final Option<TimeSpan> TIMEOUT = Option.of(
                    "timeout",
                    TimeSpan.between(new TimeSpan(Duration.ofMillis(1)), new TimeSpan(Duration.ofHours(24))),
                    "The time after which a call has failed.")
            .orElse(new TimeSpan(Duration.ofSeconds(60)));

    /** The interpreter. */
    public static final Option<String> EXECUTABLE = Option.of(
                    "executable", OptionType.TEXT, "The Python interpreter. Default: that of the section python.")
            .optional();

    /** The places of the user's modules. */
    public static final Option<List<String>> PATH = Option.of(
                    "path", paths(), "The folders and zip files with modules. Default: those of the section python.")
            .optional();

    /** Returns the type of a list of folders and zip files, which may also be a single one. */
    public static OptionType<List<String>> paths() {
        OptionType<List<String>> list = OptionType.listOf(OptionType.TEXT);
        return OptionType.of(
                "folder or zip file, or a list of them",
                raw -> raw instanceof String ? List.of(OptionType.TEXT.parse(raw)) : list.parse(raw));
    }

    private static Map<?, ?> arguments(Object raw) {
        if (raw instanceof Map<?, ?> map) {
            return map;
        }
        throw OptionType.expected("keyword arguments as {name: value}", raw);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String help() {
        return "Calls a Python function, in a process of the slot.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(CALL, ARGS, TENSORS, SEED, TIMEOUT, EXECUTABLE, PATH);
    }

    /** The process starts with the first sample, in its thread. */
    @Override
    public Transform create(OptionValues options) {
        return new PythonTransform(settings(options, NAME));
    }

    @Override
    public Transform create(OptionValues options, TransformContext context) {
        return new PythonTransform(settings(options, NAME + "-" + context.slot())).started();
    }

    private static WorkerSettings settings(OptionValues options, String name) {
        Optional<Map<?, ?>> args = options.find(ARGS);
        return new WorkerSettings(
                name,
                options.find(EXECUTABLE),
                options.find(PATH).orElse(List.of()),
                options.get(CALL),
                args.orElse(null),
                options.get(TENSORS),
                options.get(SEED),
                options.get(TIMEOUT).duration());
    }

    /** The function may return pictures of any size. */
    @Override
    public OutputSize outputSize(OptionValues options) {
        return OutputSize.VARYING;
    }

    /** Its process is closed with the pipeline's own list of transforms. */
    @Override
    public boolean nests() {
        return false;
    }
}
