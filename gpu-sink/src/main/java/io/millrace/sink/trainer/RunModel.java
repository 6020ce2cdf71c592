package io.millrace.sink.trainer;

import io.millrace.file.WholeFiles;
import io.millrace.lifecycle.Handles;
import io.millrace.sink.files.UnwritableException;
import io.millrace.sink.progress.SavedRun;
import io.millrace.sink.spec.InitialState;
import io.millrace.train.TrainStep;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/**
 * The folder {@code model/} of a run. It is written under another name and then renamed, so that it is complete or
 * absent.
 */
final class RunModel {
    private RunModel() {}

    /**
     * Writes the model of {@code step}, and the state to continue its training from, into {@code run/model}, replacing
     * an earlier one.
     */
    static void write(Path run, TrainStep step, SavedRun saved) throws IOException {
        Path model = run.resolve("model");
        Path partial = WholeFiles.partial(model);
        Handles onFailure = new Handles();
        // An incomplete model is deleted, because on a full disk the run's other files still need its space.
        onFailure.add(() -> delete(partial));
        try {
            onFailure.closeOnFailure(() -> {
                delete(partial);
                Files.createDirectories(partial);
                step.save(partial);
                saved.write(Files.createDirectory(partial.resolve(InitialState.FOLDER)));
                delete(model);
                WholeFiles.publish(model);
                return model;
            });
        } catch (IOException e) {
            throw new UnwritableException(model, e);
        }
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
