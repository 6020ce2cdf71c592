package io.millrace.image;

import io.millrace.sample.Field;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A benchmark of colour changes of a soft colour image of 224x224, in microseconds per image. Each measurement
 * includes a copy of the image. Run {@code java -cp <test class path> org.openjdk.jmh.Main ColorBenchmark}.
 * src/test/python/colour_benchmark.py measures torchvision.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class ColorBenchmark {
    @Param({
        "copy",
        "brightness",
        "contrast",
        "saturation",
        "hue",
        "jitter",
        "grayscale",
        "blur3",
        "blur9",
        "blur23",
        "invert",
        "posterize",
        "solarize",
        "sharpness",
        "autocontrast",
        "equalize"
    })
    private String operation = "copy";

    private final ColorOps color = new ColorOps();
    private final LevelOps levels = new LevelOps();
    private final SharpnessOps sharpening = new SharpnessOps();
    private final GaussianBlurOps blurring = new GaussianBlurOps();
    private final Field source = ImageVectors.pixels(1, "noise", 224, 224, 3);
    private final Field image = Field.image(224, 224, 3, new byte[224 * 224 * 3]);

    /** Blurs and stretches noise like the script, so that the image is neither flat nor pure noise. */
    @Setup
    public void soften() {
        blurring.blur(source, new GaussianBlurOps.Kernel(9, 9), 2);
        levels.autocontrast(source);
    }

    @Benchmark
    public Field change() {
        System.arraycopy(source.data(), 0, image.data(), 0, image.data().length);
        switch (operation) {
            case "copy" -> {}
            case "brightness" -> color.brightness(image, 1.3);
            case "contrast" -> color.contrast(image, 1.3);
            case "saturation" -> color.saturation(image, 1.3);
            case "hue" -> color.hue(image, 0.1);
            case "jitter" -> {
                color.brightness(image, 1.3);
                color.contrast(image, 0.8);
                color.saturation(image, 1.2);
                color.hue(image, 0.05);
            }
            case "grayscale" -> color.grayscale(image, 3, new byte[0]);
            case "blur3" -> blurring.blur(image, new GaussianBlurOps.Kernel(3, 3), 1);
            case "blur9" -> blurring.blur(image, new GaussianBlurOps.Kernel(9, 9), 1);
            case "blur23" -> blurring.blur(image, new GaussianBlurOps.Kernel(23, 23), 1);
            case "invert" -> PointOps.invert(image);
            case "posterize" -> PointOps.posterize(image, 4);
            case "solarize" -> PointOps.solarize(image, 128);
            case "sharpness" -> sharpening.sharpness(image, 1.5);
            case "autocontrast" -> levels.autocontrast(image);
            case "equalize" -> levels.equalize(image);
            default -> throw new IllegalArgumentException(operation);
        }
        return image;
    }
}
