package io.millrace.device;

import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.engine.PtSymbolBlock;
import ai.djl.pytorch.jni.IValue;
import ai.djl.pytorch.jni.JniUtils;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;

/**
 * Functions in a TorchScript module without parameters, for operations that DJL lacks. They run on the device of their
 * arguments, and their results may take part in training. Any thread may call the methods.
 */
public final class EngineScript implements AutoCloseable {
    private final PtSymbolBlock module;

    private EngineScript(PtSymbolBlock module) {
        this.module = module;
    }

    /**
     * Loads a module.
     *
     * @param beside a class in the package of the resource
     * @param resource the name of a file that torch.jit.script wrote
     * @param manager a manager of any device
     */
    public static EngineScript load(Class<?> beside, String resource, PtNDManager manager) {
        try (InputStream script = beside.getResourceAsStream(resource)) {
            if (script == null) {
                throw new IllegalStateException("no " + resource + " on the class path");
            }
            return new EngineScript(JniUtils.loadModule(manager, script, false, false));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Runs a function that returns a tensor.
     *
     * @param manager the owner of the result
     * @param arguments tensors, whole numbers, floats, booleans, {@code long[]} and {@code double[]}
     */
    public PtNDArray tensor(String function, PtNDManager manager, Object... arguments) {
        try (IValue result = run(function, arguments)) {
            return result.toTensor(manager);
        }
    }

    /** Runs a function for its effect on its arguments. */
    public void call(String function, Object... arguments) {
        run(function, arguments).close();
    }

    private IValue run(String function, Object... arguments) {
        IValue[] values = new IValue[arguments.length];
        try {
            for (int i = 0; i < values.length; i++) {
                values[i] = value(arguments[i]);
            }
            return EngineLibrary.run(module, function, values);
        } finally {
            Arrays.stream(values).filter(value -> value != null).forEach(IValue::close);
        }
    }

    private static IValue value(Object argument) {
        if (argument instanceof PtNDArray tensor) {
            return IValue.from(tensor);
        } else if (argument instanceof PtNDArray[] tensors) {
            return IValue.listFrom(tensors);
        } else if (argument instanceof Integer number) {
            return IValue.from((long) number);
        } else if (argument instanceof Long number) {
            return IValue.from(number);
        } else if (argument instanceof Double number) {
            return IValue.from(number);
        } else if (argument instanceof Boolean flag) {
            return IValue.from(flag);
        } else if (argument instanceof long[] numbers) {
            return IValue.listFrom(numbers);
        } else if (argument instanceof double[] numbers) {
            return IValue.listFrom(numbers);
        }
        throw new IllegalArgumentException("a function accepts no " + argument.getClass());
    }

    @Override
    public void close() {
        module.close();
    }
}
