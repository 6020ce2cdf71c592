package io.millrace.config;

import io.millrace.generate.Generators;
import io.millrace.option.OptionValues;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The folders of a pipeline's datasets that are generated at the first use. Other parts of the pipeline may name files in them, such
 * as the tokenizer of generated texts, before these files exist.
 *
 * @param folders the folders
 */
record GeneratedFolders(List<Path> folders) {
    private static final String PATH = "path";

    GeneratedFolders {
        folders = List.copyOf(folders);
    }

    /** Returns the folders of all datasets in a file. */
    static GeneratedFolders of(Tree.Mapping root) {
        List<Path> folders = new ArrayList<>();
        collect(root, folders);
        return new GeneratedFolders(folders);
    }

    private static void collect(Tree.Mapping mapping, List<Path> folders) {
        Tree.Entry path = mapping.entries().get(PATH);
        Tree.Entry generate = mapping.entries().get(DatasetConfig.GENERATE.key());
        if (generate != null && path != null && path.value().raw() instanceof String text) {
            generator(generate.value())
                    .map(name -> Generators.folder(name, absolute(text)))
                    .ifPresent(folders::add);
        }
        for (Tree.Entry entry : mapping.entries().values()) {
            if (entry.value() instanceof Tree.Mapping inner) {
                collect(inner, folders);
            }
        }
    }

    /** Returns the name of a generator; empty when the value names none, which is reported where it is read. */
    private static Optional<String> generator(Tree value) {
        Object raw = value.raw();
        return Generators.names().stream()
                .filter(name -> name.equals(raw) || (raw instanceof Map<?, ?> options && options.containsKey(name)))
                .findFirst();
    }

    /** Returns whether the values name a file that a generator is going to write, so that they cannot be checked yet. */
    boolean willHold(OptionValues values) {
        return values.paths().values().stream()
                .flatMap(List::stream)
                .map(GeneratedFolders::absolute)
                .anyMatch(path -> folders.stream().anyMatch(path::startsWith) && !Files.exists(path));
    }

    private static Path absolute(String path) {
        return Path.of(path).toAbsolutePath().normalize();
    }
}
