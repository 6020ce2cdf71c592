package io.millrace.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class HandlesTest {
    private final List<String> closed = new ArrayList<>();

    private Closeable handle(String name) {
        return () -> closed.add(name);
    }

    private Closeable failing(String name) {
        return () -> {
            closed.add(name);
            throw new IOException(name);
        };
    }

    @Test
    void handlesAreClosedOnceAndTheLastOneFirst() {
        Handles handles = new Handles();
        handles.add(handle("a"));
        handles.add(handle("b"));
        handles.close();
        handles.close();
        assertThat(closed).containsExactly("b", "a");
    }

    @Test
    void firstFailureIsThrownAndTheOthersAreSuppressedAfterAllHandlesAreClosed() {
        Handles handles = new Handles();
        handles.add(failing("a"));
        handles.add(handle("b"));
        handles.add(failing("c"));
        assertThatThrownBy(handles::close)
                .isInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("c")
                .satisfies(failure -> assertThat(failure.getSuppressed())
                        .singleElement()
                        .satisfies(second -> assertThat(second).hasRootCauseMessage("a")));
        assertThat(closed).containsExactly("c", "b", "a");
    }

    @Test
    void failedMakingClosesTheHandlesAndKeepsItsOwnException() {
        Handles handles = new Handles();
        handles.add(failing("a"));
        assertThatThrownBy(() -> handles.closeOnFailure(() -> {
                    throw new IOException("making");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("making")
                .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(1));
        assertThat(closed).containsExactly("a");
    }

    @Test
    void successfulMakingLeavesTheHandlesOpen() {
        Handles handles = new Handles();
        handles.add(handle("a"));
        assertThat(handles.<String, RuntimeException>closeOnFailure(() -> "made"))
                .isEqualTo("made");
        assertThat(closed).isEmpty();
    }

    @Test
    void closingAfterAFailureNeverReplacesIt() {
        IOException failure = new IOException("first");
        Handles.closeAfter(failure, failing("a"));
        Handles.closeAfter(failure, () -> {
            throw failure;
        });
        assertThat(failure.getSuppressed()).extracting(Throwable::getMessage).containsExactly("a");
    }

    @Test
    void closingAListClosesAllOfItAndThrowsTheFirstFailure() {
        assertThatThrownBy(() -> Handles.closeAll(List.of(handle("a"), failing("b"), failing("c"))))
                .isInstanceOf(IOException.class)
                .hasMessage("b")
                .satisfies(failure -> assertThat(failure.getSuppressed()).hasSize(1));
        assertThat(closed).containsExactly("a", "b", "c");
    }
}
