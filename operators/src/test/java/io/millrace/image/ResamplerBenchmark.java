package io.millrace.image;

import io.millrace.sample.Field;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A benchmark of random crops of a 500x375 image that are resized to 224x224, in crops per second. The crops are drawn
 * as in RandomResizedCrop. Run {@code java -cp <test class path> org.openjdk.jmh.Main ResamplerBenchmark}.
 * src/test/python/resize_benchmark.py measures torchvision.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class ResamplerBenchmark {
    @Param({"BILINEAR", "BICUBIC"})
    private Interpolation interpolation = Interpolation.BILINEAR;

    private final Field image = ImageVectors.pixels(1, "noise", 375, 500, 3);
    private final Random random = new Random(1);
    private Resampler resampler = new Resampler(Interpolation.BILINEAR);

    @org.openjdk.jmh.annotations.Setup
    public void open() {
        resampler = new Resampler(interpolation);
    }

    @Benchmark
    public Field randomCrop() {
        double area = 375 * 500 * (0.08 + 0.92 * random.nextDouble());
        double shape = Math.exp((random.nextDouble() * 2 - 1) * Math.log(4.0 / 3));
        int width = Math.min(500, (int) Math.rint(Math.sqrt(area * shape)));
        int height = Math.min(375, (int) Math.rint(Math.sqrt(area / shape)));
        Crop crop = new Crop(random.nextInt(376 - height), random.nextInt(501 - width), height, width);
        return resampler.resize(image, crop, 224, 224);
    }
}
