package io.millrace.train.update;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.engine.PtSymbolBlock;
import ai.djl.pytorch.jni.IValue;
import ai.djl.pytorch.jni.IValueUtils;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.device.DeviceMemory;
import io.millrace.device.EngineTensors;
import io.millrace.lifecycle.Handles;
import io.millrace.train.engine.TrainingMemory;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * An optimizer whose update is one call of a fused kernel of PyTorch, which also sets the gradients to zero.
 *
 * <p>The kernels are reached through {@code update-rules.pt}, a TorchScript module made by {@code
 * src/main/python/export_update_rules.py}. The engine's Java optimizers are several times slower, and their Adam is not PyTorch's:
 * its epsilon is not corrected for the bias.
 *
 * @param method the module's method
 * @param moments the number of moments
 * @param counted whether the method has the number of the update as a parameter
 * @param learningRate the learning rate that the schedule scales
 * @param constants the arguments after the learning rate: doubles and booleans
 */
record FusedOptimizer(String method, int moments, boolean counted, double learningRate, List<Object> constants)
        implements Optimizer {
    /** The module's resource, beside this class. */
    static final String MODULE = "update-rules.pt";

    FusedOptimizer {
        constants = List.copyOf(constants);
    }

    @Override
    public Update prepare(UpdateTensors tensors) {
        Handles handles = new Handles();
        return handles.closeOnFailure(() -> new Kernel(this, tensors, handles));
    }

    /** The call of the kernel with its arguments. */
    private static final class Kernel implements Update {
        private final Handles handles;
        private final FusedOptimizer optimizer;
        private final TrainingMemory where;
        private final PtSymbolBlock module;
        private final DeviceMemory counter;
        private final PtNDArray count;
        private final List<IValue> lists = new ArrayList<>();
        private final List<IValue> constants = new ArrayList<>();

        Kernel(FusedOptimizer optimizer, UpdateTensors tensors, Handles handles) {
            this.handles = handles;
            this.optimizer = optimizer;
            this.where = tensors.memory();
            this.counter = handles.add(where.zeros(Float.BYTES, "the update count"));
            this.module = handles.add(load(where.manager()));
            this.count = where.floats(counter, 0, new Shape());
            addList(tensors.engineWeights());
            addList(tensors.engineGradients());
            tensors.engineMoments().forEach(this::addList);
            if (optimizer.moments == 0) {
                addList(List.of()); // the method has an unused parameter for this list
            }
            if (optimizer.counted) {
                // One count for each vector of weights, all of them the same tensor.
                addList(Collections.nCopies(tensors.engineWeights().size(), count));
            }
            for (Object constant : optimizer.constants) {
                constants.add(handles.add(
                        constant instanceof Boolean flag ? IValue.from(flag) : IValue.from((Double) constant)));
            }
        }

        private static PtSymbolBlock load(PtNDManager manager) {
            try (InputStream resource = FusedOptimizer.class.getResourceAsStream(MODULE)) {
                if (resource == null) {
                    throw new IllegalStateException("no " + MODULE + " on the class path");
                }
                return JniUtils.loadModule(manager, resource, false, false);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void addList(List<PtNDArray> arrays) {
            lists.add(handles.add(IValue.listFrom(arrays.toArray(PtNDArray[]::new))));
        }

        @Override
        public void apply(long number, double learningRate) {
            if (optimizer.counted) {
                setCount(number);
            }
            try (IValue rate = IValue.from(learningRate)) {
                List<IValue> arguments = new ArrayList<>(lists);
                arguments.add(rate);
                arguments.addAll(constants);
                IValueUtils.runMethod(module, optimizer.method, arguments.toArray(IValue[]::new))
                        .close();
            }
        }

        /** Sets the number of this update as float32, in which PyTorch's optimizers keep it. */
        private void setCount(long number) {
            if (where.isHost()) {
                // A separate call of the engine to set the count would cost a small model a tenth of its speed.
                counter.slice(0, Float.BYTES).putFloat(0, (float) number);
            } else {
                EngineTensors.fill(count, (double) number);
            }
        }

        @Override
        public boolean zeroesGradients() {
            return true;
        }

        /** Frees the memory. The arrays that view it are closed later, and are not used after this call. */
        @Override
        public void close() {
            handles.close();
        }
    }
}
