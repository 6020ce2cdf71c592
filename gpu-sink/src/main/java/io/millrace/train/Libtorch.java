package io.millrace.train;

import ai.djl.pytorch.jni.LibUtils;
import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import java.nio.file.Path;

/** Functions of libtorch that DJL does not pass on, by their C++ names. The engine is loaded before. Any thread may call. */
final class Libtorch {
    /** {@code c10::DeviceType} is a byte. */
    static final byte CPU = 0;

    static final byte CUDA = 1;

    private Libtorch() {}

    /**
     * A function of the library that all flavours of libtorch have.
     *
     * @param name as the compiler wrote it
     * @param purpose what it does, for the error: "switches to bfloat16"
     * @throws TrainSpecException when this libtorch does not have it
     */
    static Function function(String name, String purpose) {
        Path library = Path.of(LibUtils.getLibtorchPath(), System.mapLibraryName("torch_cpu"));
        try {
            return NativeLibrary.getInstance(library.toString()).getFunction(name);
        } catch (UnsatisfiedLinkError e) {
            throw new TrainSpecException(
                    "libtorch " + TrainingRuntime.version() + " in " + library + " has no function " + name + ", which "
                            + purpose + ": expected libtorch 2.7",
                    e);
        }
    }

    /** A C++ bool among a function's arguments. */
    static byte bool(boolean value) {
        return (byte) (value ? 1 : 0);
    }

    /** A C++ bool that a function gave back: the lowest byte, what is above it is left over. */
    static boolean bool(int returned) {
        return (returned & 0xff) != 0;
    }
}
