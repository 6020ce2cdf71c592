package io.millrace.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.image.GaussianBlurOps.Kernel;
import io.millrace.image.ImageVectors.Row;
import io.millrace.sample.Field;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class GaussianBlurOpsTest {
    @Test
    void pixelsAreThoseOfTorchvisionExceptForRareDifferencesOfOneLevel() throws Exception {
        GaussianBlurOps blurring = new GaussianBlurOps();
        int different = 0;
        int values = 0;
        for (Row row : ImageVectors.tableAt("/vectors/transform/colour/blur.csv")) {
            Field image = ColorPixelsTest.source(row);
            Kernel kernel = new Kernel(row.number("kernel_width"), row.number("kernel_height"));
            blurring.blur(image, kernel, row.real("sigma"));
            byte[] expected = HexFormat.of().parseHex(row.text("hex"));
            assertThat(image.data()).hasSameSizeAs(expected);
            for (int i = 0; i < expected.length; i++) {
                int difference = Math.abs((image.data()[i] & 0xff) - (expected[i] & 0xff));
                assertThat(difference).as("value %d of %s", i, row).isLessThanOrEqualTo(1);
                different += difference;
                values++;
            }
        }
        assertThat(values).isGreaterThan(4000);
        assertThat(different).as("values that differ by 1").isLessThanOrEqualTo(1);
    }

    @Test
    void kernelThatReachesBeyondTheMirroredImageIsRefused() {
        Field image = ImageVectors.pixels(1, "noise", 5, 40, 3);
        assertThatThrownBy(() -> new GaussianBlurOps().blur(image, new Kernel(3, 11), 1))
                .hasMessage("a kernel of 3x11 is too large for an image 40 wide and 5 high");
        assertThat(new Kernel(3, 9).fits(5, 40)).isTrue();
    }
}
