package io.millrace.batch;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
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

/**
 * A benchmark of packing and of serialization, per micro-batch of 1 MB. {@code pixels} is the number of bytes of a row:
 * a digit, or a photo of 224 x 224. It times single calls, so that medians are valid on a busy machine too. The
 * nanoseconds per row are {@code pack} divided by 1,000,000 / (pixels + 24).
 */
@NullUnmarked // JMH fills the fields through @Setup
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {"--add-opens=java.base/java.nio=ALL-UNNAMED", "-Xmx1g"})
public class MicroBatchBenchmark {
    @Param({"784", "150528"})
    int pixels;

    private final DataOutputSerializer out = new DataOutputSerializer(128);
    private BatchSpec spec;
    private Sample sample;
    private Packer packer;
    private Packer full;
    private MicroBatch batch;
    private MicroBatchSerializer serializer;
    private byte[] bytes;

    @Setup
    public void fill() throws IOException {
        spec = new BatchSpec(List.of(new BatchSpec.Column(Sample.IMAGE, DType.UINT8, List.of(pixels))));
        sample = new Sample(0, "a", 1)
                .put(Sample.IMAGE, Field.of(DType.UINT8, new int[] {pixels}, new byte[pixels]))
                .placeAt(0, 0, Split.TRAIN);
        PackLimits limits = new PackLimits(PackLimits.DEFAULT_BYTES, 1 << 20, Duration.ofMillis(50));
        packer = new Packer(MicroBatchMemory.allocator(), spec, limits);
        full = new Packer(MicroBatchMemory.allocator(), spec, limits);
        while (!full.isFull()) {
            full.add(sample);
        }
        batch = full.flush();
        serializer = new MicroBatchSerializer(spec);
        serializer.serialize(batch, out);
        bytes = out.getCopyOfBuffer();
    }

    @TearDown
    public void giveBack() {
        batch.close();
        full.close();
        packer.close();
    }

    /** Packs rows into memory until the micro-batch is full. */
    @Benchmark
    public int pack() {
        while (!packer.isFull()) {
            packer.add(sample);
        }
        try (MicroBatch packed = packer.flush()) {
            return packed.rows();
        }
    }

    /** Copies the memory into the array of Flink's record writer. */
    @Benchmark
    public int serialize() throws IOException {
        out.clear();
        serializer.serialize(batch, out);
        return out.length();
    }

    /** Copies the array of Flink's record reader into memory of the process, which it then frees. */
    @Benchmark
    public long deserialize() throws IOException {
        try (MicroBatch read = serializer.deserialize(new DataInputDeserializer(bytes))) {
            return read.position(0);
        }
    }

    /** Runs both ends of the network edge without the network, as on one core of a job. */
    @Benchmark
    public long serializeAndDeserialize() throws IOException {
        return serialize() + deserialize();
    }
}
