package io.millrace.python;

import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The files of a folder that belong to Python modules: modules ({@code .py}, {@code .so}) at any depth, and all files of packages,
 * which are folders with {@code __init__.py}. Hidden files, {@code __pycache__} and virtual environments do not belong to them, and
 * neither do data beside the modules, because the folder of a pipeline file may also contain datasets and runs.
 */
final class ModuleFiles extends SimpleFileVisitor<Path> {
    /** A file and its size in bytes. */
    record Found(Path path, long bytes) {}

    /** Larger modules would make each start of the job slow. */
    private static final long MOST_BYTES = 16L << 20;

    /** A folder with more files is one of data. */
    private static final int MOST_VISITED = 100_000;

    private static final int NAMED = 3;

    private final Path root;
    private final Set<Path> packages = new HashSet<>();
    private final List<Found> found = new ArrayList<>();
    private int visited;

    private ModuleFiles(Path root) {
        this.root = root;
    }

    /**
     * Returns the files, sorted by path.
     *
     * @throws PythonException when the folder has too many files, or the modules are too large
     */
    static List<Found> of(Path root) throws IOException {
        ModuleFiles files = new ModuleFiles(root);
        Files.walkFileTree(root, EnumSet.of(FileVisitOption.FOLLOW_LINKS), Integer.MAX_VALUE, files);
        files.found.sort(Comparator.comparing(Found::path));
        requireSize(root, files.found);
        return files.found;
    }

    /** Refuses modules that are too large to travel with a job. */
    static void requireSize(Path path, List<Found> files) {
        long bytes = files.stream().mapToLong(Found::bytes).sum();
        if (bytes <= MOST_BYTES) {
            return;
        }
        String largest = files.stream()
                .sorted(Comparator.comparingLong(Found::bytes).reversed())
                .limit(NAMED)
                .map(file -> file.path() + " (" + mebibytes(file.bytes()) + ")")
                .collect(Collectors.joining(", "));
        throw new PythonException("python.path: the modules of " + path + " have " + mebibytes(bytes)
                + ", but at most " + mebibytes(MOST_BYTES) + " travel with a job to a cluster; the largest are "
                + largest
                + ": set python.path to a folder with the modules alone");
    }

    private static String mebibytes(long bytes) {
        return ((bytes + (1 << 19)) >> 20) + " MiB";
    }

    @Override
    public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
        if (folder.equals(root)) {
            return FileVisitResult.CONTINUE;
        }
        count();
        if (isHidden(folder) || folder.endsWith("__pycache__") || Files.exists(folder.resolve("pyvenv.cfg"))) {
            return FileVisitResult.SKIP_SUBTREE;
        }
        if (packages.contains(folder.getParent()) || Files.exists(folder.resolve("__init__.py"))) {
            packages.add(folder);
        }
        return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
        count();
        String name = String.valueOf(file.getFileName());
        boolean module = name.endsWith(".py") || name.endsWith(".so");
        boolean data = packages.contains(file.getParent()) && !name.endsWith(".pyc");
        if (attributes.isRegularFile() && !isHidden(file) && (module || data)) {
            found.add(new Found(file, attributes.size()));
        }
        return FileVisitResult.CONTINUE;
    }

    /** Leaves out what this user cannot enter, and links in a circle, which cannot be imported either. */
    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) {
        return FileVisitResult.CONTINUE;
    }

    private static boolean isHidden(Path path) {
        return String.valueOf(path.getFileName()).startsWith(".");
    }

    private void count() {
        if (++visited > MOST_VISITED) {
            throw new PythonException("python.path: " + root + " has more than " + MOST_VISITED
                    + " files, so its modules cannot travel with the job to a cluster: set python.path to a folder with"
                    + " the modules alone");
        }
    }
}
