package io.millrace.sink;

import io.millrace.file.WholeFiles;
import io.millrace.train.TrainStep;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** The folder {@code model/} of a run: written aside and renamed, so that it is whole or not there. */
final class RunModel {
    private RunModel() {}

    /** Writes the model of {@code step}, and what it takes to train it further, into {@code run/model}, replacing one that is there. */
    static void write(Path run, TrainStep step, SavedRun saved) throws IOException {
        Path model = run.resolve("model");
        Path partial = WholeFiles.partial(model);
        try {
            delete(partial);
            Files.createDirectories(partial);
            step.save(partial);
            saved.write(Files.createDirectory(partial.resolve(SavedRun.FOLDER)));
            delete(model);
            WholeFiles.publish(model);
        } catch (IOException e) {
            throw unwritable(model, partial, e);
        }
    }

    /** On a full disk the beginning of a model would take the room that the run's other files still need. */
    private static UnwritableException unwritable(Path model, Path partial, IOException cause) {
        UnwritableException unwritable = new UnwritableException(model, cause);
        try {
            delete(partial);
        } catch (IOException e) {
            unwritable.addSuppressed(e);
        }
        return unwritable;
    }

    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException failure)
                    throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
