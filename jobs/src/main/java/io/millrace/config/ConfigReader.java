package io.millrace.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Reads pipeline files. All problems of a file and its overrides are reported together, each with its line and key.
 *
 * <p>Static methods without state: any thread may call them.
 */
public final class ConfigReader {
    private ConfigReader() {}

    /** The owner of the training that a pipeline file describes. */
    private enum Training {
        /** The command that reads the file trains the model, so that the file has to name one. */
        OWN,
        /** No training, or a model for whose step a command measures: a file without one means {@code model: none}. */
        OPTIONAL,
        /** The clients of a served run. */
        OF_CLIENTS
    }

    /**
     * Reads a pipeline file that may describe its data alone, with the catalogs of the class path. Without a model, the model is
     * {@code none}, and all fields are sent as to clients.
     *
     * @param overrides the overrides, each as {@code key=value}, such as {@code batch.size=32} or {@code
     *     transforms.1.Resize.size=[64, 64]}; later ones take precedence
     * @throws ConfigException with all problems
     */
    public static PipelineConfig read(Path file, List<String> overrides) throws ConfigException {
        // A file that is missing or not YAML is reported without the catalogs.
        return read(file, overrides, Training.OPTIONAL, List.of(), Catalogs::installed);
    }

    /**
     * Reads a pipeline file as {@link #read(Path, List)} does. The file has to name a model, which can be {@code none}.
     *
     * @throws ConfigException with all problems
     */
    public static PipelineConfig readTrained(Path file, List<String> overrides) throws ConfigException {
        return read(file, overrides, Training.OWN, List.of(), Catalogs::installed);
    }

    /**
     * Reads a pipeline file whose training is that of clients. Of its section {@code train}, only the names of the fields count.
     * The clients also decide how many epochs they train, so that a run without a number of epochs is endless.
     *
     * @param settings settings that take precedence over the file and the overrides, each as {@code key=value}
     * @throws ConfigException with all problems
     */
    public static PipelineConfig readServed(Path file, List<String> overrides, List<String> settings)
            throws ConfigException {
        return read(file, overrides, Training.OF_CLIENTS, settings, Catalogs::installed);
    }

    /** Reads a pipeline file as {@link #readTrained} does, with other catalogs. */
    public static PipelineConfig read(Path file, List<String> overrides, Catalogs catalogs) throws ConfigException {
        return read(file, overrides, Training.OWN, List.of(), () -> catalogs);
    }

    /**
     * Returns the pipeline of a dataset without transforms, as {@link #read(Path, List)} returns that of a file.
     *
     * @param format the name of the dataset's format
     * @param path its option {@code path}
     * @throws ConfigException with all problems of the overrides
     */
    public static PipelineConfig ofDataset(String format, String path, List<String> overrides) throws ConfigException {
        SourceLocation location = new SourceLocation(path, 0);
        Tree.Mapping dataset = Tree.Mapping.empty(location);
        dataset.entries().put("format", new Tree.Entry(location, new Tree.Leaf(location, format)));
        dataset.entries().put("path", new Tree.Entry(location, new Tree.Leaf(location, path)));
        Tree.Mapping root = Tree.Mapping.empty(location);
        root.entries().put(DataConfig.DATASET.key(), new Tree.Entry(location, dataset));
        return read(
                Path.of(path),
                Optional.of(root),
                overrides,
                Training.OPTIONAL,
                List.of(),
                Catalogs::installed,
                new Problems());
    }

    /** Returns settings, each as {@code key=value}, without the secrets in them, for a text that is printed. */
    public static List<String> withoutSecrets(List<String> settings) {
        return settings.stream().map(Secrets::maskedSetting).toList();
    }

    private static PipelineConfig read(
            Path file, List<String> overrides, Training training, List<String> settings, Supplier<Catalogs> catalogs)
            throws ConfigException {
        Problems problems = new Problems();
        Optional<Tree> tree =
                ConfigText.read(file, problems).flatMap(text -> YamlTree.ofFile(file.toString(), text, problems));
        return read(file, tree, overrides, training, settings, catalogs, problems);
    }

    private static PipelineConfig read(
            Path file,
            Optional<Tree> tree,
            List<String> overrides,
            Training training,
            List<String> settings,
            Supplier<Catalogs> catalogs,
            Problems problems)
            throws ConfigException {
        Optional<Tree.Mapping> root = tree.flatMap(t -> root(file, t, problems));
        Tree.Mapping mapping = root.orElseGet(() -> Tree.Mapping.empty(new SourceLocation(file.toString(), 0)));
        Overrides overriding = new Overrides(problems);
        overrides.forEach(override -> overriding.apply(mapping, override));
        if (root.isEmpty()) {
            // Without a tree, every required key would be reported as missing, which does not help the user.
            problems.check();
        }
        if (training == Training.OF_CLIENTS) {
            TrainConfig.keepFields(mapping);
            DataConfig.endlessByDefault(mapping);
        } else if (!TrainConfig.namesModel(mapping)) {
            if (training == Training.OWN) {
                TrainConfig.missingModel(mapping, problems);
            } else if (!BatchConfig.namesFields(mapping)) {
                overriding.apply(mapping, BatchConfig.ALL_FIELDS); // as serve does, which such files are made for
            }
            overriding.apply(mapping, TrainConfig.WITHOUT_MODEL);
        }
        TrainConfig.packedByDefault(mapping, overriding);
        settings.forEach(setting -> overriding.apply(mapping, setting));
        Reading reading = new Reading(catalogs.get(), problems, GeneratedFolders.of(mapping));
        Section section = new Section("", mapping, PipelineConfig.OPTIONS, reading);
        Optional<PipelineConfig> config = PipelineConfig.read(section, new KeyPlaces(mapping), nameOf(file));
        problems.check();
        return config.orElseThrow(() -> new IllegalStateException("nothing wrong and nothing read in " + file));
    }

    private static Optional<Tree.Mapping> root(Path file, Tree tree, Problems problems) {
        if (tree instanceof Tree.Mapping mapping) {
            return Optional.of(new Tree.Mapping(new SourceLocation(file.toString(), 1), mapping.entries()));
        }
        String found = tree.raw() == null ? "found nothing: the file is empty" : "found " + Section.describe(tree);
        problems.add(tree.location(), "", "expected the keys of a pipeline, " + found);
        return Optional.empty();
    }

    /** Returns the file's name without its extension, with hyphens for characters that a name cannot have. */
    private static String nameOf(Path file) {
        Path last = file.getFileName();
        String name = (last == null ? "" : last.toString()).replaceFirst("(?<=.)\\.[A-Za-z]+$", "");
        String cleaned = name.replaceAll("[^A-Za-z0-9._-]+", "-").replaceFirst("^[^A-Za-z0-9]+", "");
        return cleaned.isEmpty() ? "pipeline" : cleaned;
    }
}
