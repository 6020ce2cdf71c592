package io.millrace.preview;

import io.millrace.sample.Field;
import java.text.Normalizer;
import java.util.Locale;
import java.util.Optional;
import org.bytedeco.opencv.global.opencv_core;
import org.bytedeco.opencv.global.opencv_imgproc;
import org.bytedeco.opencv.opencv_core.Mat;
import org.bytedeco.opencv.opencv_core.Point;
import org.bytedeco.opencv.opencv_core.Scalar;
import org.bytedeco.opencv.opencv_core.Size;

/**
 * A drawer of text. ASCII is drawn without fonts, with the Hershey strokes of OpenCV, so that it looks the same on every machine.
 * Other text is drawn with the fonts of this machine. Where they lack a character, the strokes are used: letters with accents lose
 * them, and other characters are escaped, as in backslash, u, 732b. Strokes are drawn larger and then reduced, because strokes of whole
 * pixels are either thin and ragged or too thick.
 */
final class Lettering {
    static final Lettering HEADLINE = new Lettering(0.62, 1.6);
    static final Lettering HEADING = new Lettering(0.45, 1.4);
    static final Lettering TITLE = new Lettering(0.47, 1.35);
    static final Lettering TEXT = new Lettering(0.39, 1.0);

    /** The factor by which text is drawn larger. */
    private static final int FINER = 4;

    /** The space around the letters for the width of the strokes, in pixels. */
    private static final int PAD = 2;

    /** The height of letters above the baseline at scale 1, in pixels. */
    private static final double CAPITAL_PIXELS = 21;

    private static final int FONT = opencv_imgproc.FONT_HERSHEY_SIMPLEX;

    private final double scale;
    private final int finePenPixels;

    private Lettering(double scale, double penPixels) {
        this.scale = scale;
        this.finePenPixels = (int) Math.round(penPixels * FINER);
    }

    /**
     * Drawn text.
     *
     * @param coverage the ink of each pixel, 0 to 255, as an image of one channel
     * @param left the column at which the letters begin
     * @param baseline the row of the baseline
     */
    record Drawn(Field coverage, int left, int baseline) {}

    /** Returns the distance from one line to the next, in pixels. */
    int lineHeight() {
        return (int) Math.ceil(scale * CAPITAL_PIXELS * 1.75);
    }

    /** Returns the width of a text, in pixels. */
    int width(String text) {
        if (text.isEmpty()) {
            return 0;
        }
        if (!isAscii(text)) {
            Optional<Integer> width = FontGlyphs.width(text, scale * CAPITAL_PIXELS);
            if (width.isPresent()) {
                return width.get();
            }
        }
        try (Size size = opencv_imgproc.getTextSize(ascii(text), FONT, scale * FINER, finePenPixels, new int[1])) {
            return wholePixels(size.width());
        }
    }

    /** Returns the text, shortened in the middle if it is too wide. */
    String fit(String text, int maxWidth) {
        if (width(text) <= maxWidth) {
            return text;
        }
        for (int kept = text.length() - 1; kept > 0; kept--) {
            // The end of a path is more informative than its beginning.
            int head = kept / 3;
            String shorter = text.substring(0, head) + "..." + text.substring(text.length() - (kept - head));
            if (width(shorter) <= maxWidth) {
                return shorter;
            }
        }
        return "";
    }

    /** Draws one line. */
    Drawn draw(String text) {
        if (!isAscii(text)) {
            Optional<FontGlyphs.Ink> ink = FontGlyphs.draw(text, scale * CAPITAL_PIXELS, PAD);
            if (ink.isPresent()) {
                return new Drawn(ink.get().coverage(), PAD, ink.get().baseline());
            }
        }
        return drawStrokes(ascii(text));
    }

    private Drawn drawStrokes(String letters) {
        int[] below = new int[1];
        try (Size size = opencv_imgproc.getTextSize(letters, FONT, scale * FINER, finePenPixels, below)) {
            int width = wholePixels(size.width()) + 2 * PAD;
            int baseline = wholePixels(size.height()) + PAD;
            int height = baseline + wholePixels(below[0] + finePenPixels) + PAD;
            byte[] fine = new byte[width * height * FINER * FINER];
            try (Mat mat = new Mat(height * FINER, width * FINER, opencv_core.CV_8UC1, Scalar.BLACK);
                    Point origin = new Point(PAD * FINER, baseline * FINER)) {
                opencv_imgproc.putText(
                        mat,
                        letters,
                        origin,
                        FONT,
                        scale * FINER,
                        Scalar.WHITE,
                        finePenPixels,
                        opencv_imgproc.LINE_AA,
                        false);
                mat.data().get(fine);
            }
            return new Drawn(Field.image(height, width, 1, averaged(fine, width, height)), PAD, baseline);
        }
    }

    private static byte[] averaged(byte[] fine, int width, int height) {
        byte[] coverage = new byte[width * height];
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                int sum = 0;
                for (int row = 0; row < FINER; row++) {
                    for (int column = 0; column < FINER; column++) {
                        sum += fine[(y * FINER + row) * width * FINER + x * FINER + column] & 0xFF;
                    }
                }
                coverage[y * width + x] = (byte) (sum / (FINER * FINER));
            }
        }
        return coverage;
    }

    /** Returns the number of whole pixels that cover a number of fine pixels. */
    private static int wholePixels(int fine) {
        return (fine + FINER - 1) / FINER;
    }

    private static boolean isAscii(String text) {
        return text.chars().allMatch(letter -> letter >= ' ' && letter <= '~');
    }

    /** Returns a text for which there are strokes. */
    static String ascii(String text) {
        StringBuilder letters = new StringBuilder();
        Normalizer.normalize(text, Normalizer.Form.NFD)
                .replaceAll("\\p{M}", "")
                .replace("\u00df", "ss")
                .chars()
                .forEach(letter -> {
                    if (letter >= ' ' && letter <= '~') {
                        letters.append((char) letter);
                    } else {
                        letters.append(String.format(Locale.ROOT, "\\u%04x", letter));
                    }
                });
        return letters.toString();
    }
}
