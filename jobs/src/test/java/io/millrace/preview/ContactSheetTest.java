package io.millrace.preview;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.image.ImageDecoder;
import io.millrace.image.codec.DecodeLimits;
import io.millrace.image.codec.ImageIntegrity;
import io.millrace.preview.SampleView.StageImage;
import io.millrace.sample.BadSample;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Sample;
import io.millrace.sample.Split;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ContactSheetTest {
    private static final int RED_EDGE = 0xB3261E;
    private static final int[] MAGENTA = {0xFF, 0x00, 0xFF};
    private static final int[] LIME = {0x10, 0xF0, 0x10};

    @Test
    void smallImagesAreShownAsBlocksInTheOrderOfTheStages() throws Exception {
        ContactSheet sheet = new ContactSheet("tiny", "two stages", List.of("read", "Tint"));
        sheet.add(view(List.of(
                image("read", "image", "", filled(2, 2, MAGENTA)),
                image("Tint", "image", "hue 0.3", filled(2, 4, LIME)))));
        Field png = decoded(sheet.png());

        List<int[]> magenta = places(png, rgb(MAGENTA));
        List<int[]> lime = places(png, rgb(LIME));
        assertThat(magenta).hasSize(224 * 224);
        assertThat(lime).hasSize(112 * 224);
        int lastMagentaColumn = magenta.stream().mapToInt(p -> p[1]).max().orElseThrow();
        int firstLimeColumn = lime.stream().mapToInt(p -> p[1]).min().orElseThrow();
        assertThat(firstLimeColumn - lastMagentaColumn).isEqualTo(SheetLayout.COLUMN_GAP + 1);
        assertThat(magenta.get(0)[0]).as("tops are aligned").isEqualTo(lime.get(0)[0]);
        assertThat(places(png, RED_EDGE)).isEmpty();
    }

    @Test
    void largeImagesAreShrunkInProportion() throws Exception {
        ContactSheet sheet = new ContactSheet("large", "", List.of("decode"));
        sheet.add(view(List.of(image("decode", "image", "", filled(300, 600, LIME)))));
        assertThat(places(decoded(sheet.png()), rgb(LIME))).hasSize(112 * 224);
    }

    @Test
    void aQuarantinedSampleIsARedBoxAfterItsLastImage() throws Exception {
        ContactSheet sheet = new ContactSheet("bad", "", List.of("read", "RandomCrop"));
        SampleView bad = view(List.of(image("read", "image", "", filled(2, 2, MAGENTA))));
        bad.sample().quarantine(new BadSample("RandomCrop", "data", "cat/1.jpg", 17, "expected more, found less"));
        sheet.add(bad);
        Field png = decoded(sheet.png());
        assertThat(places(png, rgb(MAGENTA))).hasSize(224 * 224);
        assertThat(places(png, RED_EDGE).size()).isGreaterThan(1000);
    }

    @Test
    void masksAreShownBesideTheirImageInColours() throws Exception {
        ContactSheet sheet = new ContactSheet("pair", "", List.of("decode"));
        Field mask = Field.image(2, 2, 1, new byte[] {0, 1, 2, (byte) 255}).as(FieldKind.MASK);
        sheet.add(
                view(List.of(image("decode", "image", "", filled(2, 2, MAGENTA)), image("decode", "mask", "", mask))));
        Field png = decoded(sheet.png());

        List<int[]> magenta = places(png, rgb(MAGENTA));
        byte[] colors = MaskColors.of(mask).data();
        List<int[]> one = places(png, rgb(new int[] {colors[3] & 0xFF, colors[4] & 0xFF, colors[5] & 0xFF}));
        List<int[]> two = places(png, rgb(new int[] {colors[6] & 0xFF, colors[7] & 0xFF, colors[8] & 0xFF}));
        assertThat(magenta).hasSize(224 * 224);
        assertThat(one).hasSize(112 * 112);
        assertThat(two).hasSize(112 * 112);
        assertThat(one.get(0)[0]).as("tops are aligned").isEqualTo(magenta.get(0)[0]);
        assertThat(two.get(0)[1] - magenta.get(0)[1]).isBetween(224, 240);
    }

    @Test
    void valuesOfASampleWithoutImagesAreWrittenInTheColumnOfTheirStage() throws Exception {
        Sample sample = new Sample(5, "texts.jsonl", 0).placeAt(9, 0, Split.TRAIN);
        List<String> stages = List.of("read", "tokenize");
        ContactSheet without = new ContactSheet("text", "", stages);
        without.add(new SampleView(sample, null, null, List.of(), Map.of()));
        ContactSheet with = new ContactSheet("text", "", stages);
        with.add(new SampleView(
                sample, null, null, List.of(), Map.of("tokenize", List.of("tokens: int32 [1024] ".repeat(20)))));

        int[] ink = {0x1D, 0x27, 0x33};
        Field empty = decoded(without.png());
        Field written = decoded(with.png());
        assertThat(places(written, rgb(ink)).size())
                .isGreaterThan(2 * places(empty, rgb(ink)).size());
        assertThat(written.height()).as("lines are wrapped").isGreaterThan(empty.height());
        assertThat(written.width()).isLessThanOrEqualTo(empty.width());
    }

    private static SampleView view(List<StageImage> images) {
        Sample sample = new Sample(5, "cat/1.jpg", 0).placeAt(9, 0, Split.TRAIN);
        return new SampleView(sample, 0L, "cat", images, Map.of());
    }

    private static Field filled(int height, int width, int[] color) {
        byte[] pixels = new byte[height * width * 3];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) color[i % 3];
        }
        return Field.image(height, width, 3, pixels);
    }

    private static int rgb(int[] color) {
        return (color[0] << 16) + (color[1] << 8) + color[2];
    }

    private static Field decoded(byte[] png) throws Exception {
        try (ImageDecoder decoder = new ImageDecoder(DecodeLimits.DEFAULT, ImageIntegrity.STRUCTURE)) {
            return decoder.decode(png);
        }
    }

    /** Returns rows and columns of the pixels with a colour. */
    private static List<int[]> places(Field image, int rgb) {
        byte[] data = image.data();
        List<int[]> places = new ArrayList<>();
        for (int i = 0; i < data.length; i += 3) {
            int found = rgb(new int[] {data[i] & 0xFF, data[i + 1] & 0xFF, data[i + 2] & 0xFF});
            if (found == rgb) {
                places.add(new int[] {i / 3 / image.width(), i / 3 % image.width()});
            }
        }
        return places;
    }

    private static StageImage image(String stage, String field, String drawn, Field pixels) {
        return new StageImage(stage, field, drawn, pixels, ShownObjects.NONE);
    }
}
