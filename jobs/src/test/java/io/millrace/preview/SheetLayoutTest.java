package io.millrace.preview;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class SheetLayoutTest {
    @Property(tries = 300)
    void cardsDoNotOverlapAndTheirColumnsAreAligned(
            @ForAll @IntRange(min = 0, max = 200) int header,
            @ForAll @Size(min = 1, max = 6) List<@IntRange(min = 1, max = 400) Integer> columns,
            @ForAll @Size(min = 1, max = 40) List<@IntRange(min = 1, max = 300) Integer> heights) {
        SheetLayout layout = SheetLayout.of(header, columns, heights);
        for (int card = 0; card < heights.size(); card++) {
            int left = layout.cardLeft(card);
            int top = layout.cardTop(card);
            assertThat(left).isGreaterThanOrEqualTo(SheetLayout.MARGIN);
            assertThat(left + layout.panelWidth()).isLessThanOrEqualTo(layout.width() - SheetLayout.MARGIN);
            assertThat(top).isGreaterThanOrEqualTo(header);
            assertThat(layout.cardHeight(card))
                    .isGreaterThanOrEqualTo(heights.get(card) + 2 * SheetLayout.CARD_PADDING);
            assertThat(top + layout.cardHeight(card)).isLessThanOrEqualTo(layout.height() - SheetLayout.MARGIN);
            for (int other = 0; other < card; other++) {
                assertThat(apart(layout, other, card))
                        .as("cards %d and %d", other, card)
                        .isTrue();
            }
            int right = left;
            for (int column = 0; column < columns.size(); column++) {
                assertThat(layout.columnLeft(card, column)).isGreaterThan(right);
                right = layout.columnLeft(card, column) + columns.get(column);
                int above = card - layout.panels();
                if (above >= 0) {
                    assertThat(layout.columnLeft(card, column)).isEqualTo(layout.columnLeft(above, column));
                }
            }
            assertThat(right).isEqualTo(left + layout.panelWidth() - SheetLayout.CARD_PADDING);
        }
    }

    @Test
    void cardsAreDistributedEvenlyOverTheFewestRows() {
        SheetLayout layout = SheetLayout.of(60, List.of(224), List.of(280, 280, 280, 280, 280, 280, 280, 280));
        assertThat(layout.panels()).isEqualTo(4);
        assertThat(layout.rowTops()).hasSize(2);
        assertThat(layout.width()).isLessThanOrEqualTo(SheetLayout.COMFORTABLE_WIDTH);
    }

    @Test
    void aPipelineOfManyStagesGetsOnePanelOfAnyWidth() {
        SheetLayout layout = SheetLayout.of(60, List.of(224, 224, 224, 224, 224, 224, 224, 224), List.of(280, 280));
        assertThat(layout.panels()).isEqualTo(1);
        assertThat(layout.width()).isGreaterThan(SheetLayout.COMFORTABLE_WIDTH);
    }

    private static boolean apart(SheetLayout layout, int one, int other) {
        return layout.cardLeft(one) + layout.panelWidth() < layout.cardLeft(other)
                || layout.cardLeft(other) + layout.panelWidth() < layout.cardLeft(one)
                || layout.cardTop(one) + layout.cardHeight(one) < layout.cardTop(other);
    }
}
