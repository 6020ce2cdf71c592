package io.millrace.config;

import io.millrace.dataset.DatasetSpec;
import io.millrace.option.Identity;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import io.millrace.python.ModuleArchives;
import io.millrace.python.PythonDatasetFormat;
import io.millrace.python.PythonOptions;
import io.millrace.python.PythonTransformFactory;
import io.millrace.transform.TransformSpec;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The Python of the transforms and datasets {@code python}.
 *
 * @param executable the interpreter; empty for {@code MILLRACE_PYTHON} or else {@code python3} of the machine
 * @param path the folders and zip files with the user's modules; empty for the folder of the pipeline file
 * @param travelling the modules that travel with the job; no key of a file
 */
public record PythonConfig(Optional<String> executable, List<String> path, ModuleArchives travelling) {
    static final Option<Object> SECTION = Option.of(
                    "python", Types.structure("section"), "The Python that runs the transforms and datasets python.")
            .optional();
    static final Option<String> EXECUTABLE = Option.of(
                    "executable",
                    OptionType.TEXT,
                    "The interpreter, Python 3.9 or newer with numpy. Default: the environment variable"
                            + " MILLRACE_PYTHON of the machine, otherwise python3.")
            .optional()
            .decides(Identity.NOTHING);
    static final Option<List<String>> PATH = Option.of(
                    "path",
                    PythonOptions.paths(),
                    "The folders and zip files with the modules that transforms and datasets name. Default: the folder of the pipeline"
                            + " file.")
            .optional()
            .decides(Identity.NOTHING);
    static final List<Option<?>> OPTIONS = List.of(EXECUTABLE, PATH);

    public PythonConfig {
        path = List.copyOf(path);
    }

    /** Creates the section for modules that lie on the machines that run slots. */
    PythonConfig(Optional<String> executable, List<String> path) {
        this(executable, path, ModuleArchives.NONE);
    }

    /** Returns the same section with modules that travel with the job. */
    public PythonConfig travelling(ModuleArchives modules) {
        return new PythonConfig(executable, path, modules);
    }

    /** Returns the same transform with its modules, if these travel with the job. */
    public TransformSpec withModules(TransformSpec transform) {
        return transform.name().equals(PythonTransformFactory.NAME)
                ? new TransformSpec(transform.name(), travelling.attach(transform.options()))
                : transform;
    }

    /** Returns the same dataset with its modules, if these travel with the job. */
    public DatasetSpec withModules(DatasetSpec dataset) {
        return dataset.format().equals(PythonDatasetFormat.NAME)
                ? dataset.with(travelling.attach(dataset.options()))
                : dataset;
    }

    /** Reads the section of a file. */
    static PythonConfig read(Section root) {
        Section section = root.section(SECTION, OPTIONS);
        return new PythonConfig(section.find(EXECUTABLE), section.find(PATH).orElse(List.of()));
    }

    void write(WrittenConfig section) {
        section.put(EXECUTABLE, executable);
        if (!path.isEmpty()) {
            section.put(PATH, path);
        }
    }

    /**
     * Returns the same transforms, in which each transform {@code python} has its interpreter and the absolute paths of its
     * modules.
     *
     * @param root the section that is the whole file
     */
    List<TransformSpec> complete(List<TransformSpec> transforms, Section root) {
        return transforms.stream()
                .map(transform -> transform.name().equals(PythonTransformFactory.NAME)
                        ? new TransformSpec(transform.name(), complete(transform.options(), root))
                        : transform)
                .toList();
    }

    /**
     * Returns the same dataset; one of the format {@code python} has its interpreter, the paths of its modules and the seed with which
     * it is made.
     */
    DatasetConfig complete(DatasetConfig dataset, OrderConfig order, Section root) {
        DatasetSpec spec = dataset.spec();
        if (!spec.format().equals(PythonDatasetFormat.NAME)) {
            return dataset;
        }
        OptionValues options = PythonDatasetFormat.withInitSeed(complete(spec.options(), root), order.seed());
        return new DatasetConfig(spec.with(options), dataset.generate());
    }

    private OptionValues complete(OptionValues options, Section root) {
        Path folder = Path.of(root.location().source()).toAbsolutePath().getParent();
        List<String> modules = path.isEmpty() && folder != null ? List.of(folder.toString()) : path;
        Optional<String> interpreter = options.find(PythonOptions.EXECUTABLE).or(() -> executable);
        List<String> own = options.find(PythonOptions.PATH).orElse(modules);
        OptionValues completed = options.with(PythonOptions.PATH, absolute(own));
        return interpreter.isEmpty() ? completed : completed.with(PythonOptions.EXECUTABLE, command(interpreter.get()));
    }

    private static List<String> absolute(List<String> paths) {
        return paths.stream()
                .map(path -> Path.of(path).toAbsolutePath().normalize().toString())
                .toList();
    }

    /** Returns a path as an absolute path, without following links, because a virtual environment is a link. Names stay. */
    private static String command(String executable) {
        return executable.contains("/")
                ? Path.of(executable).toAbsolutePath().normalize().toString()
                : executable;
    }
}
