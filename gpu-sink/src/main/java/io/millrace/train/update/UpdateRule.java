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
import io.millrace.train.engine.TensorValues;
import io.millrace.train.engine.TrainingMemory;
import io.millrace.train.network.Blocks;
import io.millrace.train.network.FlatState;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * An optimizer: updates all weights by one call of PyTorch's fused kernel, then sets the gradients to zero. Its moments
 * lie in the device's memory, in the blocks and order of the weights.
 *
 * <p>The kernels are reached through {@code update-rules.pt}, a TorchScript module made by
 * {@code src/main/python/export_update_rules.py}: the engine's Java optimizers are several times slower, and their Adam
 * is not PyTorch's (the epsilon is not corrected for the bias).
 */
public final class UpdateRule implements AutoCloseable {
    /** The module's resource, beside this class. */
    static final String MODULE = "update-rules.pt";

    /**
     * Which rule, and its constants.
     *
     * @param method the module's method
     * @param moments how many vectors as long as the weights it keeps
     * @param counted whether it takes the number of the update
     * @param learningRate the base that the schedule scales
     * @param constants what follows the rate in the method's arguments: doubles and booleans
     */
    public record Formula(String method, int moments, boolean counted, double learningRate, List<Object> constants) {
        public Formula {
            constants = List.copyOf(constants);
        }
    }

    private final Formula formula;
    private final PtSymbolBlock module;
    private final List<Blocks> moments = new ArrayList<>();
    private final TrainingMemory where;
    private final DeviceMemory counter;
    private final PtNDArray count;
    private final List<IValue> lists = new ArrayList<>();
    private final List<IValue> constants = new ArrayList<>();
    private long updates;

    /** Prepares the rule for these weights, with zero moments. */
    public UpdateRule(Formula formula, FlatState state, TrainingMemory where) {
        this.formula = formula;
        this.where = where;
        this.module = load(where.manager());
        this.counter = where.zeros(Float.BYTES, "the update count");
        try {
            this.count = where.floats(counter, 0, new Shape());
            lists.add(list(state.weights()));
            lists.add(list(state.gradients()));
            for (int i = 0; i < formula.moments; i++) {
                Blocks memory = new Blocks(state.layout(), where, "the optimizer's moments");
                moments.add(memory);
                lists.add(list(memory.vectors()));
            }
            if (formula.moments == 0) {
                lists.add(list(List.of())); // the method takes them and does not look at them
            }
            if (formula.counted) {
                // One for each block, all of them the same number.
                lists.add(list(Collections.nCopies(state.weights().size(), count)));
            }
            for (Object constant : formula.constants) {
                constants.add(constant instanceof Boolean flag ? IValue.from(flag) : IValue.from((Double) constant));
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            close();
            throw e;
        }
    }

    private static IValue list(List<PtNDArray> arrays) {
        return IValue.listFrom(arrays.toArray(PtNDArray[]::new));
    }

    private static PtSymbolBlock load(PtNDManager manager) {
        try (InputStream resource = UpdateRule.class.getResourceAsStream(MODULE)) {
            if (resource == null) {
                throw new IllegalStateException("no " + MODULE + " on the class path");
            }
            return JniUtils.loadModule(manager, resource, false, false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Updates the weights by the gradients, and zeroes these. */
    void update(double learningRate) {
        updates++;
        if (formula.counted) {
            tellNumber();
        }
        try (IValue rate = IValue.from(learningRate)) {
            List<IValue> arguments = new ArrayList<>(lists);
            arguments.add(rate);
            arguments.addAll(constants);
            IValueUtils.runMethod(module, formula.method, arguments.toArray(IValue[]::new))
                    .close();
        }
    }

    /** The kernel takes the number of this update as float32, as PyTorch's optimizers keep it. */
    private void tellNumber() {
        if (where.isHost()) {
            // A call of the engine for this alone costs a small model a tenth of its speed.
            counter.slice(0, Float.BYTES).putFloat(0, (float) updates);
        } else {
            EngineTensors.fill(count, (double) updates);
        }
    }

    /** How many vectors as long as the weights the rule keeps. */
    public int moments() {
        return formula.moments;
    }

    /** A moment's values, parameter after parameter. */
    public List<TensorValues> moment(int i) {
        return moments.get(i).tensors();
    }

    /** How many updates were made. */
    public long updates() {
        return updates;
    }

    /** Counts on from so many updates. */
    public void continueAfter(long made) {
        updates = made;
    }

    /** Frees the memory; the arrays on it are closed after this and not used any more. */
    @Override
    public void close() {
        lists.forEach(IValue::close);
        constants.forEach(IValue::close);
        module.close();
        moments.forEach(Blocks::close);
        counter.close();
    }
}
