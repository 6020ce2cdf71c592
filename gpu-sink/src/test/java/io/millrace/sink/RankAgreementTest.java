package io.millrace.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RankAgreementTest {
    private final List<String> effects = new ArrayList<>();
    private final List<Long> granted = new ArrayList<>();

    private final RankAgreement.Effects recorded = new RankAgreement.Effects() {
        @Override
        public void seek(long generation, long step) {
            effects.add("seek " + generation + " to " + step);
        }

        @Override
        public void flush(int rank, long generation, long step, long request) {
            effects.add("flush " + rank + " " + generation + " " + step);
            granted.add(request);
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

        agreement.ask(0, "a", 40, 7);
        assertThat(effects).containsExactly("seek 1 to 40", "flush 0 1 40");
        agreement.flushed(0, 1);
        assertThat(effects).endsWith("begin 1");
        agreement.done(0);
        assertThat(effects).endsWith("finish");
    }

    @Test
    void allRanksMustAskAndAllSinksMustBeEmpty() {
        RankAgreement agreement = new RankAgreement(2, 5, recorded);

        agreement.ask(1, "b", 8, 7);
        assertThat(effects).isEmpty();
        agreement.ask(0, "a", 8, 7);
        agreement.flushed(1, 5);
        assertThat(effects).containsExactly("seek 5 to 8", "flush 0 5 8", "flush 1 5 8");
        agreement.flushed(0, 5);
        assertThat(effects).endsWith("begin 5");
    }

    @Test
    void aSeekThatOvertakesAnotherBeginsAlone() {
        RankAgreement agreement = new RankAgreement(1, 1, recorded);
        agreement.ask(0, "a", 1, 7);
        agreement.ask(0, "a", 2, 7);

        agreement.flushed(0, 1); // late
        assertThat(effects).doesNotContain("begin 1");
        agreement.flushed(0, 2);
        assertThat(effects).endsWith("begin 2");
    }

    @Test
    void ranksThatAskForDifferentStepsHearOfIt() {
        RankAgreement agreement = new RankAgreement(2, 1, recorded);
        agreement.ask(0, "host-a", 120, 7);
        agreement.ask(1, "host-b", 118, 7);
        assertThat(effects).isEmpty();

        agreement.waits(0);
        String reason = "the ranks ask for different steps: rank 0 (host-a) for step 120, rank 1 (host-b) for step 118."
                + " Load the same saved state on all ranks";
        assertThat(effects).containsExactly("0! " + reason, "1! " + reason);
    }

    @Test
    void aRankCanCorrectItsStep() {
        RankAgreement agreement = new RankAgreement(2, 1, recorded);
        agreement.ask(0, "a", 120, 7);
        agreement.ask(1, "b", 118, 7);
        agreement.ask(1, "b", 120, 7);

        assertThat(effects).contains("seek 1 to 120");
    }

    @Test
    void aRankThatNeverComesIsNamed() {
        RankAgreement agreement = new RankAgreement(3, 1, recorded);
        agreement.ask(0, "a", 0, 7);
        agreement.ask(2, "c", 0, 7);

        agreement.waits(0);
        assertThat(effects).containsExactly("0: waiting for rank 1 of 3, which has not connected");
    }

    @Test
    void aRankThatDoesNotSeekWithTheOthersIsNamed() {
        RankAgreement agreement = new RankAgreement(2, 1, recorded);
        agreement.ask(0, "a", 0, 7);
        agreement.ask(1, "host-b", 0, 7);
        agreement.ask(0, "a", 50, 7);
        effects.clear();

        agreement.waits(0);
        assertThat(effects).containsExactly("0: waiting for rank 1 (host-b), which has not asked for step 50");
    }

    @Test
    void theLatestRequestOfEachRankIsGranted() {
        RankAgreement agreement = new RankAgreement(2, 1, recorded);
        agreement.ask(0, "a", 3, 1);
        agreement.ask(0, "a", 3, 2);
        agreement.ask(1, "b", 3, 9);

        assertThat(granted).containsExactly(2L, 9L);
    }

    @Test
    void aClientThatGoesBeforeTheBeginningLetsTheOthersWaitForTheNextOne() {
        RankAgreement agreement = new RankAgreement(2, 1, recorded);
        agreement.ask(0, "a", 3, 1);
        agreement.ask(1, "b", 3, 1);
        agreement.gone(1);
        effects.clear();

        agreement.ask(1, "c", 3, 3);
        assertThat(effects).containsExactly("seek 2 to 3", "flush 0 2 3", "flush 1 2 3");
        agreement.flushed(0, 1); // late
        agreement.flushed(1, 2);
        assertThat(effects).hasSize(3);
        agreement.flushed(0, 2);
        assertThat(effects).endsWith("begin 2");
    }

    @Test
    void theRunEndsWhenNoRankNeedsMore() {
        RankAgreement agreement = new RankAgreement(2, 1, recorded);
        agreement.ask(0, "a", 0, 7);
        agreement.ask(1, "b", 0, 7);
        agreement.done(0);
        assertThat(effects).doesNotContain("finish");
        agreement.done(1);
        assertThat(effects).endsWith("finish");
    }

    @Test
    void aClientThatComesBackAfterItsEndCountsAgain() {
        RankAgreement agreement = new RankAgreement(2, 1, recorded);
        agreement.done(0);
        agreement.ask(0, "a", 0, 7);
        agreement.done(1);

        assertThat(effects).doesNotContain("finish");
    }
}
