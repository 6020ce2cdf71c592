package io.millrace.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddedSlotsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "true|4|16|6|uses 4 slots and may use 16: it continues from its next checkpoint with the slots that are free",
                "true|2|2|6|keeps its 2 slots, which are all that its parallelism allows: ./millrace scale 4f2a parallelism=6"
                        + " changes that",
                "true|4|16|4|keeps its 4 slots, which are all that its parallelism allows",
                "false|2|2|6|keeps its 2 slots, because this cluster has no adaptive scheduler: ./millrace scale 4f2a"
                        + " parallelism=6 changes that",
                "false|1|1|1|keeps its 1 slot, because this cluster has no adaptive scheduler"
            })
    void effectOfAddedSlots(boolean adaptive, int now, int most, int all, String text) {
        assertThat(AddedSlots.effect("4f2a", adaptive, now, most, all)).isEqualTo(text);
    }
}
