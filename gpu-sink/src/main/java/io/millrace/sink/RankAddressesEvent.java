package io.millrace.sink;

import io.millrace.exchange.RankAddresses;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** An event that carries the addresses of all ranks from the coordinator to a rank. */
record RankAddressesEvent(RankAddresses addresses) implements OperatorEvent {}
