package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.image.ImageVectors;
import io.millrace.image.PixelOps;
import io.millrace.option.OptionValues;
import io.millrace.sample.Annotation;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.ImagePart;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import io.millrace.sample.StageDone;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that decoding only the part that the next stage needs has the same results as decoding everything. */
class LookAheadTest {
    private static final int SAMPLES = 40;

    /** How far the decode stage looks ahead: never, to a stage of another task, or to one of its own task. */
    private enum Ahead {
        NONE,
        OTHER_TASK,
        SAME_TASK
    }

    private static final List<String> FILES =
            List.of("rgb420.jpg", "rgb422.jpg", "rgb420-progressive.jpg", "gray.jpg", "rgb.png", "one-pixel.jpg");

    static List<TransformSpec> croppings() {
        return List.of(
                spec("RandomResizedCrop", Map.of("size", 24L)),
                spec("RandomResizedCrop", Map.of("size", List.of(7L, 30L), "interpolation", "bicubic")),
                spec("RandomCrop", Map.of("size", 16L)),
                spec("RandomCrop", Map.of("size", 30L, "padding", List.of(40L, 35L), "fill", 9L)),
                spec("RandomCrop", Map.of("size", List.of(60L, 20L), "pad_if_needed", true)),
                spec("CenterCrop", Map.of("size", 20L)),
                spec("CenterCrop", Map.of("size", List.of(50L, 20L))),
                spec("Resize", Map.of("size", 19L)));
    }

    @ParameterizedTest
    @MethodSource("croppings")
    void pixelsAndBadSamplesAreTheSameWithAndWithoutLookAhead(TransformSpec next) {
        for (Ahead ahead : Ahead.values()) {
            assertSamePixels(
                    new Chain(spec("decode", Map.of()), next, Ahead.NONE),
                    new Chain(spec("decode", Map.of()), next, ahead));
        }
    }

    private static void assertSamePixels(Chain plain, Chain ahead) {
        for (int index = 0; index < SAMPLES; index++) {
            byte[] encoded = ImageVectors.file("decode/" + FILES.get(index % FILES.size()));
            Sample expected = plain.apply(withBox(index).put(Sample.IMAGE, Field.encoded(encoded)));
            Sample result = ahead.apply(withBox(index).put(Sample.IMAGE, Field.encoded(encoded)));
            assertThat(result.badSample()).isEqualTo(expected.badSample());
            if (expected.badSample() == null) {
                assertThat(ImagePart.in(result)).isFalse();
                assertThat(result.image().shape()).isEqualTo(expected.image().shape());
                assertThat(result.image().data()).isEqualTo(expected.image().data());
                assertThat(result.field("boxes").shape())
                        .isEqualTo(expected.field("boxes").shape());
                assertThat(result.field("boxes").data())
                        .isEqualTo(expected.field("boxes").data());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("croppings")
    void flipsAreTheSameWithAndWithoutLookAhead(TransformSpec next) {
        for (String name : List.of("RandomHorizontalFlip", "RandomVerticalFlip")) {
            TransformSpec flip = spec(name, Map.of());
            Chain plain = new Chain(spec("decode", Map.of()), next, flip, Ahead.NONE);
            for (Ahead ahead : Ahead.values()) {
                assertSamePixels(plain, new Chain(spec("decode", Map.of()), next, flip, ahead));
            }
        }
    }

    @Test
    void resizeMirrorsForTheFlipOfTheSameTaskOnly() {
        TransformSpec flip = spec("RandomHorizontalFlip", Map.of("p", 1L));
        for (TransformSpec next : List.of(
                spec("RandomResizedCrop", Map.of("size", 24L)), spec("Resize", Map.of("size", List.of(9L, 12L))))) {
            for (Ahead ahead : Ahead.values()) {
                Chain chain = new Chain(spec("decode", Map.of()), next, flip, ahead);
                Sample sample = withMask(0);
                chain.decode.apply(sample);
                chain.next.apply(sample);
                Sample unmirrored = new Chain(spec("decode", Map.of()), next, Ahead.NONE).apply(withMask(0));
                for (String name : List.of(Sample.IMAGE, "classes")) {
                    Field expected = unmirrored.field(name);
                    if (ahead == Ahead.SAME_TASK) {
                        PixelOps.mirrorColumns(expected);
                    }
                    assertThat(sample.field(name).data()).isEqualTo(expected.data());
                }
                if (ahead == Ahead.SAME_TASK) {
                    assertThat(chain.next.done()).isEqualTo(StageDone.before(StageDone.atNoCost()));
                } else {
                    assertThat(chain.next.done()).isNull();
                }
            }
        }
    }

    @Test
    void onlyTheNecessaryPartIsDecoded() {
        Chain chain = new Chain(spec("decode", Map.of()), spec("CenterCrop", Map.of("size", 10L)), Ahead.SAME_TASK);
        Sample sample = sample(0).put(Sample.IMAGE, Field.encoded(ImageVectors.file("decode/rgb420.jpg")));
        chain.decode.apply(sample);
        assertThat(sample.image().shape()).containsExactly(10, 10, 3);
        assertThat(ImagePart.in(sample)).isTrue();
    }

    @Test
    @EnabledIf("hasJpegKernel")
    void rowsOfTheDecoderGoToTheResizeOfTheSameTaskOnly() {
        TransformSpec next = spec("RandomResizedCrop", Map.of("size", 24L));
        for (Ahead ahead : List.of(Ahead.OTHER_TASK, Ahead.SAME_TASK)) {
            Chain chain = new Chain(spec("decode", Map.of()), next, ahead);
            Sample sample = sample(0).put(Sample.IMAGE, Field.encoded(ImageVectors.file("decode/rgb420.jpg")));
            chain.decode.apply(sample);
            boolean resized = ahead == Ahead.SAME_TASK;
            assertThat(sample.image().height() == 24 && sample.image().width() == 24)
                    .isEqualTo(resized);
            assertThat(chain.decode.done() != null).isEqualTo(resized);
            assertThat(ImagePart.in(sample)).isTrue();
        }
    }

    /** Without a decoder of parts, the whole image is decoded first. */
    static boolean hasJpegKernel() {
        return ImageVectors.kernelsDecodeParts();
    }

    @Test
    @EnabledIf("hasJpegKernel")
    void resizedPictureIsRefusedByAStageOfAnotherSize() {
        TransformSpec next = spec("Resize", Map.of("size", List.of(9L, 12L)));
        Chain chain = new Chain(spec("decode", Map.of()), next, Ahead.SAME_TASK);
        Sample sample = sample(0).put(Sample.IMAGE, Field.encoded(ImageVectors.file("decode/rgb420.jpg")));
        chain.decode.apply(sample);
        assertThatThrownBy(() -> placed(spec("Resize", Map.of("size", List.of(9L, 13L))), 1, null)
                        .apply(sample))
                .isInstanceOf(StageFailedException.class)
                .hasStackTraceContaining("decode has resized for another stage");
    }

    @Test
    void lookAheadCanBeTurnedOff() {
        Chain chain = new Chain(
                spec("decode", Map.of("look_ahead", false)), spec("CenterCrop", Map.of("size", 10L)), Ahead.SAME_TASK);
        Sample sample = sample(0).put(Sample.IMAGE, Field.encoded(ImageVectors.file("decode/rgb420.jpg")));
        chain.decode.apply(sample);
        assertThat(sample.image().shape()).containsExactly(37, 51, 3);
    }

    @ParameterizedTest
    @MethodSource("croppings")
    void imageAndMaskAreCroppedAlike(TransformSpec next) {
        Chain ahead = new Chain(spec("decode", Map.of()), next, Ahead.SAME_TASK);
        Chain plain = new Chain(spec("decode", Map.of()), next, Ahead.NONE);
        for (int index = 0; index < SAMPLES; index++) {
            Sample expected = plain.apply(withMask(index));
            Sample result = ahead.apply(withMask(index));
            assertThat(result.badSample()).isEqualTo(expected.badSample());
            if (expected.badSample() == null) {
                assertThat(result.field("classes").kind()).isEqualTo(FieldKind.MASK);
                assertThat(result.field("classes").data())
                        .isEqualTo(expected.field("classes").data());
                assertThat(result.field("classes").height())
                        .isEqualTo(result.image().height());
                assertThat(result.image().data()).isEqualTo(expected.image().data());
            }
        }
    }

    @Test
    void imagesOfDifferentSizesAreRefusedByTheNextStage() {
        TransformSpec next = spec("CenterCrop", Map.of("size", 10L));
        for (Ahead ahead : Ahead.values()) {
            Sample sample = sample(0)
                    .put(Sample.IMAGE, Field.encoded(ImageVectors.file("decode/rgb420.jpg")))
                    .put("other", Field.encoded(ImageVectors.file("decode/one-pixel.jpg")));
            Sample result = new Chain(spec("decode", Map.of()), next, ahead).apply(sample);
            assertThat(result.badSample()).isNotNull().satisfies(failure -> assertThat(failure.reason())
                    .contains("CenterCrop expected images and masks of one size"));
        }
    }

    @Test
    void stageRefusesAnImageThatWasCroppedForAnotherStage() {
        Chain chain = new Chain(spec("decode", Map.of()), spec("CenterCrop", Map.of("size", 10L)), Ahead.SAME_TASK);
        Sample sample = sample(0).put(Sample.IMAGE, Field.encoded(ImageVectors.file("decode/rgb420.jpg")));
        chain.decode.apply(sample);
        for (TransformSpec other :
                List.of(spec("RandomHorizontalFlip", Map.of("p", 1.0)), spec("CenterCrop", Map.of("size", 12L)))) {
            assertThatThrownBy(() -> placed(other, 1, null).apply(sample)).isInstanceOf(StageFailedException.class);
        }
    }

    @Test
    void reducedDecodingKeepsEnoughPixelsForTheResize() {
        TransformSpec next = spec("Resize", Map.of("size", List.of(9L, 12L)));
        Chain chain = new Chain(spec("decode", Map.of("reduced", true)), next, Ahead.SAME_TASK);
        byte[] encoded = ImageVectors.file("decode/rgb420.jpg");
        Sample sample = sample(0).put(Sample.IMAGE, Field.encoded(encoded));
        chain.decode.apply(sample);
        assertThat(sample.image().shape())
                .containsExactly(9, 13, 3); // 37x51 at a quarter, rounded to the nearest pixels
        chain.next.apply(sample);
        assertThat(sample.image().shape()).containsExactly(9, 12, 3);

        Sample exact = new Chain(spec("decode", Map.of()), next, Ahead.SAME_TASK)
                .apply(sample(0).put(Sample.IMAGE, Field.encoded(encoded)));
        assertThat(meanDifference(sample.image(), exact.image())).isBetween(0.1, 12.0);
    }

    private static double meanDifference(Field a, Field b) {
        double sum = 0;
        for (int i = 0; i < a.data().length; i++) {
            sum += Math.abs((a.data()[i] & 255) - (b.data()[i] & 255));
        }
        return sum / a.data().length;
    }

    /** The decode stage and the stage after it, as operators place them. */
    private static final class Chain {
        private final PlacedTransform decode;
        private final PlacedTransform next;

        private final PlacedTransform flip;

        Chain(TransformSpec decode, TransformSpec next, Ahead ahead) {
            this(decode, next, spec("RandomVerticalFlip", Map.of("p", 0L)), ahead);
        }

        Chain(TransformSpec decode, TransformSpec next, TransformSpec flip, Ahead ahead) {
            boolean sameTask = ahead == Ahead.SAME_TASK;
            FollowingTransform flipping = ahead == Ahead.NONE ? null : new FollowingTransform(flip, 2, sameTask, null);
            FollowingTransform cropping =
                    ahead == Ahead.NONE ? null : new FollowingTransform(next, 1, sameTask, flipping);
            this.decode = placed(decode, 0, cropping);
            this.next = placed(next, 1, flipping);
            this.flip = placed(flip, 2, null);
        }

        Sample apply(Sample sample) {
            if (decode.apply(sample) && next.apply(sample) && next.done() == null) {
                flip.apply(sample);
            }
            return sample;
        }
    }

    private static PlacedTransform placed(TransformSpec spec, int number, @Nullable FollowingTransform following) {
        TransformContext context = new TransformContext(0, 11, new Neighbors(null, following), new StageChain());
        return new PlacedTransform(spec.name(), spec, "photos", 11, number, context);
    }

    private static Sample withBox(int index) {
        Annotation boxes = new Annotation(Annotation.Form.XYXY, false, null);
        return sample(index).put("boxes", AnnotationsTest.floats(boxes, 4, 1, 2, 15, 11, 3, 3, 4, 9));
    }

    private static Sample withMask(int index) {
        return sample(index)
                .put(Sample.IMAGE, Field.encoded(ImageVectors.file("mask/photo.jpg")))
                .put(
                        "classes",
                        Field.encoded(ImageVectors.file("mask/palette8.png")).as(FieldKind.MASK));
    }

    private static Sample sample(int index) {
        return new Sample(index, "photos/" + index + ".jpg", 0).placeAt(index, 0, Split.TRAIN);
    }

    private static TransformSpec spec(String name, Map<String, ?> options) {
        TransformFactory factory = ServiceLoader.load(TransformFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(candidate -> candidate.name().equals(name))
                .findFirst()
                .orElseThrow();
        return new TransformSpec(name, OptionValues.of(factory.options(), options));
    }
}
