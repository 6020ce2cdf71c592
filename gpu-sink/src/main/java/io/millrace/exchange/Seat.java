package io.millrace.exchange;

import java.io.Serializable;

/**
 * Where a rank is, as it tells the others.
 *
 * @param rank from 0
 * @param address the host's, by which the others reach it
 * @param port on which it listens
 * @param process the same for ranks that can share objects, and for no others
 * @param host the same for ranks that can share memory through files, and for no others
 */
public record Seat(int rank, String address, int port, String process, String host) implements Serializable {}
