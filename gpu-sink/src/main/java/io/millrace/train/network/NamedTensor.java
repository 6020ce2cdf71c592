package io.millrace.train.network;

import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import io.millrace.device.EngineTensors;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One named float32 tensor of a network: a parameter or a running statistic. It is declared first, and then {@link
 * FlatState} places it in memory.
 */
public final class NamedTensor {
    private final String name;
    private final Shape shape;
    private final @Nullable Initializer initializer;
    private @Nullable PtNDArray array;

    /** The tensor's place, if it shares one memory of the engine with other tensors. */
    private @Nullable PtNDArray sharedPlace;

    private NamedTensor(String name, Shape shape, @Nullable Initializer initializer, @Nullable PtNDArray array) {
        this.name = name;
        this.shape = shape;
        this.initializer = initializer;
        this.array = array;
    }

    /** Declares a tensor with first values from {@code initializer}. */
    static NamedTensor declare(String name, Initializer initializer, long... shape) {
        return new NamedTensor(name, new Shape(shape), initializer, null);
    }

    /** Returns a tensor that a module already holds, whose storage will be replaced. */
    static NamedTensor existing(String name, PtNDArray array) {
        return new NamedTensor(name, array.getShape(), null, array);
    }

    public String name() {
        return name;
    }

    public long[] shape() {
        return shape.getShape();
    }

    /** Returns the number of values. */
    long elements() {
        return shape.size();
    }

    /** Returns the tensor, which views the memory in which it was {@linkplain #place placed}. */
    public PtNDArray array() {
        if (array == null) {
            throw new IllegalStateException(name + " has no memory yet");
        }
        return array;
    }

    /** Replaces the tensor by another tensor of the same name and shape. The new tensor must be placed again. */
    void exchange(PtNDArray other) {
        array().close();
        array = other;
        if (sharedPlace != null) {
            sharedPlace.close();
            sharedPlace = null;
        }
    }

    /**
     * Moves the tensor to memory of its own until {@link #moveBack} is called. When the engine saves a module, it
     * writes the whole memory that a tensor views.
     */
    void moveToOwnMemory() {
        if (sharedPlace != null) {
            try (PtNDArray copy = (PtNDArray) sharedPlace.duplicate()) {
                EngineTensors.place(array(), copy);
            }
        }
    }

    /** Moves the tensor back to its place in the shared memory. */
    void moveBack() {
        if (sharedPlace != null) {
            EngineTensors.place(array(), sharedPlace);
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
                sharedPlace = there;
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
