package io.millrace.report;

import io.millrace.file.WholeFiles;
import io.millrace.sink.UnwritableException;
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

/**
 * The folder that a run writes. A file appears in it whole or not at all.
 */
public final class RunFolder {
    /** The file of a run's summary. */
    public static final String SUMMARY = "summary.json";

    private static final Logger LOG = LoggerFactory.getLogger(RunFolder.class);
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");
    private static final String LATEST = "latest";

    private final Path path;

    private RunFolder(Path path) {
        this.path = path;
    }

    /**
     * Makes a fresh folder {@code <parent>/<time>}, so that no run touches another's, and points {@code <parent>/latest}
     * at it.
     *
     * @param parent of the pipeline's runs, as {@code runs/digits}
     * @throws IOException with a sentence and the path, when it cannot be written to
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
     * Uses just this folder, made where it is missing; files of an earlier run in it are replaced as they are written.
     *
     * @throws IOException with a sentence and the path, when it cannot be written to
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

    /** Where a file of this name belongs. */
    public Path file(String name) {
        return path.resolve(name);
    }

    /** Writes {@code summary.json}. */
    public void write(RunSummary summary) throws IOException {
        write(SUMMARY, summary.toIndentedJson().getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Writes a file as a whole, in place of one of that name.
     *
     * @throws IOException with a sentence and the path; an earlier file is then as it was
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
     * Removes the folders of that name, and below it, that hold nothing. Flink leaves such where its checkpoints were, and
     * may still be removing some itself.
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
                    LOG.debug("{} holds something", directory);
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

    /** The link is a convenience: where the file system has none, the run goes on. */
    private static void linkLatest(Path parent, Path run) {
        Path link = parent.resolve(LATEST);
        Path made = parent.resolve("." + LATEST + "-" + run.getFileName());
        try {
            if (Files.exists(link) && !Files.isSymbolicLink(link)) {
                LOG.warn("{} is not a link of ours, so it is left alone", link);
                return;
            }
            Files.createSymbolicLink(made, run.getFileName());
            Files.move(made, link, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException | UnsupportedOperationException e) {
            LOG.info("no link {} to {}", link, run, e);
        }
    }
}
