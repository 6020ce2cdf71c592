package io.millrace.image;

import com.sun.management.ThreadMXBean;
import io.millrace.sample.Field;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.function.BiConsumer;

/**
 * A benchmark of each operation with the scalar kernels, the native kernels in plain C and the fastest native kernels, in
 * alternating rounds. The results are nanoseconds of CPU time per pixel of a colour image of 224x224, and allocated bytes
 * per operation of the last kernels. It prints a line {@code operation scalar plain native allocated} for each operation.
 * src/test/python/kernel_benchmark.py runs it beside torchvision.
 */
final class KernelTwinsBenchmark {
    private static final int EDGE = 224;
    private static final int ROUNDS = 7;
    private static final long ROUND_NANOS = 300_000_000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** The objects of one kind of kernels. */
    private record Twin(Resampler bilinear, Resampler bicubic, Kernels kernels, ColorKernel color, Random random) {
        static Twin of(Kernels kernels) {
            return new Twin(
                    new Resampler(Interpolation.BILINEAR, kernels),
                    new Resampler(Interpolation.BICUBIC, kernels),
                    kernels,
                    kernels.color(),
                    new Random(1));
        }
    }

    private KernelTwinsBenchmark() {}

    public static void main(String[] arguments) {
        Field photo = ImageVectors.pixels(1, "noise", 375, 500, 3);
        byte[] spare = new byte[EDGE * EDGE * 3];
        Map<String, BiConsumer<Twin, byte[]>> operations = new LinkedHashMap<>();
        operations.put("resized_crop", (twin, pixels) -> crop(twin.bilinear(), twin.random(), photo, spare));
        operations.put("resized_crop_bicubic", (twin, pixels) -> crop(twin.bicubic(), twin.random(), photo, spare));
        operations.put("hflip", (twin, pixels) -> twin.kernels().mirrorColumns(pixels, EDGE, EDGE, 3));
        operations.put("brightness", (twin, pixels) -> twin.color().blend(pixels, 0, 1.3f, -0.3f));
        operations.put("contrast", (twin, pixels) -> contrast(twin.color(), pixels, 1.3f));
        operations.put("saturation", (twin, pixels) -> twin.color().saturate(pixels, 1.3f, -0.3f));
        operations.put("hue", (twin, pixels) -> twin.color().turnHue(pixels, 0.1f));
        operations.put("grayscale", (twin, pixels) -> twin.color().grayscale(pixels));
        operations.put("jitter", (twin, pixels) -> {
            twin.color().blend(pixels, 0, 1.3f, -0.3f);
            contrast(twin.color(), pixels, 0.8f);
            twin.color().saturate(pixels, 1.2f, -0.2f);
            twin.color().turnHue(pixels, 0.05f);
        });
        List<Twin> twins =
                List.of(Twin.of(ScalarKernels.INSTANCE), Twin.of(NativeKernels.plain()), Twin.of(NativeKernels.best()));
        operations.forEach((name, operation) -> {
            double[] nanos = {Double.MAX_VALUE, Double.MAX_VALUE, Double.MAX_VALUE};
            long allocated = 0;
            for (int round = 0; round < ROUNDS; round++) {
                for (int twin = 0; twin < nanos.length; twin++) {
                    long[] spent = round(twins.get(twin), operation);
                    nanos[twin] = Math.min(nanos[twin], spent[0] / (double) (EDGE * EDGE));
                    allocated = spent[1];
                }
            }
            System.out.printf(Locale.ROOT, "%s %.3f %.3f %.3f %d%n", name, nanos[0], nanos[1], nanos[2], allocated);
        });
    }

    /** Returns the nanoseconds and the bytes of one operation. */
    private static long[] round(Twin twin, BiConsumer<Twin, byte[]> operation) {
        byte[] source = ImageVectors.pixels(1, "ramp", EDGE, EDGE, 3).data();
        byte[] pixels = source.clone();
        long thread = Thread.currentThread().getId();
        long bytes = THREADS.getThreadAllocatedBytes(thread);
        long begin = THREADS.getCurrentThreadCpuTime();
        long count = 0;
        do {
            System.arraycopy(source, 0, pixels, 0, source.length);
            operation.accept(twin, pixels);
            count++;
        } while (THREADS.getCurrentThreadCpuTime() - begin < ROUND_NANOS);
        return new long[] {
            (THREADS.getCurrentThreadCpuTime() - begin) / count,
            (THREADS.getThreadAllocatedBytes(thread) - bytes) / count
        };
    }

    private static void contrast(ColorKernel color, byte[] pixels, float ratio) {
        color.blend(pixels, (float) color.graySum(pixels) / (EDGE * EDGE), ratio, 1 - ratio);
    }

    private static void crop(Resampler resampler, Random random, Field photo, byte[] spare) {
        double area = 375 * 500 * (0.08 + 0.92 * random.nextDouble());
        double shape = Math.exp((random.nextDouble() * 2 - 1) * Math.log(4.0 / 3));
        int width = Math.min(500, (int) Math.rint(Math.sqrt(area * shape)));
        int height = Math.min(375, (int) Math.rint(Math.sqrt(area / shape)));
        Crop crop = new Crop(random.nextInt(376 - height), random.nextInt(501 - width), height, width);
        if (resampler.resize(photo, crop, EDGE, EDGE, spare).height() != EDGE) {
            throw new IllegalStateException();
        }
    }
}
