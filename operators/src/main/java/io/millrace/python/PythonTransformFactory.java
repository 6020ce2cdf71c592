package io.millrace.python;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.TimeSpan;
import io.millrace.transform.OutputSize;
import io.millrace.transform.Transform;
import io.millrace.transform.TransformContext;
import io.millrace.transform.TransformFactory;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The factory of {@code python}, which calls a function of the user. */
public final class PythonTransformFactory implements TransformFactory {
    /** The transform's name in pipeline files. */
    public static final String NAME = "python";

    private static final Option<String> CALL = Option.of(
            "call",
            PythonOptions.object("module:function, such as augment:train_transform"),
            "The function, as module:function. With args: the class or function that makes it.");

    private static final Option<Map<?, ?>> ARGS = Option.of(
                    "args",
                    PythonOptions.ARGUMENTS,
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

    private static final Option<TimeSpan> TIMEOUT = PythonOptions.timeout("The time after which a call has failed.");

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
        return List.of(CALL, ARGS, TENSORS, SEED, TIMEOUT, PythonOptions.EXECUTABLE, PythonOptions.PATH);
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
                new Interpreter(options.find(PythonOptions.EXECUTABLE)),
                options.find(PythonOptions.PATH).orElse(List.of()),
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
