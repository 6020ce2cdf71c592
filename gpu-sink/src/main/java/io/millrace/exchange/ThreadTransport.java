package io.millrace.exchange;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The exchange between ranks that are threads of one process. Each rank sums its segment directly in the memory of all
 * ranks.
 */
final class ThreadTransport implements Transport {
    private static final Map<String, Meeting> MEETINGS = new ConcurrentHashMap<>();

    /** The meeting point of the ranks of a job. The last rank that leaves removes it. */
    private static final class Meeting {
        private final FloatBlocks[] floats;
        private long[][] arriving;
        private long[][] arrived;
        private int missing;
        private long round;
        private int left;
        private boolean ended;

        private Meeting(int ranks) {
            floats = new FloatBlocks[ranks];
            arriving = new long[ranks][];
            arrived = arriving;
            missing = ranks;
        }

        /**
         * Waits for all ranks. Returns null when a rank has left, unless {@code mode} is {@link
         * WaitMode#FOR_ALL_RANKS}.
         */
        private synchronized long @Nullable [][] meet(int rank, long[] values, WaitMode mode) {
            if (ended && mode == WaitMode.UNLESS_A_RANK_LEFT) {
                return null;
            }
            arriving[rank] = values;
            missing--;
            if (missing == 0) {
                arrived = arriving;
                arriving = new long[floats.length][];
                missing = floats.length;
                round++;
                notifyAll();
                return arrived;
            }
            long mine = round;
            boolean interrupted = false;
            while (round == mine && (mode == WaitMode.FOR_ALL_RANKS || !ended)) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                    ended |= mode == WaitMode.UNLESS_A_RANK_LEFT;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            return round == mine ? null : arrived;
        }

        private synchronized boolean leave() {
            ended = true;
            left++;
            notifyAll();
            return left == floats.length;
        }
    }

    private enum WaitMode {
        UNLESS_A_RANK_LEFT,
        /** Waits even when a rank has left. It is used where all ranks are about to arrive and cannot leave before. */
        FOR_ALL_RANKS
    }

    private final String token;
    private final int rank;
    private final Meeting meeting;
    private boolean closed;

    ThreadTransport(RankAddresses addresses, int rank) {
        this.token = addresses.token();
        this.rank = rank;
        this.meeting = MEETINGS.computeIfAbsent(token, t -> new Meeting(addresses.ranks()));
    }

    @Override
    public long @Nullable [][] gather(long[] mine) {
        return meeting.meet(rank, mine, WaitMode.UNLESS_A_RANK_LEFT);
    }

    @Override
    public void sum(FloatBlocks mine, float[] weights) throws ExchangeException {
        meeting.floats[rank] = mine;
        if (meeting.meet(rank, new long[0], WaitMode.UNLESS_A_RANK_LEFT) == null) {
            throw new RankGoneException("another rank has left while gradients were averaged");
        }
        try {
            FloatBlocks[] all = meeting.floats;
            new FloatSegments(mine.size(), all.length).reduce(rank, all, weights, (from, sums, count) -> {
                for (FloatBlocks floats : all) {
                    floats.write(from, sums, count);
                }
            });
        } finally {
            // The ranks meet even after a failure, because no rank may free its memory before all ranks are done with
            // it.
            meeting.meet(rank, new long[0], WaitMode.FOR_ALL_RANKS);
        }
    }

    @Override
    public String describe() {
        return "threads of one process";
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            if (meeting.leave()) {
                MEETINGS.remove(token);
            }
        }
    }
}
