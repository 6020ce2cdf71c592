package io.millrace.dataset.files;

import io.millrace.dataset.DatasetException;
import io.millrace.dataset.storage.Storage;
import io.millrace.option.NearWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The sentence for a path without a file or folder: with its absolute form, and a near path that exists. */
public final class MissingPath {
    private MissingPath() {}

    /** Returns the exception for a folder that does not exist. Near folders are looked for on this machine only. */
    public static DatasetException folder(Storage folder) throws IOException {
        return of("folder", folder, Files::isDirectory);
    }

    /** Returns the exception for a file that does not exist. Near files are looked for on this machine only. */
    public static DatasetException file(Storage file) throws IOException {
        return of("file", file, Files::isRegularFile);
    }

    private static DatasetException of(String kind, Storage missing, Predicate<Path> suits) throws IOException {
        String name = missing.display("");
        Optional<Path> local = missing.local("");
        if (local.isEmpty()) {
            return new DatasetException("no such " + kind + ": " + name);
        }
        if (Files.isSymbolicLink(local.get())) {
            return new DatasetException(
                    name + " is a link to " + Files.readSymbolicLink(local.get()) + ", where no " + kind + " is");
        }
        String absolute = local.get().toAbsolutePath().toString();
        Optional<Path> near = near(local.get(), suits);
        return new DatasetException("no such " + kind + ": " + name
                + (absolute.equals(name) ? "" : " (that is, " + absolute + ")")
                + near.map(path -> ", did you mean '" + path + "'?").orElse(""));
    }

    /** Returns the path that exists and whose names are each near those of the missing path; empty where there is none. */
    private static Optional<Path> near(Path missing, Predicate<Path> suits) throws IOException {
        Deque<Path> names = new ArrayDeque<>();
        Path exists = missing;
        while (exists != null && !Files.exists(exists)) {
            Path name = exists.getFileName();
            if (name == null) {
                return Optional.empty();
            }
            names.push(name);
            exists = exists.getParent();
        }
        Path near = exists == null ? Path.of("") : exists;
        while (!names.isEmpty()) {
            String name = names.pop().toString();
            Predicate<Path> wanted = names.isEmpty() ? suits : Files::isDirectory;
            if (!wanted.test(near.resolve(name))) {
                List<String> found = NearWords.nearest(name, names(near, wanted));
                if (found.isEmpty()) {
                    return Optional.empty();
                }
                name = found.get(0);
            }
            near = near.resolve(name);
        }
        return Optional.of(near);
    }

    private static List<String> names(Path folder, Predicate<Path> wanted) throws IOException {
        if (!Files.isDirectory(folder) || !Files.isReadable(folder)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.filter(wanted)
                    .map(entry -> String.valueOf(entry.getFileName()))
                    .filter(name -> !name.startsWith("."))
                    .sorted(NameOrder.BY_CODE_POINT)
                    .toList();
        }
    }
}
