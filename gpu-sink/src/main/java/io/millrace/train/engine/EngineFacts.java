package io.millrace.train.engine;

import ai.djl.engine.StandardCapabilities;
import ai.djl.pytorch.jni.LibUtils;
import ai.djl.util.Platform;
import org.jspecify.annotations.Nullable;

/**
 * The training engine of this process.
 *
 * @param version the version of PyTorch, such as "2.7.1"
 * @param flavor the flavor of its libraries, such as "cpu" or "cu128"; null when they are not DJL's own
 * @param cuda whether the libraries can compute on a GPU
 * @param natives the folder from which the libraries were loaded
 */
public record EngineFacts(String version, @Nullable String flavor, boolean cuda, String natives) {
    /** Describes the engine, and loads it first if necessary. */
    public static EngineFacts read() {
        return new EngineFacts(
                TrainingRuntime.version(),
                System.getenv("PYTORCH_LIBRARY_PATH") == null
                        ? Platform.detectPlatform("pytorch").getFlavor()
                        : null,
                TrainingRuntime.has(StandardCapabilities.CUDA),
                LibUtils.getLibtorchPath());
    }
}
