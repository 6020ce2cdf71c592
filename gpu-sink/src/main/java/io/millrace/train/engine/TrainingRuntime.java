package io.millrace.train.engine;

import ai.djl.engine.Engine;
import ai.djl.engine.StandardCapabilities;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import ai.djl.pytorch.jni.LibUtils;
import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import io.millrace.device.CudaDevice;
import io.millrace.device.DeviceException;
import io.millrace.device.EngineTensors;
import io.millrace.device.HostDevice;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts PyTorch inside this JVM, with the settings that let training and preprocessing share the machine. They are for
 * the whole process, and so is this class; every method may be called from any thread.
 *
 * <ul>
 *   <li>{@code OMP_WAIT_POLICY=PASSIVE}, unless the environment says otherwise: PyTorch's worker threads sleep between
 *       operators instead of spinning. With decoders on the other cores spinning costs a small model half to nine tenths
 *       of its speed.
 *   <li>{@code TORCH_CPP_LOG_LEVEL=ERROR} likewise: libtorch warns on standard error of calls that DJL makes.
 *   <li>DJL reports its use over the network by default; it does not here ({@code OPT_OUT_TRACKING}).
 *   <li>TorchScript's profiling optimizer is off: it changes code after the first runs, and a run that starts from a
 *       checkpoint must compute what an uninterrupted one computes.
 * </ul>
 */
public final class TrainingRuntime {
    private static final Logger LOG = LoggerFactory.getLogger(TrainingRuntime.class);
    private static final String ENGINE = "PyTorch";

    /** Of DJL: modules run on a stream from a pool where no gradients are recorded. */
    private static final String OWN_STREAMS = "ai.djl.pytorch.enable_cuda_stream";

    /**
     * The engine's version; null before it is loaded. Volatile: several threads may load it, and compare its files again at
     * worst.
     */
    private static volatile @Nullable String loaded;

    private TrainingRuntime() {}

    /**
     * Loads the engine, if it is not loaded: 0.5 to 1 s, and 5 to 7 s when its libraries are unpacked for the first
     * time. Call it early on a thread of its own, so that this overlaps with other starting.
     */
    public static void preload() {
        engine();
    }

    private static Engine engine() {
        if (loaded == null) {
            EngineNatives.find().requireOneVersion();
            loaded = Holder.ENGINE_LOADED.getVersion();
        }
        return Holder.ENGINE_LOADED;
    }

    /** The version of the engine, as "2.7.1". */
    public static String version() {
        return engine().getVersion();
    }

    /** The same where the engine is loaded in this process; null where nothing needed it. Loads nothing. */
    public static @Nullable String loadedVersion() {
        return loaded;
    }

    /** Whether the engine's libraries can do that, as {@link ai.djl.engine.StandardCapabilities} names it. */
    static boolean has(String capability) {
        return engine().hasCapability(capability);
    }

    /**
     * The intra-operator threads for a configured number, 0 being the default: half of the processors, at least 1; the
     * other half is left to the decoders.
     *
     * <p>With the same number of threads a training gives the same bits in every run; with another number it does not:
     * PyTorch's matrix products and convolutions add up in another order (seen with mlp, convnet and resnet18, 1 and 2
     * threads). So the default depends on the machine alone, never on how parallel the rest of the job is.
     */
    public static int threads(int configured) {
        return configured > 0 ? configured : Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    }

    /**
     * Opens a GPU that the engine trains on, and loads the engine if need be.
     *
     * @throws DeviceException with what is missing: the driver, the device, or the engine's libraries for CUDA
     */
    public static CudaDevice openCuda(int number) {
        CudaDevice.require(number); // what is missing of the driver is told first
        if (Boolean.getBoolean(OWN_STREAMS)) {
            throw new DeviceException("-D" + OWN_STREAMS + "=true has DJL work on streams that nothing here waits for:"
                    + " leave it out");
        }
        EngineNatives natives = EngineNatives.find();
        natives.requireCuda();
        engine();
        if (!has(StandardCapabilities.CUDA)) {
            throw natives.withoutCuda(version());
        }
        return CudaDevice.ofEngine(number);
    }

    /** Prepares this thread for training and gives a manager of arrays in host memory; the caller closes it. */
    public static PtNDManager open(int configuredThreads) {
        return open(configuredThreads, new HostDevice());
    }

    /** The same with arrays in a device's memory. */
    public static PtNDManager open(int configuredThreads, io.millrace.device.Device device) {
        PtNDManager manager = (PtNDManager) engine().newBaseManager(EngineTensors.engineDevice(device));
        JniUtils.setNumThreads(threads(configuredThreads));
        JniUtils.setGraphExecutorOptimize(false);
        JniUtils.setGradMode(false);
        return manager;
    }

    private static final class Holder {
        static final Engine ENGINE_LOADED = load();

        private static Engine load() {
            if (System.getProperty("OPT_OUT_TRACKING") == null) {
                System.setProperty("OPT_OUT_TRACKING", "true");
            }
            boolean environment = Platform.isLinux() || Platform.isMac();
            if (environment) {
                setDefault("OMP_WAIT_POLICY", "PASSIVE");
                setDefault("TORCH_CPP_LOG_LEVEL", "ERROR");
            }
            Engine engine = Engine.getEngine(ENGINE);
            if (environment) {
                readLogLevel();
            }
            return engine;
        }

        /** Into the environment of the process itself, where the engine's libraries read it when they load. */
        private static void setDefault(String variable, String value) {
            Function setenv = NativeLibrary.getInstance("c").getFunction("setenv");
            int keepExisting = 0;
            int failed = setenv.invokeInt(new Object[] {variable, value, keepExisting});
            if (failed != 0) {
                throw new IllegalStateException("setenv " + variable + " failed");
            }
        }

        /** The log level is read only when asked for, as Python's torch does when it is imported: c10::initLogging(). */
        private static void readLogLevel() {
            Path library = Path.of(LibUtils.getLibtorchPath(), System.mapLibraryName("c10"));
            try {
                NativeLibrary.getInstance(library.toString())
                        .getFunction("_ZN3c1011initLoggingEv")
                        .invokeVoid(new Object[0]);
            } catch (UnsatisfiedLinkError e) {
                LOG.info("libtorch's warnings cannot be turned off, they will be printed: {}", e.toString());
            }
        }
    }
}
