package io.millrace.generate;

import io.millrace.file.WholeFiles;
import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The generators by name, and the management of the folders that they fill.
 *
 * <p>The first run of a pipeline calls {@link #state}. If the state is not {@link FolderState#COMPLETE}, it prints what it is
 * going to generate and calls {@link #generate}. Only one process at a time may work on a folder.
 */
public final class Generators {
    /** All generators, found as services, because their packages depend on this one. */
    private static final List<Generator> ALL =
            ServiceLoader.load(Generator.class, Generator.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .sorted(Comparator.comparing(Generator::name))
                    .toList();

    private Generators() {}

    /** The result of {@link #generate}; {@code made} is false when the folder already contained the same data, complete. */
    public record Outcome(Generation generation, boolean made) {}

    /** Returns the names that a pipeline file may use. */
    public static List<String> names() {
        return ALL.stream().map(Generator::name).toList();
    }

    /**
     * Returns the generator with a name.
     *
     * @throws IllegalArgumentException for an unknown name; the message contains the known names
     */
    public static Generator named(String name) {
        return ALL.stream()
                .filter(g -> g.name().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("unknown generator '" + name + "', expected one of " + names()));
    }

    /** Returns the options of one generator. */
    public static List<Option<?>> options(String name) {
        return named(name).options();
    }

    /**
     * Returns the folder that a generator fills for a dataset: the folder of the dataset's path if the path is one of the generator's
     * files, and otherwise the path itself.
     *
     * @throws IllegalArgumentException for an unknown name
     */
    public static Path folder(String name, Path dataset) {
        Path file = dataset.getFileName();
        return file != null && named(name).owns(file) ? dataset.resolveSibling("") : dataset;
    }

    /**
     * Returns the state of a folder in relation to a request.
     *
     * @throws IllegalArgumentException when the options contradict each other
     */
    public static FolderState state(String name, OptionValues values, Path folder) throws IOException {
        Generation request = named(name).request(values);
        if (!Files.exists(folder)) {
            return FolderState.ABSENT;
        }
        Optional<GenerationMarker> marker = GenerationMarker.find(folder);
        if (marker.isEmpty()) {
            return entries(folder).isEmpty() ? FolderState.ABSENT : FolderState.OTHER;
        }
        if (!marker.get().finished()) {
            return FolderState.UNFINISHED;
        }
        return marker.get().generation().sameRequest(request) ? FolderState.COMPLETE : FolderState.OTHER;
    }

    /** Generates the data of a request, and fails for a folder with other content. */
    public static Outcome generate(String name, OptionValues values, Path folder, ProgressListener progress)
            throws IOException {
        return generate(name, values, folder, ExistingFiles.REFUSE, progress);
    }

    /**
     * Ensures that the folder contains the requested data. Generates it on all cores, unless it is already complete and
     * {@code existing} is {@link ExistingFiles#REFUSE}.
     *
     * @throws GenerationException when the folder cannot be created, or contains other data that may not be replaced
     * @throws IllegalArgumentException when the name is unknown or the options contradict each other
     * @throws IOException when writing fails; the folder then counts as {@link FolderState#UNFINISHED}
     */
    public static Outcome generate(
            String name, OptionValues values, Path folder, ExistingFiles existing, ProgressListener progress)
            throws IOException {
        Generator generator = named(name);
        Generation request = generator.request(values);
        FolderState state = state(name, values, folder);
        if (state == FolderState.COMPLETE && existing == ExistingFiles.REFUSE) {
            return new Outcome(GenerationMarker.find(folder).orElseThrow().generation(), false);
        }
        if (state == FolderState.OTHER && existing == ExistingFiles.REFUSE) {
            throw new GenerationException(describe(folder) + "; expected '" + request.request()
                    + "': choose another folder, or use --force to replace the generated files");
        }
        prepare(generator, request, folder);
        int threads = Runtime.getRuntime().availableProcessors();
        Generation done = generator.draw(values, folder, threads, progress);
        new GenerationMarker(true, done).write(folder);
        return new Outcome(done, true);
    }

    /** Marks the folder as unfinished before anything in it changes, then removes the files of an earlier generation. */
    private static void prepare(Generator generator, Generation request, Path folder) throws IOException {
        try {
            Files.createDirectories(folder);
            Optional<GenerationMarker> old = GenerationMarker.find(folder);
            new GenerationMarker(false, request).write(folder);
            remove(generator, folder);
            if (old.isPresent() && !old.get().generation().generator().equals(generator.name())) {
                remove(named(old.get().generation().generator()), folder);
            }
        } catch (GenerationException e) {
            throw e;
        } catch (IOException e) {
            throw new GenerationException("cannot write to " + folder + ": " + reason(e), e);
        }
    }

    private static void remove(Generator generator, Path folder) throws IOException {
        List<Path> paths;
        try (Stream<Path> tree = Files.walk(folder)) {
            paths = tree.filter(p -> !p.equals(folder))
                    .sorted(Comparator.reverseOrder())
                    .toList();
        }
        for (Path path : paths) {
            if (Files.isRegularFile(path) && generator.owns(folder.relativize(WholeFiles.whole(path)))) {
                Files.delete(path);
                Path parent = path.getParent();
                if (parent != null && !parent.equals(folder) && entries(parent).isEmpty()) {
                    Files.delete(parent);
                }
            }
        }
    }

    private static String describe(Path folder) throws IOException {
        Optional<GenerationMarker> marker = GenerationMarker.find(folder);
        if (marker.isPresent()) {
            Generation generation = marker.get().generation();
            return folder + " contains '" + generation.request() + "', version " + generation.version();
        }
        List<String> names = entries(folder);
        String some = names.stream().limit(3).collect(Collectors.joining(", "));
        return folder + " already contains " + some
                + (names.size() > 3 ? " and " + (names.size() - 3) + " more" : "")
                + ", which are not files of a finished generation";
    }

    private static List<String> entries(Path folder) throws IOException {
        try (Stream<Path> list = Files.list(folder)) {
            return list.map(p -> String.valueOf(p.getFileName())).sorted().toList();
        } catch (NotDirectoryException e) {
            throw new GenerationException(folder + " is a file, expected a folder", e);
        }
    }

    private static String reason(IOException e) {
        return e.getClass().getSimpleName().replace("Exception", "") + " (" + e.getMessage() + ")";
    }
}
