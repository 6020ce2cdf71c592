package io.millrace.train.network;

import ai.djl.ndarray.NDList;
import ai.djl.pytorch.engine.PtNDArray;
import java.util.ArrayList;
import java.util.List;

/** A network of {@link Layer}s, built with the names that PyTorch gives the tensors of the same network. */
final class LayerNetwork implements Network {
    private final List<NamedTensor> parameters;
    private final List<NamedTensor> statistics;
    private final Layer layers;
    private final int classes;

    private LayerNetwork(Builder builder, int classes) {
        this.parameters = List.copyOf(builder.parameters);
        this.statistics = List.copyOf(builder.statistics);
        this.layers = new Layer.Sequence(List.copyOf(builder.layers));
        this.classes = classes;
    }

    @Override
    public List<NamedTensor> parameters() {
        return parameters;
    }

    @Override
    public List<NamedTensor> statistics() {
        return statistics;
    }

    @Override
    public int classes() {
        return classes;
    }

    @Override
    public PtNDArray forward(NDList inputs, Mode mode) {
        return layers.forward((PtNDArray) inputs.singletonOrThrow(), mode);
    }

    /** Collects layers, and their tensors in the order in which they are declared. */
    static final class Builder {
        private final List<NamedTensor> parameters;
        private final List<NamedTensor> statistics;
        private final List<Layer> layers = new ArrayList<>();

        Builder() {
            this(new ArrayList<>(), new ArrayList<>());
        }

        private Builder(List<NamedTensor> parameters, List<NamedTensor> statistics) {
            this.parameters = parameters;
            this.statistics = statistics;
        }

        /** A builder for a part of this network: its tensors join this one's, its layers stay apart. */
        Builder part() {
            return new Builder(parameters, statistics);
        }

        Builder add(Layer layer) {
            layers.add(layer);
            return this;
        }

        Builder linear(String name, long inputs, long outputs) {
            return add(new Layer.Linear(
                    parameter(name + ".weight", Initializer.uniform(inputs), outputs, inputs),
                    parameter(name + ".bias", Initializer.uniform(inputs), outputs)));
        }

        /** A convolution without bias whose output keeps the size when the stride is 1; He's normal first values. */
        Builder convolution(String name, long inputs, long outputs, int window, int stride) {
            NamedTensor weight = parameter(
                    name + ".weight", Initializer.normal(outputs * window * window), outputs, inputs, window, window);
            return add(new Layer.Convolution(weight, null, stride, window / 2));
        }

        /** A 3x3 convolution with bias and PyTorch's first values; keeps the size. */
        Builder convolutionWithBias(String name, long inputs, long outputs) {
            Initializer initializer = Initializer.uniform(inputs * 9);
            return add(new Layer.Convolution(
                    parameter(name + ".weight", initializer, outputs, inputs, 3, 3),
                    parameter(name + ".bias", initializer, outputs),
                    1,
                    1));
        }

        Builder batchNormalization(String name, long channels) {
            NamedTensor scale = parameter(name + ".weight", Initializer.ONES, channels);
            NamedTensor shift = parameter(name + ".bias", Initializer.ZEROS, channels);
            NamedTensor mean = NamedTensor.declare(name + ".running_mean", Initializer.ZEROS, channels);
            NamedTensor variance = NamedTensor.declare(name + ".running_var", Initializer.ONES, channels);
            statistics.add(mean);
            statistics.add(variance);
            return add(new Layer.BatchNormalization(scale, shift, mean, variance));
        }

        Builder relu() {
            return add(new Layer.Relu());
        }

        /** The layers so far as one. */
        Layer sequence() {
            return new Layer.Sequence(List.copyOf(layers));
        }

        LayerNetwork build(int classes) {
            return new LayerNetwork(this, classes);
        }

        private NamedTensor parameter(String name, Initializer initializer, long... shape) {
            NamedTensor slot = NamedTensor.declare(name, initializer, shape);
            parameters.add(slot);
            return slot;
        }
    }
}
