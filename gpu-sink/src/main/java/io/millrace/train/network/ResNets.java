package io.millrace.train.network;

import java.util.List;

/**
 * The residual networks of torchvision: He, Zhang, Ren, Sun, "Deep Residual Learning for Image Recognition" (2015), with the
 * stride of a bottleneck in its 3x3 convolution, and torchvision's names for the tensors.
 */
final class ResNets {
    private static final int WIDTH = 64;

    private enum Kind {
        BASIC(1),
        BOTTLENECK(4);

        private final int expansion;

        Kind(int expansion) {
            this.expansion = expansion;
        }
    }

    private ResNets() {}

    /** Returns a network of 18 layers in basic blocks. */
    static LayerNetwork resnet18(int channels, int classes) {
        return resnet18(WIDTH, channels, classes);
    }

    /** Returns the same network with another number of channels in the first group; each further group doubles it. */
    static LayerNetwork resnet18(int width, int channels, int classes) {
        return build(Kind.BASIC, List.of(2, 2, 2, 2), width, channels, classes);
    }

    /** Returns a network of 50 layers in bottleneck blocks. */
    static LayerNetwork resnet50(int channels, int classes) {
        return build(Kind.BOTTLENECK, List.of(3, 4, 6, 3), WIDTH, channels, classes);
    }

    private static LayerNetwork build(Kind kind, List<Integer> depths, int firstWidth, int channels, int classes) {
        LayerNetwork.Builder network = new LayerNetwork.Builder()
                .convolution("conv1", channels, firstWidth, 7, 2)
                .batchNormalization("bn1", firstWidth)
                .relu()
                .maxPool(3, 2, 1);
        int inputs = firstWidth;
        for (int group = 0; group < depths.size(); group++) {
            int width = firstWidth << group;
            for (int block = 0; block < depths.get(group); block++) {
                int stride = group > 0 && block == 0 ? 2 : 1;
                String name = "layer" + (group + 1) + "." + block;
                network.add(block(network, kind, name, inputs, width, stride));
                inputs = width * kind.expansion;
            }
        }
        return network.globalAveragePool()
                .flatten()
                .linear("fc", inputs, classes)
                .build(classes);
    }

    private static Layer block(
            LayerNetwork.Builder network, Kind kind, String name, int inputs, int width, int stride) {
        int outputs = width * kind.expansion;
        LayerNetwork.Builder main = network.part();
        if (kind == Kind.BASIC) {
            main.convolution(name + ".conv1", inputs, width, 3, stride)
                    .batchNormalization(name + ".bn1", width)
                    .relu()
                    .convolution(name + ".conv2", width, outputs, 3, 1)
                    .batchNormalization(name + ".bn2", outputs);
        } else {
            main.convolution(name + ".conv1", inputs, width, 1, 1)
                    .batchNormalization(name + ".bn1", width)
                    .relu()
                    .convolution(name + ".conv2", width, width, 3, stride)
                    .batchNormalization(name + ".bn2", width)
                    .relu()
                    .convolution(name + ".conv3", width, outputs, 1, 1)
                    .batchNormalization(name + ".bn3", outputs);
        }
        if (stride == 1 && inputs == outputs) {
            return new Layer.Residual(main.sequence(), null);
        }
        LayerNetwork.Builder shortcut = network.part()
                .convolution(name + ".downsample.0", inputs, outputs, 1, stride)
                .batchNormalization(name + ".downsample.1", outputs);
        return new Layer.Residual(main.sequence(), shortcut.sequence());
    }
}
