package io.millrace.batch;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** A benchmark of packing a row of 150,528 float32, a photo of 224 x 224, in each wire type. */
@NullUnmarked // JMH fills the fields through @Setup
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {"--add-opens=java.base/java.nio=ALL-UNNAMED", "-Xmx1g"})
public class WireBenchmark {
    private static final int VALUES = 224 * 224 * 3;

    /** {@code sparse} is float32 with one of 20 elements other than 0. */
    @Param({"float32", "float16", "bfloat16", "uint8", "sparse"})
    String wire;

    private Sample sample;
    private Packer packer;

    @Setup
    public void fill() {
        boolean sparse = wire.equals("sparse");
        Random random = new Random(1);
        ByteBuffer values = ByteBuffer.allocate(VALUES * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < VALUES; i++) {
            float value = wire.equals("uint8") ? random.nextInt(256) : (float) random.nextGaussian();
            values.putFloat(sparse && random.nextInt(20) > 0 ? 0 : value);
        }
        sample = new Sample(0, "a", 1)
                .put("x", Field.of(DType.FLOAT32, new int[] {VALUES}, values.array()))
                .placeAt(0, 0, Split.TRAIN);
        DType dtype =
                switch (wire) {
                    case "float16" -> DType.FLOAT16;
                    case "bfloat16" -> DType.BFLOAT16;
                    case "uint8" -> DType.UINT8;
                    default -> DType.FLOAT32;
                };
        BatchSpec spec = new BatchSpec(List.of(new BatchSpec.Column(
                "x", dtype, List.of(VALUES), FieldKind.TENSOR, sparse ? Form.SPARSE : Form.DENSE, DType.FLOAT32)));
        packer = new Packer(
                MicroBatchMemory.allocator(), spec, new PackLimits(PackLimits.DEFAULT_BYTES, 1, Duration.ofMillis(50)));
    }

    @TearDown
    public void giveBack() {
        packer.close();
    }

    /** Packs a row into memory. */
    @Benchmark
    public long pack() {
        long sent = packer.add(sample);
        packer.flush().close();
        return sent;
    }
}
