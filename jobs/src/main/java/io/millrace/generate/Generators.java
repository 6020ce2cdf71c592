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
 * The generators by name, and the care for the folders that they fill.
 *
 * <p>A pipeline's first run asks {@link #state}, says what it is about to make when that is not
 * {@link FolderState#COMPLETE}, and calls {@link #generate}. One process at a time may work on a folder.
 */
public final class Generators {
    /** Found as services: their packages know this one, so this one does not know them. */
    private static final List<Generator> ALL =
            ServiceLoader.load(Generator.class, Generator.class.getClassLoader()).stream()
                    .map(ServiceLoader.Provider::get)
                    .sorted(Comparator.comparing(Generator::name))
                    .toList();

    private Generators() {}

    /** What {@link #generate} found or did: {@code made} is false when the folder already held the same, complete. */
    public record Outcome(Generation generation, boolean made) {}

    /** The names that a pipeline file may use. */
    public static List<String> names() {
        return ALL.stream().map(Generator::name).toList();
    }

    /**
     * The generator of this name.
     *
     * @throws IllegalArgumentException for an unknown name, with the known ones
     */
    public static Generator named(String name) {
        return ALL.stream()
                .filter(g -> g.name().equals(name))
                .findFirst()
                .orElseThrow(
                        () -> new IllegalArgumentException("unknown generator '" + name + "', known are " + names()));
    }

    /** The options of one generator. */
    public static List<Option<?>> options(String name) {
        return named(name).options();
    }

    /**
     * Whether a folder holds what is asked for.
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

    /** As below, on all cores, refusing to touch a folder that holds something else. */
    public static Outcome generate(String name, OptionValues values, Path folder, ProgressListener progress)
            throws IOException {
        return generate(name, values, folder, ExistingFiles.REFUSE, progress);
    }

    /**
     * Makes sure that the folder holds what is asked for: draws it on all cores unless it is there, complete.
     *
     * @throws GenerationException when the folder cannot be made, or holds something else and may not be replaced
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
            throw new GenerationException(describe(folder) + "; asked for is '" + request.request()
                    + "': choose another folder, or replace what the generator made with --force");
        }
        prepare(generator, request, folder);
        int threads = Runtime.getRuntime().availableProcessors();
        Generation done = generator.draw(values, folder, threads, progress);
        new GenerationMarker(true, done).write(folder);
        return new Outcome(done, true);
    }

    /** Marks the folder as unfinished before anything in it changes, then removes what an earlier generation left. */
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
            return folder + " holds '" + generation.request() + "', version " + generation.version();
        }
        List<String> names = entries(folder);
        String some = names.stream().limit(3).collect(Collectors.joining(", "));
        return folder + " already holds " + some
                + (names.size() > 3 ? " and " + (names.size() - 3) + " more" : "")
                + ", which no finished generation made";
    }

    private static List<String> entries(Path folder) throws IOException {
        try (Stream<Path> list = Files.list(folder)) {
            return list.map(p -> String.valueOf(p.getFileName())).sorted().toList();
        } catch (NotDirectoryException e) {
            throw new GenerationException(folder + " is a file: a folder is needed", e);
        }
    }

    private static String reason(IOException e) {
        return e.getClass().getSimpleName().replace("Exception", "") + " (" + e.getMessage() + ")";
    }
}
