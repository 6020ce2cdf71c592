package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.millrace.dataset.Fingerprint;
import io.millrace.dataset.types.FieldType;
import io.millrace.dataset.types.FieldTypes;
import io.millrace.dataset.types.Names;
import io.millrace.dataset.types.SettledTypes;
import io.millrace.sample.DType;
import io.millrace.sample.FieldKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the file with a run's settled types. */
class TypesFileTest {
    @TempDir
    Path folder;

    @Test
    void everyTypeIsReadAsItWasWritten() throws IOException {
        SettledTypes types = new SettledTypes(
                new FieldTypes(Map.of(
                        "boxes",
                        new FieldType(FieldKind.RAGGED, DType.FLOAT64, List.of(FieldType.ANY, 4)),
                        "x",
                        new FieldType(FieldKind.TENSOR, DType.INT64, List.of()))),
                new FieldTypes(Map.of("m", new FieldType(FieldKind.MASK, DType.UINT8, List.of(-1, -1, -1)))));
        Files.write(folder.resolve(TypesFile.NAME), TypesFile.content(types));
        assertThat(TypesFile.read(folder)).contains(types);
        assertThat(folder.resolve(TypesFile.NAME))
                .content()
                .contains("\"kind\" : \"ragged\"", "\"dtype\" : \"float64\"", "[ null, 4 ]");
    }

    @Test
    void settledNamesAndFingerprintsAreReadAsTheyWereWritten() throws IOException {
        Map<String, FieldType> label = Map.of("label", new FieldType(FieldKind.TENSOR, DType.INT64, List.of()));
        SettledTypes types = new SettledTypes(
                new FieldTypes(label, Names.SETTLED, new Fingerprint(Map.of(0L, "ab", 12L, "cd")), List.of()),
                new FieldTypes(label, Names.SETTLED, Fingerprint.NONE, List.of()));
        Files.write(folder.resolve(TypesFile.NAME), TypesFile.content(types));
        assertThat(TypesFile.read(folder)).contains(types);
    }

    @Test
    void folderWithoutTheFileHasNoTypes() throws IOException {
        assertThat(TypesFile.read(folder)).isEmpty();
        assertThat(TypesFile.read(folder.resolve("none"))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{\"train\": {}}",
                "{\"train\": {\"x\": {\"kind\": \"tensor\", \"dtype\": \"int65\", \"shape\": []}}, \"evaluate\": {}}"
            })
    void otherContentIsReportedWithTheFile(String content) throws IOException {
        Files.writeString(folder.resolve(TypesFile.NAME), content);
        assertThatIOException()
                .isThrownBy(() -> TypesFile.read(folder))
                .withMessageStartingWith(folder.resolve(TypesFile.NAME) + ": expected the types of fields");
    }
}
