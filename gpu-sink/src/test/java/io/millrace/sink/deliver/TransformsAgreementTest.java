package io.millrace.sink.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.serve.Join.Transforms;
import org.junit.jupiter.api.Test;

class TransformsAgreementTest {
    private final TransformsAgreement agreement = new TransformsAgreement();

    @Test
    void ranksThatNameTheSameSideAgree() {
        assertThat(agreement.join(0, "a", Transforms.SERVER)).isEmpty();
        assertThat(agreement.join(1, "b", Transforms.SERVER)).isEmpty();
        assertThat(agreement.join(1, "b", Transforms.SERVER)).isEmpty();
    }

    @Test
    void rankThatNamesAnotherSideIsRefusedUntilTheOthersHaveGone() {
        assertThat(agreement.join(0, "a", Transforms.CLIENT)).isEmpty();
        assertThat(agreement.join(2, "c", Transforms.SERVER))
                .contains("rank 2 (c) lets the server apply the device transforms, but rank 0 (a) applies the device"
                        + " transforms itself: start all ranks with the same transforms");
        agreement.leave(0);
        assertThat(agreement.join(2, "c", Transforms.SERVER)).isEmpty();
        assertThat(agreement.join(0, "a", Transforms.CLIENT)).isPresent();
    }

    @Test
    void nextClientOfARankMayNameAnotherSideWhenTheRankIsAlone() {
        assertThat(agreement.join(0, "a", Transforms.CLIENT)).isEmpty();
        assertThat(agreement.join(0, "later", Transforms.SERVER)).isEmpty();
    }
}
