package io.millrace.source;

import org.apache.flink.api.connector.source.SourceEvent;
import org.jspecify.annotations.Nullable;

/**
 * The messages between the enumerator and the readers of a served run. Each belongs to a generation: the ranges between
 * one seek and the next. Its receiver ignores messages of other generations, which a seek has overtaken.
 */
sealed interface ServedEvent extends SourceEvent {
    /** Returns the number of the generation, from 1. */
    long generation();

    /** The enumerator's command to drop all ranges, to emit the watermark of the generation, and to request ranges. */
    record Rewind(long generation) implements ServedEvent {}

    /** The enumerator's question for what the reader waits. */
    record Ask(long generation) implements ServedEvent {}

    /**
     * A reader's answer to {@link Ask}.
     *
     * @param awaited what its readings wait for, as a clause for the user; null for nothing
     */
    record Awaits(long generation, @Nullable String awaited) implements ServedEvent {}

    /**
     * A reader's report that it has dropped its ranges and emitted the watermark.
     *
     * @param requested the number of ranges that the reader requests, at least 1
     */
    record Rewound(long generation, int requested) implements ServedEvent {}

    /** The enumerator's assignment of a range to a reader. */
    record Assigned(long generation, Range range) implements ServedEvent {}

    /**
     * A reader's report that it has emitted all of a range.
     *
     * @param requested the number of ranges that the reader requests in its place, 0 or 1
     */
    record Finished(long generation, Range range, int requested) implements ServedEvent {}
}
