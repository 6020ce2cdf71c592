package io.millrace.sink.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RankAgreementTest {
    private static final int BUFFERS = 4;

    private final RecordedEffects recorded = new RecordedEffects();
    private final List<String> effects = recorded.effects;
    private final List<Long> granted = recorded.granted;

    private static RankAgreement.Request sought(String client, long step, long number) {
        return RankAgreement.Request.ask(client, step, BUFFERS, RankAgreement.Origin.SOUGHT, number);
    }

    private static RankAgreement.Request started(String client, long step) {
        return RankAgreement.Request.ask(client, step, BUFFERS, RankAgreement.Origin.STARTED, 1);
    }

    private static RankAgreement.Request continued(String client, long step) {
        return RankAgreement.Request.ask(client, step, BUFFERS, RankAgreement.Origin.CONTINUED, 1);
    }

    private static RankAgreement.Request receiving(String client, long place, long next) {
        return new RankAgreement.Request(client, next, place, BUFFERS, RankAgreement.Origin.RECEIVING, 4);
    }

    /** Returns an agreement of two ranks that receive batches from this step on. */
    private RankAgreement begunAt(long step) {
        RankAgreement agreement = new RankAgreement(2, 1, recorded);
        agreement.ask(0, started("a", step));
        agreement.ask(1, started("b", step));
        agreement.flushed(0, 1);
        agreement.flushed(1, 1);
        effects.clear();
        return agreement;
    }

    @Test
    void aLonelyRankBeginsWhenItsSinkIsEmpty() {
        RankAgreement agreement = new RankAgreement(1, 1, recorded);

        agreement.ask(0, sought("a", 40, 7));
        assertThat(effects).containsExactly("seek 1 to 40", "flush 0 1 40");
        agreement.flushed(0, 1);
        assertThat(effects).endsWith("begin 1");
        agreement.done(0);
        assertThat(effects).endsWith("finish");
    }

    @Test
    void allRanksMustAskAndAllSinksMustBeEmpty() {
        RankAgreement agreement = new RankAgreement(2, 5, recorded);

        agreement.ask(1, sought("b", 8, 7));
        assertThat(effects).isEmpty();
        agreement.ask(0, sought("a", 8, 7));
        agreement.flushed(1, 5);
        assertThat(effects).containsExactly("seek 5 to 8", "flush 0 5 8", "flush 1 5 8");
        agreement.flushed(0, 5);
        assertThat(effects).endsWith("begin 5");
    }

    @Test
    void aSeekThatOvertakesAnotherBeginsAlone() {
        RankAgreement agreement = new RankAgreement(1, 1, recorded);
        agreement.ask(0, sought("a", 1, 7));
        agreement.ask(0, sought("a", 2, 7));

        agreement.flushed(0, 1); // late
        assertThat(effects).doesNotContain("begin 1");
        agreement.flushed(0, 2);
        assertThat(effects).endsWith("begin 2");
    }

    @Test
    void ranksThatAskForDifferentStepsHearOfIt() {
        RankAgreement agreement = new RankAgreement(2, 1, recorded);
        agreement.ask(0, sought("host-a", 120, 7));
        agreement.ask(1, sought("host-b", 118, 9));
        assertThat(effects).isEmpty();

        String waits = "the ranks to ask for the same step: rank 0 (host-a) for step 120, rank 1 (host-b) for step 118";
        agreement.waits(1);
        agreement.waits(0);
        assertThat(effects).as("no rank has waited for the whole time").containsExactly("1: " + waits, "0: " + waits);
        effects.clear();
        agreement.waits(1);
        String reason = "the ranks ask for different steps: rank 0 (host-a) for step 120, rank 1 (host-b) for step 118."
                + " Load the same saved state on all ranks";
        assertThat(effects).containsExactly("0! " + reason, "1! " + reason);
        assertThat(granted).as("the requests that are refused").containsExactly(7L, 9L);
    }

    @Test
    void aRankThatWaitsForNoOtherHearsThat() {
        RankAgreement agreement = begunAt(0);
        agreement.waits(1);
        agreement.located(0, receiving("a", 4, 6));
        assertThat(effects).as("the place of rank 1 is not known").containsExactly("locate 0", "locate 1");
        agreement.located(1, receiving("b", 5, 5));
        assertThat(effects).containsExactly("locate 0", "locate 1", "1: null");
    }

    @Test
    void aRankThatTakesNoBatchesAnyMoreIsNamed() {
        RankAgreement agreement = begunAt(0);
        agreement.waits(1);
        agreement.located(0, receiving("a", 3, 7));
        agreement.located(1, receiving("b", 7, 7));
        assertThat(effects).endsWith("1: rank 0 of 2 (a), which is at step 3 and not at step 7");
        effects.clear();
        agreement.located(1, receiving("b", 7, 7));
        assertThat(effects).as("nobody waits for an answer").isEmpty();
        agreement.waits(1);
        agreement.located(1, receiving("b", 8, 8));
        agreement.located(0, receiving("a", 7, 8));
        assertThat(effects).endsWith("1: null");
    }

    @Test
    void aRankCanCorrectItsStep() {
        RankAgreement agreement = new RankAgreement(2, 1, recorded);
        agreement.ask(0, sought("a", 120, 7));
        agreement.ask(1, sought("b", 118, 7));
        agreement.ask(1, sought("b", 120, 7));

        assertThat(effects).contains("seek 1 to 120");
    }

    @Test
    void aRankThatNeverComesIsNamed() {
        RankAgreement agreement = new RankAgreement(3, 1, recorded);
        agreement.ask(0, sought("a", 0, 7));
        agreement.ask(2, sought("c", 0, 7));

        agreement.waits(0);
        assertThat(effects).containsExactly("0: rank 1 of 3, which has not connected");
    }

    @Test
    void aRankThatIsConnectedAndAsksForNothingIsNamedWithItsClient() {
        RankAgreement agreement = new RankAgreement(2, 1, recorded);
        agreement.connected(0, "a");
        agreement.connected(1, "b");
        agreement.ask(0, started("a", 0));

        agreement.waits(0);
        assertThat(effects)
                .containsExactly("0: rank 1 of 2, whose client (b) is connected and has not asked for a batch");
        effects.clear();
        agreement.gone(1);
        agreement.waits(0);
        assertThat(effects).containsExactly("0: rank 1 of 2, whose client (b) has gone");
        agreement.connected(1, "c");
        agreement.ask(1, started("c", 0));
        assertThat(effects).contains("seek 1 to 0");
    }

    @Test
    void aRankThatDoesNotSeekWithTheOthersIsNamedOnBothSides() {
        RankAgreement agreement = begunAt(0);
        agreement.ask(0, sought("a", 50, 7));
        assertThat(effects).isEmpty();

        agreement.waits(0);
        agreement.waits(1);
        assertThat(effects)
                .containsExactly(
                        "0: rank 1 (b), which has not asked for step 50", "1: rank 0 (a), which asks for step 50");
    }

    @Test
    void aRankWhoseClientHasGoneIsNamed() {
        RankAgreement agreement = begunAt(0);
        agreement.gone(1);
        agreement.waits(0);
        assertThat(effects).containsExactly("0: rank 1 of 2, whose client (b) has gone");
    }

    @Test
    void ranksThatContinueAtDifferentStepsAreServedFromTheLowest() {
        RankAgreement agreement = new RankAgreement(2, 8, recorded); // a new coordinator, or even a new server
        agreement.ask(0, continued("a", 21));
        agreement.ask(1, continued("b", 20));
        assertThat(effects).containsExactly("seek 8 to 20", "flush 0 8 21", "flush 1 8 20");
    }

    @Test
    void aNewClientNearTheOthersContinuesWithThemWhereTheyAre() {
        RankAgreement agreement = begunAt(0);
        agreement.gone(1);
        agreement.ask(1, started("c", 20));
        assertThat(effects).containsExactly("locate 0");
        agreement.located(0, receiving("a", 19, 23));
        assertThat(effects).containsExactly("locate 0", "seek 2 to 20", "flush 0 2 23", "flush 1 2 20");
        assertThat(granted).endsWith(4L, 1L);
    }

    @Test
    void aNewClientBehindTheOthersWaitsAndIsNamedOnBothSides() {
        RankAgreement agreement = begunAt(0);
        agreement.gone(1);
        agreement.ask(1, started("c", 20));
        agreement.located(0, receiving("a", 25, 26));
        assertThat(effects).as("more than %d steps apart", BUFFERS).containsExactly("locate 0");
        agreement.waits(1);
        assertThat(effects)
                .containsExactly(
                        "locate 0", "1: rank 0 (a), which has not asked for step 20 and is at step 25", "locate 0");
        agreement.waits(0);
        assertThat(effects).contains("0: rank 1 (c), which asks for step 20");
        agreement.gone(0); // its program starts again, too
        effects.clear();
        agreement.ask(0, started("a", 20));
        assertThat(effects).containsExactly("seek 2 to 20", "flush 0 2 20", "flush 1 2 20");
    }

    @Test
    void newClientsMustBeginWithTheSameStep() {
        RankAgreement agreement = new RankAgreement(2, 1, recorded);
        agreement.ask(0, started("a", 20));
        agreement.ask(1, started("b", 21));
        assertThat(effects).isEmpty();
    }

    @Test
    void aRankThatSeeksBackAfterAnotherHasBegunThereNeedsNoSecondSeek() {
        RankAgreement agreement = begunAt(0);
        agreement.gone(1);
        agreement.ask(1, started("c", 20));
        agreement.located(0, receiving("a", 20, 23));
        agreement.flushed(0, 2);
        agreement.flushed(1, 2);
        effects.clear();

        agreement.ask(0, sought("a", 20, 5));
        agreement.located(1, receiving("c", 21, 22));
        assertThat(effects).containsExactly("locate 1", "seek 3 to 20", "flush 0 3 20", "flush 1 3 22");
    }

    @Test
    void aClientThatReceivesIsServedAgainWhenTheOneThatJoinedHasGoneMeanwhile() {
        RankAgreement agreement = begunAt(0);
        agreement.gone(1);
        agreement.ask(1, started("c", 20));
        agreement.located(0, receiving("a", 19, 21));
        agreement.gone(1);
        effects.clear();

        agreement.ask(1, started("d", 20));
        assertThat(effects).containsExactly("seek 3 to 20", "flush 0 3 21", "flush 1 3 20");
        agreement.flushed(0, 3);
        agreement.flushed(1, 3);
        assertThat(effects).endsWith("begin 3");
    }

    @Test
    void ranksThatNeedNoMoreAreNotWaitedFor() {
        RankAgreement agreement = begunAt(0);
        agreement.done(0);
        agreement.gone(1);
        agreement.ask(1, continued("b", 31));
        assertThat(effects).containsExactly("seek 2 to 31", "flush 1 2 31");
        agreement.flushed(1, 2);
        agreement.done(1);
        assertThat(effects).endsWith("begin 2", "finish");
    }

    @Test
    void aRankThatAskedContinuesWhenTheLastOtherNeedsNoMore() {
        RankAgreement agreement = begunAt(0);
        agreement.gone(1);
        agreement.ask(1, started("c", 20));
        agreement.done(0);
        assertThat(effects).containsExactly("locate 0", "seek 2 to 20", "flush 1 2 20");
    }

    @Test
    void theLatestRequestOfEachRankIsGranted() {
        RankAgreement agreement = new RankAgreement(2, 1, recorded);
        agreement.ask(0, sought("a", 3, 1));
        agreement.ask(0, sought("a", 3, 2));
        agreement.ask(1, sought("b", 3, 9));

        assertThat(granted).containsExactly(2L, 9L);
    }

    @Test
    void aClientThatGoesBeforeTheBeginningLetsTheOthersWaitForTheNextOne() {
        RankAgreement agreement = new RankAgreement(2, 1, recorded);
        agreement.ask(0, sought("a", 3, 1));
        agreement.ask(1, sought("b", 3, 1));
        agreement.gone(1);
        effects.clear();

        agreement.ask(1, sought("c", 3, 3));
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
        agreement.ask(0, sought("a", 0, 7));
        agreement.ask(1, sought("b", 0, 7));
        agreement.done(0);
        assertThat(effects).doesNotContain("finish");
        agreement.done(1);
        assertThat(effects).endsWith("finish");
    }

    @Test
    void aClientThatComesBackAfterItsEndCountsAgain() {
        RankAgreement agreement = new RankAgreement(2, 1, recorded);
        agreement.done(0);
        agreement.ask(0, sought("a", 0, 7));
        agreement.done(1);

        assertThat(effects).doesNotContain("finish");
    }
}
