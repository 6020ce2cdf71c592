package io.millrace.transform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.image.Fill;
import io.millrace.image.Interpolation;
import io.millrace.image.PerspectiveMap;
import io.millrace.image.Point;
import io.millrace.image.Warp;
import io.millrace.order.ChiSquare;
import io.millrace.order.SampleRandom;
import io.millrace.sample.Field;
import io.millrace.sample.Sample;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RandomPerspectiveTest {
    /**
     * Checks torchvision's rule: each corner is uniform on whole pixels, up to the given share of the distance to the
     * middle.
     */
    @Test
    void cornersAreUniformInTheirRectangles() {
        int rows = 10 / 2 + 1;
        int columns = 15 / 2 + 1;
        long[][] counts = new long[4][rows * columns];
        SampleRandom random = new SampleRandom(9, 1);
        for (int draw = 0; draw < 48_000; draw++) {
            List<Point> corners = RandomPerspective.corners(random.reset(0, draw), 20, 31, 0.5);
            for (int corner = 0; corner < 4; corner++) {
                int x = (int) corners.get(corner).x() - (corner == 1 || corner == 2 ? 31 - columns : 0);
                int y = (int) corners.get(corner).y() - (corner >= 2 ? 20 - rows : 0);
                counts[corner][y * columns + x]++;
            }
        }
        for (long[] corner : counts) {
            assertThat(ChiSquare.uniform(corner)).isLessThan(ChiSquare.bound(corner.length - 1));
        }
    }

    @Test
    void appliesWithItsProbability() throws Exception {
        TransformFixture perspective = TransformFixture.of("RandomPerspective", Map.of("p", 0.3));
        int draws = 10_000;
        int changed = 0;
        for (int draw = 0; draw < draws; draw++) {
            perspective.apply(TransformFixture.noise(6, 6, 1));
            changed += perspective.drawn().equals("as is") ? 0 : 1;
        }
        // The bound is four standard deviations.
        assertThat((double) changed / draws).isCloseTo(0.3, within(4 * Math.sqrt(0.3 * 0.7 / draws)));
    }

    @Test
    void imageAndMaskGetTheSamePerspective() throws Exception {
        TransformFixture perspective =
                TransformFixture.of("RandomPerspective", Map.of("p", 1L, "fill", 7L, "mask_fill", 255L));
        SampleRandom numbers = perspective.nextNumbers();
        numbers.nextDouble();
        List<Point> corners = RandomPerspective.corners(numbers, 20, 31, 0.5);
        Field image = TransformFixture.noise(20, 31, 3);
        Field mask = TransformFixture.mask(20, 31);
        Sample sample = perspective.apply(Map.of("image", image, "labels", mask));
        PerspectiveMap map =
                PerspectiveMap.between(PerspectiveMap.corners(20, 31), corners).orElseThrow();
        Warp warp = new Warp();
        assertThat(sample.image().data())
                .isEqualTo(warp.perspective(image, map, Interpolation.BILINEAR, Fill.of(7), new byte[0])
                        .data());
        assertThat(sample.field("labels").data())
                .isEqualTo(warp.perspective(mask, map, Interpolation.NEAREST, Fill.of(255), new byte[0])
                        .data());
        assertThat(perspective.drawn())
                .startsWith("corners " + (int) corners.get(0).x() + ","
                        + (int) corners.get(0).y() + " ");
    }

    @Test
    void smallestImagesStayUnchanged() throws Exception {
        TransformFixture perspective = TransformFixture.of("RandomPerspective", Map.of("p", 1L));
        Field line = TransformFixture.noise(1, 9, 3);
        assertThat(perspective.apply(line)).isSameAs(line);
        assertThat(perspective.drawn()).isEqualTo("as is, corners in one line");
    }

    @Test
    void distortionOverOneIsRefused() {
        assertThatThrownBy(() -> TransformFixture.of("RandomPerspective", Map.of("distortion_scale", 1.5)))
                .hasMessage("'distortion_scale': expected a number from 0 to 1, found 1.5");
    }
}
