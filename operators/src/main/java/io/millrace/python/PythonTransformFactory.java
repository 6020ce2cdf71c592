package io.millrace.python;

import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.option.OtherName;
import io.millrace.option.TimeSpan;
import io.millrace.order.SampleRandom;
import io.millrace.transform.FollowingTransform;
import io.millrace.transform.OutputSize;
import io.millrace.transform.Transform;
import io.millrace.transform.TransformContext;
import io.millrace.transform.TransformFactory;
import io.millrace.transform.TransformSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The factory of {@code python}, which calls a function of the user.
 *
 * <p>Tested by {@code PythonRunTest}.
 */
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

    private static final Option<Integer> WORKERS = PythonOptions.workers(
            "The number of processes for each slot, which work on as many samples at the same time.");

    private static final Option<TimeSpan> TIMEOUT = PythonOptions.timeout("The time after which a call has failed.");

    private static final Option<TimeSpan> START_TIMEOUT =
            PythonOptions.startTimeout("The time in which the modules must be imported and the function must be made.");

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<OtherName> alsoCalled() {
        return OtherName.of("python", "Lambda", "Function", "Callable", "Custom");
    }

    @Override
    public String help() {
        return "Calls a Python function, in a process of the slot or several.";
    }

    @Override
    public List<Option<?>> options() {
        return List.of(
                CALL,
                ARGS,
                TENSORS,
                SEED,
                WORKERS,
                TIMEOUT,
                START_TIMEOUT,
                PythonOptions.EXECUTABLE,
                PythonOptions.PATH);
    }

    /** Returns a transform whose process starts with the first sample, in its thread. */
    @Override
    public Transform create(OptionValues options) {
        return new PythonTransform(
                settings(options, NAME, options.find(PythonOptions.PATH).orElse(List.of())));
    }

    @Override
    public Transform create(OptionValues options, TransformContext context) {
        if (context.precedingInTask()
                .filter(before -> oneProcess(before, options))
                .isPresent()) {
            // The transform before this one does the work; a sample that it leaves out starts another process.
            return create(options);
        }
        List<FollowingTransform> behind = new ArrayList<>();
        for (FollowingTransform next : context.followingInTask()) {
            if (!oneProcess(next.transform(), options) || behind.size() + 1 == WorkerSettings.MOST_STAGES) {
                break;
            }
            behind.add(next);
        }
        UnpackedModules modules =
                UnpackedModules.of(options.find(PythonOptions.PATH).orElse(List.of()), ModuleArchives.in(options));
        String name = NAME + "-" + context.slot() + (workers(options) == 1 ? "" : "-" + context.worker());
        WorkerSettings settings = settings(options, name, modules.paths())
                .before(behind.stream()
                        .map(next -> settings(next.transform().options(), name, modules.paths()))
                        .toList());
        List<SampleRandom> random = behind.stream().map(context::random).toList();
        return new PythonTransform(settings, modules, random).started();
    }

    /** Returns whether a transform beside one with these options can use the same process in the same call. */
    private static boolean oneProcess(TransformSpec other, OptionValues options) {
        return other.name().equals(NAME)
                && Stream.of(PythonOptions.EXECUTABLE, PythonOptions.PATH, TENSORS, WORKERS)
                        .allMatch(option -> other.options().find(option).equals(options.find(option)));
    }

    private static WorkerSettings settings(OptionValues options, String name, List<String> modules) {
        Optional<Map<?, ?>> args = options.find(ARGS);
        return new WorkerSettings(
                name,
                new Interpreter(options.find(PythonOptions.EXECUTABLE)),
                modules,
                options.get(CALL),
                args.orElse(null),
                options.get(TENSORS),
                options.get(SEED),
                options.get(TIMEOUT).duration(),
                options.get(START_TIMEOUT).duration(),
                List.of());
    }

    /** Returns that sizes vary, because the function may return pictures of any size. */
    @Override
    public OutputSize outputSize(OptionValues options) {
        return OutputSize.VARYING;
    }

    @Override
    public int workers(OptionValues options) {
        return options.get(WORKERS);
    }

    /** Its process is closed with the pipeline's own list of transforms. */
    @Override
    public boolean nests() {
        return false;
    }
}
