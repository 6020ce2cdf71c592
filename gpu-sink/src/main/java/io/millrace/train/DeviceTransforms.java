package io.millrace.train;

import ai.djl.pytorch.engine.PtNDManager;
import io.millrace.batch.BatchSpec;
import io.millrace.option.Choice;
import io.millrace.option.Option;
import io.millrace.option.OptionType;
import io.millrace.option.OptionValues;
import java.util.List;

/**
 * What a pipeline file can have done to a batch on the device, after its bytes became floats (0 to 255 where nothing
 * scales them). Stateless.
 */
public final class DeviceTransforms {
    private static final OptionType<Double> POSITIVE = OptionType.NUMBER.where(n -> n > 0, "above 0");

    private static final Option<Double> SCALE =
            Option.of("scale", POSITIVE, "What every value is divided by.").orElse(255.0);
    private static final Option<List<Double>> MEAN = Option.of(
            "mean", OptionType.listOf(OptionType.NUMBER), "Subtracted: one number per channel, or one for all.");
    private static final Option<List<Double>> STD =
            Option.of("std", OptionType.listOf(POSITIVE), "Divided by: one number per channel, or one for all.");

    /** JPEG's YCbCr, full range. */
    private static final float[] COLOR_ROWS = {
        0.299f, 0.587f, 0.114f, -0.16874f, -0.33126f, 0.5f, 0.5f, -0.41869f, -0.08131f
    };

    private static final float[] COLOR_OFFSET = {0, 128, 128};

    private static final List<Named<Maker>> ALL = List.of(
            new Named<>(
                    "ToFloat",
                    "Divides every value: 0..255 becomes 0..1.",
                    List.of(SCALE),
                    (options, shape, manager) -> DeviceTransform.Scale.of(options.get(SCALE), manager)),
            new Named<>(
                    "Normalize",
                    "Subtracts a mean and divides by a deviation, per channel, as torchvision's Normalize.",
                    List.of(MEAN, STD),
                    DeviceTransforms::normalize),
            new Named<>(
                    "ConvertColor",
                    "Converts RGB to YCbCr; best before values are scaled, as 128 is added to two channels.",
                    List.of(),
                    DeviceTransforms::convertColor));

    /** Makes a transform for rows of this shape. */
    @FunctionalInterface
    interface Maker {
        DeviceTransform make(OptionValues options, List<Integer> shape, PtNDManager manager);
    }

    private DeviceTransforms() {}

    /** Every device transform, for the configuration and the documentation. */
    public static List<Choice> all() {
        return List.copyOf(ALL);
    }

    /**
     * Makes the transforms for a column.
     *
     * @throws TrainSpecException when one is unknown, or does not go with the column's shape
     */
    static List<DeviceTransform> open(List<TrainSpec.Part> parts, BatchSpec.Column column, PtNDManager manager) {
        return parts.stream()
                .map(part -> Named.find(ALL, "device transform", part).make(part.options(), column.shape(), manager))
                .toList();
    }

    private static DeviceTransform normalize(OptionValues options, List<Integer> shape, PtNDManager manager) {
        int channels = shape.get(shape.size() - 1);
        float[] mean = perChannel("mean", options.get(MEAN), channels);
        float[] std = perChannel("std", options.get(STD), channels);
        int period = shape.size() < 2 ? channels : channels * shape.get(shape.size() - 2);
        return DeviceTransform.Standardize.of(mean, std, period, manager);
    }

    private static float[] perChannel(String key, List<Double> given, int channels) {
        if (given.size() != 1 && given.size() != channels) {
            throw new TrainSpecException("Normalize: '" + key + "' has " + given.size()
                    + " numbers, expected 1 or one for each of the " + channels + " channels");
        }
        float[] values = new float[channels];
        for (int i = 0; i < channels; i++) {
            values[i] = given.get(given.size() == 1 ? 0 : i).floatValue();
        }
        return values;
    }

    private static DeviceTransform convertColor(OptionValues options, List<Integer> shape, PtNDManager manager) {
        if (shape.size() != 3 || shape.get(2) != 3) {
            throw new TrainSpecException(
                    "ConvertColor takes images of [height, width, 3], found rows of shape " + shape);
        }
        return DeviceTransform.Color.of(COLOR_ROWS, COLOR_OFFSET, manager);
    }
}
