/**
 * What the two operators at the end of a job have in common as Flink tasks: the base class {@link
 * io.millrace.sink.task.SinkOperator}, the task's mailbox, and the failures that no restart can mend.
 */
@NullMarked
package io.millrace.sink.task;

import org.jspecify.annotations.NullMarked;
