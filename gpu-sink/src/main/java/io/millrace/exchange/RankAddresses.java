package io.millrace.exchange;

import java.io.Serializable;
import java.security.SecureRandom;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;

/**
 * The addresses of all ranks.
 *
 * @param addresses the addresses by rank, at least 2
 * @param token the secret of this attempt of the job, in hexadecimal, which each connection must send
 */
public record RankAddresses(List<RankAddress> addresses, String token) implements Serializable {
    static final int TOKEN_BYTES = 16;

    public RankAddresses {
        addresses = addresses.stream()
                .sorted(Comparator.comparingInt(RankAddress::rank))
                .toList();
        for (int rank = 0; rank < addresses.size(); rank++) {
            if (addresses.get(rank).rank() != rank) {
                throw new IllegalArgumentException("expected an address for each rank from 0, found " + addresses);
            }
        }
        if (addresses.size() < 2 || HexFormat.of().parseHex(token).length != TOKEN_BYTES) {
            throw new IllegalArgumentException(
                    "expected 2 addresses or more and a token, found " + addresses.size() + " addresses");
        }
    }

    /** Returns these addresses with a token that nobody can guess. */
    public static RankAddresses of(List<RankAddress> addresses) {
        byte[] token = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(token);
        return new RankAddresses(addresses, HexFormat.of().formatHex(token));
    }

    int ranks() {
        return addresses.size();
    }

    byte[] tokenBytes() {
        return HexFormat.of().parseHex(token);
    }

    boolean oneProcess() {
        return addresses.stream().map(RankAddress::process).distinct().count() == 1;
    }

    boolean oneHost() {
        return addresses.stream().map(RankAddress::host).distinct().count() == 1;
    }

    /** Returns the addresses without the token. */
    @Override
    public String toString() {
        return "RankAddresses" + addresses;
    }
}
