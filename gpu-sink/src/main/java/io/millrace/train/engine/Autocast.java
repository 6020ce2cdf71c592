package io.millrace.train.engine;

import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.jni.JniUtils;
import com.sun.jna.Function;
import io.millrace.train.spec.TrainSpecException;
import java.util.function.Supplier;

/**
 * PyTorch's autocast to bfloat16, which is switched on for the calling thread while a network computes. Matrix products
 * and convolutions then read bfloat16, regardless of the type of the layers' weights. DJL has no method for autocast,
 * so this class calls libtorch directly.
 *
 * <p>{@link #compute} restores the thread's settings when it returns. It also drops the converted weights, because they
 * change with the next update. All later work, beginning with the loss, is float32. Other computations on this thread
 * or on other threads are not affected.
 */
public final class Autocast {
    /** {@code c10::ScalarType::BFloat16}. */
    private static final byte BFLOAT16 = 15;

    private final byte device;
    private final Function isEnabled = Libtorch.IS_AUTOCAST_ENABLED.function();
    private final Function enable = Libtorch.ENABLE_AUTOCAST.function();
    private final Function type = Libtorch.AUTOCAST_TYPE.function();
    private final Function setType = Libtorch.SET_AUTOCAST_TYPE.function();
    private final Function clearCache = Libtorch.CLEAR_AUTOCAST_CACHE.function();

    /** The factor 1 in float32, which converts a bfloat16 result. DJL's own conversion would interrupt the gradient. */
    private final PtNDArray one;

    /**
     * Prepares autocast for networks on the manager's device. The manager owns an array of this object.
     *
     * @throws TrainSpecException when this libtorch lacks a function
     */
    public Autocast(PtNDManager manager) {
        this.device = manager.getDevice().isGpu() ? Libtorch.CUDA : Libtorch.CPU;
        this.one = (PtNDArray) manager.ones(new Shape(1), DataType.FLOAT32);
    }

    /**
     * Runs a network with autocast switched on.
     *
     * @return the network's outputs, float32
     */
    public PtNDArray compute(Supplier<PtNDArray> network) {
        boolean before = isEnabled();
        byte typeBefore = (byte) type.invokeInt(new Object[] {device});
        setType.invokeVoid(new Object[] {device, BFLOAT16});
        enable.invokeVoid(new Object[] {device, Libtorch.bool(true)});
        PtNDArray outputs;
        try {
            outputs = network.get();
        } finally {
            clearCache.invokeVoid(new Object[0]);
            enable.invokeVoid(new Object[] {device, Libtorch.bool(before)});
            setType.invokeVoid(new Object[] {device, typeBefore});
        }
        return JniUtils.mul(outputs, one);
    }

    /** Returns whether autocast is on for this thread. */
    public boolean isEnabled() {
        return Libtorch.bool(isEnabled.invokeInt(new Object[] {device}));
    }
}
