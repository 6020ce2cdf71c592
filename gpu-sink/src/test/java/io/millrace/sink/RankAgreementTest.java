package io.millrace.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RankAgreementTest {
    private final List<String> effects = new ArrayList<>();

    private final RankAgreement.Effects recorded = new RankAgreement.Effects() {
        @Override
        public void seek(long generation, long step) {
            effects.add("seek " + generation + " to " + step);
        }

        @Override
        public void flush(int rank, long generation, long step) {
            effects.add("flush " + rank + " " + generation + " " + step);
        }

        @Override
        public void begin(long generation) {
            effects.add("begin " + generation);
        }

        @Override
        public void finish() {
            effects.add("finish");
        }

        @Override
        public void report(int rank, String reason) {
            effects.add(rank + ": " + reason);
        }

        @Override
        public void disagree(int rank, String reason) {
            effects.add(rank + "! " + reason);
        }
    };

    @Test
    void aLonelyRankBeginsWhenItsSinkIsEmpty() {
        RankAgreement agreement = new RankAgreement(1, 1, recorded);

        agreement.ask(0, "a", 40);
        assertThat(effects).containsExactly("seek 1 to 40", "flush 0 1 40");
        agreement.flushed(0, 1);
        assertThat(effects).endsWith("begin 1");
        agreement.done(0);
        assertThat(effects).endsWith("finish");
    }

    @Test
    void allRanksMustAskAndAllSinksMustBeEmpty() {
        RankAgreement agreement = new RankAgreement(2, 5, recorded);

        agreement.ask(1, "b", 8);
        assertThat(effects).isEmpty();
        agreement.ask(0, "a", 8);
        agreement.flushed(1, 5);
        assertThat(effects).containsExactly("seek 5 to 8", "flush 0 5 8", "flush 1 5 8");
        agreement.flushed(0, 5);
        assertThat(effects).endsWith("begin 5");
    }

    @Test
    void aSeekThatOvertakesAnotherBeginsAlone() {
        RankAgreement agreement = new RankAgreement(1, 1, recorded);
        agreement.ask(0, "a", 1);
        agreement.ask(0, "a", 2);

        agreement.flushed(0, 1); // late
        assertThat(effects).doesNotContain("begin 1");
        agreement.flushed(0, 2);
        assertThat(effects).endsWith("begin 2");
    }

    @Test
    void ranksThatAskForDifferentStepsHearOfIt() {
        RankAgreement agreement = new RankAgreement(2, 1, recorded);
        agreement.ask(0, "host-a", 120);
        agreement.ask(1, "host-b", 118);
        assertThat(effects).isEmpty();

        agreement.waits(0);
        String reason = "the ranks ask for different steps: rank 0 (host-a) for step 120, rank 1 (host-b) for step 118."
                + " Load the same saved state on all ranks";
        assertThat(effects).containsExactly("0! " + reason, "1! " + reason);
    }

    @Test
    void aRankCanCorrectItsStep() {
        RankAgreement agreement = new RankAgreement(2, 1, recorded);
        agreement.ask(0, "a", 120);
        agreement.ask(1, "b", 118);
        agreement.ask(1, "b", 120);

        assertThat(effects).contains("seek 1 to 120");
    }

    @Test
    void aRankThatNeverComesIsNamed() {
        RankAgreement agreement = new RankAgreement(3, 1, recorded);
        agreement.ask(0, "a", 0);
        agreement.ask(2, "c", 0);

        agreement.waits(0);
        assertThat(effects).containsExactly("0: waiting for rank 1 of 3, which has not connected");
    }

    @Test
    void aRankThatDoesNotSeekWithTheOthersIsNamed() {
        RankAgreement agreement = new RankAgreement(2, 1, recorded);
        agreement.ask(0, "a", 0);
        agreement.ask(1, "host-b", 0);
        agreement.ask(0, "a", 50);
        effects.clear();

        agreement.waits(0);
        assertThat(effects).containsExactly("0: waiting for rank 1 (host-b), which has not asked for step 50");
    }

    @Test
    void theRunEndsWhenNoRankNeedsMore() {
        RankAgreement agreement = new RankAgreement(2, 1, recorded);
        agreement.ask(0, "a", 0);
        agreement.ask(1, "b", 0);
        agreement.done(0);
        assertThat(effects).doesNotContain("finish");
        agreement.done(1);
        assertThat(effects).endsWith("finish");
    }

    @Test
    void aClientThatComesBackAfterItsEndCountsAgain() {
        RankAgreement agreement = new RankAgreement(2, 1, recorded);
        agreement.done(0);
        agreement.ask(0, "a", 0);
        agreement.done(1);

        assertThat(effects).doesNotContain("finish");
    }
}
