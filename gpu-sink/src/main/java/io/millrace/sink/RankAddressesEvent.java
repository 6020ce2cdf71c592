package io.millrace.sink;

import io.millrace.exchange.RankAddresses;
import org.apache.flink.runtime.operators.coordination.OperatorEvent;

/** The addresses of all ranks, sent by the coordinator to each rank. */
record RankAddressesEvent(RankAddresses addresses) implements OperatorEvent {}
