package io.millrace.tutorial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetException;
import io.millrace.dataset.DatasetSpec;
import io.millrace.option.OptionValues;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import io.millrace.train.TestServices;
import io.millrace.transform.Transform;
import io.millrace.transform.TransformSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The format and the transform of this package, used as in a job: by their names in a pipeline file. */
@ExtendWith(TestServices.class)
class TutorialTest {
    @TempDir
    Path folder;

    private static DatasetSpec records(Path file) {
        Map<String, Object> written = Map.of("path", file.toString(), "size", 2L);
        return new DatasetSpec("records", OptionValues.of(new RecordsFormat().options(), written));
    }

    private static Transform noise(long most) {
        return new TransformSpec("AddNoise", OptionValues.of(new AddNoise.Factory().options(), Map.of("most", most)))
                .create();
    }

    @Test
    void formatIsFoundByItsNameAndReadsSamples() throws Exception {
        Path file = Files.write(folder.resolve("my.bin"), new byte[] {7, 1, 2, 3, 4, 9, 5, 6, 7, 8});
        try (Dataset dataset = records(file).open()) {
            assertThat(dataset.size()).isEqualTo(2);
            Sample second = dataset.read(1);
            assertThat(second.label()).isEqualTo(9);
            assertThat(second.image().shape()).containsExactly(2, 2, 1);
            assertThat(second.image().data()).containsExactly(5, 6, 7, 8);
        }
    }

    @Test
    void truncatedFileIsRefusedWithExpectedAndFoundLength() throws Exception {
        Path file = Files.write(folder.resolve("cut.bin"), new byte[7]);
        assertThatThrownBy(() -> records(file).open())
                .isInstanceOf(DatasetException.class)
                .hasMessageEndingWith("cut.bin: expected records of 5 bytes, found 7 bytes in all");
    }

    @Test
    void transformIsFoundByItsNameAndDependsOnTheSampleAlone() throws Exception {
        byte[] first = noisy(noise(10), 3);
        byte[] again = noisy(noise(10), 3);
        byte[] other = noisy(noise(10), 4);
        assertThat(again).isEqualTo(first);
        assertThat(other).isNotEqualTo(first);
        for (byte value : first) {
            assertThat((int) value).isBetween(90, 110);
        }
    }

    private static byte[] noisy(Transform transform, long index) throws BadSampleException {
        byte[] pixels = new byte[64];
        Arrays.fill(pixels, (byte) 100);
        Sample sample = new Sample(index, "grey#" + index, 0).put(Sample.IMAGE, Field.image(8, 8, 1, pixels));
        transform.apply(sample, new SampleRandom(42, 0).reset(0, index));
        return sample.image().data();
    }

    @Test
    void sampleThatWasNotDecodedBecomesABadSample() {
        Sample encoded = new Sample(0, "a.jpg", 0).put(Sample.IMAGE, Field.encoded(new byte[] {1, 2, 3}));
        assertThatThrownBy(() -> noise(10).apply(encoded, new SampleRandom(42, 0).reset(0, 0)))
                .isInstanceOf(BadSampleException.class)
                .hasMessageContaining("is decode missing");
    }
}
