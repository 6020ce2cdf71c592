package io.millrace.preview;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The positions of the cards on a contact sheet, in pixels. A card shows one sample, with its images in columns. Cards are
 * arranged in panels beside each other, from left to right and then down, so that columns are aligned from top to bottom.
 *
 * @param panels the number of cards beside each other
 * @param panelWidth the width of a card
 * @param columnOffsets the left edge of each column within its panel
 * @param rowTops the top edge of each row of cards
 * @param rowHeights the height of each row, which is the height of its tallest card
 */
record SheetLayout(
        int panels,
        int panelWidth,
        List<Integer> columnOffsets,
        List<Integer> rowTops,
        List<Integer> rowHeights,
        int width,
        int height) {
    static final int MARGIN = 28;
    static final int CARD_PADDING = 14;
    static final int COLUMN_GAP = 14;
    static final int CARD_GAP = 16;

    /** The maximum width of a sheet with several panels; most screens would shrink a wider one. */
    static final int COMFORTABLE_WIDTH = 1640;

    SheetLayout {
        columnOffsets = List.copyOf(columnOffsets);
        rowTops = List.copyOf(rowTops);
        rowHeights = List.copyOf(rowHeights);
    }

    /**
     * Arranges cards.
     *
     * @param headerHeight the height above the first row
     * @param columnWidths the widths of the columns of images, at least one
     * @param cardHeights the heights of all cards, without padding
     */
    static SheetLayout of(int headerHeight, List<Integer> columnWidths, List<Integer> cardHeights) {
        List<Integer> offsets = new ArrayList<>();
        int right = CARD_PADDING;
        for (int columnWidth : columnWidths) {
            offsets.add(right);
            right += columnWidth + COLUMN_GAP;
        }
        int panelWidth = right - COLUMN_GAP + CARD_PADDING;
        int cards = Math.max(1, cardHeights.size());
        int fitting = Math.max(1, (COMFORTABLE_WIDTH - 2 * MARGIN + CARD_GAP) / (panelWidth + CARD_GAP));
        int rows = (cards + fitting - 1) / fitting;
        // The number of rows is minimized first, and then the number of panels. For example, eight cards become two
        // rows of four, not a row of six and a row of two.
        int panels = (cards + rows - 1) / rows;
        List<Integer> tops = new ArrayList<>();
        List<Integer> heights = new ArrayList<>();
        int top = headerHeight;
        for (int first = 0; first < cardHeights.size(); first += panels) {
            int tallest = Collections.max(cardHeights.subList(first, Math.min(first + panels, cardHeights.size())));
            tops.add(top);
            heights.add(tallest + 2 * CARD_PADDING);
            top += tallest + 2 * CARD_PADDING + CARD_GAP;
        }
        return new SheetLayout(
                panels,
                panelWidth,
                offsets,
                tops,
                heights,
                2 * MARGIN + panels * panelWidth + (panels - 1) * CARD_GAP,
                top - CARD_GAP + MARGIN);
    }

    /** Returns the left edge of a panel. */
    int panelLeft(int panel) {
        return MARGIN + panel * (panelWidth + CARD_GAP);
    }

    /** Returns the left edge of a card. */
    int cardLeft(int card) {
        return panelLeft(card % panels);
    }

    int cardTop(int card) {
        return rowTops.get(card / panels);
    }

    int cardHeight(int card) {
        return rowHeights.get(card / panels);
    }

    /** Returns the left edge of a card's image. */
    int columnLeft(int card, int column) {
        return cardLeft(card) + columnOffsets.get(column);
    }

    /** Returns the width of a card without its padding. */
    int innerWidth() {
        return panelWidth - 2 * CARD_PADDING;
    }
}
