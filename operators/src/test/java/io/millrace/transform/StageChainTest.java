package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.image.ImageVectors;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.sample.SampleType;
import io.millrace.sample.Split;
import io.millrace.sample.StageDone;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests what the operators of a task leave for one another. */
class StageChainTest {
    private static final int SAMPLES = 20;
    private static final List<TransformSpec> TRANSFORMS = List.of(
            TransformSpec.of("decode", Map.of()),
            TransformSpec.of("RandomResizedCrop", Map.of("size", 24L)),
            TransformSpec.of("RandomHorizontalFlip", Map.of("p", 0.5)));

    @Test
    void stagesOfATaskShareOneChain() {
        Object task = new Object();
        assertThat(StageChain.of(task)).isSameAs(StageChain.of(task)).isNotSameAs(StageChain.of(new Object()));
    }

    @Test
    void workIsTakenOnceAndForItsSampleOnly() {
        StageChain chain = new StageChain();
        Sample first = sample(1);
        Sample second = sample(1);
        chain.join(3);
        chain.leave(first, StageDone.part(5), 3);
        chain.leave(second, null, 3);
        assertThat(chain.take(second)).isNull();
        assertThat(chain.take(first)).isEqualTo(StageDone.part(5));
        assertThat(chain.take(first)).isNull();
    }

    @Test
    void pixelsAreThoseOfStagesThatDoTheirOwnWork() throws Exception {
        List<String> apart = new ArrayList<>();
        for (int i = 0; i < SAMPLES; i++) {
            Sample sample = sample(i);
            for (int number = 0; number < TRANSFORMS.size(); number++) {
                TransformSpec spec = TRANSFORMS.get(number);
                new PlacedTransform(spec.name(), spec, "photos", 42, number).apply(sample);
            }
            apart.add(described(sample));
        }
        assertThat(run(TRANSFORMS.size(), true)).isEqualTo(apart);
        assertThat(run(TRANSFORMS.size(), false)).isEqualTo(apart);
    }

    /** Checks that a picture is not mirrored twice where the planner takes two tasks for one. */
    @Test
    void sampleThatLeavesItsTaskBeforeAStageWhoseWorkIsDoneEndsTheJob() {
        assertThatThrownBy(() -> run(2, true))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("a sample leaves its task before the stages whose work has been done");
    }

    /** Describes the pixels at once, because the next sample overwrites them. */
    private static String described(Sample sample) {
        return sample + Arrays.toString(sample.image().data());
    }

    private static Sample sample(int index) {
        return new Sample(index, "photos/" + index, 0)
                .placeAt(index, 0, Split.TRAIN)
                .put(Sample.IMAGE, Field.encoded(ImageVectors.file("decode/rgb420.jpg")));
    }

    /** Passes samples through the first operators. */
    @SuppressWarnings("try") // the harness declares that closing it may be interrupted
    private static List<String> run(int count, boolean sameTask) throws Exception {
        TypeSerializer<Sample> serializer = SampleType.INSTANCE.createSerializer(new SerializerConfigImpl());
        List<OneInputStreamOperatorTestHarness<Sample, Sample>> operators = new ArrayList<>();
        List<String> results = new ArrayList<>();
        try (MockEnvironment task = MockEnvironment.builder().build()) {
            for (int i = 0; i < count; i++) {
                TransformSpec spec = TRANSFORMS.get(i);
                StagePlace place = new StagePlace(
                        spec.name(),
                        spec,
                        Split.TRAIN,
                        "photos",
                        42,
                        i,
                        new Neighbors(null, following(i + 1, sameTask)));
                OneInputStreamOperatorTestHarness<Sample, Sample> operator =
                        new OneInputStreamOperatorTestHarness<>(StageOperator.of(place, null), serializer, task);
                operator.setup(serializer);
                operator.open();
                operators.add(operator);
            }
            for (int i = 0; i < SAMPLES; i++) {
                StreamRecord<Sample> record = new StreamRecord<>(sample(i));
                for (OneInputStreamOperatorTestHarness<Sample, Sample> operator : operators) {
                    operator.processElement(record);
                }
                results.add(described(record.getValue()));
            }
            for (OneInputStreamOperatorTestHarness<Sample, Sample> operator : operators) {
                operator.close();
            }
        }
        return results;
    }

    private static @Nullable FollowingTransform following(int number, boolean sameTask) {
        return number == TRANSFORMS.size()
                ? null
                : new FollowingTransform(TRANSFORMS.get(number), number, sameTask, following(number + 1, sameTask));
    }
}
