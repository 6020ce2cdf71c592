package io.millrace.preview;

import io.millrace.preview.Card.Shown;
import io.millrace.sample.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A page with one card for each sample. A card shows the image after every stage, from left to right, and under each
 * image its true size and the random parameters of the stage.
 */
public final class ContactSheet {
    /** The maximum number of samples; a larger sheet would be too large for most viewers. */
    public static final int MOST_CARDS = 120;

    private static final int PAPER = 0xECEFF2;
    private static final int CARD = 0xFFFFFF;
    private static final int CARD_EDGE = 0xD3D9DF;
    private static final int PICTURE_EDGE = 0xB6BEC6;
    private static final int INK = 0x1D2733;
    private static final int PALE_INK = 0x5C6875;
    private static final int HEADING_INK = 0x2C5A8C;
    private static final int BAD = 0xB3261E;
    private static final int BAD_PAPER = 0xFBEAE8;

    private static final int REASON_PADDING = 12;
    private static final int SMALLEST_BOX = 96;

    private final String headline;
    private final String subline;
    private final List<String> columns;
    private final List<Card> cards = new ArrayList<>();
    private final Thumbnail thumbnail = new Thumbnail();

    /**
     * Creates an empty sheet.
     *
     * @param columns the stages to show, in order
     */
    public ContactSheet(String headline, String subline, List<String> columns) {
        this.headline = headline;
        this.subline = subline;
        this.columns = List.copyOf(columns);
    }

    /** Adds a sample. The sheet keeps only the thumbnails, not the sample. */
    public void add(SampleView view) {
        cards.add(Card.of(view, thumbnail));
    }

    /** Returns the sheet as the bytes of a PNG file. */
    public byte[] png() {
        List<String> shown = shownColumns();
        int headerHeight = SheetLayout.MARGIN
                + Lettering.HEADLINE.lineHeight()
                + Lettering.TEXT.lineHeight()
                + Lettering.HEADING.lineHeight()
                + 18;
        SheetLayout layout = SheetLayout.of(
                headerHeight,
                shown.stream().map(this::columnWidth).toList(),
                cards.stream().map(card -> height(card, shown)).toList());
        int headerWidth = Math.max(Lettering.HEADLINE.width(headline), Lettering.TEXT.width(subline));
        int width = Math.max(layout.width(), 2 * SheetLayout.MARGIN + headerWidth);
        Raster raster = new Raster(width, layout.height(), PAPER);
        header(raster, layout, shown);
        for (int i = 0; i < cards.size(); i++) {
            new Drawing(raster, layout, shown, i).draw(cards.get(i));
        }
        return raster.png();
    }

    /** Returns the stages that need a column: those with images, or with a red box after other images. */
    private List<String> shownColumns() {
        List<String> shown = new ArrayList<>(columns);
        shown.removeIf(stage -> cards.stream().noneMatch(card -> card.showsAt(stage)));
        return shown.isEmpty() ? columns : shown;
    }

    private int columnWidth(String stage) {
        int width = Math.max(Card.NARROWEST_COLUMN, Lettering.HEADING.width(stage));
        for (Card card : cards) {
            Shown image = card.images().get(stage);
            width = Math.max(width, image == null ? 0 : image.width());
        }
        return width;
    }

    private static int titleHeight() {
        return Lettering.TITLE.lineHeight() + Card.DETAILS * Lettering.TEXT.lineHeight() + 4;
    }

    private static int height(Card card, List<String> shown) {
        int tallest = SMALLEST_BOX;
        for (String stage : shown) {
            Shown image = card.images().get(stage);
            if (image != null) {
                tallest =
                        Math.max(tallest, image.height() + 4 + image.captions().size() * Lettering.TEXT.lineHeight());
            }
        }
        return titleHeight() + tallest;
    }

    private void header(Raster raster, SheetLayout layout, List<String> shown) {
        int baseline = SheetLayout.MARGIN + Lettering.HEADLINE.lineHeight() - 8;
        raster.text(SheetLayout.MARGIN, baseline, headline, Lettering.HEADLINE, INK);
        baseline += Lettering.TEXT.lineHeight() + 3;
        raster.text(SheetLayout.MARGIN, baseline, subline, Lettering.TEXT, PALE_INK);
        baseline += Lettering.HEADING.lineHeight() + 12;
        for (int panel = 0; panel < layout.panels(); panel++) {
            for (int column = 0; column < shown.size(); column++) {
                raster.text(
                        layout.panelLeft(panel) + layout.columnOffsets().get(column),
                        baseline,
                        shown.get(column),
                        Lettering.HEADING,
                        HEADING_INK);
            }
        }
    }

    /** A card that is being drawn. */
    private record Drawing(Raster raster, SheetLayout layout, List<String> shown, int number) {
        void draw(Card card) {
            boolean good = card.failedAt() == null;
            int left = layout.cardLeft(number);
            int top = layout.cardTop(number);
            raster.fill(left, top, layout.panelWidth(), layout.cardHeight(number), CARD);
            raster.frame(left, top, layout.panelWidth(), layout.cardHeight(number), good ? CARD_EDGE : BAD);
            int textLeft = left + SheetLayout.CARD_PADDING;
            int baseline = top + SheetLayout.CARD_PADDING + Lettering.TITLE.lineHeight() - 6;
            int width = layout.innerWidth();
            raster.text(
                    textLeft, baseline, Lettering.TITLE.fit(card.title(), width), Lettering.TITLE, good ? INK : BAD);
            for (String line : card.details()) {
                baseline += Lettering.TEXT.lineHeight();
                raster.text(textLeft, baseline, Lettering.TEXT.fit(line, width), Lettering.TEXT, PALE_INK);
            }
            int imagesTop = top + SheetLayout.CARD_PADDING + titleHeight();
            int column = 0;
            for (String stage : shown) {
                Shown image = card.images().get(stage);
                if (image == null) {
                    break;
                }
                image(image, column, imagesTop);
                column++;
            }
            if (!good) {
                reason(card, Math.min(column, shown.size() - 1), imagesTop);
            }
        }

        private void image(Shown image, int column, int top) {
            int left = layout.columnLeft(number, column);
            Field thumbnail = image.thumbnail();
            if (thumbnail != null) {
                raster.image(left, top, thumbnail);
                raster.frame(left - 1, top - 1, thumbnail.width() + 2, thumbnail.height() + 2, PICTURE_EDGE);
            }
            int baseline = top + image.height() + 4;
            for (String caption : image.captions()) {
                baseline += Lettering.TEXT.lineHeight();
                String text = Lettering.TEXT.fit(caption, columnWidth(column));
                raster.text(left, baseline - 3, text, Lettering.TEXT, INK);
            }
        }

        private int columnWidth(int column) {
            int end = column + 1 < shown.size()
                    ? layout.columnOffsets().get(column + 1) - SheetLayout.COLUMN_GAP
                    : layout.panelWidth() - SheetLayout.CARD_PADDING;
            return end - layout.columnOffsets().get(column);
        }

        /** Draws a red box from the column at which the sample was quarantined to the right edge of the card. */
        private void reason(Card card, int column, int top) {
            int left = layout.columnLeft(number, column);
            int width = layout.cardLeft(number) + layout.panelWidth() - SheetLayout.CARD_PADDING - left;
            int height = layout.cardTop(number) + layout.cardHeight(number) - SheetLayout.CARD_PADDING - top;
            raster.fill(left, top, width, height, BAD_PAPER);
            raster.frame(left, top, width, height, BAD);
            int baseline = top + REASON_PADDING + Lettering.HEADING.lineHeight() - 5;
            String what = String.format(Locale.ROOT, "quarantined at %s", card.failedAt());
            int textWidth = width - 2 * REASON_PADDING;
            raster.text(
                    left + REASON_PADDING, baseline, Lettering.HEADING.fit(what, textWidth), Lettering.HEADING, BAD);
            for (String line : TextWrap.lines(card.reason(), textWidth, Lettering.TEXT::width)) {
                baseline += Lettering.TEXT.lineHeight();
                if (baseline + 4 < top + height) {
                    raster.text(left + REASON_PADDING, baseline, line, Lettering.TEXT, INK);
                }
            }
        }
    }
}
