package io.millrace.train.network;

import ai.djl.ndarray.NDList;
import ai.djl.pytorch.engine.PtNDArray;
import java.util.ArrayList;
import java.util.List;

/**
 * A network of {@link Layer}s. Its tensors have the names that PyTorch gives them in the same network.
 *
 * <p>Tested by {@code UpdateRuleTest} and {@code ResNetsTest}.
 */
public final class LayerNetwork implements Network {
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
        return (PtNDArray) layers.forward(inputs.singletonOrThrow(), mode);
    }

    /**
     * A builder of a network. It collects layers in their order, and tensors in the order of their declaration. Tensors
     * have the names of PyTorch's {@code state_dict}, such as "fc1.weight". A saved model contains these names.
     */
    public static final class Builder {
        private final List<NamedTensor> parameters;
        private final List<NamedTensor> statistics;
        private final List<Layer> layers = new ArrayList<>();

        /** Creates an empty builder. */
        public Builder() {
            this(new ArrayList<>(), new ArrayList<>());
        }

        private Builder(List<NamedTensor> parameters, List<NamedTensor> statistics) {
            this.parameters = parameters;
            this.statistics = statistics;
        }

        /**
         * Returns a builder for a part of this network. Its tensors are added to this builder, but its layers are not.
         */
        public Builder part() {
            return new Builder(parameters, statistics);
        }

        /** Adds a layer. */
        public Builder add(Layer layer) {
            layers.add(layer);
            return this;
        }

        /** Adds a table of vectors for whole numbers from 0 to {@code count - 1}, with PyTorch's first values. */
        public Builder embedding(String name, long count, long width) {
            return add(new Layer.Embedding(parameter(name + ".weight", Initializer.gaussian(1), count, width)));
        }

        /** Adds a fully connected layer with bias and PyTorch's first values. */
        public Builder linear(String name, long inputs, long outputs) {
            return add(new Layer.Linear(
                    parameter(name + ".weight", Initializer.uniform(inputs), outputs, inputs),
                    parameter(name + ".bias", Initializer.uniform(inputs), outputs)));
        }

        /**
         * Adds fully connected layers with ReLU between them, whose names are "fc1", "fc2" and so on.
         *
         * @param inputs the number of values that the first layer gets
         * @param hidden the widths of the layers before the last one
         * @param outputs the width of the last layer
         */
        public Builder connected(long inputs, List<Integer> hidden, int outputs) {
            long width = inputs;
            int number = 1;
            for (int next : hidden) {
                linear("fc" + number, width, next).relu();
                width = next;
                number++;
            }
            return linear("fc" + number, width, outputs);
        }

        /**
         * Adds a convolution without bias, with He's normal first values. With stride 1 the output has the size of the input.
         *
         * @param window the height and width of the filter, odd
         */
        public Builder convolution(String name, long inputs, long outputs, int window, int stride) {
            NamedTensor weight = parameter(
                    name + ".weight", Initializer.normal(outputs * window * window), outputs, inputs, window, window);
            return add(new Layer.Convolution(weight, null, stride, window / 2));
        }

        /** Adds a 3x3 convolution with bias and PyTorch's first values. The output has the size of the input. */
        public Builder convolutionWithBias(String name, long inputs, long outputs) {
            Initializer initializer = Initializer.uniform(inputs * 9);
            return add(new Layer.Convolution(
                    parameter(name + ".weight", initializer, outputs, inputs, 3, 3),
                    parameter(name + ".bias", initializer, outputs),
                    1,
                    1));
        }

        /** Adds a batch normalization over the channels, with its running statistics. */
        public Builder batchNormalization(String name, long channels) {
            NamedTensor scale = parameter(name + ".weight", Initializer.ONES, channels);
            NamedTensor shift = parameter(name + ".bias", Initializer.ZEROS, channels);
            NamedTensor mean = NamedTensor.declare(name + ".running_mean", Initializer.ZEROS, channels);
            NamedTensor variance = NamedTensor.declare(name + ".running_var", Initializer.ONES, channels);
            statistics.add(mean);
            statistics.add(variance);
            return add(new Layer.BatchNormalization(scale, shift, mean, variance));
        }

        /** Adds a layer that keeps the positive part. */
        public Builder relu() {
            return add(new Layer.Relu());
        }

        /** Adds a layer that keeps the largest value of each square window. */
        public Builder maxPool(int window, int stride, int padding) {
            return add(new Layer.MaxPool(window, stride, padding));
        }

        /** Adds a layer that averages all pixels of an image: [rows, channels, 1, 1]. */
        public Builder globalAveragePool() {
            return add(new Layer.GlobalAveragePool());
        }

        /** Adds a layer that makes one vector of all values of a row. */
        public Builder flatten() {
            return add(new Layer.Flatten());
        }

        /** Returns the layers of this builder as one layer. */
        public Layer sequence() {
            return new Layer.Sequence(List.copyOf(layers));
        }

        /**
         * Returns the network.
         *
         * @param classes the number of outputs for each row or pixel
         */
        public LayerNetwork build(int classes) {
            return new LayerNetwork(this, classes);
        }

        /**
         * Declares a parameter for a {@link Layer} of another kind. The layer gets its tensor from {@link NamedTensor#array} in each
         * step.
         */
        public NamedTensor parameter(String name, Initializer initializer, long... shape) {
            NamedTensor tensor = NamedTensor.declare(name, initializer, shape);
            parameters.add(tensor);
            return tensor;
        }
    }
}
