package io.millrace.preview;

import io.millrace.sample.Field;
import java.awt.AWTError;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.font.FontRenderContext;
import java.awt.font.TextLayout;
import java.awt.geom.AffineTransform;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.awt.image.DataBufferByte;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A drawer of text with the fonts of this machine. A server may have no fonts, or not those of every script, and its Java may have
 * no library for fonts: then there is no text. Stateless; any thread may call it.
 */
final class FontGlyphs {
    private static final Logger LOG = LoggerFactory.getLogger(FontGlyphs.class);

    /** The height of a capital letter in common fonts without serifs, as a share of the font's size. */
    private static final double CAPITAL = 0.72;

    private static final FontRenderContext EXACT = new FontRenderContext(null, true, true);

    private FontGlyphs() {}

    /**
     * Drawn text.
     *
     * @param coverage the ink of each pixel, 0 to 255, as an image of one channel
     * @param baseline the row of the baseline
     */
    record Ink(Field coverage, int baseline) {}

    /**
     * Draws one line.
     *
     * @param capitalPixels the height of capital letters, in pixels
     * @param pad the columns and rows that stay empty around the letters
     * @return empty when the fonts of this machine do not have all the characters
     */
    static Optional<Ink> draw(String text, double capitalPixels, int pad) {
        return using(text, capitalPixels, layout -> draw(layout, pad));
    }

    /** Returns the width of a line as {@link #draw} draws it, without the empty columns, in pixels. */
    static Optional<Integer> width(String text, double capitalPixels) {
        return using(text, capitalPixels, FontGlyphs::columns);
    }

    private static <T> Optional<T> using(String text, double capitalPixels, Function<TextLayout, T> use) {
        try {
            Font font = new Font(Font.SANS_SERIF, Font.PLAIN, 1).deriveFont((float) (capitalPixels / CAPITAL));
            return text.isEmpty() || font.canDisplayUpTo(text) >= 0
                    ? Optional.empty()
                    : Optional.of(use.apply(new TextLayout(text, font, EXACT)));
        } catch (RuntimeException | LinkageError | InternalError | AWTError e) {
            // Java throws any of these where the machine has no fonts, no fontconfig or no library for fonts.
            LOG.debug("the fonts of this machine cannot be used", e);
            return Optional.empty();
        }
    }

    private static int columns(TextLayout layout) {
        return (int) Math.ceil(layout.getAdvance());
    }

    private static Ink draw(TextLayout layout, int pad) {
        Shape outline = layout.getOutline(null);
        Rectangle2D bounds = outline.getBounds2D();
        int above = (int) Math.ceil(Math.max(layout.getAscent(), -bounds.getMinY()));
        int below = (int) Math.ceil(Math.max(layout.getDescent(), bounds.getMaxY()));
        int width = Math.max(columns(layout), (int) Math.ceil(bounds.getMaxX())) + 2 * pad;
        int height = above + below + 2 * pad;
        BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_BYTE_GRAY);
        Graphics2D graphics = image.createGraphics();
        try {
            graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
            graphics.setColor(Color.WHITE);
            graphics.fill(AffineTransform.getTranslateInstance(pad, above + (double) pad)
                    .createTransformedShape(outline));
        } finally {
            graphics.dispose();
        }
        byte[] coverage = ((DataBufferByte) image.getRaster().getDataBuffer()).getData();
        return new Ink(Field.image(height, width, 1, coverage), above + pad);
    }
}
