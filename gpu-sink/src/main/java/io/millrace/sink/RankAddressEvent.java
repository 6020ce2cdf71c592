package io.millrace.sink;

import io.millrace.exchange.RankAddress;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** A rank tells the coordinator where it is. */
record RankAddressEvent(RankAddress seat) implements OperatorEvent {}
