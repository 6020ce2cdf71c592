package io.millrace.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

class SampleSerializerRoundTripTest {
    @Provide
    Arbitrary<Field> fields() {
        return Combinators.combine(
                        Arbitraries.of(DType.values()),
                        Arbitraries.integers().between(0, 5).array(int[].class).ofMaxSize(4))
                .flatAs((dtype, shape) -> {
                    int bytes = dtype.bytes();
                    for (int extent : shape) {
                        bytes *= extent;
                    }
                    return Arbitraries.bytes()
                            .array(byte[].class)
                            .ofSize(bytes)
                            .map(data -> Field.of(dtype, shape, data));
                });
    }

    @Provide
    Arbitrary<Sample> samples() {
        Arbitrary<BadSample> badSamples = Combinators.combine(
                        Arbitraries.strings(), Arbitraries.strings(), Arbitraries.longs(), Arbitraries.strings())
                .as((dataset, file, offset, reason) -> new BadSample("decode", dataset, file, offset, reason));
        return Combinators.combine(
                        Arbitraries.longs(),
                        Arbitraries.strings(),
                        Arbitraries.longs(),
                        Arbitraries.of(Split.values()),
                        Arbitraries.maps(Arbitraries.strings(), fields()).ofMaxSize(4),
                        badSamples.optional(0.3))
                .as((number, key, label, split, fields, failure) -> {
                    Sample sample = new Sample(number, key, label)
                            .placeAt(~number, (int) (number >>> 40), split)
                            .ofSource((int) (number & 0xFFFF) * (int) (number >>> 16 & 1), 0);
                    fields.forEach(sample::put);
                    failure.ifPresent(sample::quarantine);
                    return sample;
                });
    }

    @Property(tries = 300)
    void writtenSampleIsReadCompletely(@ForAll("samples") Sample sample) throws IOException {
        DataOutputSerializer target = new DataOutputSerializer(64);
        SampleSerializer.INSTANCE.serialize(sample, target);
        DataInputDeserializer source = new DataInputDeserializer(target.getCopyOfBuffer());
        Sample read = SampleSerializer.INSTANCE.deserialize(source);

        assertThat(source.available()).isZero();
        assertThat(SampleSerializerTest.describe(read)).isEqualTo(SampleSerializerTest.describe(sample));
    }
}
