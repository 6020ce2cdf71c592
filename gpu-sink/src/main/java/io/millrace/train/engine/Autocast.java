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
 * PyTorch's autocast to bfloat16, on the thread that calls and while a network computes: matrix products and convolutions
 * take bfloat16, whatever the layers' weights are. DJL has no way to it, so libtorch is asked directly.
 *
 * <p>Nothing of it is left when {@link #inside} returns: weights that were cast are forgotten (they change with the next
 * update), and what follows, the loss first, is float32. So is what others compute on this thread or beside it.
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

    /** What a bfloat16 number is multiplied by to be float32: DJL's own conversion breaks off the gradient. */
    private final PtNDArray one;

    /**
     * For networks on the manager's device, which owns an array of this.
     *
     * @throws TrainSpecException when this libtorch lacks a function
     */
    public Autocast(PtNDManager manager) {
        this.device = manager.getDevice().isGpu() ? Libtorch.CUDA : Libtorch.CPU;
        this.one = (PtNDArray) manager.ones(new Shape(1), DataType.FLOAT32);
    }

    /**
     * Computes in bfloat16 where that suffices.
     *
     * @return float32, beside the outputs
     */
    public PtNDArray inside(Supplier<PtNDArray> network) {
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

    /** Whether what this thread computes now is cast. */
    public boolean isEnabled() {
        return Libtorch.bool(isEnabled.invokeInt(new Object[] {device}));
    }
}
