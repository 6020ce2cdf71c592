package io.millrace.image;

import io.millrace.sample.Field;
import java.util.ArrayList;
import java.util.List;
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
 * A benchmark of rotations and distortions of 224x224 images of three channels, in images per second. The
 * parameters are drawn as in geometry_benchmark.py. Run {@code java -cp <test class path> org.openjdk.jmh.Main
 * WarpBenchmark}. src/test/python/geometry_benchmark.py measures torchvision.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(1)
public class WarpBenchmark {
    private static final int SIZE = 224;

    @Param({"NEAREST", "BILINEAR", "BICUBIC"})
    private Interpolation interpolation = Interpolation.BILINEAR;

    private final Field image = ImageVectors.pixels(1, "noise", SIZE, SIZE, 3);
    private final Random random = new Random(1);
    private final Warp warp = new Warp();
    private final byte[] spare = new byte[SIZE * SIZE * 3];

    @Benchmark
    public Field rotate() {
        return warp.rotate(image, Rotation.by(between(-30, 30)), interpolation, Fill.BLACK, spare);
    }

    @Benchmark
    public Field affine() {
        AffineParameters parameters = new AffineParameters(
                between(-30, 30),
                random.nextInt(41) - 20,
                random.nextInt(41) - 20,
                between(0.8, 1.2),
                between(-10, 10),
                0);
        return warp.affine(image, parameters.about(Point.center(SIZE, SIZE)), interpolation, Fill.BLACK, spare);
    }

    @Benchmark
    public Field perspective() {
        List<Point> corners = new ArrayList<>();
        for (Point corner : PerspectiveMap.corners(SIZE, SIZE)) {
            corners.add(new Point(inwards(corner.x()), inwards(corner.y())));
        }
        PerspectiveMap map = PerspectiveMap.between(PerspectiveMap.corners(SIZE, SIZE), corners)
                .orElseThrow();
        return warp.perspective(image, map, interpolation, Fill.BLACK, spare);
    }

    private double between(double least, double most) {
        return least + (most - least) * random.nextDouble();
    }

    private double inwards(double place) {
        int by = random.nextInt(SIZE / 4 + 1);
        return place == 0 ? by : place - by;
    }
}
