package io.millrace.train.network;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.jni.JniUtils;
import io.millrace.train.spec.TrainSpecException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a network, which is computed by PyTorch's operators. Images are [rows, channels, height, width].
 *
 * <p>The results of an operation belong to the tensor on which it is called, and are freed after the step; so a layer
 * begins its operations at {@code x}, not at its parameters. It should not read values, because on a GPU a read waits
 * for the whole step.
 *
 * <p>Tested by {@code ResNetsTest} and {@code TextMlpTest}.
 */
@FunctionalInterface
public interface Layer {
    /**
     * Returns the layer's output.
     *
     * @param x the input, float32, or whole numbers for an {@link Embedding}; its first extent is the number of rows
     */
    NDArray forward(NDArray x, Network.Mode mode);

    /** A table of vectors: for whole numbers [rows, numbers] the vectors with these numbers, [rows, numbers, width]. */
    record Embedding(NamedTensor weight) implements Layer {
        @Override
        public NDArray forward(NDArray x, Network.Mode mode) {
            return JniUtils.embedding((PtNDArray) x, weight.array(), false);
        }
    }

    /** A fully connected layer: {@code x W^T + b}. */
    record Linear(NamedTensor weight, NamedTensor bias) implements Layer {
        @Override
        public NDArray forward(NDArray x, Network.Mode mode) {
            return JniUtils.linear((PtNDArray) x, weight.array(), bias.array());
        }
    }

    /** A convolution of one group without dilation. */
    record Convolution(NamedTensor weight, @Nullable NamedTensor bias, int stride, int padding) implements Layer {
        private static final Shape DENSE = new Shape(1, 1);

        @Override
        public NDArray forward(NDArray x, Network.Mode mode) {
            return JniUtils.convolution(
                    (PtNDArray) x,
                    weight.array(),
                    bias == null ? null : bias.array(),
                    // With any stride, a single column stays a single column. With stride 2 in bfloat16, libtorch 2.7
                    // to 2.13 on CPUs leaves parts of the weight's gradient uninitialized.
                    new Shape(stride, x.getShape().get(3) == 1 && keepsSize() ? 1 : stride),
                    new Shape(padding, padding),
                    DENSE,
                    1);
        }

        private boolean keepsSize() {
            return weight.shape()[3] == 2L * padding + 1;
        }
    }

    /**
     * A batch normalization. In training, each batch moves the running statistics by a tenth of the difference, as in
     * PyTorch.
     */
    record BatchNormalization(NamedTensor scale, NamedTensor shift, NamedTensor mean, NamedTensor variance)
            implements Layer {
        private static final double MOMENTUM = 0.1;
        private static final double EPSILON = 1e-5;

        @Override
        public NDArray forward(NDArray x, Network.Mode mode) {
            if (mode == Network.Mode.TRAIN && x.size() == scale.elements()) {
                throw new TrainSpecException("a batch of 1 row gives batch normalization '" + scale.name()
                        + "' a single value per channel, which has no variance: use drop_last, another batch size or"
                        + " larger images");
            }
            // The running statistics are the first two arrays, although the names of DJL's parameters suggest another
            // order.
            return JniUtils.batchNorm(
                    (PtNDArray) x,
                    mean.array(),
                    variance.array(),
                    scale.array(),
                    shift.array(),
                    mode == Network.Mode.TRAIN,
                    MOMENTUM,
                    EPSILON);
        }
    }

    /** A layer that keeps the positive part of each value. */
    record Relu() implements Layer {
        @Override
        public NDArray forward(NDArray x, Network.Mode mode) {
            return JniUtils.relu((PtNDArray) x);
        }
    }

    /** A layer that keeps the largest value of each square window. */
    record MaxPool(int window, int stride, int padding) implements Layer {
        @Override
        public NDArray forward(NDArray x, Network.Mode mode) {
            return JniUtils.maxPool(
                    (PtNDArray) x,
                    new Shape(window, window),
                    new Shape(stride, stride),
                    new Shape(padding, padding),
                    false);
        }
    }

    /** A layer that averages all pixels of an image: [rows, channels, 1, 1]. */
    record GlobalAveragePool() implements Layer {
        private static final Shape ONE = new Shape(1, 1);

        @Override
        public NDArray forward(NDArray x, Network.Mode mode) {
            return JniUtils.adaptiveAvgPool((PtNDArray) x, ONE);
        }
    }

    /** A layer that makes one vector of all values of a row, channel by channel. */
    record Flatten() implements Layer {
        @Override
        public NDArray forward(NDArray x, Network.Mode mode) {
            return JniUtils.flatten((PtNDArray) x, 1, -1);
        }
    }

    /** A sequence of layers, each of which reads the output of the layer before it. */
    record Sequence(List<Layer> layers) implements Layer {
        @Override
        public NDArray forward(NDArray x, Network.Mode mode) {
            NDArray result = x;
            for (Layer layer : layers) {
                result = layer.forward(result, mode);
            }
            return result;
        }
    }

    /**
     * A residual block: the positive part of {@code main(x) + shortcut(x)} or, without a shortcut, of {@code main(x) +
     * x}.
     */
    record Residual(Layer main, @Nullable Layer shortcut) implements Layer {
        @Override
        public NDArray forward(NDArray x, Network.Mode mode) {
            PtNDArray direct = (PtNDArray) (shortcut == null ? x : shortcut.forward(x, mode));
            return JniUtils.relu(JniUtils.add((PtNDArray) main.forward(x, mode), direct));
        }
    }
}
