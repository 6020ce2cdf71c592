package io.millrace.sink;

import io.millrace.exchange.Seat;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** A rank tells the coordinator where it is. */
record SeatTaken(Seat seat) implements OperatorEvent {}
