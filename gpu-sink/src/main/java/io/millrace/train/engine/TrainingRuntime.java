package io.millrace.train.engine;

import ai.djl.engine.Engine;
import ai.djl.engine.EngineException;
import ai.djl.engine.StandardCapabilities;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import ai.djl.pytorch.jni.LibUtils;
import com.sun.jna.NativeLibrary;
import io.millrace.device.CudaDevice;
import io.millrace.device.DeviceException;
import io.millrace.device.EngineTensors;
import io.millrace.device.HostDevice;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The start of PyTorch in this JVM, with settings that let training and preprocessing share the machine. The settings hold
 * for the whole process. Any thread may call every method.
 *
 * <ul>
 * <li>{@code OMP_WAIT_POLICY=PASSIVE}, unless the environment sets it: PyTorch's worker threads sleep between operators
 *     instead of spinning. With decoders on the other cores, spinning costs a small model half to nine tenths of its speed.
 * <li>{@code TORCH_CPP_LOG_LEVEL=ERROR}, unless the environment sets it: libtorch would print warnings about calls of DJL to
 *     standard error.
 * <li>{@code OPT_OUT_TRACKING}: DJL does not report its use over the network.
 * <li>TorchScript's profiling optimizer is off. It changes code after the first runs, but a run that starts from a
 *     checkpoint must compute the same as an uninterrupted one.
 * </ul>
 *
 * <p>Tested by {@code BrokenEngineE2E}.
 */
public final class TrainingRuntime {
    private static final Logger LOG = LoggerFactory.getLogger(TrainingRuntime.class);
    private static final String ENGINE = "PyTorch";

    /** A property of DJL. If it is true, modules run on a stream from a pool while no gradients are recorded. */
    private static final String OWN_STREAMS = "ai.djl.pytorch.enable_cuda_stream";

    /**
     * The engine's version; null before it is loaded. Volatile because several threads may load the engine; at worst they
     * compare its files twice.
     */
    private static volatile @Nullable String loaded;

    /** Whether the bridge was checked, so that a process warns about it once. Trainers open GPUs on their own threads. */
    private static final AtomicBoolean BRIDGE_CHECKED = new AtomicBoolean();

    private TrainingRuntime() {}

    /**
     * Loads the engine, if it is not loaded. This lasts 0.5 to 1 s, and 5 to 7 s when its libraries are unpacked for the
     * first time. Call it early on a thread of its own, so that it overlaps with the rest of the start.
     */
    public static void preload() {
        engine();
    }

    private static Engine engine() {
        if (loaded == null) {
            EngineNatives natives = EngineNatives.find();
            natives.requireOneVersion();
            if (Holder.LOADED.failure != null) {
                throw natives.unloadable(Holder.LOADED.failure);
            }
            loaded = Holder.LOADED.engine().getVersion();
        }
        return Holder.LOADED.engine();
    }

    /** Returns the version of the engine, such as "2.7.1". */
    public static String version() {
        return engine().getVersion();
    }

    /** Returns the version if the engine is loaded in this process, or null. Loads nothing. */
    public static @Nullable String loadedVersion() {
        return loaded;
    }

    /** Returns whether the engine's libraries have a capability of {@link ai.djl.engine.StandardCapabilities}. */
    static boolean has(String capability) {
        return engine().hasCapability(capability);
    }

    /**
     * Returns the number of intra-operation threads for a configured number, where 0 means the default: half of the CPUs, at
     * least 1. The other half is left to the decoders.
     *
     * <p>With the same number of threads, a training computes the same bits in every run. With another number it
     * computes other bits, because PyTorch's matrix products and convolutions sum in another order (seen with mlp,
     * convnet and resnet18, 1 and 2 threads). Therefore the default depends only on the machine, never on the
     * parallelism of the job's other stages.
     */
    public static int threads(int configured) {
        return configured > 0 ? configured : Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    }

    /**
     * Opens a GPU on which the engine trains, and loads the engine if necessary.
     *
     * @throws DeviceException with the missing part: the driver, the device, or the engine's CUDA libraries
     */
    public static CudaDevice openCuda(int number) {
        CudaDevice.require(number); // reports a missing driver first
        if (Boolean.getBoolean(OWN_STREAMS)) {
            throw new DeviceException("-D" + OWN_STREAMS
                    + "=true makes DJL use streams that Millrace does not wait for:" + " remove this option");
        }
        EngineNatives natives = EngineNatives.find();
        natives.requireCuda();
        engine();
        if (!has(StandardCapabilities.CUDA)) {
            throw natives.withoutCuda(version());
        }
        if (!BRIDGE_CHECKED.getAndSet(true)) {
            EngineBridge.loaded().map(EngineBridge::warning).ifPresent(LOG::warn);
        }
        return CudaDevice.ofEngine(number);
    }

    /** Prepares this thread for training and returns a manager of arrays in host memory, which the caller closes. */
    public static PtNDManager open(int configuredThreads) {
        return open(configuredThreads, new HostDevice());
    }

    /** Prepares this thread for training and returns a manager of arrays in a device's memory, which the caller closes. */
    public static PtNDManager open(int configuredThreads, io.millrace.device.Device device) {
        PtNDManager manager = (PtNDManager) engine().newBaseManager(EngineTensors.engineDevice(device));
        JniUtils.setNumThreads(threads(configuredThreads));
        JniUtils.setGraphExecutorOptimize(false);
        JniUtils.setGradMode(false);
        return manager;
    }

    /** The engine, or why its libraries could not be loaded, which cannot change within this process. */
    private record Loaded(
            @Nullable Engine loadedEngine, @Nullable EngineException failure) {
        Engine engine() {
            return Objects.requireNonNull(loadedEngine);
        }
    }

    private static final class Holder {
        static final Loaded LOADED = load();

        private static Loaded load() {
            if (System.getProperty("OPT_OUT_TRACKING") == null) {
                System.setProperty("OPT_OUT_TRACKING", "true");
            }
            boolean environment = NativeEnvironment.isKnown();
            if (environment) {
                NativeEnvironment.setDefault("OMP_WAIT_POLICY", "PASSIVE");
                NativeEnvironment.setDefault("TORCH_CPP_LOG_LEVEL", "ERROR");
            }
            Engine engine;
            try {
                engine = Engine.getEngine(ENGINE);
            } catch (EngineException e) {
                return new Loaded(null, e);
            }
            if (environment) {
                readLogLevel();
            }
            ConvolutionLibrary.choose();
            return new Loaded(engine, null);
        }

        /**
         * Makes libtorch read its log level by {@code c10::initLogging()}, as Python's torch does when it is imported.
         * libtorch does not read it by itself.
         */
        private static void readLogLevel() {
            Path library = Path.of(LibUtils.getLibtorchPath(), System.mapLibraryName("c10"));
            try {
                NativeLibrary.getInstance(library.toString())
                        .getFunction("_ZN3c1011initLoggingEv")
                        .invokeVoid(new Object[0]);
            } catch (UnsatisfiedLinkError e) {
                LOG.info("libtorch prints its warnings, because they cannot be turned off: {}", e.toString());
            }
        }
    }
}
