package io.millrace.pack;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.Dataset;
import io.millrace.dataset.DatasetFormat;
import io.millrace.option.OptionValues;
import io.millrace.option.Services;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ShardFormatTest {
    @TempDir
    Path folder;

    private boolean hasLabels(ShardFormat format, Optional<List<String>> classes) throws Exception {
        Path shard = folder.resolve(classes.isPresent() + "." + format.extension());
        try (OutputStream out = Files.newOutputStream(shard);
                ShardWriter writer = format.open(out, classes)) {
            writer.add(new Sample(0, "a", 0).put("data", Field.of(DType.UINT8, new int[] {3}, new byte[3])));
            writer.finish();
        }
        DatasetFormat read = Services.of(DatasetFormat.class).stream()
                .map(provider -> provider.get())
                .filter(known -> known.name().equals(format.extension()))
                .findFirst()
                .orElseThrow();
        String field = format == ShardFormat.TAR ? "data.npy" : "data";
        String label =
                switch (format) {
                    case TAR -> "cls";
                    case TFRECORD -> "image/class/label";
                    case ARROW -> "label";
                };
        try (Dataset dataset = read.open(
                OptionValues.of(read.options(), Map.of("path", shard.toString(), "fields", Map.of("x", field))))) {
            return dataset.labels().candidates().stream()
                    .anyMatch(candidate -> candidate.startsWith("'" + label + "' "));
        }
    }

    @ParameterizedTest
    @EnumSource(ShardFormat.class)
    void samplesWithoutLabelsAreStoredWithoutThem(ShardFormat format) throws Exception {
        assertThat(hasLabels(format, Optional.of(List.of()))).isTrue();
        assertThat(hasLabels(format, Optional.empty())).isFalse();
    }
}
