package io.millrace.sink.deliver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Rows that are read before a client has asked for them: the agreement of the ranks, and the gate of a sink. */
class PreparedRowsTest {
    private final RecordedEffects recorded = new RecordedEffects();
    private final List<String> effects = recorded.effects;

    private final RankAgreement agreement = new RankAgreement(2, 1, recorded);

    private static RankAgreement.Request asks(RankAgreement.Origin origin, long step) {
        return RankAgreement.Request.ask("client", step, 4, origin, 1);
    }

    private void ask(int rank, long step) {
        agreement.ask(rank, asks(RankAgreement.Origin.STARTED, step));
    }

    /** Prepares the first step, and lets both sinks report that earlier rows are gone. */
    private void prepare() {
        agreement.prepare();
        agreement.flushed(0, 1);
        agreement.flushed(1, 1);
        assertThat(effects).containsExactly("seek 1 to 0", "prepare 0 1", "prepare 1 1", "begin 1");
        effects.clear();
    }

    @Test
    void clientsThatBeginWithThePreparedStepReceiveTheRowsThatWait() {
        prepare();
        ask(0, 0);
        ask(1, 0);
        assertThat(effects).containsExactly("flush 0 1 0", "flush 1 1 0");
        agreement.flushed(0, 1);
        assertThat(effects).hasSize(2);
        agreement.flushed(1, 1);
        assertThat(effects).endsWith("begin 1");
    }

    @Test
    void clientsThatAskBeforeTheSinksAreEmptyWaitForThem() {
        agreement.prepare();
        agreement.flushed(0, 1);
        ask(0, 0);
        ask(1, 0);
        agreement.flushed(0, 1);
        assertThat(effects).doesNotContain("begin 1");
        agreement.flushed(1, 1);
        assertThat(effects).endsWith("begin 1");
    }

    @Test
    void anotherStepBeginsAnotherGeneration() {
        prepare();
        ask(0, 3);
        ask(1, 3);
        assertThat(effects).containsExactly("seek 2 to 3", "flush 0 2 3", "flush 1 2 3");
    }

    @Test
    void aClientThatSeeksOnItsConnectionDropsTheRowsThatWait() {
        prepare();
        ask(0, 0);
        agreement.ask(0, asks(RankAgreement.Origin.SOUGHT, 0));
        ask(1, 0);
        assertThat(effects).startsWith("seek 2 to 0");
    }

    @Test
    void rowsAreLostWithASink() {
        prepare();
        agreement.lost();
        ask(0, 0);
        ask(1, 0);
        assertThat(effects).startsWith("seek 2 to 0");
    }

    @Test
    void nothingIsPreparedTwiceOrBesideAClient() {
        prepare();
        agreement.prepare();
        assertThat(effects).isEmpty();
        ask(0, 0);
        agreement.prepare();
        assertThat(effects).isEmpty();
        ask(1, 0);
        agreement.flushed(0, 1);
        agreement.flushed(1, 1);
        effects.clear();
        agreement.prepare();
        assertThat(effects).isEmpty();
    }

    @Test
    void itIsPreparedAgainWhenTheClientsHaveGone() {
        prepare();
        ask(0, 0);
        ask(1, 0);
        agreement.gone(0);
        agreement.gone(1);
        effects.clear();
        agreement.prepare();
        assertThat(effects).containsExactly("seek 2 to 0", "prepare 0 2", "prepare 1 2");
    }

    @Test
    void preparedRowsWaitAtTheGateUntilTheyAreGranted() {
        RowGate gate = new RowGate(1);
        assertThat(gate.prepare(5)).isFalse();
        assertThat(gate.isDropping()).isTrue();
        gate.close(); // a client has come and gone
        assertThat(gate.isDropping()).as("rows of earlier generations").isTrue();
        assertThat(gate.passed(5)).isTrue();
        assertThat(gate.passed(5)).as("once").isFalse();
        assertThat(gate.isDropping() || gate.isOpen()).isFalse();
        long request = gate.ask(RankAgreement.Origin.STARTED);
        assertThat(gate.isDropping() || gate.isOpen()).isFalse();
        assertThat(gate.grant(new DeliverEvents.Flush(5, 0, request))).isTrue();
        assertThat(gate.begin()).isNotNull();
        assertThat(gate.isOpen()).isTrue();
    }

    @Test
    void aGateThatHasSeenTheGenerationIsReadyAtOnce() {
        RowGate gate = new RowGate(1);
        gate.passed(5);
        assertThat(gate.prepare(5)).isTrue();
        assertThat(gate.isDropping()).isFalse();
    }

    @Test
    void theGateDropsPreparedRowsForAClientThatContinuesAndAtTheEnd() {
        RowGate gate = new RowGate(1);
        gate.passed(5);
        gate.prepare(5);
        gate.ask(RankAgreement.Origin.CONTINUED);
        assertThat(gate.isDropping()).isTrue();
        gate.prepare(5);
        gate.end();
        assertThat(gate.isDropping()).isTrue();
    }
}
