package io.millrace.sink;

import io.millrace.exchange.RankAddress;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** An event that carries a rank's address to the coordinator. */
record RankAddressEvent(RankAddress address) implements OperatorEvent {}
