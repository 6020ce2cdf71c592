package io.millrace.exchange;

import java.io.Serializable;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;

/**
 * Where all ranks are.
 *
 * @param seats by rank, at least 2
 * @param token in hexadecimal: who knows it belongs to this attempt of the job
 */
public record RankAddresses(List<RankAddress> seats, String token) implements Serializable {
    private static final int TOKEN_BYTES = 16;

    public RankAddresses {
        seats = seats.stream()
                .sorted(Comparator.comparingInt(RankAddress::rank))
                .toList();
        for (int rank = 0; rank < seats.size(); rank++) {
            if (seats.get(rank).rank() != rank) {
                throw new IllegalArgumentException("expected a seat for each rank from 0, found " + seats);
            }
        }
        if (seats.size() < 2 || HexFormat.of().parseHex(token).length != TOKEN_BYTES) {
            throw new IllegalArgumentException(
                    "expected 2 seats or more and a token, found " + seats.size() + " seats");
        }
    }

    /** A table with a token that nobody can guess. */
    public static RankAddresses of(List<RankAddress> seats) {
        byte[] token = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(token);
        return new RankAddresses(seats, HexFormat.of().formatHex(token));
    }

    int ranks() {
        return seats.size();
    }

    byte[] tokenBytes() {
        return HexFormat.of().parseHex(token);
    }

    boolean oneProcess() {
        return seats.stream().map(RankAddress::process).distinct().count() == 1;
    }

    boolean oneHost() {
        return seats.stream().map(RankAddress::host).distinct().count() == 1;
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "RankAddresses" + seats;
    }
}
