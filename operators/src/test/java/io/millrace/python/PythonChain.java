package io.millrace.python;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sample.Sample;
import io.millrace.sample.SampleType;
import io.millrace.sample.Split;
import io.millrace.transform.FollowingTransform;
import io.millrace.transform.Neighbors;
import io.millrace.transform.StageOperator;
import io.millrace.transform.StagePlace;
import io.millrace.transform.TransformSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailbox;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.apache.flink.util.IOUtils;
import org.jspecify.annotations.Nullable;

/** The operators of the stages {@code stage0}, {@code stage1}, ... behind one another, each in Flink's test harness. */
final class PythonChain implements AutoCloseable {
    private final List<OneInputStreamOperatorTestHarness<Sample, Sample>> operators = new ArrayList<>();
    private final List<Sample> results = new ArrayList<>();
    private final List<Integer> watermarks = new ArrayList<>();
    private final MockEnvironment task = MockEnvironment.builder().build();

    /** Opens the operators; {@code oneTask} says whether they are in one task. */
    PythonChain(List<TransformSpec> specs, boolean oneTask) throws Exception {
        TypeSerializer<Sample> serializer = SampleType.INSTANCE.createSerializer(new SerializerConfigImpl());
        try {
            for (int i = 0; i < specs.size(); i++) {
                TransformSpec before = i == 0 || !oneTask ? null : specs.get(i - 1);
                StagePlace place = new StagePlace(
                        "stage" + i,
                        specs.get(i),
                        Split.TRAIN,
                        "data",
                        42,
                        i,
                        new Neighbors(before, following(specs, i + 1, oneTask)));
                OneInputStreamOperatorTestHarness<Sample, Sample> harness =
                        new OneInputStreamOperatorTestHarness<>(StageOperator.of(place, null), serializer, task);
                operators.add(harness);
                harness.setup(serializer); // copies no sample
                harness.open();
            }
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    static @Nullable FollowingTransform following(List<TransformSpec> specs, int number, boolean oneTask) {
        return number == specs.size()
                ? null
                : new FollowingTransform(specs.get(number), number, oneTask, following(specs, number + 1, oneTask));
    }

    /** Passes a sample to the first operator, and what each of them hands on to the next one. */
    void add(Sample sample) throws Exception {
        operators.get(0).processElement(new StreamRecord<>(sample));
        passOn(0);
    }

    /** Passes a watermark to the first operator. */
    void add(Watermark mark) throws Exception {
        operators.get(0).processWatermark(mark);
        passOn(0);
    }

    /** Hands on what is ready after the first operator has been called by one of its threads, which is awaited. */
    void awaitCall() throws Exception {
        operators.get(0).getTaskMailbox().take(TaskMailbox.MIN_PRIORITY).run();
        passOn(0);
    }

    /** Prepares all operators for a checkpoint. */
    void prepareCheckpoint() throws Exception {
        for (int i = 0; i < operators.size(); i++) {
            operators.get(i).prepareSnapshotPreBarrier(1);
            passOn(i);
        }
    }

    /** Ends the input, and returns all results. */
    List<Sample> end() throws Exception {
        for (int i = 0; i < operators.size(); i++) {
            operators.get(i).getOneInputOperator().finish();
            passOn(i);
        }
        return results;
    }

    /** Returns the number of results before each watermark of a chain of one operator. */
    List<Integer> watermarks() {
        return watermarks;
    }

    /** Returns what the last operator has handed on until now. */
    List<Sample> results() {
        return results;
    }

    private void passOn(int number) throws Exception {
        Queue<Object> passed = operators.get(number).getOutput();
        for (Object one = passed.poll(); one != null; one = passed.poll()) {
            if (one instanceof Watermark) {
                watermarks.add(results.size());
                continue;
            }
            Sample sample = (Sample) ((StreamRecord<?>) one).getValue();
            if (number + 1 < operators.size()) {
                operators.get(number + 1).processElement(new StreamRecord<>(sample));
                passOn(number + 1);
            } else {
                results.add(copied(sample));
            }
        }
    }

    /** Copies the fields, as the packer does, because the next sample overwrites them. */
    private static Sample copied(Sample sample) {
        for (String name : sample.fieldNames()) {
            assertThat(sample.field(name).data()).isNotNull();
        }
        return sample;
    }

    /** Closes the operators as Flink does when a job is cancelled: the input has not ended. The harness would end it. */
    void cancel() throws Exception {
        for (OneInputStreamOperatorTestHarness<Sample, Sample> harness : operators) {
            harness.getOneInputOperator().close();
        }
        operators.clear();
    }

    @Override
    public void close() {
        try {
            IOUtils.closeAll(operators);
            task.close();
        } catch (Exception e) {
            throw new IllegalStateException("an operator cannot be closed", e);
        }
    }
}
