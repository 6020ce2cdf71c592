package io.millrace.sink;

import io.millrace.exchange.SeatTable;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** The coordinator tells each rank where all are. */
record AllSeated(SeatTable table) implements OperatorEvent {}
