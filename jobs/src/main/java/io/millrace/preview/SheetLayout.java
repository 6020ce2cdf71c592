package io.millrace.preview;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Where the cards of a contact sheet stand, in pixels. A card holds one sample, its pictures in columns; cards stand in
 * panels side by side, left to right and then down, so that columns are aligned from top to bottom. Pure.
 *
 * @param panels cards beside each other
 * @param panelWidth of a card and everything in it
 * @param columnOffsets where each column begins within its panel
 * @param rowTops where each row of cards begins
 * @param rowHeights its height: that of its tallest card
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

    /** A sheet becomes no wider than this for the sake of more panels: wider ones are shrunk on most screens. */
    static final int COMFORTABLE_WIDTH = 1640;

    SheetLayout {
        columnOffsets = List.copyOf(columnOffsets);
        rowTops = List.copyOf(rowTops);
        rowHeights = List.copyOf(rowHeights);
    }

    /**
     * Arranges cards.
     *
     * @param headerHeight what is above the first row
     * @param columnWidths of the pictures' columns, at least one
     * @param cardHeights of all cards, without padding
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
        // As many rows as it takes, and then only as many panels: two of four, not one of six and one of two.
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

    /** Where a panel begins. */
    int panelLeft(int panel) {
        return MARGIN + panel * (panelWidth + CARD_GAP);
    }

    /** Where a card begins. */
    int cardLeft(int card) {
        return panelLeft(card % panels);
    }

    int cardTop(int card) {
        return rowTops.get(card / panels);
    }

    int cardHeight(int card) {
        return rowHeights.get(card / panels);
    }

    /** Where a picture of a card begins. */
    int columnLeft(int card, int column) {
        return cardLeft(card) + columnOffsets.get(column);
    }

    /** What is within a card's padding. */
    int innerWidth() {
        return panelWidth - 2 * CARD_PADDING;
    }
}
