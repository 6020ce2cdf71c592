package io.millrace.train.engine;

import ai.djl.pytorch.jni.LibUtils;
import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import io.millrace.train.spec.TrainSpecException;
import java.nio.file.Path;

/**
 * Functions of libtorch that DJL does not offer, by their C++ names. All of them are the same in libtorch 2.7 to 2.13
 * at least. None of them may throw, because Java code cannot catch a C++ exception. A function is looked up when it is
 * used, in the library that the engine has loaded before. Any thread may call the methods.
 */
enum Libtorch {
    GLOBAL_CONTEXT("_ZN2at13globalContextEv", Purpose.ROUNDING),
    ROUND_PRODUCTS("_ZN2at7Context18setAllowTF32CuBLASEb", Purpose.ROUNDING),
    ROUND_CONVOLUTIONS("_ZN2at7Context17setAllowTF32CuDNNEb", Purpose.ROUNDING),
    MEASURE_CONVOLUTIONS("_ZN2at7Context17setBenchmarkCuDNNEb", Purpose.MEASURED),
    REPRODUCE_CONVOLUTIONS("_ZN2at7Context21setDeterministicCuDNNEb", Purpose.SAME),
    REPRODUCE_OTHERS("_ZN2at7Context26setDeterministicAlgorithmsEbb", Purpose.SAME),
    FILL_NEW_MEMORY("_ZN2at7Context39setDeterministicFillUninitializedMemoryEb", Purpose.SAME),
    IS_AUTOCAST_ENABLED("_ZN2at8autocast19is_autocast_enabledEN3c1010DeviceTypeE", Purpose.AUTOCAST),
    ENABLE_AUTOCAST("_ZN2at8autocast20set_autocast_enabledEN3c1010DeviceTypeEb", Purpose.AUTOCAST),
    AUTOCAST_TYPE("_ZN2at8autocast18get_autocast_dtypeEN3c1010DeviceTypeE", Purpose.AUTOCAST),
    SET_AUTOCAST_TYPE("_ZN2at8autocast18set_autocast_dtypeEN3c1010DeviceTypeENS1_10ScalarTypeE", Purpose.AUTOCAST),
    CLEAR_AUTOCAST_CACHE("_ZN2at8autocast11clear_cacheEv", Purpose.AUTOCAST);

    /** The value of {@code c10::DeviceType}, which is a byte. */
    static final byte CPU = 0;

    static final byte CUDA = 1;

    /** The purposes of the functions, for the error message about a missing function. */
    private static final class Purpose {
        static final String ROUNDING = "sets whether products are rounded (device.precision)";
        static final String MEASURED = "sets whether cuDNN measures its kernels (device.cudnn_benchmark)";
        static final String SAME = "sets whether results are reproducible (device.deterministic)";
        static final String AUTOCAST = "device.precision bfloat16 needs";
    }

    /** The name that the C++ compiler gave the function. */
    final String symbol;

    private final String purpose;

    Libtorch(String symbol, String purpose) {
        this.symbol = symbol;
        this.purpose = purpose;
    }

    /**
     * Returns the function from the library that all flavors of libtorch have.
     *
     * @throws TrainSpecException when this libtorch does not have it
     */
    Function function() {
        return find(symbol, purpose);
    }

    /** Returns any function by its symbol, as {@link #function} does. */
    static Function find(String symbol, String purpose) {
        Path library = Path.of(LibUtils.getLibtorchPath(), System.mapLibraryName("torch_cpu"));
        try {
            return NativeLibrary.getInstance(library.toString()).getFunction(symbol);
        } catch (UnsatisfiedLinkError e) {
            throw new TrainSpecException(
                    "libtorch " + TrainingRuntime.version() + " in " + library + " has no function " + symbol
                            + ", which " + purpose
                            + ": expected libtorch 2.7 or newer; Millrace supports versions 2.7 to 2.13",
                    e);
        }
    }

    /** Converts a boolean to a C++ bool among a function's arguments. */
    static byte bool(boolean value) {
        return (byte) (value ? 1 : 0);
    }

    /** Converts a C++ bool that a function returned. Only the lowest byte counts; the bytes above it are arbitrary. */
    static boolean bool(int returned) {
        return (returned & 0xff) != 0;
    }
}
