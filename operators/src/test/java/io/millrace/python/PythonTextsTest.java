package io.millrace.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.option.OptionValues;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.transform.TransformSpec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts in stages {@code python}: functions get and return {@code str}. */
class PythonTextsTest {
    @TempDir
    Path folder;

    private static Field text(String text) {
        return Field.text(text.getBytes(StandardCharsets.UTF_8));
    }

    private static Sample sample(String text) {
        return PythonFixture.sample(4).put("text", text(text));
    }

    private TransformSpec spec(String function) throws Exception {
        Map<String, Object> options = Map.of(
                "call",
                "augment:" + function,
                "executable",
                PythonFixture.interpreter(),
                "path",
                List.of(folder.toString()));
        return new TransformSpec("python", OptionValues.of(new PythonTransformFactory().options(), options));
    }

    private static String text(Sample sample, String name) {
        assertThat(sample.field(name).kind()).isEqualTo(FieldKind.TEXT);
        return new String(sample.field(name).data(), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void textIsAStrThatStaysOrBecomesAnother(boolean tensors) throws Exception {
        if (tensors) {
            PythonFixture.requirePackage("torch");
        }
        try (PythonFixture python =
                PythonFixture.of(folder, """
                def change(sample):
                    assert type(sample["text"]) is str, type(sample["text"])
                    assert sample["bytes"].shape == (2,), sample["bytes"]
                    return {**sample, "twice": sample["text"] * 2, "same": sample["text"], "label": 8}
                """, Map.of("call", "augment:change", "tensors", tensors))) {
            for (String text :
                    new String[] {"gr\u00fcn \ud83d\ude00", "", "a", "\u00e4".repeat(70_000), "\u0000\ufeff"}) {
                Sample sample = sample(text)
                        .put(
                                "bytes",
                                Field.of(DType.UINT8, new int[] {2}, new byte[] {-1, 3})
                                        .as(FieldKind.RAGGED));
                python.apply(sample);
                assertThat(text(sample, "text")).isEqualTo(text);
                assertThat(text(sample, "same")).isEqualTo(text);
                assertThat(text(sample, "twice")).isEqualTo(text + text);
                assertThat(sample.field("bytes").kind()).isEqualTo(FieldKind.RAGGED);
                assertThat(sample.field("bytes").data()).containsExactly(-1, 3);
            }
        }
    }

    @Test
    void textsStayInPlaceOverSeveralFunctions() throws Exception {
        Files.writeString(folder.resolve("augment.py"), """
                def first(sample):
                    return {"b": sample["text"].upper(), "text": sample["text"], "a": sample["b"] + "!"}
                def second(sample):
                    assert {type(sample[name]) for name in ("a", "b", "text")} == {str}, sample
                def third(text, a, b):
                    assert (text, a, b) == ("sch\\u00f6n", "b!", "SCH\\u00d6N"), (text, a, b)
                    return text, b"\\xff", a + b
                """);
        List<TransformSpec> specs = List.of(spec("first"), spec("second"), spec("third"));
        try (PythonChain chain = new PythonChain(specs, true)) {
            chain.add(sample("sch\u00f6n").put("b", text("b")));
            Sample sample = chain.end().get(0);
            assertThat(sample.badSample()).isNull();
            assertThat(text(sample, "text")).isEqualTo("sch\u00f6n");
            assertThat(text(sample, "b")).isEqualTo("b!SCH\u00d6N");
            assertThat(sample.field("a").kind()).isEqualTo(FieldKind.RAGGED);
            assertThat(sample.field("a").data()).containsExactly(-1);
        }
    }

    @Test
    void bytesAndNumbersInPlaceOfATextAreRagged() throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, """
                import numpy as np
                def encode(sample):
                    return {
                        "text": np.array([7, 8], np.int32),
                        "bytes": sample["text"].encode(),
                        "array": np.frombuffer(sample["text"].encode(), np.uint8),
                    }
                """, "encode")) {
            Sample sample = python.apply(sample("ab"));
            assertThat(sample.field("text").kind()).isEqualTo(FieldKind.RAGGED);
            assertThat(sample.field("text").dtype()).isEqualTo(DType.INT32);
            assertThat(sample.field("bytes").kind()).isEqualTo(FieldKind.RAGGED);
            assertThat(sample.field("bytes").data()).containsExactly('a', 'b');
            assertThat(sample.field("array").kind()).isEqualTo(FieldKind.TENSOR);
        }
    }

    @Test
    void halfOfASurrogatePairIsRefused() throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, """
                def cut(text):
                    return text[:2] + "\\ud83d"
                """, "cut")) {
            assertThatThrownBy(() -> python.apply(sample("abc")))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessage(
                            "augment:cut returned for sample 4: field 'text' has half of a surrogate pair, '\\ud83d',"
                                    + " at character 2, expected a text");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "61 FF 62|invalid start byte at byte 1",
                "61 62 C3|unexpected end of data at byte 2",
                "ED A0 80|invalid continuation byte at byte 0",
            })
    void bytesThatAreNoTextAreNeverReplaced(String bytes, String reason) throws Exception {
        byte[] data = HexFormat.ofDelimiter(" ").parseHex(bytes);
        try (PythonFixture python = PythonFixture.of(folder, """
                def same(sample):
                    return sample
                """, "same")) {
            assertThatThrownBy(() -> python.apply(PythonFixture.sample(4).put("text", Field.text(data))))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessage("the text 'text' is not UTF-8: " + reason);
        }
    }
}
