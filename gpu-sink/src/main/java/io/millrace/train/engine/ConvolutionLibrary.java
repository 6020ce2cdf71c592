package io.millrace.train.engine;

import ai.djl.pytorch.jni.LibUtils;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The choice of the library for convolutions on the CPU. PyTorch uses oneDNN, which divides by the sizes of the CPU's caches. Some
 * virtual machines report no caches, and there a convolution of 1x1 ends the process (libtorch 2.7.1). On those machines, PyTorch
 * uses its own convolutions.
 */
public final class ConvolutionLibrary {
    private static final Logger LOG = LoggerFactory.getLogger(ConvolutionLibrary.class);

    private static final Path CPU = Path.of("/sys/devices/system/cpu/cpu0");

    /** Linux lists the caches here that the CPU reports. */
    private static final Path CACHES = CPU.resolve("cache");

    private ConvolutionLibrary() {}

    /** Returns whether oneDNN can be used on this machine. */
    public static boolean isOneDnnUsable() {
        boolean reports = Platform.isLinux() && Platform.isIntel() && Files.isDirectory(CPU);
        return !reports || Files.exists(CACHES);
    }

    /** Chooses the library. The engine must have been loaded, and no other thread may use it yet. */
    static void choose() {
        if (isOneDnnUsable()) {
            return;
        }
        Path library = Path.of(LibUtils.getLibtorchPath(), System.mapLibraryName("torch_cpu"));
        try {
            NativeLibrary libtorch = NativeLibrary.getInstance(library.toString());
            // at::globalContext().setUserEnabledMkldnn(false), as torch.backends.mkldnn.enabled = False in Python
            Pointer context = libtorch.getFunction("_ZN2at13globalContextEv").invokePointer(new Object[0]);
            libtorch.getFunction("_ZN2at7Context20setUserEnabledMkldnnEb").invokeVoid(new Object[] {context, (byte) 0});
            LOG.info(
                    "this machine reports no sizes of CPU caches, which oneDNN needs: convolutions on the CPU run without oneDNN");
        } catch (UnsatisfiedLinkError e) {
            LOG.warn(
                    "this machine reports no sizes of CPU caches, and oneDNN cannot be turned off: a convolution on the CPU may end"
                            + " the process: {}",
                    e.toString());
        }
    }
}
