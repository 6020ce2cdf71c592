package io.millrace.preview;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.config.ConfigReader;
import io.millrace.config.PipelineConfig;
import io.millrace.pipeline.RunPlanner;
import io.millrace.preview.SampleView.StageImage;
import io.millrace.preview.ShownObjects.Box;
import io.millrace.sample.Field;
import io.millrace.sample.FieldKind;
import io.millrace.sample.Split;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The boxes, points and masks of a preview, compared with pictures in which every object is a rectangle of its own colour. */
class ShownObjectsTest {
    private static final int WIDTH = 160;
    private static final int HEIGHT = 120;
    private static final int PICTURES = 6;

    /** The names of the classes, and their colours. */
    private static final List<String> NAMES = List.of("red car", "green cat", "blue dog");

    private static final int[] COLORS = {0xF01010, 0x10D010, 0x2020F0};

    /** The left and top edge, width and height of the rectangles of a picture, which move with its number. */
    private static final int[][] RECTANGLES = {{8, 10, 40, 30}, {70, 20, 50, 60}, {30, 70, 24, 36}};

    @TempDir
    Path root;

    @BeforeEach
    void pictures() throws Exception {
        Files.createDirectory(root.resolve("pictures"));
        List<String> images = new ArrayList<>();
        List<String> annotations = new ArrayList<>();
        for (int i = 0; i < PICTURES; i++) {
            byte[] pixels = new byte[3 * WIDTH * HEIGHT];
            for (int object = 0; object < RECTANGLES.length; object++) {
                int[] r = RECTANGLES[object];
                int left = r[0] + 4 * i;
                fill(pixels, left, r[1], r[2], r[3], COLORS[object]);
                annotations.add("""
                        {"id": %d, "image_id": %d, "category_id": %d, "bbox": [%d, %d, %d, %d], "iscrowd": 0,
                         "keypoints": [%d, %d, 2, 0, 0, 0], "segmentation": [[%d, %d, %d, %d, %d, %d, %d, %d]]}""".formatted(
                                10 * i + object,
                                i,
                                5 + object,
                                left,
                                r[1],
                                r[2],
                                r[3],
                                left + r[2] / 2,
                                r[1] + r[3] / 2,
                                left,
                                r[1],
                                left + r[2],
                                r[1],
                                left + r[2],
                                r[1] + r[3],
                                left,
                                r[1] + r[3]));
            }
            ByteArrayOutputStream file = new ByteArrayOutputStream();
            file.writeBytes("P6 %d %d 255\n".formatted(WIDTH, HEIGHT).getBytes(StandardCharsets.US_ASCII));
            file.writeBytes(pixels);
            Files.write(root.resolve("pictures/" + i + ".ppm"), file.toByteArray());
            images.add("{\"id\": %d, \"file_name\": \"%d.ppm\", \"height\": %d, \"width\": %d}"
                    .formatted(i, i, HEIGHT, WIDTH));
        }
        List<String> categories = new ArrayList<>();
        for (int i = 0; i < NAMES.size(); i++) {
            categories.add("{\"id\": %d, \"name\": \"%s\"}".formatted(5 + i, NAMES.get(i)));
        }
        Files.writeString(
                root.resolve("instances.json"),
                "{\"images\": %s, \"annotations\": %s, \"categories\": %s}".formatted(images, annotations, categories));
    }

    private static void fill(byte[] pixels, int left, int top, int width, int height, int color) {
        for (int y = top; y < top + height; y++) {
            for (int x = left; x < left + width; x++) {
                for (int channel = 0; channel < 3; channel++) {
                    pixels[3 * (y * WIDTH + x) + channel] = (byte) (color >> (8 * (2 - channel)));
                }
            }
        }
    }

    private List<SampleView> views(String fields, String transforms) throws Exception {
        Path file = Files.writeString(root.resolve("boxes.yaml"), """
                dataset: {format: coco, path: %1$s/pictures, annotations: %1$s/instances.json, fields: %2$s}
                transforms: [%3$s]
                train: {model: none}
                run: {folder: %1$s/runs}
                """.formatted(root, fields, transforms));
        PipelineConfig config = ConfigReader.read(file, List.of());
        List<SampleView> views = new ArrayList<>();
        try (PreviewRun run = PreviewRun.open(config, RunPlanner.plan(config), Split.TRAIN, 0)) {
            for (int i = 0; i < run.samples(); i++) {
                views.add(run.view(i));
            }
        }
        return views;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "decode",
                "decode, {RandomHorizontalFlip: {p: 1.0}}",
                "decode, {RandomVerticalFlip: {p: 1.0}}, {RandomHorizontalFlip: {p: 0.5}}",
                "decode, {RandomCrop: {size: [90, 100]}}",
                "decode, {Resize: {size: [60, 200], interpolation: nearest}}, {RandomHorizontalFlip: {p: 0.5}}",
                "decode, {RandomResizedCrop: {size: 256, scale: [0.4, 0.9]}}, RandomHorizontalFlip",
                "{decode: {look_ahead: false}}, {CenterCrop: {size: 100}}, {Pad: {padding: 20}}, {Resize: {size: 64}}",
            })
    void cornersOfBoxesAreThoseOfTheDrawnRectangles(String transforms) throws Exception {
        for (String form : List.of("xyxy", "xywh", "cxcywh")) {
            String fields = "{image: image, where: {from: boxes, as: {boxes: %s}}, kinds: labels}".formatted(form);
            int boxes = 0;
            for (SampleView view : views(fields, transforms)) {
                assertThat(view.sample().badSample()).isNull();
                for (StageImage image : view.images()) {
                    for (Box box : image.objects().boxes()) {
                        check(image, box, transforms);
                        boxes++;
                    }
                }
            }
            assertThat(boxes).isGreaterThan(PICTURES);
        }
    }

    /** Compares the pixels inside and outside of a box's corners, as far as they are in the picture, and the corners drawn over them. */
    private static void check(StageImage image, Box box, String transforms) {
        ShownObjects.Place place = image.objects().place();
        int color = COLORS[NAMES.indexOf(box.name())];
        double left = (box.left() - place.left()) * place.columns();
        double right = (box.right() - place.left()) * place.columns();
        double top = (box.top() - place.top()) * place.rows();
        double bottom = (box.bottom() - place.top()) * place.rows();
        Thumbnail thumbnail = new Thumbnail();
        Field small = thumbnail.of(image.image());
        Field drawn = ObjectPen.draw(
                small,
                image.image(),
                new ShownObjects(
                        List.of(new Box(box.left(), box.top(), box.right(), box.bottom(), "", box.number())),
                        List.of(),
                        List.of(),
                        place,
                        ""));
        for (int corner = 0; corner < 4; corner++) {
            boolean atRight = corner % 2 == 1;
            boolean atBottom = corner / 2 == 1;
            double x = atRight ? right : left;
            double y = atBottom ? bottom : top;
            String where = "%s, %s of %s, corner %d of %s in %s"
                    .formatted(transforms, image.stage(), image.image(), corner, box, place);
            // Two pixels away from the corner, resizing has not mixed the colours.
            int inX = (int) Math.floor(x + (atRight ? -3 : 2));
            int inY = (int) Math.floor(y + (atBottom ? -3 : 2));
            if (right - left > 6 && bottom - top > 6 && isIn(image.image(), inX, inY)) {
                assertThat(pixel(image.image(), inX, inY)).as(where).isEqualTo(hex(color));
            }
            int outX = (int) Math.floor(x + (atRight ? 2 : -3));
            int outY = (int) Math.floor(y + (atBottom ? 2 : -3));
            if (isIn(image.image(), outX, outY)) {
                assertThat(pixel(image.image(), outX, outY)).as(where).isNotEqualTo(hex(color));
            }
            double scale = (double) small.width() / image.image().width();
            int drawnX = (int) Math.round(x * scale) - (atRight ? 1 : 0);
            int drawnY = (int) Math.round(y * scale) - (atBottom ? 1 : 0);
            if (isIn(drawn, drawnX, drawnY)) {
                assertThat(pixel(drawn, drawnX, drawnY)).as(where).isEqualTo(hex(ObjectPen.color(box.number())));
            }
        }
    }

    @Test
    void pointsAndOutlinesAreDrawnAndMissingPointsAreNot() throws Exception {
        String fields = "[image, boxes, labels, keypoints, masks]";
        for (SampleView view : views(fields, "decode, {RandomHorizontalFlip: {p: 1.0}}")) {
            assertThat(view.images()).hasSize(2);
            for (StageImage image : view.images()) {
                ShownObjects objects = image.objects();
                assertThat(objects.count()).isEqualTo("3 boxes, 3 points, 3 masks");
                for (int i = 0; i < 3; i++) {
                    ShownObjects.Dot dot = objects.dots().get(i);
                    int color = COLORS[NAMES.indexOf(objects.boxes().get(i).name())];
                    assertThat(pixel(image.image(), (int) dot.x(), (int) dot.y()))
                            .isEqualTo(hex(color));
                    for (int y = 0; y < HEIGHT; y++) {
                        for (int x = 0; x < WIDTH; x++) {
                            assertThat(objects.masks().get(i).has(y, x))
                                    .isEqualTo(pixel(image.image(), x, y).equals(hex(color)));
                        }
                    }
                }
                ShownObjects masks = new ShownObjects(List.of(), List.of(), objects.masks(), objects.place(), "");
                Field drawn = ObjectPen.draw(image.image(), image.image(), masks);
                Box first = objects.boxes().get(0);
                int x = (int) (first.left() + first.right()) / 2;
                int y = (int) (first.top() + first.bottom()) / 2;
                assertThat(pixel(drawn, x, y)).isEqualTo(pixel(image.image(), x, y));
                assertThat(pixel(drawn, (int) first.left(), y)).isEqualTo(hex(ObjectPen.color(first.number())));
                assertThat(pixel(drawn, x, (int) first.bottom() - 1)).isEqualTo(hex(ObjectPen.color(first.number())));
            }
        }
    }

    @Test
    void boxesWithoutNumbersAndFarOutsideDoNoHarm() {
        Field picture = Field.image(4, 4, 1, new byte[16]).as(FieldKind.IMAGE);
        ShownObjects objects = new ShownObjects(
                List.of(new Box(-1e30, -1e30, 1e30, 1e30, "x".repeat(1000), 3), new Box(2, 2, 2, 2, "", 253)),
                List.of(new ShownObjects.Dot(1e30, -1e30, 0)),
                List.of(),
                ShownObjects.Place.WHOLE,
                "");
        Field drawn = ObjectPen.draw(picture, picture, objects);
        assertThat(drawn.shape()).containsExactly(4, 4, 3);
        assertThat(pixel(drawn, 2, 2)).isEqualTo(hex(ObjectPen.color(253)));
    }

    private static boolean isIn(Field image, int x, int y) {
        return x >= 0 && y >= 0 && x < image.width() && y < image.height();
    }

    private static String pixel(Field image, int x, int y) {
        int at = (y * image.width() + x) * image.channels();
        byte[] data = image.data();
        return hex(((data[at] & 0xFF) << 16) | ((data[at + 1] & 0xFF) << 8) | (data[at + 2] & 0xFF));
    }

    private static String hex(int color) {
        return "%06x".formatted(color);
    }
}
