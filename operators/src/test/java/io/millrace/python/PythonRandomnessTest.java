package io.millrace.python;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.sample.DType;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random numbers of Python's generators, and functions of torch, torchvision and Albumentations. */
class PythonRandomnessTest {
    @TempDir
    Path folder;

    private static Sample picture(long index) {
        byte[] pixels = new byte[8 * 6 * 3];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) i;
        }
        return PythonFixture.sample(index).put(Sample.IMAGE, Field.image(8, 6, 3, pixels));
    }

    private static byte[] pixels(PythonFixture python, long index) throws Exception {
        return python.apply(picture(index)).image().data();
    }

    /** Compares the numbers of two samples in one worker, and after other samples in another worker. */
    private void requireNumbersOfTheSampleAlone(String module, Map<String, ?> options) throws Exception {
        byte[] seventh;
        try (PythonFixture python = PythonFixture.of(folder, module, options)) {
            seventh = pixels(python, 7);
            assertThat(pixels(python, 8)).isNotEqualTo(seventh);
            assertThat(pixels(python, 7)).isEqualTo(seventh);
        }
        try (PythonFixture python = PythonFixture.of(folder, module, options)) {
            pixels(python, 3);
            assertThat(pixels(python, 7)).isEqualTo(seventh);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "random.randrange(256)",
                "numpy.random.randint(256, size=6)",
                "rng.integers(256, size=6)",
                "rng.random(6, 'float32') * 256",
            })
    void numbersDependOnTheSampleAlone(String numbers) throws Exception {
        requireNumbersOfTheSampleAlone("""
                import random, numpy
                def f(sample, rng):
                    sample["image"][:, :, 0] = %s
                """.formatted(numbers), Map.of("call", "augment:f"));
    }

    @Test
    void generatorOfTheStageDrawsOtherNumbersThanTheGlobalOnesAndInEveryEpochOthers() throws Exception {
        try (PythonFixture python = PythonFixture.of(folder, """
                import numpy
                def f(sample, rng):
                    return {"own": rng.integers(0, 1 << 62, 8), "global": numpy.random.randint(0, 1 << 62, 8)}
                """, "f")) {
            Sample sample = python.apply(picture(7));
            byte[] own = sample.field("own").data().clone();
            assertThat(sample.field("global").data()).isNotEqualTo(own);
            Sample later = picture(7).placeAt(99, 3, sample.split());
            assertThat(python.apply(later).field("own").data()).isNotEqualTo(own);
        }
    }

    @Test
    void globalGeneratorsAreNotSeededWhenTheFileSaysSo() throws Exception {
        String module = """
                import random
                random.seed(5)
                def f(sample):
                    return {"x": random.random()}
                """;
        try (PythonFixture python = PythonFixture.of(folder, module, Map.of("call", "augment:f", "seed", false))) {
            byte[] first = python.apply(picture(7)).field("x").data();
            assertThat(python.apply(picture(7)).field("x").data()).isNotEqualTo(first);
        }
    }

    @Test
    void tensorsArePicturesOfChannelsFirstAndViews() throws Exception {
        PythonFixture.requirePackage("torch");
        try (PythonFixture python = PythonFixture.of(folder, """
                import torch
                def f(sample):
                    image = sample["image"]
                    assert tuple(image.shape) == (3, 8, 6) and image.dtype == torch.uint8, image.shape
                    image[0] = 9
                    return {"image": image.flip(2), "half": torch.ones(2, dtype=torch.bfloat16), "n": torch.tensor(3)}
                """, Map.of("call", "augment:f", "tensors", true))) {
            Sample sample = python.apply(picture(1));
            assertThat(sample.image().kind()).isEqualTo(FieldKind.IMAGE);
            assertThat(sample.image().shape()).containsExactly(8, 6, 3);
            assertThat(sample.image().data()[0]).isEqualTo((byte) 9);
            assertThat(sample.image().data()[1]).isEqualTo((byte) (5 * 3 + 1));
            assertThat(sample.field("half").dtype()).isEqualTo(DType.BFLOAT16);
            assertThat(sample.field("half").data()).containsExactly(0x80, 0x3F, 0x80, 0x3F);
            assertThat(sample.field("n").dtype()).isEqualTo(DType.INT64);
        }
    }

    @Test
    void bfloat16ArrivesAsATensor() throws Exception {
        PythonFixture.requirePackage("torch");
        Field half = Field.of(DType.BFLOAT16, new int[] {2}, new byte[] {(byte) 0x80, 0x3F, 0, 0x40});
        try (PythonFixture python = PythonFixture.of(folder, """
                def f(x):
                    return x * 2
                """, Map.of("call", "augment:f", "tensors", true))) {
            Sample sample = python.apply(PythonFixture.sample(1).put("x", half));
            assertThat(sample.field("x").data()).containsExactly(0, 0x40, 0x80, 0x40);
        }
    }

    @Test
    void torchvisionDrawsNumbersOfTheSampleAlone() throws Exception {
        PythonFixture.requirePackage("torchvision");
        String module = """
                from torchvision.transforms import v2
                def make(size):
                    return v2.Compose([v2.RandomResizedCrop(size, antialias=True), v2.RandomHorizontalFlip(),
                                       v2.ColorJitter(0.4, 0.4)])
                """;
        Map<String, Object> options = Map.of("call", "augment:make", "args", Map.of("size", 4L), "tensors", true);
        requireNumbersOfTheSampleAlone(module, options);
        Field mask = Field.of(DType.UINT8, new int[] {8, 6, 1}, new byte[48]).as(FieldKind.MASK);
        try (PythonFixture python = PythonFixture.of(folder, module, options)) {
            Sample sample = python.apply(picture(1).put("mask", mask));
            assertThat(sample.image().shape()).containsExactly(4, 4, 3);
            assertThat(sample.image().kind()).isEqualTo(FieldKind.IMAGE);
            assertThat(sample.field("mask").shape()).containsExactly(4, 4, 1);
            assertThat(sample.field("mask").kind()).isEqualTo(FieldKind.MASK);
            assertThat(sample.label()).isEqualTo(7);
        }
    }

    @Test
    void torchvisionsTransformsCanBeNamedInThePipelineFile() throws Exception {
        PythonFixture.requirePackage("torchvision");
        try (PythonFixture python = PythonFixture.of(
                folder,
                "",
                Map.of("call", "torchvision.transforms.v2:CenterCrop", "args", Map.of("size", 2L), "tensors", true))) {
            Sample sample = python.apply(picture(1));
            assertThat(sample.image().shape()).containsExactly(2, 2, 3);
            assertThat(sample.image().data()[0]).isEqualTo(picture(1).image().data()[(3 * 6 + 2) * 3]);
        }
    }

    @Test
    void albumentationsDrawsNumbersOfTheSampleAlone() throws Exception {
        PythonFixture.requirePackage("albumentations");
        requireNumbersOfTheSampleAlone("""
                import albumentations
                def make():
                    return albumentations.Compose([albumentations.RandomBrightnessContrast(p=1)])
                """, Map.of("call", "augment:make", "args", Map.of()));
    }

    /** Albumentations 2 draws from generators of its own, which its method set_random_seed seeds. */
    @Test
    void callableWithItsOwnGeneratorsIsSeeded() throws Exception {
        requireNumbersOfTheSampleAlone("""
                import random
                class Compose:
                    def __init__(self):
                        self.py_random = random.Random()
                    def set_random_seed(self, seed):
                        self.py_random = random.Random(seed)
                    def __call__(self, *args, force_apply=False, **data):
                        data["image"] = data["image"] // 2 + self.py_random.randrange(100)
                        return data
                """, Map.of("call", "augment:Compose"));
    }
}
