package io.millrace.dataset.tar;

import io.millrace.dataset.BadSampleException;
import io.millrace.dataset.Dataset;
import io.millrace.dataset.StoredLabels;
import io.millrace.dataset.fields.FieldSelection;
import io.millrace.dataset.fields.FieldSource;
import io.millrace.dataset.fields.Labels;
import io.millrace.dataset.fields.ValuePlace;
import io.millrace.dataset.files.LeftOut;
import io.millrace.dataset.shard.OpenFiles;
import io.millrace.dataset.shard.Shards;
import io.millrace.dataset.shard.Shards.Located;
import io.millrace.dataset.storage.RangedFile;
import io.millrace.sample.Sample;
import java.io.EOFException;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** A dataset of the samples of archives. Only the chosen members of a sample are read. */
final class TarDataset implements Dataset {
    /** The largest number of members that are compared pair by pair. This comparison allocates no memory. */
    private static final int FEW_MEMBERS = 16;

    /** The largest number of samples that are tried to find a good one. */
    private static final int MOST_PROBES = 100;

    private final Shards<TarIndex> shards;
    private final FieldSelection selection;
    private final List<MemberSource> fields;
    private final Optional<MemberSource> label;
    private final Labels labels;

    /** Creates a dataset and takes ownership of {@code shards}. */
    TarDataset(Shards<TarIndex> shards, FieldSelection selection, Labels labels) {
        this.shards = shards;
        this.selection = selection;
        this.fields = selection.fields().stream().map(MemberSource::of).toList();
        this.label = selection.label().map(MemberSource::of);
        this.labels = labels;
    }

    @Override
    public long size() {
        return shards.size();
    }

    @Override
    public Sample read(long index) throws IOException {
        Located<TarIndex> place = shards.locate(index);
        String key = place.index().key(place.sample());
        requireSuffixesOnce(place);
        try (OpenFiles.Lease lease = shards.lease(place.shard())) {
            Sample sample = new Sample(index, shards.shortName(place.shard()) + "/" + key, label(place, lease.file()));
            for (MemberSource field : fields) {
                int member = member(place, field);
                byte[] content = content(place, member, lease.file());
                sample.put(
                        field.source().name(),
                        field.field(place.index().suffix(member), content, valuePlace(place, member)));
            }
            return sample;
        }
    }

    @Override
    public long label(long index) throws IOException {
        Located<TarIndex> place = shards.locate(index);
        if (label.isEmpty()) {
            return Labels.NONE;
        }
        try (OpenFiles.Lease lease = shards.lease(place.shard())) {
            return label(place, lease.file());
        }
    }

    @Override
    public String nameOf(long index) throws IOException {
        Located<TarIndex> place = shards.locate(index);
        return shards.shortName(place.shard()) + "/" + place.index().key(place.sample());
    }

    @Override
    public Dataset only(String field) {
        return few(selection.fields().stream()
                .filter(source -> source.name().equals(field))
                .toList());
    }

    private FewMembers few(List<FieldSource> some) {
        return new FewMembers(
                new TarDataset(shards, new FieldSelection(some, Optional.empty(), selection.chosen()), labels));
    }

    private long label(Located<TarIndex> place, RangedFile file) throws IOException {
        if (label.isEmpty()) {
            return Labels.NONE;
        }
        int member = member(place, label.get());
        byte[] content = content(place, member, file);
        return label.get().label(place.index().suffix(member), content, labels, valuePlace(place, member));
    }

    private void requireSuffixesOnce(Located<TarIndex> place) throws BadSampleException {
        TarIndex index = place.index();
        int first = index.firstMember(place.sample());
        Set<Integer> seen = index.endMember(place.sample()) - first > FEW_MEMBERS ? new HashSet<>() : Set.of();
        for (int member = first; member < index.endMember(place.sample()); member++) {
            boolean before = index.endMember(place.sample()) - first > FEW_MEMBERS
                    ? !seen.add(index.suffixNumber(member))
                    : isBefore(index, first, member);
            if (before) {
                throw valuePlace(place, member)
                        .badSample("expected each suffix once in a sample, found a second member '"
                                + index.suffix(member) + "' of key '" + index.key(place.sample()) + "'");
            }
        }
    }

    private static boolean isBefore(TarIndex index, int first, int member) {
        for (int earlier = first; earlier < member; earlier++) {
            if (index.suffixNumber(earlier) == index.suffixNumber(member)) {
                return true;
            }
        }
        return false;
    }

    private int member(Located<TarIndex> place, MemberSource chosen) throws BadSampleException {
        TarIndex index = place.index();
        int best = -1;
        int bestRank = Integer.MAX_VALUE;
        for (int member = index.firstMember(place.sample()); member < index.endMember(place.sample()); member++) {
            int rank = chosen.rank(index.suffix(member));
            if (rank >= 0 && rank < bestRank) {
                best = member;
                bestRank = rank;
            }
        }
        if (best < 0) {
            int first = index.firstMember(place.sample());
            ValuePlace of = valuePlace(place, first);
            throw chosen.source().name().equals(FieldSource.LABEL)
                    ? Labels.noLabel(chosen.source(), of)
                    : of.badSample("expected a member '" + chosen.source().from() + "' in the sample, found only "
                            + suffixes(place));
        }
        return best;
    }

    private static String suffixes(Located<TarIndex> place) {
        Set<String> suffixes = new TreeSet<>();
        for (int member = place.index().firstMember(place.sample());
                member < place.index().endMember(place.sample()) && suffixes.size() < 10;
                member++) {
            suffixes.add(place.index().suffix(member));
        }
        return String.join(", ", suffixes);
    }

    private byte[] content(Located<TarIndex> place, int member, RangedFile file) throws IOException {
        int size = place.index().size(member);
        if (size < 0) {
            throw valuePlace(place, member)
                    .badSample(
                            switch (size) {
                                case TarIndex.SPARSE ->
                                    "expected a member that is stored whole, found a sparse one; write the archive"
                                            + " without --sparse";
                                case TarIndex.BAD -> place.index().reason(member);
                                default ->
                                    "expected a member of up to " + TarIndex.MOST_MEMBER_BYTES
                                            + " bytes, found a larger one";
                            });
        }
        try {
            return file.read(place.index().offset(member), size);
        } catch (EOFException e) {
            BadSampleException badSample = valuePlace(place, member)
                    .badSample("expected " + size + " bytes of '"
                            + place.index().suffix(member) + "', found the end of the file at offset " + file.size());
            badSample.initCause(e);
            throw badSample;
        }
    }

    private ValuePlace valuePlace(Located<TarIndex> place, int member) {
        return new ValuePlace(
                shards.name(place.shard()) + "/" + place.index().key(place.sample()),
                place.index().offset(member));
    }

    @Override
    public Optional<Dataset> undeclared() {
        List<FieldSource> undeclared = fields.stream()
                .filter(field -> !field.isDeclared())
                .map(MemberSource::source)
                .toList();
        return undeclared.isEmpty() ? Optional.empty() : Optional.of(few(undeclared));
    }

    @Override
    public StoredLabels labels() throws IOException {
        if (label.isPresent()) {
            return StoredLabels.PRESENT;
        }
        LabelMembers members = new LabelMembers();
        for (long index = 0; index < Math.min(MOST_PROBES, size()); index++) {
            try {
                addCandidates(members, shards.locate(index));
                break;
            } catch (BadSampleException e) {
                // The sample will be quarantined when the run reads it.
            }
        }
        return members.found().without(selection);
    }

    private void addCandidates(LabelMembers members, Located<TarIndex> place) throws IOException {
        TarIndex index = place.index();
        try (OpenFiles.Lease lease = shards.lease(place.shard())) {
            for (int member = index.firstMember(place.sample()); member < index.endMember(place.sample()); member++) {
                int read = member;
                if (index.size(member) >= 0 && index.size(member) <= LabelMembers.MOST_BYTES) {
                    members.add(
                            index.suffix(member), () -> content(place, read, lease.file()), valuePlace(place, member));
                }
            }
        }
    }

    @Override
    public OptionalLong storedBytes() {
        return OptionalLong.of(shards.contentBytes());
    }

    @Override
    public List<String> remarks() {
        long links = shards.indexes().stream().mapToLong(TarIndex::skippedLinks).sum();
        Stream<String> names = shards.indexes().stream().flatMap(index -> index.shownLinks().stream());
        return links == 0 ? List.of() : List.of(LeftOut.sentence(links, "symbolic link", names));
    }

    @Override
    public List<String> classes() {
        return labels.classes();
    }

    @Override
    public void close() throws IOException {
        shards.close();
    }

    /** The fields of some members. The other members of the samples are not read. */
    private record FewMembers(TarDataset dataset) implements Dataset {
        @Override
        public long size() {
            return dataset.size();
        }

        @Override
        public Sample read(long index) throws IOException {
            return dataset.read(index);
        }

        @Override
        public List<String> classes() {
            return dataset.classes();
        }

        @Override
        public void close() {}
    }
}
