package io.millrace.train.engine;

import ai.djl.engine.StandardCapabilities;
import ai.djl.pytorch.jni.LibUtils;
import ai.djl.util.Platform;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The training engine of this process.
 *
 * @param version the version of PyTorch, such as "2.7.1"
 * @param flavor the flavor of its libraries, such as "cpu" or "cu128"; null when they are not DJL's own
 * @param cuda whether the libraries can compute on a GPU
 * @param natives the folder from which the libraries were loaded
 * @param bridge DJL's native library between Java and libtorch; null when it is unknown
 */
public record EngineFacts(
        String version,
        @Nullable String flavor,
        boolean cuda,
        String natives,
        @Nullable EngineBridge bridge) {
    /**
     * Returns a warning about a bridge that was compiled without CUDA beside a libtorch for CUDA. Null when there is nothing
     * to report.
     */
    public @Nullable String bridgeWarning() {
        EngineBridge known = bridge;
        boolean forCuda = cuda || Files.exists(Path.of(natives, System.mapLibraryName("torch_cuda")));
        return forCuda && known != null ? known.warning() : null;
    }

    /** Describes the engine, and loads it first if necessary. */
    public static EngineFacts read() {
        return new EngineFacts(
                TrainingRuntime.version(),
                System.getenv("PYTORCH_LIBRARY_PATH") == null
                        ? Platform.detectPlatform("pytorch").getFlavor()
                        : null,
                TrainingRuntime.has(StandardCapabilities.CUDA),
                LibUtils.getLibtorchPath(),
                EngineBridge.loaded().orElse(null));
    }
}
