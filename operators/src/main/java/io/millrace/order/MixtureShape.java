package io.millrace.order;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * The shape of the binary tree over the sources of a mixture, which decides how far the counts can be from their targets. At each
 * inner node, the samples that arrive are divided between its two children, with an error of at most half a sample. The error of a
 * node is passed on to a source within it in the proportion of their weights. The {@link #bound} of a tree is therefore half the
 * largest sum, over the nodes on the way from a source to the root without the root, of the source's weight divided by the node's.
 *
 * <p>A Huffman tree, which always joins the two lightest nodes, is within {@value #WANTED} for most weights, but not where a light
 * source is joined to one of many heavy ones. Then the source that it is joined to has two nodes of nearly its own weight. In
 * that case the joining is repeated with a condition: a join that leaves a source too little room for the nodes above is
 * postponed until the partner is heavy. The room of a node is the largest sum of the reciprocal weights of all nodes above it, with
 * which each of its sources stays within {@value #WANTED}.
 */
final class MixtureShape {
    /** The largest deviation that a tree should have, in samples. */
    static final double WANTED = 1.3;

    /**
     * The conditions in the order of the attempts: the least product of the room and the weight of a joined node. The first is
     * always true, and makes a Huffman tree. A search for bad weights found none for which all four attempts exceed {@link #WANTED}.
     */
    private static final double[] LEAST = {Double.NEGATIVE_INFINITY, 0.3, 0.6, 0.9};

    /** The room of two nodes is compared in floating point; the weights are exact. */
    private record Node(int number, long weight, double room) {}

    private final int[] sources;
    private final long[] weights;
    private final int[] firsts;
    private final int[] seconds;
    private double bound;

    private MixtureShape(int[] sources, long[] weights) {
        int inner = sources.length - 1;
        this.sources = sources;
        this.weights = Arrays.copyOf(weights, sources.length + inner);
        this.firsts = new int[inner];
        this.seconds = new int[inner];
    }

    private MixtureShape(int[] sources, long[] weights, int[] firsts, int[] seconds) {
        this.sources = sources;
        this.weights = Arrays.copyOf(weights, sources.length + firsts.length);
        this.firsts = firsts;
        this.seconds = seconds;
        for (int inner = 0; inner < firsts.length; inner++) {
            this.weights[sources.length + inner] = this.weights[firsts[inner]] + this.weights[seconds[inner]];
        }
        this.bound = computeBound();
    }

    /** Returns the shape for weights of which at least one is positive. Sources of weight 0 are left out. */
    static MixtureShape of(long[] weights) {
        int[] sources = sorted(weights);
        long[] positive =
                Arrays.stream(sources).mapToLong(source -> weights[source]).toArray();
        MixtureShape best = null;
        for (double least : LEAST) {
            MixtureShape shape = new MixtureShape(sources, positive);
            shape.join(least);
            shape.bound = shape.computeBound();
            if (best == null || shape.bound < best.bound) {
                best = shape;
            }
            if (best.bound <= WANTED) {
                return best;
            }
        }
        return Objects.requireNonNull(best);
    }

    /**
     * Returns the shape for the weights that follow those of this shape: this one with the new weights, if it satisfies the bound,
     * because the counts continue most smoothly then, otherwise a new one.
     */
    MixtureShape next(long[] next) {
        long[] positive =
                Arrays.stream(sources).mapToLong(source -> next[source]).toArray();
        boolean same = Arrays.stream(next).filter(weight -> weight > 0).count() == sources.length
                && Arrays.stream(positive).allMatch(weight -> weight > 0);
        if (!same) {
            return of(next);
        }
        MixtureShape shape = new MixtureShape(sources, positive, firsts, seconds);
        return shape.bound <= WANTED ? shape : of(next);
    }

    /** Returns the sources with positive weights from the lightest to the heaviest; of equal weights, the larger number first. */
    private static int[] sorted(long[] weights) {
        Integer[] sources = IntStream.range(0, weights.length)
                .filter(source -> weights[source] > 0)
                .boxed()
                .toArray(Integer[]::new);
        Arrays.sort(
                sources,
                Comparator.<Integer>comparingLong(source -> weights[source]).thenComparing(Comparator.reverseOrder()));
        return Arrays.stream(sources).mapToInt(source -> source).toArray();
    }

    private void join(double least) {
        List<Node> nodes = new ArrayList<>();
        for (int leaf = 0; leaf < sources.length; leaf++) {
            nodes.add(new Node(leaf, weights[leaf], (2 * WANTED - 1) / weights[leaf]));
        }
        for (int inner = 0; inner < firsts.length; inner++) {
            Node joined = joinPair(nodes, least, inner);
            nodes.add(place(nodes, joined.weight), joined);
        }
    }

    /** Returns the place after all nodes that are not firsts. */
    private static int place(List<Node> nodes, long weight) {
        int from = 0;
        int to = nodes.size();
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (nodes.get(middle).weight <= weight) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    }

    /** Removes the first pair of nodes that satisfies the condition, otherwise the pair with the most room, and joins it. */
    private Node joinPair(List<Node> nodes, double least, int inner) {
        int first = 0;
        int second = 1;
        double most = Double.NEGATIVE_INFINITY;
        search:
        for (int a = 0; a < nodes.size() - 1 && nodes.size() > 2; a++) {
            for (int b = a + 1; b < nodes.size(); b++) {
                Node light = nodes.get(a);
                Node heavy = nodes.get(b);
                double weight = (double) (light.weight + heavy.weight);
                double product = Math.min(light.room, heavy.room) * weight - 1;
                if (product > most || product >= least) {
                    most = product;
                    first = a;
                    second = b;
                }
                if (product >= least) {
                    break search;
                }
            }
        }
        Node heavy = nodes.remove(second);
        Node light = nodes.remove(first);
        firsts[inner] = heavy.number;
        seconds[inner] = light.number;
        long weight = light.weight + heavy.weight;
        int number = sources.length + inner;
        weights[number] = weight;
        return new Node(number, weight, Math.min(light.room, heavy.room) - 1.0 / weight);
    }

    private double computeBound() {
        double[] above = new double[weights.length];
        double largest = 0;
        for (int node = weights.length - 2; node >= 0; node--) {
            above[node] = 1.0 / weights[node];
        }
        for (int inner = firsts.length - 1; inner >= 0; inner--) {
            double parent = above[sources.length + inner];
            above[firsts[inner]] += parent;
            above[seconds[inner]] += parent;
        }
        for (int leaf = 0; leaf < sources.length; leaf++) {
            largest = Math.max(largest, above[leaf] * weights[leaf]);
        }
        return largest / 2;
    }

    /** Returns the number of samples by which the count of a source can differ from its target. */
    double bound() {
        return bound;
    }

    /** Returns the number of sources in the tree. */
    int leaves() {
        return sources.length;
    }

    /** Returns the source of a leaf, 0 to {@code leaves() - 1}. */
    int source(int leaf) {
        return sources[leaf];
    }

    /** Returns the weight of a node: a leaf, or {@code leaves()} and more for inner nodes. The root is the last one. */
    long weight(int node) {
        return weights[node];
    }

    /**
     * Returns the first child of an inner node, 0 to {@code leaves() - 2}; the node number of the inner node is {@code leaves()}
     * larger. The first child is the firsts one, except where a shape was continued with other weights.
     */
    int first(int inner) {
        return firsts[inner];
    }

    /** Returns the second child of an inner node. */
    int second(int inner) {
        return seconds[inner];
    }
}
