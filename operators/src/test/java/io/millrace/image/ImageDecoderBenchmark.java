package io.millrace.image;

import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.image.codec.MalformedImageException;
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
 * A benchmark of decoding a 500x375 JPEG of quality 90 with both levels of the check for damage. Run {@code java -cp
 * <test class path> org.openjdk.jmh.Main ImageDecoderBenchmark -p file=photo.jpg}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 3, time = 2)
@Fork(1)
public class ImageDecoderBenchmark {
    /** A file of the machine, or the name of a vector. */
    @Param("noise.jpg")
    private String file = "";

    @Param({"STRUCTURE", "ENTROPY"})
    private ImageIntegrity integrity = ImageIntegrity.STRUCTURE;

    private byte[] encoded = new byte[0];
    private ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE);

    @Setup
    public void open() throws java.io.IOException {
        java.nio.file.Path path = java.nio.file.Path.of(file);
        encoded = path.isAbsolute() ? java.nio.file.Files.readAllBytes(path) : ImageVectors.file("decode/" + file);
        decoder = new ImageDecoder(DecodeLimits.DEFAULT, integrity);
    }

    @Benchmark
    public Field decode() throws MalformedImageException {
        return decoder.decode(encoded);
    }
}
