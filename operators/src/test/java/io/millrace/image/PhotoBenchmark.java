package io.millrace.image;

import io.millrace.image.codec.CheckedImage;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.MalformedImageException;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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
 * A benchmark of the work on photos in training, with each of the kernels, in images per second. Run {@code java
 * -cp <test class path> org.openjdk.jmh.Main PhotoBenchmark -p folder=... -prof gc}
 * with the folder of 500x375 JPEGs that {@code ./millrace generate photos} writes. src/test/python/photo_benchmark.py
 * compares with torchvision in one run.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(1)
public class PhotoBenchmark {
    private static final int EDGE = 224;
    private static final int MOST_PHOTOS = 256;

    /** The rows of a micro-batch of 1 MB. */
    private static final int ROWS = 6;

    /** A folder with JPEGs at any depth. */
    @Param("data/photos/train")
    private String folder = "";

    @Param({"native", "vector", "scalar"})
    private String kernels = "";

    private final List<byte[]> photos = new ArrayList<>();
    private final Random random = new Random(1);
    private ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE);
    private ImageDecoder remembering = decoder;
    private Resampler resampler = new Resampler(Interpolation.BILINEAR);
    private Kernels used = ScalarKernels.INSTANCE;
    private Field pixels = ImageVectors.pixels(1, "noise", 375, 500, 3);
    private byte[] latestDecoded = {};
    private byte[] latest = {};
    private final ByteBuffer rows = ByteBuffer.allocateDirect(ROWS * 3 * EDGE * EDGE);
    private int nextRow;
    private int next;

    @Setup
    public void open() throws IOException, MalformedImageException {
        used = KernelChoice.named(kernels);
        decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE, used);
        remembering = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE, EntryPoints.DEFAULT, used);
        resampler = new Resampler(Interpolation.BILINEAR, used);
        try (Stream<Path> files = Files.walk(Path.of(folder))) {
            for (Path file : files.filter(path -> path.toString().endsWith(".jpg"))
                    .sorted()
                    .limit(MOST_PHOTOS)
                    .toList()) {
                photos.add(Files.readAllBytes(file));
            }
        }
        pixels = decoder.decode(photos.get(0));
    }

    /**
     * Decodes, crops, resizes and flips in three stages. The first stage decodes only the pixels that the crop keeps.
     */
    @Benchmark
    public Field threeStages() throws MalformedImageException {
        CheckedImage image = decoder.check(photo());
        Crop crop = crop(image.height(), image.width());
        Field decoded = decoder.decode(image, crop, latestDecoded);
        latestDecoded = decoded.data();
        return flipped(resampler.resize(decoded, Crop.whole(crop.height(), crop.width()), EDGE, EDGE, latest));
    }

    /** Does the same, but resizes and mirrors each row as soon as it is decoded, as a pipeline does with fused stages. */
    @Benchmark
    public Field oneStep() throws MalformedImageException {
        return oneStep(decoder);
    }

    /** Does the same as {@link #oneStep} with the entry points of JPEGs. The first decodes of a photo record them. */
    @Benchmark
    public Field laterEpochs() throws MalformedImageException {
        return oneStep(remembering);
    }

    /** Does the same as {@link #laterEpochs}, and copies the pixels to a row of a micro-batch. */
    @Benchmark
    public Field copied() throws MalformedImageException {
        Field result = oneStep(remembering);
        Field row = row();
        Objects.requireNonNull(row.stored()).put(0, result.data());
        return row;
    }

    /** Does the same as {@link #copied} in one step, as a pipeline does that packs directly after the resize. */
    @Benchmark
    public Field inPlace() throws MalformedImageException {
        return oneStep(remembering, row());
    }

    private Field row() {
        nextRow = (nextRow + 1) % ROWS;
        ByteBuffer memory = rows.slice(nextRow * 3 * EDGE * EDGE, 3 * EDGE * EDGE);
        return Field.passing(DType.UINT8, new int[] {EDGE, EDGE, 3}, memory);
    }

    private Field oneStep(ImageDecoder chosen) throws MalformedImageException {
        return oneStep(chosen, null);
    }

    private Field oneStep(ImageDecoder chosen, @Nullable Field place) throws MalformedImageException {
        CheckedImage image = chosen.check(photo());
        Crop crop = crop(image.height(), image.width());
        ColumnOrder columns = random.nextBoolean() ? ColumnOrder.MIRRORED : ColumnOrder.AS_STORED;
        Resampler.Result size = new Resampler.Result(EDGE, EDGE, columns);
        ImageDecoder.Resized resized = chosen.decodeResized(image, crop, resampler, size, latest, place);
        Field result;
        if (resized == null) {
            Field decoded = chosen.decode(image, crop, latestDecoded);
            latestDecoded = decoded.data();
            result = resampler.resize(decoded, Crop.whole(crop.height(), crop.width()), size, latest);
        } else {
            result = resized.picture();
        }
        if (place == null) {
            latest = result.data();
        }
        return result;
    }

    /** Does the same as {@link #oneStep} with a flip of its own. */
    @Benchmark
    public Field twoSteps() throws MalformedImageException {
        CheckedImage image = decoder.check(photo());
        Crop crop = crop(image.height(), image.width());
        Resampler.Result size = new Resampler.Result(EDGE, EDGE, ColumnOrder.AS_STORED);
        ImageDecoder.Resized resized = decoder.decodeResized(image, crop, resampler, size, latest, null);
        return flipped(Objects.requireNonNull(resized).picture());
    }

    private Field flipped(Field result) {
        latest = result.data();
        if (random.nextBoolean()) {
            used.mirrorColumns(latest, EDGE, EDGE, 3);
        }
        return result;
    }

    /** Decodes whole photos. */
    @Benchmark
    public Field decode() throws MalformedImageException {
        Field result = decoder.decode(photo(), latestDecoded);
        latestDecoded = result.data();
        return result;
    }

    /** Resizes random crops of one decoded photo to 224x224. */
    @Benchmark
    public Field resize() {
        Field result = resampler.resize(pixels, crop(pixels.height(), pixels.width()), EDGE, EDGE, latest);
        latest = result.data();
        return result;
    }

    /** An operation to measure. */
    @FunctionalInterface
    private interface Work {
        Field run() throws MalformedImageException;
    }

    /**
     * Runs benchmarks for photo_benchmark.py. Reads lines of {@code <kernels> <benchmark> <seconds>}, and prints for
     * each the images per second of this thread's CPU time.
     */
    public static void main(String[] arguments) throws IOException, MalformedImageException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Map<String, PhotoBenchmark> benchmarks = new HashMap<>();
        String line;
        while ((line = lines.readLine()) != null) {
            List<String> words = List.of(line.split(" ", -1));
            PhotoBenchmark benchmark = benchmarks.get(words.get(0));
            if (benchmark == null) {
                benchmark = new PhotoBenchmark();
                benchmark.folder = arguments[0];
                benchmark.kernels = words.get(0);
                benchmark.open();
                benchmarks.put(words.get(0), benchmark);
            }
            Work work =
                    switch (words.get(1)) {
                        case "threeStages" -> benchmark::threeStages;
                        case "twoSteps" -> benchmark::twoSteps;
                        case "oneStep" -> benchmark::oneStep;
                        case "laterEpochs" -> benchmark::laterEpochs;
                        case "copied" -> benchmark::copied;
                        case "inPlace" -> benchmark::inPlace;
                        case "decode" -> benchmark::decode;
                        case "resize" -> benchmark::resize;
                        default -> throw new IllegalArgumentException(line);
                    };
            System.out.println(rate(work, Double.parseDouble(words.get(2))));
        }
    }

    private static double rate(Work work, double seconds) throws MalformedImageException {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begun = System.nanoTime();
        long cpu = threads.getCurrentThreadCpuTime();
        int images = 0;
        while (System.nanoTime() - begun < seconds * 1e9) {
            work.run();
            images++;
        }
        return images * 1e9 / (threads.getCurrentThreadCpuTime() - cpu);
    }

    private byte[] photo() {
        next = (next + 1) % photos.size();
        return photos.get(next);
    }

    /** Draws a crop like RandomResizedCrop: 0.08 to 1 of the area, 3:4 to 4:3. */
    private Crop crop(int rows, int columns) {
        while (true) {
            double area = rows * columns * (0.08 + 0.92 * random.nextDouble());
            double shape = Math.exp((random.nextDouble() * 2 - 1) * Math.log(4.0 / 3));
            int width = (int) Math.rint(Math.sqrt(area * shape));
            int height = (int) Math.rint(Math.sqrt(area / shape));
            if (width <= columns && height <= rows) {
                return new Crop(random.nextInt(rows - height + 1), random.nextInt(columns - width + 1), height, width);
            }
        }
    }
}
