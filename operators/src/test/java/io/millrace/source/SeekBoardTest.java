package io.millrace.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SeekBoardTest {
    private static final String RUN = "a run of SeekBoardTest";

    private final SeekBoard board = SeekBoard.open(RUN);

    /** A receiver that records its commands as text. */
    private static final class Recorder implements SeekBoard.Receiver {
        private final List<String> commands = new ArrayList<>();

        @Override
        public void seek(long generation, long position) {
            commands.add("seek " + generation + " " + position);
        }

        @Override
        public void begin(long generation) {
            commands.add("begin " + generation);
        }

        @Override
        public void finish() {
            commands.add("finish");
        }

        @Override
        public void ask() {
            commands.add("ask");
        }
    }

    @AfterEach
    void noRunIsLeft() {
        board.close();
        assertThat(SeekBoard.runs()).isZero();
    }

    private static Recorder received(Runnable commands) {
        Recorder recorder = new Recorder();
        SeekBoard attached = SeekBoard.attach(RUN, recorder);
        commands.run();
        attached.detach(recorder);
        return recorder;
    }

    @Test
    void commandsArriveInOrderAndOnlyOnce() {
        Recorder recorder = received(() -> {
            board.seek(1, 100);
            board.begin(1);
            board.begin(1);
            board.seek(5, 0);
            board.begin(1);
            board.finish();
            board.finish();
            board.seek(6, 0);
            board.begin(5);
        });
        assertThat(recorder.commands).containsExactly("seek 1 100", "begin 1", "seek 5 0", "finish");
    }

    @Test
    void onlyTheLatestSeekIsReplayed() {
        board.seek(1, 100);
        board.seek(2, 200);
        assertThat(received(() -> board.begin(2)).commands).containsExactly("seek 2 200", "begin 2");
        assertThat(board.generation()).isEqualTo(2);
    }

    @Test
    void generationThatBeganEndsWithItsEnumerator() {
        received(() -> {
            board.seek(1, 100);
            board.begin(1);
        });
        assertThat(received(() -> board.seek(2, 100)).commands).containsExactly("seek 2 100");
    }

    @Test
    void endIsReplayed() {
        board.seek(1, 100);
        board.finish();
        assertThat(received(() -> {}).commands).containsExactly("finish");
    }

    @Test
    void nextReceiverReplacesTheFormerWhichThenDetaches() {
        Recorder former = new Recorder();
        SeekBoard first = SeekBoard.attach(RUN, former);
        Recorder next = received(() -> {
            first.detach(former);
            board.seek(1, 7);
        });
        assertThat(former.commands).isEmpty();
        assertThat(next.commands).containsExactly("seek 1 7");
    }

    @Test
    void readersAreAskedWhatTheyWaitForUntilTheNextSeek() {
        assertThat(board.awaits()).as("without an enumerator").isNull();
        Recorder recorder = received(() -> {
            board.seek(1, 100);
            assertThat(board.awaits()).isNull();
            board.answer(1, "the count of documents");
            board.answer(0, null);
            assertThat(board.awaits()).isEqualTo("the count of documents");
            board.answer(1, null);
            assertThat(board.awaits()).isNull();
            board.answer(1, "the count of documents");
            board.seek(2, 100);
            assertThat(board.awaits()).isNull();
        });
        assertThat(recorder.commands).containsExactly("seek 1 100", "ask", "ask", "ask", "seek 2 100", "ask");
    }

    @Test
    void commandsAreForgottenWhenBothSidesHaveLeft() {
        board.seek(1, 100);
        board.close();
        board.close();
        assertThat(received(() -> {}).commands).isEmpty();
    }

    @Test
    void otherRunsHaveOtherCommands() {
        try (SeekBoard other = SeekBoard.open("another run")) {
            other.seek(1, 100);
            assertThat(received(() -> {}).commands).isEmpty();
        }
    }

    @Test
    void argumentsOutOfRangeAreRefused() {
        board.seek(3, 0);
        assertThatThrownBy(() -> board.seek(3, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("expected a generation after 3 and a position of at least 0, found generation 3 and"
                        + " position 0");
        assertThatThrownBy(() -> board.seek(4, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("position -1");
        assertThatThrownBy(() -> board.begin(4))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("generation 4 cannot begin, because the latest seek has generation 3");
    }
}
