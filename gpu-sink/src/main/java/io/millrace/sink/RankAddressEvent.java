package io.millrace.sink;

import io.millrace.exchange.RankAddress;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** A rank's address, sent to the coordinator. */
record RankAddressEvent(RankAddress address) implements OperatorEvent {}
