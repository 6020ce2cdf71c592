package io.millrace.inspect.reference;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

/** A comparison of all values in a folder of files with those that the libraries of a Python interpreter read. */
public final class ReferenceComparison {
    private ReferenceComparison() {}

    /**
     * Compares each regular file below a folder, or a single file. Files of other kinds are counted, and hidden files are left
     * out. A file that is damaged, or that ends the Python process, does not end the comparison.
     *
     * @param python the command of the interpreter
     * @param progress receives the number of files so far
     * @throws ReferenceException when there is no such interpreter
     */
    public static ComparisonResult of(Path path, String python, LongConsumer progress) throws IOException {
        List<Path> files = files(path);
        ReferenceProcess reference = ReferenceProcess.start(python);
        try {
            ComparisonResult result = new ComparisonResult(reference.versions());
            long done = 0;
            for (Path file : files) {
                String name = file.equals(path)
                        ? String.valueOf(file.getFileName())
                        : path.relativize(file).toString();
                if (!compare(file, name, reference, result)) {
                    reference.close();
                    reference = ReferenceProcess.start(python);
                }
                progress.accept(++done);
            }
            return result;
        } finally {
            reference.close();
        }
    }

    private static boolean compare(Path file, String name, ReferenceProcess reference, ComparisonResult result) {
        try {
            Optional<FileKind> kind = FileKind.of(file);
            if (kind.isPresent()) {
                return FileComparison.run(kind.get(), file, name, reference, result);
            }
            result.skip("the format is not supported here", name);
        } catch (IOException e) {
            result.skip("the file cannot be read", name);
        }
        return true;
    }

    private static List<Path> files(Path path) throws IOException {
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(path, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                boolean hidden = !folder.equals(path) && isHidden(folder);
                return hidden ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                // A link counts as its target. Pipes and devices are never opened.
                if (Files.isRegularFile(file) && !isHidden(file)) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (file.equals(path)) {
                    throw e;
                }
                return FileVisitResult.CONTINUE;
            }
        });
        files.sort(null);
        return files;
    }

    private static boolean isHidden(Path path) {
        return String.valueOf(path.getFileName()).startsWith(".");
    }
}
