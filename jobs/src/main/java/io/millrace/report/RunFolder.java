package io.millrace.report;

import io.millrace.file.WholeFiles;
import io.millrace.sink.files.UnwritableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The folder that contains the files of a run. A file appears in the folder only when it is complete. */
public final class RunFolder {
    /** The name of the file with a run's summary. */
    public static final String SUMMARY = "summary.json";

    private static final Logger LOG = LoggerFactory.getLogger(RunFolder.class);
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");
    private static final String LATEST = "latest";

    private final Path path;

    private RunFolder(Path path) {
        this.path = path;
    }

    /**
     * Creates a new folder {@code <parent>/<time>}, so that no run writes into the folder of another, and links {@code
     * <parent>/latest} to it.
     *
     * @param parent the folder of the pipeline's runs, for example {@code runs/digits}
     * @param now the time that names the folder
     * @throws IOException when the folder cannot be written to; the message is a sentence with the path
     */
    public static RunFolder fresh(Path parent, LocalDateTime now) throws IOException {
        String name = TIME.format(now);
        createDirectories(parent);
        for (int attempt = 1; ; attempt++) {
            Path candidate = parent.resolve(attempt == 1 ? name : name + "-" + attempt);
            try {
                Files.createDirectory(candidate);
            } catch (FileAlreadyExistsException e) {
                continue;
            } catch (IOException e) {
                throw new UnwritableException(candidate, e);
            }
            linkLatest(parent, candidate);
            return new RunFolder(candidate);
        }
    }

    /**
     * Returns the folder with this path, and creates it if it is missing. The run's files replace the files of an
     * earlier run that have the same names.
     *
     * @throws IOException when the folder cannot be written to; the message is a sentence with the path
     */
    public static RunFolder at(Path path) throws IOException {
        createDirectories(path);
        try {
            Files.delete(Files.createTempFile(path, ".probe", ""));
        } catch (IOException e) {
            throw new UnwritableException(path, e);
        }
        return new RunFolder(path);
    }

    public Path path() {
        return path;
    }

    /** Returns the path of a file in this folder. */
    public Path file(String name) {
        return path.resolve(name);
    }

    /** Writes {@code summary.json}. */
    public void write(RunSummary summary) throws IOException {
        write(SUMMARY, summary.toIndentedJson().getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Writes a file. It replaces an earlier file of the same name only when it is complete.
     *
     * @throws IOException when the file cannot be written; the message is a sentence with the path, and an earlier file
     *     is unchanged
     */
    public void write(String name, byte[] content) throws IOException {
        Path file = file(name);
        try {
            WholeFiles.writeDurably(file, content);
        } catch (IOException e) {
            throw new UnwritableException(file, e);
        }
    }

    /**
     * Removes a subfolder and the folders below it, as far as they are empty. Flink leaves empty folders behind after
     * its checkpoints, and may still be removing some of them.
     *
     * @param name the name of the subfolder
     */
    public void removeEmpty(String name) throws IOException {
        Path folder = file(name);
        if (!Files.isDirectory(folder)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) throws IOException {
                if (failure instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw failure;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
                    throws IOException {
                if (failure != null && !(failure instanceof NoSuchFileException)) {
                    throw failure;
                }
                try {
                    Files.deleteIfExists(directory);
                } catch (DirectoryNotEmptyException e) {
                    LOG.debug("{} is not empty", directory);
                }
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static void createDirectories(Path folder) throws IOException {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UnwritableException(folder, e);
        }
    }

    /**
     * Creates the link to the latest run. The link is only a convenience, so the run continues on a file system without
     * links.
     */
    private static void linkLatest(Path parent, Path run) {
        Path link = parent.resolve(LATEST);
        Path made = parent.resolve("." + LATEST + "-" + run.getFileName());
        try {
            if (Files.exists(link) && !Files.isSymbolicLink(link)) {
                LOG.warn("{} is not a link to a run, so it is not replaced", link);
                return;
            }
            Files.createSymbolicLink(made, run.getFileName());
            Files.move(made, link, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException | UnsupportedOperationException e) {
            LOG.info("the link {} to {} could not be created", link, run, e);
        }
    }
}
