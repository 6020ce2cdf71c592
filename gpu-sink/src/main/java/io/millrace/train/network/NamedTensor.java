package io.millrace.train.network;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import io.millrace.device.EngineTensors;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One named tensor of a network: a parameter or a running statistic, float32. It is declared first, and lies in memory
 * of the {@link FlatState} once that has placed it.
 */
public final class NamedTensor {
    private final String name;
    private final Shape shape;
    private final @Nullable Initializer initializer;
    private @Nullable PtNDArray array;

    /** Where it is placed, when it shares one memory of the engine's with other tensors. */
    private @Nullable PtNDArray home;

    private NamedTensor(String name, Shape shape, @Nullable Initializer initializer, @Nullable PtNDArray array) {
        this.name = name;
        this.shape = shape;
        this.initializer = initializer;
        this.array = array;
    }

    /** A tensor to be made, with first values from {@code initializer}. */
    static NamedTensor declare(String name, Initializer initializer, long... shape) {
        return new NamedTensor(name, new Shape(shape), initializer, null);
    }

    /** A tensor that a module holds already, whose storage will be exchanged. */
    static NamedTensor existing(String name, PtNDArray array) {
        return new NamedTensor(name, array.getShape(), null, array);
    }

    public String name() {
        return name;
    }

    public long[] shape() {
        return shape.getShape();
    }

    /** How many values it has. */
    long elements() {
        return shape.size();
    }

    /** The tensor; views the memory that it was {@linkplain #place placed} in. */
    public PtNDArray array() {
        if (array == null) {
            throw new IllegalStateException(name + " has no memory yet");
        }
        return array;
    }

    /** Stands for another tensor of this name and shape from now on, which is to be placed again. */
    void exchange(PtNDArray other) {
        array().close();
        array = other;
        if (home != null) {
            home.close();
            home = null;
        }
    }

    /** Moves the tensor to memory of its own until it {@linkplain #comeHome comes home}: the engine writes whole memories. */
    void standAlone() {
        if (home != null) {
            try (PtNDArray copy = (PtNDArray) home.duplicate()) {
                EngineTensors.place(array(), copy);
            }
        }
    }

    /** Moves the tensor back to where it was placed. */
    void comeHome() {
        if (home != null) {
            EngineTensors.place(array(), home);
        }
    }

    /**
     * Moves the tensor into memory, with its first values.
     *
     * @param i its number in {@code blocks}
     */
    void place(Blocks blocks, int i, long seed, int number) {
        PtNDArray there = blocks.array(i, shape);
        if (array != null) {
            EngineTensors.copy(there, array);
            EngineTensors.place(array, there);
            if (blocks.areShared()) {
                home = there;
            } else {
                there.close();
            }
            return;
        }
        Initializer first = initializer;
        if (first != null) {
            blocks.values(i).write(values -> first.fill(values.asFloatBuffer(), seed, number));
        }
        array = there;
    }

    /** Returns the name and the shape, for errors. */
    @Override
    public String toString() {
        return "'" + name + "' of " + Arrays.toString(shape());
    }
}
