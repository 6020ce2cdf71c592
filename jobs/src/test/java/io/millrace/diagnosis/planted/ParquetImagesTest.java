package io.millrace.diagnosis.planted;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetSpec;
import io.millrace.dataset.parquet.ParquetFormat;
import io.millrace.option.OptionValues;
import io.millrace.sample.Sample;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ParquetImagesTest {
    @TempDir
    Path folder;

    @Test
    void sizeOfRowGroupsDoesNotChangeTheSamples() throws Exception {
        ParquetImages.write(folder.resolve("one"), 10, 10, 4);
        ParquetImages.write(folder.resolve("many"), 10, 4, 4);

        try (Dataset one = open("one");
                Dataset many = open("many")) {
            assertThat(one.size()).isEqualTo(10);
            assertThat(many.size()).isEqualTo(10);
            for (long row = 0; row < 10; row++) {
                Sample sample = many.read(row);
                assertThat(sample.label()).isZero();
                assertThat(image(many, row)).isEqualTo(image(one, row)).startsWith('P', '6', '\n');
                assertThat(image(many, row)).hasSize("P6\n4 4\n255\n".length() + 4 * 4 * 3);
            }
            assertThat(image(one, 0)).isNotEqualTo(image(one, 9));
        }
    }

    private static byte[] image(Dataset dataset, long row) throws Exception {
        return dataset.read(row).field(Sample.IMAGE).data();
    }

    private Dataset open(String name) throws Exception {
        OptionValues options = OptionValues.of(
                new ParquetFormat().options(),
                Map.of("path", folder.resolve(name).toString()));
        return new DatasetSpec("parquet", options).open();
    }
}
