package io.millrace.dataset.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.dataset.storage.Storage.FileState;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SharedIndexesTest {
    private record Fixed(int samples) implements ShardIndex {
        @Override
        public Optional<ShardLoss> loss() {
            return Optional.empty();
        }

        @Override
        public long contentBytes() {
            return 0;
        }
    }

    @Test
    void indexInUseIsSharedForTheSameStateOnly() {
        SharedIndexes<Fixed> shared = new SharedIndexes<>();
        FileState state = new FileState(10, 20);
        Fixed first = new Fixed(1);

        assertThat(shared.find("a", state)).isEmpty();
        assertThat(shared.share("a", state, first)).isSameAs(first);
        assertThat(shared.share("a", state, new Fixed(1))).isSameAs(first);
        shared.removeUnused();
        assertThat(shared.find("a", state).orElseThrow()).isSameAs(first);
        assertThat(shared.find("a", new FileState(11, 20))).isEmpty();
        assertThat(shared.find("b", state)).isEmpty();
        assertThat(first.samples()).isEqualTo(1);
    }
}
