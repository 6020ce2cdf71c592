package io.millrace.dataset.arrow;

import io.millrace.dataset.arrow.IpcField.Kind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The numbers of the fields' nodes and buffers in a batch. Nodes and buffers come in the order of the schema, parents
 * before children.
 *
 * @param fields the layouts of the fields
 * @param nodes the number of nodes that a batch must have
 * @param buffers the number of buffers that a batch must have
 */
record IpcLayout(List<FieldLayout> fields, int nodes, int buffers) {
    /** The layouts that have no validity bits any more. */
    private static final Set<Kind> OLD_VALIDITY = EnumSet.of(Kind.SPARSE_UNION, Kind.DENSE_UNION, Kind.RUN_END);

    /**
     * The layout of one field.
     *
     * @param node the number of its node
     * @param buffer the number of its first buffer
     * @param views the number of buffers of bytes that follow the views of a {@link Kind#VIEW}
     */
    record FieldLayout(IpcField field, int node, int buffer, int views, List<FieldLayout> children) {
        /** Returns the child with the given name, if it exists. */
        Optional<FieldLayout> child(String name) {
            return children.stream().filter(c -> c.field.name().equals(name)).findFirst();
        }
    }

    /**
     * Returns the layout of the given fields.
     *
     * @param views the number of buffers of bytes that the batch has for each {@link Kind#VIEW} field, in order
     * @param validityBuffers the number of buffers of validity bits of a union or of run-end encoding: 0 since Arrow 1.0,
     *     1 before
     * @throws IllegalArgumentException when the number of counts differs from the number of such fields
     */
    static IpcLayout of(List<IpcField> fields, List<Integer> views, int validityBuffers) {
        Counter counter = new Counter(views, validityBuffers);
        List<FieldLayout> layouts = fields.stream().map(counter::place).toList();
        if (counter.view != views.size()) {
            throw new IllegalArgumentException(
                    "expected counts of buffers for " + counter.view + " columns of views, found " + views.size());
        }
        return new IpcLayout(layouts, counter.node, counter.buffer);
    }

    private static final class Counter {
        private final List<Integer> views;
        private final int validityBuffers;
        private int node;
        private int buffer;
        private int view;

        Counter(List<Integer> views, int validityBuffers) {
            this.views = views;
            this.validityBuffers = validityBuffers;
        }

        FieldLayout place(IpcField field) {
            int ownNode = node++;
            int ownBuffer = buffer;
            int ownViews = 0;
            buffer += field.kind().buffers();
            if (OLD_VALIDITY.contains(field.kind())) {
                buffer += validityBuffers;
            }
            if (field.kind() == Kind.VIEW) {
                if (view >= views.size()) {
                    throw new IllegalArgumentException(
                            "expected a count of buffers for each column of views, found " + views.size());
                }
                ownViews = views.get(view++);
                buffer += ownViews;
            }
            List<FieldLayout> children = new ArrayList<>(field.children().size());
            for (IpcField child : field.children()) {
                children.add(place(child));
            }
            return new FieldLayout(field, ownNode, ownBuffer, ownViews, children);
        }
    }
}
