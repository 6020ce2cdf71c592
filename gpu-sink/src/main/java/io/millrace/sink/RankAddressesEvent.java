package io.millrace.sink;

import io.millrace.exchange.RankAddresses;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** The coordinator tells each rank where all are. */
record RankAddressesEvent(RankAddresses table) implements OperatorEvent {}
