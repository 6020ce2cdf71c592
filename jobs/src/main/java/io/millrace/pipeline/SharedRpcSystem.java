package io.millrace.pipeline;

import io.millrace.file.OwnedFolder;
import io.millrace.lifecycle.Handles;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ConfigurationUtils;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.runtime.rpc.RpcSystem;
import org.apache.flink.util.ExceptionUtils;
import org.jspecify.annotations.Nullable;

/**
 * Flink's remote procedure calls for all clusters in this process. Flink would load their classes anew for each cluster: it
 * copies a jar of 22 MB to the folder for temporary files, and the JVM verifies and compiles the classes again.
 */
final class SharedRpcSystem {
    private static @Nullable RpcSystem shared;

    private SharedRpcSystem() {}

    /**
     * Returns the system, which no cluster closes. Any thread may call this.
     *
     * @param configuration the cluster's; the first cluster's {@code io.tmp.dirs} says where the jar is copied to
     * @throws IOException when the jar cannot be copied, with a message for the user; the next call tries again
     */
    static synchronized RpcSystem get(Configuration configuration) throws IOException {
        RpcSystem loaded = shared;
        if (loaded == null) {
            loaded = load(Path.of(ConfigurationUtils.parseTempDirectories(configuration)[0]));
            shared = loaded;
        }
        return loaded;
    }

    static RpcSystem load(Path temporary) throws IOException {
        try {
            // Flink gives the copy a random name; in a folder of its own it can be found.
            OwnedFolder folder = OwnedFolder.create(Files.createDirectories(temporary), "millrace-rpc-");
            try {
                Configuration own = new Configuration();
                own.set(CoreOptions.TMP_DIRS, folder.path().toString());
                RpcSystem loaded = RpcSystem.load(own);
                deleteWhenTheProgramEnds(folder);
                return loaded;
            } catch (IOException | RuntimeException e) {
                Handles.closeAfter(e, folder);
                throw e;
            }
        } catch (IOException | RuntimeException e) {
            throw new IOException(
                    "cannot write a file of 22 MB, which Flink needs, to " + temporary
                            + ", the folder for temporary files (flink: io.tmp.dirs): "
                            + ExceptionUtils.findThrowable(e, IOException.class)
                                    .<Throwable>map(reason -> reason)
                                    .orElse(e),
                    e);
        }
    }

    /**
     * Lets the JVM delete the files after all shutdown hooks. A hook that closed the system would run at the same time as
     * the hooks that stop a run, which need it.
     */
    private static void deleteWhenTheProgramEnds(OwnedFolder folder) throws IOException {
        // They are deleted in reverse order: first the content.
        folder.lock().toFile().deleteOnExit();
        folder.path().toFile().deleteOnExit();
        try (Stream<Path> files = Files.list(folder.path())) {
            files.map(Path::toFile).forEach(File::deleteOnExit);
        }
    }
}
