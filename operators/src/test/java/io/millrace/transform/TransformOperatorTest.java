package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.option.Option;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.BadSample;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleType;
import io.millrace.sample.Split;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;

class TransformOperatorTest {
    private static final TransformSpec MASK = spec("RandomMask", Map.of("ratio", 0.5));

    @Test
    void drawsNumbersThatDependOnSampleEpochAndStageAlone() throws Exception {
        Sample expected = sample(7, Split.TRAIN);
        MASK.create().apply(expected, new SampleRandom(42, 3).reset(1, 7));

        // Another sample before sample 7 must not change the random numbers of sample 7.
        List<Sample> out = run(MASK, sample(5, Split.TRAIN), sample(7, Split.TRAIN));

        assertThat(out.get(1).image().data()).isEqualTo(expected.image().data());
        assertThat(out.get(0).image().data()).isNotEqualTo(expected.image().data());
    }

    @Test
    void samplesOfTheOtherSplitAndBadSamplesPassUnchanged() throws Exception {
        Sample bad = sample(1, Split.TRAIN);
        BadSample why = new BadSample("read", "d", "f", 0, "r");
        bad.quarantine(why);

        List<Sample> out = run(MASK, sample(7, Split.EVALUATE), bad);

        assertThat(out.get(0).image().data())
                .isEqualTo(sample(7, Split.EVALUATE).image().data());
        assertThat(out.get(1).badSample()).isSameAs(why);
    }

    @Test
    void badSampleIsQuarantinedWithStageDatasetAndReason() throws Exception {
        Sample broken = new Sample(3, "cat/3.jpg", 0).placeAt(3, 0, Split.TRAIN);
        broken.put(Sample.IMAGE, Field.encoded(new byte[] {1, 2, 3}));

        List<Sample> out = run(spec("decode", Map.of()), broken);

        assertThat(out.get(0).badSample()).satisfies(failure -> {
            assertThat(failure.stage()).isEqualTo("stage");
            assertThat(failure.dataset()).isEqualTo("data/some");
            assertThat(failure.file()).isEqualTo("cat/3.jpg");
            assertThat(failure.reason()).isNotEmpty();
        });
        assertThat(out.get(0).fieldNames()).isEmpty();
    }

    @Test
    void faultyTransformEndsTheJobNamingTheSample() {
        Sample encoded = new Sample(3, "cat/3.jpg", 0).placeAt(3, 0, Split.TRAIN);
        encoded.put(Sample.IMAGE, Field.encoded(new byte[] {1, 2, 3}));

        assertThatThrownBy(() -> run(MASK, encoded))
                .isInstanceOf(StageFailedException.class)
                .hasMessageStartingWith("stage stage failed on sample 3 (cat/3.jpg): ")
                .hasMessageNotContaining("IllegalStateException")
                .hasMessageContaining("'decode' is missing");
    }

    private static TransformSpec spec(String name, Map<String, ?> options) {
        List<Option<?>> declared = ServiceLoader.load(TransformFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(factory -> factory.name().equals(name))
                .findFirst()
                .orElseThrow()
                .options();
        return new TransformSpec(name, OptionValues.of(declared, options));
    }

    private static Sample sample(long index, Split split) {
        byte[] pixels = new byte[16 * 16 * 3];
        Arrays.fill(pixels, (byte) 200);
        return new Sample(index, "k" + index, 0)
                .placeAt(100 + index, 1, split)
                .put(Sample.IMAGE, Field.image(16, 16, 3, pixels));
    }

    @SuppressWarnings("try") // the harness declares that closing it may be interrupted
    private static List<Sample> run(TransformSpec spec, Sample... samples) throws Exception {
        StageOperator operator =
                StageOperator.of(new StagePlace("stage", spec, Split.TRAIN, "data/some", 42, 3, Neighbors.NONE), null);
        try (OneInputStreamOperatorTestHarness<Sample, Sample> harness = new OneInputStreamOperatorTestHarness<>(
                operator, SampleType.INSTANCE.createSerializer(new SerializerConfigImpl()))) {
            harness.open();
            for (Sample sample : samples) {
                harness.processElement(new StreamRecord<>(sample));
            }
            return harness.extractOutputValues();
        }
    }
}
