package io.millrace.python;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.dataset.BadSampleException;
import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PythonTransformTest {
    private static final byte[] PIXELS = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

    @TempDir
    Path folder;

    private static Sample picture(long index) {
        return PythonFixture.sample(index).put(Sample.IMAGE, Field.image(2, 2, 3, PIXELS.clone()));
    }

    @Test
    void fieldsChangedInPlaceKeepTheirKind() throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, """
                def add(sample):
                    assert type(sample["image"]).__name__ == "ndarray"
                    sample["image"] += 1
                """, "add")) {
            Sample sample = python.apply(picture(5));
            assertThat(sample.fieldNames()).containsExactly("image");
            assertThat(sample.image().kind()).isEqualTo(FieldKind.IMAGE);
            assertThat(sample.image().shape()).containsExactly(2, 2, 3);
            assertThat(sample.image().data()).containsExactly(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
            assertThat(sample.label()).isEqualTo(7);
        }
    }

    @Test
    void returnedFieldsReplaceTheSample() throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, """
                import numpy as np
                def change(sample):
                    return {
                        "image": sample["image"][:, ::-1, :1],
                        "floats": np.arange(3, dtype=np.float32),
                        "number": 5,
                        "text": "schön",
                        "label": np.int32(sample["label"] + 1),
                    }
                """, "change")) {
            Sample sample = picture(5).put("old", Field.of(DType.INT8, new int[] {1}, new byte[1]));
            python.apply(sample);
            assertThat(sample.fieldNames()).containsExactly("image", "floats", "number", "text");
            assertThat(sample.image().shape()).containsExactly(2, 2, 1);
            assertThat(sample.image().kind()).isEqualTo(FieldKind.IMAGE);
            assertThat(sample.image().data()).containsExactly(4, 1, 10, 7);
            ByteBuffer floats = ByteBuffer.wrap(sample.field("floats").data()).order(ByteOrder.LITTLE_ENDIAN);
            assertThat(sample.field("floats").dtype()).isEqualTo(DType.FLOAT32);
            assertThat(floats.getFloat(8)).isEqualTo(2f);
            assertThat(sample.field("number").dtype()).isEqualTo(DType.INT64);
            assertThat(sample.field("number").shape()).isEmpty();
            assertThat(sample.field("text").kind()).isEqualTo(FieldKind.TEXT);
            assertThat(sample.field("text").data()).isEqualTo("schön".getBytes(StandardCharsets.UTF_8));
            assertThat(sample.label()).isEqualTo(8);
        }
    }

    @Test
    void functionSeesIndexEpochAndKey() throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, """
                def check(sample, index, *, epoch, key):
                    assert (index, epoch, key) == (5, 2, "photos/5.jpg"), key
                    assert sample["label"] == 7 and list(sample) == ["image", "label"]
                """, "check")) {
            python.apply(picture(5));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"BFLOAT16"})
    void valuesOfEveryTypeArriveAndReturn(DType dtype) throws Exception {
        byte[] values = new byte[6 * dtype.bytes()];
        for (int i = 0; i < values.length; i++) {
            values[i] = (byte) (dtype == DType.BOOL ? i / 5 : i + 1);
        }
        int[] shape = dtype == DType.ENCODED ? new int[] {6} : new int[] {3, 2};
        Field field = dtype == DType.ENCODED ? Field.encoded(values.clone()) : Field.of(dtype, shape, values.clone());
        try (PythonFixture python = PythonFixture.of(folder, """
                def copy(sample):
                    return {"same": sample["x"], "x": sample["x"].copy(), "reversed": sample["x"][::-1]}
                """, "copy")) {
            Sample sample = python.apply(PythonFixture.sample(1).put("x", field));
            assertThat(sample.field("x").dtype()).isEqualTo(dtype);
            assertThat(sample.field("x").kind()).isEqualTo(field.kind());
            assertThat(sample.field("x").shape()).isEqualTo(shape);
            assertThat(sample.field("x").data()).isEqualTo(values);
            assertThat(sample.field("same").data()).isEqualTo(values);
            assertThat(sample.field("reversed").data()).hasSameSizeAs(values).isNotEqualTo(values);
        }
    }

    @Test
    void maskOfTwoDimensionsStaysAMask() throws Exception {
        Field mask = Field.of(DType.UINT8, new int[] {2, 2, 1}, new byte[] {1, 2, 3, 4})
                .as(FieldKind.MASK);
        try (PythonFixture python = PythonFixture.of(folder, """
                def flat(image, mask):
                    return image, mask[:, :, 0]
                """, "flat")) {
            Sample sample = python.apply(picture(1).put("mask", mask));
            assertThat(sample.field("mask").kind()).isEqualTo(FieldKind.MASK);
            assertThat(sample.field("mask").shape()).containsExactly(2, 2, 1);
        }
    }

    @Test
    void parametersNamedLikeFieldsGetThem() throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, """
                def invert(image):
                    return 255 - image
                """, "invert")) {
            assertThat(python.apply(picture(1)).image().data()[0]).isEqualTo((byte) 254);
        }
    }

    @Test
    void callableWithKeywordsGetsAllFieldsAsAlbumentationsDoes() throws Exception {
        try (PythonFixture python = PythonFixture.of(
                folder, """
                class Compose:
                    def __init__(self, by, times=1):
                        self.by = by * times
                    def __call__(self, *args, force_apply=False, **data):
                        if args:
                            raise KeyError("You have to pass data to augmentations as named arguments")
                        data["image"] = data["image"] + self.by
                        return data
                """, Map.of("call", "augment:Compose", "args", Map.of("by", 3L, "times", 2L)))) {
            Sample sample = python.apply(picture(1));
            assertThat(sample.image().data()[0]).isEqualTo((byte) 7);
            assertThat(sample.label()).isEqualTo(7);
        }
    }

    @Test
    void exceptionQuarantinesTheSampleWithTheLastLineOfTheUser() throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, """
                import json
                def broken(sample, index):
                    if index == 1:
                        json.loads("{")
                    if index == 2:
                        raise SystemExit(4)
                """, "broken")) {
            assertThatThrownBy(() -> python.apply(picture(1)))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageStartingWith("augment.py:4: json.decoder.JSONDecodeError: Expecting property name");
            assertThatThrownBy(() -> python.apply(picture(2)))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessage("augment.py:6: SystemExit: 4");
            assertThat(python.apply(picture(3)).image().data()).isEqualTo(PIXELS);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[1, 2]|augment:f returned for sample 9: field 'x' has the type list, expected a numpy array",
                "np.array([None])|augment:f returned for sample 9: field 'x' has the dtype object, expected one of",
                "np.zeros(2, np.uint32)|augment:f returned for sample 9: field 'x' has the dtype uint32",
                "np.zeros(2, complex)|augment:f returned for sample 9: field 'x' has the dtype complex128",
                "1 << 70|augment:f returned for sample 9: field 'x' has the dtype object",
                "np.zeros(600 << 20, np.uint8)|augment:f returned for sample 9: values of 629145600 bytes and more, expected at most",
            })
    void unsupportedResultIsRefusedByNameWithTheIndexOfTheSample(String value, String reason) throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, """
                import numpy as np
                def f(sample):
                    return {"x": %s}
                """.formatted(value), "f")) {
            assertThatThrownBy(() -> python.apply(picture(9)))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessageStartingWith(reason);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "3|the type int, expected a dict of fields, or None",
                "{1: sample['image']}|the name 1, expected a text",
                "{'label': 'cat'}|the label has the type str, expected an integer",
                "{'label': 1 << 63}|the label is 9223372036854775808, expected an integer of 64 bits",
                "{'': 3}|the name '' of 0 bytes, expected 1 to 255",
            })
    void resultThatIsNoSampleIsRefused(String value, String reason) throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, """
                def f(sample):
                    return %s
                """.formatted(value), "f")) {
            assertThatThrownBy(() -> python.apply(picture(9)))
                    .isInstanceOf(BadSampleException.class)
                    .hasMessage("augment:f returned for sample 9: " + reason);
        }
    }

    @Test
    void bigEndianArraysAndViewsAreConverted() throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, """
                import numpy as np
                def f(sample):
                    return {"big": np.array([1, 2], ">i4"), "view": np.arange(12).reshape(3, 4).T}
                """, "f")) {
            Sample sample = python.apply(picture(9));
            assertThat(sample.field("big").data()).containsExactly(1, 0, 0, 0, 2, 0, 0, 0);
            assertThat(sample.field("view").shape()).containsExactly(4, 3);
            assertThat(sample.field("view").data()[8]).isEqualTo((byte) 4);
        }
    }

    @Test
    void outputOfTheFunctionDoesNotReachTheControlChannel() throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, """
                import os, sys
                print("importing")
                def f(sample):
                    print("to stdout", flush=True)
                    os.write(1, b"to descriptor 1\\n")
                    os.system("echo from a shell")
                    assert sys.stdin.read() == ""
                """, "f")) {
            assertThat(python.apply(picture(9)).image().data()).isEqualTo(PIXELS);
        }
    }

    @Test
    void cpuTimeOfTheWorkerIsReported() throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, """
                import time
                def burn(sample):
                    end = time.process_time() + 0.03
                    while time.process_time() < end:
                        pass
                """, "burn")) {
            python.apply(picture(9));
            assertThat(python.transform().remoteCpuNanos()).isGreaterThanOrEqualTo(30_000_000L);
        }
    }
}
