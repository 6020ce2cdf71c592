package io.millrace.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.batch.Form;
import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WireTypesTest {
    private static final int CLASSES = 4;

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void write() throws IOException {
        file = Files.writeString(folder.resolve("wire.yaml"), """
                dataset: {format: synthetic, size: 10, shape: [2, 2, 3], classes: 4}
                batch: {size: 2}
                device: {transforms: [ToFloat]}
                train:
                  model: {torchscript: {path: model.pt, classes: 300}}
                  input: [image, text, weights, flags, tokens, wide]
                  target: mask
                """);
    }

    private static Field of(DType dtype, int... shape) {
        int bytes = dtype.bytes();
        for (int extent : shape) {
            bytes *= extent;
        }
        return Field.of(dtype, shape, new byte[bytes]);
    }

    /** Returns the descriptions of all columns. */
    private List<String> descriptions(String... settings) throws Exception {
        return columns(settings).stream().map(WireColumn::describe).toList();
    }

    private List<WireColumn> columns(String... settings) throws Exception {
        PipelineConfig config = ConfigReader.read(file, List.of(settings));
        Sample sample = new Sample(0, "a", 0)
                .put("image", Field.image(2, 2, 3, new byte[12]))
                .put("text", Field.text("ab".getBytes(StandardCharsets.UTF_8)))
                .put("weights", of(DType.FLOAT32, 3))
                .put("flags", of(DType.BOOL, 9))
                .put("tokens", of(DType.INT64, 5))
                .put("wide", of(DType.FLOAT64, 2))
                .put("mask", of(DType.INT64, 2, 2, 1).as(FieldKind.MASK))
                .put("more", of(DType.FLOAT32, 100));
        return BatchColumns.of(config, "data", sample, CLASSES);
    }

    @Test
    void wireTypesSuitTheUseOfFieldsInTraining() throws Exception {
        assertThat(descriptions())
                .containsExactly(
                        "image: uint8, ToFloat on the device: 4x less than float32",
                        "text: ragged uint8, as the model expects it",
                        "weights: float32, as training uses it",
                        "flags: bits, truth values: 18x less than float32",
                        "tokens: int64, as the model expects it",
                        "wide: float32, as training uses it",
                        "mask: uint16, class numbers of 300 classes: 4x less than int64");
        assertThat(descriptions("device.transforms=[ToFloat, Normalize: {mean: [0.5], std: [0.5]}]"))
                .contains("image: uint8, ToFloat and Normalize on the device: 4x less than float32");
    }

    @ParameterizedTest
    @CsvSource({
        "4,,UINT8",
        "256,,UINT8",
        "257,,UINT16",
        "65536,,UINT16",
        "65537,,INT32",
        "4,255,UINT8",
        "4,-100,INT8",
        "200,-1,INT16",
        "40000,-1,INT32",
        "4,-40000,INT32",
        "4,3000000000,INT64"
    })
    void classNumbersHaveTheNarrowestTypeThatHoldsThemAndTheIgnoredIndex(int classes, String ignored, DType expected)
            throws Exception {
        String loss = ignored == null ? "" : ": {ignore_index: " + ignored + "}";
        List<WireColumn> columns = columns(
                "train.model.torchscript.classes=" + classes,
                "train.loss={cross_entropy" + (loss.isEmpty() ? ": {}" : loss) + "}");

        assertThat(columns.get(6).column().dtype()).isEqualTo(expected);
        assertThat(columns.get(6).column().from()).isEqualTo(DType.INT64);
    }

    @Test
    void wireTypesOfTheFileAreUsedAndNamedAsReason() throws Exception {
        assertThat(descriptions(
                        "batch.fields={image: auto, text: auto, weights: sparse, flags: auto, tokens: auto, wide: auto,"
                                + " mask: auto, more: sparse}",
                        "batch.wire={image: float32, text: plain, weights: float16, flags: uint8, tokens: {ids: 50000},"
                                + " wide: bfloat16, mask: bits}"))
                .containsExactly(
                        "image: float32, as batch.wire requests",
                        "text: ragged uint8, as batch.wire requests",
                        "weights: sparse float16, as batch.wire requests: the nonzero values and their places",
                        "flags: uint8, as batch.wire requests: 4x less than float32",
                        "tokens: uint16, as batch.wire requests: 4x less than int64",
                        "wide: bfloat16, as batch.wire requests: 2x less than float32",
                        "mask: bits, as batch.wire requests: 32x less than int64",
                        "more: sparse float32, as batch.fields requests: the nonzero values and their places");
    }

    @Test
    void savedBytesAreRelativeToTheTypeThatTrainingUses() throws Exception {
        List<WireColumn> columns = columns(
                "batch.fields={image: auto, text: auto, weights: sparse, flags: auto, tokens: auto, wide: auto, mask: auto}");

        assertThat(columns.get(0).plainBytes(12)).isEqualTo(12 * 4);
        assertThat(columns.get(1).plainBytes(4 + 7)).as("text is used as bytes").isEqualTo(4 + 7);
        assertThat(columns.get(2).plainBytes(4 + 8)).isEqualTo(3 * 4);
        assertThat(columns.get(3).plainBytes(2)).isEqualTo(9 * 4);
        assertThat(columns.get(6).plainBytes(4)).isEqualTo(4 * 8);
        assertThat(columns.get(2).rowBytes()).isEmpty();
        assertThat(columns("batch.wire={text: float32}").get(1).plainBytes(4 + 7 * 4))
                .as("7 letters")
                .isEqualTo(4 + 7);
        assertThat(columns.get(1).column().form()).isEqualTo(Form.RAGGED);
    }

    @Test
    void formsDoNotSelectFields() throws Exception {
        List<WireColumn> columns = columns("batch.forms={weights: sparse}");
        assertThat(columns).hasSameSizeAs(columns());
        assertThat(columns.get(2).column().form()).isEqualTo(Form.SPARSE);
        assertThatThrownBy(() -> columns(
                        "batch.fields={image: auto, text: auto, weights: sparse, flags: auto, tokens: auto, wide: auto, mask:"
                                + " auto}",
                        "batch.forms={weights: dense}"))
                .isInstanceOf(PipelineException.class)
                .hasMessage("batch.fields sends 'weights' as sparse, and batch.forms as dense: expected one form");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "batch.wire={more: float16}|batch.wire names 'more', which is not sent: expected some of [image, text",
                "batch.forms={more: bits}|batch.forms names 'more', which is not sent: expected some of [image, text",
                "batch.wire={tokens: ids}|'tokens' as ids, but the number of ids is not known: expected {tokens: {ids: number}}",
                "batch.wire={weights: ids}|'weights' as ids, but it is float32: expected whole numbers",
                "batch.wire={mask: float16}|'mask' as float16, but it holds class numbers",
                "batch.wire={text: bits}|'text' is sent as bits, but its length differs",
            })
    void wireTypeThatContradictsAFieldIsReported(String setting, String sentence) {
        assertThatThrownBy(() -> columns(setting))
                .isInstanceOf(PipelineException.class)
                .hasMessageContaining(sentence);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "mask: bits|mask: uint8|batch.fields sends 'mask' as bits, but batch.wire as uint8: set only one of them",
                "mask: sparse|mask: bits|batch.fields sends 'mask' sparse, but batch.wire as bits",
                "text: sparse|mask: auto|'text' sparse, but its length differs from sample to sample",
                "wide: bits|mask: auto|column 'wide' of FLOAT64 cannot be sent as bits by batch.fields",
            })
    void formThatContradictsAFieldOrItsTypeIsReported(String form, String type, String sentence) {
        String others = "image: auto, text: auto, weights: auto, flags: auto, tokens: auto, wide: auto, mask: auto";
        String fields = others.replaceFirst(form.replaceFirst(":.*", ": auto"), form);
        assertThatThrownBy(() -> columns("batch.fields={" + fields + "}", "batch.wire={" + type + "}"))
                .isInstanceOf(PipelineException.class)
                .hasMessageContaining(sentence);
    }
}
